//! The rules of Reversi on 4x4, 6x6 and 8x8 boards.
//!
//! Start with [`Board`], a position seen by the player to move, and with [`Game`], which adds
//! colours, passes, the history and the players' supplies of discs. Boards are two bitboards with
//! the mover's discs first, so nothing here ever asks whose turn it is: playing a move or passing
//! swaps the sides. [`Position`] is a board with its colours, to read and to print.
//!
//! | to | use |
//! |---|---|
//! | search | [`Board`]; in inner loops the raw bitboards of [`bits`] |
//! | keep a game, replay a transcript | [`Game`] |
//! | read or print a position | [`Position`] |
//! | turn and mirror positions and policies | [`Symmetry`] |
//! | check or measure move generation | [`perft()`], [`divide`] |
//!
//! Deliberately absent: evaluation, search and files; formats other than transcripts and the
//! 64-character notation; any third-party code but `serde` and `thiserror`.

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
