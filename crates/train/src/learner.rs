use std::sync::mpsc;
use std::time::{Duration, Instant};

use burn::tensor::Device;
use bytes::Bytes;
use outflank_net::{
    Architecture, CheckpointError, Model, OptimizerError, TrainingFacts, TrainingState, Weights,
};
use outflank_records::{GameRecord, ReplayError, Window};
use outflank_run::{ChunkKey, Commit, LogEntry, Name, Run, RunError, TakenChunk};

use crate::drawing::Drawing;
use crate::gather::Gathered;
use crate::reanalysis::{Reanalysed, Reanalyst};
use crate::{Batch, GrowError, Losses, ReanalysisPlan, Trainer, TrainingConfig};

/// Batches that are prepared ahead of the step that needs them.
const BATCHES_AHEAD: usize = 2;

/// What a learner is to make of a run.
#[derive(Clone, Debug)]
pub struct LearningPlan<'a> {
    /// The network's shape at the beginning.
    pub architecture: &'a Architecture,
    /// The network to begin with; a fresh one if there is none.
    pub start: Option<&'a Weights>,
    /// How it learns.
    pub training: &'a TrainingConfig,
    /// How positions are searched anew, if the training has a share of them.
    pub reanalysis: ReanalysisPlan<'a>,
    /// The seed of the run.
    pub seed: u64,
    /// Generations of the whole run, for the schedule of the learning rate.
    pub generations: u64,
}

/// Why learning failed.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    /// The run's storage failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A stored network cannot be used.
    #[error("model {seq}: {source}")]
    Model {
        /// The number of the model.
        seq: u64,
        /// What is wrong with it.
        source: CheckpointError,
    },
    /// The optimiser's state could not be stored or restored.
    #[error(transparent)]
    Optimizer(#[from] OptimizerError),
    /// The network could not become larger as planned.
    #[error("growing the network: {0}")]
    Grow(#[from] GrowError),
    /// A game of a chunk is against the rules.
    #[error("{chunk}: game {game}: {source}")]
    Game {
        /// The chunk.
        chunk: String,
        /// Which of its games, from 1.
        game: usize,
        /// What is wrong with it.
        source: ReplayError,
    },
    /// Another trainer works on the same run, and was faster.
    #[error(
        "another trainer, {winner}, made model {seq} of this run; only one may learn at a time"
    )]
    Rival {
        /// The other trainer.
        winner: Name,
        /// The model that both made.
        seq: u64,
    },
    /// The generation has no positions to learn from.
    #[error(
        "the games of model {0} have no positions to learn from: none was searched or solved, or none counts; see \
         selfplay.opening_plies, selfplay.solve_empties and training.kinds in the configuration"
    )]
    NoPositions(u64),
}

/// What a generation of learning came to.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// The commit.
    pub entry: LogEntry,
    /// Means over the steps.
    pub losses: Losses,
    /// Steps of this generation.
    pub steps: u64,
    /// Positions in the replay window.
    pub window: usize,
    /// The learning rate of the last step.
    pub learning_rate: f64,
    /// Time in the steps, and in searching anew beside them.
    pub training: Duration,
    /// What was searched anew.
    pub reanalysed: Reanalysed,
    /// Time between the lesson before, or the start, and this one: for games, as a rule.
    pub waiting: Duration,
}

/// The trainer of a run: takes the games of one generation after the other, learns, and commits a
/// model for each.
pub struct Learner<'a> {
    run: &'a Run,
    plan: LearningPlan<'a>,
    name: Name,
    trainer: Trainer,
    window: Window,
    latest: LogEntry,
    gathered: Gathered,
    /// When it last committed, or opened the run.
    idle_since: Instant,
}

