use serde::{Deserialize, Serialize};

use super::{PairScores, expected_score};

/// A sequential probability ratio test: is the first player `elo1` points stronger rather than
/// `elo0`?
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SprtConfig {
    /// The difference under the null hypothesis, in Elo points.
    pub elo0: f64,
    /// The difference under the alternative, above `elo0`.
    pub elo1: f64,
    /// Probability of accepting the alternative where the null hypothesis is true. Default 0.05.
    #[serde(default = "five_percent")]
    pub alpha: f64,
    /// Probability of accepting the null hypothesis where the alternative is true. Default 0.05.
    #[serde(default = "five_percent")]
    pub beta: f64,
}

fn five_percent() -> f64 {
    0.05
}

/// Bounds that make no test.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SprtError {
    /// The hypotheses are not in order.
    #[error("elo1 is {elo1}; expected a finite value above elo0, which is {elo0}")]
    Hypotheses {
        /// The null hypothesis.
        elo0: f64,
        /// The alternative.
        elo1: f64,
    },
    /// An error probability out of range.
    #[error("{name} is {value}; expected an error probability above 0 and below 0.5")]
    Probability {
        /// `alpha` or `beta`.
        name: &'static str,
        /// The refused value.
        value: f64,
    },
}

/// What a decided test accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SprtVerdict {
    /// The null hypothesis: not stronger than `elo0`.
    Null,
    /// The alternative: `elo1` stronger.
    Alternative,
}

/// Where a test stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtState {
    /// The test.
    pub config: SprtConfig,
    /// The logarithm of the likelihood ratio of the alternative to the null hypothesis.
    pub llr: f64,
    /// At or below this the null hypothesis is accepted.
    pub lower: f64,
    /// At or above this the alternative is accepted.
    pub upper: f64,
    /// The decision, if there is one.
    pub verdict: Option<SprtVerdict>,
}

/// A test with checked bounds.
///
/// This is the generalised SPRT on pentanomial counts: the likelihood ratio is that of the most
/// likely distributions of pair scores whose means are the two hypotheses' expected scores (Michel
/// Van den Bergh, "A practical introduction to the GSPRT", as used by the Stockfish project;
/// asymptotics in Li, Liu and Ying 2014). Wald's bounds stop it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    config: SprtConfig,
    lower: f64,
    upper: f64,
}

/// Pairs counted for a score that has not occurred, so that it is unlikely and not impossible.
const UNSEEN_PAIRS: f64 = 1e-3;

impl Sprt {
    /// Checks the bounds.
    pub fn new(config: SprtConfig) -> Result<Sprt, SprtError> {
        let SprtConfig {
            elo0,
            elo1,
            alpha,
            beta,
        } = config;
        if !(elo0.is_finite() && elo1.is_finite() && elo0 < elo1) {
            return Err(SprtError::Hypotheses { elo0, elo1 });
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(SprtError::Probability { name, value });
            }
        }
        Ok(Sprt {
            config,
            lower: (beta / (1.0 - alpha)).ln(),
            upper: ((1.0 - beta) / alpha).ln(),
        })
    }

    /// Where the test stands after these pairs, from the first player's view.
    pub fn state(&self, scores: &PairScores) -> SprtState {
        let llr = self.log_likelihood_ratio(scores);
        let verdict = if llr >= self.upper {
            Some(SprtVerdict::Alternative)
        } else if llr <= self.lower {
            Some(SprtVerdict::Null)
        } else {
            None
        };
        SprtState {
            config: self.config,
            llr,
            lower: self.lower,
            upper: self.upper,
            verdict,
        }
    }

    fn log_likelihood_ratio(&self, scores: &PairScores) -> f64 {
        if scores.pairs() == 0 {
            return 0.0;
        }
        let counts = scores.counts.map(|count| (count as f64).max(UNSEEN_PAIRS));
        let (score0, score1) = (
            expected_score(self.config.elo0),
            expected_score(self.config.elo1),
        );
        let (lambda0, lambda1) = (multiplier(&counts, score0), multiplier(&counts, score1));
        (0u8..)
            .zip(counts)
            .map(|(half, count)| {
                let score = f64::from(half) / 4.0;
                count
                    * ((lambda0 * (score - score0)).ln_1p() - (lambda1 * (score - score1)).ln_1p())
            })
            .sum()
    }
}

