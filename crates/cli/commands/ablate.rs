//! `outflank ablate`: what one change of the configuration is worth.
//!
//! The baseline and each variant are trained on the same budget with the same seeds, and every
//! variant then plays the baseline, each of its seeds against each of the baseline's. All of it
//! lies in one folder, and an interrupted experiment goes on where it was. `cost` says what each
//! training took, and `chart` draws the result.

mod chart;
mod cost;
mod experiment;

use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use outflank_arena::{PairScores, SearchPlayerConfig};
use outflank_net::CompiledNetwork;
use outflank_run::{Location, Run};
use serde::{Deserialize, Serialize};

use self::cost::Cost;
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
    let mut results = Vec::new();
    for (variant, settings) in configurations {
        let mut matches = Vec::new();
        for seeds in seed_pairs(variant, &experiment.seeds) {
            let file = meeting_file(&folder, variant, seeds);
            matches.push(match kept_meeting(&file, &experiment)? {
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
        let costs = experiment.seeds.iter().map(|&seed| {
            let location = Location::Folder(run_folder(&folder, variant, seed));
            Cost::of(&open_run(&location)?)
        });
        results.push(VariantResult {
            variant: variant.clone(),
            matches: matches.iter().map(|m| (m.seeds, m.pairs)).collect(),
            cost: costs.sum::<Result<Cost>>()?,
        });
    }
    let text = format!(
        "Elo of each variant over the {BASELINE}, from {} games a match at {} simulations:\n{}\n\
         The interval is that of the games; how far trainings of other seeds differ is in the last column.\n\n\
         What each took, all seeds together:\n{}",
        experiment.games,
        experiment.simulations,
        aligned(&strengths(&results)),
        aligned(&costs(&results)),
    );
    print!("{text}");
    let output = Output::begin(&folder.join("result.txt"))?;
    output.finish(format!("{}\n\n{text}", experiment.question).as_bytes())?;
    let plot = Output::begin(&folder.join("result.svg"))?;
    let path = plot.path().display().to_string();
    plot.finish(chart::svg(&results)?.as_bytes())?;
    println!(
        "{path} shows it; everything is in {}. Train with what won: `outflank train --config FILE`.",
        folder.display()
    );
    Ok(())
}

/// What came of a variant.
struct VariantResult {
    variant: String,
    /// By the seeds of the variant and of the baseline, the pairs of games by points of the variant.
    matches: Vec<([u64; 2], PairScores)>,
    /// Of its trainings with all seeds.
    cost: Cost,
}

impl VariantResult {
    /// All matches together.
    fn pairs(&self) -> PairScores {
        let parts = self.matches.iter().map(|&(_, pairs)| pairs);
        parts.fold(PairScores::default(), |sum, pairs| sum + pairs)
    }
}

/// The seeds of a variant and of the baseline that meet: each with each, and of the baseline itself
/// each two, which shows what the seed alone does.
fn seed_pairs(variant: &str, seeds: &[u64]) -> Vec<[u64; 2]> {
    let all = (0..seeds.len()).flat_map(|i| (0..seeds.len()).map(move |j| [i, j]));
    all.filter(|[i, j]| variant != BASELINE || i < j)
        .map(|pair| pair.map(|i| seeds[i]))
        .collect()
}

/// The table of the matches.
fn strengths(results: &[VariantResult]) -> Vec<Vec<String>> {
    let head = ["variant", "Elo", "by seeds, the variant's : the baseline's"];
    let rows = results.iter().map(|result| {
        let own = result.variant == BASELINE;
        let elo = match own {
            true => String::new(),
            false => result.pairs().elo().to_string(),
        };
        let each = result.matches.iter().map(|([seed, rival], pairs)| {
            let elo = pairs.elo().elo;
            format!("{seed}:{rival} {elo:+.0}")
        });
        vec![
            result.variant.clone(),
            elo,
            each.collect::<Vec<_>>().join("  "),
        ]
    });
    std::iter::once(head.map(str::to_owned).to_vec())
        .chain(rows)
        .collect()
}

/// The table of what the trainings took.
fn costs(results: &[VariantResult]) -> Vec<Vec<String>> {
    let row = |name: &str, cells: Vec<String>| [vec![name.to_owned()], cells].concat();
    let head = row("variant", cost::COLUMNS.map(str::to_owned).to_vec());
    let rows = results
        .iter()
        .map(|result| row(&result.variant, result.cost.cells().to_vec()));
    std::iter::once(head).chain(rows).collect()
}

/// Rows as lines, each column as wide as its widest cell.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(String::len).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_meets_every_baseline_and_the_baseline_its_other_seeds() {
        let all = [[5, 5], [5, 7], [7, 5], [7, 7]];
        assert_eq!(seed_pairs("wide", &[5, 7]), all);
        assert_eq!(seed_pairs(BASELINE, &[5, 7]), [[5, 7]]);
        assert!(seed_pairs(BASELINE, &[5]).is_empty());
    }
}
