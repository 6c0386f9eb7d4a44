use std::time::Duration;

use outflank_rules::{Board, Game, Move, Size};
use outflank_search::{Budget, ConfigError, Evaluator, SearchConfig, Tree, search_tree};
use outflank_solver::Solver;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::{Player, PlayerError};

/// How a [`SearchPlayer`] plays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchPlayerConfig {
    /// The search of each move. The default has no noise, so that the same game always gets the
    /// same move.
    pub search: SearchConfig,
    /// With at most so many empty squares a move is solved instead of searched; 0 to 24. Default
    /// 14.
    pub solve_empties: u32,
    /// The time for a move in seconds, above 0; none by default. The simulations still end a
    /// search that is faster. With it, games are not repeatable.
    pub seconds: Option<f64>,
    /// Memory of the endgame solver's table in MiB, for each thread; 1 to 65,536. Default 16.
    pub solver_mib: usize,
}

impl Default for SearchPlayerConfig {
    fn default() -> SearchPlayerConfig {
        SearchPlayerConfig {
            search: SearchConfig::default().without_noise(),
            solve_empties: 14,
            seconds: None,
            solver_mib: 16,
        }
    }
}

impl SearchPlayerConfig {
    /// Checks every setting; the error names the first that is out of range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.search.validate()?;
        let refuse = |key, found: String, expected| {
            Err(ConfigError {
                key,
                found,
                expected,
            })
        };
        if self.solve_empties > 24 {
            let found = self.solve_empties.to_string();
            return refuse("solve_empties", found, "a whole number from 0 to 24");
        }
        if !(1..=65_536).contains(&self.solver_mib) {
            let found = self.solver_mib.to_string();
            return refuse("solver_mib", found, "a whole number from 1 to 65536");
        }
        match self.seconds {
            Some(seconds) if !(seconds > 0.0 && seconds <= 1e6) => refuse(
                "seconds",
                seconds.to_string(),
                "a number above 0, up to 1e6",
            ),
            _ => Ok(()),
        }
    }
}

/// Outflank's own search with any evaluator, and the exact solver for the last squares.
pub struct SearchPlayer<E> {
    name: String,
    evaluator: E,
    config: SearchPlayerConfig,
    tree: Tree,
    solver: Solver,
    rng: ChaCha8Rng,
}

impl<E: Evaluator> SearchPlayer<E> {
    /// A player of this name, for boards of any size that the evaluator knows. The error names a
    /// setting that is out of range.
    pub fn new(
        name: impl Into<String>,
        evaluator: E,
        config: SearchPlayerConfig,
    ) -> Result<SearchPlayer<E>, ConfigError> {
        config.validate()?;
        Ok(SearchPlayer {
            name: name.into(),
            evaluator,
            tree: Tree::new(Board::start(Size::Eight), config.search.clone()),
            solver: Solver::new(config.solver_mib << 20),
            config,
            rng: ChaCha8Rng::seed_from_u64(0),
        })
    }
}

impl<E: Evaluator> Player for SearchPlayer<E> {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, _: &Game, seed: u64) -> Result<(), PlayerError> {
        self.rng = ChaCha8Rng::seed_from_u64(seed);
        // Which of several best moves is found may depend on what the table holds.
        self.solver.clear();
        Ok(())
    }

    fn choose(&mut self, game: &Game) -> Result<Move, PlayerError> {
        let board = game.position().board;
        if board.empties() <= self.config.solve_empties {
            return Ok(self.solver.exact_with_move(&board).1);
        }
        self.tree.reset(board);
        let budget = Budget {
            time: self.config.seconds.map(Duration::from_secs_f64),
            stop: None,
        };
        search_tree(
            &mut self.tree,
            budget,
            &mut self.evaluator,
            &mut self.solver,
            &mut self.rng,
            &mut |_| (),
        );
        Ok(self.tree.best_move().unwrap_or(Move::Pass))
    }
}
