use std::collections::HashSet;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::record::{End, PlayedGame, ReplayError};
use crate::openings::OpeningSource;
use crate::stats::{Estimate, Outcome, PairScores, SprtState};

/// A match: who played, from which openings, every game, and what they add up to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchResult {
    /// The two players' names. All figures are from the view of the first.
    pub players: [String; 2],
    /// The openings.
    pub openings: OpeningsUsed,
    /// The seed of the match.
    pub seed: u64,
    /// Pairs that were to be played; more than were if something ended the match before.
    pub pairs_planned: usize,
    /// What the games add up to.
    pub summary: Summary,
    /// The test that could end the match, where it stands; none if there was none.
    pub sprt: Option<SprtState>,
    /// The games in order: pair by pair, the first player with Black, then with White.
    pub games: Vec<PlayedGame>,
}

/// The openings of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpeningsUsed {
    /// Where they come from.
    pub source: OpeningSource,
    /// How many of those played differ by more than a symmetry.
    pub distinct: usize,
}

/// Games won, drawn and lost by one player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Results {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

/// What the games of a match add up to, for the first player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// All games.
    pub total: Results,
    /// The games in which the first player had Black.
    pub as_black: Results,
    /// The games in which the first player had White.
    pub as_white: Results,
    /// The share of all points that Black won, whoever that was: 0.5 means balanced openings.
    pub black_score: f64,
    /// Pairs of games by points.
    pub pairs: PairScores,
    /// The share of the points, 0 to 1.
    pub score: f64,
    /// The mean final disc difference of the games that were not forfeited, empty squares to the
    /// winner; 0 if there are none.
    pub mean_margin: f64,
    /// The Elo difference with its 95 % interval, from the pairs.
    pub elo: Estimate,
    /// The probability that the first player is the stronger one.
    pub superiority: f64,
    /// Games that differ in their moves by more than a symmetry, or in who had Black. Where these
    /// are fewer than the games, the interval promises more than it holds.
    pub distinct_games: usize,
    /// Games forfeited by the first and by the second player.
    pub forfeits: [u64; 2],
}

impl MatchResult {
    /// Whether the observer ended the match, rather than its length or its test.
    pub fn was_stopped(&self) -> bool {
        let decided = self.sprt.is_some_and(|state| state.verdict.is_some());
        self.games.len() < 2 * self.pairs_planned && !decided
    }
}

impl Results {
    /// Adds one game.
    pub fn record(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Win => self.wins += 1,
            Outcome::Draw => self.draws += 1,
            Outcome::Loss => self.losses += 1,
        }
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The share of the points, 0 to 1; one half without games.
    pub fn score(&self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => (self.wins as f64 + 0.5 * self.draws as f64) / games as f64,
        }
    }

    /// The same games from the opponent's view.
    pub fn reversed(self) -> Results {
        Results {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
        }
    }
}

impl AddAssign for Results {
    fn add_assign(&mut self, other: Results) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

impl Summary {
    /// Adds up the games of whole pairs, in order.
    pub fn new(games: &[PlayedGame]) -> Result<Summary, ReplayError> {
        let mut by_color = [Results::default(); 2];
        let (mut total, mut black) = (Results::default(), Results::default());
        let mut forfeits = [0; 2];
        let mut keys = HashSet::new();
        for game in games {
            total.record(game.outcome(0));
            by_color[game.black].record(game.outcome(0));
            black.record(game.outcome(game.black));
            if let End::Forfeit { by, .. } = game.end {
                forfeits[by] += 1;
            }
            keys.insert(game.key()?);
        }
        let mut pairs = PairScores::default();
        for pair in games.chunks_exact(2) {
            pairs.record(pair[0].outcome(0), pair[1].outcome(0));
        }
        let margins: Vec<i32> = games.iter().filter_map(|game| game.margin_of(0)).collect();
        Ok(Summary {
            total,
            as_black: by_color[0],
            as_white: by_color[1],
            black_score: black.score(),
            pairs,
            score: total.score(),
            mean_margin: f64::from(margins.iter().sum::<i32>()) / margins.len().max(1) as f64,
            elo: pairs.elo(),
            superiority: pairs.superiority(),
            distinct_games: keys.len(),
            forfeits,
        })
    }
}
