//! The gradient of a convolution's parameters.

use crate::board::{BoardShape, CHANNEL_BLOCK, padded_channels};
use crate::buffer::Buffer;
use crate::conv::Conv3x3;
use crate::filter;
use crate::gemm::{Product, Start, multiply};
use crate::winograd::{POINTS, TILE, transform_input, transform_output_adjoint};
use crate::{Isa, KernelError};
use pulp::{Simd, WithSimd};

/// Tiles whose products are computed together: each such group reads and writes the whole sum once.
const GRADIENT_TILES: usize = 32;

/// Point (1, 1) of the transformed gradients of a tile is the sum of the tile: its row of the
/// transform is all ones.
const SUM_POINT: usize = 7;

/// The sum, over boards and squares, of the gradient of one convolution's parameters.
///
/// It is kept in the transformed domain, where it is 36 matrix products; [`Self::finish`] takes it
/// back to filters. Sums are added in the order of the boards.
#[derive(Clone, Debug)]
pub struct ConvGradient {
    isa: Isa,
    shape: BoardShape,
    inputs: usize,
    outputs: usize,
    /// `[outputs / 16][point][inputs][16]`
    points: Buffer,
    /// `[outputs]`
    bias: Vec<f32>,
    /// Whether nothing was added yet: `points` means nothing then.
    empty: bool,
}

/// Memory that gradients reuse between calls; one for each thread.
#[derive(Clone, Debug, Default)]
pub struct GradientWorkspace {
    /// `[inputs / 16][tile][point][16]`
    inputs: Buffer,
    /// `[outputs / 16][tile][point][16]`
    gradients: Buffer,
}

impl ConvGradient {
    /// A gradient of zero for a convolution of this shape.
    pub fn new(
        isa: Isa,
        shape: BoardShape,
        inputs: usize,
        outputs: usize,
    ) -> Result<ConvGradient, KernelError> {
        KernelError::check_convolution(inputs, outputs)?;
        let points = Buffer::zeros(POINTS * inputs * outputs);
        Ok(ConvGradient {
            isa,
            shape,
            inputs,
            outputs,
            points,
            bias: vec![0.0; outputs],
            empty: true,
        })
    }

    /// A gradient of zero for the parameters of `conv`.
    pub(crate) fn of(isa: Isa, shape: BoardShape, conv: &Conv3x3) -> ConvGradient {
        ConvGradient::new(isa, shape, conv.inputs(), conv.outputs())
            .expect("the convolution's width was checked")
    }

    /// Sets the gradient to zero.
    pub fn clear(&mut self) {
        self.bias.fill(0.0);
        self.empty = true;
    }

    /// Adds the gradient from the `input` of the convolution and the gradient of its output, both
    /// padded boards.
    ///
    /// # Panics
    /// If the slices are not padded boards of one and the same number.
    pub fn add(&mut self, input: &[f32], gradient: &[f32], workspace: &mut GradientWorkspace) {
        let input_len = self.shape.padded_len(self.inputs);
        let output_len = self.shape.padded_len(self.outputs);
        assert_eq!(input.len() % input_len, 0, "whole boards");
        assert_eq!(
            input.len() / input_len * output_len,
            gradient.len(),
            "as many boards"
        );
        let GradientWorkspace { inputs, gradients } = workspace;
        inputs.resize(GRADIENT_TILES * POINTS * padded_channels(self.inputs));
        gradients.resize(GRADIENT_TILES * POINTS * self.outputs);
        let group = GRADIENT_TILES / self.shape.tiles();
        for (input, gradient) in input
            .chunks(group * input_len)
            .zip(gradient.chunks(group * output_len))
        {
            self.isa.run(Group {
                sum: self,
                input,
                gradient,
                workspace,
            });
            self.empty = false;
        }
    }

    /// Adds another gradient of the same shape.
    ///
    /// # Panics
    /// If the shapes differ.
    pub fn merge(&mut self, other: &ConvGradient) {
        assert_eq!(
            (self.inputs, self.outputs),
            (other.inputs, other.outputs),
            "same shape"
        );
        match (self.empty, other.empty) {
            (_, true) => return,
            (true, false) => self.points.copy_from_slice(&other.points),
            (false, false) => {
                for (sum, value) in self.points.iter_mut().zip(other.points.iter()) {
                    *sum += value;
                }
            }
        }
        self.empty = false;
        for (sum, value) in self.bias.iter_mut().zip(&other.bias) {
            *sum += value;
        }
    }

