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
//!
//! Rows of a tile are transformed one or two at a time, those that share terms together: all six at
//! once would not fit in registers. Everything works on one block of channels, and the points of
//! a tile and block lie together, `[point][16]`, so that their addresses are constants.
#![allow(unsafe_code)] // Tiles are read and written through pointers whose extent is checked once a tile.
#![allow(clippy::needless_range_loop)] // Indices are rows and columns of a tile.

use crate::board::{CHANNEL_BLOCK, Tile};
use crate::lanes::{fused, read, write};
use pulp::Simd;

/// Products of one tile and channel.
pub(crate) const POINTS: usize = 36;

/// Values of one tile and block of channels, `[point][16]`.
pub(crate) const TILE: usize = POINTS * CHANNEL_BLOCK;

/// `Bᵀ d` in the parts that share terms: row 0, rows 1 and 2, rows 3 and 4, row 5.
struct Input<S>(S);

impl<S: Simd> Input<S> {
    #[inline(always)]
    fn first(&self, d: [S::f32s; 6]) -> S::f32s {
        times(self.0, 4.0, d[0], times(self.0, -5.0, d[2], d[4]))
    }

    #[inline(always)]
    fn ones(&self, d: [S::f32s; 6]) -> [S::f32s; 2] {
        let even = times(self.0, -4.0, d[2], d[4]);
        let odd = times(self.0, -4.0, d[1], d[3]);
        [self.0.add_f32s(even, odd), self.0.sub_f32s(even, odd)]
    }

    #[inline(always)]
    fn twos(&self, d: [S::f32s; 6]) -> [S::f32s; 2] {
        let (even, odd) = (self.0.sub_f32s(d[4], d[2]), self.0.sub_f32s(d[3], d[1]));
        [
            times(self.0, 2.0, odd, even),
            times(self.0, -2.0, odd, even),
        ]
    }

    #[inline(always)]
    fn last(&self, d: [S::f32s; 6]) -> S::f32s {
        times(self.0, 4.0, d[1], times(self.0, -5.0, d[3], d[5]))
    }

    #[inline(always)]
    fn all(&self, d: [S::f32s; 6]) -> [S::f32s; 6] {
        let ([a, b], [c, e]) = (self.ones(d), self.twos(d));
        [self.first(d), a, b, c, e, self.last(d)]
    }
}

/// `Aᵀ m` in the parts that share terms: rows 0 and 2, rows 1 and 3.
pub(crate) struct Output<S>(pub S);

impl<S: Simd> Output<S> {
    #[inline(always)]
    pub(crate) fn even(&self, m: [S::f32s; 6]) -> [S::f32s; 2] {
        let add = |a, b| self.0.add_f32s(a, b);
        let (sum, sum2) = (add(m[1], m[2]), add(m[3], m[4]));
        [add(add(m[0], sum), sum2), times(self.0, 4.0, sum2, sum)]
    }

    #[inline(always)]
    pub(crate) fn odd(&self, m: [S::f32s; 6]) -> [S::f32s; 2] {
        let (difference, difference2) = (self.0.sub_f32s(m[1], m[2]), self.0.sub_f32s(m[3], m[4]));
        let last = self.0.add_f32s(difference, m[5]);
        [
            times(self.0, 2.0, difference2, difference),
            times(self.0, 8.0, difference2, last),
        ]
    }

    #[inline(always)]
    pub(crate) fn all(&self, m: [S::f32s; 6]) -> [S::f32s; 4] {
        let ([a, c], [b, d]) = (self.even(m), self.odd(m));
        [a, b, c, d]
    }
}

/// `A e`, the adjoint of [`Output`], in the parts that share terms: rows 1 and 2, rows 3 and 4; row
/// 0 is `e[0]` and row 5 is `e[3]`.
struct OutputAdjoint<S>(S);

impl<S: Simd> OutputAdjoint<S> {
    #[inline(always)]
    fn ones(&self, e: [S::f32s; 4]) -> [S::f32s; 2] {
        let (even, odd) = (self.0.add_f32s(e[0], e[2]), self.0.add_f32s(e[1], e[3]));
        [self.0.add_f32s(even, odd), self.0.sub_f32s(even, odd)]
    }

