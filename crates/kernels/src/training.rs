//! A whole residual tower for training: forward with its activations kept, and backward.

use crate::board::BoardShape;
use crate::buffer::Buffer;
use crate::conv::{Conv3x3, Workspace};
use crate::gradient::{ConvGradient, GradientWorkspace};
use crate::tower::ConvParameters;
use crate::{Isa, KernelError, parallel};

/// Boards that go through all layers together: what a layer reads and writes of them stays in a
/// core's cache.
const PART_BOARDS: usize = 16;

/// Parts that add up one gradient. The gradients of a batch's shares are added in order, so that
/// the number of threads never changes a bit of the result.
const SHARE_PARTS: usize = 2;

/// The network of [`Tower`](crate::Tower), packed for one training step.
#[derive(Clone, Debug)]
pub struct TrainingTower {
    isa: Isa,
    shape: BoardShape,
    /// The stem, then the two convolutions of each block.
    layers: Vec<Conv3x3>,
    /// The gradient of the input of each layer but the stem.
    transposed: Vec<Conv3x3>,
}

/// What a forward pass keeps for the backward pass. Reuse it from batch to batch.
#[derive(Clone, Debug, Default)]
pub struct TowerActivations {
    /// Board side, inputs, width and number of layers of the tower.
    layout: [usize; 4],
    shares: Vec<Share>,
}

/// The gradient of a tower's parameters. Reuse it from batch to batch.
#[derive(Clone, Debug, Default)]
pub struct TowerGradients {
    /// The gradient of the stem, then of the two convolutions of each block.
    pub layers: Vec<ConvParametersGradient>,
}

/// The gradient of one convolution's parameters, in the layout of [`ConvParameters`].
#[derive(Clone, Debug, Default)]
pub struct ConvParametersGradient {
    /// `[outputs][inputs][3][3]`
    pub weight: Vec<f32>,
    /// `[outputs]`
    pub bias: Vec<f32>,
}

/// Some boards of a batch, whose gradient is one sum.
#[derive(Clone, Debug, Default)]
struct Share {
    parts: Vec<Part>,
    backward: Backward,
}

/// What a share's backward pass works on.
#[derive(Clone, Debug, Default)]
struct Backward {
    /// The gradient of each layer's parameters.
    sums: Vec<ConvGradient>,
    /// Gradients of layers' outputs before their rectifier, padded boards of one part.
    gradients: [Buffer; 3],
    workspace: Workspace,
    gradient_workspace: GradientWorkspace,
}

/// Some boards of a share: all slices are padded boards.
#[derive(Clone, Debug, Default)]
struct Part {
    input: Buffer,
    /// The output of each layer.
    outputs: Vec<Buffer>,
    workspace: Workspace,
}

impl TrainingTower {
    /// Packs a tower whose first convolution reads `inputs` channels.
    pub fn new(
        isa: Isa,
        shape: BoardShape,
        inputs: usize,
        stem: ConvParameters,
        blocks: &[[ConvParameters; 2]],
    ) -> Result<TrainingTower, KernelError> {
        let width = stem.bias.len();
        let mut layers = vec![Conv3x3::new(isa, shape, inputs, stem.weight, stem.bias)?];
        let mut transposed = Vec::new();
        for conv in blocks.iter().flatten() {
            KernelError::check("bias", width, conv.bias)?;
            layers.push(Conv3x3::new(isa, shape, width, conv.weight, conv.bias)?);
            transposed.push(Conv3x3::transposed(isa, shape, width, width, conv.weight)?);
        }
        Ok(TrainingTower {
            isa,
            shape,
            layers,
            transposed,
        })
    }

    /// Channels of the input.
    pub fn inputs(&self) -> usize {
        self.layers[0].inputs()
    }

    /// Channels of every layer.
    pub fn width(&self) -> usize {
        self.layers[0].outputs()
    }

    /// Computes `output`, `[boards, side, side, width]`, from `input`,
    /// `[boards, side, side, inputs]`, and keeps what [`Self::backward`] needs.
    ///
    /// # Panics
    /// If the slices are not whole boards of the same number.
    pub fn forward(
        &self,
        input: &[f32],
        activations: &mut TowerActivations,
        output: &mut [f32],
        threads: usize,
    ) {
        let (inputs, width) = (self.inputs(), self.width());
        let (input_len, output_len) = (self.shape.plain_len(inputs), self.shape.plain_len(width));
        let boards = input.len() / input_len;
        assert_eq!(input.len(), boards * input_len, "whole boards of input");
        assert_eq!(
            output.len(),
            boards * output_len,
            "as many boards of output"
        );
        let layout = [self.shape.side(), inputs, width, self.layers.len()];
        if activations.layout != layout {
            *activations = TowerActivations {
                layout,
                shares: vec![],
            };
        }
        activations.resize(boards);
        let items = activations
            .shares
            .iter_mut()
            .flat_map(|share| &mut share.parts)
            .zip(input.chunks(PART_BOARDS * input_len))
            .zip(output.chunks_mut(PART_BOARDS * output_len));
        parallel::for_each(threads, items, |((part, input), output)| {
            self.forward_part(part, input);
            let last = part.outputs.last().expect("a tower has a stem");
            self.shape.unpad(width, last, output);
        });
    }