    /// Writes the gradient of the weights, `[outputs][inputs][3][3]`, and of the bias, `[outputs]`.
    ///
    /// # Panics
    /// If the slices have other lengths.
    pub fn finish(&self, weight: &mut [f32], bias: &mut [f32]) {
        assert_eq!(weight.len(), 9 * self.inputs * self.outputs, "weights");
        bias.copy_from_slice(&self.bias);
        if self.empty {
            return weight.fill(0.0);
        }
        self.isa.run(Unpack { sum: self, weight });
    }
}

/// Adds the gradient of a few boards, at most [`GRADIENT_TILES`] tiles.
struct Group<'a> {
    sum: &'a mut ConvGradient,
    input: &'a [f32],
    gradient: &'a [f32],
    workspace: &'a mut GradientWorkspace,
}

impl WithSimd for Group<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let ConvGradient {
            shape,
            inputs,
            outputs,
            points,
            bias,
            empty,
            ..
        } = self.sum;
        let (inputs, outputs) = (*inputs, *outputs);
        let first = *empty;
        let tiles = self.input.len() / shape.padded_len(inputs) * shape.tiles();
        let GradientWorkspace {
            inputs: transformed,
            gradients,
        } = self.workspace;
        let (input_tiles, _) = transformed.as_chunks_mut::<TILE>();
        let (gradient_tiles, _) = gradients.as_chunks_mut::<TILE>();
        for tile in 0..tiles {
            let place = shape.tile(tile, inputs);
            for block in 0..inputs.div_ceil(CHANNEL_BLOCK) {
                let from = &self.input[place.input + block * CHANNEL_BLOCK..];
                let to = &mut input_tiles[block * tiles + tile];
                transform_input(simd, from, place.row, place.square, to);
            }
            let place = shape.tile(tile, outputs);
            for (block, bias) in bias.chunks_exact_mut(CHANNEL_BLOCK).enumerate() {
                let from = &self.gradient[place.output + block * CHANNEL_BLOCK..];
                let to = &mut gradient_tiles[block * tiles + tile];
                transform_output_adjoint(simd, from, place.row, place.square, to);
                let sums = &to[SUM_POINT * CHANNEL_BLOCK..][..CHANNEL_BLOCK];
                for (bias, sum) in bias.iter_mut().zip(sums) {
                    *bias += sum;
                }
            }
        }
        for (panel, sums) in points.chunks_exact_mut(inputs * CHANNEL_BLOCK).enumerate() {
            let (block, point) = (panel / POINTS, panel % POINTS);
            for (input_block, sums) in sums.chunks_mut(CHANNEL_BLOCK * CHANNEL_BLOCK).enumerate() {
                multiply(
                    simd,
                    Product {
                        rows: sums.len() / CHANNEL_BLOCK,
                        inner: tiles,
                        a: &transformed[input_block * tiles * TILE + point * CHANNEL_BLOCK..],
                        a_row: 1,
                        a_step: TILE,
                        a_run: CHANNEL_BLOCK * TILE,
                        b: &gradients[block * tiles * TILE + point * CHANNEL_BLOCK..],
                        b_step: TILE,
                        c: sums,
                        c_row: CHANNEL_BLOCK,
                        start: if first { Start::Zero } else { Start::Stored },
                    },
                );
            }
        }
    }
}

/// Takes a sum back to filters.
struct Unpack<'a> {
    sum: &'a ConvGradient,
    weight: &'a mut [f32],
}

impl WithSimd for Unpack<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let ConvGradient { inputs, points, .. } = self.sum;
        let panel_len = inputs * CHANNEL_BLOCK;
        for (block, panels) in points.chunks_exact(POINTS * panel_len).enumerate() {
            for input in 0..*inputs {
                let mut taps = [[0.0; CHANNEL_BLOCK]; 9];
                filter::adjoint(simd, &panels[input * CHANNEL_BLOCK..], panel_len, &mut taps);
                for lane in 0..CHANNEL_BLOCK {
                    let filter = (block * CHANNEL_BLOCK + lane) * inputs + input;
                    for (to, tap) in self.weight[9 * filter..9 * filter + 9]
                        .iter_mut()
                        .zip(&taps)
                    {
                        *to = tap[lane];
                    }
                }
            }
        }
    }
}
