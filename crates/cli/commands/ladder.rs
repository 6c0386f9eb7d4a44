//! `outflank ladder`: a run's models and fixed opponents on one scale.
//!
//! The matches are kept in the run, and every call goes on from those that are there. A player's
//! name says all that its strength depends on, so matches of different calls belong together.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use outflank_arena::{
    Ladder, LadderConfig, MatchConfig, MatchResult, OpeningError, OpeningSet, PlayerFactory,
    Scores, play_match,
};
use outflank_net::{CompiledNetwork, Model};
use outflank_rules::Size;
use outflank_run::{Created, Folder, Name, Run};
use serde::Serialize;

use super::arena::Bar;
use super::loops::{say, thread_count};
use crate::args;
use crate::players::{ModelPlayer, Named, open_run, usual_config};

/// The player whose rating is 0.
const ZERO: &str = "random";

/// Games of a match: few, so that every match can be the one that tells most.
const GAMES: usize = 20;

/// Models that are rated if nothing else is asked for, about.
const MODELS: u64 = 6;

/// The first part of the names of a ladder's matches in the run.
const PREFIX: &str = "ladder-";

/// A ladder as JSON.
#[derive(Serialize)]
struct Output<'a> {
    games: u64,
    matches: usize,
    #[serde(flatten)]
    ladder: &'a Ladder,
}

pub fn run(args: &args::Ladder) -> Result<()> {
    if !args.games.is_multiple_of(2) {
        bail!(
            "--games is {}; expected an even number, as games come in pairs",
            args.games
        );
    }
    let run = open_run(&args.run)?;
    let mut matches = kept_matches(&run)?;
    if args.games > 0 {
        let contest = Contest::open(&run, args, &matches)?;
        contest.play(&mut matches)?;
    }
    let ladder = fit(&matches)?;
    let games = matches.iter().map(|result| result.games.len() as u64).sum();
    if args.json {
        let output = Output {
            games,
            matches: matches.len(),
            ladder: &ladder,
        };
        println!("{}", serde_json::to_string_pretty(&output)?);
    } else if matches.is_empty() {
        println!("No games of a ladder are kept in {}.", args.run.display());
    } else {
        print!("{ladder}");
        println!(
            "{games} games of {} matches, kept in {}/matches; {ZERO} is 0 by definition.",
            matches.len(),
            args.run.display()
        );
    }
    Ok(())
}

/// The matches of a run's ladder, in the order in which they were played.
pub fn kept_matches(run: &Run) -> Result<Vec<MatchResult>> {
    let names = run.results(Folder::Matches)?;
    names
        .iter()
        .filter(|name| name.as_str().starts_with(PREFIX))
        .map(|name| Ok(run.read_result(Folder::Matches, name)?))
        .collect()
}

/// Rates the players of these matches.
pub fn fit(matches: &[MatchResult]) -> Result<Ladder> {
    let mut scores = Scores::new();
    for result in matches {
        scores.add_match(result);
    }
    Ok(Ladder::fit(&scores, &LadderConfig::default())?)
}

/// A model's name in a ladder.
fn model_name(seq: u64, simulations: u32) -> String {
    format!("model {seq} at {simulations} simulations")
}

/// The number of the model that has this name in a ladder, and its simulations.
pub fn model_of(name: &str) -> Option<(u64, u32)> {
    let (seq, simulations) = name.strip_prefix("model ")?.split_once(" at ")?;
    let simulations = simulations.strip_suffix(" simulations")?;
    Some((seq.parse().ok()?, simulations.parse().ok()?))
}

/// Who is to be rated, and how.
struct Contest<'a> {
    run: &'a Run,
    args: &'a args::Ladder,
    /// Fixed opponents, and then models from the oldest to the newest.
    players: Vec<Named>,
    size: Size,
    threads: usize,
}

