//! What `train`, `selfplay` and `learn` share: opening a run, and the two halves of its loop.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use outflank_net::{BurnEvaluator, CompiledNetwork, Model, Weights};
use outflank_records::GameRecord;
use outflank_run::{Created, Folder, Location, LogEntry, Name, Run, RunError};
use outflank_selfplay::{Batcher, Effort, GenerationPlan, fill_generation};
use outflank_train::{
    LearnError, Learner, LearningPlan, Lesson, Losses, Reanalysed, ReanalysisPlan,
};
use serde::Serialize;

use super::gate::champion;
use super::tracking::Tracker;
use crate::device::{Compute, Hardware};
use crate::players::open_store;
use crate::progress::{Bar, bar, duration, say, thousands};
use crate::settings::Settings;

/// The name under which `train` plays its games.
const WORKER: &str = "train";

/// Positions that a GPU evaluates together, and games that all threads together keep under way for
/// it, if a generation has so many.
const GPU_BATCH: usize = 4096;

/// A run with its configuration.
pub struct Training {
    pub run: Run,
    pub settings: Settings,
    /// Threads for self-play.
    pub threads: usize,
    compute: Compute,
    repeated_calls: Arc<AtomicU64>,
}

/// The measurements of one generation, as the run keeps them.
#[derive(Serialize)]
struct Metrics {
    generation: u64,
    games: u64,
    positions: u64,
    window: usize,
    steps: u64,
    learning_rate: f64,
    losses: Losses,
    learning_seconds: f64,
    /// From the lesson before to this one.
    waiting_seconds: f64,
    /// Samples of these steps.
    samples: u64,
    /// Those among them that were searched anew, and the time for it.
    reanalysed: u64,
    reanalysis_seconds: f64,
    /// Calls to the storage that were repeated, since this process began.
    repeated_calls: u64,
}

/// What one worker played of a generation in one go, as the run keeps it.
#[derive(Serialize)]
struct Playing {
    generation: u64,
    games: u64,
    /// Positions that were searched.
    positions: u64,
    seconds: f64,
    evaluations: u64,
    /// The share of the threads' time in the network, 0 to 1.
    network_share: f64,
    /// Calls to the storage that were repeated, since this process began.
    repeated_calls: u64,
}

impl Training {
    /// Opens the run at `location`, or starts one there with the configuration `given`. An existing
    /// run keeps the configuration that it began with; a different one is an error.
    pub fn open(
        location: &Location,
        given: Option<Settings>,
        hardware: &Hardware,
    ) -> Result<Training> {
        let compute = Compute::find(hardware.device)?;
        // Without looking first, a mistyped name would leave a folder behind.
        if given.is_none() && !Run::is_at(location)? {
            bail!("there is no run at {location}; with --config one would be started there");
        }
        let repeated_calls = Arc::new(AtomicU64::new(0));
        let store = open_store(location, repeated_calls.clone())?;
        let source = store.path("config.toml");
        let run = match &given {
            Some(_) => Run::open_or_create(store)?,
            None => Run::open(store)?,
        };
        let settings = match (run.config()?, given) {
            (Some(text), given) => {
                let settings = Settings::parse(&text, &source)?;
                if let Some(difference) = given.and_then(|given| given.difference(&settings)) {
                    bail!(
                        "{location} was started with another configuration: {difference}; \
                         take another --run, or leave --config away to go on with the run's own"
                    );
                }
                settings
            }
            (None, Some(given)) => match run.write_config(&given.to_toml())? {
                Created::New => given,
                Created::AlreadyThere => {
                    let text = run.config()?.context("the configuration was just there")?;
                    Settings::parse(&text, &source)?
                }
            },
            (None, None) => bail!("{location} has no configuration yet; give one with --config"),
        };
        Ok(Training {
            run,
            settings,
            threads: thread_count(hardware.threads)?,
            compute,
            repeated_calls,
        })
    }

    /// Compares what a command says of a run's beginning with a run that may be there from before:
    /// another seed is refused, another network told, as it is of no account any more.
    pub fn compare_beginning(&self, seed: Option<u64>, start: Option<&Weights>) -> Result<()> {
        let location = self.run.location();
        if let Some(seed) = seed.filter(|&seed| seed != self.settings.seed) {
            bail!(
                "{location} was started with the seed {}, and --seed is {seed}; take another --run, or leave --seed away to go on",
                self.settings.seed
            );
        }
        let (Some(start), Some(first)) = (start, self.run.entry(0)?) else {
            return Ok(());
        };
        let began_so = match self.run.read_model(&first, &Model::FILE.parse()?) {
            Ok(bytes) => Model::from_bytes(&bytes)?.weights == *start,
            // Pruned, so that nobody can tell.
            Err(RunError::Missing { .. }) => true,
            Err(error) => return Err(error.into()),
        };
        if !began_so {
            say(&format!(
                "{location} began with another network than --from names, and goes on from its own"
            ));
        }
        Ok(())
    }

