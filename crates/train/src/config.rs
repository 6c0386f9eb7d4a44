use outflank_net::Architecture;
use outflank_records::KindWeights;
use serde::{Deserialize, Serialize};

/// How the network learns from the games of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainingConfig {
    /// Samples in one optimisation step. Default 256.
    pub batch_size: usize,
    /// How often a new position is drawn on average: after a generation of `p` positions the
    /// trainer takes `p * samples_per_position / batch_size` steps. Default 3.
    pub samples_per_position: f32,
    /// The positions that samples are drawn from.
    pub window: WindowConfig,
    /// How much a position counts by the way it was searched; 0 leaves the kind out.
    pub kinds: KindWeights,
    /// The share of a game's weight that goes to its positions in proportion to how much their
    /// search surprised the network, instead of evenly. 0 to 1. Default 0.
    pub surprise_share: f32,
    /// Where the network becomes larger, in ascending order. Default nowhere.
    pub growth: Vec<Growth>,
    /// The learning rate over the run.
    pub learning_rate: LearningRateConfig,
    /// AdamW's decoupled weight decay. Default 1e-4.
    pub weight_decay: f32,
    /// The gradient of each tensor is scaled down to this norm. Default 2.
    pub gradient_clip: f32,
    /// The average of weights that plays the games keeps this share of itself at every step.
    /// Default 0.998.
    pub average_decay: f32,
    /// The weights of the parts of the loss.
    pub loss: LossConfig,
    /// What the value head learns to predict.
    pub value_target: ValueTargetConfig,
    /// Searching positions of earlier generations anew.
    pub reanalysis: ReanalysisConfig,
}

/// The newest positions of a run, from which training samples are drawn: the window grows with
/// the run, as early games are soon outplayed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WindowConfig {
    /// The window never shrinks below this many positions, once there are so many. Default 150,000.
    pub least: usize,
    /// The share of all positions of the run that the window holds. Default 0.5.
    pub share: f32,
    /// The window of a run of `p` positions has `share * least^(1 - exponent) * p^exponent` of
    /// them: with less than 1, the share falls as the run gets longer (Wu 2019, appendix C). Above
    /// 0, at most 1. Default 1.
    pub exponent: f32,
    /// The window never grows beyond this many positions. Default 1,200,000.
    pub most: usize,
}

/// A larger network in the place of the one so far, which at first computes the same (see
/// [`Weights::grown`](outflank_net::Weights::grown)): small networks learn the first things faster,
/// large ones more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Growth {
    /// The number of the model that is grown before the next lesson.
    pub generation: u64,
    /// Residual blocks from then on.
    pub blocks: usize,
    /// Channels from then on.
    pub channels: usize,
}

/// Warm-up, then a constant rate, then half a cosine down to the end of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LearningRateConfig {
    /// The highest rate. Default 1.5e-3.
    pub peak: f64,
    /// The rate at the end of the run. Default 1e-4.
    pub end: f64,
    /// The steps of the linear rise to `peak`. Default 100.
    pub warmup_steps: u64,
    /// The share of the run's generations after which the rate begins to fall. Default 0.5.
    pub hold: f64,
}

/// The weights of the parts of the loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LossConfig {
    /// Cross entropy of the policy against the search's improved policy. Default 1.
    pub policy: f32,
    /// Cross entropy of win, draw and loss. Default 1.
    pub outcome: f32,
    /// Huber loss of the disc margin, in units of half the board. Default 0.5.
    pub margin: f32,
    /// Binary cross entropy of each square's final owner, averaged over the squares. Default 1.5,
    /// as in Wu 2019.
    pub ownership: f32,
    /// Cross entropy of the opponent's reply, where the network has `reply_head`. Default 0.15.
    pub reply: f32,
    /// Cross entropy of the softened policy, where the network has `soft_policy_head`. Default 2.
    pub soft_policy: f32,
    /// The target of the softened policy is the search's policy to the power of one over this,
    /// normalised. At least 1. Default 4.
    pub soft_policy_temperature: f32,
}

