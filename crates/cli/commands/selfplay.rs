//! `outflank selfplay`: the games of a run, beside a `learn` process.

use anyhow::Result;
use outflank_run::{LogEntry, Name};

use super::learn::games::expect_of_self_play;
use super::loops::Training;
use super::waiting::{Patience, wait_for_run};
use crate::args::Selfplay;
use crate::messages::shell;
use crate::progress::say;
use crate::settings::Settings;
use crate::signals::say_that_run_is_kept;

/// Why a worker waits.
const WAITING: &str = "waiting for `outflank learn` on this run to make the next model";

pub fn run(args: &Selfplay) -> Result<()> {
    let given = args.config.as_deref().map(Settings::load).transpose()?;
    if given.is_none() {
        wait_for_run(&args.run)?;
    }
    say_that_run_is_kept(&args.run);
    let training = Training::open(&args.run, given, &args.hardware)?;
    expect_of_self_play(&training)?;
    let worker: Name = match &args.worker {
        Some(name) => name.parse()?,
        None => Name::unique("worker")?,
    };
    let last = training.settings.generations;
    say(&format!("{}: playing as {worker}", args.run));
    let mut played = 0;
    let mut latest = first_model(&training)?;
    let held = training.run.chunks(latest.seq)?.len() as u64;
    training.report_taken_over(latest.seq, held);
    let most = args.generations.unwrap_or(u64::MAX);
    while latest.seq < last && played < most {
        played += u64::from(training.play_generation(&latest, &worker)?);
        if played < most {
            latest = next_model(&training, latest)?;
        }
    }
    println!(
        "{}: played in {played} generations. Learn from them: outflank learn --run {}",
        args.run,
        shell(&args.run)
    );
    Ok(())
}

/// The newest entry of the log, as soon as there is one.
fn first_model(training: &Training) -> Result<LogEntry> {
    let mut patience = Patience::default();
    loop {
        if let Some(entry) = training.run.latest()? {
            return Ok(entry);
        }
        patience.wait(WAITING);
    }
}

/// The newest entry of the log after one whose generation is full. That the generation needs more
/// after all cannot be: chunks stay.
fn next_model(training: &Training, played: LogEntry) -> Result<LogEntry> {
    let mut patience = Patience::default();
    let before = played.seq;
    let mut latest = played;
    loop {
        latest = training.run.latest_after(latest)?;
        if latest.seq > before {
            return Ok(latest);
        }
        patience.wait(WAITING);
    }
}
