//! Move generation on raw bitboards, for the inner loops of searches.
//!
//! Bit `8 * row + column` is a square; `own` is the mover's discs. Squares beyond a smaller board
//! are never occupied, so rows end there by themselves; only the caller's set of empty squares has
//! to leave them out.

/// Columns b to g: a row of discs that runs sideways never passes through column a or h.
const INNER_COLUMNS: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The four axes as (shift, squares that a run of flipped discs may contain).
const AXES: [(u32, u64); 4] = [
    (1, INNER_COLUMNS),
    (8, !0),
    (7, INNER_COLUMNS),
    (9, INNER_COLUMNS),
];

/// The squares of `empty` where the mover outflanks at least one disc.
#[inline]
pub const fn legal_moves(own: u64, opp: u64, empty: u64) -> u64 {
    let mut moves = 0;
    let mut axis = 0;
    while axis < 4 {
        let (shift, inner) = AXES[axis];
        let opp = opp & inner;
        let (mut up, mut down) = (opp & (own << shift), opp & (own >> shift));
        let mut step = 0;
        while step < 5 {
            up |= opp & (up << shift);
            down |= opp & (down >> shift);
            step += 1;
        }
        moves |= (up << shift) | (down >> shift);
        axis += 1;
    }
    moves & empty
}

/// The discs that a disc placed on `square` (`0..64`) outflanks; 0 exactly if the move is illegal
/// on an empty square.
#[inline]
pub const fn flips(own: u64, opp: u64, square: u32) -> u64 {
    let placed = 1u64 << square;
    let mut flips = 0;
    let mut axis = 0;
    while axis < 4 {
        let (shift, inner) = AXES[axis];
        let opp = opp & inner;
        let (mut up, mut down) = (opp & (placed << shift), opp & (placed >> shift));
        let mut step = 0;
        while step < 5 {
            up |= opp & (up << shift);
            down |= opp & (down >> shift);
            step += 1;
        }
        if own & (up << shift) != 0 {
            flips |= up;
        }
        if own & (down >> shift) != 0 {
            flips |= down;
        }
        axis += 1;
    }
    flips
}
