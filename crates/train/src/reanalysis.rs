//! Reanalysis: positions of earlier games are searched anew with the newest network before they are
//! trained on, so that old games teach what is known today (Schrittwieser et al., "Online and
//! offline reinforcement learning by planning with a learned model", 2021; Wu et al., "MiniZero",
//! 2024).
//!
//! Nothing of it is stored. What is found depends on the samples drawn, their seeds and the network
//! alone, so a lesson that was interrupted finds the same again, with any number of threads.

use std::time::Duration;

use outflank_net::{CompiledNetwork, Precision, Weights};
use outflank_records::{Sample, SearchKind};
use outflank_rules::Board;
use outflank_search::{Evaluator, Gather, SearchConfig, Tree};
use outflank_solver::Solver;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::ReanalysisConfig;

/// The solver's table of one thread: it solves leaves of few empties only.
const SOLVER_TABLE_BYTES: usize = 1 << 20;

/// How positions of a run's games are searched anew: as self-play does it.
#[derive(Clone, Copy, Debug)]
pub struct ReanalysisPlan<'a> {
    /// The search; [`ReanalysisConfig::simulations`] replaces its simulations.
    pub search: &'a SearchConfig,
    /// The numbers that the network computes in.
    pub precision: Precision,
    /// Threads to search on. They never change a result.
    pub threads: usize,
}

/// What was searched anew in a lesson.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reanalysed {
    /// Samples.
    pub samples: u64,
    /// Time from the clock, beside the steps of training.
    pub time: Duration,
}

/// The newest network with a search, on every thread.
pub(crate) struct Reanalyst {
    search: SearchConfig,
    threads: Vec<(CompiledNetwork, Solver)>,
}

/// What a search of today says of a position.
#[derive(Clone, Debug, PartialEq)]
struct Opinion {
    /// See [`Sample::policy`].
    policy: [f32; 64],
    /// See [`Sample::search_value`].
    value: f32,
}

impl Reanalyst {
    pub fn new(plan: &ReanalysisPlan<'_>, config: &ReanalysisConfig, weights: &Weights) -> Self {
        let network = CompiledNetwork::with_precision(weights, plan.precision);
        let thread = |_| (network.clone(), Solver::new(SOLVER_TABLE_BYTES));
        Reanalyst {
            search: SearchConfig {
                simulations: config.simulations,
                ..plan.search.clone()
            },
            threads: (0..plan.threads.max(1)).map(thread).collect(),
        }
    }

    /// Gives samples the policy and the value of a search of today, each with a seed of its own.
    pub fn renew(&mut self, samples: &mut [(&mut Sample, u64)]) {
        let share = samples.len().div_ceil(self.threads.len()).max(1);
        let search = &self.search;
        std::thread::scope(|scope| {
            for (samples, (network, solver)) in samples.chunks_mut(share).zip(&mut self.threads) {
                scope.spawn(move || {
                    let positions: Vec<_> = samples
                        .iter()
                        .map(|(sample, seed)| (sample.board, *seed))
                        .collect();
                    let opinions = search_all(&positions, search, network, solver);
                    for ((sample, _), opinion) in samples.iter_mut().zip(opinions) {
                        sample.policy = Some(opinion.policy);
                        sample.search_value = opinion.value;
                    }
                });
            }
        });
    }
}

/// Whether a search can tell more about a sample: not where its values are exact.
pub(crate) fn can_be_renewed(sample: &Sample) -> bool {
    sample.kind != SearchKind::Solved
}

/// Searches positions side by side, so that their leaves are evaluated in one batch.
fn search_all(
    positions: &[(Board, u64)],
    config: &SearchConfig,
    evaluator: &mut impl Evaluator,
    solver: &mut Solver,
) -> Vec<Opinion> {
    let begin = |&(board, seed)| {
        let tree = Tree::new(board, config.clone());
        (tree, ChaCha8Rng::seed_from_u64(seed))
    };
    let mut searches: Vec<_> = positions.iter().map(begin).collect();
    let (mut waiting, mut boards, mut evaluations) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        for (index, (tree, rng)) in searches.iter_mut().enumerate() {
            let leaf = loop {
                match tree.gather(solver, rng) {
                    Gather::Leaf { id, board } => break Some((id, board)),
                    Gather::Wait => {}
                    Gather::Finished => break None,
                }
            };
            if let Some((id, board)) = leaf {
                waiting.push((index, id));
                boards.push(board);
            }
        }
        if boards.is_empty() {
            break;
        }
        evaluator.evaluate(&boards, &mut evaluations);
        for ((index, id), evaluation) in waiting.drain(..).zip(&evaluations) {
            searches[index].0.apply(id, evaluation);
        }
        boards.clear();
    }
    let opinion = |(tree, _): &(Tree, _)| Opinion {
        policy: tree.policy_target(),
        value: tree.outcome(),
    };
    searches.iter().map(opinion).collect()
}

#[cfg(test)]
mod tests {
    use outflank_net::Architecture;
    use outflank_rules::Size;
    use outflank_search::search;

    use super::*;

    fn samples() -> Vec<Sample> {
        let mut boards = vec![Board::start(Size::Six)];
        for index in 0..12 {
            let board = boards[index];
            boards.extend(board.legal_moves().filter_map(|mv| board.play(mv)));
        }
        let sample = |board| Sample {
            board,
            kind: SearchKind::Full,
            policy: None,
            reply: None,
            outcome: 1.0,
            margin: Some(4.0),
            search_value: 0.0,
            ownership: None,
            weight: 1.0,
        };
        boards.into_iter().map(sample).collect()
    }

    #[test]
    fn samples_get_what_a_search_of_the_network_finds_on_any_number_of_threads() {
        let architecture = Architecture {
            size: Size::Six,
            blocks: 1,
            channels: 16,
            ..Architecture::default()
        };
        let weights = Weights::init(architecture, &mut ChaCha8Rng::seed_from_u64(3));
        let config = ReanalysisConfig {
            simulations: 12,
            ..ReanalysisConfig::default()
        };
        let expected: Vec<Sample> = (0..)
            .zip(samples())
            .map(|(seed, sample)| {
                let search_config = SearchConfig {
                    simulations: 12,
                    ..SearchConfig::default()
                };
                let report = search(
                    &sample.board,
                    &search_config,
                    &mut CompiledNetwork::new(&weights),
                    &mut Solver::new(SOLVER_TABLE_BYTES),
                    &mut ChaCha8Rng::seed_from_u64(seed),
                );
                let mut policy = [0.0; 64];
                for found in &report.moves {
                    let square = found.mv.square().expect("nobody has to pass");
                    policy[square.index()] = found.policy;
                }
                Sample {
                    policy: Some(policy),
                    search_value: report.outcome,
                    ..sample
                }
            })
            .collect();
        for threads in [1, 3, 100] {
            let plan = ReanalysisPlan {
                search: &SearchConfig::default(),
                precision: Precision::F32,
                threads,
            };
            let mut found = samples();
            let mut due: Vec<_> = found.iter_mut().zip(0..).collect();
            Reanalyst::new(&plan, &config, &weights).renew(&mut due);
            assert!(found == expected, "{threads} threads");
        }
    }

    #[test]
    fn what_is_exact_stays() {
        let mut sample = samples().remove(0);
        assert!(can_be_renewed(&sample));
        sample.kind = SearchKind::Solved;
        assert!(!can_be_renewed(&sample));
    }
}
