use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

use super::beta::{probability_below, quantile_logit};
use super::{ELO_PER_LOGIT, Estimate, elo_difference};

/// The outcome of a game for one of its players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Zero points.
    Loss,
    /// Half a point.
    Draw,
    /// One point.
    Win,
}

impl Outcome {
    /// The outcome for a player with this disc difference, or any other signed score.
    pub fn of_margin(margin: i32) -> Outcome {
        match margin.signum() {
            1 => Outcome::Win,
            0 => Outcome::Draw,
            _ => Outcome::Loss,
        }
    }

    /// The same game for the other player.
    pub fn reversed(self) -> Outcome {
        match self {
            Outcome::Loss => Outcome::Win,
            Outcome::Draw => Outcome::Draw,
            Outcome::Win => Outcome::Loss,
        }
    }

    /// Half points: 0, 1 or 2.
    pub fn half_points(self) -> usize {
        self as usize
    }
}

/// Weight of the prior, in pairs for each of the five possible scores: one virtual pair in all.
///
/// Simulated matches of 25 to 500 pairs put the truth inside of the 95 % interval 94 to 96 % of the
/// time, from level players to a difference of 600 points; the plain normal interval falls to 77 %.
const PRIOR_PAIRS: f64 = 0.2;

/// How often a pair of games over one opening, one with each colour, gave 0, 1/2, 1, 3/2 and 2
/// points: the pentanomial counts.
///
/// The two games of a pair are not independent, since an opening that helps Black helps both
/// players once. Pairs are, so the pair is the unit of all statistics.
///
/// The score of a pair, over 2, lies in `[0, 1]`; its mean is the match score. With a prior of one
/// virtual pair spread evenly over the five scores, a Dirichlet posterior gives the mean score an
/// expectation and a variance, and the beta distribution that has both describes it. Its 2.5 % and
/// 97.5 % quantiles, as Elo differences, are the 95 % interval, and its share above one half is the
/// likelihood of superiority. With many pairs away from 0 and 100 % this is the usual
/// `score ± 1.96 sigma / sqrt(pairs)`; unlike it, it stays finite and calibrated up to a perfect
/// score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PairScores {
    /// Pairs by half points, 0 to 4.
    pub counts: [u64; 5],
}

impl PairScores {
    /// Adds one pair: the outcome of its two games for the player whose view this is.
    pub fn record(&mut self, first: Outcome, second: Outcome) {
        self.counts[first.half_points() + second.half_points()] += 1;
    }

    /// The number of pairs.
    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The share of the points won, in `[0, 1]`; one half when nothing was played.
    pub fn score(&self) -> f64 {
        let points: u64 = (0..).zip(self.counts).map(|(half, n)| half * n).sum();
        match self.pairs() {
            0 => 0.5,
            pairs => points as f64 / (4 * pairs) as f64,
        }
    }

    /// The same pairs from the opponent's view.
    pub fn reversed(mut self) -> PairScores {
        self.counts.reverse();
        self
    }

    /// The Elo difference with its 95 % interval.
    ///
    /// The best guess is the difference that belongs to the score as it is. A perfect score and
    /// none at all would make it infinite; there the virtual pair of the prior is counted in.
    pub fn elo(&self) -> Estimate {
        let (a, b) = self.posterior();
        let score = self.score();
        Estimate {
            elo: if score > 0.0 && score < 1.0 {
                elo_difference(score)
            } else {
                elo_difference(a / (a + b))
            },
            low: ELO_PER_LOGIT * quantile_logit(a, b, 0.025),
            high: ELO_PER_LOGIT * quantile_logit(a, b, 0.975),
        }
    }

    /// The likelihood of superiority: the probability, given these pairs, that the expected score
    /// is above one half.
    pub fn superiority(&self) -> f64 {
        let (a, b) = self.posterior();
        // The beta distribution mirrored: accurate also where the result is close to 0.
        probability_below(b, a, 0.0)
    }

    /// The parameters of the beta distribution of the expected score.
    fn posterior(&self) -> (f64, f64) {
        let (mut total, mut mean, mut square) = (0.0, 0.0, 0.0);
        for (half, count) in (0u32..).zip(self.counts) {
            let (weight, score) = (count as f64 + PRIOR_PAIRS, f64::from(half) / 4.0);
            total += weight;
            mean += weight * score;
            square += weight * score * score;
        }
        mean /= total;
        // Variance of the mean of a Dirichlet distribution's categories.
        let variance = (square / total - mean * mean) / (total + 1.0);
        let concentration = mean * (1.0 - mean) / variance - 1.0;
        (mean * concentration, (1.0 - mean) * concentration)
    }
}

impl Add for PairScores {
    type Output = PairScores;

    fn add(mut self, other: PairScores) -> PairScores {
        self += other;
        self
    }
}

impl AddAssign for PairScores {
    fn add_assign(&mut self, other: PairScores) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::stats::{Z95, expected_score};

    fn outcome(rng: &mut ChaCha8Rng, elo: f64, draws: f64) -> Outcome {
        let score = expected_score(elo);
        let draws = draws.min(1.8 * score.min(1.0 - score));
        let u: f64 = rng.random();
        if u < draws {
            Outcome::Draw
        } else if u < draws + score - draws / 2.0 {
            Outcome::Win
        } else {
            Outcome::Loss
        }
    }

