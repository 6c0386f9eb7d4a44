use std::fmt;

use outflank_rules::Size;
use serde::{Deserialize, Serialize};

/// How a position is searched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// Walks from the root to a leaf; 0 plays by the policy alone. The evaluation of the root
    /// itself is not counted. Default 32.
    pub simulations: u32,
    /// How moves are chosen, at the root and below. Default `gumbel`.
    pub method: Method,
    /// Settings of the method `gumbel`.
    pub gumbel: GumbelConfig,
    /// Settings of the method `puct`.
    pub puct: PuctConfig,
    /// The share of the final disc difference in what the search maximises, the rest being win or
    /// loss; see [`crate::Utility`]. 0 to 1. Default 0.3.
    pub margin_weight: f32,
    /// Positions with at most this many empty squares are solved exactly where the tree meets
    /// them; 0 solves none. Default 12; in a run's configuration and for players
    /// [what is usual on the board](SearchConfig::usual_solve_empties), if nothing is said.
    pub leaf_solve_empties: u32,
    /// Leaves that [`crate::search()`] evaluates together. More than one is faster where a batch is,
    /// and a little weaker at the same number of simulations. At least 1. Default 1.
    pub leaves_in_flight: u32,
    /// Whether a position that several orders of moves lead to is one position, that all of them
    /// learn from. A simulation that comes to one with visits to spare ends there, without an
    /// evaluation. Default false.
    pub transpositions: bool,
}

/// The two ways to choose moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Sequential halving over a sample of the moves at the root, the improved policy below.
    /// Improves on the policy with any number of simulations; training's choice.
    #[default]
    Gumbel,
    /// Upper confidence bounds with the policy as prior, at the root and below.
    Puct,
}

/// Settings of the method `gumbel`; names and formulas as in Danihelka et al. 2022.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GumbelConfig {
    /// Moves that sequential halving considers at first, `m` in the paper. At least 1. Default 8.
    pub max_considered: u32,
    /// Added to the visits of the most visited move when Q is scaled. At least 0. Default 50.
    pub c_visit: f32,
    /// The scale of Q against the logits of the policy. Above 0. Default 0.5, for Q as it is, in
    /// [-1, 1]; with `min_max` the scale 0.1 is a beginning.
    pub c_scale: f32,
    /// Whether Q is first stretched to [0, 1] over the moves of a node. Default false.
    pub min_max: bool,
    /// The scale of the Gumbel noise: 1 explores in training as the paper has it, 0 plays the best
    /// move known. At least 0. Default 1.
    pub noise: f32,
}

/// Settings of the method `puct`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PuctConfig {
    /// Exploration of a node with few visits. Above 0. Default 1.5; 2.2 [under a
    /// clock](SearchConfig::open_ended).
    pub c_init: f32,
    /// Exploration grows by `c_growth * ln((visits + c_base + 1) / c_base)`. Above 0. Default
    /// 10,000; AlphaZero has 19,652, KataGo 500.
    pub c_base: f32,
    /// How fast exploration grows; 0 keeps it at `c_init`. At least 0. Default 1, as in AlphaZero;
    /// KataGo has 0.45.
    pub c_growth: f32,
    /// Dynamic exploration: how far exploration follows the standard deviation of the utility over
    /// a node's visits (KataGo, "Dynamic variance-scaled cPUCT"). It is multiplied by
    /// `1 + deviation_scale * (deviation / deviation_prior - 1)`. From 0, not at all, to 1, in
    /// proportion. Default 0.85, as in KataGo.
    pub deviation_scale: f32,
    /// The deviation that is expected of a node, and that changes nothing. Above 0. Default 0.4.
    pub deviation_prior: f32,
    /// How many visits that expectation is worth. Above 0. Default 2.
    pub deviation_prior_weight: f32,
    /// An unvisited move counts as the node's value less this times the square root of the policy
    /// already visited. At least 0. Default 0.25.
    pub fpu_reduction: f32,
    /// The total concentration of the Dirichlet noise at the root, shared by the legal moves.
    /// Above 0. Default 10.
    pub dirichlet_alpha: f32,
    /// The share of the Dirichlet noise in the root's policy; 0 to 1, and 0 for the strongest
    /// play. Default 0.25.
    pub dirichlet_fraction: f32,
    /// Forced playouts: a root move once visited gets at least `sqrt(k * policy * visits)` visits,
    /// and the policy target leaves out those that the move did not earn (Wu 2019, section 3.2).
    /// This is `k`; 0 switches both off, the paper has 2. Default 0.
    pub forced_playouts: f32,
    /// How much a leaf in flight counts as lost for those that wait for it, so that a batch
    /// spreads. At least 0. Default 1.
    pub virtual_loss: f32,
    /// At the end the move with the best lower confidence bound of its value, this many standard
    /// errors below the mean, is chosen among the well-visited; 0 takes the most visited. At
    /// least 0. Default 0.
    pub lcb_deviations: f32,
}

impl Default for SearchConfig {
    fn default() -> SearchConfig {
        SearchConfig {
            simulations: 32,
            method: Method::Gumbel,
            gumbel: GumbelConfig::default(),
            puct: PuctConfig::default(),
            margin_weight: 0.3,
            leaf_solve_empties: 12,
            leaves_in_flight: 1,
            transpositions: false,
        }
    }
}

impl Default for GumbelConfig {
    fn default() -> GumbelConfig {
        GumbelConfig {
            max_considered: 8,
            c_visit: 50.0,
            c_scale: 0.5,
            min_max: false,
            noise: 1.0,
        }
    }
}

