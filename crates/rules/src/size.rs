use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Square, SquareSet};

/// The size of a board. Every size lives in the corner of the same 64-bit layout, at a1, so that a
/// square has one name and one bit whatever the board.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(try_from = "u8", into = "u8")]
pub enum Size {
    /// 4x4, a1 to d4.
    Four,
    /// 6x6, a1 to f6.
    Six,
    /// 8x8, a1 to h8.
    #[default]
    Eight,
}

/// A side length other than 4, 6 or 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a board of {0}x{0} squares is not supported; expected 4, 6 or 8")]
pub struct SizeError(pub u8);

impl Size {
    /// All sizes, smallest first.
    pub const ALL: [Size; 3] = [Size::Four, Size::Six, Size::Eight];

    /// Squares along one side: 4, 6 or 8.
    pub const fn side(self) -> usize {
        match self {
            Size::Four => 4,
            Size::Six => 6,
            Size::Eight => 8,
        }
    }

    /// Squares on the board: 16, 36 or 64. Also the number of discs of a set.
    pub const fn area(self) -> usize {
        self.side() * self.side()
    }

    /// The set of all squares of the board.
    pub const fn squares(self) -> SquareSet {
        SquareSet::from_bits(match self {
            Size::Four => 0x0f0f_0f0f,
            Size::Six => 0x3f3f_3f3f_3f3f,
            Size::Eight => !0,
        })
    }

    /// Whether the board has this square.
    pub const fn contains(self, square: Square) -> bool {
        self.squares().contains(square)
    }

    /// The position of a square in a dense, row by row list of the board's squares (a1, b1, ...),
    /// `0..area`. On 8x8 it equals [`Square::index`].
    pub const fn dense_index(self, square: Square) -> usize {
        square.row() * self.side() + square.column()
    }

    /// The square at a position of the dense list; the inverse of [`Size::dense_index`].
    pub const fn dense_square(self, index: usize) -> Option<Square> {
        if index >= self.area() {
            return None;
        }
        Square::new(index % self.side(), index / self.side())
    }
}

impl TryFrom<u8> for Size {
    type Error = SizeError;

    fn try_from(side: u8) -> Result<Size, SizeError> {
        match side {
            4 => Ok(Size::Four),
            6 => Ok(Size::Six),
            8 => Ok(Size::Eight),
            other => Err(SizeError(other)),
        }
    }
}

impl From<Size> for u8 {
    fn from(size: Size) -> u8 {
        size.side() as u8
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{0}x{0}", self.side())
    }
}
