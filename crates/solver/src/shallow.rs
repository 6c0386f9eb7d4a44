use crate::isa::Isa;
use crate::search::{NONE, Search};

impl<I: Isa> Search<'_, I> {
    /// Five and six empty squares: too few for sorting or the table to pay. Squares in odd
    /// quarters of the board come first.
    #[inline(always)]
    pub fn shallow_body(&mut self, own: u64, opp: u64, mut moves: u64, alpha: i32) -> i32 {
        let empty = self.empty(own, opp);
        if moves == 0 {
            let replies = self.isa.legal_moves(opp, own, empty);
            if replies == 0 {
                return self.final_score(own, opp);
            }
            return -I::shallow(self, opp, own, replies, -alpha - 1);
        }
        if let Some(bound) = self.stability_bound(opp, own, alpha) {
            return bound;
        }
        let four_left = empty.count_ones() == 5;
        let odd = self.odd_quadrants(empty);
        let mut best = NONE;
        while moves != 0 {
            let first = if moves & odd != 0 { moves & odd } else { moves };
            let square = first.trailing_zeros();
            let bit = 1 << square;
            moves ^= bit;
            let flips = self.isa.flips(own, opp, square);
            let (own, opp) = (opp ^ flips, own ^ flips | bit);
            self.nodes += 1;
            let score = if four_left {
                -I::four(self, own, opp, -alpha - 1)
            } else {
                let moves = self.isa.legal_moves(own, opp, empty ^ bit);
                -I::shallow(self, own, opp, moves, -alpha - 1)
            };
            if score > best {
                best = score;
                if best > alpha {
                    break;
                }
            }
        }
        best
    }
}
