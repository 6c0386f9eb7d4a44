//! The layers that the network is made of, and how weights get into them and out again.

use burn::module::{Module, ModuleVisitor, Param, ParamId};
use burn::tensor::activation::relu;
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Tensor, TensorData};

use crate::weights::Weights;

/// A convolution with bias, 3x3 or, at the beginning of a head, 1x1.
#[derive(Module, Debug)]
pub(crate) struct Conv {
    pub weight: Param<Tensor<4>>,
    pub bias: Param<Tensor<1>>,
}

impl Conv {
    /// The 3x3 convolution, with a border of zeros.
    pub fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        let options = ConvOptions::new([1, 1], [1, 1], [1, 1], 1);
        conv2d(x, self.weight.val(), Some(self.bias.val()), options)
    }
}

/// `x * weight^T + bias` with a weight of `[outputs, inputs]`.
#[derive(Module, Debug)]
pub(crate) struct Dense {
    pub weight: Param<Tensor<2>>,
    pub bias: Param<Tensor<1>>,
}

impl Dense {
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        x.matmul(self.weight.val().transpose()) + self.bias.val().unsqueeze()
    }
}

#[derive(Module, Debug)]
pub(crate) struct Block {
    pub conv1: Conv,
    pub conv2: Conv,
}

impl Block {
    pub fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        let y = relu(self.conv1.forward(x.clone()));
        relu(self.conv2.forward(y) + x)
    }
}

#[derive(Module, Debug)]
pub(crate) struct PolicyHead {
    pub conv: Conv,
    pub dense: Dense,
    pub reply: Option<Dense>,
    pub soft: Option<Dense>,
}

#[derive(Module, Debug)]
pub(crate) struct ValueHead {
    pub conv: Conv,
    pub dense: Dense,
    pub outcome: Dense,
    pub margin: Dense,
}

impl ValueHead {
    /// Outcome and margin, from the output of the head's convolution.
    pub fn forward(&self, x: Tensor<2>) -> (Tensor<2>, Tensor<1>) {
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

/// Hands out the tensors of some weights in order, as parameters on a device.
pub(crate) struct Loader<'a> {
    shapes: Vec<Vec<usize>>,
    weights: &'a Weights,
    device: &'a Device,
    next: usize,
}

impl<'a> Loader<'a> {
    pub fn new(weights: &'a Weights, device: &'a Device) -> Loader<'a> {
        let specs = weights.architecture().tensors();
        let shapes = specs.into_iter().map(|spec| spec.shape).collect();
        Loader {
            shapes,
            weights,
            device,
            next: 0,
        }
    }

    fn tensor<const D: usize>(&mut self) -> Param<Tensor<D>> {
        let index = self.next;
        self.next += 1;
        let values = self.weights.tensors()[index].clone();
        let data = TensorData::new(values, self.shapes[index].clone());
        let mut param = Param::from_tensor(Tensor::from_data(data, self.device));
        param.id = param_id(index);
        param
    }

    pub fn conv(&mut self) -> Conv {
        Conv {
            weight: self.tensor(),
            bias: self.tensor(),
        }
    }

    pub fn dense(&mut self) -> Dense {
        Dense {
            weight: self.tensor(),
            bias: self.tensor(),
        }
    }
}

/// Collects the values of all parameters of a module in order.
#[derive(Default)]
pub(crate) struct Collector {
    pub tensors: Vec<Vec<f32>>,
}

impl ModuleVisitor for Collector {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let values = param.val().try_into_vec_as::<f32>();
        self.tensors
            .push(values.expect("the values of a tensor on a working device can be read"));
    }
}