    fn forward_part(&self, part: &mut Part, input: &[f32]) {
        let (inputs, width) = (self.inputs(), self.width());
        let boards = input.len() / self.shape.plain_len(inputs);
        part.input.resize(boards * self.shape.padded_len(inputs));
        self.shape.pad(inputs, input, &mut part.input);
        part.outputs.resize_with(self.layers.len(), Buffer::default);
        for (index, layer) in self.layers.iter().enumerate() {
            let (earlier, later) = part.outputs.split_at_mut(index);
            let input = earlier.last().unwrap_or(&part.input);
            let ends_block = index > 0 && index % 2 == 0;
            let residual = ends_block.then(|| &earlier[index - 2][..]);
            later[0].resize(boards * self.shape.padded_len(width));
            layer.forward(input, residual, true, &mut later[0], &mut part.workspace);
        }
    }

    /// Computes the gradient of all parameters from the activations of the last [`Self::forward`]
    /// of this tower and `gradient`, `[boards, side, side, width]`, the gradient of its output.
    /// The input, which is a position's features, gets no gradient.
    ///
    /// # Panics
    /// If `gradient` is not as many boards as the forward pass had.
    pub fn backward(
        &self,
        activations: &mut TowerActivations,
        gradient: &[f32],
        gradients: &mut TowerGradients,
        threads: usize,
    ) {
        let output_len = self.shape.plain_len(self.width());
        let boards = gradient.len() / output_len;
        assert_eq!(gradient.len(), boards * output_len, "whole boards");
        let parts = activations.shares.iter().map(|share| share.parts.len());
        assert_eq!(
            parts.sum::<usize>(),
            boards.div_ceil(PART_BOARDS),
            "boards of the forward pass"
        );
        let items = activations
            .shares
            .iter_mut()
            .zip(gradient.chunks(SHARE_PARTS * PART_BOARDS * output_len));
        parallel::for_each(threads, items, |(share, gradient)| {
            self.backward_share(share, gradient)
        });

        gradients
            .layers
            .resize_with(self.layers.len(), ConvParametersGradient::default);
        let mut sums: Vec<Vec<&mut ConvGradient>> = self.layers.iter().map(|_| vec![]).collect();
        for share in &mut activations.shares {
            for (sums, sum) in sums.iter_mut().zip(&mut share.backward.sums) {
                sums.push(sum);
            }
        }
        let items = self.layers.iter().zip(sums).zip(&mut gradients.layers);
        parallel::for_each(threads, items, |((layer, sums), gradient)| {
            gradient
                .weight
                .resize(9 * layer.inputs() * layer.outputs(), 0.0);
            gradient.bias.resize(layer.outputs(), 0.0);
            let mut sums = sums.into_iter();
            let Some(total) = sums.next() else {
                gradient.weight.fill(0.0);
                gradient.bias.fill(0.0);
                return;
            };
            for sum in sums {
                total.merge(sum);
            }
            total.finish(&mut gradient.weight, &mut gradient.bias);
        });
    }

    fn backward_share(&self, share: &mut Share, gradient: &[f32]) {
        let Share { parts, backward } = share;
        let sums = &mut backward.sums;
        sums.iter_mut().for_each(ConvGradient::clear);
        for layer in &self.layers[sums.len()..] {
            sums.push(ConvGradient::of(self.isa, self.shape, layer));
        }
        let part_len = PART_BOARDS * self.shape.plain_len(self.width());
        for (part, gradient) in parts.iter().zip(gradient.chunks(part_len)) {
            self.backward_part(part, gradient, backward);
        }
    }

    fn backward_part(&self, part: &Part, gradient: &[f32], backward: &mut Backward) {
        let width = self.width();
        let Part { input, outputs, .. } = part;
        let Backward {
            sums,
            gradients,
            workspace,
            gradient_workspace,
        } = backward;
        let len = outputs[0].len();
        assert_eq!(
            gradient.len() / self.shape.plain_len(width),
            len / self.shape.padded_len(width),
            "boards of the forward pass"
        );
        for buffer in gradients.iter_mut() {
            buffer.resize(len);
        }
        let [after, middle, before] = gradients;
        let (mut after, mut before) = (after, before);

        // The gradient of the last layer's output, and its rectifier's.
        self.shape.pad(width, gradient, after);
        let last = outputs.last().expect("a tower has a stem");
        for (gradient, output) in after.iter_mut().zip(last.iter()) {
            *gradient = if *output > 0.0 { *gradient } else { 0.0 };
        }
        for first in (1..self.layers.len()).step_by(2).rev() {
            let second = first + 1;
            let (x, activation) = (&outputs[first - 1], &outputs[first]);
            sums[second].add(activation, after, gradient_workspace);
            self.transposed[second - 1].masked(after, None, activation, middle, workspace);
            sums[first].add(x, middle, gradient_workspace);
            self.transposed[first - 1].masked(middle, Some(after), x, before, workspace);
            std::mem::swap(&mut after, &mut before);
        }
        sums[0].add(input, after, gradient_workspace);
    }
}

impl TowerActivations {
    /// Makes room for so many boards.
    fn resize(&mut self, boards: usize) {
        let mut parts = boards.div_ceil(PART_BOARDS);
        self.shares
            .resize_with(parts.div_ceil(SHARE_PARTS), Share::default);
        for share in &mut self.shares {
            let taken = parts.min(SHARE_PARTS);
            share.parts.resize_with(taken, Part::default);
            parts -= taken;
        }
    }
}
