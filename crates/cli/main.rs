//! `outflank`: train a Reversi agent, measure it, play it.
//!
//! Everything that talks to a person is here: arguments, configuration files, progress bars and
//! reports. The work itself is done by the crates beside this one; each subcommand's module says
//! which.

mod args;
mod commands;
mod players;
mod progress;
mod settings;

use std::process::ExitCode;

use clap::Parser;

/// What every failure ends with, usage errors included.
const FAILURE: u8 = 2;

fn main() -> ExitCode {
    match commands::run(args::Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("outflank: {error:#}");
            ExitCode::from(FAILURE)
        }
    }
}
