//! The files in which others keep Reversi games and positions: read and written.
//!
//! | module | files | keeps beside the moves |
//! |---|---|---|
//! | [`ggf`] | game servers, NBoard | players, ratings, clocks, date, result, evaluations, seconds |
//! | [`sgf`] | editors of many board games | all of that, and the event |
//! | [`wthor`] | the French federation's base | players, event, year, final score |
//! | [`transcript`] | one game a line | nothing |
//! | [`obf`] | one position a line | scores of its moves |
//!
//! Every module has `read`, an iterator over the records of a [`BufRead`](std::io::BufRead) in
//! bounded memory, and `write`, for one record. Games come as [`AnnotatedGame`], a legal
//! [`Game`](outflank_rules::Game) with [`Tags`] and a [`Remark`] for each ply; a pass that a file
//! leaves out is there, and [`LeftOut`] tells of what has no place in it. [`Format`] reads whatever a file's name says.
//!
//! [`Records`] ends at the first [`Error`], which names file, place, and what was expected, or with
//! [`Records::skip_bad`] goes on at the next record. No number in a file decides how much memory is
//! taken. What is written reads back as the same game, up to what the table leaves out; what a
//! format has no way to say at all is a [`WriteError`].
//!
//! Deliberately absent: opening files (readers take any input), and the records of self-play.

mod encoding;
mod error;
mod format;
mod game;
pub mod ggf;
mod lines;
pub mod obf;
mod properties;
mod records;
pub mod sgf;
pub mod transcript;
mod tree;
pub mod wthor;

pub use error::{Error, Place, Problem, WriteError};
pub use format::{Format, Games, ReadOptions};
pub use game::{AnnotatedGame, Ending, GameResult, LeftOut, Player, Remark, Tags};
pub use records::{Records, Source};
