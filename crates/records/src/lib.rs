//! The records crate of Outflank.
