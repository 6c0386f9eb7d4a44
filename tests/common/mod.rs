//! The command under test, and folders to run it in.
#![allow(dead_code)] // each test file uses its own part

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// A run on the 4x4 board that takes seconds.
pub const TINY: &str = include_str!("tiny.toml");

/// Trains the tiny configuration to its end.
pub const TRAIN: [&str; 6] = [
    "train",
    "--config",
    "tiny.toml",
    "--run",
    "run",
    "--no-rating",
];

/// `outflank` with these arguments, in this folder.
pub fn outflank(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_outflank"));
    command.current_dir(folder).args(arguments);
    command
}

/// Runs to the end.
pub fn run(folder: &Path, arguments: &[&str]) -> Output {
    outflank(folder, arguments)
        .output()
        .expect("the command can be started")
}

/// Standard output of a command that must succeed.
pub fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("output is text")
}

/// The message of a command that must fail: one line on standard error, exit code 2.
pub fn fail(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let message = String::from_utf8(output.stderr).expect("output is text");
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    message
}

/// A folder with the tiny configuration in it as `tiny.toml`.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("tiny.toml"), TINY).expect("the folder can be written");
    folder
}

/// A folder in which the tiny configuration was trained to its end, as `run`.
pub fn trained() -> tempfile::TempDir {
    let folder = folder();
    succeed(folder.path(), &TRAIN);
    folder
}

/// What a command printed or wrote as JSON.
pub fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("it is JSON")
}

/// The names of the players on a ladder that was printed as JSON.
pub fn names(ladder: &Value) -> Vec<&str> {
    let players = ladder["players"].as_array().expect("players");
    players
        .iter()
        .filter_map(|player| player["name"].as_str())
        .collect()
}
