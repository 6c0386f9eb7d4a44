//! Waiting for other processes of the same run.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use outflank_run::{Location, Run};

use crate::players::open_run;
use crate::progress::{duration, say};

/// Between two looks at a run for what others have to do first.
const SHORTEST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// A wait that goes on is told again after this long, then after twice as long each time.
const TOLD_AGAIN: Duration = Duration::from_secs(60);

/// How long a process waits for a run that another one is to make, which takes a trainer seconds.
const WAIT_FOR_RUN: Duration = Duration::from_secs(120);

/// Waits for others: shortly at first and up to a few seconds, since in a bucket every look costs.
#[derive(Default)]
pub struct Patience {
    since: Option<Instant>,
    /// How often the reason was said.
    told: u32,
}

impl Patience {
    /// Waits a quarter of the time waited so far, within bounds. The first time, `reason` is said, and
    /// now and then again.
    pub fn wait(&mut self, reason: &str) {
        let waited = self.since.get_or_insert_with(Instant::now).elapsed();
        if self.told == 0 {
            say(reason);
            self.told = 1;
        } else if waited >= TOLD_AGAIN * (1 << (self.told - 1).min(16)) {
            say(&format!("{reason}; {} so far", duration(waited)));
            self.told += 1;
        }
        std::thread::sleep((waited / 4).clamp(SHORTEST_WAIT, LONGEST_WAIT));
    }

    /// The time since the first wait began.
    pub fn waited(&self) -> Duration {
        self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// Waits until another process has made the run, with its configuration, for some time. Looking
/// leaves nothing at the place, which may be a mistyped name.
pub fn wait_for_run(location: &Location) -> Result<()> {
    let mut patience = Patience::default();
    let seconds = WAIT_FOR_RUN.as_secs();
    while !Run::is_at(location)? || open_run(location)?.config()?.is_none() {
        if patience.waited() >= WAIT_FOR_RUN {
            bail!(
                "there is no run at {location} after {seconds} seconds; expected `outflank learn` to make one, or --config"
            );
        }
        patience.wait(&format!(
            "there is no run at {location}; waiting up to {seconds} seconds for `outflank learn` to make it"
        ));
    }
    Ok(())
}
