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

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, TensorData};

    use super::*;

    /// The parts of the loss for two samples, computed number by number.
    #[test]
    fn parts_agree_with_plain_arithmetic() {
        let device = Device::flex();
        let matrix = |values: &[f32], columns: usize| {
            let shape = [values.len() / columns, columns];
            Tensor::<2>::from_data(TensorData::new(values.to_vec(), shape), &device)
        };
        let vector = |values: &[f32]| {
            Tensor::<1>::from_data(TensorData::new(values.to_vec(), [values.len()]), &device)
        };
        // The third move is illegal in the first sample, however much the network wants it.
        let output = Output {
            policy: matrix(&[1.0, 2.0, 90.0, 0.5, 0.5, 0.5], 3),
            outcome: matrix(&[0.2, -0.1, 0.4, 1.0, 0.0, -1.0], 3),
            margin: vector(&[0.5, -2.0]),
            ownership: matrix(&[0.3, -0.2, 0.0, 1.0, -1.0, 0.5], 3),
        };
        let target = Tensors {
            planes: Tensor::zeros([2, 1, 1, 3], &device),
            illegal: matrix(&[0.0, 0.0, -1e9, 0.0, 0.0, 0.0], 3),
            policy: matrix(&[0.25, 0.75, 0.0, 0.0, 0.0, 0.0], 3),
            outcome: matrix(&[1.0, 0.0, 0.0, 0.5, 0.0, 0.5], 3),
            margin: vector(&[0.1, 0.5]),
            margin_known: vector(&[1.0, 1.0]),
            ownership: matrix(&[1.0, 0.0, 0.5, 1.0, 1.0, 1.0], 3),
            ownership_known: vector(&[1.0, 0.0]),
            weight: vector(&[1.0, 2.0]),
        };
        let config = LossConfig {
            policy: 1.0,
            outcome: 2.0,
            margin: 3.0,
            ownership: 4.0,
        };
        let (total, parts) = loss(output, target, &config);
        let parts = parts.try_into_vec_as::<f32>().expect("readable");

        let log_softmax =
            |logits: &[f64], i: usize| logits[i] - logits.iter().map(|x| x.exp()).sum::<f64>().ln();
        let policy = -(0.25 * log_softmax(&[1.0, 2.0], 0) + 0.75 * log_softmax(&[1.0, 2.0], 1));
        let first = -log_softmax(&[0.2, -0.1, 0.4], 0);
        let second = -0.5 * (log_softmax(&[1.0, 0.0, -1.0], 0) + log_softmax(&[1.0, 0.0, -1.0], 2));
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let ownership = -(sigmoid(0.6).ln() + (1.0 - sigmoid(-0.4)).ln() + 0.5f64.ln()) / 3.0;
        // The second margin is off by 2.5: half a square up to 1, then linear.
        let expected = [
            policy / 2.0,
            (first + 2.0 * second) / 2.0,
            (0.5 * 0.4 * 0.4 + 2.0 * (0.5 + 1.5)) / 2.0,
            ownership / 2.0,
        ];
        for (part, expected) in parts.iter().zip(expected) {
            assert!(
                (f64::from(*part) - expected).abs() < 1e-5,
                "{part} {expected}"
            );
        }
        let sum = expected[0] + 2.0 * expected[1] + 3.0 * expected[2] + 4.0 * expected[3];
        let total = f64::from(total.into_scalar::<f32>());
        assert!((total - sum).abs() < 1e-4, "{total} {sum}");
    }
}
