//! `outflank train`: the whole loop in one process, then the rating.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};
use outflank_net::Weights;
use outflank_run::{Location, Run};

use super::learn::games::expect_of_self_play;
use super::loops::Training;
use super::rating::{opponents, rate};
use crate::args::Train;
use crate::messages::shell;
use crate::players::load_named;
use crate::progress::{duration, say, thousands};
use crate::settings::Settings;
use crate::signals::say_that_run_is_kept;

pub fn run(args: &Train) -> Result<()> {
    let begin = Instant::now();
    let location = match &args.run {
        Some(location) => location.clone(),
        None => Location::Folder(Path::new("runs").join(Settings::load(args.config())?.name)),
    };
    // Without --config an existing run goes on with its own configuration.
    let continued = args.config.is_none() && Run::is_at(&location)?;
    let start = args.from.as_deref().map(starting_model).transpose()?;
    let mut given = None;
    if !continued {
        let mut settings = Settings::load(args.config())?;
        settings.seed = args.seed.unwrap_or(settings.seed);
        if let Some(start) = &start {
            settings.begin_with(start.architecture())?;
        }
        given = Some(settings);
    }
    say_that_run_is_kept(&location);
    let training = Training::open(&location, given, &args.hardware)?;
    expect_of_self_play(&training)?;
    let settings = &training.settings;
    // A run that is there already goes on with its own network, which `--from` may have begun.
    if let Some(start) = &start
        && start.architecture().size != settings.network.size
    {
        bail!(
            "--from is a network for the {} board, and {location} a run on the {} board; expected another --run",
            start.architecture().size,
            settings.network.size
        );
    }
    training.compare_beginning(args.seed, start.as_ref())?;
    let named = shell(&location);
    let generations = args.generations.unwrap_or(settings.generations);
    // Before the training, as a wrong name is better known hours earlier.
    let opponents = match args.no_rating {
        true => Vec::new(),
        false => opponents(settings)?,
    };

    let latest = match training.run.latest()? {
        Some(latest) if latest.seq >= generations => {
            say(&format!(
                "{location} holds model {} already, and {generations} generations were asked for: nothing is left to train; \
                 for more: outflank train --run {named} --generations {}",
                latest.seq,
                2 * latest.seq,
            ));
            latest
        }
        _ => training.train(generations, start.as_ref())?,
    };
    let (seq, totals) = (latest.seq, latest.totals);

    // A run that has more generations than were asked for was rated when it had got them.
    if !opponents.is_empty() && seq == generations {
        rate(&training, &location, seq, &opponents)?;
    }
    println!(
        "{location} holds model {seq}, made from {} games and {} samples; this command took {}.\n\
         Play it:      outflank play {named}\n\
         Measure it:   outflank arena {named} alpha-beta:5",
        thousands(totals.games),
        thousands(totals.samples),
        duration(begin.elapsed()),
    );
    Ok(())
}

/// The weights that `--from` names.
fn starting_model(name: &Path) -> Result<Weights> {
    Ok(load_named(name)?.1.weights)
}
