//! Search and solver together.

use anyhow::{Context, Result, bail};
use outflank_net::CompiledNetwork;
use outflank_rules::{Board, Move};
use outflank_search::{SearchConfig, SearchReport, search};
use outflank_solver::{SolveOptions, Solver};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The solver's table.
const TABLE_BYTES: usize = 64 << 20;

/// The most empty squares that can be solved for each move: more take minutes each.
const MOST_EMPTIES: u32 = 24;

/// A model that thinks, and the solver beside it.
pub struct Thinker {
    network: CompiledNetwork,
    config: SearchConfig,
    solver: Solver,
    solve_empties: u32,
}

/// What is found in a position. Values are the mover's.
pub struct Found {
    pub report: SearchReport,
    /// Every move's final disc difference, empties to the winner, where the solver reaches.
    pub scores: Option<Vec<(Move, i32)>>,
}

impl Thinker {
    pub fn new(network: CompiledNetwork, simulations: u32, solve_empties: u32) -> Result<Thinker> {
        if solve_empties > MOST_EMPTIES {
            bail!("--solve is {solve_empties}; expected 0 to {MOST_EMPTIES} empty squares");
        }
        let config = SearchConfig {
            simulations,
            ..SearchConfig::default()
        }
        .without_noise();
        config.validate().context("--simulations")?;
        Ok(Thinker {
            network,
            config,
            solver: Solver::new(TABLE_BYTES),
            solve_empties,
        })
    }

    pub fn simulations(&self) -> u32 {
        self.config.simulations
    }

    pub fn solve_empties(&self) -> u32 {
        self.solve_empties
    }

    /// Thinks about a position in which the game is not over.
    pub fn think(&mut self, board: &Board) -> Found {
        let report = search(
            board,
            &self.config,
            &mut self.network,
            &mut self.solver,
            &mut ChaCha8Rng::seed_from_u64(0),
        );
        let solved = board.empties() <= self.solve_empties;
        let scores = solved.then(|| {
            let scores = self.solver.solve_moves(board, &SolveOptions::default());
            let exact = scores.into_iter();
            exact
                .map(|(mv, bounds)| (mv, bounds.exact().expect("there was no limit")))
                .collect()
        });
        Found { report, scores }
    }
}

impl Found {
    /// The score under best play, if the solver knows it.
    pub fn exact(&self) -> Option<i32> {
        let scores = self.scores.as_ref()?;
        scores.iter().map(|&(_, score)| score).max()
    }

    /// The expected outcome, -1 to 1, exact where solved.
    pub fn outcome(&self) -> f32 {
        self.exact()
            .map_or(self.report.outcome, |score| score.signum() as f32)
    }

    /// The expected final disc difference, exact where solved.
    pub fn margin(&self) -> f32 {
        self.exact()
            .map_or(self.report.margin, |score| score as f32)
    }
}
