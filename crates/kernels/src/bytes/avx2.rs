//! The byte kernels' vectors on AVX2, with bytes widened to 16 bits: its products of bytes add up
//! two by two in 16 bits, which 255 * 127 twice exceeds, and must be widened after each in any case.

use super::MOST;
use super::lanes::ByteLanes;
use pulp::cast;
use pulp::x86::V3;
use std::arch::x86_64::*;

// No closures: they would not have the features of the function that they are inlined into.
impl ByteLanes for V3 {
    type Input = i16;
    type Weight = i16;
    type Inputs = [i16; 2];
    type Weights = [[i16; 16]; 2];
    type Sums = [__m256i; 2];
    type Floats = [__m256; 2];

    const WHOLE_ROWS: bool = false;

    #[inline(always)]
    fn load(self, from: &[i32; 16]) -> [__m256i; 2] {
        cast(*from)
    }

    #[inline(always)]
    fn store(self, sums: [__m256i; 2], to: &mut [i32; 16]) {
        *to = cast(sums);
    }

    #[inline(always)]
    fn dot(self, sums: [__m256i; 2], inputs: [i16; 2], weights: &[[i16; 16]; 2]) -> [__m256i; 2] {
        let inputs = self.avx._mm256_set1_epi32(cast(inputs));
        let low = self.avx2._mm256_madd_epi16(inputs, cast(weights[0]));
        let high = self.avx2._mm256_madd_epi16(inputs, cast(weights[1]));
        self.add(sums, [low, high])
    }

    #[inline(always)]
    fn add(self, [a, b]: [__m256i; 2], [c, d]: [__m256i; 2]) -> [__m256i; 2] {
        [
            self.avx2._mm256_add_epi32(a, c),
            self.avx2._mm256_add_epi32(b, d),
        ]
    }

    #[inline(always)]
    fn sub(self, [a, b]: [__m256i; 2], [c, d]: [__m256i; 2]) -> [__m256i; 2] {
        [
            self.avx2._mm256_sub_epi32(a, c),
            self.avx2._mm256_sub_epi32(b, d),
        ]
    }

    #[inline(always)]
    fn floats(self, [low, high]: [__m256i; 2]) -> [__m256; 2] {
        [
            self.avx._mm256_cvtepi32_ps(low),
            self.avx._mm256_cvtepi32_ps(high),
        ]
    }

    #[inline(always)]
    fn load_floats(self, from: &[f32; 16]) -> [__m256; 2] {
        cast(*from)
    }

    #[inline(always)]
    fn multiply_add(self, a: [__m256; 2], b: [__m256; 2], c: [__m256; 2]) -> [__m256; 2] {
        let low = self.avx._mm256_mul_ps(a[0], b[0]);
        let high = self.avx._mm256_mul_ps(a[1], b[1]);
        [
            self.avx._mm256_add_ps(low, c[0]),
            self.avx._mm256_add_ps(high, c[1]),
        ]
    }

    #[inline(always)]
    fn rectify(self, [low, high]: [__m256; 2], to: &mut [f32; 16]) {
        let zero = self.avx._mm256_setzero_ps();
        *to = cast([
            self.avx._mm256_max_ps(low, zero),
            self.avx._mm256_max_ps(high, zero),
        ]);
    }

    #[inline(always)]
    fn pack(self, squares: [[__m256; 2]; 4], to: &mut [u8; 64]) {
        let most = self.avx._mm256_set1_epi8(MOST as i8);
        let [a, b, c, d] = squares;
        let (to, _) = to.as_chunks_mut::<32>();
        for (half, to) in to.iter_mut().enumerate() {
            // Packing works on each 16 bytes by themselves: four channels of four squares.
            let a = self.avx._mm256_cvtps_epi32(a[half]);
            let b = self.avx._mm256_cvtps_epi32(b[half]);
            let c = self.avx._mm256_cvtps_epi32(c[half]);
            let d = self.avx._mm256_cvtps_epi32(d[half]);
            let low = self.avx2._mm256_packs_epi32(a, b);
            let high = self.avx2._mm256_packs_epi32(c, d);
            let packed = self.avx2._mm256_packus_epi16(low, high);
            *to = cast(self.avx2._mm256_min_epu8(packed, most));
        }
    }

    #[inline(always)]
    fn unpack(self, from: &[u8; 64]) -> [[__m256; 2]; 4] {
        let zero = self.avx._mm256_setzero_si256();
        let mut squares = [[self.avx._mm256_setzero_ps(); 2]; 4];
        for (half, from) in from.as_chunks::<32>().0.iter().enumerate() {
            let low = self.avx2._mm256_unpacklo_epi8(cast(*from), zero);
            let high = self.avx2._mm256_unpackhi_epi8(cast(*from), zero);
            let values = [
                self.avx2._mm256_unpacklo_epi16(low, zero),
                self.avx2._mm256_unpackhi_epi16(low, zero),
                self.avx2._mm256_unpacklo_epi16(high, zero),
                self.avx2._mm256_unpackhi_epi16(high, zero),
            ];
            for (square, values) in squares.iter_mut().zip(values) {
                square[half] = self.avx._mm256_cvtepi32_ps(values);
            }
        }
        squares
    }
}