    /// The learner of the run; a new run begins with the network `start`, or with a fresh one.
    pub fn learner<'a>(
        &'a self,
        generations: u64,
        start: Option<&'a Weights>,
    ) -> Result<Learner<'a>> {
        let plan = LearningPlan {
            architecture: &self.settings.network,
            start,
            training: &self.settings.training,
            reanalysis: ReanalysisPlan {
                search: &self.settings.selfplay.search,
                precision: self.settings.selfplay.precision,
                threads: self.threads,
            },
            seed: self.settings.seed,
            generations,
        };
        Ok(Learner::open(&self.run, plan, &self.compute.training())?)
    }

    /// Plays and learns, generation by generation, to the last. Returns the newest entry of the log.
    pub fn train(&self, generations: u64, start: Option<&Weights>) -> Result<LogEntry> {
        let mut learner = self.learner(generations, start)?;
        let seq = learner.latest().seq;
        let network = &self.settings.network;
        say(&format!(
            "{}: {}, generation {seq} of {generations}, {} threads",
            self.run.location(),
            self.settings.training.architecture_at(network, seq),
            self.threads,
        ));
        let worker = WORKER.parse()?;
        let mut tracker = match seq < generations {
            true => Tracker::open(self)?,
            false => None,
        };
        if let Some(tracker) = &mut tracker
            && seq == 0
        {
            tracker.measure(0)?;
        }
        self.report_taken_over(seq, learner.gather()?);
        while learner.latest().seq < generations {
            // More than once only where somebody has deleted games meanwhile.
            while learner.gather()? < self.chunks() {
                self.play_generation(learner.latest(), &worker)?;
            }
            self.learn_generation(&mut learner, generations)?;
            if let Some(tracker) = &mut tracker {
                tracker.measure(learner.latest().seq)?;
            }
        }
        Ok(learner.latest().clone())
    }

    /// Says how much of a generation was there before this process began.
    pub fn report_taken_over(&self, seq: u64, chunks: u64) {
        if chunks > 0 {
            say(&format!(
                "generation {}: {} of {} games are there from before",
                seq + 1,
                thousands(chunks * self.settings.games_per_chunk),
                thousands(self.settings.games_per_generation),
            ));
        }
    }

    /// Chunks that a whole generation has.
    pub fn chunks(&self) -> u64 {
        self.settings.games_per_generation / self.settings.games_per_chunk
    }

    /// Plays what the generation of a log entry lacks, with the entry's model. Whether it lacked
    /// anything.
    pub fn play_generation(&self, entry: &LogEntry, worker: &Name) -> Result<bool> {
        let settings = &self.settings;
        let missing = self
            .chunks()
            .saturating_sub(self.run.chunks(entry.seq)?.len() as u64);
        if missing == 0 {
            return Ok(false);
        }
        let player = champion(self, entry)?;
        let bytes = self.run.read_model(&player, &Model::FILE.parse()?)?;
        let model = Model::from_bytes(&bytes).with_context(|| format!("model {}", player.seq))?;
        let architecture = settings
            .training
            .architecture_at(&settings.network, player.seq);
        model.weights.architecture().expect(&architecture)?;
        let earlier = self.games_to_branch_from(entry)?;
        let plan = GenerationPlan {
            config: &settings.selfplay,
            earlier: &earlier,
            size: settings.network.size,
            seed: settings.seed,
            generation: entry.seq,
            chunks: self.chunks(),
            games_per_chunk: settings.games_per_chunk,
            worker,
            threads: self.threads,
        };
        let label = format!("generation {}, playing", entry.seq + 1);
        let bar = bar(missing * settings.games_per_chunk, &label, "games");
        let begin = Instant::now();
        let (mut games, mut positions) = (0, 0);
        let progress = |game: &GameRecord| {
            games += 1;
            positions += game.searched_plies() as u64;
            bar.inc(1);
            ControlFlow::Continue(())
        };
        let effort = match &self.compute {
            Compute::Cpu => {
                let precision = settings.selfplay.precision;
                let network = CompiledNetwork::with_precision(&model.weights, precision);
                fill_generation(&self.run, &plan, || network.clone(), progress)?
            }
            Compute::Gpu(device) => {
                let device = device.clone();
                let network = move || BurnEvaluator::new(&model.weights, &device);
                let batcher = Batcher::start(network, GPU_BATCH);
                let mut config = settings.selfplay.clone();
                let share = GPU_BATCH.div_ceil(self.threads);
                config.games_in_flight = config.games_in_flight.max(share);
                let plan = GenerationPlan {
                    config: &config,
                    ..plan
                };
                let effort = fill_generation(&self.run, &plan, || batcher.evaluator(), progress)?;
                let (generation, batch) = (entry.seq + 1, batcher.mean_batch());
                say(&format!(
                    "generation {generation}: {batch:.0} positions a batch"
                ));
                effort
            }
        };
        bar.finish_and_clear();
        let time = begin.elapsed();
        report_games(entry.seq + 1, games, time, &effort);
        let playing = Playing {
            generation: entry.seq + 1,
            games,
            positions,
            seconds: time.as_secs_f64(),
            evaluations: effort.evaluations,
            network_share: network_share(&effort),
            repeated_calls: self.repeated_calls.load(Ordering::Relaxed),
        };
        // Names have a limit, and a worker may use all of it.
        let short: String = worker.as_str().chars().take(40).collect();
        let name = format!("{:06}-{short}-selfplay", playing.generation).parse()?;
        if self.run.put_result(Folder::Metrics, &name, &playing)? == Created::AlreadyThere {
            say(&format!(
                "generation {}: somebody else has played as {worker} too; two workers of one name play the \
                 same games, and the second's are lost: give each its own --worker",
                playing.generation
            ));
        }
        Ok(true)
    }

    /// The games of the generation before, where games branch from them.
    fn games_to_branch_from(&self, entry: &LogEntry) -> Result<Vec<GameRecord>> {
        let mut games = Vec::new();
        if self.settings.selfplay.branch_share > 0.0 {
            games = self.run.read_all_taken(&entry.chunks)?.concat();
        }
        Ok(games)
    }

    /// Learns from the games of the learner's generation and commits the next model.
    pub fn learn_generation(&self, learner: &mut Learner<'_>, generations: u64) -> Result<()> {
        self.lesson(learner, generations, |learner, bar| {
            learner.learn(|done, all| show(bar, done, all))
        })
    }

    /// Learns from the games of all generations once more and commits the next model.
    pub fn revise_generation(&self, learner: &mut Learner<'_>, generations: u64) -> Result<()> {
        self.lesson(learner, generations, |learner, bar| {
            learner.revise(|done, all| show(bar, done, all))
        })
    }

    fn lesson<'a>(
        &self,
        learner: &mut Learner<'a>,
        generations: u64,
        learn: impl FnOnce(&mut Learner<'a>, &Bar) -> Result<Lesson, LearnError>,
    ) -> Result<()> {
        let label = format!("generation {}, learning", learner.latest().seq + 1);
        let bar = bar(0, &label, "steps");
        let lesson = learn(learner, &bar)?;
        bar.finish_and_clear();
        report_lesson(&lesson, generations);
        self.keep_metrics(&lesson)
    }

    fn keep_metrics(&self, lesson: &Lesson) -> Result<()> {
        let entry = &lesson.entry;
        let metrics = Metrics {
            generation: entry.seq,
            games: entry.totals.games,
            positions: entry.totals.positions,
            window: lesson.window,
            steps: lesson.steps,
            learning_rate: lesson.learning_rate,
            losses: lesson.losses,
            learning_seconds: lesson.training.as_secs_f64(),
            waiting_seconds: lesson.waiting.as_secs_f64(),
            samples: samples(lesson) as u64,
            reanalysed: lesson.reanalysed.samples,
            reanalysis_seconds: lesson.reanalysed.time.as_secs_f64(),
            repeated_calls: self.repeated_calls.load(Ordering::Relaxed),
        };
        let name = format!("{:06}-learning", entry.seq).parse()?;
        self.run.put_result(Folder::Metrics, &name, &metrics)?;
        Ok(())
    }
}

