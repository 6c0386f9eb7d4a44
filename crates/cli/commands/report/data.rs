//! What a run's files say, as numbers to show.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use outflank_arena::{Ladder, MatchResult};
use outflank_net::{CompiledNetwork, Model};
use outflank_records::{Ending, GameRecord, SearchKind};
use outflank_rules::{Color, Game, Size};
use outflank_run::{Folder, LogEntry, Run};
use serde::Deserialize;

use super::lines::{Line, lines};
use crate::commands::ladder;
use crate::progress::bar;

/// Parts into which values from -1 to 1 are put, to compare them with outcomes.
const BUCKETS: usize = 10;

/// The calibration is about the newest generations: one in so many.
const NEWEST: u64 = 4;

/// Games to look at.
const GAMES_SHOWN: usize = 6;

/// Everything that the page shows.
pub struct Data {
    pub name: String,
    pub config: Option<String>,
    pub size: Option<Size>,
    pub newest: Option<LogEntry>,
    /// By generation.
    pub learning: Vec<Learning>,
    /// By generation.
    pub playing: BTreeMap<u64, Playing>,
    /// By the generation that the games are of.
    pub generations: BTreeMap<u64, GenerationGames>,
    /// What the newest model plays.
    pub lines: Vec<Line>,
    /// `calibration` is about the generations after this one.
    pub recent_from: u64,
    pub calibration: [Bucket; BUCKETS],
    /// Games of the newest generation.
    pub games: Vec<Game>,
    pub matches: Vec<MatchResult>,
    pub ladder: Ladder,
}

/// What the trainer measured in a generation, as `train` keeps it.
#[derive(Deserialize)]
pub struct Learning {
    pub generation: u64,
    pub learning_rate: f64,
    pub losses: Losses,
    pub steps: u64,
    pub learning_seconds: f64,
}

#[derive(Deserialize)]
pub struct Losses {
    pub policy: f64,
    pub outcome: f64,
    pub margin: f64,
    pub ownership: f64,
}

/// What a worker measured in a generation.
#[derive(Default, Deserialize)]
pub struct Playing {
    pub generation: u64,
    pub games: u64,
    pub seconds: f64,
}

/// The games of one generation, as sums.
#[derive(Default)]
pub struct GenerationGames {
    pub games: u64,
    pub placed: u64,
    pub passes: u64,
    pub draws: u64,
    pub black_wins: u64,
    pub solved: u64,
    pub margin: u64,
    /// Of full searches.
    pub searches: u64,
    /// In nats.
    pub entropy: f64,
}

/// Positions whose searches expected about the same outcome.
#[derive(Clone, Copy, Default)]
pub struct Bucket {
    pub positions: u64,
    pub expected: f64,
    pub outcome: f64,
}

impl Data {
    pub fn read(run: &Run, name: &str) -> Result<Data> {
        let newest = run.latest()?;
        let matches = ladder::kept_matches(run)?;
        let seq = newest.as_ref().map_or(0, |entry| entry.seq);
        let mut data = Data {
            name: name.to_owned(),
            config: run.config()?,
            size: None,
            learning: Vec::new(),
            playing: BTreeMap::new(),
            generations: BTreeMap::new(),
            lines: newest_lines(run, newest.as_ref())?,
            recent_from: seq - seq.div_ceil(NEWEST),
            calibration: [Bucket::default(); BUCKETS],
            games: Vec::new(),
            ladder: ladder::fit(&matches)?,
            matches,
            newest,
        };
        data.read_metrics(run)?;
        let bar = bar(seq, "reading games", "generations");
        for generation in 1..=seq {
            if let Some(entry) = run.entry(generation)? {
                data.read_games(run, &entry)?;
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(data)
    }

    fn read_metrics(&mut self, run: &Run) -> Result<()> {
        for name in run.results(Folder::Metrics)? {
            if name.as_str().ends_with("-learning") {
                self.learning.push(run.read_result(Folder::Metrics, &name)?);
            } else if name.as_str().ends_with("-selfplay") {
                let part: Playing = run.read_result(Folder::Metrics, &name)?;
                // Workers play beside each other: the longest time is that of all.
                let all = self.playing.entry(part.generation).or_default();
                all.games += part.games;
                all.seconds = all.seconds.max(part.seconds);
            }
        }
        self.learning.sort_by_key(|learning| learning.generation);
        Ok(())
    }

    /// Counts the games that the model before this one played.
    fn read_games(&mut self, run: &Run, entry: &LogEntry) -> Result<()> {
        let recent = entry.seq > self.recent_from;
        let newest = self
            .newest
            .as_ref()
            .is_some_and(|newest| newest.seq == entry.seq);
        for taken in &entry.chunks {
            for record in run.read_taken(taken)? {
                self.size = Some(record.size);
                self.generations.entry(entry.seq).or_default().add(&record);
                if recent {
                    add_calibration(&mut self.calibration, &record);
                }
                if newest && self.games.len() < GAMES_SHOWN {
                    self.games.push(replayed(&record));
                }
            }
        }
        Ok(())
    }
}

impl GenerationGames {
    fn add(&mut self, record: &GameRecord) {
        self.games += 1;
        let passes = record.plies.iter().filter(|ply| ply.mv.is_pass()).count();
        self.passes += passes as u64;
        self.placed += (record.plies.len() - passes) as u64;
        self.draws += u64::from(record.black_margin == 0);
        self.black_wins += u64::from(record.black_margin > 0);
        self.solved += u64::from(record.ending == Ending::Solved);
        self.margin += u64::from(record.black_margin.unsigned_abs());
        for search in record.plies.iter().filter_map(|ply| ply.search.as_ref()) {
            if search.kind == SearchKind::Full && !search.policy.is_empty() {
                self.searches += 1;
                self.entropy += search
                    .policy
                    .probabilities()
                    .map(|(_, p)| -f64::from(p) * f64::from(p.max(f32::MIN_POSITIVE)).ln())
                    .sum::<f64>();
            }
        }
    }
}

fn add_calibration(buckets: &mut [Bucket; BUCKETS], record: &GameRecord) {
    let mut to_move = Color::Black;
    for ply in &record.plies {
        if let Some(search) = &ply.search
            && search.kind != SearchKind::Solved
        {
            let part = (f64::from(search.value) + 1.0) / 2.0 * BUCKETS as f64;
            let bucket = &mut buckets[(part as usize).min(BUCKETS - 1)];
            bucket.positions += 1;
            bucket.expected += f64::from(search.value);
            bucket.outcome += f64::from(to_move.sign() * i32::from(record.black_margin.signum()));
        }
        to_move = !to_move;
    }
}

fn newest_lines(run: &Run, newest: Option<&LogEntry>) -> Result<Vec<Line>> {
    let Some(entry) = newest else {
        return Ok(Vec::new());
    };
    let bytes = run.read_model(entry, &Model::FILE.parse()?)?;
    let model = Model::from_bytes(&bytes).with_context(|| format!("model {}", entry.seq))?;
    Ok(lines(&mut CompiledNetwork::new(&model.weights)))
}

/// The game as far as it was played.
fn replayed(record: &GameRecord) -> Game {
    let mut game = Game::new(record.size);
    for ply in &record.plies {
        game.play(ply.mv)
            .expect("records are checked when they are read");
    }
    game
}
