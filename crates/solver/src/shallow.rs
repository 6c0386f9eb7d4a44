use crate::isa::Isa;
use crate::search::{NONE, Search};

impl<I: Isa> Search<'_, I> {
    /// Five and six empty squares: too few for the table to pay.
    #[inline(always)]
    pub fn shallow_body(&mut self, own: u64, opp: u64, moves: u64, alpha: i32) -> i32 {
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
        if empty.count_ones() == 5 {
            self.five(own, opp, moves, alpha)
        } else {
            self.six(own, opp, moves, alpha)
        }
    }

    /// Five empty squares: those in odd quarters of the board come first.
    #[inline(always)]
    fn five(&mut self, own: u64, opp: u64, mut moves: u64, alpha: i32) -> i32 {
        let odd = self.odd_quadrants(self.empty(own, opp));
        let mut best = NONE;
        while moves != 0 {
            let first = if moves & odd != 0 { moves & odd } else { moves };
            let square = first.trailing_zeros();
            let bit = 1 << square;
            moves ^= bit;
            let flips = self.isa.flips(own, opp, square);
            self.nodes += 1;
            let score = -I::four(self, opp ^ flips, own ^ flips | bit, -alpha - 1);
            if score > best {
                best = score;
                if best > alpha {
                    break;
                }
            }
        }
        best
    }

    /// Six empty squares: the moves that leave the opponent the fewest come first.
    #[inline(always)]
    fn six(&mut self, own: u64, opp: u64, mut moves: u64, alpha: i32) -> i32 {
        let empty = self.empty(own, opp);
        let odd = self.odd_quadrants(empty);
        let corners = self.geometry.corners;
        // Rank, position seen by the opponent, and the opponent's moves.
        let mut list = [(0, 0, 0, 0); 8];
        let mut count = 0;
        while moves != 0 {
            let square = moves.trailing_zeros();
            let bit = 1 << square;
            moves &= moves - 1;
            let flips = self.isa.flips(own, opp, square);
            let (own, opp) = (opp ^ flips, own ^ flips | bit);
            let replies = self.isa.legal_moves(own, opp, empty ^ bit);
            let rank = 16 * replies.count_ones()
                + 8 * (replies & corners).count_ones()
                + u32::from(bit & odd == 0);
            list[count & 7] = (rank, own, opp, replies);
            count += 1;
        }
        let mut best = NONE;
        let list = &mut list[..count.min(8)];
        for i in 0..list.len() {
            let mut least = i;
            for j in i + 1..list.len() {
                if list[j].0 < list[least].0 {
                    least = j;
                }
            }
            let (_, own, opp, replies) = list[least];
            list[least] = list[i];
            self.nodes += 1;
            let score = -I::shallow(self, own, opp, replies, -alpha - 1);
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