    #[inline(always)]
    fn twos(&self, e: [S::f32s; 4]) -> [S::f32s; 2] {
        let (even, odd) = (
            times(self.0, 4.0, e[2], e[0]),
            times(self.0, 4.0, e[3], e[1]),
        );
        [
            times(self.0, 2.0, odd, even),
            times(self.0, -2.0, odd, even),
        ]
    }

    #[inline(always)]
    fn all(&self, e: [S::f32s; 4]) -> [S::f32s; 6] {
        let ([a, b], [c, d]) = (self.ones(e), self.twos(e));
        [e[0], a, b, c, d, e[3]]
    }
}

/// `factor * x + y`.
#[inline(always)]
fn times<S: Simd>(simd: S, factor: f32, x: S::f32s, y: S::f32s) -> S::f32s {
    fused(simd, simd.splat_f32s(factor), x, y)
}

/// Vectors `step` values apart.
///
/// # Safety
/// All of them lie in `from`.
#[inline(always)]
pub(crate) unsafe fn column<S: Simd, const N: usize>(
    simd: S,
    from: &[f32],
    first: usize,
    step: usize,
) -> [S::f32s; N] {
    let mut column = [simd.splat_f32s(0.0); N];
    for (y, value) in column.iter_mut().enumerate() {
        // SAFETY: the caller's promise.
        *value = unsafe { read(from, first + y * step) };
    }
    column
}

/// Stores row `y` of a tile's points.
#[inline(always)]
fn put<S: Simd>(points: &mut [f32; TILE], y: usize, lane: usize, row: [S::f32s; 6]) {
    assert!(y < 6 && lane + S::F32_LANES <= CHANNEL_BLOCK);
    for (x, value) in row.iter().enumerate() {
        // SAFETY: the row and the lanes are inside, by the assertion.
        unsafe { write(points, (6 * y + x) * CHANNEL_BLOCK + lane, *value) };
    }
}

/// `Bᵀ d B` of a 6x6 tile for one block of channels. Square (`y`, `x`) is read at
/// `y * row + x * square` of `squares`.
#[inline(always)]
pub(crate) fn transform_input<S: Simd>(
    simd: S,
    squares: &[f32],
    row: usize,
    square: usize,
    points: &mut [f32; TILE],
) {
    assert!(5 * (row + square) + CHANNEL_BLOCK <= squares.len());
    let input = Input(simd);
    for lane in (0..CHANNEL_BLOCK).step_by(S::F32_LANES) {
        let mut rows = [[simd.splat_f32s(0.0); 6]; 2];
        // SAFETY: six rows of six squares, and lanes that end with the block: the assertion.
        unsafe {
            for x in 0..6 {
                rows[0][x] = input.first(column(simd, squares, x * square + lane, row));
            }
            put::<S>(points, 0, lane, input.all(rows[0]));
            for x in 0..6 {
                [rows[0][x], rows[1][x]] =
                    input.ones(column(simd, squares, x * square + lane, row));
            }
            put::<S>(points, 1, lane, input.all(rows[0]));
            put::<S>(points, 2, lane, input.all(rows[1]));
            for x in 0..6 {
                [rows[0][x], rows[1][x]] =
                    input.twos(column(simd, squares, x * square + lane, row));
            }
            put::<S>(points, 3, lane, input.all(rows[0]));
            put::<S>(points, 4, lane, input.all(rows[1]));
            for x in 0..6 {
                rows[0][x] = input.last(column(simd, squares, x * square + lane, row));
            }
            put::<S>(points, 5, lane, input.all(rows[0]));
        }
    }
}

