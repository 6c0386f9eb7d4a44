//! GGF, the format of the Generic Game Server and of NBoard.
//!
//! ```text
//! (;GM[Othello]PC[..]DT[..]PB[..]PW[..]RE[+4]TI[15:00]TY[8]BO[8 ---..--- *]B[d3/0.5/12.3]W[PA];)
//! ```
//!
//! A move is `square/evaluation/seconds`. The result and `KM` are from Black's point of view, an
//! evaluation is from that of the player who moved. There is no way to escape a `]`.
//!
//! Reading accepts unknown tags, and keeps them in [`Tags::extra`](crate::Tags::extra); writing
//! leaves out those that strict readers refuse. GGF has one tag for place and event: a game without
//! a place is written with its event there.

mod read;
mod write;

pub use read::{GameSource, parse, read};
pub use write::{format, write};
