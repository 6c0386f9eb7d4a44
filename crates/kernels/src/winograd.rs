//! The minimal filtering algorithm F(4x4, 3x3): a tile of 4x4 outputs of a 3x3 convolution from 36
//! products instead of 144.
//!
//! With `d` the 6x6 inputs of a tile and `g` the filter, the outputs are
//! `Aᵀ [(G g Gᵀ) ⊙ (Bᵀ d B)] A`; the products are summed over input channels before the outer
//! transform, which makes them 36 independent matrix products over many tiles. The matrices are
//! those of the points 0, ±1, ±2 and infinity: A. Lavin and S. Gray, "Fast Algorithms for
//! Convolutional Neural Networks", 2015.
//!
//! An 8x8 board is exactly four tiles, a 4x4 board exactly one. The adjoint transforms give the
//! gradient of the filter: `Gᵀ [(Bᵀ d B) ⊙ (A e Aᵀ)] G` for gradients `e` of the outputs.
#![allow(unsafe_code)] // Tiles are read and written through pointers whose extent is checked once a tile.

use crate::board::CHANNEL_BLOCK;
use crate::lanes::fused;
use pulp::Simd;

/// Products of one tile and channel.
pub(crate) const POINTS: usize = 36;

/// Values from one point to the next, for at least `len` values in each: an odd number of cache
/// lines, so that the points of a tile do not compete for the same few sets of the cache.
pub(crate) const fn point_stride(len: usize) -> usize {
    (len.div_ceil(16) | 1) * 16
}

/// `Bᵀ d`.
#[inline(always)]
fn input_1d<S: Simd>(simd: S, d: [S::f32s; 6]) -> [S::f32s; 6] {
    let times = |factor: f32, x, y| fused(simd, simd.splat_f32s(factor), x, y);
    let even = times(-4.0, d[2], d[4]);
    let odd = times(-4.0, d[1], d[3]);
    let even2 = simd.sub_f32s(d[4], d[2]);
    let odd2 = simd.sub_f32s(d[3], d[1]);
    [
        times(4.0, d[0], times(-5.0, d[2], d[4])),
        simd.add_f32s(even, odd),
        simd.sub_f32s(even, odd),
        times(2.0, odd2, even2),
        times(-2.0, odd2, even2),
        times(4.0, d[1], times(-5.0, d[3], d[5])),
    ]
}

/// `Aᵀ m`.
#[inline(always)]
pub(crate) fn output_1d<S: Simd>(simd: S, m: [S::f32s; 6]) -> [S::f32s; 4] {
    let times = |factor: f32, x, y| fused(simd, simd.splat_f32s(factor), x, y);
    let (sum, difference) = (simd.add_f32s(m[1], m[2]), simd.sub_f32s(m[1], m[2]));
    let (sum2, difference2) = (simd.add_f32s(m[3], m[4]), simd.sub_f32s(m[3], m[4]));
    [
        simd.add_f32s(simd.add_f32s(m[0], sum), sum2),
        times(2.0, difference2, difference),
        times(4.0, sum2, sum),
        simd.add_f32s(times(8.0, difference2, difference), m[5]),
    ]
}

/// `A e`, the adjoint of [`output_1d`].
#[inline(always)]
fn output_adjoint_1d<S: Simd>(simd: S, e: [S::f32s; 4]) -> [S::f32s; 6] {
    let times = |factor: f32, x, y| fused(simd, simd.splat_f32s(factor), x, y);
    let (even, odd) = (simd.add_f32s(e[0], e[2]), simd.add_f32s(e[1], e[3]));
    let (even2, odd2) = (times(4.0, e[2], e[0]), times(4.0, e[3], e[1]));
    [
        e[0],
        simd.add_f32s(even, odd),
        simd.sub_f32s(even, odd),
        times(2.0, odd2, even2),
        times(-2.0, odd2, even2),
        e[3],
    ]
}

