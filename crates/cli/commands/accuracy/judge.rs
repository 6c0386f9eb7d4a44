//! One model's choices and values, beside what is known of solved positions.

use anyhow::{Context, Result};
use outflank_net::CompiledNetwork;
use outflank_rules::{Board, Move};
use outflank_search::{Budget, Evaluator, SearchConfig, Tree, search_tree};
use outflank_solver::Solver;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::suite::Solved;

/// The solver that the search asks for is never used: it is told to solve nothing.
const UNUSED_TABLE: usize = 1 << 10;

/// Two-sided 95 % of a normal distribution, in standard deviations.
const Z95: f64 = 1.96;

/// What the choices of one player cost.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Choices {
    /// The share of moves that keep the best score, 0 to 1.
    pub optimal: f64,
    /// Its 95 % interval.
    pub optimal_95: [f64; 2],
    /// Discs lost a move, in the mean.
    pub discs_lost: f64,
    /// Its 95 % interval.
    pub discs_lost_95: [f64; 2],
    /// The share of moves that keep the result: win, draw or loss.
    pub result_kept: f64,
}

/// The model on one position, or in the mean on some.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Row {
    /// How many.
    pub positions: u64,
    /// The bare policy.
    pub policy: Choices,
    /// The search.
    pub search: Choices,
    /// The mean distance of the network's margin from the true one, in discs.
    pub margin_error: f64,
    /// The mean distance of the network's outcome, -1 to 1, from the true one.
    pub outcome_error: f64,
}

/// The search as in a match, but without the solver: all that it finds is the network's and its own.
pub fn search_config(simulations: u32) -> Result<SearchConfig> {
    let config = SearchConfig {
        simulations,
        leaf_solve_empties: 0,
        ..SearchConfig::default()
    }
    .without_noise();
    config.validate().context("--simulations")?;
    Ok(config)
}

/// Judges all positions, in their order, on some threads.
pub fn judge_all(
    positions: &[Solved],
    network: &CompiledNetwork,
    config: &SearchConfig,
    threads: usize,
) -> Vec<Row> {
    let share = positions.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let parts: Vec<_> = positions
            .chunks(share)
            .map(|part| {
                let mut judge = Judge::new(network.clone(), config);
                scope.spawn(move || part.iter().map(|solved| judge.judge(solved)).collect())
            })
            .collect();
        parts
            .into_iter()
            .flat_map(|part| -> Vec<Row> { part.join().expect("no judge panics") })
            .collect()
    })
}

/// One thread's network and search.
struct Judge {
    network: CompiledNetwork,
    tree: Tree,
    solver: Solver,
}

impl Judge {
    fn new(network: CompiledNetwork, config: &SearchConfig) -> Judge {
        let start = Board::start(network.architecture().size);
        Judge {
            network,
            tree: Tree::new(start, config.clone()),
            solver: Solver::new(UNUSED_TABLE),
        }
    }

    fn judge(&mut self, solved: &Solved) -> Row {
        let mut evaluations = Vec::new();
        self.network.evaluate(&[solved.board], &mut evaluations);
        let evaluation = &evaluations[0];
        let logit = |mv: Move| {
            mv.square()
                .map_or(f32::MIN, |s| evaluation.policy[s.index()])
        };
        let favourite = solved
            .scores
            .iter()
            .map(|&(mv, _)| mv)
            .max_by(|&a, &b| logit(a).total_cmp(&logit(b)))
            .expect("there is a choice of moves");

        self.tree.reset(solved.board);
        search_tree(
            &mut self.tree,
            Budget::default(),
            &mut self.network,
            &mut self.solver,
            &mut ChaCha8Rng::seed_from_u64(0),
            &mut |_| (),
        );
        let found = self.tree.best_move().expect("the game is not over");
        let best = solved.best();
        Row {
            positions: 1,
            policy: Choices::of(solved, favourite),
            search: Choices::of(solved, found),
            margin_error: (f64::from(evaluation.margin) - f64::from(best)).abs(),
            outcome_error: (f64::from(evaluation.value) - f64::from(best.signum())).abs(),
        }
    }
}

impl Choices {
    fn of(solved: &Solved, mv: Move) -> Choices {
        let (best, score) = (solved.best(), solved.score(mv));
        Choices {
            optimal: f64::from(u8::from(score == best)),
            discs_lost: f64::from(best - score),
            result_kept: f64::from(u8::from(score.signum() == best.signum())),
            ..Choices::default()
        }
    }

    fn mean<'a>(all: impl Iterator<Item = &'a Choices> + Clone) -> Choices {
        let number = all.clone().count().max(1) as f64;
        let mean = |value: fn(&Choices) -> f64| all.clone().map(value).sum::<f64>() / number;
        let (optimal, discs_lost) = (mean(|c| c.optimal), mean(|c| c.discs_lost));
        let variance = mean(|c| c.discs_lost * c.discs_lost) - discs_lost * discs_lost;
        let around = Z95 * (variance.max(0.0) / number).sqrt();
        Choices {
            optimal,
            optimal_95: wilson(optimal, number),
            discs_lost,
            discs_lost_95: [(discs_lost - around).max(0.0), discs_lost + around],
            result_kept: mean(|c| c.result_kept),
        }
    }
}

impl Row {
    /// The mean of rows of single positions.
    pub fn mean<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> Row {
        let positions = rows.clone().count() as u64;
        let mean =
            |value: fn(&Row) -> f64| rows.clone().map(value).sum::<f64>() / positions.max(1) as f64;
        Row {
            positions,
            policy: Choices::mean(rows.clone().map(|row| &row.policy)),
            search: Choices::mean(rows.clone().map(|row| &row.search)),
            margin_error: mean(|row| row.margin_error),
            outcome_error: mean(|row| row.outcome_error),
        }
    }
}

/// The 95 % interval of a share, after Wilson (1927): within 0 to 1 also where all or none count.
fn wilson(share: f64, number: f64) -> [f64; 2] {
    let z2 = Z95 * Z95 / number;
    let middle = share + z2 / 2.0;
    let around = (z2 * share * (1.0 - share) + z2 * z2 / 4.0).sqrt();
    [
        (middle - around) / (1.0 + z2),
        (middle + around) / (1.0 + z2),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_wilsons_interval() {
        // statsmodels 0.15, proportion_confint(81, 100, method="wilson") and (0, 20).
        let [low, high] = wilson(0.81, 100.0);
        assert!((low - 0.722_211_5).abs() < 1e-4 && (high - 0.874_852_5).abs() < 1e-4);
        let [low, high] = wilson(0.0, 20.0);
        assert!(low.abs() < 1e-12 && (high - 0.161_125).abs() < 1e-4);
    }
}
