//! What is measured of a run's models while it is trained: games for its ladder, and the accuracy
//! on solved positions, within a share of the time.
//!
//! Nothing of the training depends on it: it reads models and writes results, and has seeds of its
//! own.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use outflank_arena::{Ladder, LadderConfig, MatchResult, Scores, Suggestion};
use outflank_net::CompiledNetwork;
use outflank_rules::Size;
use outflank_run::{Folder, Name, Run};
use serde::{Deserialize, Serialize};

use super::accuracy::judge::{Row, judge_all, search_config};
use super::accuracy::suite::{self, Solved, Wanted, most_empties};
use super::ladder::kept::{
    Keeper, ShortMatch, keep, kept_matches, load, model_name, model_of, model_player, scores,
    with_way_out,
};
use super::loops::Training;
use crate::players::Named;
use crate::progress::{duration, say};
use crate::settings::TrackingConfig;

/// Numbers of empty squares of the solved positions.
const EMPTIES: [u32; 4] = [8, 10, 12, 14];

/// Where the solved positions are kept among a run's measurements.
const POSITIONS: &str = "positions";

/// What the name of a measurement ends with.
pub const SUFFIX: &str = "-tracking";

/// What was measured of one model, as the run keeps it.
#[derive(Serialize, Deserialize)]
pub struct Tracked {
    pub generation: u64,
    pub seconds: f64,
    pub games: u64,
    pub simulations: u32,
    /// None without solved positions.
    pub accuracy: Option<Row>,
}

/// Solved positions, as the run keeps them: lines of OBF.
#[derive(Serialize, Deserialize)]
struct KeptPositions {
    seed: u64,
    positions: Vec<String>,
}

/// Measures one model after the other.
pub struct Tracker<'a> {
    run: &'a Run,
    config: &'a TrackingConfig,
    size: Size,
    seed: u64,
    threads: usize,
    anchors: Vec<Named>,
    positions: Vec<Solved>,
    /// All games of the run's ladder so far.
    scores: Scores,
    /// The number of the next match.
    number: u64,
    /// The model measured last.
    last: Option<String>,
    /// Seconds that may be spent; below 0 if the last measurement took more.
    credit: f64,
    /// When the last measurement ended.
    since: Instant,
}

