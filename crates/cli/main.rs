//! The `outflank` command.
fn main() {}