/// `A e Aᵀ` of 4x4 gradients for one block of channels, the adjoint of [`transform_output`]; the
/// arguments are those of [`transform_input`], and squares beyond the board must be zero.
#[inline(always)]
pub(crate) fn transform_output_adjoint<S: Simd>(
    simd: S,
    squares: &[f32],
    row: usize,
    square: usize,
    points: &mut [f32; TILE],
) {
    assert!(3 * (row + square) + CHANNEL_BLOCK <= squares.len());
    let adjoint = OutputAdjoint(simd);
    for lane in (0..CHANNEL_BLOCK).step_by(S::F32_LANES) {
        let mut rows = [[simd.splat_f32s(0.0); 4]; 2];
        // SAFETY: four rows of four squares, and lanes that end with the block: the assertion.
        unsafe {
            for x in 0..4 {
                let e: [S::f32s; 4] = column(simd, squares, x * square + lane, row);
                [rows[0][x], rows[1][x]] = [e[0], e[3]];
            }
            put::<S>(points, 0, lane, adjoint.all(rows[0]));
            put::<S>(points, 5, lane, adjoint.all(rows[1]));
            for x in 0..4 {
                [rows[0][x], rows[1][x]] =
                    adjoint.ones(column(simd, squares, x * square + lane, row));
            }
            put::<S>(points, 1, lane, adjoint.all(rows[0]));
            put::<S>(points, 2, lane, adjoint.all(rows[1]));
            for x in 0..4 {
                [rows[0][x], rows[1][x]] =
                    adjoint.twos(column(simd, squares, x * square + lane, row));
            }
            put::<S>(points, 3, lane, adjoint.all(rows[0]));
            put::<S>(points, 4, lane, adjoint.all(rows[1]));
        }
    }
}

/// What happens to the outputs of a convolution before they are stored.
#[derive(Clone, Copy)]
pub(crate) struct Finish<'a> {
    /// Added to each channel of the block.
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

/// `Aᵀ m A` of a tile for one block of channels, whose values start at `tile.output` of `output` and
/// of the slices of `finish`, then `finish`.
#[inline(always)]
pub(crate) fn transform_output<S: Simd>(
    simd: S,
    points: &[f32; TILE],
    finish: &Finish,
    output: &mut [f32],
    tile: Tile,
) {
    let end = tile.output + 3 * (tile.row + tile.square) + CHANNEL_BLOCK;
    assert!(tile.rows <= 4 && tile.columns <= 4 && end <= output.len());
    assert!(finish.bias.len() == CHANNEL_BLOCK);
    assert!(finish.residual.is_none_or(|residual| end <= residual.len()));
    assert!(!matches!(finish.gate, Gate::Mask(mask) if end > mask.len()));
    let transform = Output(simd);
    for lane in (0..CHANNEL_BLOCK).step_by(S::F32_LANES) {
        let mut rows = [[simd.splat_f32s(0.0); 6]; 2];
        // SAFETY: points and lanes end with the array; outputs: the assertions.
        unsafe {
            for x in 0..6 {
                let m = column(simd, points, x * CHANNEL_BLOCK + lane, 6 * CHANNEL_BLOCK);
                [rows[0][x], rows[1][x]] = transform.even(m);
            }
            finish_row(simd, transform.all(rows[0]), 0, lane, finish, output, tile);
            finish_row(simd, transform.all(rows[1]), 2, lane, finish, output, tile);
            for x in 0..6 {
                let m = column(simd, points, x * CHANNEL_BLOCK + lane, 6 * CHANNEL_BLOCK);
                [rows[0][x], rows[1][x]] = transform.odd(m);
            }
            finish_row(simd, transform.all(rows[0]), 1, lane, finish, output, tile);
            finish_row(simd, transform.all(rows[1]), 3, lane, finish, output, tile);
        }
    }
}

/// Finishes and stores row `y` of a tile.
///
/// # Safety
/// The tile lies inside the output, and inside the other slices that are indexed alike.
#[inline(always)]
unsafe fn finish_row<S: Simd>(
    simd: S,
    row: [S::f32s; 4],
    y: usize,
    lane: usize,
    finish: &Finish,
    output: &mut [f32],
    tile: Tile,
) {
    if y >= tile.rows {
        return;
    }
    // SAFETY: the caller's promise.
    unsafe {
        let zero = simd.splat_f32s(0.0);
        let bias = read(finish.bias, lane);
        for (x, value) in row.iter().enumerate() {
            if x >= tile.columns {
                break;
            }
            let at = tile.output + y * tile.row + x * tile.square + lane;
            let mut value = simd.add_f32s(*value, bias);
            if let Some(residual) = finish.residual {
                value = simd.add_f32s(value, read(residual, at));
            }
            value = match finish.gate {
                Gate::Open => value,
                Gate::Relu => simd.max_f32s(value, zero),
                Gate::Mask(mask) => {
                    let kept = simd.greater_than_f32s(read(mask, at), zero);
                    simd.select_f32s(kept, value, zero)
                }
            };
            write(output, at, value);
        }
    }
}
