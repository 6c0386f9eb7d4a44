//! Small additions to `pulp`'s vectors.

use pulp::{Scalar128b, Simd};
use std::any::TypeId;

/// `a * b + c`, rounded once where the machine can do that in one instruction.
#[inline(always)]
pub(crate) fn fused<S: Simd>(simd: S, a: S::f32s, b: S::f32s, c: S::f32s) -> S::f32s {
    // The portable form would call a library function for each lane.
    if TypeId::of::<S>() == TypeId::of::<Scalar128b>() {
        simd.add_f32s(simd.mul_f32s(a, b), c)
    } else {
        simd.mul_add_f32s(a, b, c)
    }
}
