//! The gate before self-play, where a configuration has one: which model plays a generation.

use anyhow::Result;
use outflank_arena::{MatchConfig, MatchResult, OpeningError, OpeningSet, SprtVerdict, play_match};
use outflank_run::{Folder, LogEntry, Name};
use serde::{Deserialize, Serialize};

use super::arena::Bar;
use super::ladder::kept::{Keeper, model_player};
use super::loops::Training;
use crate::players::Named;
use crate::progress::say;

/// The decision about one model, as the run keeps it.
#[derive(Serialize, Deserialize)]
struct Decision {
    model: u64,
    passed: bool,
    /// The model that plays from here on.
    champion: u64,
}

/// The entry of the model that plays the generation after this entry: its own without a gate,
/// otherwise the last one that passed.
///
/// Decisions that the run lacks are made here. They follow from the models and the run's seed, so
/// that of several processes that make one each finds the same.
pub fn champion(training: &Training, entry: &LogEntry) -> Result<LogEntry> {
    if training.settings.gate.games == 0 {
        return Ok(entry.clone());
    }
    let mut champion = 0;
    for model in 1..=entry.seq {
        champion = decision(training, model, champion)?.champion;
    }
    Ok(training.run.read_entry(champion)?)
}

fn decision(training: &Training, model: u64, champion: u64) -> Result<Decision> {
    let run = &training.run;
    let name: Name = format!("{model:06}-gate").parse()?;
    if let Some(decision) = run.find_result(Folder::Metrics, &name)? {
        return Ok(decision);
    }
    let result = test(training, model, champion)?;
    let passed = match result.sprt.and_then(|state| state.verdict) {
        Some(verdict) => verdict == SprtVerdict::Alternative,
        None => result.summary.score >= 0.5,
    };
    let decision = Decision {
        model,
        passed,
        champion: if passed { model } else { champion },
    };
    say(&format!(
        "gate: model {model} v. model {champion}: {}; {}",
        result.summary.total,
        if passed {
            "it plays"
        } else {
            "it does not play"
        }
    ));
    run.put_result(Folder::Matches, &Keeper::Gate.name(model)?, &result)?;
    run.put_result(Folder::Metrics, &name, &decision)?;
    // As the run has it, whoever made it.
    Ok(run.read_result(Folder::Metrics, &name)?)
}

fn test(training: &Training, model: u64, champion: u64) -> Result<MatchResult> {
    let gate = &training.settings.gate;
    let (first, size) = model_player(&training.run, model, gate.simulations)?;
    let (second, _) = model_player(&training.run, champion, gate.simulations)?;
    let config = MatchConfig {
        pairs: gate.games / 2,
        threads: training.threads,
        seed: training.settings.seed.wrapping_mul(1_000_003) ^ model,
        sprt: Some(gate.sprt()),
        ..MatchConfig::default()
    };
    let draw = |count| OpeningSet::random(size, gate.opening_plies, count, config.seed);
    let openings = match draw(config.pairs) {
        Err(OpeningError::TooFew { found, .. }) if found > 0 => draw(found)?,
        result => result?,
    };
    let mut bar = Bar::new();
    let result = play_match(
        [&first, &second].map(Named::factory),
        &openings,
        &config,
        &mut bar,
    )?;
    bar.finish();
    Ok(result)
}
