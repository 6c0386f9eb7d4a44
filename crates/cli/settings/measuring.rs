//! The parts of a configuration about strength.

use anyhow::{Context, Result, bail};
use outflank_arena::{Builtin, Sprt, SprtConfig};
use serde::{Deserialize, Serialize};

use super::within;

/// The most games of a match, which are all kept until the last has ended.
const MOST_GAMES: usize = 1_000_000;

/// Opponents of models that stay the same, from the weakest to the strongest.
const ANCHORS: [&str; 5] = [
    "random",
    "greedy",
    "alpha-beta:1",
    "alpha-beta:3",
    "alpha-beta:5",
];

/// The matches that `train` plays when the last generation is done, and keeps in the run: against
/// these opponents and against the run's first model, with the settings of `outflank arena`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RatingConfig {
    /// The opponents, as `outflank arena` names them. Default random, greedy and alpha-beta:3.
    pub opponents: Vec<String>,
    /// Games against each opponent, in pairs with colours exchanged. Default 200.
    pub games: usize,
    /// Simulations of the agent's moves. Default 32.
    pub simulations: u32,
    /// Random plies that open each pair of games. Default 6.
    pub opening_plies: usize,
}

impl Default for RatingConfig {
    fn default() -> RatingConfig {
        RatingConfig {
            opponents: ["random", "greedy", "alpha-beta:3"]
                .map(str::to_owned)
                .to_vec(),
            games: 200,
            simulations: 32,
            opening_plies: 6,
        }
    }
}

/// What `train` and `learn` measure of the models while they are made: games for the run's ladder,
/// and the accuracy on solved positions. The games of self-play and the models are the same with
/// and without.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrackingConfig {
    /// The share of the time, from 0, which is none, to 0.9. Default 0.05.
    pub share: f64,
    /// Opponents that stay the same, built-in players. Every measured model meets one of them
    /// first. Default random, greedy, alpha-beta:1, alpha-beta:3 and alpha-beta:5.
    pub anchors: Vec<String>,
    /// Games of one match, in pairs with colours exchanged. Default 10.
    pub games: usize,
    /// Simulations of the models' moves. Default 32.
    pub simulations: u32,
    /// Random plies that open each pair of games. Default 6.
    pub opening_plies: usize,
    /// Solved positions with 8, 10, 12 and 14 empty squares each; 0 is none. Default 25.
    pub positions: usize,
}

impl Default for TrackingConfig {
    fn default() -> TrackingConfig {
        TrackingConfig {
            share: 0.05,
            anchors: ANCHORS.map(str::to_owned).to_vec(),
            games: 10,
            simulations: 32,
            opening_plies: 6,
            positions: 25,
        }
    }
}

/// A gate before self-play: a new model plays the run's games only once a sequential test has shown
/// it to be no worse than the last one that did. Learning goes on from the newest model in any case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GateConfig {
    /// The most games of the test, in pairs with colours exchanged; a test that they do not decide
    /// passes a model with half of the points. 0 is no gate. Default 0.
    pub games: usize,
    /// The difference in Elo points at which a model fails. Default -20.
    pub elo0: f64,
    /// The difference at which it passes. Default 20.
    pub elo1: f64,
    /// Probability of passing a model that is `elo0` points stronger. Default 0.05.
    pub alpha: f64,
    /// Probability of failing one that is `elo1` points stronger. Default 0.05.
    pub beta: f64,
    /// Simulations of both models' moves. Default 32.
    pub simulations: u32,
    /// Random plies that open each pair of games. Default 6.
    pub opening_plies: usize,
}

impl Default for GateConfig {
    fn default() -> GateConfig {
        GateConfig {
            games: 0,
            elo0: -20.0,
            elo1: 20.0,
            alpha: 0.05,
            beta: 0.05,
            simulations: 32,
            opening_plies: 6,
        }
    }
}

impl RatingConfig {
    pub fn validate(&self) -> Result<()> {
        within("rating.games", self.games, 2..=MOST_GAMES)?;
        in_pairs("rating.games", self.games)?;
        moves("rating", self.simulations, self.opening_plies)
    }
}

impl TrackingConfig {
    pub fn validate(&self) -> Result<()> {
        if !(0.0..=0.9).contains(&self.share) {
            bail!(
                "tracking.share is {}; expected a share of the time, 0 to 0.9",
                self.share
            );
        }
        within("tracking.games", self.games, 2..=MOST_GAMES)?;
        in_pairs("tracking.games", self.games)?;
        moves("tracking", self.simulations, self.opening_plies)?;
        within("tracking.positions", self.positions, 0..=100_000)?;
        if self.anchors.is_empty() {
            bail!("tracking.anchors is empty; expected one built-in player or more");
        }
        for anchor in &self.anchors {
            anchor.parse::<Builtin>().context("tracking.anchors")?;
        }
        Ok(())
    }
}

impl GateConfig {
    pub fn validate(&self) -> Result<()> {
        within("gate.games", self.games, 0..=MOST_GAMES)?;
        in_pairs("gate.games", self.games)?;
        moves("gate", self.simulations, self.opening_plies)?;
        Sprt::new(self.sprt()).context("gate")?;
        Ok(())
    }

    /// The test.
    pub fn sprt(&self) -> SprtConfig {
        SprtConfig {
            elo0: self.elo0,
            elo1: self.elo1,
            alpha: self.alpha,
            beta: self.beta,
        }
    }
}

/// Checks what all matches have: simulations of a move and random plies before the first.
fn moves(part: &str, simulations: u32, opening_plies: usize) -> Result<()> {
    within(&format!("{part}.simulations"), simulations, 0..=1_000_000)?;
    within(&format!("{part}.opening_plies"), opening_plies, 0..=60)
}

fn in_pairs(key: &str, games: usize) -> Result<()> {
    if !games.is_multiple_of(2) {
        bail!("{key} is {games}; expected an even number, as games come in pairs");
    }
    Ok(())
}
