use rand::{Rng, RngExt};

use crate::architecture::{Architecture, Role, TensorSpec};

/// The parameters of a network as plain numbers, free of any device: what is initialised, averaged,
/// stored in checkpoints, exported, and compiled for the CPU.
///
/// There is always exactly one tensor of the right length for every entry of
/// [`Architecture::tensors`].
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    architecture: Architecture,
    tensors: Vec<Vec<f32>>,
}

/// How much smaller than He's the spread of a block's second convolution is. Without normalisation
/// a tower of full-scale blocks doubles its variance with every block; near the identity it starts
/// stable at any depth (the idea of Zhang et al., "Fixup initialization", 2019, who use 0).
const RESIDUAL_SCALE: f32 = 0.3;

/// How much smaller the spread of a head's last layer is, so that a fresh network is close to
/// indifferent: every move equally likely, every outcome too.
const OUTPUT_SCALE: f32 = 0.2;

impl Weights {
    /// Fresh weights, the same for the same generator on every machine: He's variance for a ReLU
    /// that follows, smaller for the ends of blocks and heads, zero for biases. Values are uniform
    /// rather than normal because that takes exact arithmetic only.
    pub fn init(architecture: Architecture, rng: &mut impl Rng) -> Weights {
        Weights::from_fn(architecture, |spec| {
            let fan_in: usize = spec.shape[1..].iter().product();
            let scale = match spec.role {
                Role::Hidden => 1.0,
                Role::Residual => RESIDUAL_SCALE,
                Role::Output => OUTPUT_SCALE,
                Role::Bias => return vec![0.0; spec.len()],
            };
            // A uniform value in [-bound, bound] has the variance bound^2 / 3.
            let bound = scale * (6.0 / fan_in as f32).sqrt();
            (0..spec.len())
                .map(|_| bound * (2.0 * rng.random::<f32>() - 1.0))
                .collect()
        })
    }

    /// Every weight zero, where sums such as moments of gradients start.
    pub fn zeros(architecture: Architecture) -> Weights {
        Weights::from_fn(architecture, |spec| vec![0.0; spec.len()])
    }

    /// Weights made tensor by tensor, in the order of [`Architecture::tensors`].
    ///
    /// # Panics
    /// If `tensor` returns another number of values than its specification says.
    pub fn from_fn(
        architecture: Architecture,
        mut tensor: impl FnMut(&TensorSpec) -> Vec<f32>,
    ) -> Weights {
        let mut tensors = Vec::new();
        for spec in architecture.tensors() {
            let values = tensor(&spec);
            assert_eq!(
                values.len(),
                spec.len(),
                "{} has the shape {:?}",
                spec.name,
                spec.shape
            );
            tensors.push(values);
        }
        Weights {
            architecture,
            tensors,
        }
    }

    /// What the weights are for.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The values of every tensor, in the order of [`Architecture::tensors`].
    pub fn tensors(&self) -> &[Vec<f32>] {
        &self.tensors
    }

    /// The values of a tensor by its name, such as `stem.bias`.
    pub fn get(&self, name: &str) -> Option<&[f32]> {
        let index = self
            .architecture
            .tensors()
            .iter()
            .position(|spec| spec.name == name)?;
        Some(&self.tensors[index])
    }

    /// Moves every weight towards `newer`: `decay * self + (1 - decay) * newer`. A running average
    /// of a training's weights, which plays better than the latest of them.
    ///
    /// # Panics
    /// If the architectures differ.
    pub fn average(&mut self, newer: &Weights, decay: f32) {
        assert_eq!(
            self.architecture, newer.architecture,
            "only equal networks can be averaged"
        );
        for (mean, new) in self.tensors.iter_mut().zip(&newer.tensors) {
            for (mean, new) in mean.iter_mut().zip(new) {
                *mean += (1.0 - decay) * (new - *mean);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn weights(seed: u64) -> Weights {
        Weights::init(
            Architecture::default(),
            &mut ChaCha8Rng::seed_from_u64(seed),
        )
    }

    #[test]
    fn a_seed_decides_every_weight() {
        assert_eq!(weights(7), weights(7));
        assert_ne!(weights(7), weights(8));
    }

    #[test]
    fn the_spread_is_as_documented() {
        let weights = weights(1);
        let deviation = |name: &str| {
            let values = weights.get(name).unwrap();
            (values.iter().map(|x| x * x).sum::<f32>() / values.len() as f32).sqrt()
        };
        let he = (2.0f32 / 288.0).sqrt();
        assert!((deviation("tower.3.conv1.weight") / he - 1.0).abs() < 0.03);
        assert!((deviation("tower.3.conv2.weight") / he - 0.3).abs() < 0.01);
        assert!((deviation("policy.dense.weight") / (2.0f32 / 256.0).sqrt() - 0.2).abs() < 0.01);
        assert_eq!(deviation("tower.0.conv2.bias"), 0.0);
    }

    #[test]
    fn an_average_moves_by_its_share() {
        let mut mean = Weights::zeros(Architecture::default());
        let newer = Weights::from_fn(Architecture::default(), |spec| vec![8.0; spec.len()]);
        mean.average(&newer, 0.75);
        assert_eq!(mean.get("ownership.bias").unwrap(), [2.0]);
        mean.average(&newer, 0.75);
        assert_eq!(mean.get("ownership.bias").unwrap(), [3.5]);
    }
}
