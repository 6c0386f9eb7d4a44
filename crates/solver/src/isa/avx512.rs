#![allow(unsafe_code)] // instruction-set kernels: intrinsics and calls across features

use std::arch::x86_64::*;

use super::Isa;
use super::avx2::{Avx2, RAYS, last_flips, legal_moves};

/// AVX-512 on vectors of 256 bits, with leading zeros: Intel since Skylake-X, AMD since Zen 4.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// The token, if the processor has the instructions.
    pub fn detect() -> Option<Avx512> {
        let available = Avx2::detect().is_some()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq");
        available.then_some(Avx512(()))
    }
}

impl Isa for Avx512 {
    #[inline(always)]
    fn legal_moves(self, own: u64, opp: u64, empty: u64) -> u64 {
        // SAFETY: the token proves the features.
        unsafe { legal_moves(own, opp, empty) }
    }

    #[inline(always)]
    fn flips(self, own: u64, opp: u64, square: u32) -> u64 {
        // SAFETY: the token proves the features.
        unsafe { flips(own, opp, square) }
    }

    #[inline(always)]
    fn last_flips(self, own: u64, square: u32) -> i32 {
        // SAFETY: the token proves the features.
        unsafe { last_flips(own, square) }
    }

    #[inline(always)]
    fn prefetch<T>(self, value: &T) {
        // SAFETY: a prefetch reads nothing that the program can observe.
        unsafe { _mm_prefetch::<_MM_HINT_T0>((&raw const *value).cast()) }
    }

    entered_with!(
        Avx512,
        "avx2,bmi1,bmi2,popcnt,lzcnt,avx512f,avx512vl,avx512cd,avx512bw,avx512dq"
    );
}

#[inline]
#[target_feature(
    enable = "avx2,bmi1,bmi2,popcnt,lzcnt,avx512f,avx512vl,avx512cd,avx512bw,avx512dq"
)]
fn flips(own: u64, opp: u64, square: u32) -> u64 {
    let rays = &RAYS[square as usize % 64];
    let load = |half: usize| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| rays[half + i] as i64);
        _mm256_set_epi64x(d, c, b, a)
    };
    let (up, down) = (load(0), load(4));
    let own = _mm256_set1_epi64x(own as i64);
    let opp = _mm256_set1_epi64x(opp as i64);
    let zero = _mm256_setzero_si256();

    // Upwards a carry runs through the opponent's discs to the first other square of the ray.
    // Squares off the ray count as the opponent's: the carry starts below it.
    let ones = _mm256_set1_epi64x(-1);
    let filled = _mm256_or_si256(opp, _mm256_xor_si256(up, ones));
    let carried = _mm256_sub_epi64(filled, ones);
    let outflank = _mm256_and_si256(_mm256_and_si256(carried, own), up);
    let some = _mm256_test_epi64_mask(outflank, outflank);
    let below = _mm256_maskz_add_epi64(some, outflank, ones);
    let flipped = _mm256_and_si256(below, up);

    // Downwards the first other square is the highest one. What lies above it on the ray is
    // turned if it is the mover's: minus twice its bit, which is nothing if there is none.
    let blockers = _mm256_andnot_si256(opp, down);
    let highest = _mm256_srlv_epi64(_mm256_set1_epi64x(i64::MIN), _mm256_lzcnt_epi64(blockers));
    let outflank = _mm256_and_si256(highest, own);
    let above = _mm256_sub_epi64(zero, _mm256_add_epi64(outflank, outflank));
    let flipped = _mm256_or_si256(flipped, _mm256_and_si256(above, down));

    let half = _mm_or_si128(
        _mm256_castsi256_si128(flipped),
        _mm256_extracti128_si256::<1>(flipped),
    );
    _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64
}
