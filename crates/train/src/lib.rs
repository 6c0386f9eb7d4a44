//! The train crate of Outflank.
