//! `outflank arena`: matches between players, by the crate `arena`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;
use outflank_arena::{
    MatchConfig, MatchObserver, MatchResult, OpeningSet, PlayedGame, Progress, play_match,
};
use outflank_rules::Size;

use super::loops::thread_count;
use crate::args::Arena;
use crate::players::Named;
use crate::progress::bar;

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
            "--games is {}; expected an even number, as games come in pairs",
            args.games
        );
    }
    let players = args
        .players
        .iter()
        .map(|name| Named::parse(name, args.simulations))
        .collect::<Result<Vec<_>>>()?;
    let size = common_size(&players, args)?;
    let threads = thread_count(args.threads)?;
    let mut results = Vec::new();
    for (i, first) in players.iter().enumerate() {
        for second in &players[i + 1..] {
            let result = play(&Match {
                players: [first, second],
                size,
                games: args.games,
                opening_plies: args.opening_plies,
                openings: args.openings.as_deref(),
                seed: args.seed,
                threads,
            })?;
            println!("{result}");
            results.push(result);
        }
    }
    if let Some(path) = &args.json {
        write_json(path, &results)?;
        println!("Every game is in {}.", path.display());
    }
    Ok(())
}

/// Plays a match behind a progress bar.
pub fn play(job: &Match<'_>) -> Result<MatchResult> {
    let pairs = job.games / 2;
    let openings = match job.openings {
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("{}: cannot read the openings", path.display()))?;
            OpeningSet::parse(job.size, &path.display().to_string(), &text)?
        }
        None if job.opening_plies == 0 => OpeningSet::start(job.size),
        None => random_openings(job, pairs)?,
    };
    let config = MatchConfig {
        pairs,
        threads: job.threads,
        seed: job.seed,
        ..MatchConfig::default()
    };
    let [first, second] = job.players.map(Named::factory);
    let label = format!("{} v {}", first.name(), second.name());
    let mut observer = Bar(bar(job.games as u64, &label, "games"));
    let result = play_match([first, second], &openings, &config, &mut observer)?;
    observer.0.finish_and_clear();
    Ok(result)
}

/// One random opening for each pair, or as many as there are on a small board.
fn random_openings(job: &Match<'_>, pairs: usize) -> Result<OpeningSet> {
    let draw = |count| OpeningSet::random(job.size, job.opening_plies, count, job.seed);
    match draw(pairs) {
        Err(outflank_arena::OpeningError::TooFew { found, .. }) if found > 0 => Ok(draw(found)?),
        result => Ok(result?),
    }
}

struct Bar(ProgressBar);

impl MatchObserver for Bar {
    fn pair(&mut self, _: &[PlayedGame; 2], progress: &Progress) -> ControlFlow<()> {
        self.0.set_position(2 * progress.pairs_done as u64);
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
                bail!("{name} plays on the {own} board; the match is on {size}")
            }
            (None, own) => size = own,
            _ => {}
        }
    }
    Ok(size.unwrap_or_default())
}

/// Writes the results next to the target first, so that the file is whole or not there.
fn write_json(path: &PathBuf, results: &[MatchResult]) -> Result<()> {
    let json = serde_json::to_vec_pretty(results)?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let failed = || format!("{}: cannot write the results", path.display());
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(failed)?;
    std::io::Write::write_all(&mut file, &json).with_context(failed)?;
    file.persist(path).with_context(failed)?;
    Ok(())
}
