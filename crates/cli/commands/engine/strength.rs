//! How much an engine thinks about a move.

use std::time::Duration;

use anyhow::{Result, bail};
use outflank_solver::solvable_within;

use crate::numbers::MOST_SIMULATIONS;

/// The simulations of a move when nobody says how many.
const DEFAULT_SIMULATIONS: u32 = 800;

/// The empty squares from which on a move is solved when nobody says how strong to play.
const DEFAULT_SOLVE_EMPTIES: u32 = 16;

/// The fewest and the most empty squares from which on any level solves.
const SOLVE_EMPTIES: (u32, u32) = (10, 26);

/// What the command line says about strength. It goes before the levels that a GUI sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    simulations: Option<u32>,
    time: Option<Duration>,
}

/// What one move may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Simulations at most.
    pub simulations: u32,
    /// Time at most.
    pub time: Option<Duration>,
    /// From so many empty squares on the position is to be solved.
    pub solve_empties: u32,
}

impl Strength {
    /// Checks the options `--simulations` and `--seconds`.
    pub fn new(simulations: Option<u32>, seconds: Option<f64>) -> Result<Strength> {
        if let Some(number) = simulations
            && !(1..=MOST_SIMULATIONS).contains(&number)
        {
            bail!("--simulations is {number}; expected 1 to {MOST_SIMULATIONS}");
        }
        if let Some(number) = seconds
            && !(number > 0.0 && number <= 1e6)
        {
            bail!("--seconds is {number}; expected a number above 0, up to 1e6");
        }
        Ok(Strength {
            simulations,
            time: seconds.map(Duration::from_secs_f64),
        })
    }

    /// The time that the command line allows for a move.
    pub fn time(&self) -> Option<Duration> {
        self.time
    }

    /// What a move may take: with a clock as much as it allows, else what was asked for, else what
    /// the level stands for.
    pub fn plan(&self, level: Option<u32>, clock: Option<Duration>, threads: usize) -> Plan {
        let time = match (self.time, clock) {
            (Some(own), Some(clock)) => Some(own.min(clock)),
            (own, clock) => own.or(clock),
        };
        if let Some(time) = time {
            return Plan {
                simulations: self.simulations.unwrap_or(MOST_SIMULATIONS),
                time: Some(time),
                solve_empties: solvable_within(time, threads),
            };
        }
        match (self.simulations, level) {
            (None, Some(level)) => of_level(level),
            (simulations, _) => Plan {
                simulations: simulations.unwrap_or(DEFAULT_SIMULATIONS),
                time: None,
                solve_empties: DEFAULT_SOLVE_EMPTIES,
            },
        }
    }

    /// Thinking on the opponent's time: until it is stopped.
    pub fn pondering() -> Plan {
        Plan {
            simulations: MOST_SIMULATIONS,
            time: None,
            solve_empties: 0,
        }
    }
}

/// Level `n` takes 8 times the square root of `2^n` simulations, which double every two levels: 11
/// at level 1, 256 at level 10, 8,192 at level 20; and it solves from `10 + n / 2` empties on.
fn of_level(level: u32) -> Plan {
    let simulations = 8.0 * (f64::from(level.min(60)) / 2.0).exp2();
    let (least, most) = SOLVE_EMPTIES;
    Plan {
        simulations: (simulations as u32).clamp(1, MOST_SIMULATIONS),
        time: None,
        solve_empties: (least + level / 2).min(most),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(simulations: Option<u32>, seconds: Option<f64>, level: Option<u32>) -> Plan {
        let strength = Strength::new(simulations, seconds).expect("in range");
        strength.plan(level, None, 1)
    }

    #[test]
    fn levels_double_every_two() {
        let simulations = |level| plan(None, None, Some(level)).simulations;
        assert_eq!([1, 2, 10, 20].map(simulations), [11, 16, 256, 8192]);
        assert_eq!(simulations(u32::MAX), MOST_SIMULATIONS);
        let solve = |level| plan(None, None, Some(level)).solve_empties;
        assert_eq!([0, 8, 20, u32::MAX].map(solve), [10, 14, 20, 26]);
    }

    #[test]
    fn the_command_line_goes_before_levels_and_the_clock_before_both() {
        assert_eq!(plan(Some(50), None, Some(20)).simulations, 50);
        assert_eq!(plan(None, None, None).simulations, 800);
        let second = plan(None, Some(1.0), Some(1));
        assert_eq!(second.time, Some(Duration::from_secs(1)));
        assert_eq!(second.simulations, MOST_SIMULATIONS);
        assert!(second.solve_empties >= 20);
        let clock = Some(Duration::from_millis(100));
        let strength = Strength::new(None, Some(1.0)).expect("in range");
        assert_eq!(strength.plan(None, clock, 1).time, clock);
        assert!(strength.plan(None, clock, 1).solve_empties < second.solve_empties);
    }

    #[test]
    fn numbers_out_of_range_are_named() {
        for (simulations, seconds, key) in [
            (Some(0), None, "--simulations"),
            (None, Some(0.0), "--seconds"),
            (None, Some(f64::NAN), "--seconds"),
        ] {
            let error = Strength::new(simulations, seconds).expect_err(key);
            assert!(error.to_string().contains(key), "{error}");
        }
    }
}
