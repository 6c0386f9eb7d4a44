//! A 3x3 convolution of integer activations.
#![allow(unsafe_code)] // The inner loop reads through pointers: `multiply` checks their bounds first.

use super::lanes::Lanes;
use super::transform::{self, Finish};
use crate::board::{BoardShape, CHANNEL_BLOCK};
use crate::buffer::Buffer;
use crate::filter::transform_one;
use crate::lanes::{read, write};
use crate::tower::ConvParameters;
use crate::winograd::{POINTS, TILE};
use std::hint::black_box;

/// Tiles whose products are computed together.
const GROUP_TILES: usize = 16;

/// Sums of products stay below this: i32 with room for rounding.
const SUM_BOUND: f64 = 2_147_000_000.0;

/// The largest transformed activation: 68 times [`super::lanes::MOST`].
const INPUT_BOUND: f64 = 32_640.0;

/// A convolution from and to padded boards of integers, of one width, with the output rectified.
#[derive(Clone, Debug)]
pub(super) struct QuantizedConv {
    shape: BoardShape,
    width: usize,
    /// `[width / 16][point][width / 2][16][2]`
    panels: Buffer<i16>,
    /// `[width / 16][point][16]`
    scale: Buffer<f32>,
    /// `[width]`
    bias: Vec<f32>,
    /// `[width]`
    residual_unit: Vec<f32>,
}

/// Memory that convolutions reuse between calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Workspace {
    /// `[width / 16][tile][point][16]`
    inputs: Buffer<i16>,
    /// `[tile][point][16]`
    sums: Buffer<i32>,
}

impl QuantizedConv {
    /// Quantises a convolution. The units say what an activation of 1 is worth for each channel of
    /// the input, of the output, and of the activations added to the output, if any.
    pub fn new(
        shape: BoardShape,
        parameters: ConvParameters,
        input_unit: &[f32],
        output_unit: &[f32],
        residual_unit: Option<&[f32]>,
    ) -> QuantizedConv {
        let width = output_unit.len();
        let panel = width * CHANNEL_BLOCK;
        let mut panels = Buffer::zeros(POINTS * width * width);
        let mut scale = Buffer::zeros(POINTS * width);
        for (output, output_unit) in output_unit.iter().enumerate() {
            let (block, lane) = (output / CHANNEL_BLOCK, output % CHANNEL_BLOCK);
            let filters: Vec<_> = (0..width)
                .map(|input| {
                    let at = 9 * (output * width + input);
                    transform_one(std::array::from_fn(|tap| {
                        f64::from(parameters.weight[at + tap]) * f64::from(input_unit[input])
                    }))
                })
                .collect();
            for point in 0..POINTS {
                let sizes = filters.iter().map(|filter| filter[point].abs());
                let (sum, most) = sizes.fold((0.0, 1e-30), |(sum, most): (f64, f64), size| {
                    (sum + size, most.max(size))
                });
                // Rounding adds at most half a unit to each weight.
                let bound = SUM_BOUND / INPUT_BOUND - 0.5 * width as f64;
                let unit = (sum / bound).max(most / f64::from(i16::MAX));
                scale[(block * POINTS + point) * CHANNEL_BLOCK + lane] =
                    (unit / f64::from(*output_unit)) as f32;
                for (input, filter) in filters.iter().enumerate() {
                    let pair = (block * POINTS + point) * panel + input / 2 * 2 * CHANNEL_BLOCK;
                    panels[pair + 2 * lane + input % 2] = (filter[point] / unit).round() as i16;
                }
            }
        }
        let per_output = |values: &[f32]| -> Vec<f32> {
            values
                .iter()
                .zip(output_unit)
                .map(|(value, unit)| value / unit)
                .collect()
        };
        let bias = per_output(parameters.bias);
        let residual_unit = residual_unit.map_or(vec![0.0; width], per_output);
        QuantizedConv {
            shape,
            width,
            panels,
            scale,
            bias,
            residual_unit,
        }
    }

    /// Convolves padded boards, adds the bias and `residual` and sets negative values to zero.
    #[inline(always)]
    pub fn forward<S: Lanes>(
        &self,
        simd: S,
        input: &[i16],
        residual: Option<&[i16]>,
        output: &mut [i16],
        workspace: &mut Workspace,
    ) {
        let group = GROUP_TILES / self.shape.tiles() * self.shape.padded_len(self.width);
        let Workspace { inputs, sums } = workspace;
        inputs.resize(GROUP_TILES * POINTS * self.width);
        sums.resize(GROUP_TILES * TILE);
        for (index, (input, output)) in input
            .chunks(group)
            .zip(output.chunks_mut(group))
            .enumerate()
        {
            let residual = residual.map(|residual| &residual[index * group..][..output.len()]);
            self.forward_group(simd, input, residual, output, workspace);
        }
    }

