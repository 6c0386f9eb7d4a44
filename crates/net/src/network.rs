use burn::module::{Module, ModuleVisitor, Param, ParamId};
use burn::tensor::activation::relu;
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Tensor, TensorData};

use crate::architecture::Architecture;
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
}

impl Network {
    /// A network with these weights on a device. On a device with autodiff the weights are tracked
    /// and can be trained.
    pub fn new(weights: &Weights, device: &Device) -> Network {
        let architecture = weights.architecture().clone();
        let blocks = architecture.blocks;
        let specs = architecture.tensors();
        let mut loader = Loader {
            tensors: specs
                .iter()
                .map(|spec| spec.shape.clone())
                .zip(weights.tensors())
                .enumerate(),
            device,
        };
        // In the order of `Architecture::tensors`.
        Network {
            stem: loader.conv(),
            tower: (0..blocks)
                .map(|_| Block {
                    conv1: loader.conv(),
                    conv2: loader.conv(),
                })
                .collect(),
            policy: PolicyHead {
                conv: loader.conv(),
                dense: loader.dense(),
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

    /// What the network was built from.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// A copy of the weights as they are now.
    pub fn weights(&self) -> Weights {
        let mut collector = Collector {
            tensors: Vec::new(),
        };
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
        let features = if device.is_autodiff() && TowerKernels::support(&device) {
            self.kernel_tower(planes)
        } else {
            self.plain_tower(planes)
        };
        let [policy, value, ownership] = self.head_convolutions(features);
        let (outcome, margin) = self.value.forward(value);
        Output {
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
        let blocks = self
            .tower
            .iter()
            .flat_map(|block| [&block.conv1, &block.conv2]);
        let parameters = std::iter::once(&self.stem)
            .chain(blocks)
            .flat_map(|conv| [conv.weight.val().flatten(0, 3), conv.bias.val()])
            .collect();
        self.kernels
            .forward(planes.permute([0, 2, 3, 1]), Tensor::cat(parameters, 0))
    }
}

/// A convolution with bias, 3x3 or, at the beginning of a head, 1x1.
#[derive(Module, Debug)]
struct Conv {
    weight: Param<Tensor<4>>,
    bias: Param<Tensor<1>>,
}

impl Conv {
    /// The 3x3 convolution, with a border of zeros.
    fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        let options = ConvOptions::new([1, 1], [1, 1], [1, 1], 1);
        conv2d(x, self.weight.val(), Some(self.bias.val()), options)
    }
}

/// `x * weight^T + bias` with a weight of `[outputs, inputs]`.
#[derive(Module, Debug)]
struct Dense {
    weight: Param<Tensor<2>>,
    bias: Param<Tensor<1>>,
}

impl Dense {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        x.matmul(self.weight.val().transpose()) + self.bias.val().unsqueeze()
    }
}

#[derive(Module, Debug)]
struct Block {
    conv1: Conv,
    conv2: Conv,
}

impl Block {
    fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        let y = relu(self.conv1.forward(x.clone()));
        relu(self.conv2.forward(y) + x)
    }
}

#[derive(Module, Debug)]
struct PolicyHead {
    conv: Conv,
    dense: Dense,
}

#[derive(Module, Debug)]
struct ValueHead {
    conv: Conv,
    dense: Dense,
    outcome: Dense,
    margin: Dense,
}

impl ValueHead {
    /// Outcome and margin, from the output of the head's convolution.
    fn forward(&self, x: Tensor<2>) -> (Tensor<2>, Tensor<1>) {
        let x = relu(self.dense.forward(x));
        (
            self.outcome.forward(x.clone()),
            self.margin.forward(x).squeeze_dim(1),
        )
    }
}

/// The identity of a parameter within burn: its place in the architecture, so that an optimiser's
/// state finds its parameter again in another process.
pub(crate) fn param_id(index: usize) -> ParamId {
    ParamId::from(index as u64 + 1)
}

/// Hands out the tensors of some weights in order.
struct Loader<'a, I> {
    tensors: I,
    device: &'a Device,
}

impl<'w, I: Iterator<Item = (usize, (Vec<usize>, &'w Vec<f32>))>> Loader<'_, I> {
    fn next<const D: usize>(&mut self) -> Param<Tensor<D>> {
        let (index, (shape, values)) = self
            .tensors
            .next()
            .expect("the architecture lists every tensor of the module");
        let tensor = Tensor::from_data(TensorData::new(values.clone(), shape), self.device);
        let mut param = Param::from_tensor(tensor);
        param.id = param_id(index);
        param
    }

    fn conv(&mut self) -> Conv {
        Conv {
            weight: self.next(),
            bias: self.next(),
        }
    }

    fn dense(&mut self) -> Dense {
        Dense {
            weight: self.next(),
            bias: self.next(),
        }
    }
}

struct Collector {
    tensors: Vec<Vec<f32>>,
}

impl ModuleVisitor for Collector {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let values = param.val().try_into_vec_as::<f32>();
        self.tensors
            .push(values.expect("the values of a tensor on a working device can be read"));
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Distribution;
    use outflank_rules::Size;
    use rand::SeedableRng;
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
        let device = Device::flex().autodiff();
        device.seed(5);
        let architecture = network.architecture();
        let side = architecture.size.side();
        let planes = Tensor::random(
            [9, architecture.features.len(), side, side],
            Distribution::Default,
            &device,
        );
        let factors = Tensor::random(
            [9, side, side, architecture.channels],
            Distribution::Default,
            &device,
        );
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
    fn threads_and_earlier_steps_never_change_a_bit() {
        let network = network(&Architecture {
            blocks: 1,
            channels: 16,
            ..Architecture::default()
        });
        let first = output_and_gradients(&network.clone().with_threads(1), Network::kernel_tower);
        for threads in [1, 2, 3] {
            let network = network.clone().with_threads(threads);
            assert!(output_and_gradients(&network, Network::kernel_tower) == first);
        }
    }
}
