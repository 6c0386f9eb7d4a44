use outflank_rules::{Board, Move, Square};

use crate::isa::Isa;
use crate::null_window::TABLE_EMPTIES;
use crate::ordering::Candidate;
use crate::search::{NONE, Search};
use crate::solver::Bounds;
use crate::table::{Entry, NO_SQUARE};

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
        let known = self.table.probe(key).unwrap_or(Entry::UNKNOWN);
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
            && empties as i32 >= crate::guess::TUNE[0]
        {
            self.rank_by_guess(evaluation, own, opp, start);
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
        self.table.store(key, empties, entry);
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
    /// one.
    pub fn solve(&mut self, board: &Board, window: (i32, i32)) -> (Bounds, Option<Move>) {
        let (own, opp) = (board.own().bits(), board.opp().bits());
        let area = self.geometry.area;
        let mut bounds = Bounds {
            lower: -area,
            upper: area,
        };
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
        let moves = board.legal_moves().bits();
        let (mut alpha, beta) = window;
        let start = self.push_candidates(own, opp, moves);
        if let Some(evaluation) = self.evaluation
            && board.empties() as i32 >= crate::guess::TUNE[0]
        {
            self.rank_by_guess(evaluation, own, opp, start);
        }
        let mut best = NONE;
        let mut best_square = None;
        while let Some(candidate) = self.pop_best(start) {
            let score = self.searched(&candidate, best, alpha, beta);
            if self.stopped {
                return (bounds, best_square);
            }
            if score > best {
                best = score;
                if best > alpha {
                    best_square = Square::from_index(candidate.square.into()).map(Move::Place);
                    bounds.lower = best;
                    alpha = best;
                }
                if best >= beta {
                    return (bounds, best_square);
                }
            }
        }
        bounds.upper = best;
        (bounds, best_square)
    }
}
