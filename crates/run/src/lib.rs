//! The run crate of Outflank.
