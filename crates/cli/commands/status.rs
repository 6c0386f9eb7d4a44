//! `outflank status`: how a run that many processes work on is doing.
//!
//! Everything is read from the run's files. Clocks of machines are never compared: a worker counts
//! as active if it published in this generation or the one before, and what happened between two
//! looks is timed by the one who looks.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Result;
use outflank_run::{Folder, LogEntry, Name, Run};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::ladder::kept::{Keeper, Kept, fit, model_of, with_way_out};
use super::learn::games::is_of_files;
use super::tracking::{SUFFIX, Tracked};
use super::waiting::wait_for_run;
use crate::args::Status;
use crate::players::open_run;
use crate::progress::thousands;
use crate::settings::Settings;

/// Between two looks.
const INTERVAL: Duration = Duration::from_secs(5);

/// What a worker said about its part of a generation.
#[derive(Deserialize)]
struct Playing {
    games: u64,
    #[serde(default)]
    positions: u64,
    seconds: f64,
    evaluations: u64,
    #[serde(default)]
    repeated_calls: u64,
}

/// What the trainer said about a generation.
#[derive(Deserialize)]
struct Learning {
    losses: Losses,
    steps: u64,
    learning_seconds: f64,
    #[serde(default)]
    waiting_seconds: f64,
    #[serde(default)]
    repeated_calls: u64,
}

#[derive(Deserialize)]
struct Losses {
    policy: f64,
    outcome: f64,
}

/// How a run is doing, for programs.
#[derive(Serialize)]
struct Summary<'a> {
    run: &'a str,
    /// The newest model; none if there is none yet.
    model: Option<u64>,
    /// Generations of the whole run.
    generations: Option<u64>,
    games: u64,
    positions: u64,
    /// Chunks that the present generation holds.
    chunks: u64,
    /// Chunks of a whole generation: with as many, the workers wait for the trainer.
    chunks_wanted: u64,
    /// Chunks of the generation before that came too late.
    chunks_late: u64,
    /// Who published in this generation or the one before.
    workers: Vec<&'a String>,
}

/// One look at a run.
struct Look {
    at: Instant,
    latest: Option<LogEntry>,
    /// What the run's measurements are called.
    metrics: Vec<Name>,
    /// Chunks of the generation that is played now, by worker.
    present: BTreeMap<String, u64>,
    /// Likewise of the one before, those that came too late included.
    before: BTreeMap<String, u64>,
}

pub fn run(args: &Status) -> Result<()> {
    if args.watch {
        wait_for_run(&args.run)?;
    }
    let run = open_run(&args.run)?;
    let settings = run
        .config()?
        .map(|text| Settings::parse(&text, &run.store().path("config.toml")))
        .transpose()?;
    let mut earlier: Option<Look> = None;
    let mut matches = Kept::default();
    loop {
        let look = Look::at(&run)?;
        if args.json {
            let summary = look.summary(&run, settings.as_ref());
            println!("{}", serde_json::to_string(&summary)?);
        } else {
            matches.read_new(&run)?;
            let text = look.describe(&run, settings.as_ref(), earlier.as_ref(), &matches)?;
            print!("{text}");
        }
        if !args.watch {
            return Ok(());
        }
        if !args.json {
            println!();
        }
        earlier = Some(look);
        std::thread::sleep(INTERVAL);
    }
}

/// Chunks of a whole generation and games of each.
fn wanted(settings: Option<&Settings>) -> (u64, u64) {
    settings.map_or((0, 1), |settings| {
        let games = settings.games_per_chunk;
        (settings.games_per_generation / games, games)
    })
}

impl Look {
    fn at(run: &Run) -> Result<Look> {
        let latest = run.latest()?;
        let generation = latest.as_ref().map_or(0, |entry| entry.seq);
        let before = match generation.checked_sub(1) {
            Some(generation) => by_worker(run, generation)?,
            None => BTreeMap::new(),
        };
        Ok(Look {
            at: Instant::now(),
            present: by_worker(run, generation)?,
            metrics: run.results(Folder::Metrics)?,
            before,
            latest,
        })
    }

