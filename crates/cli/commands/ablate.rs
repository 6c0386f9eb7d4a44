//! `outflank ablate`: what one change of the configuration is worth.
//!
//! The baseline and each variant are trained on the same budget with the same seeds, and every
//! variant then plays the baseline, each of its seeds against each of the baseline's. All of it
//! lies in one folder, and an interrupted experiment goes on where it was.

mod experiment;

use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use outflank_arena::{PairScores, SearchPlayerConfig};
use outflank_net::CompiledNetwork;
use outflank_run::{Location, Run};
use serde::{Deserialize, Serialize};

use self::experiment::{BASELINE, Experiment};
use super::arena::{Match, play};
use super::loops::Training;
use crate::args::Ablate;
use crate::device::Hardware;
use crate::output::Output;
use crate::players::{ModelPlayer, Named, load_model, open_run, usual_config};
use crate::progress::{say, thousands};
use crate::settings::Settings;
use crate::signals::say_when_stopped;

/// The folder of the matches, in that of the experiment.
const MEETINGS: &str = "meetings";

/// One match of the experiment, as its folder keeps it.
#[derive(Serialize, Deserialize)]
struct Meeting {
    variant: String,
    seeds: [u64; 2],
    terms: Terms,
    /// Pairs of games by points of the variant.
    pairs: PairScores,
}

/// What an experiment says of its matches.
#[derive(PartialEq, Serialize, Deserialize)]
struct Terms {
    games: usize,
    simulations: u32,
    opening_plies: usize,
}

impl Terms {
    fn of(experiment: &Experiment) -> Terms {
        Terms {
            games: experiment.games,
            simulations: experiment.simulations,
            opening_plies: experiment.opening_plies,
        }
    }
}

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Terms {
            games,
            simulations,
            opening_plies,
        } = self;
        write!(
            f,
            "games = {games}, simulations = {simulations}, opening_plies = {opening_plies}"
        )
    }
}

pub fn run(args: &Ablate) -> Result<()> {
    say_when_stopped(
        "finished generations and matches are kept; the same command goes on from there".to_owned(),
    );
    let experiment = Experiment::load(&args.experiment)?;
    let configurations = &experiment.configurations;
    let folder = match &args.run {
        Some(folder) => folder.clone(),
        None => PathBuf::from("runs").join(&experiment.name),
    };
    expect_own(&folder, &experiment)?;
    say(&format!("{}: {}", experiment.name, experiment.question));

    for (variant, settings) in configurations {
        for &seed in &experiment.seeds {
            train(&folder, variant, seed, settings, &args.hardware)?;
        }
    }
    let meetings = folder.join(MEETINGS);
    std::fs::create_dir_all(&meetings)
        .with_context(|| format!("{}: cannot be made", meetings.display()))?;
    let mut rows = Vec::new();
    for (variant, settings) in configurations {
        if variant == BASELINE {
            continue;
        }
        let mut results = Vec::new();
        for &seed in &experiment.seeds {
            for &rival in &experiment.seeds {
                let seeds = [seed, rival];
                let file = meeting_file(&folder, variant, seeds);
                results.push(match kept_meeting(&file, &experiment)? {
                    Some(result) => result,
                    None => {
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

/// Refuses a folder with anything of another experiment, before the first training begins.
fn expect_own(folder: &Path, experiment: &Experiment) -> Result<()> {
    if Run::is_at(&Location::Folder(folder.to_owned()))? {
        bail!(
            "{} holds a run of its own; expected a --run for the experiment alone",
            folder.display()
        );
    }
    for (variant, _) in &experiment.configurations {
        for &seed in &experiment.seeds {
            for &rival in &experiment.seeds {
                kept_meeting(&meeting_file(folder, variant, [seed, rival]), experiment)?;
            }
        }
    }
    for (variant, settings) in &experiment.configurations {
        for &seed in &experiment.seeds {
            let location = Location::Folder(run_folder(folder, variant, seed));
            if !Run::is_at(&location)? {
                continue;
            }
            let Some(text) = open_run(&location)?.config()? else {
                continue;
            };
            let kept = Settings::parse(&text, &format!("{location}/config.toml"))?;
            if let Some(difference) = seeded(settings, variant, seed).difference(&kept) {
                bail!(
                    "{location} was trained with another configuration: {difference}; expected another --run, or the experiment as it was"
                );
            }
        }
    }
    Ok(())
}

/// The file of a match.
fn meeting_file(folder: &Path, variant: &str, seeds: [u64; 2]) -> PathBuf {
    let [seed, rival] = seeds;
    folder
        .join(MEETINGS)
        .join(format!("{variant}-{seed}-{rival}.json"))
}

/// A match that was played already, which must be as the experiment wants it.
fn kept_meeting(file: &Path, experiment: &Experiment) -> Result<Option<Meeting>> {
    let name = file.display();
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).context(name.to_string()),
    };
    let meeting: Meeting = serde_json::from_slice(&bytes).with_context(|| {
        format!("{name} is no match of an experiment; delete it, and the match is played again")
    })?;
    let wanted = Terms::of(experiment);
    if meeting.terms != wanted {
        bail!(
            "{name} was played with {}, and the experiment says {wanted}; expected another \
             --run, the experiment as it was, or the file deleted, and the match is played again",
            meeting.terms
        );
    }
    Ok(Some(meeting))
}

/// The folder of a training.
fn run_folder(folder: &Path, variant: &str, seed: u64) -> PathBuf {
    folder.join(format!("{variant}-{seed}"))
}

/// The configuration of a training.
fn seeded(settings: &Settings, variant: &str, seed: u64) -> Settings {
    Settings {
        seed,
        name: format!("{variant}-{seed}"),
        ..settings.clone()
    }
}

fn train(
    folder: &Path,
    variant: &str,
    seed: u64,
    settings: &Settings,
    hardware: &Hardware,
) -> Result<()> {
    let folder = run_folder(folder, variant, seed);
    let settings = seeded(settings, variant, seed);
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
        seed: seeds[0].wrapping_mul(1000).wrapping_add(seeds[1]),
        threads: super::loops::thread_count(hardware.threads)?,
    })?;
    Ok(Meeting {
        variant: variant.to_owned(),
        seeds,
        terms: Terms::of(experiment),
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
