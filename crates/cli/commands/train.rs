//! `outflank train`: the whole loop in one process, then the rating.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use outflank_arena::SearchPlayerConfig;
use outflank_net::{CompiledNetwork, Weights};
use outflank_run::{Location, Run};

use super::arena::{Match, play};
use super::loops::Training;
use crate::args::Train;
use crate::players::{ModelPlayer, Named, load_model, load_named, usual_config};
use crate::progress::{duration, thousands};
use crate::settings::Settings;

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
            settings.network = start.architecture().clone();
        }
        given = Some(settings);
    }
    let training = Training::open(&location, given, &args.hardware)?;
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
    let generations = args.generations.unwrap_or(settings.generations);
    // Before the training, as a wrong name is better known hours earlier.
    let opponents = match args.no_rating {
        true => Vec::new(),
        false => opponents(settings)?,
    };

    let latest = training.train(generations, start.as_ref())?;
    let (seq, totals) = (latest.seq, latest.totals);

    if !opponents.is_empty() {
        rate(&training, &location, &opponents)?;
    }
    println!(
        "{location} holds model {seq}, made from {} games and {} samples; this command took {}.\n\
         Play it:      outflank play {location}\n\
         Measure it:   outflank arena {location} alpha-beta:5",
        thousands(totals.games),
        thousands(totals.samples),
        duration(begin.elapsed()),
    );
    Ok(())
}

/// The weights that `--from` names.
fn starting_model(name: &str) -> Result<Weights> {
    Ok(load_named(name)?.1.weights)
}

/// The opponents of the rating at the end.
fn opponents(settings: &Settings) -> Result<Vec<Named>> {
    let rating = &settings.rating;
    let named = |name: &String| Named::parse(name, rating.simulations);
    let opponents = rating.opponents.iter().map(named);
    opponents
        .collect::<Result<_>>()
        .context("rating.opponents of the configuration")
}

/// Matches of the newest model against them.
fn rate(training: &Training, location: &Location, opponents: &[Named]) -> Result<()> {
    let rating = &training.settings.rating;
    let (name, model) = load_model(location, None)?;
    let mut search = training.settings.selfplay.search.clone().without_noise();
    search.simulations = rating.simulations;
    let config = SearchPlayerConfig {
        search,
        ..usual_config(training.settings.network.size, rating.simulations)
    };
    let agent = Named::Model(Box::new(ModelPlayer::new(
        format!("{name} at {} simulations", rating.simulations),
        CompiledNetwork::new(&model.weights),
        config,
    )));
    for opponent in opponents {
        let result = play(&Match {
            players: [&agent, opponent],
            size: training.settings.network.size,
            games: rating.games,
            opening_plies: rating.opening_plies,
            openings: None,
            seed: training.settings.seed,
            threads: training.threads,
        })?;
        println!("{result}");
    }
    Ok(())
}
