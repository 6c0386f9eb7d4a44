//! The transform of filters for [`crate::winograd`], and its adjoint.
#![allow(unsafe_code)] // Points are read and written through pointers whose extent is checked once.
#![allow(clippy::needless_range_loop)] // Indices are rows and columns of a tile.

use crate::board::CHANNEL_BLOCK;
use crate::lanes::{fused, read, write};
use crate::winograd::POINTS;
use pulp::Simd;

/// One tap of [`CHANNEL_BLOCK`] filters for each of 9.
pub(crate) type Taps = [[f32; CHANNEL_BLOCK]; 9];

/// `G g`.
#[inline(always)]
fn transform_1d<S: Simd>(simd: S, g: [S::f32s; 3]) -> [S::f32s; 6] {
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

/// `Gᵀ u`, the adjoint of [`transform_1d`].
#[inline(always)]
fn adjoint_1d<S: Simd>(simd: S, u: [S::f32s; 6]) -> [S::f32s; 3] {
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

/// `G g Gᵀ` of [`CHANNEL_BLOCK`] filters; point `p` of filter `j` is written at `p * point + j`.
#[inline(always)]
pub(crate) fn transform<S: Simd>(simd: S, taps: &Taps, points: &mut [f32], point: usize) {
    assert!((POINTS - 1) * point + CHANNEL_BLOCK <= points.len());
    for lane in (0..CHANNEL_BLOCK).step_by(S::F32_LANES) {
        // SAFETY: lanes end at `CHANNEL_BLOCK`, points below `POINTS`: the assertion.
        unsafe {
            let mut half = [[simd.splat_f32s(0.0); 6]; 3]; // [column][transformed row]
            for (x, half) in half.iter_mut().enumerate() {
                let tap = |y: usize| read(&taps[3 * y + x], lane);
                *half = transform_1d(simd, [tap(0), tap(1), tap(2)]);
            }
            let [a, b, c] = &half;
            for (y, ((a, b), c)) in a.iter().zip(b).zip(c).enumerate() {
                for (x, value) in transform_1d(simd, [*a, *b, *c]).iter().enumerate() {
                    write(points, (6 * y + x) * point + lane, *value);
                }
            }
        }
    }
}

/// `Gᵀ u G` of [`CHANNEL_BLOCK`] filters, the adjoint of [`transform`].
#[inline(always)]
pub(crate) fn adjoint<S: Simd>(simd: S, points: &[f32], point: usize, taps: &mut Taps) {
    assert!((POINTS - 1) * point + CHANNEL_BLOCK <= points.len());
    for lane in (0..CHANNEL_BLOCK).step_by(S::F32_LANES) {
        // SAFETY: lanes end at `CHANNEL_BLOCK`, points below `POINTS`: the assertion.
        unsafe {
            let mut half = [[simd.splat_f32s(0.0); 6]; 3]; // [tap row][column]
            for x in 0..6 {
                let u = |y: usize| read(points, (6 * y + x) * point + lane);
                let done = adjoint_1d(simd, [u(0), u(1), u(2), u(3), u(4), u(5)]);
                [half[0][x], half[1][x], half[2][x]] = done;
            }
            for (y, row) in half.iter().enumerate() {
                for (x, value) in adjoint_1d(simd, *row).iter().enumerate() {
                    write(&mut taps[3 * y + x], lane, *value);
                }
            }
        }
    }
}

/// `G g Gᵀ` of one filter `[3][3]`, in f64.
pub(crate) fn transform_one(g: [f64; 9]) -> [f64; POINTS] {
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