/// The value target is the game's outcome, mixed with the search's own value of the position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ValueTargetConfig {
    /// The share of the outcome once the schedule has run. Default 1 (the outcome alone).
    pub outcome_share: f32,
    /// The outcome's share falls from 1 to `outcome_share` over these generations, `[first, last]`:
    /// the value of an untrained search is worth nothing. Default `[4, 8]`.
    pub generations: [u64; 2],
}

/// Positions of earlier generations that are searched anew, by the newest network, before they are
/// trained on: their policy target and the search's part of the value target become those of
/// today. Outcome, margin and ownership stay those of the game, and solved positions as they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReanalysisConfig {
    /// The share of the samples of such positions. 0 to 1. Default 0 (off).
    pub share: f32,
    /// Simulations of each search, which otherwise is that of self-play. Default 32.
    pub simulations: u32,
}

impl Default for ReanalysisConfig {
    fn default() -> ReanalysisConfig {
        ReanalysisConfig {
            share: 0.0,
            simulations: 32,
        }
    }
}

impl Default for TrainingConfig {
    fn default() -> TrainingConfig {
        TrainingConfig {
            batch_size: 256,
            samples_per_position: 3.0,
            window: WindowConfig::default(),
            kinds: KindWeights::default(),
            surprise_share: 0.0,
            growth: Vec::new(),
            learning_rate: LearningRateConfig::default(),
            weight_decay: 1e-4,
            gradient_clip: 2.0,
            average_decay: 0.998,
            loss: LossConfig::default(),
            value_target: ValueTargetConfig::default(),
            reanalysis: ReanalysisConfig::default(),
        }
    }
}

impl Default for WindowConfig {
    fn default() -> WindowConfig {
        WindowConfig {
            least: 150_000,
            share: 0.5,
            exponent: 1.0,
            most: 1_200_000,
        }
    }
}

impl Default for LearningRateConfig {
    fn default() -> LearningRateConfig {
        LearningRateConfig {
            peak: 1.5e-3,
            end: 1e-4,
            warmup_steps: 100,
            hold: 0.5,
        }
    }
}

impl Default for LossConfig {
    fn default() -> LossConfig {
        LossConfig {
            policy: 1.0,
            outcome: 1.0,
            margin: 0.5,
            ownership: 1.5,
            reply: 0.15,
            soft_policy: 2.0,
            soft_policy_temperature: 4.0,
        }
    }
}

impl Default for ValueTargetConfig {
    fn default() -> ValueTargetConfig {
        ValueTargetConfig {
            outcome_share: 1.0,
            generations: [4, 8],
        }
    }
}

impl WindowConfig {
    /// The number of newest positions in the window after `total` positions of the run.
    pub fn positions(&self, total: u64) -> usize {
        let unit = self.least.max(1) as f64;
        let grown = unit * (total as f64 / unit).powf(f64::from(self.exponent));
        ((grown * f64::from(self.share)) as usize).clamp(self.least, self.most)
    }
}

impl TrainingConfig {
    /// What model `seq` of a run looks like that begins with the network `first`.
    pub fn architecture_at(&self, first: &Architecture, seq: u64) -> Architecture {
        let mut architecture = first.clone();
        for step in self.growth.iter().filter(|step| step.generation < seq) {
            architecture.blocks = step.blocks;
            architecture.channels = step.channels;
        }
        architecture
    }
}

impl LearningRateConfig {
    /// The rate at optimisation step `step` of the run (counted from 0), in the generation
    /// `generation` of `generations`.
    pub fn at(&self, step: u64, generation: u64, generations: u64) -> f64 {
        let progress = generation as f64 / generations.max(1) as f64;
        let fall = ((progress - self.hold) / (1.0 - self.hold).max(1e-9)).clamp(0.0, 1.0);
        let rate =
            self.end + (self.peak - self.end) * 0.5 * (1.0 + (std::f64::consts::PI * fall).cos());
        rate * ((step + 1) as f64 / (self.warmup_steps + 1) as f64).min(1.0)
    }
}

