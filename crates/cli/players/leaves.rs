//! From where on a search solves its leaves under a clock.

use std::time::{Duration, Instant};

use outflank_rules::{Board, Size};
use outflank_search::{Evaluator, SearchConfig};

/// As many evaluations as the exact value of a leaf is worth, by the matches in
/// `crates/train/EXPERIMENTS.md`.
const WORTH: f64 = 8.0;

/// How long a position with ten empty squares takes the solver, as a rule, and by how much each further
/// one multiplies it.
const SECONDS_FOR_TEN: f64 = 65e-6;
const SECONDS_GROWTH: f64 = 2.2;

/// Fewer empty squares cost next to nothing.
const LEAST: u32 = 8;

/// Repetitions of the measurement, of which the fastest counts, and what they may take in all.
const REPETITIONS: usize = 32;
const LONG_ENOUGH: Duration = Duration::from_millis(50);

/// The most empty squares of a leaf that is worth solving, beside an evaluator that is asked about
/// `batch` positions at a time. What it takes is measured here, in some milliseconds.
pub fn worth_solving(size: Size, batch: usize, evaluator: &mut impl Evaluator) -> u32 {
    let boards = vec![Board::start(size); batch];
    let mut evaluations = Vec::new();
    let mut fastest = Duration::MAX;
    let start = Instant::now();
    for repetition in 0..REPETITIONS {
        if repetition > 0 && start.elapsed() >= LONG_ENOUGH {
            break;
        }
        let begin = Instant::now();
        evaluator.evaluate(&boards, &mut evaluations);
        fastest = fastest.min(begin.elapsed());
    }
    worth_solving_beside(size, fastest / batch as u32)
}

/// The same for an evaluator that takes so long for each position.
fn worth_solving_beside(size: Size, evaluation: Duration) -> u32 {
    let worth = WORTH * evaluation.as_secs_f64() / SECONDS_FOR_TEN;
    let empties = 10.0 + worth.ln() / SECONDS_GROWTH.ln();
    let most = SearchConfig::usual_solve_empties(size);
    (empties.max(0.0) as u32).clamp(LEAST.min(most), most)
}

#[cfg(test)]
mod tests {
    use outflank_search::Uniform;

    use super::*;

    #[test]
    fn a_slow_network_leaves_more_to_the_solver() {
        let beside = |size, micros| worth_solving_beside(size, Duration::from_micros(micros));
        assert_eq!(beside(Size::Eight, 0), 8);
        assert_eq!(beside(Size::Eight, 10), 10);
        assert_eq!(beside(Size::Eight, 25), 11);
        assert_eq!(beside(Size::Eight, 45), 12);
        assert_eq!(beside(Size::Eight, 1_000_000), 12);
        // On small boards as many as there are without a clock.
        assert_eq!(beside(Size::Four, 10), 4);
        assert_eq!(beside(Size::Six, 0), 8);
        assert_eq!(beside(Size::Six, 10), 9);
        assert_eq!(worth_solving(Size::Eight, 8, &mut Uniform), 8);
    }
}
