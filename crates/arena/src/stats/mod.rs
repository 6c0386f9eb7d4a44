//! What the results of games say about strength: Elo differences with their uncertainty.

mod beta;
mod pairs;
mod sprt;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use pairs::{Outcome, PairScores};
pub use sprt::{Sprt, SprtConfig, SprtError, SprtState, SprtVerdict};

/// Two-sided 95 % of a normal distribution, in standard deviations.
pub(crate) const Z95: f64 = 1.959_963_984_540_054;

/// Elo points per unit of log-odds: 400 points are a factor of ten in the odds.
pub(crate) const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

/// The expected score, in `(0, 1)`, of a player this many Elo points stronger than the opponent.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / ELO_PER_LOGIT).exp())
}

/// The Elo difference at which `score` is the expected score; infinite at 0 and 1.
pub fn elo_difference(score: f64) -> f64 {
    ELO_PER_LOGIT * (score / (1.0 - score)).ln()
}

/// A figure in Elo points with its 95 % interval. Always finite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The best guess.
    pub elo: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.0} [{:+.0}, {:+.0}]", self.elo, self.low, self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elo_and_score_are_the_usual_logistic_curve() {
        // 400 log10(0.75 / 0.25) and 400 log10(0.6 / 0.4), by hand.
        assert!((elo_difference(0.75) - 190.8485).abs() < 1e-4);
        assert!((elo_difference(0.6) - 70.4365).abs() < 1e-4);
        assert!((expected_score(400.0) - 10.0 / 11.0).abs() < 1e-12);
        for elo in [-700.0, -12.5, 0.0, 3.0, 1500.0] {
            assert!((elo_difference(expected_score(elo)) - elo).abs() < 1e-6);
        }
    }
}
