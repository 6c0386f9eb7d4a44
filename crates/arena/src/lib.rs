//! The arena crate of Outflank.
