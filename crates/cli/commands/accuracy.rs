//! `outflank accuracy`: a model against the truth, on positions that the solver has solved.

mod suite;

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use outflank_net::CompiledNetwork;
use outflank_rules::{Board, Move};
use outflank_search::{Budget, search_tree};
use outflank_search::{Evaluator, SearchConfig, Tree};
use outflank_solver::Solver;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use self::suite::Solved;
use super::loops::thread_count;
use crate::args;
use crate::players::load_named;

/// The solver that the search asks for is never used: it is told to solve nothing.
const UNUSED_TABLE: usize = 1 << 10;

/// What the choices of one player cost.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Choices {
    /// The share of moves that keep the best score, 0 to 1.
    optimal: f64,
    /// Discs lost a move, in the mean.
    discs_lost: f64,
    /// The share of moves that keep the result: win, draw or loss.
    result_kept: f64,
}

/// The model on the positions with one number of empty squares.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Row {
    positions: u64,
    /// The bare policy.
    policy: Choices,
    /// The search.
    search: Choices,
    /// The mean distance of the network's margin from the true one, in discs.
    margin_error: f64,
    /// The mean distance of the network's outcome, -1 to 1, from the true one.
    outcome_error: f64,
}

/// The measurement as JSON.
#[derive(Serialize)]
struct Accuracy {
    model: String,
    simulations: u32,
    all: Row,
    by_empties: BTreeMap<u32, Row>,
}

pub fn run(args: &args::Accuracy) -> Result<()> {
    let (name, model) = load_named(&args.model)?;
    let network = CompiledNetwork::new(&model.weights);
    let config = search_config(args.simulations)?;
    let threads = thread_count(args.threads)?;
    let size = network.architecture().size;
    let positions = suite::positions(size, args, threads)?;
    if positions.is_empty() {
        bail!(
            "there are no positions with {} to {} empty squares and a choice of moves",
            args.least_empties,
            args.most_empties
        );
    }

    let rows = judge_all(&positions, &network, &config, threads);
    let mut by_empties: BTreeMap<u32, Row> = BTreeMap::new();
    let mut all = Row::default();
    for (solved, row) in positions.iter().zip(&rows) {
        by_empties
            .entry(solved.board.empties())
            .or_default()
            .add(row);
        all.add(row);
    }
    by_empties.values_mut().for_each(Row::divide);
    all.divide();
    let accuracy = Accuracy {
        model: name,
        simulations: args.simulations,
        all,
        by_empties,
    };
    if args.json {
        println!("{}", serde_json::to_string_pretty(&accuracy)?);
    } else {
        accuracy.print();
    }
    Ok(())
}

/// The search as in a match, but without the solver: all that it finds is the network's and its own.
fn search_config(simulations: u32) -> Result<SearchConfig> {
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
fn judge_all(
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
        }
    }

    fn each(&mut self, other: &Choices, change: impl Fn(&mut f64, f64)) {
        change(&mut self.optimal, other.optimal);
        change(&mut self.discs_lost, other.discs_lost);
        change(&mut self.result_kept, other.result_kept);
    }
}

impl Row {
    fn add(&mut self, other: &Row) {
        let sum = |a: &mut f64, b| *a += b;
        self.positions += other.positions;
        self.policy.each(&other.policy, sum);
        self.search.each(&other.search, sum);
        self.margin_error += other.margin_error;
        self.outcome_error += other.outcome_error;
    }

    /// Turns sums into means.
    fn divide(&mut self) {
        let positions = self.positions.max(1) as f64;
        let mean = |a: &mut f64, _| *a /= positions;
        self.policy.each(&Choices::default(), mean);
        self.search.each(&Choices::default(), mean);
        self.margin_error /= positions;
        self.outcome_error /= positions;
    }
}

impl Accuracy {
    fn print(&self) {
        println!(
            "{} on {} solved positions; its search has {} simulations and no help of the solver.",
            self.model, self.all.positions, self.simulations
        );
        println!(
            "                     policy alone                  search            error of the value"
        );
        println!(
            "empties  number   optimal  lost  result    optimal  lost  result    margin   outcome"
        );
        for (empties, row) in &self.by_empties {
            row.print(&empties.to_string());
        }
        self.all.print("all");
        println!(
            "optimal: moves that keep the best score; lost: discs a move; result: moves that keep\n\
             win, draw or loss; margin in discs, outcome from -1 to 1, both mean distances."
        );
    }
}

impl Row {
    fn print(&self, label: &str) {
        let choices = |c: &Choices| {
            format!(
                "{:6.1} % {:5.2} {:5.1} %",
                100.0 * c.optimal,
                c.discs_lost,
                100.0 * c.result_kept
            )
        };
        println!(
            "{label:>7} {:7}  {}   {}    {:6.2}    {:6.3}",
            self.positions,
            choices(&self.policy),
            choices(&self.search),
            self.margin_error,
            self.outcome_error
        );
    }
}
