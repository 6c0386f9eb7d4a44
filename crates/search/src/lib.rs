//! The search crate of Outflank.
