//! The arena crate of Outflank.

mod stats;
pub use stats::*;
