//! The rules of Reversi on 4x4, 6x6 and 8x8 boards.
//!
//! Start with [`Board`], a position seen by the player to move, and with [`Game`], which adds
//! colours, passes, the history and the players' supplies of discs. Boards are two bitboards with
//! the mover's discs first, so nothing here ever asks whose turn it is: playing a move or passing
//! swaps the sides.
//!
//! Deliberately absent: evaluation, search, files, and any third-party code but `serde`.

pub mod bits;
mod board;
mod color;
mod game;
mod moves;
mod perft;
mod position;
mod size;
mod square;
mod symmetry;

pub use board::{Board, BoardError, Scoring};
pub use color::Color;
pub use game::{
    ClaimError, Difference, Game, HandOver, Passes, Ply, TakeBackError, TranscriptError,
    TranscriptReason,
};
pub use moves::{IllegalMove, Move, ParseMoveError};
pub use perft::{Counting, divide, perft};
pub use position::{ParsePositionError, Position};
pub use size::{Size, SizeError};
pub use square::{ParseSquareError, Square, SquareSet};
pub use symmetry::Symmetry;