    #[inline(always)]
    fn forward_group<S: Lanes>(
        &self,
        simd: S,
        input: &[i16],
        residual: Option<&[i16]>,
        output: &mut [i16],
        workspace: &mut Workspace,
    ) {
        let (shape, width) = (self.shape, self.width);
        let tiles = input.len() / shape.padded_len(width) * shape.tiles();
        let Workspace { inputs, sums } = workspace;
        let (input_tiles, _) = inputs.as_chunks_mut::<TILE>();
        for block in 0..width / CHANNEL_BLOCK {
            for tile in 0..tiles {
                let place = shape.tile(tile, width);
                let from = &input[place.input + block * CHANNEL_BLOCK..];
                let to = &mut input_tiles[block * tiles + tile];
                transform::transform_input(simd, from, place.row, place.square, to);
            }
        }
        let (scales, _) = self.scale.as_chunks::<TILE>();
        for (block, scale) in scales.iter().enumerate() {
            let panel_len = width * CHANNEL_BLOCK;
            for point in 0..POINTS {
                let panel = &self.panels[(block * POINTS + point) * panel_len..][..panel_len];
                multiply(simd, tiles, point, inputs, panel, sums);
            }
            let first = block * CHANNEL_BLOCK;
            let channels = first..first + CHANNEL_BLOCK;
            let finish = Finish {
                scale,
                bias: &self.bias[channels.clone()],
                residual: residual.map(|residual| (residual, &self.residual_unit[channels])),
            };
            let (sum_tiles, _) = sums.as_chunks::<TILE>();
            for (tile, from) in sum_tiles[..tiles].iter().enumerate() {
                let mut place = shape.tile(tile, width);
                place.output += first;
                transform::transform_output(simd, from, &finish, output, place);
            }
        }
    }
}

/// The sums of one point for all tiles: those of channel `j` are the products of the transformed
/// `inputs`, `[width / 16][tiles][point][16]`, and the `panel`, `[width / 2][16][2]`.
///
/// # Panics
/// If a slice is too short.
#[inline(always)]
fn multiply<S: Lanes>(
    simd: S,
    tiles: usize,
    point: usize,
    inputs: &[i16],
    panel: &[i16],
    sums: &mut [i32],
) {
    let blocks = panel.len() / (CHANNEL_BLOCK * CHANNEL_BLOCK);
    assert!(blocks * tiles * TILE <= inputs.len() && tiles * TILE <= sums.len());
    assert!(S::F32_LANES == 8 && point < POINTS);
    let mut tile = 0;
    while tile < tiles {
        let at = [tile, tiles, point];
        // SAFETY: each call covers tiles below `tiles`; the rest are the assertions above.
        tile += unsafe {
            match tiles - tile {
                6 | 7 | 9.. => some_tiles::<S, 6>(simd, at, inputs, panel, sums),
                4.. => some_tiles::<S, 4>(simd, at, inputs, panel, sums),
                _ => some_tiles::<S, 1>(simd, at, inputs, panel, sums),
            }
        };
    }
}

/// The sums of `MR` tiles from `tile`, held in registers; returns `MR`.
///
/// # Safety
/// All `tiles` tiles lie in the slices, `tile + MR` is at most that, and vectors have 8 lanes.
#[inline(always)]
unsafe fn some_tiles<S: Lanes, const MR: usize>(
    simd: S,
    [tile, tiles, point]: [usize; 3],
    inputs: &[i16],
    panel: &[i16],
    sums: &mut [i32],
) -> usize {
    // Hidden from the compiler, which would unroll the loop, regroup the sums and spill them.
    let pairs = black_box(CHANNEL_BLOCK / 2);
    let mut totals = [[simd.splat_i32s(0); 2]; MR];
    let (blocks, _) = panel.as_chunks::<{ CHANNEL_BLOCK * CHANNEL_BLOCK }>();
    // SAFETY: the caller's promise.
    unsafe {
        for (block, weights) in blocks.iter().enumerate() {
            let from = (block * tiles + tile) * TILE + point * CHANNEL_BLOCK;
            for pair in 0..pairs {
                let weights: [S::i16s; 2] = [
                    read(weights, 2 * pair * CHANNEL_BLOCK),
                    read(weights, (2 * pair + 1) * CHANNEL_BLOCK),
                ];
                for (r, totals) in totals.iter_mut().enumerate() {
                    let values = simd.splat_pair(read(inputs, from + r * TILE + 2 * pair));
                    for (total, weights) in totals.iter_mut().zip(weights) {
                        *total = simd.multiply_pairs(values, weights, *total);
                    }
                }
            }
        }
        for (r, totals) in totals.iter().enumerate() {
            for (v, total) in totals.iter().enumerate() {
                write(
                    sums,
                    (tile + r) * TILE + point * CHANNEL_BLOCK + 8 * v,
                    *total,
                );
            }
        }
    }
    MR
}
