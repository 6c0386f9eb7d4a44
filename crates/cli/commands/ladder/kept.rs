//! The matches that a run keeps, and the names of its models in them.
//!
//! A player's name says all that its strength depends on, so that matches of different times and
//! commands belong together.

use std::collections::BTreeMap;

use anyhow::{Context, Error, Result, anyhow};
use outflank_arena::{
    Ladder, LadderConfig, MatchConfig, MatchResult, OpeningError, OpeningSet, Scores, play_match,
};
use outflank_net::{CompiledNetwork, Model};
use outflank_rules::Size;
use outflank_run::{Created, Folder, Name, Run, RunError};

use super::super::arena::Bar;
use crate::players::{ModelPlayer, Named, usual_config};

/// Who keeps matches in a run: the first part of their names.
#[derive(Clone, Copy)]
pub enum Keeper {
    /// `outflank ladder`, and the tracking of a training.
    Ladder,
    /// `outflank arena`: whatever somebody tried.
    Arena,
    Gate,
    /// The end of `outflank train`.
    Rating,
}

impl Keeper {
    const ALL: [Keeper; 4] = [Keeper::Ladder, Keeper::Arena, Keeper::Gate, Keeper::Rating];

    fn prefix(self) -> &'static str {
        match self {
            Keeper::Ladder => "ladder-",
            Keeper::Arena => "arena-",
            Keeper::Gate => "gate-",
            Keeper::Rating => "rating-",
        }
    }

    /// The name of a match.
    pub fn name(self, number: u64) -> Result<Name> {
        Ok(format!("{}{number:06}", self.prefix()).parse()?)
    }

    /// The number in the name of one of its matches.
    pub fn number(self, name: &Name) -> Option<u64> {
        name.as_str().strip_prefix(self.prefix())?.parse().ok()
    }

    fn of(name: &Name) -> Option<Keeper> {
        let mut all = Keeper::ALL.into_iter();
        all.find(|keeper| name.as_str().starts_with(keeper.prefix()))
    }
}

/// The matches of a run as far as they were read, by name.
#[derive(Default)]
pub struct Kept(pub BTreeMap<Name, MatchResult>);

impl Kept {
    /// Reads the matches that are new in the run.
    pub fn read_new(&mut self, run: &Run) -> Result<()> {
        let mut names = run.results(Folder::Matches)?;
        names.retain(|name| Keeper::of(name).is_some() && !self.0.contains_key(name));
        let results = run.read_results(Folder::Matches, &names);
        let results = results.map_err(with_way_out)?;
        self.0.extend(names.into_iter().zip(results));
        Ok(())
    }
}

/// All matches that a run keeps.
pub fn kept_matches(run: &Run) -> Result<Vec<MatchResult>> {
    let all = Keeper::ALL.map(|keeper| kept_by(run, keeper));
    all.into_iter().try_fold(Vec::new(), |mut matches, part| {
        matches.extend(part?);
        Ok(matches)
    })
}

/// The matches of one keeper, in the order in which they were played.
pub fn kept_by(run: &Run, keeper: Keeper) -> Result<Vec<MatchResult>> {
    let mut names = run.results(Folder::Matches)?;
    names.retain(|name| name.as_str().starts_with(keeper.prefix()));
    let results = run.read_results(Folder::Matches, &names);
    results.map_err(with_way_out)
}

/// A match or a measurement that cannot be read, with what helps: nothing else in a run depends on it.
pub fn with_way_out(error: RunError) -> Error {
    match error {
        RunError::Damaged { .. } => {
            anyhow!("{error}; once this file is deleted, ladder and reports do without it")
        }
        _ => error.into(),
    }
}

/// Keeps a match in the run under its number, or the next one that is free. Returns the number.
pub fn keep(run: &Run, keeper: Keeper, mut number: u64, result: &MatchResult) -> Result<u64> {
    while run.put_result(Folder::Matches, &keeper.name(number)?, result)? == Created::AlreadyThere {
        number += 1;
    }
    Ok(number)
}

/// All games of these matches.
pub fn scores<'a>(matches: impl IntoIterator<Item = &'a MatchResult>) -> Scores {
    let mut scores = Scores::new();
    for result in matches {
        scores.add_match(result);
    }
    scores
}

/// Rates the players of these matches.
pub fn fit<'a>(matches: impl IntoIterator<Item = &'a MatchResult>) -> Result<Ladder> {
    Ok(Ladder::fit(&scores(matches), &LadderConfig::default())?)
}

/// A model's name among the matches of its run.
pub fn model_name(seq: u64, simulations: u32) -> String {
    format!("model {seq} at {simulations} simulations")
}

/// The number of the model that has this name, and its simulations.
pub fn model_of(name: &str) -> Option<(u64, u32)> {
    let (seq, simulations) = name.strip_prefix("model ")?.split_once(" at ")?;
    let simulations = simulations.strip_suffix(" simulations")?;
    Some((seq.parse().ok()?, simulations.parse().ok()?))
}

/// A model of the run as a player, and its board.
pub fn model_player(run: &Run, seq: u64, simulations: u32) -> Result<(Named, Size)> {
    let (network, size) = load(run, seq)?;
    let config = usual_config(size, simulations);
    config.validate()?;
    let name = model_name(seq, simulations);
    let player = ModelPlayer::new(name, network, config);
    Ok((Named::Model(Box::new(player)), size))
}

/// The network of a model of the run, and its board.
pub fn load(run: &Run, seq: u64) -> Result<(CompiledNetwork, Size)> {
    let entry = run.read_entry(seq)?;
    let bytes = run.read_model(&entry, &Model::FILE.parse()?)?;
    let model = Model::from_bytes(&bytes).with_context(|| format!("model {seq}"))?;
    Ok((
        CompiledNetwork::new(&model.weights),
        model.weights.architecture().size,
    ))
}

/// How a short match for a ladder is played.
pub struct ShortMatch {
    pub size: Size,
    /// An even number.
    pub games: usize,
    pub opening_plies: usize,
    pub seed: u64,
    pub threads: usize,
}

impl ShortMatch {
    /// Plays it. Other openings for each number; the same ones if all is played again from nothing.
    pub fn play(&self, players: [&Named; 2], number: u64) -> Result<MatchResult> {
        let config = MatchConfig {
            pairs: self.games / 2,
            threads: self.threads,
            seed: self.seed.wrapping_mul(1_000_003).wrapping_add(number),
            ..MatchConfig::default()
        };
        let openings = self.openings(&config)?;
        let mut bar = Bar::new();
        let result = play_match(players.map(Named::factory), &openings, &config, &mut bar)?;
        bar.finish();
        Ok(result)
    }

    fn openings(&self, config: &MatchConfig) -> Result<OpeningSet> {
        if self.opening_plies == 0 {
            return Ok(OpeningSet::start(self.size));
        }
        let draw = |count| OpeningSet::random(self.size, self.opening_plies, count, config.seed);
        match draw(config.pairs) {
            Err(OpeningError::TooFew { found, .. }) if found > 0 => Ok(draw(found)?),
            result => Ok(result?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_model() {
        assert_eq!(model_of(&model_name(12, 100)), Some((12, 100)));
        for other in ["random", "model x at 3 simulations", "model 3 at 3 s"] {
            assert_eq!(model_of(other), None);
        }
    }
}
