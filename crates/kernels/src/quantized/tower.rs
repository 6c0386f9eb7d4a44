//! A whole residual tower in integers.

use super::conv::{self, QuantizedConv};
use super::lanes::{Lanes, MOST};
use crate::board::BoardShape;
use crate::buffer::Buffer;
use crate::conv::{Conv3x3, Workspace};
use crate::tower::{BOARDS, ConvParameters};
use crate::{Isa, KernelError};
use pulp::cast;

/// The largest activation that is represented, as a multiple of the largest one seen.
const HEADROOM: f32 = 1.25;

/// A channel's range is at least this part of the layer's, seen or not.
const LEAST_RANGE: f32 = 1.0 / 8.0;

/// The network of [`Tower`](crate::Tower) with its blocks in integers; the stem is computed in f32.
#[derive(Clone, Debug)]
pub struct QuantizedTower {
    isa: Isa,
    shape: BoardShape,
    stem: Conv3x3,
    /// What an activation of 1 is worth after the stem, for each channel.
    stem_unit: Vec<f32>,
    blocks: Vec<[QuantizedConv; 2]>,
    /// The same after the last layer.
    output_unit: Vec<f32>,
}

/// Memory that a quantised tower reuses between calls; one for each thread.
#[derive(Clone, Debug, Default)]
pub struct QuantizedWorkspace {
    stem: Workspace,
    conv: conv::Workspace,
    /// Board side, inputs and width of the tower that the buffers were used for.
    layout: [usize; 3],
    input: Buffer<f32>,
    stem_output: Buffer<f32>,
    buffers: [Buffer<i16>; 3],
}

impl QuantizedTower {
    /// Quantises a tower whose first convolution reads `inputs` channels. The ranges of activations
    /// are those of the boards in `calibration`, `[boards, side, side, inputs]`: some hundred
    /// positions of the kind that the tower will see.
    ///
    /// # Panics
    /// If `calibration` is not whole boards.
    pub fn new(
        isa: Isa,
        shape: BoardShape,
        inputs: usize,
        stem: ConvParameters,
        blocks: &[[ConvParameters; 2]],
        calibration: &[f32],
    ) -> Result<QuantizedTower, KernelError> {
        let width = stem.bias.len();
        KernelError::check_convolution(inputs, width)?;
        let boards = calibration.len() / shape.plain_len(inputs);
        if boards == 0 {
            return Err(KernelError::NoCalibration);
        }
        let mut x = Buffer::zeros(boards * shape.padded_len(inputs));
        shape.pad(inputs, calibration, &mut x);
        let mut workspace = Workspace::default();
        let mut layer = |conv: &Conv3x3, input: &[f32], residual: Option<&[f32]>| {
            let mut output = Buffer::zeros(boards * shape.padded_len(width));
            conv.forward(input, residual, true, &mut output, &mut workspace);
            let unit = units(&output, width);
            (output, unit)
        };

        let stem = Conv3x3::new(isa, shape, inputs, stem.weight, stem.bias)?;
        let (mut x, stem_unit) = layer(&stem, &x, None);
        let mut unit = stem_unit.clone();
        let mut quantized = Vec::with_capacity(blocks.len());
        for [first, second] in blocks {
            KernelError::check("bias", width, first.bias)?;
            KernelError::check("bias", width, second.bias)?;
            let conv = Conv3x3::new(isa, shape, width, first.weight, first.bias)?;
            let (middle, middle_unit) = layer(&conv, &x, None);
            let conv = Conv3x3::new(isa, shape, width, second.weight, second.bias)?;
            let (y, y_unit) = layer(&conv, &middle, Some(&x));
            quantized.push([
                QuantizedConv::new(shape, *first, &unit, &middle_unit, None),
                QuantizedConv::new(shape, *second, &middle_unit, &y_unit, Some(&unit)),
            ]);
            (x, unit) = (y, y_unit);
        }
        Ok(QuantizedTower {
            isa,
            shape,
            stem,
            stem_unit,
            blocks: quantized,
            output_unit: unit,
        })
    }

    /// Channels of the input.
    pub fn inputs(&self) -> usize {
        self.stem.inputs()
    }

    /// Channels of every layer.
    pub fn width(&self) -> usize {
        self.stem.outputs()
    }

