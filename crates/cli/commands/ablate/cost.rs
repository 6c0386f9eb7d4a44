//! What trainings took, as their runs keep it: what one variant gains is to be held against that.

use std::iter::Sum;
use std::time::Duration;

use anyhow::Result;
use outflank_run::{Folder, Run};
use serde::Deserialize;

use super::super::ladder::kept::with_way_out;
use crate::progress::{duration, thousands};

/// Sums over a training.
#[derive(Clone, Copy, Default)]
pub struct Cost {
    games: u64,
    /// Positions searched in self-play.
    positions: u64,
    /// Positions that self-play asked the network about, remembered ones included.
    evaluations: u64,
    /// Samples learned from, repetitions included.
    samples: u64,
    /// Of self-play and learning.
    seconds: f64,
}

/// The heads of the columns of [`Cost::cells`].
pub const COLUMNS: [&str; 5] = ["games", "positions", "evaluations", "samples", "time"];

/// What a worker measured of its games.
#[derive(Deserialize)]
struct Playing {
    seconds: f64,
    evaluations: u64,
}

/// What a trainer measured of its steps.
#[derive(Deserialize)]
struct Learning {
    learning_seconds: f64,
}

impl Cost {
    /// What the training of a run took so far.
    pub fn of(run: &Run) -> Result<Cost> {
        let totals = run.latest()?.map(|entry| entry.totals).unwrap_or_default();
        let mut cost = Cost {
            games: totals.games,
            positions: totals.positions,
            samples: totals.samples,
            ..Cost::default()
        };
        for name in run.results(Folder::Metrics)? {
            if name.as_str().ends_with("-selfplay") {
                let playing: Playing = run
                    .read_result(Folder::Metrics, &name)
                    .map_err(with_way_out)?;
                cost.evaluations += playing.evaluations;
                cost.seconds += playing.seconds;
            } else if name.as_str().ends_with("-learning") {
                let learning: Learning = run
                    .read_result(Folder::Metrics, &name)
                    .map_err(with_way_out)?;
                cost.seconds += learning.learning_seconds;
            }
        }
        Ok(cost)
    }

    pub fn cells(&self) -> [String; 5] {
        let counts = [self.games, self.positions, self.evaluations, self.samples];
        let [games, positions, evaluations, samples] = counts.map(thousands);
        let time = duration(Duration::from_secs_f64(self.seconds));
        [games, positions, evaluations, samples, time]
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(costs: I) -> Cost {
        costs.fold(Cost::default(), |a, b| Cost {
            games: a.games + b.games,
            positions: a.positions + b.positions,
            evaluations: a.evaluations + b.evaluations,
            samples: a.samples + b.samples,
            seconds: a.seconds + b.seconds,
        })
    }
}