impl Default for PuctConfig {
    fn default() -> PuctConfig {
        PuctConfig {
            c_init: 1.5,
            c_base: 10_000.0,
            c_growth: 1.0,
            deviation_scale: 0.85,
            deviation_prior: 0.4,
            deviation_prior_weight: 2.0,
            fpu_reduction: 0.25,
            dirichlet_alpha: 10.0,
            dirichlet_fraction: 0.25,
            forced_playouts: 0.0,
            virtual_loss: 1.0,
            lcb_deviations: 0.0,
        }
    }
}

/// `puct.c_init` of a search without a known end, by the matches in `crates/train/EXPERIMENTS.md`.
const OPEN_ENDED_EXPLORATION: f32 = 2.2;

/// A setting outside of its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{key} is {found}; expected {expected}")]
pub struct ConfigError {
    /// The setting, with the table it is in: `gumbel.c_scale`.
    pub key: &'static str,
    /// Its value.
    pub found: String,
    /// What it may be.
    pub expected: &'static str,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Gumbel => "gumbel",
            Method::Puct => "puct",
        })
    }
}

impl SearchConfig {
    /// From how many empty squares on positions are solved on a board if nothing is said: a quarter
    /// of its squares, at most 12, which is 4, 9 or 12. On a small board more would leave the network
    /// little to do: 12 is the whole game on 4x4.
    pub fn usual_solve_empties(size: Size) -> u32 {
        (size.area() as u32 / 4).min(12)
    }

    /// Whether a setting, named as in errors (`puct.c_init`), is one of the other method's, and does
    /// nothing.
    pub fn ignores(&self, key: &str) -> bool {
        key.starts_with(match self.method {
            Method::Gumbel => "puct.",
            Method::Puct => "gumbel.",
        })
    }

    /// The same search for as many simulations as there will be, thousands under a clock: by PUCT, which
    /// is good at any moment, and with more exploration than pays with a few hundred.
    pub fn open_ended(mut self) -> SearchConfig {
        self.method = Method::Puct;
        self.puct.c_init = OPEN_ENDED_EXPLORATION;
        self
    }

    /// The same search without any noise at the root: the strongest and always the same move.
    pub fn without_noise(mut self) -> SearchConfig {
        self.gumbel.noise = 0.0;
        self.puct.dirichlet_fraction = 0.0;
        self.puct.forced_playouts = 0.0;
        self
    }

    /// Checks every setting; the error names the first that is out of range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let SearchConfig { gumbel, puct, .. } = self;
        // At most the empties of an 8x8 start: larger numbers would be accepted and mean the same.
        count(
            "leaf_solve_empties",
            self.leaf_solve_empties,
            0,
            60,
            "a whole number from 0 to 60",
        )?;
        count(
            "leaves_in_flight",
            self.leaves_in_flight,
            1,
            4096,
            "a whole number from 1 to 4096",
        )?;
        count(
            "gumbel.max_considered",
            gumbel.max_considered,
            1,
            64,
            "a whole number from 1 to 64",
        )?;
        share("margin_weight", self.margin_weight)?;
        not_negative("gumbel.c_visit", gumbel.c_visit)?;
        positive("gumbel.c_scale", gumbel.c_scale)?;
        not_negative("gumbel.noise", gumbel.noise)?;
        positive("puct.c_init", puct.c_init)?;
        positive("puct.c_base", puct.c_base)?;
        not_negative("puct.c_growth", puct.c_growth)?;
        share("puct.deviation_scale", puct.deviation_scale)?;
        positive("puct.deviation_prior", puct.deviation_prior)?;
        positive("puct.deviation_prior_weight", puct.deviation_prior_weight)?;
        not_negative("puct.fpu_reduction", puct.fpu_reduction)?;
        positive("puct.dirichlet_alpha", puct.dirichlet_alpha)?;
        share("puct.dirichlet_fraction", puct.dirichlet_fraction)?;
        not_negative("puct.forced_playouts", puct.forced_playouts)?;
        not_negative("puct.virtual_loss", puct.virtual_loss)?;
        not_negative("puct.lcb_deviations", puct.lcb_deviations)
    }
}

fn count(
    key: &'static str,
    found: u32,
    least: u32,
    most: u32,
    expected: &'static str,
) -> Result<(), ConfigError> {
    check(key, found, (least..=most).contains(&found), expected)
}

fn share(key: &'static str, found: f32) -> Result<(), ConfigError> {
    check(
        key,
        found,
        (0.0..=1.0).contains(&found),
        "a number from 0 to 1",
    )
}

/// The most that a constant may be, which says as much as infinity and overflows nowhere.
const MOST: f32 = 1e6;

fn not_negative(key: &'static str, found: f32) -> Result<(), ConfigError> {
    check(
        key,
        found,
        (0.0..=MOST).contains(&found),
        "a number from 0 to 1000000",
    )
}

fn positive(key: &'static str, found: f32) -> Result<(), ConfigError> {
    check(
        key,
        found,
        found > 0.0 && found <= MOST,
        "a number above 0, at most 1000000",
    )
}

fn check(
    key: &'static str,
    found: impl ToString,
    in_range: bool,
    expected: &'static str,
) -> Result<(), ConfigError> {
    if in_range {
        return Ok(());
    }
    Err(ConfigError {
        key,
        found: found.to_string(),
        expected,
    })
}
