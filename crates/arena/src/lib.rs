//! The arena crate of Outflank.

mod matches;
mod openings;
mod player;
mod players;
mod stats;
mod symmetry;

pub use matches::*;
pub use openings::*;
pub use player::*;
pub use players::*;
pub use stats::*;
