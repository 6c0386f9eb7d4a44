//! Small additions to `pulp`'s vectors.
#![allow(unsafe_code)] // Vectors are read and written through pointers.

use pulp::bytemuck::Pod;
use pulp::{Scalar128b, Scalar256b, Simd};
use std::any::TypeId;

/// `a * b + c`, rounded once where the machine can do that in one instruction.
#[inline(always)]
pub(crate) fn fused<S: Simd>(simd: S, a: S::f32s, b: S::f32s, c: S::f32s) -> S::f32s {
    // These would call a library function for each lane.
    let without = [
        TypeId::of::<Scalar128b>(),
        TypeId::of::<Scalar256b>(),
        #[cfg(target_arch = "wasm32")]
        TypeId::of::<pulp::wasm::Simd128>(),
    ];
    if without.contains(&TypeId::of::<S>()) {
        simd.add_f32s(simd.mul_f32s(a, b), c)
    } else {
        simd.mul_add_f32s(a, b, c)
    }
}

/// # Safety
/// A whole vector `V` lies in `from` at `at`.
#[inline(always)]
pub(crate) unsafe fn read<T, V: Pod>(from: &[T], at: usize) -> V {
    debug_assert!(size_of_val(from) >= at * size_of::<T>() + size_of::<V>());
    // SAFETY: the caller's promise; every bit pattern is a vector.
    unsafe { from.as_ptr().add(at).cast::<V>().read_unaligned() }
}

/// # Safety
/// A whole vector `V` lies in `to` at `at`.
#[inline(always)]
pub(crate) unsafe fn write<T, V: Pod>(to: &mut [T], at: usize, value: V) {
    debug_assert!(size_of_val(to) >= at * size_of::<T>() + size_of::<V>());
    // SAFETY: the caller's promise.
    unsafe { to.as_mut_ptr().add(at).cast::<V>().write_unaligned(value) }
}
