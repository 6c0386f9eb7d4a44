use outflank_rules::{Move, Square};

use crate::isa::Isa;
use crate::search::Search;
use crate::table::Key;

// Weights of the features that rank moves, found by trying: these gave the fewest nodes.
const MOVE: u32 = 16;
const CORNER_MOVE: u32 = 10;
const OPEN_SQUARE: u32 = 8;
const ODD_QUADRANT: i32 = 4;
const CORNER: i32 = 12;

/// A move of the mover with the position that it leads to, seen by the opponent.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    pub own: u64,
    pub opp: u64,
    /// The opponent's moves.
    pub moves: u64,
    pub square: u8,
    /// Higher is searched earlier.
    pub rank: i32,
}

impl Candidate {
    /// The move.
    pub fn place(&self) -> Move {
        let square = Square::from_index(self.square.into());
        Move::Place(square.expect("candidates are squares of the board"))
    }
}

impl<I: Isa> Search<'_, I> {
    /// Lists the moves with a rank from cheap features: few moves and few corners for the
    /// opponent, few empty squares next to the discs, odd quarters of the board.
    #[inline(always)]
    pub fn push_candidates(&mut self, own: u64, opp: u64, mut moves: u64) -> usize {
        let start = self.candidates.len();
        let empty = self.empty(own, opp);
        let odd = self.odd_quadrants(empty);
        let corners = self.geometry.corners;
        while moves != 0 {
            let square = moves.trailing_zeros();
            let bit = 1 << square;
            moves &= moves - 1;
            let flips = self.isa.flips(own, opp, square);
            let (own, opp) = (opp ^ flips, own ^ flips | bit);
            let empty = empty ^ bit;
            let replies = self.isa.legal_moves(own, opp, empty);
            let mut rank = -self.freedom(opp, empty, replies);
            if bit & odd != 0 {
                rank += ODD_QUADRANT;
            }
            if bit & corners != 0 {
                rank += CORNER;
            }
            self.candidates.push(Candidate {
                own,
                opp,
                moves: replies,
                square: square as u8,
                rank,
            });
        }
        start
    }

    /// How much room the player to move has: the moves, corners for more, and the empty squares
    /// next to the other player's discs, where moves may come up.
    #[inline(always)]
    pub fn freedom(&self, opp: u64, empty: u64, moves: u64) -> i32 {
        (MOVE * moves.count_ones()
            + CORNER_MOVE * (moves & self.geometry.corners).count_ones()
            + OPEN_SQUARE * (empty & neighbours(opp)).count_ones()) as i32
    }

    /// Takes out the highest rank of those from `start` on.
    #[inline(always)]
    pub fn pop_best(&mut self, start: usize) -> Option<Candidate> {
        let mut best = start;
        for i in start + 1..self.candidates.len() {
            if self.candidates[i].rank > self.candidates[best].rank {
                best = i;
            }
        }
        if best < self.candidates.len() {
            Some(self.candidates.swap_remove(best))
        } else {
            None
        }
    }

    /// The key of a candidate's position.
    #[inline(always)]
    pub fn candidate_key(&self, candidate: &Candidate) -> Key {
        self.key(candidate.own, candidate.opp)
    }
}

/// The squares next to those of a set, and maybe those of the set.
#[inline(always)]
fn neighbours(set: u64) -> u64 {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let row = set | (set << 1) & NOT_A | (set >> 1) & NOT_H;
    row | row << 8 | row >> 8
}
