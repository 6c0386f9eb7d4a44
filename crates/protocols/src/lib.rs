//! The protocols crate of Outflank.
