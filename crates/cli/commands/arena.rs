//! `outflank arena`: matches between players, by the crate `arena`.

mod outputs;
mod shared;

use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{Context, Result, bail};
use outflank_arena::{
    Balanced, MatchConfig, MatchObserver, MatchResult, OpeningError, OpeningSet, PlayedGame,
    PlayerFactory, Progress, Schedule, SprtConfig, by_alpha_beta, by_evaluator, conduct,
    play_match, play_tournament,
};
use outflank_net::CompiledNetwork;
use outflank_rules::{Position, Size};
use outflank_run::Location;

use self::outputs::check_outputs;
use self::shared::play_shared;
use super::games::GameFile;
use super::ladder::kept::{Keeper, keep};
use super::loops::thread_count;
use crate::args::Arena;
use crate::engines::Engines;
use crate::json_lines::JsonLines;
use crate::messages::one_line;
use crate::output::Output;
use crate::players::{Named, open_run};
use crate::progress::{self, bar};
use crate::signals::{say_that_run_is_kept, say_when_stopped};

/// The depth at which alpha-beta search judges openings, and what it calls even, in legal moves.
const ALPHA_BETA_JUDGE: (u32, f32) = (4, 2.0);

/// What a model calls an even opening, in discs.
const MODEL_TOLERANCE: f32 = 2.0;

/// The longest openings of which all there are can be kept in memory.
const MOST_BALANCED_PLIES: usize = 9;

/// A match between two players.
pub struct Match<'a> {
    pub players: [&'a Named; 2],
    pub size: Size,
    /// An even number: every opening is played with both colours.
    pub games: usize,
    pub opening_plies: usize,
    /// A file of openings, in place of random plies.
    pub openings: Option<&'a Path>,
    pub seed: u64,
    pub threads: usize,
}

pub fn run(args: &Arena) -> Result<()> {
    if args.games == 0 || !args.games.is_multiple_of(2) {
        bail!(
            "--games is {}; expected an even number above 0, as games come in pairs",
            args.games
        );
    }
    check_outputs(args)?;
    let engines = Engines::load(args.engines.as_deref())?;
    let players = args
        .players
        .iter()
        .map(|name| Named::parse_with(name, args.simulations, &engines))
        .collect::<Result<Vec<_>>>()?;
    let size = common_size(&players, args)?;
    let config = MatchConfig {
        pairs: args.games / 2,
        threads: thread_count(args.threads)?,
        seed: args.seed,
        sprt: args.sprt.as_deref().map(parse_sprt).transpose()?,
        crashes: engines.crashes,
    };
    let openings = match args.balanced {
        Some(plies) => balanced_openings(plies, &players, size, &config)?,
        None => openings(size, args.opening_plies, args.openings.as_deref(), &config)?,
    };
    check_starts(&players, &openings)?;
    match &args.run {
        Some(location) => say_that_run_is_kept(location),
        None => say_when_stopped("the games played so far are dropped".to_owned()),
    }
    let json = args.json.as_deref().map(Output::begin).transpose()?;
    let jsonl = args.jsonl.as_deref().map(JsonLines::begin).transpose()?;
    let games = args
        .save_games
        .as_deref()
        .map(GameFile::begin)
        .transpose()?;

    let factories: Vec<&dyn PlayerFactory> = players.iter().map(Named::factory).collect();
    let schedule = match args.gauntlet {
        true => Schedule::Gauntlet,
        false => Schedule::RoundRobin,
    };
    let tournament = match &args.run {
        Some(location) => {
            let run = open_run(location)?;
            conduct(&factories, schedule, &config, |pair, config| {
                play_shared(&run, pair, &openings, config)
            })?
        }
        None => {
            let mut bar = Bar::new();
            let played = play_tournament(&factories, schedule, &openings, &config, &mut bar)?;
            bar.finish();
            played
        }
    };
    for result in &tournament.matches {
        println!("{result}");
    }
    if tournament.matches.len() > 1 {
        println!("{tournament}");
    }
    let kept = keep_in_runs(&players, &tournament.matches);
    if let Some(file) = json {
        let path = file.path().to_owned();
        file.finish(&serde_json::to_vec_pretty(&tournament.matches)?)?;
        say_where(&path);
    }
    if let Some(file) = jsonl {
        file.add(&tournament.matches)?;
        say_where(file.path());
    }
    if let Some(file) = games {
        let path = file.path().display().to_string();
        file.finish(&tournament.matches)?;
        println!("Every game is in {path}.");
    }
    // Last, so that a run that cannot be written to costs nothing else that was asked for.
    kept
}

