//! The kernels crate of Outflank.
