//! `outflank learn`: the models of a run, beside `selfplay` processes or from files of games.

pub mod games;

use anyhow::Result;

use super::loops::Training;
use super::tracking::Tracker;
use super::waiting::Patience;
use crate::args::Learn;
use crate::messages::shell;
use crate::progress::bar;
use crate::settings::Settings;
use crate::signals::say_that_run_is_kept;

pub fn run(args: &Learn) -> Result<()> {
    if !args.games.is_empty() {
        return games::run(args);
    }
    say_that_run_is_kept(&args.run);
    let training = Training::open(
        &args.run,
        args.config.as_deref().map(Settings::load).transpose()?,
        &args.hardware,
    )?;
    games::expect_of_self_play(&training)?;
    let generations = args.generations.unwrap_or(training.settings.generations);
    let mut learner = training.learner(generations, None)?;
    training.report_taken_over(learner.latest().seq, learner.gather()?);
    let mut tracker = Tracker::open(&training)?;
    while learner.latest().seq < generations {
        let mut patience = Patience::default();
        let label = format!("generation {}, gathering", learner.latest().seq + 1);
        let bar = bar(training.chunks(), &label, "chunks");
        loop {
            let gathered = learner.gather()?;
            if gathered >= training.chunks() {
                break;
            }
            bar.set_position(gathered);
            patience.wait("waiting for `outflank selfplay` on this run to fill the generation");
        }
        bar.finish_and_clear();
        training.learn_generation(&mut learner, generations)?;
        if let Some(tracker) = &mut tracker {
            tracker.measure(learner.latest().seq)?;
        }
    }
    println!(
        "{} holds model {}. Play it: outflank play {}",
        args.run,
        learner.latest().seq,
        shell(&args.run)
    );
    Ok(())
}
