//! A 3x3 convolution on small boards.

use crate::board::{BoardShape, CHANNEL_BLOCK, padded_channels};
use crate::buffer::Buffer;
use crate::filter;
use crate::gemm::{Product, Start, multiply};
use crate::winograd::{Finish, Gate, POINTS, TILE, transform_input, transform_output};
use crate::{Isa, KernelError};
use pulp::{Simd, WithSimd};

/// Tiles whose products are computed together: enough rows for the register blocks, few enough for
/// their transforms to stay in the second-level cache.
const GROUP_TILES: usize = 16;

/// A 3x3 convolution with zero padding and a bias, its weights transformed and packed.
#[derive(Clone, Debug)]
pub struct Conv3x3 {
    isa: Isa,
    shape: BoardShape,
    inputs: usize,
    outputs: usize,
    /// `[outputs / 16][point][inputs][16]`
    panels: Buffer,
    bias: Vec<f32>,
}

/// Memory that convolutions reuse between calls; one for each thread.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// `[inputs / 16][tile][point][16]`
    inputs: Buffer,
    /// `[tile][point][16]`
    products: Buffer,
}

impl Conv3x3 {
    /// Packs `weight`, `[outputs][inputs][3][3]`, and `bias`, `[outputs]`.
    pub fn new(
        isa: Isa,
        shape: BoardShape,
        inputs: usize,
        weight: &[f32],
        bias: &[f32],
    ) -> Result<Conv3x3, KernelError> {
        let outputs = bias.len();
        KernelError::check_convolution(inputs, outputs)?;
        KernelError::check("convolution weights", outputs * inputs * 9, weight)?;
        let panels = isa.run(Pack {
            inputs,
            outputs,
            tap: |output, input, tap| weight[9 * (output * inputs + input) + tap],
        });
        Ok(Conv3x3 {
            isa,
            shape,
            inputs,
            outputs,
            panels,
            bias: bias.to_vec(),
        })
    }

    /// The convolution that takes gradients of the outputs of a convolution with `inputs` and
    /// `outputs` channels and this `weight`, `[outputs][inputs][3][3]`, to gradients of its inputs:
    /// channels change places, filters are turned by half a turn, and there is no bias.
    pub fn transposed(
        isa: Isa,
        shape: BoardShape,
        inputs: usize,
        outputs: usize,
        weight: &[f32],
    ) -> Result<Conv3x3, KernelError> {
        KernelError::check_convolution(outputs, inputs)?;
        KernelError::check("convolution weights", outputs * inputs * 9, weight)?;
        let panels = isa.run(Pack {
            inputs: outputs,
            outputs: inputs,
            tap: |output, input, tap| weight[9 * (input * inputs + output) + 8 - tap],
        });
        let bias = vec![0.0; inputs];
        Ok(Conv3x3 {
            isa,
            shape,
            inputs: outputs,
            outputs: inputs,
            panels,
            bias,
        })
    }

    /// Input channels.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Output channels.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Convolves padded boards, adds the bias and then `residual`, and sets negative values to zero
    /// if `relu`. `output` must be zero around its boards; it stays so.
    ///
    /// # Panics
    /// If `input`, `residual` and `output` are not padded boards of one and the same number.
    pub fn forward(
        &self,
        input: &[f32],
        residual: Option<&[f32]>,
        relu: bool,
        output: &mut [f32],
        workspace: &mut Workspace,
    ) {
        let gate = if relu { Gate::Relu } else { Gate::Open };
        self.run(input, residual, gate, output, workspace);
    }

    /// As [`Self::forward`], but then sets the output to zero where `mask`, padded boards too, is not
    /// positive. With a transposed convolution this is the gradient of a rectifier's input, where
    /// `mask` is the rectifier's output and `residual` the gradient that reaches it by other ways.
    ///
    /// # Panics
    /// If the slices are not padded boards of one and the same number.
    pub fn masked(
        &self,
        input: &[f32],
        residual: Option<&[f32]>,
        mask: &[f32],
        output: &mut [f32],
        workspace: &mut Workspace,
    ) {
        self.run(input, residual, Gate::Mask(mask), output, workspace);
    }

