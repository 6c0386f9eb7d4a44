//! The arena crate of Outflank.

mod player;
mod players;
mod stats;
pub use player::*;
pub use players::*;
pub use stats::*;
