//! Exact endgames: the final score of a position under best play, proven by alpha-beta search.
//!
//! [`Solver`] is the place to start: it owns a transposition table and answers with a score and a
//! best move, with every move's score, or with bounds when a window or a limit says so. [`suite`]
//! reads and runs files of test positions.
//!
//! What it takes, beside other programs, is in the `README.md` of this crate.
//!
//! How it is layered, from the last square up:
//! - `last`: one to four empty squares, unrolled, ordered by parity;
//! - `shallow`, `null_window`: more empty squares with a null window; from a few empties on with
//!   the transposition `table`, ordering by mobility and enhanced transposition cut-offs;
//! - `root`: full windows and the widening of the window around a guess;
//! - `isa`: the instruction sets that all of that is compiled for, chosen once per solve.
//!
//! Deliberately absent: selective cut-offs. An evaluation may choose which move is searched first,
//! never what a position is worth.

mod control;
pub mod evaluation;
mod geometry;
mod guess;
mod isa;
mod last;
mod null_window;
mod ordering;
mod parallel;
mod root;
mod search;
mod shallow;
mod solver;
mod stability;
pub mod suite;
mod table;

pub use control::{SolveOptions, solvable_within};
pub use solver::{Bounds, Solution, Solver};