    fn run(
        &self,
        input: &[f32],
        residual: Option<&[f32]>,
        gate: Gate,
        output: &mut [f32],
        workspace: &mut Workspace,
    ) {
        let input_len = self.shape.padded_len(self.inputs);
        let output_len = self.shape.padded_len(self.outputs);
        let boards = input.len() / input_len;
        assert_eq!(input.len(), boards * input_len, "input of whole boards");
        assert_eq!(
            output.len(),
            boards * output_len,
            "output of as many boards"
        );
        assert!(
            residual.is_none_or(|residual| residual.len() == output.len()),
            "residual"
        );
        let group = GROUP_TILES / self.shape.tiles();
        let Workspace { inputs, products } = workspace;
        inputs.resize(GROUP_TILES * POINTS * padded_channels(self.inputs));
        products.resize(GROUP_TILES * TILE);
        for first in (0..boards).step_by(group) {
            let boards = first..boards.min(first + group);
            let part = boards.start * output_len..boards.end * output_len;
            self.isa.run(Group {
                conv: self,
                input: &input[boards.start * input_len..boards.end * input_len],
                residual: residual.map(|residual| &residual[part.clone()]),
                gate: match gate {
                    Gate::Mask(mask) => Gate::Mask(&mask[part.clone()]),
                    gate => gate,
                },
                output: &mut output[part],
                workspace,
            });
        }
    }
}

/// Transforms filters, given by output, input and tap, to the layout of [`Conv3x3::panels`].
struct Pack<F> {
    inputs: usize,
    outputs: usize,
    tap: F,
}

impl<F: Fn(usize, usize, usize) -> f32> WithSimd for Pack<F> {
    type Output = Buffer;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Buffer {
        let panel_len = self.inputs * CHANNEL_BLOCK;
        let mut panels = Buffer::zeros(POINTS * self.inputs * self.outputs);
        for (block, panels) in panels.chunks_exact_mut(POINTS * panel_len).enumerate() {
            for input in 0..self.inputs {
                let mut taps = [[0.0; CHANNEL_BLOCK]; 9];
                for lane in 0..CHANNEL_BLOCK {
                    for (tap, values) in taps.iter_mut().enumerate() {
                        values[lane] = (self.tap)(block * CHANNEL_BLOCK + lane, input, tap);
                    }
                }
                let to = &mut panels[input * CHANNEL_BLOCK..];
                filter::transform(simd, &taps, to, panel_len);
            }
        }
        panels
    }
}

/// The convolution of a few boards, at most [`GROUP_TILES`] tiles.
struct Group<'a> {
    conv: &'a Conv3x3,
    input: &'a [f32],
    residual: Option<&'a [f32]>,
    gate: Gate<'a>,
    output: &'a mut [f32],
    workspace: &'a mut Workspace,
}

impl WithSimd for Group<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Conv3x3 {
            shape,
            inputs,
            outputs,
            panels,
            bias,
            ..
        } = self.conv;
        let tiles = self.input.len() / shape.padded_len(*inputs) * shape.tiles();

        let Workspace {
            inputs: transformed,
            products,
        } = self.workspace;
        let (input_tiles, _) = transformed.as_chunks_mut::<TILE>();
        for block in 0..inputs.div_ceil(CHANNEL_BLOCK) {
            for tile in 0..tiles {
                let place = shape.tile(tile, *inputs);
                let from = &self.input[place.input + block * CHANNEL_BLOCK..];
                let to = &mut input_tiles[block * tiles + tile];
                transform_input(simd, from, place.row, place.square, to);
            }
        }

        let panel_len = inputs * CHANNEL_BLOCK;
        for block in 0..outputs / CHANNEL_BLOCK {
            for point in 0..POINTS {
                multiply(
                    simd,
                    Product {
                        rows: tiles,
                        inner: *inputs,
                        a: &transformed[point * CHANNEL_BLOCK..],
                        a_row: TILE,
                        a_step: 1,
                        a_run: tiles * TILE,
                        b: &panels[(block * POINTS + point) * panel_len..],
                        b_step: CHANNEL_BLOCK,
                        c: &mut products[point * CHANNEL_BLOCK..],
                        c_row: TILE,
                        start: Start::Zero,
                    },
                );
            }
            let first = block * CHANNEL_BLOCK;
            let finish = Finish {
                bias: &bias[first..first + CHANNEL_BLOCK],
                residual: self.residual,
                gate: self.gate,
            };
            let (product_tiles, _) = products.as_chunks::<TILE>();
            for (tile, from) in product_tiles[..tiles].iter().enumerate() {
                let mut place = shape.tile(tile, *outputs);
                place.output += first;
                transform_output(simd, from, &finish, self.output, place);
            }
        }
    }
}
