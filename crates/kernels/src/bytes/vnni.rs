//! The byte kernels' vectors on AVX-512 with VNNI.
#![allow(unsafe_code)] // Instructions that `pulp` does not offer.

use super::MOST;
use super::lanes::ByteLanes;
use std::arch::x86_64::*;

pulp::simd_type! {
    /// AVX-512 with the dot products of bytes (VNNI).
    pub(crate) struct Vnni {
        avx512f: "avx512f",
        avx512bw: "avx512bw",
        avx512vl: "avx512vl",
        avx512vnni: "avx512vnni",
    }
}

/// A token that exists only where the instructions of [`Vnni`] do.
pub(crate) trait Avx512Bytes: Copy {
    /// Whether there are those of AMX, too.
    const TILES: bool;
}

impl Avx512Bytes for Vnni {
    const TILES: bool = false;
}

// SAFETY, for every block below: a token exists only where the instructions do, and pointers
// are those of references to whole vectors. (No closures: they would not have the features of
// the function that they are inlined into, and each instruction in them would be a call.)
impl<T: Avx512Bytes> ByteLanes for T {
    type Input = u8;
    type Weight = i8;
    type Inputs = [u8; 4];
    type Weights = [i8; 64];
    type Sums = __m512i;
    type Floats = __m512;

    const WHOLE_ROWS: bool = true;
    const TILES: bool = T::TILES;

    #[inline(always)]
    fn load(self, from: &[i32; 16]) -> __m512i {
        // SAFETY: as said above.
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, sums: __m512i, to: &mut [i32; 16]) {
        // SAFETY: as said above.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), sums) }
    }

    #[inline(always)]
    fn dot(self, sums: __m512i, inputs: [u8; 4], weights: &[i8; 64]) -> __m512i {
        // SAFETY: as said above.
        unsafe {
            let inputs = _mm512_set1_epi32(i32::from_ne_bytes(inputs));
            let weights = _mm512_loadu_si512(weights.as_ptr().cast());
            _mm512_dpbusd_epi32(sums, inputs, weights)
        }
    }

    #[inline(always)]
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: as said above.
        unsafe { _mm512_add_epi32(a, b) }
    }

    #[inline(always)]
    fn sub(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: as said above.
        unsafe { _mm512_sub_epi32(a, b) }
    }

    #[inline(always)]
    fn floats(self, sums: __m512i) -> __m512 {
        // SAFETY: as said above.
        unsafe { _mm512_cvtepi32_ps(sums) }
    }

    #[inline(always)]
    fn load_floats(self, from: &[f32; 16]) -> __m512 {
        // SAFETY: as said above.
        unsafe { _mm512_loadu_ps(from.as_ptr()) }
    }

    #[inline(always)]
    fn multiply_add(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        // SAFETY: as said above.
        unsafe { _mm512_add_ps(_mm512_mul_ps(a, b), c) }
    }

    #[inline(always)]
    fn rectify(self, values: __m512, to: &mut [f32; 16]) {
        // SAFETY: as said above.
        unsafe {
            let positive = _mm512_max_ps(values, _mm512_setzero_ps());
            _mm512_storeu_ps(to.as_mut_ptr(), positive);
        }
    }

    #[inline(always)]
    fn pack(self, squares: [__m512; 4], to: &mut [u8; 64]) {
        // SAFETY: as said above.
        unsafe {
            // Packing works on each 16 bytes by themselves: four channels of four squares.
            let [a, b, c, d] = squares;
            let low = _mm512_packs_epi32(_mm512_cvtps_epi32(a), _mm512_cvtps_epi32(b));
            let high = _mm512_packs_epi32(_mm512_cvtps_epi32(c), _mm512_cvtps_epi32(d));
            let packed = _mm512_packus_epi16(low, high);
            let clamped = _mm512_min_epu8(packed, _mm512_set1_epi8(MOST as i8));
            _mm512_storeu_si512(to.as_mut_ptr().cast(), clamped);
        }
    }

    #[inline(always)]
    fn unpack(self, from: &[u8; 64]) -> [__m512; 4] {
        // SAFETY: as said above.
        unsafe {
            let zero = _mm512_setzero_si512();
            let packed = _mm512_loadu_si512(from.as_ptr().cast());
            let low = _mm512_unpacklo_epi8(packed, zero);
            let high = _mm512_unpackhi_epi8(packed, zero);
            [
                _mm512_cvtepi32_ps(_mm512_unpacklo_epi16(low, zero)),
                _mm512_cvtepi32_ps(_mm512_unpackhi_epi16(low, zero)),
                _mm512_cvtepi32_ps(_mm512_unpacklo_epi16(high, zero)),
                _mm512_cvtepi32_ps(_mm512_unpackhi_epi16(high, zero)),
            ]
        }
    }
}
