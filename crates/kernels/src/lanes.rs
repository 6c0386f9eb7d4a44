//! Small additions to `pulp`'s vectors.

use pulp::{Scalar128b, Scalar256b, Simd};
use std::any::TypeId;

/// `a * b + c`, rounded once where the machine can do that in one instruction.
#[inline(always)]
pub(crate) fn fused<S: Simd>(simd: S, a: S::f32s, b: S::f32s, c: S::f32s) -> S::f32s {
    // The portable forms would call a library function for each lane.
    let portable = [TypeId::of::<Scalar128b>(), TypeId::of::<Scalar256b>()];
    if portable.contains(&TypeId::of::<S>()) {
        simd.add_f32s(simd.mul_f32s(a, b), c)
    } else {
        simd.mul_add_f32s(a, b, c)
    }
}
