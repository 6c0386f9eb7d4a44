//! The neural network: what it sees, how it is built, stored and evaluated.
//!
//! - [`Architecture`] and [`Feature`] decide its shape and its inputs, [`encode`] makes the inputs.
//! - [`Weights`] are its parameters as plain numbers: initialised, averaged, and stored in a
//!   [`Model`] (a safetensors file that describes itself) and a [`TrainingState`].
//! - [`CompiledNetwork`] is the network packed for the CPU's own kernels, behind the search's
//!   `Evaluator`: the one to use wherever a CPU evaluates.
//! - [`Network`] is the same network as a burn module, to be trained or evaluated on any device of
//!   burn's; [`BurnEvaluator`] puts it behind the search's `Evaluator`.
//!
//! Start with [`Architecture`], then [`Network::forward`] and its [`Output`].
//!
//! Deliberately absent: losses and the training loop (crate `train`), storage beyond reading one
//! file (crate `run`), and any thread of its own.

mod architecture;
#[cfg(feature = "burn")]
mod burn_evaluator;
mod calibration;
mod checkpoint;
mod compiled;
mod evaluation;
mod features;
mod grow;
#[cfg(feature = "burn")]
mod layers;
#[cfg(feature = "burn")]
mod network;
#[cfg(feature = "burn")]
mod optimizer;
mod tensor_file;
#[cfg(feature = "burn")]
mod training_tower;
mod weights;

pub use architecture::{Architecture, ArchitectureError, Role, TensorSpec};
#[cfg(feature = "burn")]
pub use burn_evaluator::BurnEvaluator;
pub use checkpoint::{CheckpointError, Model, Moments, TrainingFacts, TrainingState};
pub use compiled::CompiledNetwork;
pub use features::{Feature, encode, encode_batch, encode_channels_last};
#[cfg(feature = "burn")]
pub use network::{Network, Output};
#[cfg(feature = "burn")]
pub use optimizer::{OptimizerError, optimizer_moments, restore_optimizer};
pub use outflank_kernels::Precision;
pub use weights::Weights;
