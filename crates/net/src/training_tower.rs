//! The residual tower as one operation of burn's, computed by the CPU kernels.
//!
//! As a chain of burn's own operations the tower would spend most of a training step in
//! transposing, unfolding and allocating tensors. Here the whole of it, forward and backward, is a
//! single operation that a backend extension adds to burn's Flex backend, with its derivative
//! written by hand. Devices other than the CPU keep the chain of plain operations.

use std::sync::{Arc, Mutex};

use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::ops::FloatTensorOps;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, DispatchDevice, Flex, backend_extension};
use burn::tensor::{Device, Tensor, TensorData};
use outflank_kernels::{
    BoardShape, ConvParameters, Isa, TowerActivations, TowerGradients, TrainingTower,
};

use crate::architecture::Architecture;

/// What the operation needs to know besides its tensors, and its memory between calls.
#[derive(Clone, Debug)]
pub(crate) struct TowerKernels {
    isa: Isa,
    shape: BoardShape,
    inputs: usize,
    channels: usize,
    blocks: usize,
    threads: usize,
    /// The parameters of the next calls, if they were packed before.
    packed: Option<Arc<TrainingTower>>,
    /// Activations and gradients of earlier steps, to be used again: allocating them anew would
    /// cost as much as a good part of the arithmetic.
    spare: Arc<Mutex<Vec<Memory>>>,
}

#[derive(Clone, Debug, Default)]
struct Memory {
    activations: TowerActivations,
    gradients: TowerGradients,
}

impl TowerKernels {
    /// Kernels for the tower of an architecture, on all of the machine's cores.
    pub fn new(architecture: &Architecture) -> TowerKernels {
        TowerKernels {
            isa: Isa::detect(),
            shape: BoardShape::new(architecture.size.side()).expect("every size has kernels"),
            inputs: architecture.features.len(),
            channels: architecture.channels,
            blocks: architecture.blocks,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            packed: None,
            spare: Arc::default(),
        }
    }

    /// The same kernels for several calls with these parameters, which are packed only here.
    pub fn packed(self, parameters: &[f32]) -> TowerKernels {
        TowerKernels {
            packed: Some(Arc::new(self.pack(parameters))),
            ..self
        }
    }

    /// The same kernels on this many threads, which never changes a result.
    pub fn with_threads(self, threads: usize) -> TowerKernels {
        TowerKernels { threads, ..self }
    }

    /// Whether the operation exists for tensors of this device.
    pub fn support(device: &Device) -> bool {
        matches!(
            device.clone().inner().as_dispatch(),
            DispatchDevice::Flex(_)
        )
    }

    /// Evaluates the tower: `planes` is `[batch, side, side, planes]`, `parameters` is the weight
    /// and the bias of the stem and of every convolution one after the other. The result is
    /// `[batch, side, side, channels]`. Only the parameters get a gradient.
    pub fn forward(&self, planes: Tensor<4>, parameters: Tensor<1>) -> Tensor<4> {
        let (planes, parameters) = (planes.into_dispatch(), parameters.into_dispatch());
        Tensor::from_dispatch(Dispatch::tower(planes, parameters, self.clone()))
    }

    /// The tower with these parameters, which are those that were packed before if any were.
    fn tower(&self, parameters: &[f32]) -> Arc<TrainingTower> {
        match &self.packed {
            Some(tower) => tower.clone(),
            None => Arc::new(self.pack(parameters)),
        }
    }

    fn pack(&self, parameters: &[f32]) -> TrainingTower {
        let mut rest = parameters;
        let mut take = |len| {
            let (taken, left) = rest.split_at(len);
            rest = left;
            taken
        };
        let mut conv = |inputs| ConvParameters {
            weight: take(9 * inputs * self.channels),
            bias: take(self.channels),
        };
        let stem = conv(self.inputs);
        let blocks: Vec<_> = (0..self.blocks)
            .map(|_| [conv(self.channels), conv(self.channels)])
            .collect();
        TrainingTower::new(self.isa, self.shape, self.inputs, stem, &blocks)
            .expect("parameters fit their architecture")
    }

    fn borrow(&self) -> Memory {
        self.spare
            .lock()
            .expect("nothing panics while it holds the lock")
            .pop()
            .unwrap_or_default()
    }

    fn give_back(&self, memory: Memory) {
        self.spare
            .lock()
            .expect("nothing panics while it holds the lock")
            .push(memory);
    }