impl Tracker<'_> {
    /// Begins to measure, or goes on; none if the configuration gives it no time.
    pub fn open(training: &Training) -> Result<Option<Tracker<'_>>> {
        let settings = &training.settings;
        if settings.tracking.share == 0.0 {
            return Ok(None);
        }
        let since = Instant::now();
        let config = &settings.tracking;
        let matches = kept_matches(&training.run)?;
        let anchors = config
            .anchors
            .iter()
            .map(|name| Named::parse(name, config.simulations))
            .collect::<Result<_>>()?;
        let mut tracker = Tracker {
            run: &training.run,
            config,
            size: settings.network.size,
            seed: settings.seed,
            threads: training.threads,
            anchors,
            positions: Vec::new(),
            scores: scores(&matches),
            number: matches.len() as u64,
            last: None,
            credit: 0.0,
            since,
        };
        tracker.positions = tracker.kept_positions()?;
        tracker.credit = -since.elapsed().as_secs_f64();
        tracker.since = Instant::now();
        Ok(Some(tracker))
    }

    /// Measures a new model, as long as the share of the time allows; the first one in any case.
    pub fn measure(&mut self, seq: u64) -> Result<()> {
        let share = self.config.share;
        self.credit += self.since.elapsed().as_secs_f64() * share / (1.0 - share);
        let begin = Instant::now();
        let first = self.scores.names().is_empty();
        if self.credit > 0.0 || first {
            let (network, _) = load(self.run, seq)?;
            let accuracy = self.accuracy(&network)?;
            let name = model_name(seq, self.config.simulations);
            let (mut games, mut met) = (0, false);
            while !met || begin.elapsed().as_secs_f64() < self.credit {
                let result = self.play(&name)?;
                games += result.games.len() as u64;
                met |= result.players.contains(&name);
            }
            let elapsed = begin.elapsed();
            self.report(&name, accuracy.as_ref(), elapsed)?;
            let tracked = Tracked {
                generation: seq,
                seconds: elapsed.as_secs_f64(),
                games,
                simulations: self.config.simulations,
                accuracy,
            };
            let result: Name = format!("{seq:06}{SUFFIX}").parse()?;
            self.run.put_result(Folder::Metrics, &result, &tracked)?;
            self.last = Some(name);
        }
        self.credit -= begin.elapsed().as_secs_f64();
        self.since = Instant::now();
        Ok(())
    }

    fn accuracy(&self, network: &CompiledNetwork) -> Result<Option<Row>> {
        if self.positions.is_empty() {
            return Ok(None);
        }
        let config = search_config(self.config.simulations)?;
        let rows = judge_all(&self.positions, network, &config, self.threads);
        Ok(Some(Row::mean(rows.iter())))
    }

    /// Plays a match of the model with this name or, if they know too little of each other, of two
    /// anchors.
    fn play(&mut self, model: &str) -> Result<MatchResult> {
        let [first, second] = self.pairing(model)?;
        let players = [self.player(&first)?, self.player(&second)?];
        let plan = ShortMatch {
            size: self.size,
            games: self.config.games,
            opening_plies: self.config.opening_plies,
            seed: self.seed,
            threads: self.threads,
        };
        let result = plan.play([&players[0], &players[1]], self.number)?;
        self.number = keep(self.run, Keeper::Ladder, self.number, &result)? + 1;
        self.scores.add_match(&result);
        Ok(result)
    }

    /// Who plays next.
    fn pairing(&self, model: &str) -> Result<[String; 2]> {
        let anchors: Vec<String> = self
            .anchors
            .iter()
            .map(|anchor| anchor.factory().name())
            .collect();
        let played = |name: &String| self.scores.names().contains(name);
        // The anchors first form a chain.
        if let Some(place) =
            (1..anchors.len()).find(|&i| !played(&anchors[i]) || !played(&anchors[i - 1]))
        {
            return Ok([anchors[place].clone(), anchors[place - 1].clone()]);
        }
        let ladder = Ladder::fit(&self.scores, &LadderConfig::default())?;
        let games = self.config.games;
        let best = |name: &str, among: &[String]| ladder.best_opponent(name, among, games);
        if !played(&model.to_owned()) {
            // For all that is known it plays as the one before it does.
            let before = self.last.as_deref().and_then(|last| best(last, &anchors));
            let opponent = before.map(|suggestion| suggestion.players[1].clone());
            let opponent = opponent.unwrap_or_else(|| anchors[0].clone());
            return Ok([model.to_owned(), opponent]);
        }
        let mut among = anchors.clone();
        let others = self.scores.names().iter();
        among.extend(
            others
                .filter(|name| {
                    model_of(name)
                        .is_some_and(|(_, simulations)| simulations == self.config.simulations)
                })
                .cloned(),
        );
        let between_anchors = anchors.iter().filter_map(|name| best(name, &anchors));
        let most: Option<Suggestion> = best(model, &among)
            .into_iter()
            .chain(between_anchors)
            .max_by(|a, b| a.nats.unwrap_or(0.0).total_cmp(&b.nats.unwrap_or(0.0)));
        Ok(
            most.map_or([model.to_owned(), anchors[0].clone()], |suggestion| {
                suggestion.players
            }),
        )
    }

    fn player(&self, name: &str) -> Result<Named> {
        match model_of(name) {
            Some((seq, simulations)) => Ok(model_player(self.run, seq, simulations)?.0),
            None => Named::parse(name, self.config.simulations),
        }
    }

    fn report(&self, name: &str, accuracy: Option<&Row>, time: Duration) -> Result<()> {
        let ladder = Ladder::fit(&self.scores, &LadderConfig::default())?;
        let rating = ladder
            .rating(name)
            .map_or("no rating yet".to_owned(), |rating| format!("Elo {rating}"));
        let best_moves = accuracy.map_or(String::new(), |row| {
            format!(
                ", best moves {:.0} % by the policy and {:.0} % by the search",
                100.0 * row.policy.optimal,
                100.0 * row.search.optimal
            )
        });
        say(&format!(
            "{name}: {rating}{best_moves}; measured in {}",
            duration(time)
        ));
        Ok(())
    }

    /// The run's solved positions, made and kept if it has none.
    fn kept_positions(&self) -> Result<Vec<Solved>> {
        if self.config.positions == 0 {
            return Ok(Vec::new());
        }
        let name: Name = POSITIONS.parse()?;
        if !self.run.results(Folder::Metrics)?.contains(&name) {
            let most = most_empties(self.size);
            let empties = EMPTIES.into_iter().filter(|&empties| empties < most);
            let wanted = Wanted {
                empties: empties.collect(),
                positions: self.config.positions,
                seed: self.seed,
            };
            let positions = suite::generate(self.size, &wanted, self.threads);
            let mut text = Vec::new();
            suite::write(&mut text, &positions)?;
            let text = String::from_utf8(text).context("OBF is text")?;
            let kept = KeptPositions {
                seed: self.seed,
                positions: text.lines().map(str::to_owned).collect(),
            };
            self.run.put_result(Folder::Metrics, &name, &kept)?;
        }
        // As the run has them, whoever made them.
        let kept = self.run.read_result(Folder::Metrics, &name);
        let kept: KeptPositions = kept.map_err(with_way_out)?;
        let text = kept.positions.join("\n");
        suite::parse(text.as_bytes(), "metrics/positions.json", self.size)
    }
}
