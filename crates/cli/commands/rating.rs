//! The rating at the end of `outflank train`: matches of the newest model, which the run keeps.

use anyhow::{Context, Result};
use outflank_arena::MatchResult;
use outflank_run::Location;

use super::arena::{Match, play};
use super::ladder::kept::{Keeper, keep, kept_by, model_player};
use super::loops::Training;
use crate::players::Named;
use crate::settings::Settings;

/// The opponents that a configuration names.
pub fn opponents(settings: &Settings) -> Result<Vec<Named>> {
    let rating = &settings.rating;
    let named = |name: &String| Named::parse(name, rating.simulations);
    let opponents = rating.opponents.iter().map(named);
    opponents
        .collect::<Result<_>>()
        .context("rating.opponents of the configuration")
}

/// Plays the model against these and against the run's first one, and prints the results. What the
/// run has of these matches is not played again; with all of them there is nothing to print.
pub fn rate(training: &Training, location: &Location, seq: u64, opponents: &[Named]) -> Result<()> {
    let rating = &training.settings.rating;
    let run = &training.run;
    let (agent, size) = model_player(run, seq, rating.simulations)?;
    // How far the run has come: the untrained network, or what `--from` began with.
    let first = match seq {
        0 => None,
        _ => Some(model_player(run, 0, rating.simulations)?.0),
    };
    let opponents: Vec<&Named> = opponents.iter().chain(&first).collect();

    let kept = kept_by(run, Keeper::Rating)?;
    let seed = training.settings.seed;
    let found = |opponent: &Named| {
        let players = [&agent, opponent].map(|player| player.name_in(location));
        kept.iter().find(|result| {
            let same = result.players == players && result.seed == seed;
            same && result.games.len() == rating.games
        })
    };
    if opponents.iter().all(|opponent| found(opponent).is_some()) {
        return Ok(());
    }
    for opponent in opponents {
        if let Some(result) = found(opponent) {
            println!("{result}");
            continue;
        }
        let mut result: MatchResult = play(&Match {
            players: [&agent, opponent],
            size,
            games: rating.games,
            opening_plies: rating.opening_plies,
            openings: None,
            seed,
            threads: training.threads,
        })?;
        println!("{result}");
        result.players = [&agent, opponent].map(|player| player.name_in(location));
        keep(run, Keeper::Rating, 0, &result)?;
    }
    println!("Kept in {location}/matches, for its ladder and report.");
    Ok(())
}
