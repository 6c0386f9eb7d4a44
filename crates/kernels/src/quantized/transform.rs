//! The tile transforms of [`crate::winograd`] for integer inputs and products.
#![allow(unsafe_code)] // Tiles are read and written through pointers whose extent is checked once a tile.
#![allow(clippy::needless_range_loop)] // Indices are rows and columns of a tile.

use super::lanes::Lanes;
use crate::board::{CHANNEL_BLOCK, Tile};
use crate::lanes::{fused, read, write};
use crate::winograd::{Output, TILE};

/// `Bᵀ d`.
#[inline(always)]
fn input_1d<S: Lanes>(simd: S, d: [S::i16s; 6]) -> [S::i16s; 6] {
    let add = |a, b| simd.add_i16s(a, b);
    let sub = |a, b| simd.sub_i16s(a, b);
    let twice = |a| simd.add_i16s(a, a);
    let (even2, odd2) = (sub(d[4], d[2]), sub(d[3], d[1]));
    let (even, odd) = (sub(d[4], twice(twice(d[2]))), sub(d[3], twice(twice(d[1]))));
    [
        add(twice(twice(sub(d[0], d[2]))), even2),
        add(even, odd),
        sub(even, odd),
        add(even2, twice(odd2)),
        sub(even2, twice(odd2)),
        sub(sub(d[5], d[3]), twice(twice(odd2))),
    ]
}

/// `Bᵀ d B` of a 6x6 tile of activations for one block of channels; the arguments are those of
/// [`crate::winograd::transform_input`].
#[inline(always)]
pub(super) fn transform_input<S: Lanes>(
    simd: S,
    squares: &[i16],
    row: usize,
    square: usize,
    points: &mut [i16; TILE],
) {
    assert!(5 * (row + square) + CHANNEL_BLOCK <= squares.len());
    let mut half = [[simd.splat_i16s(0); 6]; 6]; // [column][transformed row]
    for (x, half) in half.iter_mut().enumerate() {
        let mut d = [simd.splat_i16s(0); 6];
        for (y, d) in d.iter_mut().enumerate() {
            // SAFETY: y and x are at most 5, the vector is one block: the assertion.
            *d = unsafe { read(squares, y * row + x * square) };
        }
        *half = input_1d(simd, d);
    }
    let [a, b, c, d, e, f] = &half;
    for y in 0..6 {
        let done = input_1d(simd, [a[y], b[y], c[y], d[y], e[y], f[y]]);
        for (x, value) in done.iter().enumerate() {
            // SAFETY: y and x are at most 5, the vector is one block.
            unsafe { write(points, (6 * y + x) * CHANNEL_BLOCK, *value) };
        }
    }
}

/// From sums of products to activations, for one block of channels.
#[derive(Clone, Copy)]
pub(super) struct Finish<'a> {
    /// What one unit of a sum is worth, `[point][16]`, in units of the channel's output.
    pub scale: &'a [f32; TILE],
    /// `[16]`, in units of the channel's output.
    pub bias: &'a [f32],
    /// Activations that are added, indexed as the output is, and what one unit of each channel is
    /// worth, `[16]`.
    pub residual: Option<(&'a [i16], &'a [f32])>,
}

/// `Aᵀ m A` of a tile for one block of channels, then `finish`.
#[inline(always)]
pub(super) fn transform_output<S: Lanes>(
    simd: S,
    sums: &[i32; TILE],
    finish: &Finish,
    output: &mut [i16],
    tile: Tile,
) {
    let end = tile.output + 3 * (tile.row + tile.square) + CHANNEL_BLOCK;
    assert!(tile.rows <= 4 && tile.columns <= 4 && end <= output.len());
    assert!(finish.bias.len() == CHANNEL_BLOCK);
    assert!(finish.residual.is_none_or(|(activations, unit)| {
        end <= activations.len() && unit.len() == CHANNEL_BLOCK
    }));
    let transform = Output(simd);
    for lane in (0..CHANNEL_BLOCK).step_by(S::F32_LANES) {
        // SAFETY: the bias is a whole block.
        let bias: S::f32s = unsafe { read(finish.bias, lane) };
        let mut half = [[simd.splat_f32s(0.0); 4]; 6]; // [column][transformed row]
        for (x, half) in half.iter_mut().enumerate() {
            let mut m = [simd.splat_f32s(0.0); 6];
            for (y, m) in m.iter_mut().enumerate() {
                let at = (6 * y + x) * CHANNEL_BLOCK + lane;
                // SAFETY: the point is below `POINTS`, lanes end with the block.
                let (sum, scale) = unsafe { (read(sums, at), read(finish.scale, at)) };
                *m = simd.mul_f32s(simd.floats(sum), scale);
            }
            *half = transform.all(m);
        }
        let [a, b, c, d, e, f] = &half;
        for y in 0..4 {
            if y >= tile.rows {
                break;
            }
            let done = transform.all([a[y], b[y], c[y], d[y], e[y], f[y]]);
            for (x, value) in done.iter().enumerate() {
                if x >= tile.columns {
                    break;
                }
                let at = tile.output + y * tile.row + x * tile.square + lane;
                let mut value = simd.add_f32s(*value, bias);
                // SAFETY: y and x are at most 3: the other assertions.
                unsafe {
                    if let Some((activations, unit)) = finish.residual {
                        let activation = simd.widen(read(activations, at));
                        value = fused(simd, activation, read(unit, lane), value);
                    }
                    write(output, at, simd.quantize(value));
                }
            }
        }
    }
}
