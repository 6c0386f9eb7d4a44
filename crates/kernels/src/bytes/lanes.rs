//! Vectors of 16 sums, and the few operations on them that the byte kernels need.
#![allow(unsafe_code)] // Instructions that `pulp` does not offer.

use super::MOST;

/// Sixteen values side by side: i32 sums of products of bytes, and f32.
///
/// Every operation gives the same bits in every implementation: sums are exact, and the operations
/// on f32 round one by one.
pub(crate) trait ByteLanes: Copy {
    /// Sixteen i32.
    type Sums: Copy;
    /// Sixteen f32.
    type Floats: Copy;

    fn load(self, from: &[i32; 16]) -> Self::Sums;

    fn store(self, sums: Self::Sums, to: &mut [i32; 16]);

    /// `sums[i] + inputs[0] * weights[i][0] + .. + inputs[3] * weights[i][3]`.
    fn dot(self, sums: Self::Sums, inputs: [u8; 4], weights: &[i8; 64]) -> Self::Sums;

    fn add(self, a: Self::Sums, b: Self::Sums) -> Self::Sums;

    fn sub(self, a: Self::Sums, b: Self::Sums) -> Self::Sums;

    /// Rounded to nearest where an f32 cannot hold the value.
    fn floats(self, sums: Self::Sums) -> Self::Floats;

    fn load_floats(self, from: &[f32; 16]) -> Self::Floats;

    /// `a * b + c`, rounded twice.
    fn multiply_add(self, a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats;

    /// The values where they are positive, else zero.
    fn rectify(self, values: Self::Floats, to: &mut [f32; 16]);

    /// Rounds to nearest, ties to even, clamps to `0..=127`, and groups four channels of four
    /// squares: `[channel / 4][square][channel % 4]` from a vector of channels for each square.
    fn pack(self, squares: [Self::Floats; 4], to: &mut [u8; 64]);

    /// The inverse of [`Self::pack`], as far as rounding allows.
    fn unpack(self, from: &[u8; 64]) -> [Self::Floats; 4];
}

/// Plain Rust, for every machine and to compare with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain;

impl ByteLanes for Plain {
    type Sums = [i32; 16];
    type Floats = [f32; 16];

    #[inline(always)]
    fn load(self, from: &[i32; 16]) -> [i32; 16] {
        *from
    }

    #[inline(always)]
    fn store(self, sums: [i32; 16], to: &mut [i32; 16]) {
        *to = sums;
    }

    #[inline(always)]
    fn dot(self, sums: [i32; 16], inputs: [u8; 4], weights: &[i8; 64]) -> [i32; 16] {
        let inputs = inputs.map(i32::from);
        std::array::from_fn(|i| {
            let products = |k: usize| inputs[k] * i32::from(weights[4 * i + k]);
            sums[i] + (products(0) + products(1) + products(2) + products(3))
        })
    }

    #[inline(always)]
    fn add(self, a: [i32; 16], b: [i32; 16]) -> [i32; 16] {
        std::array::from_fn(|i| a[i] + b[i])
    }

    #[inline(always)]
    fn sub(self, a: [i32; 16], b: [i32; 16]) -> [i32; 16] {
        std::array::from_fn(|i| a[i] - b[i])
    }

    #[inline(always)]
    fn floats(self, sums: [i32; 16]) -> [f32; 16] {
        sums.map(|sum| sum as f32)
    }

    #[inline(always)]
    fn load_floats(self, from: &[f32; 16]) -> [f32; 16] {
        *from
    }

    #[inline(always)]
    fn multiply_add(self, a: [f32; 16], b: [f32; 16], c: [f32; 16]) -> [f32; 16] {
        std::array::from_fn(|i| a[i] * b[i] + c[i])
    }

    #[inline(always)]
    fn rectify(self, values: [f32; 16], to: &mut [f32; 16]) {
        *to = values.map(|value| value.max(0.0));
    }

    #[inline(always)]
    fn pack(self, squares: [[f32; 16]; 4], to: &mut [u8; 64]) {
        for (square, values) in squares.iter().enumerate() {
            for (channel, value) in values.iter().enumerate() {
                let rounded = value.round_ties_even().clamp(0.0, f32::from(MOST));
                to[16 * (channel / 4) + 4 * square + channel % 4] = rounded as u8;
            }
        }
    }

    #[inline(always)]
    fn unpack(self, from: &[u8; 64]) -> [[f32; 16]; 4] {
        std::array::from_fn(|square| {
            std::array::from_fn(|channel| {
                f32::from(from[16 * (channel / 4) + 4 * square + channel % 4])
            })
        })
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use vnni::Vnni;

#[cfg(target_arch = "x86_64")]
mod vnni {
    use super::{ByteLanes, MOST};
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

    // SAFETY, for every block below: a `Vnni` exists only where the instructions do, and pointers
    // are those of references to whole vectors. (No closures: they would not have the features of
    // the function that they are inlined into, and each instruction in them would be a call.)
    impl ByteLanes for Vnni {
        type Sums = __m512i;
        type Floats = __m512;

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
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn the_instructions_do_what_plain_rust_does() {
        let Some(vnni) = Vnni::try_new() else { return };
        let sums: [i32; 16] = std::array::from_fn(|i| (i as i32 - 8) * 100_000_003);
        let weights: [i8; 64] = std::array::from_fn(|i| (i as i8).wrapping_mul(89));
        let inputs = [255, 0, 1, 130];
        let mut found = [0; 16];
        let fast = vnni.dot(vnni.load(&sums), inputs, &weights);
        vnni.store(fast, &mut found);
        assert_eq!(found, Plain.dot(sums, inputs, &weights));

        let scale = [0.000_001_7; 16];
        let offset: [f32; 16] = std::array::from_fn(|i| i as f32 - 3.0);
        let (mut fast_bytes, mut plain_bytes) = ([0; 64], [0; 64]);
        let fast = {
            let floats = vnni.floats(vnni.load(&sums));
            vnni.multiply_add(floats, vnni.load_floats(&scale), vnni.load_floats(&offset))
        };
        let plain = Plain.multiply_add(Plain.floats(sums), scale, offset);
        let (mut fast_floats, mut plain_floats) = ([0.0; 16], [0.0; 16]);
        vnni.rectify(fast, &mut fast_floats);
        Plain.rectify(plain, &mut plain_floats);
        assert_eq!(fast_floats, plain_floats);

        let squares: [[f32; 16]; 4] = std::array::from_fn(|square| {
            std::array::from_fn(|i| (16 * square + i) as f32 * 2.5 - 20.0)
        });
        vnni.pack(
            squares.map(|square| vnni.load_floats(&square)),
            &mut fast_bytes,
        );
        Plain.pack(squares, &mut plain_bytes);
        assert_eq!(fast_bytes, plain_bytes);
        assert_eq!((plain_bytes[0], plain_bytes[63]), (0, 127));
        for (fast, plain) in vnni
            .unpack(&fast_bytes)
            .into_iter()
            .zip(Plain.unpack(&plain_bytes))
        {
            vnni.rectify(fast, &mut fast_floats);
            assert_eq!(fast_floats, plain);
        }
    }
}
