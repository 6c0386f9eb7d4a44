//! Learning from recorded games.
//!
//! - [`TrainingConfig`] has every knob.
//! - [`Batch`] makes training data of sampled positions, [`Trainer::step`] learns from it: masked
//!   policy loss, win/draw/loss, disc margin and ownership, AdamW, an average of weights.
//! - [`Learner`] is the trainer of a run: it takes a generation's games, learns, commits a model.
//!
//! Start with [`Trainer::step`], then [`Learner::learn`].
//!
//! Deliberately absent: playing games (crate `selfplay`), the network itself (crate `net`), and
//! what a file looks like (crates `records`, `net` and `run`).

mod batch;
mod config;
mod learner;
mod loss;
mod trainer;

pub use batch::Batch;
pub use config::{
    Growth, LearningRateConfig, LossConfig, SettingError, TrainingConfig, ValueTargetConfig,
    WindowConfig,
};
pub use learner::{LearnError, Learner, LearningPlan, Lesson};
pub use loss::Losses;
pub use trainer::{GrowError, Trainer};
