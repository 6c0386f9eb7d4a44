//! A whole residual tower for training: forward with its activations kept, and backward.

use crate::board::BoardShape;
use crate::buffer::Buffer;
use crate::conv::{Conv3x3, Workspace};
use crate::gradient::{ConvGradient, GradientWorkspace};
use crate::tower::ConvParameters;
use crate::{Isa, KernelError, parallel};

/// A batch is cut into this many parts or fewer. Each part adds up its own gradient, and these are
/// added in order, so that the number of threads never changes a bit of the result.
const PARTS: usize = 16;

/// Parts have a multiple of this many boards, to fill the register blocks.
const PART_STEP: usize = 8;

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
    parts: Vec<Part>,
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

/// Some boards of a batch: all slices are padded boards.
#[derive(Clone, Debug, Default)]
struct Part {
    input: Buffer,
    /// The output of each layer.
    outputs: Vec<Buffer>,
    /// Gradients of layers' outputs before their rectifier.
    gradients: [Buffer; 3],
    sums: Vec<ConvGradient>,
    workspace: Workspace,
    gradient_workspace: GradientWorkspace,
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
                parts: vec![],
            };
        }
        let step = part_boards(boards);
        activations
            .parts
            .resize_with(boards.div_ceil(step), Part::default);
        let items = activations
            .parts
            .iter_mut()
            .zip(input.chunks(step * input_len))
            .zip(output.chunks_mut(step * output_len));
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
        let step = part_boards(boards);
        assert_eq!(
            activations.parts.len(),
            boards.div_ceil(step),
            "boards of the forward pass"
        );
        let items = activations
            .parts
            .iter_mut()
            .zip(gradient.chunks(step * output_len));
        parallel::for_each(threads, items, |(part, gradient)| {
            self.backward_part(part, gradient)
        });

        let TowerActivations { parts, .. } = activations;
        gradients
            .layers
            .resize_with(self.layers.len(), ConvParametersGradient::default);
        let mut sums: Vec<Vec<&mut ConvGradient>> = self.layers.iter().map(|_| vec![]).collect();
        for part in parts {
            for (sums, sum) in sums.iter_mut().zip(&mut part.sums) {
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

    fn backward_part(&self, part: &mut Part, gradient: &[f32]) {
        let width = self.width();
        let Part {
            input,
            outputs,
            gradients,
            sums,
            workspace,
            gradient_workspace,
        } = part;
        let len = outputs[0].len();
        assert_eq!(
            gradient.len() / self.shape.plain_len(width),
            len / self.shape.padded_len(width),
            "boards of the forward pass"
        );
        sums.iter_mut().for_each(ConvGradient::clear);
        for layer in &self.layers[sums.len()..] {
            sums.push(ConvGradient::of(self.isa, self.shape, layer));
        }
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

/// Boards in each part of a batch, but for the last.
fn part_boards(boards: usize) -> usize {
    boards
        .div_ceil(PARTS)
        .next_multiple_of(PART_STEP)
        .max(PART_STEP)
}