/// `G g`.
#[inline(always)]
fn filter_1d<S: Simd>(simd: S, g: [S::f32s; 3]) -> [S::f32s; 6] {
    let times = |factor: f32, x, y| fused(simd, simd.splat_f32s(factor), x, y);
    let scale = |factor: f32, x| simd.mul_f32s(simd.splat_f32s(factor), x);
    let even = scale(-1.0 / 6.0, simd.add_f32s(g[0], g[2]));
    let even2 = scale(1.0 / 24.0, times(4.0, g[2], g[0]));
    [
        scale(1.0 / 4.0, g[0]),
        times(-1.0 / 6.0, g[1], even),
        times(1.0 / 6.0, g[1], even),
        times(1.0 / 12.0, g[1], even2),
        times(-1.0 / 12.0, g[1], even2),
        g[2],
    ]
}

/// `Gᵀ u`, the adjoint of [`filter_1d`].
#[inline(always)]
fn filter_adjoint_1d<S: Simd>(simd: S, u: [S::f32s; 6]) -> [S::f32s; 3] {
    let times = |factor: f32, x, y| fused(simd, simd.splat_f32s(factor), x, y);
    let scale = |factor: f32, x| simd.mul_f32s(simd.splat_f32s(factor), x);
    let (sum, difference) = (simd.add_f32s(u[1], u[2]), simd.sub_f32s(u[2], u[1]));
    let (sum2, difference2) = (simd.add_f32s(u[3], u[4]), simd.sub_f32s(u[3], u[4]));
    [
        times(
            1.0 / 24.0,
            sum2,
            times(-1.0 / 6.0, sum, scale(1.0 / 4.0, u[0])),
        ),
        times(1.0 / 12.0, difference2, scale(1.0 / 6.0, difference)),
        simd.add_f32s(scale(1.0 / 6.0, simd.sub_f32s(sum2, sum)), u[5]),
    ]
}

/// `G g Gᵀ` of a filter `[3][3]`, slow and precise.
pub(crate) fn filter(g: [f64; 9]) -> [f64; POINTS] {
    let row = |g: [f64; 3]| {
        let (even, even2) = (-(g[0] + g[2]) / 6.0, (g[0] + 4.0 * g[2]) / 24.0);
        let (odd, odd2) = (g[1] / 6.0, g[1] / 12.0);
        [
            g[0] / 4.0,
            even - odd,
            even + odd,
            even2 + odd2,
            even2 - odd2,
            g[2],
        ]
    };
    let columns = [0, 1, 2].map(|x| row([g[x], g[3 + x], g[6 + x]]));
    let rows: [[f64; 6]; 6] =
        std::array::from_fn(|y| row([columns[0][y], columns[1][y], columns[2][y]]));
    std::array::from_fn(|point| rows[point / 6][point % 6])
}

/// `G g Gᵀ` of [`CHANNEL_BLOCK`] filters at once: tap `t` of filter `j` is `taps[t][j]`, its point
/// `p` is written at `p * point + j` of `points`.
#[inline(always)]
pub(crate) fn transform_filters<S: Simd>(
    simd: S,
    taps: &[[f32; CHANNEL_BLOCK]; 9],
    points: &mut [f32],
    point: usize,
) {
    assert!((POINTS - 1) * point + CHANNEL_BLOCK <= points.len());
    for lane in (0..CHANNEL_BLOCK).step_by(S::F32_LANES) {
        // SAFETY: lanes end at `CHANNEL_BLOCK`, points below `POINTS`: the assertion.
        unsafe {
            let mut half = [[simd.splat_f32s(0.0); 6]; 3]; // [column][transformed row]
            for (x, half) in half.iter_mut().enumerate() {
                let tap = |y: usize| read::<S>(&taps[3 * y + x], lane);
                *half = filter_1d(simd, [tap(0), tap(1), tap(2)]);
            }
            for y in 0..6 {
                let done = filter_1d(simd, [half[0][y], half[1][y], half[2][y]]);
                for (x, value) in done.iter().enumerate() {
                    write::<S>(points, (6 * y + x) * point + lane, *value);
                }
            }
        }
    }
}

