use std::fmt;
use std::ops::{BitAnd, BitOr, BitXor, Not};
use std::str::FromStr;

/// One square of the board, named by its column letter and row number: a1 is the top left corner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

/// Text that does not name a square.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a square; expected a column a to h and a row 1 to 8, such as f5")]
pub struct ParseSquareError(pub String);

impl Square {
    /// The square at a column and a row, both counted from 0; `None` outside of 8x8.
    pub const fn new(column: usize, row: usize) -> Option<Square> {
        if column < 8 && row < 8 {
            Some(Square((8 * row + column) as u8))
        } else {
            None
        }
    }

    /// The square whose bit in a bitboard is `1 << index`; `None` from 64 up.
    pub const fn from_index(index: usize) -> Option<Square> {
        if index < 64 {
            Some(Square(index as u8))
        } else {
            None
        }
    }

    /// `8 * row + column`, the same on every board size.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The column, 0 for a.
    pub const fn column(self) -> usize {
        self.0 as usize % 8
    }

    /// The row, 0 for the top row, 1.
    pub const fn row(self) -> usize {
        self.0 as usize / 8
    }

    /// The bitboard with this square alone.
    pub const fn bit(self) -> u64 {
        1 << self.0
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}",
            (b'a' + self.column() as u8) as char,
            self.row() + 1
        )
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Square {
    type Err = ParseSquareError;

    /// Reads `f5` or `F5`.
    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        if let [column, row] = text.as_bytes() {
            let column = column.to_ascii_lowercase().wrapping_sub(b'a');
            let row = row.wrapping_sub(b'1');
            if let Some(square) = Square::new(column as usize, row as usize) {
                return Ok(square);
            }
        }
        Err(ParseSquareError(text.to_owned()))
    }
}

/// A set of squares as a bitboard. Iterates from a1 row by row to h8.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SquareSet(u64);

impl SquareSet {
    /// No square.
    pub const EMPTY: SquareSet = SquareSet(0);

    /// The set whose square `i` is in exactly if bit `i` is set.
    pub const fn from_bits(bits: u64) -> SquareSet {
        SquareSet(bits)
    }

    /// The bitboard of the set.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The number of squares in the set.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set has no square.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the square is in the set.
    pub const fn contains(self, square: Square) -> bool {
        self.0 & square.bit() != 0
    }

    /// The first square of the set in the order of iteration.
    pub const fn first(self) -> Option<Square> {
        Square::from_index(self.0.trailing_zeros() as usize)
    }
}

impl Iterator for SquareSet {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = self.first()?;
        self.0 &= self.0 - 1;
        Some(square)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.len() as usize;
        (len, Some(len))
    }
}

impl FromIterator<Square> for SquareSet {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> SquareSet {
        SquareSet(
            squares
                .into_iter()
                .fold(0, |bits, square| bits | square.bit()),
        )
    }
}

impl BitOr for SquareSet {
    type Output = SquareSet;

    fn bitor(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 | other.0)
    }
}

impl BitAnd for SquareSet {
    type Output = SquareSet;

    fn bitand(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 & other.0)
    }
}

impl BitXor for SquareSet {
    type Output = SquareSet;

    fn bitxor(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 ^ other.0)
    }
}

impl Not for SquareSet {
    type Output = SquareSet;

    /// All 64 squares but these; intersect with [`crate::Size::squares`] on smaller boards.
    fn not(self) -> SquareSet {
        SquareSet(!self.0)
    }
}

impl fmt::Display for SquareSet {
    /// The names of the squares, with blanks between them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, square) in self.enumerate() {
            write!(f, "{}{square}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl fmt::Debug for SquareSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}
