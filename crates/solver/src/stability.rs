use crate::isa::Isa;
use crate::search::Search;

impl<I: Isa> Search<'_, I> {
    /// An upper bound of the mover's score that is at most `alpha`, from the opponent's discs that
    /// can never turn.
    #[inline(always)]
    pub fn stability_bound(&self, opp: u64, own: u64, alpha: i32) -> Option<i32> {
        let area = self.geometry.area;
        // Fewer empty squares leave more discs stable; a high score needs few of them.
        if alpha < 2 * self.empty(own, opp).count_ones() as i32 - 2 {
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
    let empty = !filled;
    // Empty squares spread along a diagonal: one, two, then four steps at a time. A step of `n`
    // never lands in the `n` columns that it would come round the border into.
    let spread = |shift: u32, up: [u64; 3], down: [u64; 3]| {
        let (mut higher, mut lower) = (empty, empty);
        for (step, (up, down)) in up.into_iter().zip(down).enumerate() {
            higher |= (higher << (shift << step)) & up;
            lower |= (lower >> (shift << step)) & down;
        }
        !(higher | lower)
    };
    const RIGHT: [u64; 3] = [
        0xfefe_fefe_fefe_fefe,
        0xfcfc_fcfc_fcfc_fcfc,
        0xf0f0_f0f0_f0f0_f0f0,
    ];
    const LEFT: [u64; 3] = [
        0x7f7f_7f7f_7f7f_7f7f,
        0x3f3f_3f3f_3f3f_3f3f,
        0x0f0f_0f0f_0f0f_0f0f,
    ];
    let mut rows = filled & (filled >> 4);
    rows &= rows >> 2;
    rows = (rows & (rows >> 1) & 0x0101_0101_0101_0101) * 0xff;
    let mut columns = filled & filled.rotate_right(8);
    columns &= columns.rotate_right(16);
    columns &= columns.rotate_right(32);
    [
        rows,
        columns,
        spread(7, LEFT, RIGHT),
        spread(9, RIGHT, LEFT),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By walking along the line from each square.
    fn full_line(filled: u64, square: i32, (dx, dy): (i32, i32)) -> bool {
        [1, -1].into_iter().all(|sign| {
            let (mut x, mut y) = (square % 8, square / 8);
            while (0..8).contains(&x) && (0..8).contains(&y) {
                if filled >> (8 * y + x) & 1 == 0 {
                    return false;
                }
                x += sign * dx;
                y += sign * dy;
            }
            true
        })
    }

    #[test]
    fn full_lines_have_no_empty_square() {
        let mut filled: u64 = 0x9e37_79b9_7f4a_7c15;
        for _ in 0..2000 {
            filled = filled
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            // Mostly full boards, or no long line would ever be full.
            let board =
                filled | filled.rotate_left(17) | filled.rotate_left(41) | filled.rotate_left(5);
            let lines = full_lines(board);
            for square in 0..64 {
                for (line, step) in lines.into_iter().zip([(1, 0), (0, 1), (-1, 1), (1, 1)]) {
                    let expected = full_line(board, square, step);
                    assert_eq!(
                        line >> square & 1 == 1,
                        expected,
                        "{board:x} {square} {step:?}"
                    );
                }
            }
        }
    }
}
