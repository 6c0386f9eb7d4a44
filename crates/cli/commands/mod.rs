//! One module a subcommand.

mod ablate;
mod accuracy;
mod analyze;
mod arena;
mod bench;
mod convert;
mod engine;
mod export;
mod games;
mod gate;
mod inspect;
mod ladder;
mod learn;
mod loops;
mod perft;
mod play;
mod prune;
mod rating;
mod report;
mod selfplay;
mod serve;
mod solve;
mod status;
mod tracking;
mod train;
mod waiting;

use anyhow::Result;

use crate::args::{Cli, Command};

/// Runs the subcommand that was asked for.
pub fn run(cli: Cli) -> Result<()> {
    match cli.command {
        Command::Train(args) => train::run(&args),
        Command::Selfplay(args) => selfplay::run(&args),
        Command::Learn(args) => learn::run(&args),
        Command::Arena(args) => arena::run(&args),
        Command::Ladder(args) => ladder::run(&args),
        Command::Ablate(args) => ablate::run(&args),
        Command::Accuracy(args) => accuracy::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Play(args) => play::run(&args),
        Command::Analyze(args) => analyze::run(&args),
        Command::Solve(args) => solve::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Prune(args) => prune::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Perft(args) => perft::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Engine(args) => engine::run(&args),
        Command::Serve(args) => serve::run(&args),
    }
}
