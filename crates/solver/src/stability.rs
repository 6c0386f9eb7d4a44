use crate::isa::Isa;
use crate::search::Search;

impl<I: Isa> Search<'_, I> {
    /// An upper bound of the mover's score that is at most `alpha`, from the opponent's discs that
    /// can never turn.
    #[inline(always)]
    pub fn stability_bound(&self, opp: u64, own: u64, alpha: i32) -> Option<i32> {
        let area = self.geometry.area;
        // Even with all of the opponent's discs stable there would be no cut-off.
        if area - 2 * opp.count_ones() as i32 > alpha {
            return None;
        }
        let bound = area - 2 * self.stable(opp, own).count_ones() as i32;
        (bound <= alpha).then_some(bound)
    }

    /// Discs of the first colour that can never turn: on each of their four lines there is no
    /// empty square left, or a neighbour that is itself stable, or the border.
    #[inline(always)]
    pub fn stable(&self, discs: u64, others: u64) -> u64 {
        let squares = self.geometry.squares;
        // Squares beyond the board are like a border: full, and never turning.
        let filled = discs | others | !squares;
        let full = full_lines(filled);
        let mut stable = discs & full[0] & full[1] & full[2] & full[3];
        loop {
            let fixed = stable | !squares;
            let next = discs
                & (full[0] | (fixed << 1) | (fixed >> 1) | EAST_WEST)
                & (full[1] | (fixed << 8) | (fixed >> 8) | NORTH_SOUTH)
                & (full[2] | (fixed << 7) | (fixed >> 7) | EAST_WEST | NORTH_SOUTH)
                & (full[3] | (fixed << 9) | (fixed >> 9) | EAST_WEST | NORTH_SOUTH);
            if next == stable {
                return stable;
            }
            stable = next;
        }
    }
}

const EAST_WEST: u64 = 0x8181_8181_8181_8181;
const NORTH_SOUTH: u64 = 0xff00_0000_0000_00ff;

/// The squares whose row, column, anti-diagonal or diagonal has no empty square.
#[inline(always)]
fn full_lines(filled: u64) -> [u64; 4] {
    // Each step lets the empty squares spread along the line, twice as far as the step before.
    let empty = !filled;
    let spread = |shift: u32, towards_high: u64, towards_low: u64| {
        let (mut up, mut down) = (empty, empty);
        for _ in 0..7 {
            up |= (up << shift) & towards_high;
            down |= (down >> shift) & towards_low;
        }
        !(up | down)
    };
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    [
        spread(1, NOT_A, NOT_H),
        spread(8, !0, !0),
        spread(7, NOT_H, NOT_A),
        spread(9, NOT_A, NOT_H),
    ]
}
