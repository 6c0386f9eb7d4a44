//! The formats crate of Outflank.
