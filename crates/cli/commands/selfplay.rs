//! `outflank selfplay`: the games of a run, beside a `learn` process.

use std::time::Duration;

use anyhow::Result;
use outflank_run::Name;

use super::loops::{Training, say};
use crate::args::Selfplay;
use crate::settings::Settings;

/// Between two looks at the run, while there is nothing to play.
const WAIT: Duration = Duration::from_millis(500);

pub fn run(args: &Selfplay) -> Result<()> {
    let training = Training::open(
        &args.run,
        args.config.as_deref().map(Settings::load).transpose()?,
        &args.hardware,
    )?;
    let worker: Name = match &args.worker {
        Some(name) => name.parse()?,
        None => Name::unique("worker")?,
    };
    let last = training.settings.generations;
    say(&format!("{}: playing as {worker}", args.run));
    let mut played = 0;
    let mut waiting = false;
    while args.generations.is_none_or(|most| played < most) {
        let latest = training.run.latest()?;
        match latest {
            Some(entry) if entry.seq >= last => break,
            Some(entry) if (training.run.chunks(entry.seq)?.len() as u64) < training.chunks() => {
                training.play_generation(&entry, &worker)?;
                played += 1;
                waiting = false;
            }
            _ => {
                if !waiting {
                    say("waiting for `outflank learn` on this run to make the next model");
                    waiting = true;
                }
                std::thread::sleep(WAIT);
            }
        }
    }
    println!(
        "{}: played in {played} generations. Learn from them: outflank learn --run {}",
        args.run, args.run
    );
    Ok(())
}
