use outflank_records::{Ending, GameRecord, PlyRecord, PolicyTarget, SearchKind, SearchRecord};
use outflank_rules::{Board, Color, Move, Scoring, Size};
use outflank_search::{Evaluation, Gather, LeafId, Method, Tree};
use outflank_solver::Solver;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::SelfplayConfig;
use crate::branch::branch;
use crate::ending::solve_ending;
use crate::opening::random_opening;

/// A game that the network plays against itself, in small steps: between two of them it waits for
/// one evaluation, so that many games can share a batch.
///
/// A game owns its random generator. With the same configuration, seed and network it is the same
/// game, whatever else is going on.
pub struct SelfplayGame<'a> {
    config: &'a SelfplayConfig,
    seed: u64,
    rng: ChaCha8Rng,
    board: Board,
    to_move: Color,
    plies: Vec<PlyRecord>,
    tree: Tree,
    /// Whether the search under way is a full one, whose policy is a target.
    full: bool,
    leaf: Option<LeafId>,
    /// Whether a hopeless side resigns this game.
    resignable: bool,
    /// Whether the last search of Black, and of White, saw no hope.
    hopeless: [bool; 2],
}

/// What a game needs next.
pub enum Step {
    /// The evaluation of this board, by [`SelfplayGame::apply`].
    Evaluate(Board),
    /// Nothing: this is the whole game.
    Finished(GameRecord),
}

impl<'a> SelfplayGame<'a> {
    /// A new game, after a random opening or as a branch of one of `earlier`.
    pub fn new(
        config: &'a SelfplayConfig,
        size: Size,
        seed: u64,
        earlier: &[GameRecord],
    ) -> SelfplayGame<'a> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let branches = config.branch_share > 0.0 && rng.random::<f32>() < config.branch_share;
        let line = if branches {
            branch(earlier, &mut rng)
        } else {
            None
        };
        let opening = line.unwrap_or_else(|| {
            random_opening(size, config.opening_plies, config.lopsided_share, &mut rng)
        });
        let resignable =
            config.resign_threshold < 1.0 && rng.random::<f32>() >= config.play_on_share;
        let board = Board::start(size);
        let mut game = SelfplayGame {
            config,
            seed,
            rng,
            board,
            to_move: Color::Black,
            plies: Vec::with_capacity(size.area()),
            tree: Tree::new(board, config.search.clone()),
            full: true,
            leaf: None,
            resignable,
            hopeless: [false; 2],
        };
        for mv in opening {
            game.play(mv, None);
        }
        game.start_search();
        game
    }

    /// Runs until an evaluation is needed or the game is finished.
    pub fn advance(&mut self, solver: &mut Solver) -> Step {
        loop {
            let moves = self.board.legal_moves();
            if self.board.is_over() {
                return Step::Finished(
                    self.record(Ending::Played, self.board.score(Scoring::Tournament)),
                );
            }
            if self.board.empties() <= self.config.solve_empties {
                return Step::Finished(self.solve(solver));
            }
            // A move without an alternative needs no search.
            match moves.first() {
                None => self.play_and_search(Move::Pass, None),
                Some(only) if moves.len() == 1 => self.play_and_search(Move::Place(only), None),
                Some(_) => match self.tree.gather(solver, &mut self.rng) {
                    Gather::Leaf { id, board } => {
                        self.leaf = Some(id);
                        return Step::Evaluate(board);
                    }
                    Gather::Wait => {}
                    Gather::Finished => {
                        if self.resigns() {
                            // The sign is the result: the mover loses.
                            return Step::Finished(self.record(Ending::Resigned, -1));
                        }
                        self.choose();
                    }
                },
            }
        }
    }

    /// Takes the evaluation that [`SelfplayGame::advance`] asked for.
    pub fn apply(&mut self, evaluation: &Evaluation) {
        if let Some(leaf) = self.leaf.take() {
            self.tree.apply(leaf, evaluation);
        }
    }

    /// Whether the mover gives up after the finished search, see
    /// [`would_resign`](crate::would_resign).
    fn resigns(&mut self) -> bool {
        let before = &mut self.hopeless[(self.to_move == Color::White) as usize];
        let now = self.tree.outcome() < -self.config.resign_threshold;
        let resigns = self.resignable && now && *before;
        *before = now;
        resigns
    }

    /// Plays the move that the finished search chose.
    fn choose(&mut self) {
        let policy = self.tree.policy_target();
        let search = SearchRecord {
            kind: if self.full {
                SearchKind::Full
            } else {
                SearchKind::Fast
            },
            policy: if self.full {
                PolicyTarget::from_weights(&policy)
            } else {
                PolicyTarget::default()
            },
            value: self.tree.outcome(),
            visits: self.tree.simulations(),
            surprise: if self.full { self.tree.surprise() } else { 0.0 },
        };
        let mv = match self.config.search.method {
            Method::Puct if (self.plies.len() as u32) < self.config.temperature_plies => {
                self.sample_by_visits()
            }
            _ => self.best_move(),
        };
        self.play_and_search(mv, Some(search));
    }

    /// A move with a chance in proportion to its visits.
    fn sample_by_visits(&mut self) -> Move {
        let visits = self.tree.visit_policy();
        let mut rest = self.rng.random::<f32>();
        let mut chosen = None;
        for square in self.board.legal_moves() {
            let share = visits[square.index()];
            if share > 0.0 {
                chosen = Some(square);
                rest -= share;
                if rest < 0.0 {
                    break;
                }
            }
        }
        chosen.map_or_else(|| self.best_move(), Move::Place)
    }

    fn best_move(&self) -> Move {
        self.tree.best_move().expect("a finished search has a move")
    }

    fn play(&mut self, mv: Move, search: Option<SearchRecord>) {
        self.board = self.board.apply(mv).expect("the move is legal");
        self.to_move = !self.to_move;
        self.plies.push(PlyRecord { mv, search });
    }

    fn play_and_search(&mut self, mv: Move, search: Option<SearchRecord>) {
        self.play(mv, search);
        self.start_search();
    }

    fn start_search(&mut self) {
        self.full = self.config.full_search_share >= 1.0
            || self.rng.random::<f32>() < self.config.full_search_share;
        self.tree.set_simulations(if self.full {
            self.config.search.simulations
        } else {
            self.config.fast_simulations
        });
        self.tree.reset(self.board);
    }

    fn solve(&mut self, solver: &mut Solver) -> GameRecord {
        let (score, line) = solve_ending(
            self.board,
            self.config.solved_line_empties,
            solver,
            &mut self.rng,
        );
        let record = self.record(Ending::Solved, score);
        GameRecord {
            plies: record.plies.into_iter().chain(line).collect(),
            ..record
        }
    }

    /// The record of the plies so far, with `score` as the mover's final score.
    fn record(&mut self, ending: Ending, score: i32) -> GameRecord {
        GameRecord {
            size: self.board.size(),
            seed: self.seed,
            players: None,
            plies: std::mem::take(&mut self.plies),
            ending,
            black_margin: (self.to_move.sign() * score) as i8,
        }
    }
}