impl ValueTargetConfig {
    /// The outcome's share of the target in a generation.
    pub fn outcome_share_at(&self, generation: u64) -> f32 {
        let [first, last] = self.generations;
        let progress = if generation >= last {
            1.0
        } else if generation <= first {
            0.0
        } else {
            (generation - first) as f32 / (last - first) as f32
        };
        1.0 + (self.outcome_share - 1.0) * progress
    }
}

/// A setting outside of its range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} is {found}; expected {expected}")]
pub struct SettingError {
    /// The key, as in the configuration file.
    pub key: String,
    /// The value that was found.
    pub found: String,
    /// What is allowed.
    pub expected: String,
}

/// The most that a weight may be: far more than tells one part from another, and far from where sums
/// of them overflow.
const MOST_WEIGHT: f64 = 1000.0;

impl TrainingConfig {
    /// Checks every setting's range. Keys in errors begin with `training.`.
    pub fn validate(&self) -> Result<(), SettingError> {
        let check = |key: &str, ok: bool, found: String, expected: &str| {
            if ok {
                Ok(())
            } else {
                Err(SettingError {
                    key: format!("training.{key}"),
                    found,
                    expected: expected.to_owned(),
                })
            }
        };
        let positive = |key: &str, value: f64, most: f64| {
            check(
                key,
                value > 0.0 && value <= most,
                value.to_string(),
                &format!("a number above 0, at most {most}"),
            )
        };
        let from_zero = |key: &str, value: f64, most: f64| {
            check(
                key,
                (0.0..=most).contains(&value),
                value.to_string(),
                &format!("a number from 0 to {most}"),
            )
        };
        let weight = |key: &str, value: f32| from_zero(key, f64::from(value), MOST_WEIGHT);
        let share = |key: &str, value: f64| {
            check(
                key,
                (0.0..=1.0).contains(&value),
                value.to_string(),
                "a share from 0 to 1",
            )
        };
        check(
            "batch_size",
            (1..=65_536).contains(&self.batch_size),
            self.batch_size.to_string(),
            "1 to 65536",
        )?;
        positive(
            "samples_per_position",
            f64::from(self.samples_per_position),
            1000.0,
        )?;
        share("window.share", f64::from(self.window.share))?;
        check(
            "window.exponent",
            self.window.exponent > 0.0 && self.window.exponent <= 1.0,
            self.window.exponent.to_string(),
            "a number above 0, at most 1",
        )?;
        weight("kinds.full", self.kinds.full)?;
        weight("kinds.fast", self.kinds.fast)?;
        weight("kinds.solved", self.kinds.solved)?;
        share("surprise_share", f64::from(self.surprise_share))?;
        for pair in self.growth.windows(2) {
            let [before, after] = [&pair[0], &pair[1]];
            check(
                "growth",
                after.generation > before.generation
                    && after.blocks >= before.blocks
                    && after.channels >= before.channels,
                format!(
                    "{} x {} after generation {}",
                    after.blocks, after.channels, after.generation
                ),
                "later generations and no smaller networks than in the entry before",
            )?;
        }
        check(
            "window.most",
            self.window.most >= self.window.least && self.window.most > 0,
            self.window.most.to_string(),
            "at least 1 and at least training.window.least",
        )?;
        positive("learning_rate.peak", self.learning_rate.peak, 1.0)?;
        from_zero("learning_rate.end", self.learning_rate.end, 1.0)?;
        share("learning_rate.hold", self.learning_rate.hold)?;
        from_zero("weight_decay", f64::from(self.weight_decay), 1.0)?;
        positive("gradient_clip", f64::from(self.gradient_clip), 1e9)?;
        check(
            "average_decay",
            (0.0..1.0).contains(&self.average_decay),
            self.average_decay.to_string(),
            "0 or more and below 1",
        )?;
        weight("loss.policy", self.loss.policy)?;
        weight("loss.outcome", self.loss.outcome)?;
        weight("loss.margin", self.loss.margin)?;
        weight("loss.ownership", self.loss.ownership)?;
        weight("loss.reply", self.loss.reply)?;
        weight("loss.soft_policy", self.loss.soft_policy)?;
        check(
            "loss.soft_policy_temperature",
            self.loss.soft_policy_temperature >= 1.0
                && self.loss.soft_policy_temperature.is_finite(),
            self.loss.soft_policy_temperature.to_string(),
            "a number of 1 or more",
        )?;
        share(
            "value_target.outcome_share",
            f64::from(self.value_target.outcome_share),
        )?;
        let [first, last] = self.value_target.generations;
        check(
            "value_target.generations",
            first <= last,
            format!("[{first}, {last}]"),
            "the first generation, then one not before it",
        )?;
        share("reanalysis.share", f64::from(self.reanalysis.share))?;
        check(
            "reanalysis.simulations",
            (1..=1_000_000).contains(&self.reanalysis.simulations),
            self.reanalysis.simulations.to_string(),
            "1 to 1000000",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn learning_rate_rises_holds_and_falls() {
        let rate = LearningRateConfig {
            peak: 1.0,
            end: 0.1,
            warmup_steps: 9,
            hold: 0.5,
        };
        assert!((rate.at(0, 0, 10) - 0.1).abs() < 1e-12);
        assert!((rate.at(9, 0, 10) - 1.0).abs() < 1e-12);
        assert!((rate.at(100, 5, 10) - 1.0).abs() < 1e-12);
        let quarter = 0.1 + 0.9 * 0.5 * (1.0 + (0.5 * std::f64::consts::PI).cos());
        assert!((rate.at(100, 15, 20) - quarter).abs() < 1e-12);
        assert!((rate.at(100, 20, 20) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn outcome_share_falls_between_its_generations() {
        let target = ValueTargetConfig {
            outcome_share: 0.5,
            generations: [4, 8],
        };
        assert_eq!(target.outcome_share_at(0), 1.0);
        assert_eq!(target.outcome_share_at(4), 1.0);
        assert_eq!(target.outcome_share_at(6), 0.75);
        assert_eq!(target.outcome_share_at(8), 0.5);
        assert_eq!(target.outcome_share_at(80), 0.5);
        let at_once = ValueTargetConfig {
            generations: [4, 4],
            ..target
        };
        assert_eq!(
            [3, 4].map(|generation| at_once.outcome_share_at(generation)),
            [1.0, 0.5]
        );
    }

    #[test]
    fn window_grows_between_its_bounds() {
        let window = WindowConfig {
            least: 100,
            share: 0.5,
            exponent: 1.0,
            most: 1000,
        };
        assert_eq!(window.positions(10), 100);
        assert_eq!(window.positions(600), 300);
        assert_eq!(window.positions(1_000_000), 1000);
        let slower = WindowConfig {
            exponent: 0.5,
            share: 1.0,
            ..window
        };
        // The root of 100 * 6400.
        assert_eq!(slower.positions(6400), 800);
    }

    #[test]
    fn networks_grow_after_their_generation() {
        let growth = |generation, blocks, channels| Growth {
            generation,
            blocks,
            channels,
        };
        let mut config = TrainingConfig {
            growth: vec![growth(3, 5, 32), growth(9, 6, 48)],
            ..TrainingConfig::default()
        };
        assert!(config.validate().is_ok());
        let first = Architecture::default();
        let shape = |seq| {
            let architecture = config.architecture_at(&first, seq);
            (architecture.blocks, architecture.channels)
        };
        assert_eq!(
            [0, 3, 4, 9, 10].map(shape),
            [(4, 32), (4, 32), (5, 32), (5, 32), (6, 48)]
        );
        config.growth.swap(0, 1);
        assert!(config.validate().is_err());
    }

    #[test]
    fn errors_name_the_key_and_the_range() {
        let config = TrainingConfig {
            average_decay: 1.0,
            ..TrainingConfig::default()
        };
        let message = config.validate().unwrap_err().to_string();
        assert_eq!(
            message,
            "training.average_decay is 1; expected 0 or more and below 1"
        );
        assert!(TrainingConfig::default().validate().is_ok());
    }
}
