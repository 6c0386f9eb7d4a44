//! The walk with AVX2: every position is one call of move generation, inlined.
#![allow(unsafe_code)] // entering the functions that need the instructions

use crate::bits::avx2::{available, flips, legal_moves};

define_lines!(#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]);

/// [`lines`] if this processor has the instructions.
pub(super) fn lines_if_available(
    own: u64,
    opp: u64,
    empty: u64,
    depth: u32,
    ended: u64,
) -> Option<u64> {
    // SAFETY: the processor has every feature that the function is compiled for.
    available().then(|| unsafe { lines(own, opp, empty, depth, ended) })
}