    fn summary<'a>(&'a self, run: &'a Run, settings: Option<&Settings>) -> Summary<'a> {
        let totals = self.latest.as_ref().map(|entry| entry.totals);
        let totals = totals.unwrap_or_default();
        Summary {
            run: run.location(),
            model: self.latest.as_ref().map(|entry| entry.seq),
            generations: settings.map(|settings| settings.generations),
            games: totals.games,
            positions: totals.positions,
            chunks: self.present.values().sum(),
            chunks_wanted: wanted(settings).0,
            chunks_late: self.late(),
            workers: self.active(),
        }
    }

    /// Chunks of the generation before that the newest entry did not take.
    fn late(&self) -> u64 {
        let taken = self.latest.as_ref().map_or(0, |entry| entry.chunks.len());
        self.before.values().sum::<u64>() - taken as u64
    }

    /// Who published in this generation or the one before.
    fn active(&self) -> Vec<&String> {
        let mut active: Vec<&String> = self.present.keys().chain(self.before.keys()).collect();
        active.sort_unstable();
        active.dedup();
        active
    }

    fn describe(
        &self,
        run: &Run,
        settings: Option<&Settings>,
        earlier: Option<&Look>,
        matches: &Kept,
    ) -> Result<String> {
        let Some(latest) = &self.latest else {
            return Ok(format!(
                "{} has no model yet: it waits for `outflank learn`\n",
                run.location()
            ));
        };
        let mut lines = vec![self.progress(run, latest, settings)];
        lines.push(match is_of_files(run)? {
            true => "it learns from files of games".to_owned(),
            false => self.queue(latest, settings, earlier),
        });
        lines.extend(self.workers(run, latest)?);
        lines.extend(self.measured(run, latest)?);
        lines.extend(rating(matches)?);
        Ok(lines.join("\n") + "\n")
    }

    fn progress(&self, run: &Run, latest: &LogEntry, settings: Option<&Settings>) -> String {
        // More may have been asked for than the configuration says.
        let wanted = settings.map(|settings| settings.generations);
        let of = wanted
            .filter(|&wanted| latest.seq <= wanted)
            .map_or(String::new(), |wanted| format!(" of {wanted}"));
        let totals = latest.totals;
        format!(
            "{}: model {}{of}; {} games, {} positions, {} samples",
            run.location(),
            latest.seq,
            thousands(totals.games),
            thousands(totals.positions),
            thousands(totals.samples),
        )
    }

    /// How full the generation is that is played now. Whether anybody is at work, no file says.
    fn queue(
        &self,
        latest: &LogEntry,
        settings: Option<&Settings>,
        earlier: Option<&Look>,
    ) -> String {
        let held: u64 = self.present.values().sum();
        let late = self.late();
        let (wanted, games) = wanted(settings);
        if held == 0 && settings.is_some_and(|settings| latest.seq >= settings.generations) {
            return "all generations are done".to_owned();
        }
        let mut line = format!(
            "generation {}: {held} of {wanted} chunks of {games} games",
            latest.seq + 1
        );
        if held >= wanted {
            line += "; next it is learned from";
        } else {
            line += &format!("; {} are still to be played", wanted - held);
        }
        if late > 0 {
            line += &format!("; {late} chunks of the one before came too late");
        }
        if let Some(earlier) = earlier {
            let seconds = (self.at - earlier.at).as_secs_f64();
            let rate = self.chunks_since(earlier) as f64 * games as f64 / seconds;
            line += &format!("; {rate:.1} games/s since the last look");
        }
        line
    }

    /// Chunks that were published since an earlier look, at most one generation ago.
    fn chunks_since(&self, earlier: &Look) -> u64 {
        let seq = |look: &Look| look.latest.as_ref().map_or(0, |entry| entry.seq);
        let held = |chunks: &BTreeMap<String, u64>| chunks.values().sum::<u64>();
        let (now, then) = (held(&self.present), held(&earlier.present));
        match seq(self) - seq(earlier) {
            0 => now - then,
            1 => now + held(&self.before).saturating_sub(then),
            _ => now + held(&self.before),
        }
    }

