//! Small additions to `pulp`'s vectors.
#![allow(unsafe_code)] // Vectors are read and written through pointers.

use pulp::bytemuck::Pod;
use pulp::{Scalar128b, Scalar256b, Simd};
use std::any::TypeId;

/// `a * b + c`, rounded once where the machine can do that in one instruction.
#[inline(always)]
pub(crate) fn fused<S: Simd>(simd: S, a: S::f32s, b: S::f32s, c: S::f32s) -> S::f32s {
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    if TypeId::of::<S>() == TypeId::of::<pulp::wasm::Simd128>() {
        use std::arch::wasm32::{f32x4_relaxed_madd, v128};
        use std::mem::transmute_copy;
        // SAFETY: vectors of this type are 128 bits, and every bit pattern is one.
        return unsafe {
            let [a, b, c] = [a, b, c].map(|vector| transmute_copy::<S::f32s, v128>(&vector));
            transmute_copy(&f32x4_relaxed_madd(a, b, c))
        };
    }
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