    /// One simulated match over openings that favour a random colour by `bias` points.
    fn simulate(rng: &mut ChaCha8Rng, pairs: u64, elo: f64, bias: f64, draws: f64) -> PairScores {
        let mut scores = PairScores::default();
        for _ in 0..pairs {
            let bias = if rng.random() { bias } else { -bias };
            scores.record(
                outcome(rng, elo + bias, draws),
                outcome(rng, elo - bias, draws),
            );
        }
        scores
    }

    #[test]
    fn intervals_hold_the_truth_95_times_in_100() {
        // 1,000 matches each: a count of hits has a standard deviation of sqrt(1000 0.95 0.05) =
        // 6.9, and the tolerance is three of them.
        let mut rng = ChaCha8Rng::seed_from_u64(95);
        for (pairs, elo, bias, draws) in [
            (50, 0.0, 0.0, 0.04),
            (50, 100.0, 200.0, 0.04),
            (100, 0.0, 150.0, 0.5),
            (100, 300.0, 0.0, 0.04),
            (200, -100.0, 100.0, 0.1),
            (200, 600.0, 0.0, 0.0),
        ] {
            // With biased openings the expected score is the mean of the two games'.
            let score = (expected_score(elo + bias) + expected_score(elo - bias)) / 2.0;
            let truth = elo_difference(score);
            let hits = (0..1000)
                .filter(|_| {
                    let estimate = simulate(&mut rng, pairs, elo, bias, draws).elo();
                    estimate.low <= truth && truth <= estimate.high
                })
                .count();
            assert!(
                hits.abs_diff(950) <= 21,
                "{hits} of 1000 at {pairs} pairs, {elo} points, bias {bias}, draws {draws}"
            );
        }
    }

    #[test]
    fn pairing_narrows_the_interval_where_openings_decide() {
        // Every opening wins for its Black: the pairs are all 1-1, so level is nearly certain.
        let paired = PairScores {
            counts: [0, 0, 100, 0, 0],
        };
        let estimate = paired.elo();
        assert_eq!(estimate.elo, 0.0);
        assert!(estimate.high < 5.0 && estimate.low > -5.0, "{estimate}");
    }

    #[test]
    fn many_pairs_give_the_normal_interval() {
        let scores = PairScores {
            counts: [223, 9863, 21279, 10037, 246],
        };
        // By hand: mean and standard error of the pair scores, then the curve at both ends.
        let pairs: f64 = scores.counts.iter().map(|&n| n as f64).sum();
        let moment = |power: i32| -> f64 {
            let sum: f64 = (0..)
                .zip(scores.counts)
                .map(|(half, n)| n as f64 * (f64::from(half) / 4.0).powi(power))
                .sum();
            sum / pairs
        };
        let error = ((moment(2) - moment(1).powi(2)) / pairs).sqrt();
        let estimate = scores.elo();
        assert!((estimate.elo - elo_difference(moment(1))).abs() < 1e-9);
        assert!((estimate.low - elo_difference(moment(1) - Z95 * error)).abs() < 0.01);
        assert!((estimate.high - elo_difference(moment(1) + Z95 * error)).abs() < 0.01);
    }

    #[test]
    fn perfect_scores_are_finite_and_mirror() {
        for pairs in [1, 100, 1_000_000] {
            let won = PairScores {
                counts: [0, 0, 0, 0, pairs],
            };
            let (up, down) = (won.elo(), won.reversed().elo());
            assert!(0.0 < up.low + 400.0 && up.low < up.elo && up.elo < up.high);
            assert!(up.high.is_finite());
            assert!((up.elo + down.elo).abs() < 1e-6 && (up.low + down.high).abs() < 1e-6);
        }
        // 100 won pairs: 2.5 % of players whose true score is 1 - 0.0145 = 733 points would still
        // win all, so the lower end is near it.
        let won = PairScores {
            counts: [0, 0, 0, 0, 100],
        };
        assert!((600.0..760.0).contains(&won.elo().low), "{}", won.elo());
    }

    #[test]
    fn nothing_played_says_nothing() {
        let none = PairScores::default();
        assert_eq!(none.elo().elo, 0.0);
        assert!(none.elo().high > 300.0);
        assert!((none.superiority() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn superiority_is_the_normal_tail_for_many_pairs() {
        // Score 0.52, pair variance 0.0625 (half the pairs 3/2 + 1/2...): computed from the counts;
        // 0.9772 is the normal distribution at two standard errors.
        let scores = PairScores {
            counts: [0, 2350, 5000, 2650, 0],
        };
        // Mean 0.5075, variance 0.25^2 * 0.5 - 0.0075^2 = 0.03119, standard error 0.001766: 4.25
        // standard errors, 1 - 1.07e-5.
        let tail = 1.0 - scores.superiority();
        assert!((0.9e-5..1.3e-5).contains(&tail), "{tail}");
        assert!((scores.reversed().superiority() / tail - 1.0).abs() < 1e-3);
    }
}