    /// Computes `output`, `[boards, side, side, width]`, from `input`,
    /// `[boards, side, side, inputs]`. A board's result does not depend on its batch.
    ///
    /// # Panics
    /// If the slices are not whole boards of the same number.
    pub fn forward(&self, input: &[f32], output: &mut [f32], workspace: &mut QuantizedWorkspace) {
        let (inputs, width) = (self.inputs(), self.width());
        let (input_len, output_len) = (self.shape.plain_len(inputs), self.shape.plain_len(width));
        assert_eq!(input.len() % input_len, 0, "whole boards");
        assert_eq!(
            input.len() / input_len * output_len,
            output.len(),
            "as many boards"
        );
        let layout = [self.shape.side(), inputs, width];
        if workspace.layout != layout {
            *workspace = QuantizedWorkspace {
                layout,
                ..QuantizedWorkspace::default()
            };
        }
        for (input, output) in input
            .chunks(BOARDS * input_len)
            .zip(output.chunks_mut(BOARDS * output_len))
        {
            self.forward_few(input, output, workspace);
        }
    }

    fn forward_few(&self, input: &[f32], output: &mut [f32], workspace: &mut QuantizedWorkspace) {
        let (inputs, width) = (self.inputs(), self.width());
        let boards = output.len() / self.shape.plain_len(width);
        let len = boards * self.shape.padded_len(width);
        let QuantizedWorkspace {
            stem,
            conv,
            input: padded,
            stem_output,
            buffers,
            ..
        } = workspace;
        padded.resize(boards * self.shape.padded_len(inputs));
        stem_output.resize(len);
        buffers.iter_mut().for_each(|buffer| buffer.resize(len));

        self.shape.pad(inputs, input, padded);
        self.stem.forward(padded, None, true, stem_output, stem);
        let [x, middle, y] = buffers;
        self.isa.run_lanes(Blocks {
            tower: self,
            stem_output,
            x,
            middle,
            y,
            output,
            conv,
        });
    }
}

/// What an activation of 1 is worth for each channel of padded boards.
fn units(activations: &[f32], width: usize) -> Vec<f32> {
    let mut most = vec![0.0f32; width];
    for square in activations.chunks_exact(width) {
        for (most, value) in most.iter_mut().zip(square) {
            *most = most.max(*value);
        }
    }
    let layer = most
        .iter()
        .fold(f32::MIN_POSITIVE, |layer, most| layer.max(*most));
    let range = |most: f32| HEADROOM * most.max(LEAST_RANGE * layer).max(1e-6);
    most.into_iter().map(|most| range(most) / MOST).collect()
}

/// An operation compiled for each instruction set with integer vectors.
pub(crate) trait WithLanes {
    /// Runs the operation.
    fn with_lanes<S: Lanes>(self, simd: S);
}

/// Everything between the stem and the output of a few boards.
struct Blocks<'a> {
    tower: &'a QuantizedTower,
    stem_output: &'a [f32],
    x: &'a mut [i16],
    middle: &'a mut [i16],
    y: &'a mut [i16],
    output: &'a mut [f32],
    conv: &'a mut conv::Workspace,
}

impl WithLanes for Blocks<'_> {
    #[inline(always)]
    fn with_lanes<S: Lanes>(self, simd: S) {
        let Blocks {
            tower,
            stem_output,
            mut x,
            middle,
            mut y,
            output,
            conv,
        } = self;
        let (shape, width) = (tower.shape, tower.width());
        let factor: Vec<f32> = tower.stem_unit.iter().map(|unit| 1.0 / unit).collect();
        let (factor, _) = factor.as_chunks::<8>();
        for (from, to) in stem_output
            .chunks_exact(width)
            .zip(x.chunks_exact_mut(width))
        {
            let (from, to) = (from.as_chunks::<8>().0, to.as_chunks_mut::<8>().0);
            for ((from, to), factor) in from.iter().zip(to).zip(factor) {
                *to = simd.quantize(simd.mul_f32s(cast(*from), cast(*factor)));
            }
        }
        for [first, second] in &tower.blocks {
            first.forward(simd, x, None, middle, conv);
            second.forward(simd, middle, Some(x), y, conv);
            std::mem::swap(&mut x, &mut y);
        }
        for (board, output) in output.chunks_exact_mut(shape.plain_len(width)).enumerate() {
            for (square, output) in output.chunks_exact_mut(width).enumerate() {
                let (row, column) = (square / shape.side(), square % shape.side());
                let at = board * shape.padded_len(width) + shape.padded_offset(row, column, width);
                let activations = x[at..at + width].iter().zip(&tower.output_unit);
                for (output, (activation, unit)) in output.iter_mut().zip(activations) {
                    *output = f32::from(*activation) * unit;
                }
            }
        }
    }
}
