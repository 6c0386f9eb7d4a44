use crate::guess::GUESS_EMPTIES;
use crate::isa::Isa;
use crate::parallel::SPLIT_EMPTIES;
use crate::search::{NONE, Search};
use crate::table::{Entry, NO_SQUARE};

/// Fewer empty squares than this are searched without the table.
pub(crate) const TABLE_EMPTIES: u32 = 7;

/// From this many empty squares on, the entries of the moves are asked for a cut-off first.
const ENHANCED_EMPTIES: u32 = 9;

impl<I: Isa> Search<'_, I> {
    /// Any position with the null window (`alpha`, `alpha + 1`), fail-soft. `moves` are the
    /// mover's.
    #[inline(always)]
    pub fn null(&mut self, own: u64, opp: u64, moves: u64, alpha: i32) -> i32 {
        match self.empty(own, opp).count_ones() {
            0..=3 => self.few(own, opp, alpha),
            4 => I::four(self, own, opp, alpha),
            5..TABLE_EMPTIES => I::shallow(self, own, opp, moves, alpha),
            _ => I::null_window(self, own, opp, moves, alpha),
        }
    }

    /// [`TABLE_EMPTIES`] and more.
    #[inline(always)]
    pub fn null_window_body(&mut self, own: u64, opp: u64, moves: u64, alpha: i32) -> i32 {
        let empty = self.empty(own, opp);
        if moves == 0 {
            let replies = self.isa.legal_moves(opp, own, empty);
            if replies == 0 {
                return self.final_score(own, opp);
            }
            return -I::null_window(self, opp, own, replies, -alpha - 1);
        }
        if let Some(bound) = self.stability_bound(opp, own, alpha) {
            return bound;
        }
        if self.check_limits() {
            return 0;
        }

        let empties = empty.count_ones();
        let key = self.key(own, opp);
        let known = self.table_for(empties).probe(key).unwrap_or(Entry::UNKNOWN);
        if i32::from(known.lower) > alpha {
            return i32::from(known.lower);
        }
        if i32::from(known.upper) <= alpha {
            return i32::from(known.upper);
        }

        let start = self.push_candidates(own, opp, moves);
        if empties >= ENHANCED_EMPTIES {
            let table = self.table_for(empties - 1);
            for candidate in &self.candidates[start..] {
                table.prefetch(self.isa, self.candidate_key(candidate));
            }
            for candidate in &self.candidates[start..] {
                let key = self.candidate_key(candidate);
                if let Some(entry) = table.probe(key)
                    && -i32::from(entry.upper) > alpha
                {
                    self.candidates.truncate(start);
                    return -i32::from(entry.upper);
                }
            }
        }
        for candidate in &mut self.candidates[start..] {
            if candidate.square == known.best {
                candidate.rank = i32::MAX;
            }
        }
        // A move from the table often cuts: guesses can wait until it has failed to.
        let mut unranked = self.evaluation.filter(|_| empties >= GUESS_EMPTIES);
        if known.best == NO_SQUARE
            && let Some(evaluation) = unranked.take()
        {
            self.rank_by_guess(evaluation, own, opp, start, alpha);
        }

        let mut best = NONE;
        let mut best_square = NO_SQUARE;
        while let Some(candidate) = self.pop_best(start) {
            if best > NONE
                && empties >= SPLIT_EMPTIES
                && let Some(pool) = self.pool
                && pool.wants_work()
            {
                self.candidates.push(candidate);
                (best, best_square) = self.share(pool, start, alpha, best, best_square);
                if self.stopped {
                    return 0;
                }
                break;
            }
            self.nodes += 1;
            let score = -self.null(candidate.own, candidate.opp, candidate.moves, -alpha - 1);
            if self.stopped {
                return 0;
            }
            if score > best {
                best = score;
                best_square = candidate.square;
                if best > alpha {
                    break;
                }
            }
            if let Some(evaluation) = unranked.take() {
                self.rank_by_guess(evaluation, own, opp, start, alpha);
            }
        }
        self.candidates.truncate(start);
        let (lower, upper) = if best > alpha {
            (best, 64)
        } else {
            (-64, best)
        };
        let entry = Entry {
            lower: lower as i8,
            upper: upper as i8,
            best: best_square,
        };
        self.table_for(empties).store(key, empties, entry);
        best
    }
}
