//! Self-play: games that a network plays against itself, many at once.
//!
//! - [`SelfplayConfig`] says how games are opened, searched and ended.
//! - [`SelfplayGame`] is one game in small steps, each ending at a position to evaluate.
//! - [`play_games`] drives many on all cores: every thread advances its games to a leaf each, then
//!   evaluates all leaves in one batch.
//! - [`Batcher`] lets the threads share one evaluator, for a GPU.
//! - [`fill_generation`] plays what a run's generation lacks, and publishes it.
//!
//! Start with [`SelfplayGame`], then [`play_games`].
//!
//! Deliberately absent: networks (an [`outflank_search::Evaluator`] is all that is known) and
//! learning (crate `train`).

mod batcher;
mod branch;
mod config;
mod ending;
mod game;
mod generation;
mod opening;
mod resignation;
mod worker;

pub use batcher::{Batched, Batcher};
pub use config::{ConfigError, SelfplayConfig, SimulationGrowth};
pub use ending::solve_ending;
pub use game::{SelfplayGame, Step};
pub use generation::{GenerationError, GenerationPlan, fill_generation};
pub use opening::random_opening;
pub use resignation::{would_resign, wrong_resignations};
pub use worker::{Effort, play_games};
