use std::ops::Range;

use burn::grad_clipping::GradientClippingConfig;
use burn::module::Module;
use burn::optim::{AdamWConfig, GradientsAccumulator, GradientsParams, ModuleOptimizer};
use burn::tensor::Device;
use outflank_net::{
    Architecture, ArchitectureError, Moments, Network, OptimizerError, TrainingState, Weights,
    optimizer_moments, restore_optimizer,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::batch::Batch;
use crate::loss::{Losses, loss};
use crate::{LossConfig, TrainingConfig};

/// Samples in a shard of a batch: enough to fill the kernels, few enough for the cores of a laptop.
const SHARD_ROWS: usize = 64;

/// A network in training: its weights, the optimiser, and the average of weights that plays.
pub struct Trainer {
    network: Network,
    optimizer: ModuleOptimizer,
    average: Weights,
    average_decay: f32,
    loss: LossConfig,
    architecture: Architecture,
    device: Device,
    steps: u64,
}

impl Trainer {
    /// An untrained network; equal seeds make equal networks.
    pub fn new(
        architecture: &Architecture,
        config: &TrainingConfig,
        seed: u64,
        device: &Device,
    ) -> Trainer {
        let weights = Weights::init(architecture.clone(), &mut ChaCha8Rng::seed_from_u64(seed));
        Trainer::from_weights(weights, config, device)
    }

    /// A trainer that begins with these weights, and an optimiser that knows nothing yet.
    pub fn from_weights(weights: Weights, config: &TrainingConfig, device: &Device) -> Trainer {
        let device = device.clone().autodiff();
        Trainer {
            network: Network::new(&weights, &device),
            optimizer: optimizer(config),
            average_decay: config.average_decay,
            loss: config.loss.clone(),
            architecture: weights.architecture().clone(),
            average: weights,
            device,
            steps: 0,
        }
    }

    /// A trainer that goes on from a stored state, with the average that was stored beside it.
    pub fn restore(
        state: &TrainingState,
        average: Weights,
        config: &TrainingConfig,
        device: &Device,
    ) -> Result<Trainer, OptimizerError> {
        let device = device.clone().autodiff();
        Ok(Trainer {
            network: Network::new(&state.weights, &device),
            optimizer: restore_optimizer(optimizer(config), &state.moments)?,
            architecture: average.architecture().clone(),
            average,
            average_decay: config.average_decay,
            loss: config.loss.clone(),
            device,
            steps: state.moments.steps,
        })
    }

    /// This training in a larger network that computes the same so far, see [`Weights::grown`].
    /// The fresh weights follow from `seed`.
    pub fn grown(
        &self,
        larger: &Architecture,
        config: &TrainingConfig,
        seed: u64,
    ) -> Result<Trainer, GrowError> {
        // The same fresh weights in both: an average of the two should stay one of alike networks.
        let grow = |weights: &Weights| weights.grown(larger, &mut ChaCha8Rng::seed_from_u64(seed));
        let moments = self.moments()?.grown(larger);
        Ok(Trainer {
            network: Network::new(&grow(&self.network.weights())?, &self.device),
            optimizer: restore_optimizer(optimizer(config), &moments)?,
            average: grow(&self.average)?,
            average_decay: self.average_decay,
            loss: self.loss.clone(),
            architecture: larger.clone(),
            device: self.device.clone(),
            steps: self.steps,
        })
    }

    /// One step of the optimiser on a batch, at this learning rate. Returns the parts of the loss
    /// before the step.
    ///
    /// # Panics
    /// If the batch is empty.
    pub fn step(&mut self, batch: &Batch, learning_rate: f64) -> Losses {
        assert!(!batch.is_empty(), "a step learns from samples");
        let (gradients, losses) = self.gradients(batch);
        self.network = self
            .optimizer
            .step(learning_rate, self.network.clone(), gradients);
        // Early weights are far from good: an average that remembers them all would lag behind.
        let decay = self
            .average_decay
            .min(self.steps as f32 / (self.steps as f32 + 10.0));
        self.average.average(&self.network.weights(), decay);
        self.steps += 1;
        losses
    }

    /// The gradient of the loss over a batch, and the parts of the loss.
    ///
    /// On a CPU the batch is cut into shards that threads take, each with a graph of its own: the
    /// heads and the loss are many small operations, which would keep one core busy. The shards do
    /// not depend on the number of threads, and their gradients are added in order.
    fn gradients(&self, batch: &Batch) -> (GradientsParams, Losses) {
        let rows = if Network::has_kernels(&self.device) {
            SHARD_ROWS
        } else {
            batch.len()
        };
        let shards: Vec<_> = (0..batch.len())
            .step_by(rows)
            .map(|first| first..batch.len().min(first + rows))
            .collect();
        let network = self
            .network
            .clone()
            .with_threads((rayon::current_num_threads() / shards.len()).max(1))
            .packed();
        let learn = |rows: Range<usize>| {
            let share = rows.len() as f32 / batch.len() as f32;
            // Leaves of its own: graphs that share them would wait for each other.
            let network = network.clone().fork(&self.device);
            let tensors = batch.tensors(rows.clone(), &self.architecture, &self.device);
            let output = network.forward(tensors.planes.clone());
            let (total, parts) = loss(output, tensors, &self.loss);
            let gradients = (total * share).backward();
            let gradients = GradientsParams::from_grads(gradients, &network);
            (gradients, parts * share)
        };
        let results: Vec<_> = shards.into_par_iter().map(learn).collect();

        let mut sum = GradientsAccumulator::new();
        let mut losses = Losses::default();
        for (gradients, parts) in results {
            sum.accumulate(&self.network, gradients);
            let parts = parts.try_into_vec_as::<f32>().expect("losses can be read");
            losses.add(&Losses::from_parts(&parts));
        }
        (sum.grads(), losses)
    }

    /// Steps taken since the network was new.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// What the network is built from.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The average of weights: what plays.
    pub fn average(&self) -> &Weights {
        &self.average
    }

    /// What is needed, beside the average, to go on in another process.
    pub fn state(&self) -> Result<TrainingState, OptimizerError> {
        Ok(TrainingState {
            weights: self.network.weights(),
            moments: self.moments()?,
        })
    }

    fn moments(&self) -> Result<Moments, OptimizerError> {
        optimizer_moments(&self.optimizer, &self.architecture)
    }
}

/// Why a network could not grow.
#[derive(Debug, thiserror::Error)]
pub enum GrowError {
    /// The new network is no larger one of the same kind.
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
    /// The optimiser's memory could not be taken along.
    #[error(transparent)]
    Optimizer(#[from] OptimizerError),
}

fn optimizer(config: &TrainingConfig) -> ModuleOptimizer {
    AdamWConfig::new()
        .with_epsilon(1e-8)
        .with_weight_decay(config.weight_decay)
        .with_grad_clipping(Some(GradientClippingConfig::Norm(config.gradient_clip)))
        .init()
}
