//! The register-blocked matrix product behind every layer.
//!
//! One kernel serves them all, because both operands are read through strides: the product of
//! tiles and weights, dense layers, and the gradient of weights (whose left operand is read
//! transposed). Every element is one chain of multiply-adds in the order of the inner dimension,
//! whatever rows it is computed with, so that batching never changes a bit.
#![allow(unsafe_code)] // The inner loop reads through pointers: `multiply` checks their bounds first.

use crate::board::CHANNEL_BLOCK;
use crate::lanes::{fused, read, write};
use pulp::Simd;

/// Steps of the inner dimension between which the left operand may jump.
const RUN: usize = CHANNEL_BLOCK;

/// What a product is added to.
#[derive(Clone, Copy)]
pub(crate) enum Start<'a> {
    /// Nothing.
    Zero,
    /// The same row of [`CHANNEL_BLOCK`] values for each row of the result.
    Row(&'a [f32]),
    /// What the result already holds.
    Stored,
}

/// `c[r][j] = start + sum over i of a[r][i] * b[i][j]` for `rows` rows and [`CHANNEL_BLOCK`]
/// columns. The inner dimension is cut into runs of [`CHANNEL_BLOCK`]: `a[r][i]` is
/// `a[r * a_row + i / 16 * a_run + i % 16 * a_step]`. `b[i][j]` is `b[i * b_step + j]` and `c[r][j]`
/// is `c[r * c_row + j]`.
pub(crate) struct Product<'a> {
    pub rows: usize,
    pub inner: usize,
    pub a: &'a [f32],
    pub a_row: usize,
    pub a_step: usize,
    pub a_run: usize,
    pub b: &'a [f32],
    pub b_step: usize,
    pub c: &'a mut [f32],
    pub c_row: usize,
    pub start: Start<'a>,
}

/// Computes a product.
///
/// # Panics
/// If an element lies outside its slice.
#[inline(always)]
pub(crate) fn multiply<S: Simd>(simd: S, mut product: Product) {
    let p = &mut product;
    if p.rows == 0 {
        return;
    }
    let last_row = p.rows - 1;
    if p.inner > 0 {
        // The last step, and the last of the whole runs before it.
        let (runs, step) = ((p.inner - 1) / RUN, (p.inner - 1) % RUN);
        let last = runs * p.a_run + step * p.a_step;
        let whole = runs.saturating_sub(1) * p.a_run + (RUN - 1).min(p.inner - 1) * p.a_step;
        assert!(last_row * p.a_row + last.max(whole) < p.a.len());
        assert!((p.inner - 1) * p.b_step + CHANNEL_BLOCK <= p.b.len());
    }
    assert!(last_row * p.c_row + CHANNEL_BLOCK <= p.c.len());
    if let Start::Row(row) = p.start {
        assert!(row.len() >= CHANNEL_BLOCK);
    }
    // Rows and vectors that fill the registers without spilling: 16 registers of 4 or 8 lanes, 32
    // of 16 lanes, with one or two left over for the operands.
    // SAFETY: the assertions above are the bounds that `all_rows` asks for, and the number of
    // vectors times their lanes is a block of columns.
    unsafe {
        match S::F32_LANES {
            16 => all_rows::<S, 12, 1>(simd, p),
            8 => all_rows::<S, 6, 2>(simd, p),
            4 => all_rows::<S, 3, 4>(simd, p),
            lanes => unreachable!("no vectors of {lanes} lanes"),
        }
    }
}

/// # Safety
/// All elements that `p` names lie inside its slices, and `NV * S::F32_LANES == CHANNEL_BLOCK`.
#[inline(always)]
unsafe fn all_rows<S: Simd, const MR: usize, const NV: usize>(simd: S, p: &mut Product) {
    let mut row = 0;
    while row < p.rows {
        let left = p.rows - row;
        // SAFETY: each call covers rows below `p.rows`.
        row += unsafe {
            match left {
                // A full block, unless it would leave two rows where two blocks of four do better.
                _ if left >= MR && left != MR + 2 => some_rows::<S, MR, NV>(simd, p, row),
                4.. => some_rows::<S, 4, NV>(simd, p, row),
                2.. => some_rows::<S, 2, NV>(simd, p, row),
                _ => some_rows::<S, 1, NV>(simd, p, row),
            }
        };
    }
}

/// Rows `row..row + MR` of the product, held in registers; returns `MR`.
///
/// # Safety
/// As for [`all_rows`], with `row + MR <= p.rows`.
#[inline(always)]
unsafe fn some_rows<S: Simd, const MR: usize, const NV: usize>(
    simd: S,
    p: &mut Product,
    row: usize,
) -> usize {
    let lanes = S::F32_LANES;
    // SAFETY: rows `row..row + MR`, steps `0..inner` and columns `0..NV * lanes` are inside the
    // slices, as the caller promises; vectors are read and written unaligned.
    unsafe {
        let mut sums = [[simd.splat_f32s(0.0); NV]; MR];
        for (r, sums) in sums.iter_mut().enumerate() {
            for (v, sum) in sums.iter_mut().enumerate() {
                *sum = match p.start {
                    Start::Zero => *sum,
                    Start::Row(bias) => read(bias, v * lanes),
                    Start::Stored => read(p.c, (row + r) * p.c_row + v * lanes),
                };
            }
        }
        let mut a = p.a.as_ptr().add(row * p.a_row);
        let mut b = p.b.as_ptr();
        let mut left = p.inner;
        while left >= RUN {
            // A constant number of steps: the compiler unrolls them.
            some_steps(simd, p, a, b, RUN, &mut sums);
            a = a.wrapping_add(p.a_run);
            b = b.wrapping_add(RUN * p.b_step);
            left -= RUN;
        }
        some_steps(simd, p, a, b, left, &mut sums);
        for (r, sums) in sums.iter().enumerate() {
            for (v, sum) in sums.iter().enumerate() {
                write(p.c, (row + r) * p.c_row + v * lanes, *sum);
            }
        }
    }
    MR
}

/// Adds `steps` steps of the inner dimension to the sums of `MR` rows, from where `a` and `b` point.
///
/// # Safety
/// The steps lie inside the slices of the product, and `NV * S::F32_LANES == CHANNEL_BLOCK`.
#[inline(always)]
unsafe fn some_steps<S: Simd, const MR: usize, const NV: usize>(
    simd: S,
    p: &Product,
    a: *const f32,
    b: *const f32,
    steps: usize,
    sums: &mut [[S::f32s; NV]; MR],
) {
    for step in 0..steps {
        // SAFETY: the caller's promise; vectors are read unaligned.
        unsafe {
            let mut weights = [simd.splat_f32s(0.0); NV];
            for (v, weights) in weights.iter_mut().enumerate() {
                let from = b.add(step * p.b_step + v * S::F32_LANES);
                *weights = from.cast::<S::f32s>().read_unaligned();
            }
            for (r, sums) in sums.iter_mut().enumerate() {
                let value = simd.splat_f32s(*a.add(r * p.a_row + step * p.a_step));
                for (sum, weights) in sums.iter_mut().zip(weights) {
                    *sum = fused(simd, value, weights, *sum);
                }
            }
        }
    }
}
