//! `outflank learn`: the models of a run, beside `selfplay` processes or from files of games.

mod games;

use std::time::Duration;

use anyhow::Result;

use super::loops::{Training, say};
use super::tracking::Tracker;
use crate::args::Learn;
use crate::settings::Settings;

/// Between two looks at the run, while its generation is not full.
const WAIT: Duration = Duration::from_millis(500);

pub fn run(args: &Learn) -> Result<()> {
    if !args.games.is_empty() {
        return games::run(args);
    }
    let training = Training::open(
        &args.run,
        args.config.as_deref().map(Settings::load).transpose()?,
        &args.hardware,
    )?;
    let generations = args.generations.unwrap_or(training.settings.generations);
    let mut learner = training.learner(generations, None)?;
    let mut tracker = Tracker::open(&training)?;
    let mut waiting = false;
    while learner.latest().seq < generations {
        let generation = learner.latest().seq;
        if (training.run.chunks(generation)?.len() as u64) < training.chunks() {
            if !waiting {
                say("waiting for `outflank selfplay` on this run to fill the generation");
                waiting = true;
            }
            std::thread::sleep(WAIT);
            continue;
        }
        waiting = false;
        training.learn_generation(&mut learner, generations)?;
        if let Some(tracker) = &mut tracker {
            tracker.measure(learner.latest().seq)?;
        }
    }
    println!(
        "{} holds model {}. Play it: outflank play {}",
        args.run,
        learner.latest().seq,
        args.run
    );
    Ok(())
}
