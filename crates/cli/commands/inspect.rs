//! `outflank inspect`: what is in a run, a chunk or a model.

use std::path::Path;

use anyhow::{Context, Result, bail};
use outflank_net::{Model, TrainingState};
use outflank_records::{GameRecord, chunk};
use outflank_rules::Move;
use outflank_run::{Location, LogEntry, Run};
use outflank_selfplay::wrong_resignations;

use crate::args::Inspect;
use crate::messages::shell;
use crate::os_text::rsplit_once;
use crate::players::{load_named, open_run};
use crate::progress::{count, thousands};
use crate::shipped::Shipped;

/// Where resigning is looked at.
const RESIGN_THRESHOLDS: [f32; 3] = [0.8, 0.9, 0.95];

pub fn run(args: &Inspect) -> Result<()> {
    let path = args.path.as_path();
    if path.is_dir() || path.to_string_lossy().contains("://") {
        return inspect_run(&Location::from_os(path.as_os_str())?, args.all);
    }
    let is_name = Shipped::find(path).is_some() || rsplit_once(path.as_os_str(), b'@').is_some();
    if is_name && !path.exists() {
        inspect_model(&load_named(path)?.1);
        return Ok(());
    }
    let bytes =
        std::fs::read(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("rec") => {
            let games = chunk::decode(&bytes).with_context(|| path.display().to_string())?;
            inspect_games(path, &games, args.all);
        }
        Some("safetensors") => {
            let model = Model::from_bytes(&bytes).with_context(|| path.display().to_string())?;
            inspect_model(&model);
        }
        _ => bail!(
            "{}: expected a run's folder, a chunk (.rec) or a model (.safetensors)",
            path.display()
        ),
    }
    Ok(())
}

fn inspect_model(model: &Model) {
    print!("{}", model.description());
    let weights: usize = model.weights.tensors().iter().map(Vec::len).sum();
    println!("weights = {weights}");
}

fn inspect_run(location: &Location, check: bool) -> Result<()> {
    let run = open_run(location)?;
    let history = run.history()?;
    let Some(latest) = history.last() else {
        println!("{} is a run without a model yet", location);
        return Ok(());
    };
    println!("generation       games   positions      steps     samples");
    for entry in &history {
        let totals = entry.totals;
        println!(
            "{:>10}  {:>10}  {:>10} {:>10}  {:>10}",
            entry.seq,
            thousands(totals.games),
            thousands(totals.positions),
            thousands(totals.steps),
            thousands(totals.samples),
        );
    }
    let waiting = run.chunks(latest.seq)?.len();
    println!("{waiting} chunks wait for the next generation");
    if !check {
        println!(
            "`outflank inspect {} --all` reads and checks every committed game",
            shell(location)
        );
        return Ok(());
    }
    let audit = run.audit(&[TrainingState::FILE.parse()?])?;
    println!(
        "checked: {} chunks, {} games, {} positions; {} games repeat another, {} chunks came too late",
        audit.chunks,
        thousands(audit.games),
        thousands(audit.positions),
        audit.repeated,
        audit.stale,
    );
    println!(
        "checked: {} measurements and matches",
        thousands(audit.results)
    );
    if audit.pruned > 0 {
        println!("{} states of older models were pruned", audit.pruned);
    }
    for problem in &audit.problems {
        println!("{problem}");
    }
    if !audit.problems.is_empty() {
        let problems = count(audit.problems.len() as u64, "problem");
        bail!("{location}: {problems}");
    }
    print_resignations(&run, latest)?;
    println!("everything is as the log says");
    Ok(())
}

/// What resigning would have done to the newest committed games, as far as they were played on.
fn print_resignations(run: &Run, latest: &LogEntry) -> Result<()> {
    let mut games = Vec::new();
    for chunk in &latest.chunks {
        games.extend(run.read_taken(chunk)?);
    }
    for threshold in RESIGN_THRESHOLDS {
        let (resigned, wrong) = wrong_resignations(&games, threshold);
        println!(
            "resign_threshold {threshold}: of the {} newest games, {resigned} that were played on would have been resigned, {wrong} of them wrongly",
            thousands(games.len() as u64),
        );
    }
    Ok(())
}

fn inspect_games(path: &Path, games: &[GameRecord], all: bool) {
    let plies: usize = games.iter().map(|game| game.plies.len()).sum();
    let searched: usize = games.iter().map(GameRecord::searched_plies).sum();
    println!(
        "{}: {}, {} plies, {searched} of them searched",
        path.display(),
        count(games.len() as u64, "game"),
        thousands(plies as u64),
    );
    if !all {
        println!(
            "`outflank inspect {} --all` prints the games",
            shell(path.display())
        );
        return;
    }
    for (number, game) in games.iter().enumerate() {
        println!(
            "{:>5}  {:+3}  {:?}  {}",
            number + 1,
            game.black_margin,
            game.ending,
            transcript(game)
        );
    }
}

fn transcript(game: &GameRecord) -> String {
    game.plies
        .iter()
        .map(|ply| match ply.mv {
            Move::Place(square) => square.to_string(),
            Move::Pass => "--".to_owned(),
        })
        .collect()
}
