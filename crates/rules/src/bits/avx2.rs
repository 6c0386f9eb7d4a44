//! Move generation with 256-bit registers: the four axes of the board side by side.
#![allow(unsafe_code)] // loading from a table into a register takes a pointer

use std::arch::x86_64::*;

use super::{INNER_COLUMNS, RAYS};

/// Whether this processor has what the functions of this module need. The answer is remembered by
/// the standard library: asking again costs a load and a compare.
#[inline]
pub fn available() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// How far apart the squares of the four axes are: right, down, down-left, down-right.
#[target_feature(enable = "avx2")]
#[inline]
fn shifts() -> __m256i {
    _mm256_setr_epi64x(1, 8, 7, 9)
}

/// One bitboard in all four lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn splat(bits: u64) -> __m256i {
    _mm256_set1_epi64x(bits as i64)
}

/// The union of the four lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn union(lanes: __m256i) -> u64 {
    let halves = _mm_or_si128(
        _mm256_castsi256_si128(lanes),
        _mm256_extracti128_si256::<1>(lanes),
    );
    _mm_cvtsi128_si64(_mm_or_si128(halves, _mm_unpackhi_epi64(halves, halves))) as u64
}

/// [`super::legal_moves`] with AVX2.
///
/// # Safety
///
/// Safe in functions with the same target features; elsewhere [`available`] must be true.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
pub fn legal_moves(own: u64, opp: u64, empty: u64) -> u64 {
    union(ends_of_rows(splat(own), splat(opp))) & empty
}

/// The squares at the far ends of rows of `opp` that start beside `own`, by axis.
#[target_feature(enable = "avx2")]
#[inline]
fn ends_of_rows(own: __m256i, opp: __m256i) -> __m256i {
    let inner = INNER_COLUMNS as i64;
    let opp = _mm256_and_si256(opp, _mm256_setr_epi64x(inner, !0, inner, inner));
    let (one, two) = (shifts(), _mm256_slli_epi64::<1>(shifts()));

    let mut up = _mm256_and_si256(opp, _mm256_sllv_epi64(own, one));
    let mut down = _mm256_and_si256(opp, _mm256_srlv_epi64(own, one));
    up = _mm256_or_si256(up, _mm256_and_si256(opp, _mm256_sllv_epi64(up, one)));
    down = _mm256_or_si256(down, _mm256_and_si256(opp, _mm256_srlv_epi64(down, one)));
    let pairs_up = _mm256_and_si256(opp, _mm256_sllv_epi64(opp, one));
    let pairs_down = _mm256_srlv_epi64(pairs_up, one);
    up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, two)));
    down = _mm256_or_si256(
        down,
        _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, two)),
    );
    up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, two)));
    down = _mm256_or_si256(
        down,
        _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, two)),
    );
    _mm256_or_si256(_mm256_sllv_epi64(up, one), _mm256_srlv_epi64(down, one))
}

/// [`super::flips`] with AVX2. `square` is below 64: it is taken modulo 64.
///
/// # Safety
///
/// Safe in functions with the same target features; elsewhere [`available`] must be true.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
pub fn flips(own: u64, opp: u64, square: u32) -> u64 {
    union(flips_by_axis(splat(own), splat(opp), square))
}

/// The flipped discs by axis.
#[target_feature(enable = "avx2")]
#[inline]
fn flips_by_axis(own: __m256i, opp: __m256i, square: u32) -> __m256i {
    let rays = RAYS[square as usize % 64].0.as_ptr().cast::<__m256i>();
    // SAFETY: the eight rays are two registers' worth, and `Rays` is aligned to 64 bytes.
    let (up, down) = unsafe { (_mm256_load_si256(rays), _mm256_load_si256(rays.add(1))) };
    let zero = _mm256_setzero_si256();

    // Upwards the outflanking disc is the lowest end of the ray, and the discs below it flip.
    let ends = _mm256_andnot_si256(opp, up);
    let lowest = _mm256_and_si256(ends, _mm256_sub_epi64(zero, ends));
    let outflanking = _mm256_and_si256(lowest, own);
    let none = _mm256_cmpeq_epi64(outflanking, zero);
    let below = _mm256_add_epi64(outflanking, _mm256_set1_epi64x(-1));
    let flips_up = _mm256_andnot_si256(none, _mm256_and_si256(up, below));

    // Downwards it is the highest end. Every disc of the mover, moved one step back towards the
    // placed disc, is a candidate, and is struck out if there is an end from there on.
    let (one, two) = (shifts(), _mm256_slli_epi64::<1>(shifts()));
    let four = _mm256_slli_epi64::<2>(shifts());
    let ends = _mm256_andnot_si256(opp, down);
    let candidates = _mm256_sllv_epi64(_mm256_and_si256(own, down), one);
    let ends = _mm256_or_si256(ends, _mm256_srlv_epi64(ends, one));
    let last_flipped = _mm256_andnot_si256(
        _mm256_or_si256(_mm256_srlv_epi64(ends, two), _mm256_srlv_epi64(ends, four)),
        _mm256_andnot_si256(ends, candidates),
    );
    let flips_down = _mm256_and_si256(down, _mm256_sub_epi64(zero, last_flipped));
    _mm256_or_si256(flips_up, flips_down)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::{Size, bits};

    #[test]
    fn agrees_with_the_portable_functions() {
        if !available() {
            return; // nothing of this module is ever called here
        }
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for size in Size::ALL {
            let squares = size.squares();
            for _ in 0..20_000 {
                // Any density of discs, any share of either player.
                let discs = rng.random::<u64>() | rng.random::<u64>() & rng.random::<u64>();
                let side = rng.random::<u64>() | rng.random::<u64>() & rng.random::<u64>();
                let (own, opp) = if rng.random() {
                    (side, !side)
                } else {
                    (!side, side)
                };
                let (own, opp) = (own & discs & squares.bits(), opp & discs & squares.bits());
                let empty = squares.bits() & !(own | opp);
                // SAFETY: `available` said that the processor has the features.
                let moves = unsafe { legal_moves(own, opp, empty) };
                assert_eq!(
                    moves,
                    bits::legal_moves(own, opp, empty),
                    "{own:#x} {opp:#x}"
                );
                for square in 0..64 {
                    // SAFETY: as above.
                    let flipped = unsafe { flips(own, opp, square) };
                    assert_eq!(
                        flipped,
                        bits::flips(own, opp, square),
                        "{own:#x} {opp:#x} {square}"
                    );
                }
            }
        }
    }
}
