//! The solver crate of Outflank.
