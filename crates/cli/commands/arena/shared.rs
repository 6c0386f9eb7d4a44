//! Matches that several processes share: each plays parts of them and keeps these in a run.
//!
//! A part's name follows from all that its games depend on and from the pairs it has, and its games
//! are those that one process alone would play. So two processes that play the same part do no
//! harm, and everybody finds the same result.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use outflank_arena::{
    MatchConfig, MatchResult, OpeningSet, PlayedGame, PlayerFactory, count_match, play_part,
};
use outflank_records::chunk::digest;
use outflank_rules::Passes;
use outflank_run::{Folder, Name, Run};
use serde::{Deserialize, Serialize};

use super::super::ladder::kept::with_way_out;
use crate::progress::say;

/// Pairs of games in a part: as many as a process may play in vain.
const PAIRS: usize = 10;

/// The parts of which one is chosen by lot, counted from the first that is missing. More would let
/// a test wait for its first games, fewer would let processes play the same.
const CHOICE: usize = 16;

/// Some games of a match, as the run keeps them.
#[derive(Serialize, Deserialize)]
struct Part {
    players: [String; 2],
    first_pair: usize,
    games: Vec<PlayedGame>,
}

/// Plays what is missing of a match, together with all other processes that do, until it is over.
pub fn play_shared(
    run: &Run,
    players: [&dyn PlayerFactory; 2],
    openings: &OpeningSet,
    config: &MatchConfig,
) -> Result<MatchResult> {
    let names = players.map(PlayerFactory::name);
    let key = key(&names, openings, config)?;
    let parts = config.pairs.div_ceil(PAIRS);
    let mut played: BTreeMap<usize, Vec<[PlayedGame; 2]>> = BTreeMap::new();
    loop {
        read_parts(run, &key, config, &mut played)?;
        let first = (0..parts).find(|part| !played.contains_key(part));
        let whole = first.unwrap_or(parts);
        let games = played.range(..whole).flat_map(|(_, games)| games.clone());
        let result = count_match(names.clone(), openings, config, games)?;
        if !result.was_stopped() {
            return Ok(result);
        }
        let missing: Vec<usize> = (whole..parts)
            .filter(|part| !played.contains_key(part))
            .take(CHOICE)
            .collect();
        let number = missing[rand::random_range(0..missing.len())];
        let pairs = number * PAIRS..config.pairs.min((number + 1) * PAIRS);
        let part = Part {
            players: names.clone(),
            first_pair: pairs.start,
            games: play_part(players, openings, config, pairs)?,
        };
        run.put_result(Folder::Matches, &name(&key, number)?, &part)?;
        say(&format!(
            "{} v. {}: played part {} of {parts}, {} were there before",
            names[0],
            names[1],
            number + 1,
            played.len()
        ));
    }
}

/// Reads the parts that the run has and `played` has not.
fn read_parts(
    run: &Run,
    key: &str,
    config: &MatchConfig,
    played: &mut BTreeMap<usize, Vec<[PlayedGame; 2]>>,
) -> Result<()> {
    for name in run.results(Folder::Matches)? {
        let number = name.as_str().strip_prefix(key);
        let Some(number) = number.and_then(|number| number.parse::<usize>().ok()) else {
            continue;
        };
        if played.contains_key(&number) {
            continue;
        }
        let part = run.read_result(Folder::Matches, &name);
        let part: Part = part.map_err(with_way_out)?;
        let first = number * PAIRS;
        let expected = first..config.pairs.min(first + PAIRS);
        let pairs: Vec<[PlayedGame; 2]> = part
            .games
            .chunks_exact(2)
            .map(|pair| [pair[0].clone(), pair[1].clone()])
            .collect();
        let numbers = pairs.iter().map(|pair| pair[0].pair);
        if !numbers.eq(expected) {
            bail!("{name} in the run's matches has other games than its name says");
        }
        played.insert(number, pairs);
    }
    Ok(())
}

/// What the names of a match's parts begin with: the digest of all that its games depend on.
fn key(players: &[String; 2], openings: &OpeningSet, config: &MatchConfig) -> Result<String> {
    let begins = openings.openings().iter().map(|game| {
        let start = game.start().notation();
        format!("{start} {}", game.transcript(Passes::Written))
    });
    let config = MatchConfig {
        threads: 0,
        ..config.clone()
    };
    let all = (
        env!("CARGO_PKG_VERSION"),
        players,
        begins.collect::<Vec<_>>(),
        config,
    );
    let digest = digest(&serde_json::to_vec(&all)?);
    Ok(format!("part-{}-", &digest[..16]))
}

fn name(key: &str, part: usize) -> Result<Name> {
    Ok(format!("{key}{part:06}").parse()?)
}
