//! The selfplay crate of Outflank.
