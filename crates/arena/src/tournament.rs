use std::collections::HashSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ladder::Scores;
use crate::matches::{
    MatchConfig, MatchError, MatchObserver, MatchResult, Results, mixed, play_match,
};
use crate::openings::OpeningSet;
use crate::player::PlayerFactory;

/// Who meets whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// Everybody meets everybody.
    #[default]
    RoundRobin,
    /// The first player meets everybody else.
    Gauntlet,
}

impl Schedule {
    /// The pairings of so many players, as indices.
    pub fn pairings(self, players: usize) -> Vec<(usize, usize)> {
        let firsts = match self {
            Schedule::RoundRobin => players,
            Schedule::Gauntlet => players.min(1),
        };
        (0..firsts)
            .flat_map(|first| (first + 1..players).map(move |second| (first, second)))
            .collect()
    }
}

/// The matches of several players over the same openings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TournamentResult {
    /// The players' names.
    pub players: Vec<String>,
    /// Who met whom.
    pub schedule: Schedule,
    /// The matches in the order in which they were played; fewer than the schedule has, or the
    /// last one not whole, if the observer ended the tournament.
    pub matches: Vec<MatchResult>,
}

/// Why a tournament could not be played.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TournamentError {
    /// There is nobody to play against.
    #[error("there are {0} players; expected at least two")]
    TooFew(usize),
    /// Results are kept by name.
    #[error("two players are named {0}; expected different names")]
    SameName(String),
    /// One of the matches failed.
    #[error(transparent)]
    Match(#[from] MatchError),
}

/// Plays the matches of a schedule one after the other, each as `config` says. The seed of each is
/// derived from `config`'s and kept in its result.
pub fn play_tournament(
    players: &[&dyn PlayerFactory],
    schedule: Schedule,
    openings: &OpeningSet,
    config: &MatchConfig,
    observer: &mut dyn MatchObserver,
) -> Result<TournamentResult, TournamentError> {
    conduct(players, schedule, config, |pair, config| {
        Ok(play_match(pair, openings, config, observer)?)
    })
}

/// The same with matches that somebody else plays: `play` is told the players and how.
pub fn conduct<E: From<TournamentError>>(
    players: &[&dyn PlayerFactory],
    schedule: Schedule,
    config: &MatchConfig,
    mut play: impl FnMut([&dyn PlayerFactory; 2], &MatchConfig) -> Result<MatchResult, E>,
) -> Result<TournamentResult, E> {
    if players.len() < 2 {
        return Err(TournamentError::TooFew(players.len()).into());
    }
    let names: Vec<String> = players.iter().map(|player| player.name()).collect();
    let mut seen = HashSet::new();
    if let Some(name) = names.iter().find(|name| !seen.insert(*name)) {
        return Err(TournamentError::SameName(name.clone()).into());
    }
    let mut matches = Vec::new();
    for (first, second) in schedule.pairings(players.len()) {
        let config = MatchConfig {
            seed: mixed(&[config.seed, first as u64, second as u64]),
            ..config.clone()
        };
        let pair = [players[first], players[second]];
        let result = play(pair, &config)?;
        let stopped = result.was_stopped();
        matches.push(result);
        if stopped {
            break;
        }
    }
    Ok(TournamentResult {
        players: names,
        schedule,
        matches,
    })
}

impl TournamentResult {
    /// All games by who met whom, for a ladder.
    pub fn scores(&self) -> Scores {
        let mut scores = Scores::new();
        for result in &self.matches {
            scores.add_match(result);
        }
        scores
    }

    /// The results of one player against another, from the view of the first.
    pub fn between(&self, first: &str, second: &str) -> Results {
        let mut sum = Results::default();
        for result in &self.matches {
            let total = result.summary.total;
            match &result.players {
                [a, b] if a == first && b == second => sum += total,
                [a, b] if a == second && b == first => sum += total.reversed(),
                _ => {}
            }
        }
        sum
    }
}

/// The crosstable: players from the highest to the lowest score, and what each scored against each
/// other in per cent.
impl fmt::Display for TournamentResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = |name: &str| {
            let mut sum = Results::default();
            for opponent in &self.players {
                sum += self.between(name, opponent);
            }
            sum
        };
        let mut rows: Vec<(&String, Results)> = self
            .players
            .iter()
            .map(|name| (name, total(name)))
            .collect();
        rows.sort_by(|a, b| b.1.score().total_cmp(&a.1.score()));

        let names = rows.iter().map(|row| row.0.chars().count());
        let width = names.max().unwrap_or(0).max("player".len());
        write!(f, "   # {:width$}", "player")?;
        for place in 1..=rows.len() {
            write!(f, " {place:>6}")?;
        }
        writeln!(f, "  score %  games")?;
        for (place, (name, total)) in rows.iter().enumerate() {
            write!(f, "{:>4} {name:width$}", place + 1)?;
            for (opponent, _) in &rows {
                let results = self.between(name, opponent);
                match results.games() {
                    0 => write!(f, " {:>6}", "-")?,
                    _ => write!(f, " {:>6.1}", 100.0 * results.score())?,
                }
            }
            writeln!(f, "  {:>7.1}  {:>5}", 100.0 * total.score(), total.games())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_pair_each_two_once() {
        assert_eq!(
            Schedule::RoundRobin.pairings(4),
            [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
        );
        assert_eq!(Schedule::Gauntlet.pairings(4), [(0, 1), (0, 2), (0, 3)]);
        assert!(Schedule::Gauntlet.pairings(0).is_empty());
        assert!(Schedule::RoundRobin.pairings(1).is_empty());
    }
}