    fn run(
        &self,
        tower: &TrainingTower,
        planes: &FloatTensor<Flex>,
        memory: &mut Memory,
    ) -> FloatTensor<Flex> {
        let planes = planes.to_contiguous();
        let planes: &[f32] = planes.as_slice().expect("planes are f32");
        let boards = planes.len() / self.shape.plain_len(self.inputs);
        let mut features = vec![0.0; boards * self.shape.plain_len(self.channels)];
        tower.forward(planes, &mut memory.activations, &mut features, self.threads);
        let side = self.shape.side();
        let features = TensorData::new(features, [boards, side, side, self.channels]);
        Flex::float_from_data(features, &Default::default())
    }
}

/// The operation that burn's dispatch gains.
#[backend_extension(Autodiff, Flex)]
pub(crate) trait TowerBackend: Backend {
    fn tower(
        planes: FloatTensor<Self>,
        parameters: FloatTensor<Self>,
        kernels: TowerKernels,
    ) -> FloatTensor<Self>;
}

impl TowerBackend for Flex {
    fn tower(
        planes: FloatTensor<Self>,
        parameters: FloatTensor<Self>,
        kernels: TowerKernels,
    ) -> FloatTensor<Self> {
        let parameters = parameters.to_contiguous();
        let tower = kernels.tower(parameters.as_slice().expect("parameters are f32"));
        let mut memory = kernels.borrow();
        let features = kernels.run(&tower, &planes, &mut memory);
        kernels.give_back(memory);
        features
    }
}

impl<C: CheckpointStrategy> TowerBackend for Autodiff<Flex, C> {
    fn tower(
        planes: FloatTensor<Self>,
        parameters: FloatTensor<Self>,
        kernels: TowerKernels,
    ) -> FloatTensor<Self> {
        match TowerBackward
            .prepare::<C>([parameters.node()])
            .compute_bound()
            .stateful()
        {
            OpsKind::Tracked(prep) => {
                let parameters = parameters.into_primitive().to_contiguous();
                let tower = kernels.tower(parameters.as_slice().expect("parameters are f32"));
                let mut memory = kernels.borrow();
                let features = kernels.run(&tower, planes.primitive(), &mut memory);
                prep.finish(Saved::new(kernels, tower, memory), features)
            }
            OpsKind::UnTracked(prep) => prep.finish(<Flex as TowerBackend>::tower(
                planes.into_primitive(),
                parameters.into_primitive(),
                kernels,
            )),
        }
    }
}

/// What a forward pass leaves for the backward pass. Its memory goes back to the kernels when the
/// graph is dropped, whether the backward pass ran or not.
#[derive(Clone, Debug)]
struct Saved(Arc<Mutex<SavedTower>>);

#[derive(Debug)]
struct SavedTower {
    kernels: TowerKernels,
    tower: Arc<TrainingTower>,
    memory: Memory,
}

impl Saved {
    fn new(kernels: TowerKernels, tower: Arc<TrainingTower>, memory: Memory) -> Saved {
        Saved(Arc::new(Mutex::new(SavedTower {
            kernels,
            tower,
            memory,
        })))
    }
}

impl Drop for SavedTower {
    fn drop(&mut self) {
        self.kernels.give_back(std::mem::take(&mut self.memory));
    }
}

/// The derivative of the tower by its parameters.
#[derive(Debug)]
struct TowerBackward;

impl Backward<Flex, 1> for TowerBackward {
    type State = Saved;

    fn backward(self, ops: Ops<Saved, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Flex>(&ops.node).to_contiguous();
        let [Some(parameters)] = ops.parents else {
            return;
        };
        let mut saved = ops
            .state
            .0
            .lock()
            .expect("no other backward pass has panicked");
        let SavedTower {
            kernels,
            tower,
            memory,
        } = &mut *saved;
        tower.backward(
            &mut memory.activations,
            gradient.as_slice().expect("gradients are f32"),
            &mut memory.gradients,
            kernels.threads,
        );
        let layers = &memory.gradients.layers;
        let flat: Vec<f32> = layers
            .iter()
            .flat_map(|layer| [&layer.weight, &layer.bias])
            .flatten()
            .copied()
            .collect();
        let len = flat.len();
        let flat = Flex::float_from_data(TensorData::new(flat, [len]), &Default::default());
        gradients.register::<Flex>(parameters.id, flat);
    }
}