/// Keeps each match in the runs of its models, under the names that they have there, so that their
/// ladders and reports count it.
fn keep_in_runs(players: &[Named], matches: &[MatchResult]) -> Result<()> {
    let origins = || {
        players.iter().filter_map(|player| match player {
            Named::Model(model) => Some((model.name(), model.origin()?)),
            _ => None,
        })
    };
    let mut runs: Vec<&Location> = origins().map(|(_, origin)| &origin.run).collect();
    runs.sort_unstable_by_key(|run| run.to_string());
    runs.dedup();
    let mut failures = Vec::new();
    for location in runs {
        let names = origins().filter(|(_, origin)| origin.run == *location);
        let mut here = Vec::new();
        for result in matches {
            let mut result = result.clone();
            let mut of_run = false;
            for player in &mut result.players {
                if let Some((_, origin)) = names.clone().find(|(name, _)| name == player) {
                    *player = origin.name.clone();
                    of_run = true;
                }
            }
            if of_run {
                here.push(result);
            }
        }
        match keep_all(location, &here) {
            Ok(()) => println!("Kept in {location}/matches, for its ladder and report."),
            Err(error) => failures.push(format!("not kept in {location}: {}", one_line(&error))),
        }
    }
    if !failures.is_empty() {
        bail!("{}", failures.join("; "));
    }
    Ok(())
}

fn keep_all(location: &Location, matches: &[MatchResult]) -> Result<()> {
    let run = open_run(location)?;
    let mut number = 0;
    for result in matches {
        number = keep(&run, Keeper::Arena, number, result)? + 1;
    }
    Ok(())
}

/// Plays a match behind a progress bar.
pub fn play(job: &Match<'_>) -> Result<MatchResult> {
    let config = MatchConfig {
        pairs: job.games / 2,
        threads: job.threads,
        seed: job.seed,
        ..MatchConfig::default()
    };
    let openings = openings(job.size, job.opening_plies, job.openings, &config)?;
    let mut bar = Bar::new();
    let result = play_match(
        job.players.map(Named::factory),
        &openings,
        &config,
        &mut bar,
    )?;
    bar.finish();
    Ok(result)
}

/// The openings of a file, or random ones: one for each pair, or as many as there are on a small
/// board.
fn openings(
    size: Size,
    plies: usize,
    file: Option<&Path>,
    config: &MatchConfig,
) -> Result<OpeningSet> {
    match file {
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("{}: cannot read the openings", path.display()))?;
            Ok(OpeningSet::parse(size, &path.display().to_string(), &text)?)
        }
        None if plies == 0 => Ok(OpeningSet::start(size)),
        None => as_many(config.pairs, |count| {
            OpeningSet::random(size, plies, count, config.seed)
        }),
    }
}

/// Openings that look even to the first model, or else to alpha-beta search.
fn balanced_openings(
    plies: usize,
    players: &[Named],
    size: Size,
    config: &MatchConfig,
) -> Result<OpeningSet> {
    if !(1..=MOST_BALANCED_PLIES).contains(&plies) {
        bail!("--balanced is {plies}; expected 1 to {MOST_BALANCED_PLIES} plies");
    }
    let mut wanted = Balanced {
        size,
        plies,
        tolerance: ALPHA_BETA_JUDGE.1,
        count: None,
        seed: config.seed,
        judge: format!("alpha-beta:{}", ALPHA_BETA_JUDGE.0),
    };
    let model = players.iter().find_map(|player| match player {
        Named::Model(model) => Some((model.name(), model.network().clone())),
        _ => None,
    });
    let mut network: Option<CompiledNetwork> = None;
    if let Some((name, evaluator)) = model {
        (wanted.judge, wanted.tolerance) = (name, MODEL_TOLERANCE);
        network = Some(evaluator);
    }
    as_many(config.pairs, |count| {
        let wanted = Balanced {
            count: Some(count),
            ..wanted.clone()
        };
        match &mut network {
            Some(network) => OpeningSet::balanced(&wanted, &mut by_evaluator(network)),
            None => OpeningSet::balanced(&wanted, &mut by_alpha_beta(ALPHA_BETA_JUDGE.0)),
        }
    })
}