fn show(bar: &Bar, done: u64, all: u64) {
    bar.set_length(all);
    bar.set_position(done);
}

/// The number of threads asked for, or all cores.
pub fn thread_count(asked: Option<usize>) -> Result<usize> {
    match asked {
        Some(threads) => Ok(threads),
        None => Ok(std::thread::available_parallelism()?.get()),
    }
}

/// The share of the threads' time that they spent in the network.
fn network_share(effort: &Effort) -> f64 {
    effort.evaluating.as_secs_f64() / effort.total.as_secs_f64().max(1e-9)
}

fn report_games(generation: u64, games: u64, time: Duration, effort: &Effort) {
    let share = 100.0 * network_share(effort);
    let seconds = time.as_secs_f64();
    say(&format!(
        "generation {generation}: {games} games in {}, {:.1} games/s, {} evaluations/s, {share:.0} % of the time in the network",
        duration(time),
        games as f64 / seconds,
        thousands((effort.evaluations as f64 / seconds) as u64),
    ));
}

/// The samples of a lesson's steps, which are all alike.
fn samples(lesson: &Lesson) -> f64 {
    let totals = lesson.entry.totals;
    totals.samples as f64 / totals.steps as f64 * lesson.steps as f64
}

fn report_lesson(lesson: &Lesson, generations: u64) {
    let Losses {
        policy,
        outcome,
        margin,
        ownership,
        ..
    } = lesson.losses;
    let (entry, seconds) = (&lesson.entry, lesson.training.as_secs_f64());
    say(&format!(
        "generation {}/{generations}: loss policy {policy:.3} outcome {outcome:.3} margin {margin:.3} ownership {ownership:.3}; {} games, {} positions, {} steps in {}, {} samples/s",
        entry.seq,
        thousands(entry.totals.games),
        thousands(entry.totals.positions),
        lesson.steps,
        duration(lesson.training),
        thousands((samples(lesson) / seconds) as u64),
    ));
    let Reanalysed { samples, time } = lesson.reanalysed;
    if samples > 0 {
        say(&format!(
            "generation {}/{generations}: {} samples searched anew in {}",
            entry.seq,
            thousands(samples),
            duration(time),
        ));
    }
}
