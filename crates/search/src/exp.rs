//! The exponential function, for softmaxes over a handful of moves.
//!
//! A search takes more exponentials than anything else that is not an evaluation. These are plain
//! arithmetic: compilers do several at once, and all machines get the same bits, which the
//! system's mathematical library does not promise.

/// Replaces each number by its exponential over that of the largest, in (0, 1].
pub(crate) fn exp_below_highest(numbers: &mut [f32]) {
    let highest = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for x in numbers {
        *x = exp_negative(*x - highest);
    }
}

/// `exp(x)` for `x <= 0`, to six digits; never below `2^-126`.
#[inline]
fn exp_negative(x: f32) -> f32 {
    // 2^t with t = whole + part: the addition rounds t to a whole number in the lowest bits.
    const ROUND: f32 = 12_582_912.0; // 1.5 * 2^23
    let t = (x * std::f32::consts::LOG2_E).max(-126.0);
    let rounded = t + ROUND;
    let part = t - (rounded - ROUND);
    let whole = rounded.to_bits().wrapping_sub(ROUND.to_bits());
    // The Taylor series of 2^part, |part| <= 1/2.
    let mut power = 1.540_353e-4;
    for coefficient in [
        1.333_355_8e-3,
        9.618_129e-3,
        5.550_411e-2,
        2.402_265e-1,
        6.931_472e-1,
        1.0,
    ] {
        power = power * part + coefficient;
    }
    power * f32::from_bits(whole.wrapping_add(127) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_mathematical_library() {
        for i in 0..=80_000 {
            let x = -(i as f32) / 1000.0;
            let (found, expected) = (exp_negative(x) as f64, (x as f64).exp());
            // The argument, times log2(e), is rounded to its last place.
            let tolerance = 4e-7 + 1.2e-7 * x.abs() as f64;
            assert!(
                (found / expected - 1.0).abs() < tolerance,
                "{x}: {found} {expected}"
            );
        }
        assert_eq!(exp_negative(0.0), 1.0);
        for x in [-100.0, -1e9, f32::NEG_INFINITY] {
            assert_eq!(exp_negative(x), f32::MIN_POSITIVE);
        }
    }
}
