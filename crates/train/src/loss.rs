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
    /// Cross entropy of the opponent's reply, in nats; 0 without that head.
    #[serde(default)]
    pub reply: f32,
    /// Cross entropy of the softened policy, in nats; 0 without that head.
    #[serde(default)]
    pub soft_policy: f32,
}

impl Losses {
    /// The parts in the order of the fields, as `loss` returns them.
    pub(crate) fn from_parts(parts: &[f32]) -> Losses {
        Losses {
            policy: parts[0],
            outcome: parts[1],
            margin: parts[2],
            ownership: parts[3],
            reply: parts[4],
            soft_policy: parts[5],
        }
    }

    /// Adds `other`, as for a running sum.
    pub fn add(&mut self, other: &Losses) {
        self.policy += other.policy;
        self.outcome += other.outcome;
        self.margin += other.margin;
        self.ownership += other.ownership;
        self.reply += other.reply;
        self.soft_policy += other.soft_policy;
    }

    /// Each part times `factor`.
    pub fn scaled(&self, factor: f32) -> Losses {
        Losses {
            policy: self.policy * factor,
            outcome: self.outcome * factor,
            margin: self.margin * factor,
            ownership: self.ownership * factor,
            reply: self.reply * factor,
            soft_policy: self.soft_policy * factor,
        }
    }
}

/// The loss to minimise, `[1]`, and its parts in the order of [`Losses`], as many as there are.
pub(crate) fn loss(output: Output, target: Tensors, config: &LossConfig) -> (Tensor<1>, Tensor<1>) {
    // Illegal moves leave the softmax before anything is learned from it.
    let moves = log_softmax(output.policy + target.illegal.clone(), 1);
    let policy = per_sample(-(moves * target.policy.clone()));
    let (illegal, device) = (target.illegal, target.weight.device());
    // What the opponent may do depends on the move: no reply is ruled out.
    let reply = output
        .reply
        .zip(target.reply)
        .map(|(reply, target)| per_sample(-(log_softmax(reply, 1) * target)));
    let soft_policy = output.soft_policy.map(|soft| {
        let target = softened(target.policy, config.soft_policy_temperature);
        per_sample(-(log_softmax(soft + illegal, 1) * target))
    });
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
    let parts = [
        (Some(policy), config.policy),
        (Some(outcome), config.outcome),
        (Some(margin), config.margin),
        (Some(ownership), config.ownership),
        (reply, config.reply),
        (soft_policy, config.soft_policy),
    ];
    let (mut means, mut total) = (Vec::new(), None);
    for (part, weight) in parts {
        let part = part.map(mean);
        if let Some(part) = part.clone() {
            let weighted = part * weight;
            total = Some(match total {
                None => weighted,
                Some(sum) => sum + weighted,
            });
        }
        means.push(part.unwrap_or_else(|| Tensor::zeros([1], &device)));
    }
    let total = total.expect("there are parts that every network has");
    (total, Tensor::cat(means, 0))
}

/// Probabilities `[batch, area]` to the power of `1 / temperature`, normalised. Rows of zeros stay.
fn softened(policy: Tensor<2>, temperature: f32) -> Tensor<2> {
    let flat = policy.powf_scalar(1.0 / temperature);
    let sum = flat.clone().sum_dim(1).clamp_min(1e-9);
    flat / sum
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
            reply: Some(matrix(&[0.1, 0.2, 0.3, 0.0, 0.0, 1.0], 3)),
            soft_policy: Some(matrix(&[1.0, 0.0, 5.0, 0.0, 0.5, 0.0], 3)),
        };
        let target = Tensors {
            planes: Tensor::zeros([2, 1, 1, 3], &device),
            illegal: matrix(&[0.0, 0.0, -1e9, 0.0, 0.0, 0.0], 3),
            policy: matrix(&[0.25, 0.75, 0.0, 0.0, 0.0, 0.0], 3),
            reply: Some(matrix(&[0.0, 0.0, 0.0, 0.5, 0.0, 0.5], 3)),
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
            reply: 5.0,
            soft_policy: 6.0,
            soft_policy_temperature: 2.0,
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
        let reply = -0.5 * (log_softmax(&[0.0, 0.0, 1.0], 0) + log_softmax(&[0.0, 0.0, 1.0], 2));
        let roots = [0.25f64.sqrt(), 0.75f64.sqrt()];
        let soft: f64 = (0..2)
            .map(|i| -roots[i] / (roots[0] + roots[1]) * log_softmax(&[1.0, 0.0], i))
            .sum();
        // The second margin is off by 2.5: half a square up to 1, then linear.
        let expected = [
            policy / 2.0,
            (first + 2.0 * second) / 2.0,
            (0.5 * 0.4 * 0.4 + 2.0 * (0.5 + 1.5)) / 2.0,
            ownership / 2.0,
            2.0 * reply / 2.0,
            soft / 2.0,
        ];
        for (part, expected) in parts.iter().zip(expected) {
            assert!(
                (f64::from(*part) - expected).abs() < 1e-5,
                "{part} {expected}"
            );
        }
        let sum: f64 = (1..)
            .zip(expected)
            .map(|(weight, part)| f64::from(weight) * part)
            .sum();
        let total = f64::from(total.into_scalar::<f32>());
        assert!((total - sum).abs() < 1e-4, "{total} {sum}");
    }
}