/// The most likely distribution with mean `mean` has the probabilities
/// `share / (1 + lambda (score - mean))`; this finds the `lambda` that gives it that mean.
fn multiplier(counts: &[f64; 5], mean: f64) -> f64 {
    // All probabilities are positive between these, and the excess falls from +inf to -inf.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    let mut lambda = 0.0;
    for _ in 0..100 {
        let (mut excess, mut slope) = (0.0, 0.0);
        for (half, count) in (0u8..).zip(counts) {
            let deviation = f64::from(half) / 4.0 - mean;
            let ratio = deviation / (1.0 + lambda * deviation);
            excess += count * ratio;
            slope -= count * ratio * ratio;
        }
        if excess > 0.0 {
            low = lambda;
        } else {
            high = lambda;
        }
        // Newton's step, unless it leaves what is left of the range: then the middle of that.
        let newton = lambda - excess / slope;
        let next = if low < newton && newton < high {
            newton
        } else {
            0.5 * (low + high)
        };
        let moved = (next - lambda).abs();
        lambda = next;
        if moved < 1e-12 {
            break;
        }
    }
    lambda
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::stats::Outcome;

    fn sprt(elo0: f64, elo1: f64) -> Sprt {
        Sprt::new(SprtConfig {
            elo0,
            elo1,
            alpha: 0.05,
            beta: 0.05,
        })
        .expect("valid bounds")
    }

    fn ratio(elo0: f64, elo1: f64, counts: [u64; 5]) -> f64 {
        sprt(elo0, elo1).state(&PairScores { counts }).llr
    }

    #[test]
    fn ratios_agree_with_published_and_independent_values() {
        // Two tests of the Stockfish project, as fastchess's tests state them.
        let first = ratio(0.5, 2.5, [223, 9863, 21279, 10037, 246]);
        assert!((first + 3.07).abs() < 0.01, "{first}");
        let second = ratio(0.0, 2.0, [871, 26175, 55983, 26678, 821]);
        assert!((second + 4.98).abs() < 0.01, "{second}");
        // Both constrained likelihoods maximised over the five probabilities by scipy's SLSQP.
        let third = ratio(0.0, 50.0, [3, 10, 20, 18, 9]);
        assert!((third - 2.657_362_84).abs() < 1e-6, "{third}");
        let fourth = ratio(-20.0, 20.0, [1, 4, 9, 7, 4]);
        assert!((fourth - 1.670_327_35).abs() < 1e-6, "{fourth}");
    }

    #[test]
    fn the_bounds_are_walds() {
        let state = sprt(0.0, 10.0).state(&PairScores::default());
        // ln(0.95 / 0.05), by hand.
        assert!((state.upper - 2.944_439).abs() < 1e-6 && (state.lower + 2.944_439).abs() < 1e-6);
        assert_eq!(state.verdict, None);
        assert_eq!(state.llr, 0.0);
    }

    #[test]
    fn errors_stay_within_the_stated_probabilities() {
        // 1,000 tests at each hypothesis; three standard deviations of a count with p = 0.05 are
        // 21. Openings favour a random colour by 100 points, one game in ten is drawn.
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for (elo0, elo1) in [(0.0, 50.0), (-30.0, 30.0), (0.0, 150.0)] {
            let test = sprt(elo0, elo1);
            for truth in [elo0, elo1] {
                let (mut wrong, mut pairs) = (0, 0);
                for _ in 0..1000 {
                    let mut scores = PairScores::default();
                    let verdict = loop {
                        let bias = if rng.random() { 100.0 } else { -100.0 };
                        let [first, second] = [bias, -bias].map(|bias| {
                            let score = biased_score(truth, bias);
                            let u: f64 = rng.random();
                            if u < 0.1 {
                                Outcome::Draw
                            } else if u < 0.05 + score {
                                Outcome::Win
                            } else {
                                Outcome::Loss
                            }
                        });
                        scores.record(first, second);
                        if let Some(verdict) = test.state(&scores).verdict {
                            break verdict;
                        }
                    };
                    pairs += scores.pairs();
                    wrong += usize::from((verdict == SprtVerdict::Alternative) != (truth == elo1));
                }
                assert!(
                    wrong <= 50 + 21,
                    "{wrong} of 1000 at {truth}, {pairs} pairs"
                );
            }
        }
    }

    /// The score with an opening bias, shifted so that the mean over both colours is exactly the
    /// expected score of `elo`.
    fn biased_score(elo: f64, bias: f64) -> f64 {
        let shift = (expected_score(elo + 100.0) + expected_score(elo - 100.0)) / 2.0;
        expected_score(elo + bias) + expected_score(elo) - shift
    }

    #[test]
    fn bad_bounds_are_refused() {
        let good = SprtConfig {
            elo0: 0.0,
            elo1: 5.0,
            alpha: 0.05,
            beta: 0.05,
        };
        for bad in [
            SprtConfig { elo1: 0.0, ..good },
            SprtConfig {
                elo1: f64::NAN,
                ..good
            },
            SprtConfig { alpha: 0.0, ..good },
            SprtConfig { beta: 0.5, ..good },
        ] {
            assert!(Sprt::new(bad).is_err(), "{bad:?}");
        }
    }
}
