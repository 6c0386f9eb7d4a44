use std::time::{Duration, Instant};

use outflank_rules::{Board, Game, Move, Size};
use outflank_search::{Budget, ConfigError, Evaluator, SearchConfig, Tree, search_tree};
use outflank_solver::{SolveOptions, Solver};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::{Player, PlayerError};

/// What a search before solving may take at most, and its share of the time.
const SIMULATIONS_BEFORE_SOLVING: u32 = 400;
const TIME_BEFORE_SOLVING: f64 = 0.25;

/// A tree beyond this size is not kept for the next move.
const KEPT_TREE_BYTES: usize = 256 << 20;

/// Goes on from a tree of an earlier position of the game to one of the present position, with
/// what is known of it. Says whether the tree was one; if not, it is of no use.
pub fn follow(tree: &mut Tree, game: &Game) -> bool {
    let plies = game.plies();
    let from = plies
        .iter()
        .rposition(|ply| ply.before.board == *tree.board());
    from.is_some_and(|from| plies[from..].iter().all(|ply| tree.advance(ply.mv)))
}

/// How a [`SearchPlayer`] plays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchPlayerConfig {
    /// The search of each move. The default has no noise, so that the same game always gets the
    /// same move.
    pub search: SearchConfig,
    /// With at most so many empty squares a move is solved instead of searched; 0 to 24. Default
    /// 14. [`outflank_solver::solvable_within`] tells how many a time allows.
    pub solve_empties: u32,
    /// The time for a move in seconds, 1e-6 to 1e6; none by default. The simulations still end a
    /// search that is faster, and a short search comes before solving, for a move to play if the
    /// time is not enough. What was found out about the position before, at the moves before, is
    /// kept. With it, games are not repeatable.
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
    /// The most empty squares to solve.
    pub const MOST_SOLVED: u32 = 24;

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
        if self.solve_empties > SearchPlayerConfig::MOST_SOLVED {
            let found = self.solve_empties.to_string();
            return refuse("solve_empties", found, "a whole number from 0 to 24");
        }
        if !(1..=65_536).contains(&self.solver_mib) {
            let found = self.solver_mib.to_string();
            return refuse("solver_mib", found, "a whole number from 1 to 65536");
        }
        match self.seconds {
            Some(seconds) if !(1e-6..=1e6).contains(&seconds) => {
                refuse("seconds", seconds.to_string(), "a number from 1e-6 to 1e6")
            }
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
        let time = self.config.seconds.map(Duration::from_secs_f64);
        let simulations = self.config.search.simulations;
        let mv = match time {
            _ if board.empties() > self.config.solve_empties => {
                self.search(game, simulations, time)
            }
            None => Some(self.solver.exact_with_move(&board).1),
            Some(time) => self.solve_within(game, simulations, time),
        };
        Ok(mv.unwrap_or(Move::Pass))
    }
}

impl<E: Evaluator> SearchPlayer<E> {
    /// Searches a position; the move that seems best.
    fn search(&mut self, game: &Game, simulations: u32, time: Option<Duration>) -> Option<Move> {
        self.tree.set_simulations(simulations);
        let keeps = time.is_some() && self.tree.bytes() <= KEPT_TREE_BYTES;
        if !(keeps && follow(&mut self.tree, game)) {
            self.tree.reset(game.position().board);
        }
        search_tree(
            &mut self.tree,
            Budget { time, stop: None },
            &mut self.evaluator,
            &mut self.solver,
            &mut self.rng,
            &mut |_| (),
        );
        self.tree.best_move()
    }

    /// Solves a position, or as far as the time allows: what is proven until then counts if the
    /// search sees nothing better.
    fn solve_within(&mut self, game: &Game, simulations: u32, time: Duration) -> Option<Move> {
        let begin = Instant::now();
        let searched = self.search(
            game,
            simulations.min(SIMULATIONS_BEFORE_SOLVING),
            Some(time.mul_f64(TIME_BEFORE_SOLVING)),
        );
        if self.tree.exact().is_some() {
            return searched;
        }
        let options = SolveOptions {
            time_limit: Some(time.saturating_sub(begin.elapsed())),
            ..SolveOptions::default()
        };
        let solution = self.solver.solve(&game.position().board, &options);
        let is_better = solution.exact().is_some()
            || solution.lower > 0
            || solution.lower as f32 >= self.tree.margin();
        solution.best.filter(|_| is_better).or(searched)
    }
}

