//! Dense layers, and 1x1 convolutions, which are dense layers of each square.

use crate::board::CHANNEL_BLOCK;
use crate::buffer::Buffer;
use crate::gemm::{Product, Start, multiply};
use crate::{Isa, KernelError};
use pulp::{Simd, WithSimd};

/// `y = x Wᵀ + b`, optionally with negative values set to zero, for any number of rows.
///
/// A row's result does not depend on the rows computed with it. A 1x1 convolution of plain boards
/// is the same layer with `boards * squares` rows.
#[derive(Clone, Debug)]
pub struct Dense {
    isa: Isa,
    inputs: usize,
    outputs: usize,
    relu: bool,
    /// `[outputs / 16, rounded up][inputs][16]`
    panels: Buffer,
    /// `[outputs, rounded up]`
    bias: Buffer,
}

impl Dense {
    /// Packs `weight`, `[outputs][inputs]` (a 1x1 convolution's `[outputs][inputs][1][1]` is the
    /// same), and `bias`, `[outputs]`.
    pub fn new(
        isa: Isa,
        inputs: usize,
        weight: &[f32],
        bias: &[f32],
        relu: bool,
    ) -> Result<Dense, KernelError> {
        let outputs = bias.len();
        if inputs == 0 || outputs == 0 {
            return Err(KernelError::Empty);
        }
        KernelError::check("dense weights", outputs * inputs, weight)?;
        let width = outputs.next_multiple_of(CHANNEL_BLOCK);
        let mut panels = Buffer::zeros(width * inputs);
        for output in 0..outputs {
            let (block, lane) = (output / CHANNEL_BLOCK, output % CHANNEL_BLOCK);
            for input in 0..inputs {
                panels[(block * inputs + input) * CHANNEL_BLOCK + lane] =
                    weight[output * inputs + input];
            }
        }
        let mut padded_bias = Buffer::zeros(width);
        padded_bias[..outputs].copy_from_slice(bias);
        Ok(Dense {
            isa,
            inputs,
            outputs,
            relu,
            panels,
            bias: padded_bias,
        })
    }

    /// Values in a row of the input.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Values in a row of the output.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Computes `output`, `[rows, outputs]`, from `input`, `[rows, inputs]`.
    ///
    /// # Panics
    /// If the slices are not whole rows of the same number.
    pub fn forward(&self, input: &[f32], output: &mut [f32]) {
        let rows = output.len() / self.outputs;
        assert_eq!(output.len(), rows * self.outputs, "whole rows of output");
        assert_eq!(input.len(), rows * self.inputs, "as many rows of input");
        self.isa.run(Rows {
            layer: self,
            input,
            output,
        });
    }
}

/// Rows computed at a time, through a buffer on the stack because a layer's width need not be a
/// whole number of blocks.
const ROWS: usize = 12;

struct Rows<'a> {
    layer: &'a Dense,
    input: &'a [f32],
    output: &'a mut [f32],
}

impl WithSimd for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Dense {
            inputs,
            outputs,
            relu,
            panels,
            bias,
            ..
        } = self.layer;
        let mut buffer = [0.0; ROWS * CHANNEL_BLOCK];
        for (input, output) in self
            .input
            .chunks(ROWS * inputs)
            .zip(self.output.chunks_mut(ROWS * outputs))
        {
            let rows = output.len() / outputs;
            for (block, bias) in bias.chunks_exact(CHANNEL_BLOCK).enumerate() {
                multiply(
                    simd,
                    Product {
                        rows,
                        inner: *inputs,
                        a: input,
                        a_row: *inputs,
                        a_step: 1,
                        a_run: CHANNEL_BLOCK,
                        b: &panels[block * inputs * CHANNEL_BLOCK..],
                        b_step: CHANNEL_BLOCK,
                        c: &mut buffer,
                        c_row: CHANNEL_BLOCK,
                        start: Start::Row(bias),
                    },
                );
                if *relu {
                    for value in &mut buffer {
                        *value = value.max(0.0);
                    }
                }
                let first = block * CHANNEL_BLOCK;
                let width = CHANNEL_BLOCK.min(outputs - first);
                for (row, values) in output.chunks_exact_mut(*outputs).enumerate() {
                    values[first..first + width]
                        .copy_from_slice(&buffer[row * CHANNEL_BLOCK..][..width]);
                }
            }
        }
    }
}