/// `Gᵀ u G` of [`CHANNEL_BLOCK`] filters at once, the adjoint of [`transform_filters`].
#[inline(always)]
pub(crate) fn transform_filters_adjoint<S: Simd>(
    simd: S,
    points: &[f32],
    point: usize,
    taps: &mut [[f32; CHANNEL_BLOCK]; 9],
) {
    assert!((POINTS - 1) * point + CHANNEL_BLOCK <= points.len());
    for lane in (0..CHANNEL_BLOCK).step_by(S::F32_LANES) {
        // SAFETY: lanes end at `CHANNEL_BLOCK`, points below `POINTS`: the assertion.
        unsafe {
            let mut half = [[simd.splat_f32s(0.0); 3]; 6]; // [column][tap row]
            for (x, half) in half.iter_mut().enumerate() {
                let u = |y: usize| read::<S>(points, (6 * y + x) * point + lane);
                *half = filter_adjoint_1d(simd, [u(0), u(1), u(2), u(3), u(4), u(5)]);
            }
            let [a, b, c, d, e, f] = &half;
            for y in 0..3 {
                let done = filter_adjoint_1d(simd, [a[y], b[y], c[y], d[y], e[y], f[y]]);
                for (x, value) in done.iter().enumerate() {
                    write::<S>(&mut taps[3 * y + x], lane, *value);
                }
            }
        }
    }
}

/// `Bᵀ d B` of a 6x6 tile for `channels` channels, a multiple of the lanes. Square (`y`, `x`) is
/// read at `(y * row + x) * channels` of `tile`, point `p` is written at `p * point` of `points`.
#[inline(always)]
pub(crate) fn transform_input<S: Simd>(
    simd: S,
    channels: usize,
    tile: &[f32],
    row: usize,
    points: &mut [f32],
    point: usize,
) {
    assert!((5 * row + 6) * channels <= tile.len());
    assert!((POINTS - 1) * point + channels <= points.len());
    for channel in (0..channels).step_by(S::F32_LANES) {
        let mut half = [[simd.splat_f32s(0.0); 6]; 6]; // [column][transformed row]
        for (x, half) in half.iter_mut().enumerate() {
            let mut d = [simd.splat_f32s(0.0); 6];
            for (y, d) in d.iter_mut().enumerate() {
                // SAFETY: y and x are at most 5, the channels end at `channels`: first assertion.
                *d = unsafe { read::<S>(tile, (y * row + x) * channels + channel) };
            }
            *half = input_1d(simd, d);
        }
        for y in 0..6 {
            let [a, b, c, d, e, f] = &half;
            let done = input_1d(simd, [a[y], b[y], c[y], d[y], e[y], f[y]]);
            for (x, value) in done.iter().enumerate() {
                // SAFETY: the point is below `POINTS`: second assertion.
                unsafe { write::<S>(points, (6 * y + x) * point + channel, *value) };
            }
        }
    }
}

/// `A e Aᵀ` of 4x4 gradients for `channels` channels, the adjoint of [`transform_output`]; the
/// arguments are those of [`transform_input`], and squares beyond the board must be zero.
#[inline(always)]
pub(crate) fn transform_output_adjoint<S: Simd>(
    simd: S,
    channels: usize,
    tile: &[f32],
    row: usize,
    points: &mut [f32],
    point: usize,
) {
    assert!((3 * row + 4) * channels <= tile.len());
    assert!((POINTS - 1) * point + channels <= points.len());
    for channel in (0..channels).step_by(S::F32_LANES) {
        let mut half = [[simd.splat_f32s(0.0); 6]; 4]; // [column][transformed row]
        for (x, half) in half.iter_mut().enumerate() {
            let mut e = [simd.splat_f32s(0.0); 4];
            for (y, e) in e.iter_mut().enumerate() {
                // SAFETY: y and x are at most 3: first assertion.
                *e = unsafe { read::<S>(tile, (y * row + x) * channels + channel) };
            }
            *half = output_adjoint_1d(simd, e);
        }
        for y in 0..6 {
            let done = output_adjoint_1d(simd, [half[0][y], half[1][y], half[2][y], half[3][y]]);
            for (x, value) in done.iter().enumerate() {
                // SAFETY: the point is below `POINTS`: second assertion.
                unsafe { write::<S>(points, (6 * y + x) * point + channel, *value) };
            }
        }
    }
}

/// What happens to the outputs of a convolution before they are stored.
#[derive(Clone, Copy)]
pub(crate) struct Finish<'a> {
    /// Added to each channel; as long as the channels of the part that is transformed.
    pub bias: &'a [f32],
    /// Added at each square; indexed as the output is.
    pub residual: Option<&'a [f32]>,
    /// The last step.
    pub gate: Gate<'a>,
}

