use burn::module::Module;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};

use crate::architecture::Architecture;
use crate::layers::{Block, Collector, Conv, Dense, Loader, PolicyHead, ValueHead};
use crate::training_tower::TowerKernels;
use crate::weights::Weights;

/// The network as a burn module, on any of burn's devices: for training, and for evaluation where
/// no compiled kernels apply. Its parameters have the names, shapes and order of
/// [`Architecture::tensors`].
///
/// In training on a CPU the tower is computed by the crate `kernels`, several times faster than by
/// burn; everywhere else it is a chain of burn's operations.
#[derive(Module, Debug)]
pub struct Network {
    stem: Conv,
    tower: Vec<Block>,
    policy: PolicyHead,
    value: ValueHead,
    ownership: Conv,
    #[module(skip)]
    architecture: Architecture,
    #[module(skip)]
    kernels: TowerKernels,
}

/// What the network says about a batch of positions. Everything is seen by the player to move in
/// the position, and the squares are in the dense order of
/// [`Size::dense_index`](outflank_rules::Size::dense_index).
#[derive(Clone, Debug)]
pub struct Output {
    /// Logits of the moves, `[batch, area]`; those of illegal moves mean nothing.
    pub policy: Tensor<2>,
    /// Logits of a win, a draw and a loss, in this order, `[batch, 3]`.
    pub outcome: Tensor<2>,
    /// Expected final disc difference, `[batch]`, in halves of the board: 1 stands for `area / 2`
    /// discs.
    pub margin: Tensor<1>,
    /// Expected final owner of every square before a `tanh`, `[batch, area]`: after it, 1 stands
    /// for the mover's disc, -1 for the opponent's, 0 for an even chance or an empty square.
    pub ownership: Tensor<2>,
    /// Logits of the opponent's reply to the best move, `[batch, area]`, if there is such a head.
    pub reply: Option<Tensor<2>>,
    /// Logits of the softened policy, `[batch, area]`, if there is such a head.
    pub soft_policy: Option<Tensor<2>>,
}

impl Network {
    /// A network with these weights on a device. On a device with autodiff the weights are tracked
    /// and can be trained.
    pub fn new(weights: &Weights, device: &Device) -> Network {
        let architecture = weights.architecture().clone();
        let mut loader = Loader::new(weights, device);
        // In the order of `Architecture::tensors`.
        Network {
            stem: loader.conv(),
            tower: (0..architecture.blocks)
                .map(|_| Block {
                    conv1: loader.conv(),
                    conv2: loader.conv(),
                })
                .collect(),
            policy: PolicyHead {
                conv: loader.conv(),
                dense: loader.dense(),
                reply: architecture.reply_head.then(|| loader.dense()),
                soft: architecture.soft_policy_head.then(|| loader.dense()),
            },
            value: ValueHead {
                conv: loader.conv(),
                dense: loader.dense(),
                outcome: loader.dense(),
                margin: loader.dense(),
            },
            ownership: loader.conv(),
            kernels: TowerKernels::new(&architecture),
            architecture,
        }
    }

    /// The same network, its tower trained on this many threads instead of one for every core. The
    /// number never changes a result.
    pub fn with_threads(self, threads: usize) -> Network {
        Network {
            kernels: self.kernels.with_threads(threads),
            ..self
        }
    }

    /// The same network for several forward passes with the weights that it has: where the tower is
    /// trained by the CPU kernels, they pack its filters here instead of in every pass.
    pub fn packed(self) -> Network {
        if !Network::has_kernels(&self.stem.weight.val().device()) {
            return self;
        }
        let parameters = self.tower_parameters().inner().try_into_vec_as::<f32>();
        let parameters = parameters.expect("the values of a tensor on the CPU can be read");
        Network {
            kernels: self.kernels.packed(&parameters),
            ..self
        }
    }

    /// Whether the tower is trained by the CPU kernels on this device.
    pub fn has_kernels(device: &Device) -> bool {
        device.is_autodiff() && TowerKernels::support(device)
    }

    /// What the network was built from.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// A copy of the weights as they are now.
    pub fn weights(&self) -> Weights {
        let mut collector = Collector::default();
        self.visit(&mut collector);
        let mut tensors = collector.tensors.into_iter();
        Weights::from_fn(self.architecture.clone(), |_| {
            tensors
                .next()
                .expect("the module has every tensor of its architecture")
        })
    }

    /// Evaluates `planes`, `[batch, planes, side, side]`, as [`encode`](crate::encode) makes them.
    pub fn forward(&self, planes: Tensor<4>) -> Output {
        let device = planes.device();
        let features = if Network::has_kernels(&device) {
            self.kernel_tower(planes)
        } else {
            self.plain_tower(planes)
        };
        let [policy, value, ownership] = self.head_convolutions(features);
        let (outcome, margin) = self.value.forward(value);
        let auxiliary =
            |head: &Option<Dense>| head.as_ref().map(|head| head.forward(policy.clone()));
        Output {
            reply: auxiliary(&self.policy.reply),
            soft_policy: auxiliary(&self.policy.soft),
            policy: self.policy.dense.forward(policy),
            outcome,
            margin,
            ownership,
        }
    }