impl<'a> Learner<'a> {
    /// Goes on where the run's log ends; a new run gets the untrained network as model 0.
    pub fn open(
        run: &'a Run,
        plan: LearningPlan<'a>,
        device: &Device,
    ) -> Result<Learner<'a>, LearnError> {
        let name = Name::unique("trainer")?;
        let history = run.history()?;
        let mut window =
            Window::new(0, plan.training.kinds).with_surprise_share(plan.training.surprise_share);
        let (trainer, latest) = match history.last() {
            None => {
                let trainer = match plan.start {
                    Some(weights) => Trainer::from_weights(weights.clone(), plan.training, device),
                    None => Trainer::new(plan.architecture, plan.training, plan.seed, device),
                };
                let entry = commit(run, None, &name, &trainer, Vec::new(), 0, 0)?;
                (trainer, entry)
            }
            Some(latest) => {
                let trainer = restore(run, latest, &plan, device)?;
                refill(run, &history, &plan, &mut window)?;
                (trainer, latest.clone())
            }
        };
        Ok(Learner {
            run,
            plan,
            name,
            trainer,
            window,
            latest,
            gathered: Gathered::default(),
            idle_since: Instant::now(),
        })
    }

    /// The newest entry of the log.
    pub fn latest(&self) -> &LogEntry {
        &self.latest
    }

    /// The average of weights that the newest model is made of.
    pub fn weights(&self) -> &Weights {
        self.trainer.average()
    }

    /// Reads the chunks that the present generation has by now, and counts them. Called while the
    /// trainer waits, it leaves [`Learner::learn`] only the last ones to read. Where another trainer
    /// has committed the next model there is nothing to wait for: [`LearnError::Rival`].
    pub fn gather(&mut self) -> Result<u64, LearnError> {
        if let Some(next) = self.run.entry(self.latest.seq + 1)? {
            return Err(LearnError::Rival {
                winner: next.trainer,
                seq: next.seq,
            });
        }
        Ok(self.gathered.read_more(self.run, self.latest.seq)?)
    }

    /// Takes the chunks that the present generation has, learns from the window, and commits the
    /// next model. `progress` is told the steps done and the steps to do.
    pub fn learn(&mut self, progress: impl FnMut(u64, u64)) -> Result<Lesson, LearnError> {
        self.gather()?;
        let (taken, games): (Vec<TakenChunk>, Vec<_>) = self.gathered.take().unzip();
        let mut fresh = 0;
        let positions: u64 = taken.iter().map(|chunk| chunk.positions).sum();
        let capacity = self
            .plan
            .training
            .window
            .positions(self.latest.totals.positions + positions);
        self.window.set_capacity(capacity);
        for (chunk, games) in taken.iter().zip(&games) {
            fresh += push(&mut self.window, &chunk.key, games)?;
        }
        let seen = self.window.len().saturating_sub(fresh);
        self.lesson(taken, fresh, seen, progress)
    }

    /// Learns from the whole window once more, without new games, and commits the next model: for
    /// games that are all there from the beginning.
    pub fn revise(&mut self, progress: impl FnMut(u64, u64)) -> Result<Lesson, LearnError> {
        let all = self.window.len();
        self.lesson(Vec::new(), all, all, progress)
    }

    /// Learns as much as `positions` are worth, and commits. The oldest `seen` positions of the
    /// window were there in the lesson before.
    fn lesson(
        &mut self,
        taken: Vec<TakenChunk>,
        positions: usize,
        seen: usize,
        mut progress: impl FnMut(u64, u64),
    ) -> Result<Lesson, LearnError> {
        let generation = self.latest.seq;
        if positions == 0 {
            return Err(LearnError::NoPositions(generation));
        }
        self.grow(generation)?;
        let config = self.plan.training;
        let waiting = self.idle_since.elapsed();
        let begin = Instant::now();
        let wanted =
            positions as f64 * f64::from(config.samples_per_position) / config.batch_size as f64;
        let steps = (wanted.round() as u64).max(1);
        let Steps {
            losses,
            learning_rate,
            reanalysed,
        } = self.train(generation, steps, seen, &mut progress);
        let training = begin.elapsed();

        let samples = steps * config.batch_size as u64;
        self.latest = commit(
            self.run,
            Some(&self.latest),
            &self.name,
            &self.trainer,
            taken,
            steps,
            samples,
        )?;
        self.idle_since = Instant::now();
        let entry = self.latest.clone();
        Ok(Lesson {
            entry,
            losses,
            steps,
            window: self.window.len(),
            learning_rate,
            training,
            reanalysed,
            waiting,
        })
    }

    /// Makes the network larger if this is the generation for it.
    fn grow(&mut self, generation: u64) -> Result<(), LearnError> {
        let LearningPlan {
            architecture,
            training,
            seed,
            ..
        } = self.plan;
        let wanted = training.architecture_at(architecture, generation + 1);
        if *self.trainer.architecture() != wanted {
            // Other fresh weights than those that the run began with.
            let seed = seed ^ (generation + 1).rotate_right(16);
            self.trainer = self.trainer.grown(&wanted, training, seed)?;
        }
        Ok(())
    }

    /// Runs the steps of a generation, with batches made on a second thread.
    fn train(
        &mut self,
        generation: u64,
        steps: u64,
        seen: usize,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Steps {
        let plan = &self.plan;
        let architecture = &self.trainer.architecture().clone();
        let config = plan.training;
        let outcome_share = config.value_target.outcome_share_at(generation);
        let reanalyst = (config.reanalysis.share > 0.0 && seen > 0).then(|| {
            let weights = self.trainer.average();
            Reanalyst::new(&plan.reanalysis, &config.reanalysis, weights)
        });
        let mut drawing =
            Drawing::new(&self.window, config, seen, reanalyst, plan.seed, generation);
        let mut losses = Losses::default();
        let mut learning_rate = 0.0;
        let reanalysed = std::thread::scope(|scope| {
            let (sender, batches) = mpsc::sync_channel(BATCHES_AHEAD);
            let maker = scope.spawn(move || {
                for _ in 0..steps {
                    let batch = Batch::encode(architecture, &drawing.batch(), outcome_share);
                    if sender.send(batch).is_err() {
                        break; // the trainer is gone
                    }
                }
                drawing.reanalysed()
            });
            for (step, batch) in (0..).zip(batches) {
                learning_rate =
                    config
                        .learning_rate
                        .at(self.trainer.steps(), generation, plan.generations);
                losses.add(&self.trainer.step(&batch, learning_rate));
                progress(step + 1, steps);
            }
            maker
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        Steps {
            losses: losses.scaled(1.0 / steps as f32),
            learning_rate,
            reanalysed,
        }
    }
}

/// What the steps of a lesson came to, see [`Lesson`].
struct Steps {
    losses: Losses,
    learning_rate: f64,
    reanalysed: Reanalysed,
}

/// Puts the trainer's network and state, and commits them with the chunks they came from.
fn commit(
    run: &Run,
    before: Option<&LogEntry>,
    name: &Name,
    trainer: &Trainer,
    chunks: Vec<TakenChunk>,
    steps: u64,
    samples: u64,
) -> Result<LogEntry, LearnError> {
    let mut entry = LogEntry::after(before, name.clone(), Vec::new(), chunks, steps, samples);
    let model = Model {
        facts: TrainingFacts {
            steps: entry.totals.steps,
            samples: entry.totals.samples,
            games: entry.totals.games,
            generation: entry.seq,
        },
        weights: trainer.average().clone(),
    };
    let files = [
        (Model::FILE, model.to_bytes()),
        (TrainingState::FILE, trainer.state()?.to_bytes()),
    ];
    let mut named = Vec::new();
    for (file, bytes) in files {
        named.push((file.parse()?, Bytes::from(bytes)));
    }
    entry.model = run.put_model(entry.seq, name, named)?;
    match run.commit(&entry)? {
        Commit::Committed => Ok(entry),
        Commit::LostRace { winner } => Err(LearnError::Rival {
            winner,
            seq: entry.seq,
        }),
    }
}

fn restore(
    run: &Run,
    latest: &LogEntry,
    plan: &LearningPlan<'_>,
    device: &Device,
) -> Result<Trainer, LearnError> {
    let seq = latest.seq;
    let model = |source| LearnError::Model { seq, source };
    let average = Model::from_bytes(&run.read_model(latest, &Model::FILE.parse()?)?)
        .map_err(model)?
        .weights;
    let architecture = plan.training.architecture_at(plan.architecture, seq);
    average
        .architecture()
        .expect(&architecture)
        .map_err(|error| model(error.into()))?;
    let state = run.read_model(latest, &TrainingState::FILE.parse()?)?;
    let state = TrainingState::from_bytes(&state, &architecture).map_err(model)?;
    Ok(Trainer::restore(&state, average, plan.training, device)?)
}

/// Fills the window with what it would hold had the process never stopped.
fn refill(
    run: &Run,
    history: &[LogEntry],
    plan: &LearningPlan<'_>,
    window: &mut Window,
) -> Result<(), LearnError> {
    let total = history.last().map_or(0, |entry| entry.totals.positions);
    let capacity = plan.training.window.positions(total);
    let mut newest_first = Vec::new();
    let mut positions = 0;
    for entry in history.iter().rev() {
        if positions >= capacity {
            break;
        }
        let games = run.read_all_taken(&entry.chunks)?;
        let kinds = plan.training.kinds;
        positions += games
            .iter()
            .flatten()
            .map(|game| kinds.positions(game))
            .sum::<usize>();
        newest_first.push((entry, games));
    }
    window.set_capacity(capacity);
    for (entry, games) in newest_first.iter().rev() {
        for (chunk, games) in entry.chunks.iter().zip(games) {
            push(window, &chunk.key, games)?;
        }
    }
    Ok(())
}

/// Adds the games of a chunk, and counts their positions.
fn push(window: &mut Window, chunk: &ChunkKey, games: &[GameRecord]) -> Result<usize, LearnError> {
    let mut positions = 0;
    for (number, game) in (1..).zip(games) {
        positions += window.push(game).map_err(|source| LearnError::Game {
            chunk: chunk.to_string(),
            game: number,
            source,
        })?;
    }
    Ok(positions)
}