#[cfg(test)]
mod tests {
    use outflank_rules::Position;
    use outflank_search::Uniform;

    use super::*;

    #[test]
    fn settings_out_of_range_are_named() {
        let good = SearchPlayerConfig::default();
        assert_eq!(good.validate(), Ok(()));
        for (bad, key) in [
            (
                SearchPlayerConfig {
                    solve_empties: 25,
                    ..good.clone()
                },
                "solve_empties",
            ),
            (
                SearchPlayerConfig {
                    solver_mib: 0,
                    ..good.clone()
                },
                "solver_mib",
            ),
            (
                SearchPlayerConfig {
                    seconds: Some(-1.0),
                    ..good.clone()
                },
                "seconds",
            ),
            (
                SearchPlayerConfig {
                    seconds: Some(f64::NAN),
                    ..good.clone()
                },
                "seconds",
            ),
        ] {
            let error = SearchPlayer::new("search", Uniform, bad)
                .err()
                .expect("it is out of range");
            assert_eq!(error.key, key);
        }
    }

    #[test]
    fn the_last_squares_are_solved_and_time_is_kept() {
        // The 4x4 start is within reach: every line of play ends as solved, 10 discs for White.
        let config = SearchPlayerConfig {
            solve_empties: 12,
            solver_mib: 1,
            ..SearchPlayerConfig::default()
        };
        let mut player = SearchPlayer::new("search", Uniform, config).expect("valid settings");
        let mut game = Game::from_position(Position::start(Size::Four));
        player.new_game(&game, 1).expect("never fails");
        while !game.is_over() {
            let mv = match game.must_pass() {
                true => Move::Pass,
                false => player.choose(&game).expect("never fails"),
            };
            game.play(mv).expect("legal");
        }
        assert_eq!(game.score(outflank_rules::Scoring::Tournament), -10);

        // Simulations out of reach: the clock ends the search, with a move.
        let mut config = SearchPlayerConfig {
            seconds: Some(0.02),
            solver_mib: 1,
            ..SearchPlayerConfig::default()
        };
        config.search.simulations = 1_000_000_000;
        config.search.method = outflank_search::Method::Puct;
        let mut player = SearchPlayer::new("search", Uniform, config).expect("valid settings");
        let game = Game::new(Size::Eight);
        let mv = player.choose(&game).expect("never fails");
        assert!(
            mv.square()
                .is_some_and(|square| game.legal_moves().contains(square))
        );
    }

    /// A perfect game: a draw, 32 to 32 (H. Takizawa, "Othello is solved", 2023).
    const DRAWN: &str = "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6a7g5e3b4c8g6g4c2e8d1f7e2g3h4f1e1f2g1b1\
        f8g8b3h3b2h5b7a3a4a1a2c1h2h1g2b8a8g7h8h7h6";

    fn drawn(empties: usize) -> Game {
        let line = &DRAWN[..2 * (60 - empties)];
        Game::from_transcript(Position::start(Size::Eight), line).expect("a game")
    }

    #[test]
    fn endings_are_solved_as_far_as_the_time_allows() {
        let timed = |seconds| {
            let config = SearchPlayerConfig {
                seconds: Some(seconds),
                solve_empties: 24,
                solver_mib: 1,
                ..SearchPlayerConfig::default()
            };
            SearchPlayer::new("search", Uniform, config).expect("valid settings")
        };
        // Enough time: the draw is held, and the search alone would not know how.
        for empties in [15, 14, 13] {
            let game = drawn(empties);
            let mv = timed(1e5).choose(&game).expect("never fails");
            let after = game.position().board.apply(mv).expect("legal");
            assert_eq!(Solver::new(1 << 20).exact(&after), 0, "{mv}");
        }
        // Too little: the search has found a move.
        let game = drawn(24);
        let begin = Instant::now();
        let mv = timed(0.02).choose(&game).expect("never fails");
        assert!(game.position().board.apply(mv).is_ok());
        assert!(begin.elapsed() < Duration::from_secs(10));
    }
}
