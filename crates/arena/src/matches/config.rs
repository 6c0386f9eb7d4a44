use serde::{Deserialize, Serialize};

use crate::stats::SprtConfig;

/// How a match is played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MatchConfig {
    /// Pairs of games, two each: one opening with both colours. With more pairs than openings
    /// these are used again, which tells nothing new about two deterministic players. Default 100.
    pub pairs: usize,
    /// Threads that play; 0 stands for all the machine has. The games do not depend on it.
    /// Default 0.
    pub threads: usize,
    /// What all randomness of the players follows from. Default 0.
    pub seed: u64,
    /// Ends the match as soon as this test is decided; none by default. The Elo difference of a
    /// match that a test has ended is further from zero than the truth, on the average: the test
    /// stops on lucky runs. For a measurement, play a fixed number of pairs.
    pub sprt: Option<SprtConfig>,
    /// What becomes of a game whose player crashes. Default `loss`.
    pub crashes: CrashPolicy,
}

/// What becomes of a game whose player crashes. The player is made anew for the next game in any
/// case. One that gives no answer in time is made anew too, but has always lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CrashPolicy {
    /// The player has lost it.
    #[default]
    Loss,
    /// It is played once more from the opening; a second crash loses it.
    Replay,
}

impl Default for MatchConfig {
    fn default() -> MatchConfig {
        MatchConfig {
            pairs: 100,
            threads: 0,
            seed: 0,
            sprt: None,
            crashes: CrashPolicy::Loss,
        }
    }
}
