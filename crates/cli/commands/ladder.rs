//! `outflank ladder`: a run's models and fixed opponents on one scale.
//!
//! The matches are kept in the run, and every call goes on from those that are there, whichever
//! command played them.

pub mod kept;
mod shared;

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use outflank_arena::{Ladder, LadderConfig, MatchResult};
use outflank_rules::Size;
use outflank_run::Run;
use serde::Serialize;

use self::kept::{Keeper, ShortMatch, fit, keep, kept_matches, model_of, model_player, scores};
use super::loops::thread_count;
use crate::args;
use crate::players::{Named, open_run};
use crate::progress::say;
use crate::signals::say_that_run_is_kept;

/// The player whose rating is 0.
const ZERO: &str = "random";

/// Games of a match: few, so that every match can be the one that tells most.
const GAMES: usize = 20;

/// Models that are rated if nothing else is asked for, about.
const MODELS: u64 = 6;

/// A ladder as JSON.
#[derive(Serialize)]
struct Output<'a> {
    games: u64,
    matches: usize,
    #[serde(flatten)]
    ladder: &'a Ladder,
    /// Who met whom, from the view of the first: what the ladder was made from.
    meetings: Vec<Meeting<'a>>,
}

#[derive(Serialize)]
struct Meeting<'a> {
    players: [&'a str; 2],
    wins: u64,
    draws: u64,
    losses: u64,
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
        say_that_run_is_kept(&args.run);
        let contest = Contest::open(&run, args, &matches)?;
        match args.shared {
            true => matches = contest.play_shared()?,
            false => contest.play(&mut matches)?,
        }
    }
    let ladder = fit(&matches)?;
    let games = matches.iter().map(|result| result.games.len() as u64).sum();
    if args.json {
        let scores = scores(&matches);
        let name = |place: usize| scores.names()[place].as_str();
        let meetings = scores.meetings().map(|(a, b, results)| Meeting {
            players: [name(a), name(b)],
            wins: results.wins,
            draws: results.draws,
            losses: results.losses,
        });
        let output = Output {
            games,
            matches: matches.len(),
            ladder: &ladder,
            meetings: meetings.collect(),
        };
        println!("{}", serde_json::to_string_pretty(&output)?);
    } else if matches.is_empty() {
        println!("No games are kept in {}.", args.run);
    } else {
        print!("{ladder}");
        println!(
            "{games} games of {} matches, kept in {}/matches; {ZERO} is 0 by definition.",
            matches.len(),
            args.run
        );
    }
    Ok(())
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
        for (number, name) in args.anchors.iter().enumerate() {
            if args.anchors[..number].contains(name) {
                bail!("--anchors has {name} twice; expected it once");
            }
            match Named::parse(name, args.simulations)? {
                builtin @ Named::Builtin(_) => players.push(builtin),
                _ => bail!("--anchors has {name}; expected built-in players"),
            }
        }
        let newest = run.latest()?.context("the run has no model yet")?.seq;
        let mut size = Size::default();
        for seq in rated_models(newest, args, kept)? {
            let (player, board) = model_player(run, seq, args.simulations)?;
            size = board;
            players.push(player);
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
            let players = self.pairings(matches, 1)?[0];
            let number = matches.len() as u64;
            let result = self.play_pairing(number, players, games)?;
            keep(self.run, Keeper::Ladder, number, &result)?;
            matches.push(result);
            left -= games;
        }
        Ok(())
    }

    /// Who plays next, at most so many pairings and at least one: first a chain of everybody who
    /// has not played, then what the ladder suggests.
    fn pairings(&self, matches: &[MatchResult], count: usize) -> Result<Vec<[&Named; 2]>> {
        let names: Vec<String> = self.players.iter().map(|p| p.factory().name()).collect();
        let among = matches
            .iter()
            .filter(|result| result.players.iter().all(|player| names.contains(player)));
        let scores = scores(among);
        let mut known: Vec<bool> = names.iter().map(|n| scores.names().contains(n)).collect();
        let mut chain = Vec::new();
        for place in 1..names.len() {
            if !known[place] || !known[place - 1] {
                (known[place], known[place - 1]) = (true, true);
                chain.push([&self.players[place], &self.players[place - 1]]);
            }
        }
        if !chain.is_empty() {
            chain.truncate(count);
            return Ok(chain);
        }
        let ladder = Ladder::fit(&scores, &LadderConfig::default())?;
        let suggestions = ladder.suggest(count, GAMES);
        if suggestions.is_empty() {
            bail!("the ladder needs two players or more");
        }
        let find = |name: &String| {
            let place = names.iter().position(|known| known == name);
            &self.players[place.expect("only these players are in the scores")]
        };
        Ok(suggestions
            .iter()
            .map(|suggestion| suggestion.players.each_ref().map(find))
            .collect())
    }

    fn play_pairing(&self, number: u64, players: [&Named; 2], games: usize) -> Result<MatchResult> {
        let plan = ShortMatch {
            size: self.size,
            games,
            opening_plies: self.args.opening_plies,
            seed: self.args.seed,
            threads: self.threads,
        };
        let result = plan.play(players, number)?;
        say(&format!(
            "{} v. {}: {}",
            result.players[0], result.players[1], result.summary.total
        ));
        Ok(result)
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
