use std::fmt;

use super::record::End;
use super::summary::{MatchResult, Results};
use crate::stats::{SprtState, SprtVerdict};

/// Reasons of forfeits that are printed; the others are in the games.
const REASONS_SHOWN: usize = 5;

impl fmt::Display for MatchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let summary = &self.summary;
        let games = summary.total.games();
        writeln!(
            f,
            "{} v. {}: {games} games",
            self.players[0], self.players[1]
        )?;
        writeln!(f, "  score     {}", summary.total)?;
        writeln!(
            f,
            "  Elo       {}, 95 % interval; stronger with a likelihood of {:.1} %",
            summary.elo,
            100.0 * summary.superiority
        )?;
        if summary.score == 0.0 || summary.score == 1.0 {
            writeln!(
                f,
                "            all points went to one side, which no finite Elo explains: one even pair is counted in"
            )?;
        }
        let counts = summary.pairs.counts.map(|count| count.to_string());
        writeln!(
            f,
            "  pairs     {} with 0, 1/2, 1, 3/2, 2 points",
            counts.join(" ")
        )?;
        writeln!(
            f,
            "  margin    {:+.1} discs in the mean",
            summary.mean_margin
        )?;
        writeln!(f, "  as Black  {}", summary.as_black)?;
        writeln!(f, "  as White  {}", summary.as_white)?;
        writeln!(
            f,
            "  Black's   {:.1} % of all points",
            100.0 * summary.black_score
        )?;
        writeln!(
            f,
            "  openings  {} distinct: {}",
            self.openings.distinct, self.openings.source
        )?;
        write!(
            f,
            "  games     {} distinct of {games}",
            summary.distinct_games
        )?;
        if (summary.distinct_games as u64) < games {
            write!(f, "; the repeated ones make the interval too narrow")?;
        }
        writeln!(f)?;
        if let Some(state) = &self.sprt {
            writeln!(f, "  SPRT      {state}")?;
        }
        self.write_forfeits(f)
    }
}

impl MatchResult {
    fn write_forfeits(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (player, &count) in self.summary.forfeits.iter().enumerate() {
            if count > 0 {
                writeln!(f, "  forfeits  {count} by {}", self.players[player])?;
            }
        }
        let reasons = self.games.iter().filter_map(|game| match &game.end {
            End::Forfeit { by, reason, .. } => Some((game, by, reason)),
            End::Over => None,
        });
        for (game, by, reason) in reasons.take(REASONS_SHOWN) {
            let player = &self.players[*by];
            writeln!(f, "            pair {}: {player} {reason}", game.pair + 1)?;
        }
        Ok(())
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.1} % ({} won, {} drawn, {} lost)",
            100.0 * self.score(),
            self.wins,
            self.draws,
            self.losses
        )
    }
}

impl fmt::Display for SprtState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let config = &self.config;
        write!(
            f,
            "Elo {:+} or {:+}: log-likelihood ratio {:+.2} in ({:+.2}, {:+.2}), ",
            config.elo0, config.elo1, self.llr, self.lower, self.upper
        )?;
        match self.verdict {
            None => write!(f, "not decided"),
            Some(SprtVerdict::Null) => write!(f, "{:+} accepted", config.elo0),
            Some(SprtVerdict::Alternative) => write!(f, "{:+} accepted", config.elo1),
        }
    }
}
