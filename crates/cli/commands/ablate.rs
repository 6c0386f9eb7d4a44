//! `outflank ablate`: what one change of the configuration is worth.
//!
//! The baseline and each variant are trained on the same budget with the same seeds, and every
//! variant then plays the baseline, each of its seeds against each of the baseline's. All of it
//! lies in one folder, and an interrupted experiment goes on where it was.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use outflank_arena::{PairScores, SearchPlayerConfig};
use outflank_net::CompiledNetwork;
use outflank_run::Location;
use serde::{Deserialize, Serialize};
use toml::Table;

use super::arena::{Match, play};
use super::loops::Training;
use crate::args::Ablate;
use crate::device::Hardware;
use crate::output::Output;
use crate::players::{ModelPlayer, Named, load_model, usual_config};
use crate::progress::{say, thousands};
use crate::settings::{Settings, merge};
use crate::signals::say_when_stopped;

/// The name of the baseline among the variants.
const BASELINE: &str = "baseline";

/// A file of `configs/experiments`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Experiment {
    /// A short name; the experiment lives in `runs/<name>` if nothing else is said.
    name: String,
    /// What it is to find out.
    question: String,
    /// The configuration that is changed: a preset or a file.
    base: String,
    /// The seeds of the trainings; every variant is trained with each.
    seeds: Vec<u64>,
    /// Games of each match between a variant's network and a baseline's, an even number.
    games: usize,
    /// Simulations a move in the matches.
    simulations: u32,
    /// Random plies that open each pair of games.
    #[serde(default = "opening_plies")]
    opening_plies: usize,
    /// Changes of the configuration for all, the budget for example.
    #[serde(default)]
    changes: Table,
    /// By name, the changes of each variant.
    variants: BTreeMap<String, Table>,
}

fn opening_plies() -> usize {
    6
}

/// One match of the experiment, as its folder keeps it.
#[derive(Serialize, Deserialize)]
struct Meeting {
    variant: String,
    seeds: [u64; 2],
    /// Pairs of games by points of the variant.
    pairs: PairScores,
}

pub fn run(args: &Ablate) -> Result<()> {
    say_when_stopped(
        "finished generations and matches are kept; the same command goes on from there".to_owned(),
    );
    let path = args.experiment.display().to_string();
    let experiment = Experiment::load(&args.experiment)?;
    let configurations = experiment.configurations().context(path)?;
    let folder = match &args.run {
        Some(folder) => folder.clone(),
        None => PathBuf::from("runs").join(&experiment.name),
    };
    say(&format!("{}: {}", experiment.name, experiment.question));

    for (variant, settings) in &configurations {
        for &seed in &experiment.seeds {
            train(&folder, variant, seed, settings, &args.hardware)?;
        }
    }
    let meetings = folder.join("meetings");
    std::fs::create_dir_all(&meetings)
        .with_context(|| format!("{}: cannot be made", meetings.display()))?;
    let mut rows = Vec::new();
    for (variant, settings) in &configurations {
        if variant == BASELINE {
            continue;
        }
        let mut results = Vec::new();
        for &seed in &experiment.seeds {
            for &rival in &experiment.seeds {
                let seeds = [seed, rival];
                let file = meetings.join(format!("{variant}-{seed}-{rival}.json"));
                results.push(match std::fs::read(&file) {
                    Ok(bytes) => serde_json::from_slice(&bytes)
                        .with_context(|| file.display().to_string())?,
                    Err(_) => {
                        let output = Output::begin(&file)?;
                        let result = meet(
                            &experiment,
                            &folder,
                            variant,
                            settings,
                            seeds,
                            &args.hardware,
                        )?;
                        output.finish(&serde_json::to_vec(&result)?)?;
                        result
                    }
                });
            }
        }
        rows.push(row(variant, &results));
    }
    let table = format!(
        "Elo of each variant over the {BASELINE}, from {} games a match at {} simulations:\n{}",
        experiment.games,
        experiment.simulations,
        rows.join("\n")
    );
    println!("{table}");
    println!(
        "The interval is that of the games; how far trainings of other seeds differ is in the last column.\n\
         Everything is in {}.",
        folder.display()
    );
    let output = Output::begin(&folder.join("result.txt"))?;
    output.finish(format!("{}\n{table}\n", experiment.question).as_bytes())
}

impl Experiment {
    fn load(path: &Path) -> Result<Experiment> {
        let name = path.display();
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{name}: cannot read this experiment"))?;
        let experiment: Experiment =
            toml::from_str(&text).with_context(|| format!("{name}: not an experiment"))?;
        if experiment.games == 0 || !experiment.games.is_multiple_of(2) {
            bail!(
                "{name}: games is {}; expected an even number, as games come in pairs",
                experiment.games
            );
        }
        if experiment.seeds.is_empty() {
            bail!("{name}: seeds is empty; expected at least one");
        }
        let distinct: BTreeSet<u64> = experiment.seeds.iter().copied().collect();
        if distinct.len() < experiment.seeds.len() {
            bail!(
                "{name}: seeds is {:?}; expected different ones",
                experiment.seeds
            );
        }
        for variant in experiment.variants.keys() {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            if variant == BASELINE || variant.is_empty() || !variant.chars().all(plain) {
                bail!(
                    "{name}: a variant is called {variant:?}; expected letters, digits, '-', '_' and '.', and not {BASELINE:?}"
                );
            }
        }
        Ok(experiment)
    }

