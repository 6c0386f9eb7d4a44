//! What a run's files say, as numbers to show.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use outflank_arena::{Ladder, MatchResult, Scores};
use outflank_net::{CompiledNetwork, Model};
use outflank_records::{Ending, GameRecord, SearchKind};
use outflank_rules::{Color, Game, Move, Size};
use outflank_run::{Folder, LogEntry, Name, Run};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::lines::{Line, lines, standard};
use crate::commands::ladder::kept::{self, Keeper};
use crate::commands::tracking::{self, Tracked};
use crate::progress::bar;

/// Parts into which values from -1 to 1 are put, to compare them with outcomes.
const BUCKETS: usize = 10;

/// The calibration is about the newest generations: one in so many.
const NEWEST: u64 = 4;

/// Games to look at, of self-play and of matches each.
const GAMES_SHOWN: usize = 6;

/// Plies by which openings of self-play are told apart.
pub const OPENING_PLIES: usize = 4;

/// Everything that the page shows.
pub struct Data {
    pub name: String,
    pub config: Option<String>,
    pub size: Option<Size>,
    pub newest: Option<LogEntry>,
    /// By generation.
    pub learning: Vec<Learning>,
    /// By generation.
    pub tracked: Vec<Tracked>,
    /// By generation.
    pub playing: BTreeMap<u64, Playing>,
    /// By the generation that the games are of.
    pub generations: BTreeMap<u64, GenerationGames>,
    /// What the newest model plays.
    pub lines: Vec<Line>,
    /// `calibration` is about the generations after this one.
    pub recent_from: u64,
    pub calibration: [Bucket; BUCKETS],
    /// Openings of the same generations, up to symmetry.
    pub openings: BTreeMap<String, OpeningGames>,
    /// Games of the newest generation.
    pub games: Vec<Game>,
    /// The matches that `outflank arena`, the gate and the rating at the end have played.
    pub matches: Vec<MatchResult>,
    /// Games of the newest model that played in matches.
    pub match_games: Vec<MatchGame>,
    /// All games of all matches.
    pub scores: Scores,
    pub ladder: Ladder,
    /// The players that training and `outflank ladder` have measured; the others of the ladder are
    /// there because somebody tried them in `outflank arena`.
    pub measured: BTreeSet<String>,
}

/// A game of a match, to look at.
pub struct MatchGame {
    pub players: [String; 2],
    pub game: Game,
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
    #[serde(default)]
    pub evaluations: u64,
    /// The share of the threads' time in the network; runs of earlier versions lack it.
    pub network_share: Option<f64>,
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
    /// How often the search chose each answer to the first move, by the two plies.
    pub answers: BTreeMap<String, u64>,
}

/// How games went on after an opening.
#[derive(Clone, Copy, Default)]
pub struct OpeningGames {
    pub games: u64,
    /// Black's points.
    pub points: f64,
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
        let mut matches = kept::kept_by(run, Keeper::Arena)?;
        let tried = matches.len();
        matches.extend(kept::kept_by(run, Keeper::Gate)?);
        matches.extend(kept::kept_by(run, Keeper::Rating)?);
        let ladder_matches = kept::kept_by(run, Keeper::Ladder)?;
        let all = || ladder_matches.iter().chain(&matches);
        let measuring = ladder_matches.iter().chain(&matches[tried..]);
        let seq = newest.as_ref().map_or(0, |entry| entry.seq);
        let mut data = Data {
            name: name.to_owned(),
            config: run.config()?,
            size: None,
            learning: Vec::new(),
            tracked: Vec::new(),
            playing: BTreeMap::new(),
            generations: BTreeMap::new(),
            lines: newest_lines(run, newest.as_ref())?,
            recent_from: seq - seq.div_ceil(NEWEST),
            calibration: [Bucket::default(); BUCKETS],
            openings: BTreeMap::new(),
            games: Vec::new(),
            match_games: newest_games(all())?,
            ladder: kept::fit(all())?,
            measured: measuring.flat_map(|m| m.players.clone()).collect(),
            scores: kept::scores(all()),
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
                self.learning.push(read(run, &name)?);
            } else if name.as_str().ends_with("-selfplay") {
                let part: Playing = read(run, &name)?;
                // Workers play beside each other: the longest time is that of all.
                let all = self.playing.entry(part.generation).or_default();
                all.games += part.games;
                all.evaluations += part.evaluations;
                if part.seconds > all.seconds {
                    all.seconds = part.seconds;
                    all.network_share = part.network_share;
                }
            } else if name.as_str().ends_with(tracking::SUFFIX) {
                self.tracked.push(read(run, &name)?);
            }
        }
        self.tracked.sort_by_key(|tracked| tracked.generation);
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
                    self.add_opening(&record);
                }
                if newest && self.games.len() < GAMES_SHOWN {
                    self.games.push(replayed(&record));
                }
            }
        }
        Ok(())
    }
}

impl Data {
    fn add_opening(&mut self, record: &GameRecord) {
        let games = self
            .openings
            .entry(opening(record, OPENING_PLIES))
            .or_default();
        games.games += 1;
        games.points += f64::from(1 + record.black_margin.signum()) / 2.0;
    }
}

/// The first plies of a game, spelled as all that are symmetric to it.
fn opening(record: &GameRecord, plies: usize) -> String {
    let moves: Vec<Move> = record.plies.iter().take(plies).map(|ply| ply.mv).collect();
    standard(record.size, &moves)
}

impl GenerationGames {
    fn add(&mut self, record: &GameRecord) {
        self.games += 1;
        if record.plies.get(1).is_some_and(|ply| ply.search.is_some()) {
            *self.answers.entry(opening(record, 2)).or_default() += 1;
        }
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

/// A measurement of the run.
fn read<T: DeserializeOwned>(run: &Run, name: &Name) -> Result<T> {
    run.read_result(Folder::Metrics, name)
        .map_err(kept::with_way_out)
}

fn newest_lines(run: &Run, newest: Option<&LogEntry>) -> Result<Vec<Line>> {
    let Some(entry) = newest else {
        return Ok(Vec::new());
    };
    let bytes = run.read_model(entry, &Model::FILE.parse()?)?;
    let model = Model::from_bytes(&bytes).with_context(|| format!("model {}", entry.seq))?;
    Ok(lines(&mut CompiledNetwork::new(&model.weights)))
}

/// The last games in which the newest model of all that played in these matches took part.
fn newest_games<'a>(
    matches: impl Iterator<Item = &'a MatchResult> + Clone,
) -> Result<Vec<MatchGame>> {
    let model = |name: &String| kept::model_of(name).map(|(seq, _)| seq);
    let newest = |result: &MatchResult| result.players.iter().filter_map(model).max();
    let last = matches.clone().filter_map(newest).max();
    let mut shown = Vec::new();
    for result in matches.filter(|result| last.is_some() && newest(result) == last) {
        for played in result.games.iter().take(2) {
            let [black, white] = [played.black, 1 - played.black];
            shown.push(MatchGame {
                players: [black, white].map(|player| result.players[player].clone()),
                game: played.replay()?,
            });
        }
    }
    Ok(shown.split_off(shown.len().saturating_sub(GAMES_SHOWN)))
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
