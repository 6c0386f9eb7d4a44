#![allow(unsafe_code)] // instruction-set kernels: intrinsics and calls across features

use std::arch::x86_64::*;

use super::Isa;

/// AVX2 with the bit manipulation instructions: Intel since Haswell, AMD since Zen (their bit
/// gathering is fast since Zen 3).
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// The token, if the processor has the instructions.
    pub fn detect() -> Option<Avx2> {
        let available = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("lzcnt");
        available.then_some(Avx2(()))
    }
}

impl Isa for Avx2 {
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

    entered_with!(Avx2, "avx2,bmi1,bmi2,popcnt,lzcnt");
}

/// The lines through each square, away from it: four towards higher bits (east, south, south-west,
/// south-east), then the four opposite ones.
pub(super) static RAYS: [[u64; 8]; 64] = rays();

const fn rays() -> [[u64; 8]; 64] {
    let mut rays = [[0; 8]; 64];
    let steps = [
        (1, 0),
        (0, 1),
        (-1, 1),
        (1, 1),
        (-1, 0),
        (0, -1),
        (1, -1),
        (-1, -1),
    ];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (dx, dy) = steps[direction];
            let (mut x, mut y) = (square % 8 + dx, square / 8 + dy);
            while 0 <= x && x < 8 && 0 <= y && y < 8 {
                rays[square as usize][direction] |= 1 << (8 * y + x);
                x += dx;
                y += dy;
            }
            direction += 1;
        }
        square += 1;
    }
    rays
}

/// `LAST_FLIPS[place][own]`: discs turned on a line of eight by playing on its empty `place` when
/// all discs that are not `own` are the opponent's.
static LAST_FLIPS: [[u8; 256]; 8] = last_flips_table();

const fn last_flips_table() -> [[u8; 256]; 8] {
    let mut table = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut own = 0;
        while own < 256 {
            let mut count = 0;
            let mut i = place + 1;
            while i < 8 {
                if own >> i & 1 == 1 {
                    count += i - place - 1;
                    break;
                }
                i += 1;
            }
            i = place;
            while i > 0 {
                i -= 1;
                if own >> i & 1 == 1 {
                    count += place - i - 1;
                    break;
                }
            }
            table[place][own] = count as u8;
            own += 1;
        }
        place += 1;
    }
    table
}

/// The column, the diagonal and the anti-diagonal through each square.
static LINES: [[u64; 3]; 64] = lines();

const fn lines() -> [[u64; 3]; 64] {
    let rays = rays();
    let mut lines = [[0; 3]; 64];
    let mut square = 0;
    while square < 64 {
        let bit = 1 << square;
        lines[square] = [
            rays[square][1] | rays[square][5] | bit,
            rays[square][3] | rays[square][7] | bit,
            rays[square][2] | rays[square][6] | bit,
        ];
        square += 1;
    }
    lines
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn last_flips(own: u64, square: u32) -> i32 {
    let (column, row) = (square as usize % 8, square as usize / 8);
    let [vertical, diagonal, anti] = LINES[square as usize % 64];
    let line = |place: usize, own: u64| i32::from(LAST_FLIPS[place % 8][own as usize % 256]);
    line(column, own >> (8 * row))
        + line(row, _pext_u64(own, vertical))
        // The lowest bit of a diagonal is its square in the uppermost row.
        + line(column.min(row), _pext_u64(own, diagonal))
        + line((7 - column).min(row), _pext_u64(own, anti))
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
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
    let no = _mm256_cmpeq_epi64(outflank, zero);
    let below = _mm256_and_si256(_mm256_add_epi64(outflank, ones), up);
    let flipped = _mm256_andnot_si256(no, below);

    // Downwards the first other square is the highest one: everything beyond it is smeared over.
    let shift = _mm256_set_epi64x(9, 7, 8, 1);
    let blockers = _mm256_andnot_si256(opp, down);
    let mut beyond = _mm256_or_si256(blockers, _mm256_srlv_epi64(blockers, shift));
    let twice = _mm256_slli_epi64::<1>(shift);
    beyond = _mm256_or_si256(beyond, _mm256_srlv_epi64(beyond, twice));
    beyond = _mm256_or_si256(
        beyond,
        _mm256_srlv_epi64(beyond, _mm256_slli_epi64::<2>(shift)),
    );
    let run = _mm256_andnot_si256(beyond, down);
    let first = _mm256_andnot_si256(_mm256_srlv_epi64(beyond, shift), blockers);
    let outflank = _mm256_and_si256(first, own);
    let no = _mm256_cmpeq_epi64(outflank, zero);
    let flipped = _mm256_or_si256(flipped, _mm256_andnot_si256(no, run));

    let half = _mm_or_si128(
        _mm256_castsi256_si128(flipped),
        _mm256_extracti128_si256::<1>(flipped),
    );
    _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn legal_moves(own: u64, opp: u64, empty: u64) -> u64 {
    let shift = _mm256_set_epi64x(7, 9, 8, 1);
    let inner = _mm256_set_epi64x(INNER, INNER, -1, INNER);
    let own = _mm256_set1_epi64x(own as i64);
    let opp = _mm256_and_si256(_mm256_set1_epi64x(opp as i64), inner);

    let mut left = _mm256_and_si256(opp, _mm256_sllv_epi64(own, shift));
    let mut right = _mm256_and_si256(opp, _mm256_srlv_epi64(own, shift));
    left = _mm256_or_si256(left, _mm256_and_si256(opp, _mm256_sllv_epi64(left, shift)));
    right = _mm256_or_si256(
        right,
        _mm256_and_si256(opp, _mm256_srlv_epi64(right, shift)),
    );
    let pairs_left = _mm256_and_si256(opp, _mm256_sllv_epi64(opp, shift));
    let pairs_right = _mm256_srlv_epi64(pairs_left, shift);
    let twice = _mm256_add_epi64(shift, shift);
    for _ in 0..2 {
        left = _mm256_or_si256(
            left,
            _mm256_and_si256(pairs_left, _mm256_sllv_epi64(left, twice)),
        );
        right = _mm256_or_si256(
            right,
            _mm256_and_si256(pairs_right, _mm256_srlv_epi64(right, twice)),
        );
    }
    let moves = _mm256_or_si256(
        _mm256_sllv_epi64(left, shift),
        _mm256_srlv_epi64(right, shift),
    );
    let half = _mm_or_si128(
        _mm256_castsi256_si128(moves),
        _mm256_extracti128_si256::<1>(moves),
    );
    let moves = _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64;
    moves & empty
}

const INNER: i64 = 0x7e7e_7e7e_7e7e_7e7e;