    /// The configuration of the baseline and of each variant.
    fn configurations(&self) -> Result<Vec<(String, Settings)>> {
        let mut base = Table::try_from(Settings::load(&self.base)?)?;
        merge(&mut base, &self.changes);
        let nothing = (BASELINE.to_owned(), Table::new());
        let variants = self.variants.clone().into_iter();
        std::iter::once(nothing)
            .chain(variants)
            .map(|(name, changes)| {
                let mut table = base.clone();
                merge(&mut table, &changes);
                let settings = Settings::parse(&toml::to_string(&table)?, &name)?;
                Ok((name, settings))
            })
            .collect()
    }
}

/// The folder of a training.
fn run_folder(folder: &Path, variant: &str, seed: u64) -> PathBuf {
    folder.join(format!("{variant}-{seed}"))
}

fn train(
    folder: &Path,
    variant: &str,
    seed: u64,
    settings: &Settings,
    hardware: &Hardware,
) -> Result<()> {
    let folder = run_folder(folder, variant, seed);
    let settings = Settings {
        seed,
        name: format!("{variant}-{seed}"),
        ..settings.clone()
    };
    let generations = settings.generations;
    let training = Training::open(&Location::Folder(folder), Some(settings), hardware)?;
    let done = training.run.latest()?;
    let totals = match done {
        Some(entry) if entry.seq >= generations => entry.totals,
        _ => training.train(generations, None)?.totals,
    };
    say(&format!(
        "{variant}, seed {seed}: {} games, {} positions, {} samples",
        thousands(totals.games),
        thousands(totals.positions),
        thousands(totals.samples),
    ));
    Ok(())
}

/// The match of a variant's network, trained with the first seed, against the baseline's, trained
/// with the second.
fn meet(
    experiment: &Experiment,
    folder: &Path,
    variant: &str,
    settings: &Settings,
    seeds: [u64; 2],
    hardware: &Hardware,
) -> Result<Meeting> {
    let size = settings.network.size;
    // Both search alike: what differs is what they learned.
    let agent = |variant: &str, seed| -> Result<Named> {
        let (_, model) = load_model(&Location::Folder(run_folder(folder, variant, seed)), None)?;
        let config: SearchPlayerConfig = usual_config(size, experiment.simulations);
        let network = CompiledNetwork::new(&model.weights);
        let name = format!("{variant}-{seed}");
        Ok(Named::Model(Box::new(ModelPlayer::new(
            name, network, config,
        ))))
    };
    let result = play(&Match {
        players: [&agent(variant, seeds[0])?, &agent(BASELINE, seeds[1])?],
        size,
        games: experiment.games,
        opening_plies: experiment.opening_plies,
        openings: None,
        seed: seeds[0] * 1000 + seeds[1],
        threads: super::loops::thread_count(hardware.threads)?,
    })?;
    Ok(Meeting {
        variant: variant.to_owned(),
        seeds,
        pairs: result.summary.pairs,
    })
}

/// A variant's line of the table: all its matches together, then each.
fn row(variant: &str, meetings: &[Meeting]) -> String {
    let mut all = PairScores::default();
    for meeting in meetings {
        for (sum, count) in all.counts.iter_mut().zip(meeting.pairs.counts) {
            *sum += count;
        }
    }
    let each: Vec<String> = meetings
        .iter()
        .map(|meeting| {
            let [seed, rival] = meeting.seeds;
            format!("{seed}:{rival} {:+.0}", meeting.pairs.elo().elo)
        })
        .collect();
    format!(
        "{variant:<24} {:<20} {}",
        all.elo().to_string(),
        each.join("  ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_reach_only_what_they_name() {
        let experiment: Experiment = toml::from_str(
            "name = 'x'\nquestion = '?'\nbase = 'quick'\nseeds = [1]\ngames = 2\nsimulations = 8\n\
             [changes]\ngenerations = 3\n\
             [variants.sharp.selfplay.search.gumbel]\nc_scale = 2.0\n",
        )
        .expect("an experiment");
        let configurations = experiment.configurations().expect("valid");
        let [(_, baseline), (name, sharp)] = &configurations[..] else {
            panic!("{} configurations", configurations.len());
        };
        assert_eq!(name, "sharp");
        assert_eq!((baseline.generations, sharp.generations), (3, 3));
        let difference = sharp.difference(baseline).expect("one setting differs");
        assert!(difference.contains("selfplay.search.gumbel.c_scale"));
        let mut back = sharp.clone();
        back.selfplay.search.gumbel.c_scale = baseline.selfplay.search.gumbel.c_scale;
        assert_eq!(back, *baseline);
    }

    #[test]
    fn the_experiments_that_are_kept_are_valid() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/experiments");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).expect("there are experiments") {
            let path = entry.expect("readable").path();
            let experiment = Experiment::load(&path).expect("an experiment");
            let configurations = experiment.configurations().expect("valid");
            let (_, baseline) = &configurations[0];
            for (name, settings) in &configurations[1..] {
                assert!(settings.difference(baseline).is_some(), "{name}");
            }
            count += 1;
        }
        assert!(count >= 4);
    }

    #[test]
    fn a_wrong_change_is_named() {
        let experiment: Experiment = toml::from_str(
            "name = 'x'\nquestion = '?'\nbase = 'quick'\nseeds = [1]\ngames = 2\nsimulations = 8\n\
             [variants.typo.selfplay]\nsolve_emptys = 2\n",
        )
        .expect("an experiment");
        let error = format!("{:#}", experiment.configurations().expect_err("a typo"));
        assert!(
            error.contains("typo") && error.contains("solve_emptys"),
            "{error}"
        );
    }
}
