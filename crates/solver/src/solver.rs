use outflank_rules::{Board, Move, SquareSet};

use crate::control::{Control, SolveOptions};
#[cfg(target_arch = "x86_64")]
use crate::isa::{Avx2, Avx512};
use crate::isa::{Isa, Portable};
use crate::parallel::Pool;
use crate::search::Search;
use crate::table::Table;

/// What is proven about a score: it lies between the two, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// The least that the score can be.
    pub lower: i32,
    /// The most that it can be.
    pub upper: i32,
}

impl Bounds {
    /// The score, if the bounds leave only one.
    pub const fn exact(self) -> Option<i32> {
        if self.lower == self.upper {
            Some(self.lower)
        } else {
            None
        }
    }

    /// The same seen by the other player.
    pub(crate) const fn reversed(self) -> Bounds {
        Bounds {
            lower: -self.upper,
            upper: -self.lower,
        }
    }
}

/// What a search has proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The least that the mover's score can be, in discs.
    pub lower: i32,
    /// The most that it can be.
    pub upper: i32,
    /// A move that reaches at least `lower`, if the search has raised that above the lower end of
    /// its window; the pass if that is the only move; none if the game is over.
    pub best: Option<Move>,
    /// Positions visited.
    pub nodes: u64,
}

impl Solution {
    /// The score, if the search has found it.
    pub const fn exact(&self) -> Option<i32> {
        self.bounds().exact()
    }

    /// The two bounds alone.
    pub const fn bounds(&self) -> Bounds {
        Bounds {
            lower: self.lower,
            upper: self.upper,
        }
    }
}

/// Solves endgames, and remembers from one to the next what it has proven.
///
/// ```
/// use outflank_rules::{Board, Size};
/// use outflank_solver::Solver;
///
/// // White wins the 4x4 game: 11 discs to 3 and two empty squares.
/// let mut solver = Solver::new(1 << 20);
/// assert_eq!(solver.exact(&Board::start(Size::Four)), -10);
/// ```
pub struct Solver {
    table: Table,
    /// Each thread's own table for positions with few empty squares, which stays in its cache.
    near: Vec<Table>,
    #[cfg(target_arch = "x86_64")]
    avx2: Option<Avx2>,
    #[cfg(target_arch = "x86_64")]
    avx512: Option<Avx512>,
}

/// Bytes of a thread's table for few empty squares.
const NEAR_BYTES: usize = 512 << 10;

impl Solver {
    /// A solver with a table of about this size in bytes, rounded down to a power of two; half a
    /// megabyte comes on top for each thread of a search. A megabyte is enough for self-play's
    /// endings of ten to fourteen squares, and a hundred for twenty and more.
    pub fn new(table_bytes: usize) -> Solver {
        Solver {
            #[cfg(target_arch = "x86_64")]
            avx2: Avx2::detect(),
            #[cfg(target_arch = "x86_64")]
            avx512: Avx512::detect(),
            ..Solver::portable(table_bytes)
        }
    }

    /// The same without the instructions that not every processor has: slower, equal results.
    pub fn portable(table_bytes: usize) -> Solver {
        Solver {
            table: Table::new(table_bytes),
            near: vec![Table::new(NEAR_BYTES)],
            #[cfg(target_arch = "x86_64")]
            avx2: None,
            #[cfg(target_arch = "x86_64")]
            avx512: None,
        }
    }

    /// Forgets all positions, so that the next search costs what it would cost a new solver.
    pub fn clear(&mut self) {
        self.table.clear();
        self.near.iter().for_each(Table::clear);
    }

    /// The score under best play: the mover's discs minus the opponent's, empty squares to the
    /// winner.
    pub fn exact(&mut self, board: &Board) -> i32 {
        self.solve(board, &SolveOptions::default()).lower
    }

    /// The score and a move that reaches it: the pass for a player who has no other, and as a
    /// filler if the game is over.
    pub fn exact_with_move(&mut self, board: &Board) -> (i32, Move) {
        let solution = self.solve(board, &SolveOptions::default());
        (solution.lower, solution.best.unwrap_or(Move::Pass))
    }

    /// The score and all the squares that reach it; none if there is no move but the pass.
    pub fn optimal_moves(&mut self, board: &Board) -> (i32, SquareSet) {
        let score = self.exact(board);
        let options = SolveOptions {
            window: (-score, 1 - score),
            ..SolveOptions::default()
        };
        let optimal = board.legal_moves().filter(|&square| {
            let child = board.play(square).expect("the square is a legal move");
            self.solve(&child, &options).upper <= -score
        });
        (score, optimal.collect())
    }

    /// Proves what `options` ask for, as far as their limits allow.
    pub fn solve(&mut self, board: &Board, options: &SolveOptions) -> Solution {
        let control = Control::new(options);
        self.table.start_search();
        let threads = options.threads.max(1);
        while self.near.len() < threads {
            self.near.push(Table::new(NEAR_BYTES));
        }
        self.near.iter().for_each(Table::start_search);
        #[cfg(target_arch = "x86_64")]
        if let Some(avx512) = self.avx512 {
            return self.solve_with(avx512, board, options, &control);
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = self.avx2 {
            return self.solve_with(avx2, board, options, &control);
        }
        self.solve_with(Portable, board, options, &control)
    }

    fn solve_with<I: Isa>(
        &self,
        isa: I,
        board: &Board,
        options: &SolveOptions,
        control: &Control,
    ) -> Solution {
        let area = board.size().area() as i32;
        // The ends of the scale are scores like others: a best move is wanted for them as well.
        let (alpha, beta) = options.window;
        let alpha = if alpha <= -area {
            -area - 1
        } else {
            alpha.min(area)
        };
        let beta = if beta >= area {
            area + 1
        } else {
            beta.max(-area)
        };
        let window = if alpha < beta {
            (alpha, beta)
        } else {
            (-area - 1, area + 1)
        };
        let pool = Pool::default();
        let pool = (options.threads > 1).then_some(&pool);
        let mut searches = self.near.iter().take(options.threads.max(1)).map(|near| {
            Search::new(
                isa,
                board.size(),
                options.scoring,
                [&self.table, near],
                control,
                pool,
            )
        });
        let mut search = searches.next().expect("there is a table for each thread");
        let (bounds, best) = std::thread::scope(|scope| {
            if let Some(pool) = pool {
                for mut helper in searches {
                    scope.spawn(move || helper.help(pool));
                }
            }
            let result = search.solve(board, window);
            if let Some(pool) = pool {
                pool.finish();
            }
            result
        });
        search.count();
        Solution {
            lower: bounds.lower,
            upper: bounds.upper,
            best,
            nodes: control.nodes(),
        }
    }

    /// What can be proven about each move, in the order of the squares, from the view of the
    /// player who makes it; the pass alone if there is no other move, and nothing if the game is
    /// over. The limits of `options` hold for all moves together, and the window for each.
    pub fn solve_moves(&mut self, board: &Board, options: &SolveOptions) -> Vec<(Move, Bounds)> {
        let mut left = options.clone();
        left.window = (-options.window.1, -options.window.0);
        let start = web_time::Instant::now();
        board
            .moves()
            .map(|mv| {
                let child = board.apply(mv).expect("the move is legal");
                let solution = self.solve(&child, &left);
                left.node_limit = left
                    .node_limit
                    .map(|limit| limit.saturating_sub(solution.nodes));
                left.time_limit = options
                    .time_limit
                    .map(|limit| limit.saturating_sub(start.elapsed()));
                (mv, solution.bounds().reversed())
            })
            .collect()
    }
}
