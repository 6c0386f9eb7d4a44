//! The few operations on integers that `pulp` does not offer for every instruction set.

use pulp::{Scalar256b, Simd, cast};

/// The largest activation: 68 times this, the most that a tile's transform makes of it, fits an
/// i16.
pub(super) const MOST: f32 = 480.0;

/// Vectors of 16 i16, 8 i32 or 8 f32.
pub(crate) trait Lanes: Simd {
    /// `sum[i] + a[2i] * b[2i] + a[2i + 1] * b[2i + 1]`.
    fn multiply_pairs(self, a: Self::i16s, b: Self::i16s, sum: Self::i32s) -> Self::i32s;

    /// The same two values in all pairs.
    fn splat_pair(self, pair: [i16; 2]) -> Self::i16s;

    /// Exact as long as the values are below 2^24; else rounded to nearest.
    fn floats(self, values: Self::i32s) -> Self::f32s;

    /// Widens eight values.
    fn widen(self, values: [i16; 8]) -> Self::f32s;

    /// Eight values clamped to `0..=MOST` and rounded to nearest, ties to even.
    fn quantize(self, values: Self::f32s) -> [i16; 8];
}

impl Lanes for Scalar256b {
    #[inline(always)]
    fn multiply_pairs(self, a: Self::i16s, b: Self::i16s, sum: Self::i32s) -> Self::i32s {
        let (a, b): ([[i16; 2]; 8], [[i16; 2]; 8]) = (cast(a), cast(b));
        let mut sums: [i32; 8] = cast(sum);
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            let products = [0, 1].map(|i| i32::from(a[i]) * i32::from(b[i]));
            *sum = sum.wrapping_add(products[0]).wrapping_add(products[1]);
        }
        cast(sums)
    }

    #[inline(always)]
    fn splat_pair(self, pair: [i16; 2]) -> Self::i16s {
        cast([pair; 8])
    }

    #[inline(always)]
    fn floats(self, values: Self::i32s) -> Self::f32s {
        let values: [i32; 8] = cast(values);
        cast(values.map(|value| value as f32))
    }

    #[inline(always)]
    fn widen(self, values: [i16; 8]) -> Self::f32s {
        cast(values.map(f32::from))
    }

    #[inline(always)]
    fn quantize(self, values: Self::f32s) -> [i16; 8] {
        let values: [f32; 8] = cast(values);
        values.map(|value| value.clamp(0.0, MOST).round_ties_even() as i16)
    }
}

#[cfg(target_arch = "x86_64")]
impl Lanes for pulp::x86::V3 {
    #[inline(always)]
    fn multiply_pairs(self, a: Self::i16s, b: Self::i16s, sum: Self::i32s) -> Self::i32s {
        let products = cast(self.avx2._mm256_madd_epi16(cast(a), cast(b)));
        self.wrapping_add_i32x8(sum, products)
    }

    #[inline(always)]
    fn splat_pair(self, pair: [i16; 2]) -> Self::i16s {
        cast(self.splat_i32x8(cast(pair)))
    }

    #[inline(always)]
    fn floats(self, values: Self::i32s) -> Self::f32s {
        cast(self.avx._mm256_cvtepi32_ps(cast(values)))
    }

    #[inline(always)]
    fn widen(self, values: [i16; 8]) -> Self::f32s {
        self.floats(cast(self.avx2._mm256_cvtepi16_epi32(cast(values))))
    }

    #[inline(always)]
    fn quantize(self, values: Self::f32s) -> [i16; 8] {
        let clamped = self.max_f32x8(values, self.splat_f32x8(0.0));
        let clamped = self.min_f32x8(clamped, self.splat_f32x8(MOST));
        let rounded = self.avx._mm256_cvtps_epi32(cast(clamped));
        let high = self.avx2._mm256_extracti128_si256::<1>(rounded);
        let low = self.avx._mm256_castsi256_si128(rounded);
        cast(self.sse2._mm_packs_epi32(low, high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portable_operations_are_those_of_avx2() {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = pulp::x86::V3::try_new() {
            let a: [i16; 16] = std::array::from_fn(|i| (i as i16).wrapping_mul(4321) ^ 0x55);
            let b: [i16; 16] = std::array::from_fn(|i| (i as i16).wrapping_mul(12_345) ^ -77);
            let sum: [i32; 8] = std::array::from_fn(|i| i as i32 * 100_000_003);
            let slow = Scalar256b.multiply_pairs(cast(a), cast(b), cast(sum));
            let fast = avx2.multiply_pairs(cast(a), cast(b), cast(sum));
            assert_eq!(cast::<_, [i32; 8]>(slow), cast::<_, [i32; 8]>(fast));

            let floats = [-3.0f32, 0.5, 1.5, 2.4999, 479.5, 480.4, 1e9, 77.0];
            assert_eq!(
                Scalar256b.quantize(cast(floats)),
                [0, 0, 2, 2, 480, 480, 480, 77]
            );
            assert_eq!(avx2.quantize(cast(floats)), [0, 0, 2, 2, 480, 480, 480, 77]);

            let shorts = [0, 1, -1, 480, i16::MIN, i16::MAX, 7, 100];
            let (slow, fast) = (Scalar256b.widen(shorts), avx2.widen(shorts));
            assert_eq!(cast::<_, [f32; 8]>(slow), cast::<_, [f32; 8]>(fast));
            assert_eq!(cast::<_, [f32; 8]>(fast), shorts.map(f32::from));
        }
    }
}