/// As many openings as wanted, or as there are.
fn as_many(
    count: usize,
    mut draw: impl FnMut(usize) -> Result<OpeningSet, OpeningError>,
) -> Result<OpeningSet> {
    match draw(count) {
        Err(OpeningError::TooFew { found, .. }) if found > 0 => Ok(draw(found)?),
        result => Ok(result?),
    }
}

/// Engines that cannot be given every position need openings from the usual start.
fn check_starts(players: &[Named], openings: &OpeningSet) -> Result<()> {
    let unusual = |game: &outflank_rules::Game| {
        let start = game.start();
        start != Position::start(start.board.size())
    };
    for player in players {
        if let Named::Engine(engine) = player
            && engine.needs_usual_start()
            && openings.openings().iter().any(unusual)
        {
            bail!(
                "{} speaks GTP, which knows no positions; expected transcripts as openings",
                engine.name()
            );
        }
    }
    Ok(())
}

/// `elo0,elo1[,alpha,beta]`.
fn parse_sprt(text: &str) -> Result<SprtConfig> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    let (elo0, elo1, alpha, beta) = match numbers.as_deref() {
        Ok(&[elo0, elo1]) => (elo0, elo1, 0.05, 0.05),
        Ok(&[elo0, elo1, alpha, beta]) => (elo0, elo1, alpha, beta),
        _ => bail!(
            "--sprt is '{text}'; expected two or four numbers, such as 0,30 or 0,30,0.05,0.05"
        ),
    };
    let config = SprtConfig {
        elo0,
        elo1,
        alpha,
        beta,
    };
    outflank_arena::Sprt::new(config).with_context(|| format!("--sprt is '{text}'"))?;
    Ok(config)
}

/// The matches played so far, as a bar.
pub struct Bar(Option<progress::Bar>);

impl Bar {
    pub fn new() -> Bar {
        Bar(None)
    }

    /// Removes the bar.
    pub fn finish(&mut self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}

impl MatchObserver for Bar {
    fn begin(&mut self, players: [&str; 2], progress: &Progress) {
        self.finish();
        let label = format!("{} v. {}", players[0], players[1]);
        self.0 = Some(bar(2 * progress.pairs_planned as u64, &label, "games"));
    }

    fn pair(&mut self, _: &[PlayedGame; 2], progress: &Progress) -> ControlFlow<()> {
        if let Some(bar) = &self.0 {
            bar.set_position(2 * progress.pairs_done as u64);
        }
        ControlFlow::Continue(())
    }
}

/// The board that all players can play on.
fn common_size(players: &[Named], args: &Arena) -> Result<Size> {
    let asked = args
        .board
        .map(Size::try_from)
        .transpose()
        .context("--board")?;
    let mut size = asked;
    for (player, name) in players.iter().zip(&args.players) {
        match (size, player.size()) {
            (Some(size), Some(own)) if own != size => {
                bail!(
                    "{} plays on the {own} board; the match is on {size}",
                    name.display()
                )
            }
            (None, own) => size = own,
            _ => {}
        }
    }
    Ok(size.unwrap_or_default())
}

fn say_where(path: &Path) {
    println!("The results, with every game, are in {}.", path.display());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_read_and_refused() {
        let test = parse_sprt("-10, 20").expect("two numbers");
        assert_eq!((test.elo0, test.elo1, test.alpha), (-10.0, 20.0, 0.05));
        let test = parse_sprt("0,5,0.1,0.2").expect("four numbers");
        assert_eq!((test.alpha, test.beta), (0.1, 0.2));
        for bad in ["", "1", "5,1", "0,5,0.1", "0,5,0.1,0.7", "a,b"] {
            let message = format!("{:#}", parse_sprt(bad).expect_err(bad));
            assert!(message.contains("--sprt"), "{message}");
        }
    }
}
