//! Move generation on raw bitboards, for the inner loops of searches.
//!
//! Bit `8 * row + column` is a square; `own` is the mover's discs. Squares beyond a smaller board
//! are never occupied, so rows end there by themselves; only the caller's set of empty squares has
//! to leave them out.
//!
//! The functions here run everywhere and in constants, and [`Board`](crate::Board) uses them: a
//! choice of instructions at every call costs most of what it gains. [`avx2`] has the same for
//! x86-64 processors with AVX2, more than twice as fast where it can be inlined. A search checks
//! [`avx2::available`] once and calls it from functions with [the same target
//! features](https://doc.rust-lang.org/reference/attributes/codegen.html#the-target_feature-attribute);
//! only the call that enters these is `unsafe`.

#[cfg(target_arch = "x86_64")]
pub mod avx2;

/// Columns b to g: a row of discs that runs sideways never passes through column a or h.
const INNER_COLUMNS: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The squares beyond a square in the eight directions, nearest to farthest up to the rim.
///
/// The first four directions lead to higher bits: right, down, down-left, down-right. The other
/// four are their opposites.
#[repr(C, align(64))]
struct Rays([u64; 8]);

/// Column and row steps of the first four directions; their bits are 1, 8, 7 and 9 apart.
const STEPS: [(i32, i32); 4] = [(1, 0), (0, 1), (-1, 1), (1, 1)];

static RAYS: [Rays; 64] = {
    let mut rays = [const { Rays([0; 8]) }; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (column_step, row_step) = STEPS[direction % 4];
            let sign = if direction < 4 { 1 } else { -1 };
            let (mut column, mut row) = (square as i32 % 8, square as i32 / 8);
            loop {
                column += sign * column_step;
                row += sign * row_step;
                if column < 0 || column > 7 || row < 0 || row > 7 {
                    break;
                }
                rays[square].0[direction] |= 1 << (8 * row + column);
            }
            direction += 1;
        }
        square += 1;
    }
    rays
};

/// The squares of `empty` where the mover outflanks at least one disc.
///
/// Rows grow from the mover's discs over opposing ones, one square, then two at a time (the
/// parallel prefix of Kogge and Stone), in all directions and from all discs at once.
#[inline]
pub const fn legal_moves(own: u64, opp: u64, empty: u64) -> u64 {
    let inner = opp & INNER_COLUMNS;
    (along::<1>(own, inner)
        | along::<8>(own, opp)
        | along::<7>(own, inner)
        | along::<9>(own, inner))
        & empty
}

/// The squares at the far ends of rows of `opp` that start beside `own`, both ways of an axis.
#[inline(always)]
const fn along<const SHIFT: u32>(own: u64, opp: u64) -> u64 {
    let mut up = opp & (own << SHIFT);
    let mut down = opp & (own >> SHIFT);
    up |= opp & (up << SHIFT);
    down |= opp & (down >> SHIFT);
    let pairs_up = opp & (opp << SHIFT);
    let pairs_down = pairs_up >> SHIFT;
    up |= pairs_up & (up << (2 * SHIFT));
    down |= pairs_down & (down >> (2 * SHIFT));
    up |= pairs_up & (up << (2 * SHIFT));
    down |= pairs_down & (down >> (2 * SHIFT));
    (up << SHIFT) | (down >> SHIFT)
}

/// The discs that a disc placed on `square` (`0..64`) outflanks; 0 exactly if the move is illegal
/// on an empty square.
///
/// In each direction the first square that holds no opposing disc decides: if it is the mover's,
/// all before it flip. It is the lowest or the highest bit of a ray without the opposing discs.
#[inline]
pub const fn flips(own: u64, opp: u64, square: u32) -> u64 {
    let rays = &RAYS[square as usize].0;
    let mut flips = 0;
    let mut axis = 0;
    while axis < 4 {
        let (up, down) = (rays[axis], rays[axis + 4]);
        let ends = up & !opp;
        let outflanking = ends & ends.wrapping_neg() & own;
        // Below the outflanking disc, or nothing.
        flips |= up & outflanking.wrapping_sub((outflanking != 0) as u64);

        let ends = down & !opp;
        let outflanking = (1 << 63 >> (ends | 1).leading_zeros()) & ends & own;
        // Above the outflanking disc, or nothing.
        flips |= down & (outflanking << 1).wrapping_neg();
        axis += 1;
    }
    flips
}