    fn workers(&self, run: &Run, latest: &LogEntry) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        for worker in self.active() {
            let count = |chunks: &BTreeMap<String, u64>| chunks.get(worker).copied().unwrap_or(0);
            let mut line = format!(
                "  worker {worker}: {} chunks now, {} in the generation before",
                count(&self.present),
                count(&self.before)
            );
            // The name under which `loops` keeps it.
            let short: String = worker.chars().take(40).collect();
            let name = format!("{:06}-{short}-selfplay", latest.seq);
            if let Some(playing) = self.metric::<Playing>(run, &name)? {
                let seconds = playing.seconds.max(1e-9);
                line += &format!(
                    ", {:.1} games/s, {:.0} positions/s and {} evaluations/s then",
                    playing.games as f64 / seconds,
                    playing.positions as f64 / seconds,
                    thousands((playing.evaluations as f64 / seconds) as u64)
                );
                line += &repetitions(playing.repeated_calls);
            }
            lines.push(line);
        }
        if lines.is_empty() {
            lines.push("  no worker has published in this generation or the one before".into());
        }
        Ok(lines)
    }

    /// The newest lesson and the newest accuracy.
    fn measured(&self, run: &Run, latest: &LogEntry) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        let learned: Option<Learning> = self.metric(run, &format!("{:06}-learning", latest.seq))?;
        if let Some(learned) = learned {
            lines.push(format!(
                "  trainer: loss policy {:.3} outcome {:.3}; {} steps in {:.1} s, after {:.1} s without{}",
                learned.losses.policy,
                learned.losses.outcome,
                learned.steps,
                learned.learning_seconds,
                learned.waiting_seconds,
                repetitions(learned.repeated_calls)
            ));
        }
        let names = self.metrics.iter().map(Name::as_str);
        let newest = names.filter(|name| name.ends_with(SUFFIX)).max();
        if let Some(name) = newest
            && let Some(tracked) = self.metric::<Tracked>(run, name)?
            && let Some(row) = tracked.accuracy
        {
            lines.push(format!(
                "  model {}: best moves {:.0} % by the policy and {:.0} % by the search",
                tracked.generation,
                100.0 * row.policy.optimal,
                100.0 * row.search.optimal
            ));
        }
        Ok(lines)
    }

    /// A measurement, if it is there.
    fn metric<T: DeserializeOwned>(&self, run: &Run, name: &str) -> Result<Option<T>> {
        let found = self.metrics.iter().find(|found| found.as_str() == name);
        found
            .map(|name| run.read_result(Folder::Metrics, name).map_err(with_way_out))
            .transpose()
    }
}

/// Trouble with the storage, if there was any.
fn repetitions(calls: u64) -> String {
    match calls {
        0 => String::new(),
        calls => format!("; {calls} calls to the storage were repeated"),
    }
}

/// The rating of the newest model that has one, as training and `outflank ladder` measure it.
fn rating(matches: &Kept) -> Result<Option<String>> {
    let ladder = fit(matches.0.values())?;
    let tried = |name: &Name| Keeper::Arena.number(name).is_some();
    let measuring = matches.0.iter().filter(|(name, _)| !tried(name));
    let players = measuring.flat_map(|(_, result)| &result.players);
    let models = players.filter_map(|name| Some((model_of(name)?.0, name)));
    let newest = models.max();
    Ok(newest.and_then(|(_, name)| Some(format!("  {name}: Elo {}", ladder.rating(name)?))))
}

/// Chunks of a generation, by worker.
fn by_worker(run: &Run, generation: u64) -> Result<BTreeMap<String, u64>> {
    let mut chunks = BTreeMap::new();
    for key in run.chunks(generation)? {
        *chunks.entry(key.worker.to_string()).or_default() += 1;
    }
    Ok(chunks)
}
