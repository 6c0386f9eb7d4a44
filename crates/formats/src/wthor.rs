//! WTHOR, the game base of the French Othello federation.
//!
//! A year of games is one `.wtb` file; the names of its players and tournaments are numbers that
//! stand for entries of a `.jou` and a `.trn` file, shared by all years. All begin with the same
//! [`Header`] of 16 bytes, numbers are little-endian, and names are Windows-1252.
//!
//! [`read`] gives the records as they are and [`read_games`] games with the names of [`Names`] and
//! scores confirmed by replay; [`Base`] collects games and writes all three files.
//!
//! Layout as published by the federation ("Format de la base WTHOR").

mod base;
mod header;
mod names;
mod record;

pub use base::Base;
pub use header::{Date, Header};
pub use names::{Directory, Kind, Names};
pub use record::{GameSource, Record, RecordSource, read, read_games};
