use outflank_rules::{Board, Move};

use crate::evaluation::UNIT;
use crate::guess::GUESS_EMPTIES;
use crate::isa::Isa;
use crate::null_window::TABLE_EMPTIES;
use crate::ordering::Candidate;
use crate::search::{NONE, Search};
use crate::solver::Bounds;
use crate::table::{Entry, NO_SQUARE};

/// How far the score may be from the guess before the window has to move, in discs.
const WIDTH: i32 = 2;

impl<I: Isa> Search<'_, I> {
    /// A position with an open window, fail-soft.
    #[inline(always)]
    pub fn principal_body(&mut self, own: u64, opp: u64, mut alpha: i32, beta: i32) -> i32 {
        let empty = self.empty(own, opp);
        let moves = self.isa.legal_moves(own, opp, empty);
        if alpha + 1 == beta {
            return self.null(own, opp, moves, alpha);
        }
        let empties = empty.count_ones();
        if empties < TABLE_EMPTIES {
            return self.climb(own, opp, moves, alpha, beta);
        }
        if moves == 0 {
            if self.isa.legal_moves(opp, own, empty) == 0 {
                return self.final_score(own, opp);
            }
            return -I::principal(self, opp, own, -beta, -alpha);
        }
        if self.check_limits() {
            return 0;
        }
        let key = self.key(own, opp);
        let known = self.table_for(empties).probe(key).unwrap_or(Entry::UNKNOWN);
        let (lower, upper) = (i32::from(known.lower), i32::from(known.upper));
        if lower >= beta || lower == upper {
            return lower;
        }
        if upper <= alpha {
            return upper;
        }
        let original_alpha = alpha;
        let start = self.push_candidates(own, opp, moves);
        if let Some(evaluation) = self.evaluation
            && empties >= GUESS_EMPTIES
        {
            self.rank_by_guess(evaluation, own, opp, start, alpha);
        }
        for candidate in &mut self.candidates[start..] {
            if candidate.square == known.best {
                candidate.rank = i32::MAX;
            }
        }
        let mut best = NONE;
        let mut best_square = NO_SQUARE;
        while let Some(candidate) = self.pop_best(start) {
            let score = self.searched(&candidate, best, alpha, beta);
            if self.stopped {
                return 0;
            }
            if score > best {
                best = score;
                best_square = candidate.square;
                alpha = alpha.max(best);
                if best >= beta {
                    break;
                }
            }
        }
        self.candidates.truncate(start);
        let lower = if best > original_alpha { best } else { -64 };
        let upper = if best < beta { best } else { 64 };
        let entry = Entry {
            lower: lower as i8,
            upper: upper as i8,
            best: best_square,
        };
        self.table_for(empties).store(key, empties, entry);
        best
    }

    /// A move's score in a window: the first one's with the whole window, another's only if a
    /// null window shows that it is better.
    fn searched(&mut self, candidate: &Candidate, best: i32, alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        let &Candidate {
            own, opp, moves, ..
        } = candidate;
        if best > NONE {
            let score = -self.null(own, opp, moves, -alpha - 1);
            if score <= alpha || score >= beta || self.stopped {
                return score;
            }
        }
        -I::principal(self, own, opp, -beta, -alpha)
    }

    /// An open window by null windows from below: little work for a few empty squares.
    fn climb(&mut self, own: u64, opp: u64, moves: u64, alpha: i32, beta: i32) -> i32 {
        let mut lower = alpha;
        loop {
            let score = self.null(own, opp, moves, lower);
            if score <= lower || score >= beta {
                return score;
            }
            lower = score;
        }
    }

    /// The bounds of a board's score that a window asks for, and a move that reaches the lower
    /// one if that is above the window's lower end.
    pub fn solve(&mut self, board: &Board, window: (i32, i32)) -> (Bounds, Option<Move>) {
        let (own, opp) = (board.own().bits(), board.opp().bits());
        let area = self.geometry.area;
        if board.is_over() {
            let score = self.final_score(own, opp);
            return (
                Bounds {
                    lower: score,
                    upper: score,
                },
                None,
            );
        }
        if board.must_pass() {
            let (bounds, _) = self.solve(&board.pass(), (-window.1, -window.0));
            return (bounds.reversed(), Some(Move::Pass));
        }

        let mut root = Root {
            bounds: Bounds {
                lower: -area,
                upper: area,
            },
            best: None,
            moves: Vec::new(),
        };
        let start = self.push_candidates(own, opp, board.legal_moves().bits());
        let guess = self.rank_root(own, opp, start);
        while let Some(candidate) = self.pop_best(start) {
            root.moves.push(candidate);
        }

        // A window around the guess, which moves to where the score turns out to be and widens.
        let mut width = WIDTH;
        let (mut alpha, mut beta) = match guess {
            Some(guess) => (guess - width, guess + width),
            None => window,
        };
        loop {
            alpha = alpha.max(window.0);
            beta = beta.min(window.1);
            if alpha >= beta {
                (alpha, beta) = if alpha >= window.1 {
                    (window.1 - 1, window.1)
                } else {
                    (window.0, window.0 + 1)
                };
            }
            self.search_root(&mut root, alpha, beta);
            let Bounds { lower, upper } = root.bounds;
            if self.stopped || lower >= upper || lower >= window.1 || upper <= window.0 {
                // A score that cannot be worse is reached by any move.
                let any = (upper == -area).then(|| root.moves[0].place());
                return (root.bounds, root.best.or(any));
            }
            width *= 2;
            if upper <= alpha {
                (alpha, beta) = (upper - width, upper);
            } else {
                (alpha, beta) = (lower, lower + width);
            }
        }
    }

    /// Ranks the root's moves, and guesses the score in discs if there is an evaluation.
    fn rank_root(&mut self, own: u64, opp: u64, start: usize) -> Option<i32> {
        let evaluation = self.evaluation?;
        if self.empty(own, opp).count_ones() < 8 {
            return None;
        }
        let best = self.rank_by_guess(evaluation, own, opp, start, 0);
        // Most scores are even.
        Some((best + UNIT * best.signum()) / (2 * UNIT) * 2)
    }

    /// One search of the root's moves in a window, which narrows the bounds and brings the best
    /// move to the front. What is proven before the search is stopped counts.
    fn search_root(&mut self, root: &mut Root, mut alpha: i32, beta: i32) {
        let mut best = NONE;
        for i in 0..root.moves.len() {
            let candidate = root.moves[i];
            let score = self.searched(&candidate, best, alpha, beta);
            if self.stopped {
                return;
            }
            if score > best {
                best = score;
                if best > alpha {
                    alpha = best;
                    if best > root.bounds.lower || root.best.is_none() {
                        root.bounds.lower = best;
                        root.best = Some(candidate.place());
                    }
                    root.moves[..=i].rotate_right(1);
                }
                if best >= beta {
                    return;
                }
            }
        }
        root.bounds.upper = root.bounds.upper.min(best);
    }
}

/// The position to solve and what is proven about it.
struct Root {
    bounds: Bounds,
    best: Option<Move>,
    /// The best first.
    moves: Vec<Candidate>,
}
