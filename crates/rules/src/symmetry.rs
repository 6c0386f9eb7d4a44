use crate::{Board, Move, Size, Square, SquareSet};

/// One of the eight symmetries of a square board: `bits & 1` mirrors columns, `& 2` mirrors rows,
/// then `& 4` exchanges columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// The symmetry that changes nothing.
    pub const IDENTITY: Symmetry = Symmetry(0);

    /// All eight, the identity first.
    pub const ALL: [Symmetry; 8] = {
        let mut all = [Symmetry(0); 8];
        let mut i = 0;
        while i < 8 {
            all[i] = Symmetry(i as u8);
            i += 1;
        }
        all
    };

    /// Where the square goes on a board of this size. Squares beyond the board stay.
    pub const fn square(self, size: Size, square: Square) -> Square {
        if !size.contains(square) {
            return square;
        }
        let last = size.side() - 1;
        let (mut column, mut row) = (square.column(), square.row());
        if self.0 & 1 != 0 {
            column = last - column;
        }
        if self.0 & 2 != 0 {
            row = last - row;
        }
        if self.0 & 4 != 0 {
            (column, row) = (row, column);
        }
        Square::new(column, row).expect("a square of the board stays on the board")
    }

    /// Where a move goes; a pass stays one.
    pub const fn mv(self, size: Size, mv: Move) -> Move {
        match mv {
            Move::Place(square) => Move::Place(self.square(size, square)),
            Move::Pass => Move::Pass,
        }
    }

    /// Where the squares of a set go. Squares beyond the board are dropped.
    ///
    /// The whole set moves at once, as fast as it takes to look at one square.
    #[inline]
    pub const fn set(self, size: Size, set: SquareSet) -> SquareSet {
        SquareSet::from_bits(self.bits(size, set.bits() & size.squares().bits()))
    }

    #[inline]
    const fn bits(self, size: Size, mut bits: u64) -> u64 {
        // Smaller boards lie in the corner at a1, and mirroring all of 8x8 moves them away from it.
        let margin = 8 - size.side();
        if self.0 & 1 != 0 {
            bits = mirror_columns(bits) >> margin;
        }
        if self.0 & 2 != 0 {
            bits = bits.swap_bytes() >> (8 * margin);
        }
        if self.0 & 4 != 0 {
            bits = transpose(bits);
        }
        bits
    }

    /// The transformed position.
    #[inline]
    pub const fn board(self, board: &Board) -> Board {
        let size = board.size();
        Board::new_unchecked(
            size,
            self.set(size, board.own()),
            self.set(size, board.opp()),
        )
    }

    /// The transformed table, such as a policy, that has an entry for every [`Square::index`].
    /// Entries beyond the board stay where they are.
    pub fn policy<T: Copy>(self, size: Size, policy: &[T; 64]) -> [T; 64] {
        let sources = &SOURCES[size as usize][self.0 as usize];
        std::array::from_fn(|index| policy[sources[index] as usize % 64])
    }

    /// This symmetry, and the `next` one after it.
    pub const fn then(self, next: Symmetry) -> Symmetry {
        // A mirror of columns after the exchange is a mirror of rows before it.
        let mirrors = match self.0 & 4 {
            0 => next.0,
            _ => (next.0 & 1) << 1 | (next.0 & 2) >> 1,
        };
        Symmetry(self.0 ^ (mirrors & 3) ^ (next.0 & 4))
    }

    /// The symmetry that undoes this one.
    pub const fn inverse(self) -> Symmetry {
        // A mirror undoes itself; a mirror of one axis followed by the exchange is a quarter turn.
        match self.0 {
            5 => Symmetry(6),
            6 => Symmetry(5),
            _ => self,
        }
    }
}

/// By size, symmetry and [`Square::index`]: the square that comes to lie there.
static SOURCES: [[[u8; 64]; 8]; 3] = {
    let mut sources = [[[0; 64]; 8]; 3];
    let mut i = 0;
    while i < 3 * 8 * 64 {
        let (size, symmetry) = (Size::ALL[i / 512], Symmetry((i / 64 % 8) as u8));
        let square = Square::from_index(i % 64).expect("it is below 64");
        let image = symmetry.square(size, square);
        sources[i / 512][i / 64 % 8][image.index()] = square.index() as u8;
        i += 1;
    }
    sources
};

/// Exchanges the bits of `mask` with those `shift` higher.
const fn swap(bits: u64, mask: u64, shift: u32) -> u64 {
    let different = (bits ^ (bits >> shift)) & mask;
    bits ^ different ^ (different << shift)
}

/// Reverses the bits of every byte: neighbours first, then pairs, then halves.
const fn mirror_columns(bits: u64) -> u64 {
    let bits = swap(bits, 0x5555_5555_5555_5555, 1);
    let bits = swap(bits, 0x3333_3333_3333_3333, 2);
    swap(bits, 0x0f0f_0f0f_0f0f_0f0f, 4)
}

/// Exchanges columns and rows: in blocks of 2x2 squares, then of 4x4, then of 8x8.
const fn transpose(bits: u64) -> u64 {
    let bits = swap(bits, 0x00aa_00aa_00aa_00aa, 7);
    let bits = swap(bits, 0x0000_cccc_0000_cccc, 14);
    swap(bits, 0x0000_0000_f0f0_f0f0, 28)
}
