//! The net crate of Outflank.
