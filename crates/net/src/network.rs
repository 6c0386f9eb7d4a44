use burn::module::{Module, ModuleVisitor, Param, ParamId};
use burn::tensor::activation::relu;
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Tensor, TensorData};

use crate::architecture::Architecture;
use crate::weights::Weights;

/// The network as a burn module, on any of burn's devices: for training, and for evaluation where
/// no compiled kernels apply. Its parameters have the names, shapes and order of
/// [`Architecture::tensors`].
#[derive(Module, Debug)]
pub struct Network {
    stem: Conv,
    tower: Vec<Block>,
    policy: PolicyHead,
    value: ValueHead,
    ownership: Conv,
    #[module(skip)]
    architecture: Architecture,
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
            architecture,
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
        let mut x = relu(self.stem.forward(planes));
        for block in &self.tower {
            x = block.forward(x);
        }
        let (outcome, margin) = self.value.forward(x.clone());
        Output {
            policy: self.policy.forward(x.clone()),
            outcome,
            margin,
            ownership: self.ownership.forward(x).flatten(1, 3),
        }
    }
}

/// A convolution with bias that keeps the size of the board: 3x3 with a border of zeros, or 1x1.
#[derive(Module, Debug)]
struct Conv {
    weight: Param<Tensor<4>>,
    bias: Param<Tensor<1>>,
}

impl Conv {
    fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        let border = self.weight.dims()[2] / 2;
        let options = ConvOptions::new([1, 1], [border, border], [1, 1], 1);
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

impl PolicyHead {
    fn forward(&self, x: Tensor<4>) -> Tensor<2> {
        self.dense.forward(relu(self.conv.forward(x)).flatten(1, 3))
    }
}

#[derive(Module, Debug)]
struct ValueHead {
    conv: Conv,
    dense: Dense,
    outcome: Dense,
    margin: Dense,
}

impl ValueHead {
    fn forward(&self, x: Tensor<4>) -> (Tensor<2>, Tensor<1>) {
        let x = relu(self.conv.forward(x)).flatten(1, 3);
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
