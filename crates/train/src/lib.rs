//! Learning from recorded games.
//!
//! - [`TrainingConfig`] has every knob.
//! - [`Batch`] makes training data of sampled positions, [`Trainer::step`] learns from it: masked
//!   policy loss, win/draw/loss, disc margin and ownership, AdamW, an average of weights.
//! - [`Learner`] is the trainer of a run: it takes a generation's games, learns, commits a model.
//!   `drawing` draws its samples, `reanalysis` searches some of them anew.
//! - [`imitate`] makes training data of games by others, and [`Exam`] says how well a network
//!   predicts games that were held out.
//!
//! Start with [`Trainer::step`], then [`Learner::learn`].
//!
//! Deliberately absent: playing games (crate `selfplay`), the network itself (crate `net`), and
//! what a file looks like (crates `records`, `net` and `run`).

mod batch;
mod config;
mod drawing;
mod exam;
mod gather;
mod imitation;
mod learner;
mod loss;
mod reanalysis;
mod trainer;

pub use batch::Batch;
pub use config::{
    Growth, LearningRateConfig, LossConfig, ReanalysisConfig, SettingError, TrainingConfig,
    ValueTargetConfig, WindowConfig,
};
pub use exam::Exam;
pub use imitation::{imitate, is_held_out};
pub use learner::{LearnError, Learner, LearningPlan, Lesson};
pub use loss::Losses;
pub use reanalysis::{Reanalysed, ReanalysisPlan};
pub use trainer::{GrowError, Trainer};