impl Contest<'_> {
    fn open<'a>(run: &'a Run, args: &'a args::Ladder, kept: &[MatchResult]) -> Result<Contest<'a>> {
        let mut players = Vec::new();
        for name in &args.anchors {
            match Named::parse(name, args.simulations)? {
                builtin @ Named::Builtin(_) => players.push(builtin),
                _ => bail!("--anchors has {name}; expected built-in players"),
            }
        }
        let newest = run.latest()?.context("the run has no model yet")?.seq;
        let mut size = Size::default();
        for seq in rated_models(newest, args, kept)? {
            let (network, board) = load(run, seq)?;
            size = board;
            let config = usual_config(size, args.simulations);
            config.validate()?;
            players.push(Named::Model(Box::new(ModelPlayer::new(
                model_name(seq, args.simulations),
                network,
                config,
            ))));
        }
        Ok(Contest {
            run,
            args,
            players,
            size,
            threads: thread_count(args.threads)?,
        })
    }

    /// Plays the matches that tell most, until the budget is used up.
    fn play(&self, matches: &mut Vec<MatchResult>) -> Result<()> {
        let mut left = self.args.games;
        while left > 0 {
            let games = left.min(GAMES);
            let [first, second] = self.next_pairing(matches)?;
            matches.push(self.play_pairing(matches.len(), [first, second], games)?);
            left -= games;
        }
        Ok(())
    }

    /// First a chain of everybody who has not played, then what the ladder suggests.
    fn next_pairing(&self, matches: &[MatchResult]) -> Result<[&Named; 2]> {
        let names: Vec<String> = self.players.iter().map(|p| p.factory().name()).collect();
        let mut scores = Scores::new();
        for result in matches {
            if result.players.iter().all(|player| names.contains(player)) {
                scores.add_match(result);
            }
        }
        let new = |name: &String| !scores.names().contains(name);
        if let Some(place) = (1..names.len()).find(|&i| new(&names[i]) || new(&names[i - 1])) {
            return Ok([&self.players[place], &self.players[place - 1]]);
        }
        let ladder = Ladder::fit(&scores, &LadderConfig::default())?;
        let suggestions = ladder.suggest(1, GAMES);
        let suggestion = suggestions
            .first()
            .context("the ladder needs two players or more")?;
        let find = |name: &String| {
            let place = names.iter().position(|known| known == name);
            &self.players[place.expect("only these players are in the scores")]
        };
        Ok([find(&suggestion.players[0]), find(&suggestion.players[1])])
    }

    fn play_pairing(
        &self,
        number: usize,
        players: [&Named; 2],
        games: usize,
    ) -> Result<MatchResult> {
        // Other openings in each match; the same ones if the ladder is played again from nothing.
        let seed = self.args.seed.wrapping_mul(1_000_003) + number as u64;
        let config = MatchConfig {
            pairs: games / 2,
            threads: self.threads,
            seed,
            ..MatchConfig::default()
        };
        let openings = self.openings(config.pairs, seed)?;
        let mut bar = Bar::new();
        let factories: [&dyn PlayerFactory; 2] = players.map(Named::factory);
        let result = play_match(factories, &openings, &config, &mut bar)?;
        bar.finish();
        say(&format!(
            "{} v. {}: {}",
            result.players[0], result.players[1], result.summary.total
        ));
        self.keep(number, &result)?;
        Ok(result)
    }

    fn openings(&self, pairs: usize, seed: u64) -> Result<OpeningSet> {
        let plies = self.args.opening_plies;
        if plies == 0 {
            return Ok(OpeningSet::start(self.size));
        }
        let draw = |count| OpeningSet::random(self.size, plies, count, seed);
        match draw(pairs) {
            Err(OpeningError::TooFew { found, .. }) if found > 0 => Ok(draw(found)?),
            result => Ok(result?),
        }
    }

    /// Keeps a match in the run under its number, or the next one that is free.
    fn keep(&self, mut number: usize, result: &MatchResult) -> Result<()> {
        loop {
            let name: Name = format!("{PREFIX}{number:06}").parse()?;
            match self.run.put_result(Folder::Matches, &name, result)? {
                Created::New => return Ok(()),
                Created::AlreadyThere => number += 1,
            }
        }
    }
}

/// The models to rate: every so many, the newest, and those that have been rated before.
fn rated_models(newest: u64, args: &args::Ladder, kept: &[MatchResult]) -> Result<BTreeSet<u64>> {
    let every = match args.every {
        Some(0) => bail!("--every is 0; expected 1 or more"),
        Some(every) => every,
        None => newest.div_ceil(MODELS - 1).max(1),
    };
    let steps = usize::try_from(every)?;
    let mut models: BTreeSet<u64> = (0..=newest).step_by(steps).collect();
    models.insert(newest);
    let before = kept.iter().flat_map(|result| &result.players);
    models.extend(before.filter_map(|name| match model_of(name) {
        Some((seq, simulations)) if simulations == args.simulations => Some(seq),
        _ => None,
    }));
    Ok(models)
}

fn load(run: &Run, seq: u64) -> Result<(CompiledNetwork, Size)> {
    let entry = run
        .entry(seq)?
        .with_context(|| format!("the run has no model {seq}"))?;
    let bytes = run.read_model(&entry, &Model::FILE.parse()?)?;
    let model = Model::from_bytes(&bytes).with_context(|| format!("model {seq}"))?;
    Ok((
        CompiledNetwork::new(&model.weights),
        model.weights.architecture().size,
    ))
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