/// The last step of a convolution's output.
#[derive(Clone, Copy)]
pub(crate) enum Gate<'a> {
    /// As it is.
    Open,
    /// Negative values become zero.
    Relu,
    /// Zero where the given values, indexed as the output is, are not positive: the gradient of a
    /// rectifier whose output they are.
    Mask(&'a [f32]),
}

/// Where the outputs of one tile go: the index of its first value, values from one row and from
/// one square to the next, and how many of the 4x4 squares are on the board.
#[derive(Clone, Copy)]
pub(crate) struct OutputTile {
    pub first: usize,
    pub row: usize,
    pub square: usize,
    pub side: [usize; 2],
}

/// `Aᵀ m A` of a tile for the channels of `finish.bias`, a multiple of the lanes, then `finish`.
#[inline(always)]
pub(crate) fn transform_output<S: Simd>(
    simd: S,
    points: &[f32],
    point: usize,
    finish: &Finish,
    output: &mut [f32],
    tile: OutputTile,
) {
    let channels = finish.bias.len();
    let [rows, columns] = tile.side;
    let end = tile.first + 3 * (tile.row + tile.square) + channels;
    assert!((POINTS - 1) * point + channels <= points.len());
    assert!(rows <= 4 && columns <= 4 && end <= output.len());
    assert!(finish.residual.is_none_or(|residual| end <= residual.len()));
    assert!(!matches!(finish.gate, Gate::Mask(mask) if end > mask.len()));
    for channel in (0..channels).step_by(S::F32_LANES) {
        let mut half = [[simd.splat_f32s(0.0); 4]; 6]; // [column][transformed row]
        for (x, half) in half.iter_mut().enumerate() {
            let mut m = [simd.splat_f32s(0.0); 6];
            for (y, m) in m.iter_mut().enumerate() {
                // SAFETY: the point is below `POINTS`: first assertion.
                *m = unsafe { read::<S>(points, (6 * y + x) * point + channel) };
            }
            *half = output_1d(simd, m);
        }
        // SAFETY: channels end at the length of the bias.
        let bias = unsafe { read::<S>(finish.bias, channel) };
        for y in 0..4 {
            if y >= rows {
                break;
            }
            let [a, b, c, d, e, f] = &half;
            let done = output_1d(simd, [a[y], b[y], c[y], d[y], e[y], f[y]]);
            for (x, value) in done.iter().enumerate() {
                if x >= columns {
                    break;
                }
                let at = tile.first + y * tile.row + x * tile.square + channel;
                // SAFETY: y and x are at most 3: the other assertions.
                unsafe {
                    let mut value = simd.add_f32s(*value, bias);
                    if let Some(residual) = finish.residual {
                        value = simd.add_f32s(value, read::<S>(residual, at));
                    }
                    let zero = simd.splat_f32s(0.0);
                    value = match finish.gate {
                        Gate::Open => value,
                        Gate::Relu => simd.max_f32s(value, zero),
                        Gate::Mask(mask) => {
                            let kept = simd.greater_than_f32s(read::<S>(mask, at), zero);
                            simd.select_f32s(kept, value, zero)
                        }
                    };
                    write::<S>(output, at, value);
                }
            }
        }
    }
}

/// # Safety
/// A whole vector lies in `from` at `at`.
#[inline(always)]
unsafe fn read<S: Simd>(from: &[f32], at: usize) -> S::f32s {
    debug_assert!(at + S::F32_LANES <= from.len());
    // SAFETY: the caller's promise; every bit pattern is a vector.
    unsafe { from.as_ptr().add(at).cast::<S::f32s>().read_unaligned() }
}

/// # Safety
/// A whole vector lies in `to` at `at`.
#[inline(always)]
unsafe fn write<S: Simd>(to: &mut [f32], at: usize, value: S::f32s) {
    debug_assert!(at + S::F32_LANES <= to.len());
    // SAFETY: the caller's promise.
    unsafe {
        to.as_mut_ptr()
            .add(at)
            .cast::<S::f32s>()
            .write_unaligned(value)
    }
}
