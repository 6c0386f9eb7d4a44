//! How activations lie in memory, and how a board is cut into tiles.

use crate::KernelError;

/// Channels are stored in groups of this many: a multiple of every vector width used here.
pub const CHANNEL_BLOCK: usize = 16;

/// `channels` rounded up to a whole number of blocks: the stride of one square in a padded board.
pub const fn padded_channels(channels: usize) -> usize {
    channels.next_multiple_of(CHANNEL_BLOCK)
}

/// Where a tile of 4x4 squares lies among padded boards.
#[derive(Clone, Copy)]
pub(crate) struct Tile {
    /// The first value of its 6x6 inputs.
    pub input: usize,
    /// The first value of its 4x4 outputs.
    pub output: usize,
    /// Values from one row to the next.
    pub row: usize,
    /// Values from one square to the next.
    pub square: usize,
    /// Rows on the board, at most 4.
    pub rows: usize,
    /// Columns on the board, at most 4.
    pub columns: usize,
}

/// A square board of 4x4, 6x6 or 8x8 squares.
///
/// Two layouts of f32 activations are used, both with the channels of a square side by side:
/// - *plain*, `[batch, side, side, channels]`: what callers hand in and get back;
/// - *padded*, `[batch, padded, padded, padded_channels]`: between layers. The board starts at
///   row and column 1 and everything around it is zero, so that a tile of a convolution is read
///   without asking where the board ends. `padded` is `4 * tiles + 2`, the rows that the tiles'
///   inputs touch: 6 for 4x4 boards, else 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardShape {
    side: usize,
}

impl BoardShape {
    /// The board with `side` rows and columns; an error unless that is 4, 6 or 8.
    pub const fn new(side: usize) -> Result<BoardShape, KernelError> {
        match side {
            4 | 6 | 8 => Ok(BoardShape { side }),
            _ => Err(KernelError::BoardSide(side)),
        }
    }

    /// Rows, and columns, of the board.
    pub const fn side(self) -> usize {
        self.side
    }

    /// Squares of the board.
    pub const fn squares(self) -> usize {
        self.side * self.side
    }

    /// Tiles of 4x4 squares along one side.
    pub(crate) const fn tiles_per_side(self) -> usize {
        self.side.div_ceil(4)
    }

    /// Tiles of 4x4 squares that cover the board.
    pub(crate) const fn tiles(self) -> usize {
        self.tiles_per_side() * self.tiles_per_side()
    }

    /// A tile among the tiles of many padded boards of `channels` channels.
    pub(crate) const fn tile(self, index: usize, channels: usize) -> Tile {
        let (board, tile) = (index / self.tiles(), index % self.tiles());
        let y = tile / self.tiles_per_side() * 4;
        let x = tile % self.tiles_per_side() * 4;
        let square = padded_channels(channels);
        let row = self.padded_side() * square;
        let input = board * self.padded_len(channels) + y * row + x * square;
        let rows = if self.side - y < 4 { self.side - y } else { 4 };
        let columns = if self.side - x < 4 { self.side - x } else { 4 };
        Tile {
            input,
            output: input + row + square,
            row,
            square,
            rows,
            columns,
        }
    }

    /// Rows, and columns, of a padded board.
    pub const fn padded_side(self) -> usize {
        4 * self.tiles_per_side() + 2
    }

    /// Values in one plain board.
    pub const fn plain_len(self, channels: usize) -> usize {
        self.squares() * channels
    }

    /// Values in one padded board.
    pub const fn padded_len(self, channels: usize) -> usize {
        self.padded_side() * self.padded_side() * padded_channels(channels)
    }

    /// Where square (`row`, `column`) of a padded board starts.
    pub(crate) const fn padded_offset(self, row: usize, column: usize, channels: usize) -> usize {
        ((row + 1) * self.padded_side() + column + 1) * padded_channels(channels)
    }

    /// Copies plain boards into padded ones whose surroundings are already zero.
    ///
    /// # Panics
    /// If the lengths are not those of the same number of boards.
    pub fn pad(self, channels: usize, plain: &[f32], padded: &mut [f32]) {
        self.check(channels, plain, padded);
        for (plain, padded) in plain
            .chunks_exact(self.plain_len(channels))
            .zip(padded.chunks_exact_mut(self.padded_len(channels)))
        {
            for (square, values) in plain.chunks_exact(channels).enumerate() {
                let at = self.padded_offset(square / self.side, square % self.side, channels);
                padded[at..at + channels].copy_from_slice(values);
            }
        }
    }

    /// Copies padded boards into plain ones.
    ///
    /// # Panics
    /// If the lengths are not those of the same number of boards.
    pub fn unpad(self, channels: usize, padded: &[f32], plain: &mut [f32]) {
        self.check(channels, plain, padded);
        for (plain, padded) in plain
            .chunks_exact_mut(self.plain_len(channels))
            .zip(padded.chunks_exact(self.padded_len(channels)))
        {
            for (square, values) in plain.chunks_exact_mut(channels).enumerate() {
                let at = self.padded_offset(square / self.side, square % self.side, channels);
                values.copy_from_slice(&padded[at..at + channels]);
            }
        }
    }

    fn check(self, channels: usize, plain: &[f32], padded: &[f32]) {
        let boards = plain.len() / self.plain_len(channels);
        assert_eq!(
            plain.len(),
            boards * self.plain_len(channels),
            "whole plain boards"
        );
        assert_eq!(
            padded.len(),
            boards * self.padded_len(channels),
            "as many padded boards"
        );
    }
}
