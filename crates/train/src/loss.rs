use burn::tensor::Tensor;
use burn::tensor::activation::{log_sigmoid, log_softmax};
use outflank_net::Output;
use serde::{Deserialize, Serialize};

use crate::LossConfig;
use crate::batch::Tensors;

/// The parts of the loss, each a mean over the samples, before weighting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Losses {
    /// Cross entropy of the policy, in nats; its floor is the entropy of the targets.
    pub policy: f32,
    /// Cross entropy of win, draw and loss, in nats.
    pub outcome: f32,
    /// Huber loss of the disc margin in halves of the board.
    pub margin: f32,
    /// Cross entropy of the owner of a square, in nats.
    pub ownership: f32,
}

impl Losses {
    /// Adds `other`, as for a running sum.
    pub fn add(&mut self, other: &Losses) {
        self.policy += other.policy;
        self.outcome += other.outcome;
        self.margin += other.margin;
        self.ownership += other.ownership;
    }

    /// Each part times `factor`.
    pub fn scaled(&self, factor: f32) -> Losses {
        Losses {
            policy: self.policy * factor,
            outcome: self.outcome * factor,
            margin: self.margin * factor,
            ownership: self.ownership * factor,
        }
    }
}

/// The loss to minimise, `[1]`, and its parts, `[4]`, in the order of [`Losses`].
pub(crate) fn loss(output: Output, target: Tensors, config: &LossConfig) -> (Tensor<1>, Tensor<1>) {
    // Illegal moves leave the softmax before anything is learned from it.
    let moves = log_softmax(output.policy + target.illegal, 1);
    let policy = per_sample(-(moves * target.policy));
    let outcome = per_sample(-(log_softmax(output.outcome, 1) * target.outcome));
    let margin = huber(output.margin - target.margin) * target.margin_known;
    // The head's output is before a tanh; tanh(x) = 2 sigmoid(2x) - 1, so as a probability of the
    // mover's disc it is sigmoid(2x).
    let logit = output.ownership * 2.0;
    let area = logit.dims()[1] as f32;
    let own = log_sigmoid(logit.clone()) * target.ownership.clone();
    let opp = log_sigmoid(-logit) * (-target.ownership + 1.0);
    let ownership = per_sample(-(own + opp)) / area * target.ownership_known;

    let mean = |values: Tensor<1>| (values * target.weight.clone()).mean();
    let parts = [mean(policy), mean(outcome), mean(margin), mean(ownership)];
    let weights = [
        config.policy,
        config.outcome,
        config.margin,
        config.ownership,
    ];
    let total = parts
        .iter()
        .zip(weights)
        .map(|(part, weight)| part.clone() * weight)
        .reduce(|sum, part| sum + part)
        .expect("there are four parts");
    (total, Tensor::cat(parts.to_vec(), 0))
}

/// The sum of each row of `[batch, columns]`, `[batch]`.
fn per_sample(values: Tensor<2>) -> Tensor<1> {
    values.sum_dim(1).squeeze_dim(1)
}

/// Half the square up to 1, linear beyond, value by value: `a^2/2 + (|x| - a)` with `a = min(|x|, 1)`.
fn huber(error: Tensor<1>) -> Tensor<1> {
    let size = error.abs();
    let small = size.clone().clamp_max(1.0);
    small.clone().square() * 0.5 + (size - small)
}
