//! One to four empty squares. The squares are arguments, not a set: fewer instructions, and parity
//! orders them once for all plies below.
//!
//! All of it searches the null window (`alpha`, `alpha + 1`), fail-soft: a result above `alpha` is
//! a lower bound of the score, another an upper bound.

use outflank_rules::Scoring;

use crate::isa::Isa;
use crate::search::{NONE, Search};

impl<I: Isa> Search<'_, I> {
    /// The mover's score with the single empty square `x`.
    #[inline(always)]
    fn one(&self, own: u64, alpha: i32, x: u32) -> i32 {
        let area = self.geometry.area;
        // What the mover has if the square counts for the opponent.
        let score = 2 * own.count_ones() as i32 - area;
        let flips = self.isa.last_flips(own, x);
        if flips > 0 {
            return score + 2 * flips + 2;
        }
        if score + 2 <= alpha {
            return score + 2; // the most that is left, for a square that stays empty
        }
        let opp = self.geometry.squares & !own & !(1 << x);
        let flips = self.isa.last_flips(opp, x);
        if flips > 0 {
            return score - 2 * flips;
        }
        match self.scoring {
            Scoring::Plain => score + 1,
            Scoring::Tournament => score + 2 * i32::from(score >= 0),
        }
    }

    /// The mover's score after playing `x`, which must leave `rest` as the only empty square.
    #[inline(always)]
    fn try_two(&mut self, own: u64, opp: u64, alpha: i32, x: u32, rest: u32) -> i32 {
        let flips = self.isa.flips(own, opp, x);
        if flips == 0 {
            return NONE;
        }
        self.nodes += 1;
        -self.one(opp ^ flips, -alpha - 1, rest)
    }

    #[inline(always)]
    fn two(&mut self, own: u64, opp: u64, alpha: i32, x: u32, y: u32) -> i32 {
        let mut best = self.try_two(own, opp, alpha, x, y);
        if best > alpha {
            return best;
        }
        best = best.max(self.try_two(own, opp, alpha, y, x));
        if best > NONE {
            return best;
        }
        // The opponent moves: the same with the window turned round.
        let mut best = self.try_two(opp, own, -alpha - 1, x, y);
        if best > -alpha - 1 {
            return -best;
        }
        best = best.max(self.try_two(opp, own, -alpha - 1, y, x));
        if best > NONE {
            -best
        } else {
            self.final_score(own, opp)
        }
    }

    #[inline(always)]
    fn try_three(&mut self, own: u64, opp: u64, alpha: i32, x: u32, rest: [u32; 2]) -> i32 {
        let flips = self.isa.flips(own, opp, x);
        if flips == 0 {
            return NONE;
        }
        self.nodes += 1;
        -self.two(
            opp ^ flips,
            own ^ flips | 1 << x,
            -alpha - 1,
            rest[0],
            rest[1],
        )
    }

    #[inline(always)]
    fn moves_of_three(&mut self, own: u64, opp: u64, alpha: i32, [x, y, z]: [u32; 3]) -> i32 {
        let mut best = self.try_three(own, opp, alpha, x, [y, z]);
        if best > alpha {
            return best;
        }
        best = best.max(self.try_three(own, opp, alpha, y, [x, z]));
        if best > alpha {
            return best;
        }
        best.max(self.try_three(own, opp, alpha, z, [x, y]))
    }

    #[inline(always)]
    fn three(&mut self, own: u64, opp: u64, alpha: i32, squares: [u32; 3]) -> i32 {
        let best = self.moves_of_three(own, opp, alpha, squares);
        if best > NONE {
            return best;
        }
        let best = self.moves_of_three(opp, own, -alpha - 1, squares);
        if best > NONE {
            -best
        } else {
            self.final_score(own, opp)
        }
    }

    #[inline(always)]
    fn try_four(&mut self, own: u64, opp: u64, alpha: i32, x: u32, rest: [u32; 3]) -> i32 {
        let flips = self.isa.flips(own, opp, x);
        if flips == 0 {
            return NONE;
        }
        self.nodes += 1;
        -self.three(opp ^ flips, own ^ flips | 1 << x, -alpha - 1, rest)
    }

    #[inline(always)]
    fn moves_of_four(&mut self, own: u64, opp: u64, alpha: i32, [x, y, z, w]: [u32; 4]) -> i32 {
        let mut best = self.try_four(own, opp, alpha, x, [y, z, w]);
        if best > alpha {
            return best;
        }
        best = best.max(self.try_four(own, opp, alpha, y, [x, z, w]));
        if best > alpha {
            return best;
        }
        best = best.max(self.try_four(own, opp, alpha, z, [x, y, w]));
        if best > alpha {
            return best;
        }
        best.max(self.try_four(own, opp, alpha, w, [x, y, z]))
    }

    /// Four empty squares.
    #[inline(always)]
    pub fn four_body(&mut self, own: u64, opp: u64, alpha: i32) -> i32 {
        let squares = self.by_parity(self.empty(own, opp));
        let best = self.moves_of_four(own, opp, alpha, squares);
        if best > NONE {
            return best;
        }
        let best = self.moves_of_four(opp, own, -alpha - 1, squares);
        if best > NONE {
            -best
        } else {
            self.final_score(own, opp)
        }
    }

    /// The four squares of a set, those first that are alone in their quarter of the board: who
    /// plays there gets the last move of the quarter.
    #[inline(always)]
    fn by_parity(&self, empty: u64) -> [u32; 4] {
        let mut rest = empty;
        let squares: [u32; 4] = std::array::from_fn(|_| {
            let square = rest.trailing_zeros();
            rest &= rest.wrapping_sub(1);
            square
        });
        let quarters = squares.map(|square| self.geometry.quadrant_of[square as usize & 63]);
        let [a, b, c, d] = quarters;
        let shared = (a & b) | ((a | b) & c) | ((a | b | c) & d);
        let alone = |i: usize| usize::from(quarters[i] & shared == 0) << i;
        let order = ALONE_FIRST[alone(0) | alone(1) | alone(2) | alone(3)];
        order.map(|i| squares[i as usize & 3])
    }

    /// The quarters of the board with an odd number of empty squares: whoever plays first there
    /// can play last there.
    #[inline(always)]
    pub fn odd_quadrants(&self, empty: u64) -> u64 {
        let mut odd = 0;
        for quadrant in self.geometry.quadrants {
            if (empty & quadrant).count_ones() & 1 != 0 {
                odd |= quadrant;
            }
        }
        odd
    }

    /// Fewer than four empty squares.
    #[inline(always)]
    pub fn few(&mut self, own: u64, opp: u64, alpha: i32) -> i32 {
        let empty = self.empty(own, opp);
        let mut squares = [0; 3];
        let mut rest = empty;
        for square in &mut squares {
            *square = rest.trailing_zeros();
            rest &= rest.wrapping_sub(1);
        }
        match empty.count_ones() {
            0 => self.final_score(own, opp),
            1 => self.one(own, alpha, squares[0]),
            2 => self.two(own, opp, alpha, squares[0], squares[1]),
            _ => self.three(own, opp, alpha, squares),
        }
    }
}

/// For each set of four places (bit `i` for place `i`) the order that begins with them.
const ALONE_FIRST: [[u8; 4]; 16] = {
    let mut orders = [[0; 4]; 16];
    let mut set = 0;
    while set < 16 {
        let (mut i, mut first, mut other) = (0, 0, (set as u32).count_ones() as usize);
        while i < 4 {
            if set >> i & 1 == 1 {
                orders[set][first] = i;
                first += 1;
            } else {
                orders[set][other] = i;
                other += 1;
            }
            i += 1;
        }
        set += 1;
    }
    orders
};
