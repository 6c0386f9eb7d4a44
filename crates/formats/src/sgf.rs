//! SGF, the Smart Game Format, fourth edition, in which Othello is game number 2.
//!
//! ```text
//! (;FF[4]GM[2]SZ[8]PB[..]PW[..]RE[B+4];B[f5];W[d6];B[PA])
//! ```
//!
//! Reading follows the main line and leaves out variations and comments on moves. `V`, the value
//! of a node, is from Black's point of view as the format says. SGF has no property for the time of
//! one move, nor for a clock in words: they are kept in properties of our own (`MT`, seconds; `TI`,
//! `TIB`, `TIW`), which other readers pass over. Properties of the root that have no place in
//! [`Tags`](crate::Tags) are kept in [`Tags::extra`](crate::Tags::extra).
//!
//! A result with a score says nothing of how the game ended, and one with a reason has no score:
//! a resignation is written without its score.

mod read;
mod write;

pub use read::{GameSource, read};
pub use write::{format, write};