    /// The 1x1 convolutions that begin the heads, from the tower's `[batch, side, side, channels]`
    /// to `[batch, channels * area]` for policy and value, after a ReLU, and the finished logits
    /// of the ownership. They are one product of matrices, because the tower's output is by far the
    /// largest tensor outside of the tower.
    fn head_convolutions(&self, features: Tensor<4>) -> [Tensor<2>; 3] {
        let [batch, side, _, channels] = features.dims();
        let convs = [&self.policy.conv, &self.value.conv, &self.ownership];
        let weights = convs.map(|conv| conv.weight.val().flatten::<2>(1, 3));
        let biases = convs.map(|conv| conv.bias.val());
        let weight = Tensor::cat(weights.into(), 0).transpose();
        let bias = Tensor::cat(biases.into(), 0).unsqueeze();
        let heads = features
            .reshape([batch * side * side, channels])
            .matmul(weight)
            + bias;
        let heads = heads
            .reshape([batch as i64, (side * side) as i64, -1])
            .swap_dims(1, 2);
        let Architecture {
            policy_channels,
            value_channels,
            ..
        } = self.architecture;
        let both = policy_channels + value_channels;
        let part = |channels| heads.clone().slice_dim(1, channels).flatten(1, 2);
        [
            relu(part(0..policy_channels)),
            relu(part(policy_channels..both)),
            part(both..both + 1),
        ]
    }

    /// The tower's output, `[batch, side, side, channels]`, by burn's own operations.
    fn plain_tower(&self, planes: Tensor<4>) -> Tensor<4> {
        let mut x = relu(self.stem.forward(planes));
        for block in &self.tower {
            x = block.forward(x);
        }
        x.permute([0, 2, 3, 1])
    }

    /// The same by the CPU kernels.
    fn kernel_tower(&self, planes: Tensor<4>) -> Tensor<4> {
        self.kernels
            .forward(planes.permute([0, 2, 3, 1]), self.tower_parameters())
    }

    /// Weight and bias of the stem and of every convolution of the tower, one after the other.
    fn tower_parameters(&self) -> Tensor<1> {
        let blocks = self
            .tower
            .iter()
            .flat_map(|block| [&block.conv1, &block.conv2]);
        let parameters = std::iter::once(&self.stem)
            .chain(blocks)
            .flat_map(|conv| [conv.weight.val().flatten(0, 3), conv.bias.val()])
            .collect();
        Tensor::cat(parameters, 0)
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::TensorData;
    use outflank_rules::Size;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::Feature;

    fn network(architecture: &Architecture) -> Network {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let weights = Weights::init(architecture.clone(), &mut rng);
        Network::new(&weights, &Device::flex().autodiff())
    }

    /// The tower's output, and the gradient of a sum of its products with fixed numbers.
    fn output_and_gradients(
        network: &Network,
        tower: fn(&Network, Tensor<4>) -> Tensor<4>,
    ) -> (Vec<f32>, Vec<Vec<f32>>) {
        let Architecture {
            size,
            features,
            channels,
            ..
        } = network.architecture();
        let side = size.side();
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut random = |shape: [usize; 4]| {
            let values = (0..shape.iter().product())
                .map(|_| rng.random())
                .collect::<Vec<f32>>();
            Tensor::from_data(TensorData::new(values, shape), &Device::flex().autodiff())
        };
        let planes = random([9, features.len(), side, side]);
        let factors: Tensor<4> = random([9, side, side, *channels]);
        let output = tower(network, planes);
        let gradients = (output.clone() * factors).sum().backward();
        let blocks = network
            .tower
            .iter()
            .flat_map(|block| [&block.conv1, &block.conv2]);
        let found = std::iter::once(&network.stem)
            .chain(blocks)
            .flat_map(|conv| {
                let weight = conv
                    .weight
                    .val()
                    .grad(&gradients)
                    .unwrap()
                    .try_into_vec_as();
                let bias = conv.bias.val().grad(&gradients).unwrap().try_into_vec_as();
                [weight.unwrap(), bias.unwrap()]
            })
            .collect();
        (output.try_into_vec_as().unwrap(), found)
    }

    fn assert_close(found: &[f32], expected: &[f32]) {
        assert_eq!(found.len(), expected.len());
        let scale = expected
            .iter()
            .fold(0.0f32, |largest, x| largest.max(x.abs()));
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found - expected).abs() < 1e-4 * scale,
                "{found} for {expected} of {scale}"
            );
        }
    }

    #[test]
    fn kernels_and_burn_agree_on_towers_and_their_gradients() {
        for (size, features, blocks, channels) in [
            (Size::Eight, Feature::DEFAULT.to_vec(), 2, 32),
            (Size::Six, vec![Feature::Own, Feature::Opponent], 1, 16),
            (Size::Four, Feature::DEFAULT.to_vec(), 3, 48),
        ] {
            let architecture = Architecture {
                size,
                features,
                blocks,
                channels,
                ..Architecture::default()
            };
            let network = network(&architecture);
            let (expected, expected_gradients) =
                output_and_gradients(&network, Network::plain_tower);
            let (found, found_gradients) = output_and_gradients(&network, Network::kernel_tower);
            assert_close(&found, &expected);
            for (found, expected) in found_gradients.iter().zip(&expected_gradients) {
                assert_close(found, expected);
            }
        }
    }

    #[test]
    fn threads_packing_and_earlier_steps_never_change_a_bit() {
        let network = network(&Architecture {
            blocks: 1,
            channels: 16,
            ..Architecture::default()
        });
        let first = output_and_gradients(&network.clone().with_threads(1), Network::kernel_tower);
        for threads in [1, 2, 3] {
            let network = network.clone().with_threads(threads);
            for network in [network.clone(), network.packed()] {
                assert!(output_and_gradients(&network, Network::kernel_tower) == first);
            }
        }
    }
}
