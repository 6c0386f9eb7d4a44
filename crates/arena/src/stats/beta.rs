//! The beta distribution, as much of it as an interval for a score needs.
//!
//! Scores are handled as log-odds, so that one within 1e-9 of 100 % keeps its precision.

/// Terms after which the continued fraction has converged for any parameters that counts of games
/// can give; the need grows like the square root of the larger parameter.
const MAX_TERMS: usize = 20_000;

/// The probability that a score drawn from Beta(`a`, `b`) is below the score with log-odds `logit`.
pub fn probability_below(a: f64, b: f64, logit: f64) -> f64 {
    let (x, y) = (logistic(logit), logistic(-logit));
    // x^a y^b / B(a, b)
    let front = (a * x.ln() + b * y.ln() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b)).exp();
    // The fraction converges fast below the mean; above it, the mirrored one does.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * continued_fraction(a, b, x) / a
    } else {
        1.0 - front * continued_fraction(b, a, y) / b
    }
}

/// The log-odds of the score below which Beta(`a`, `b`) has the probability `p`.
pub fn quantile_logit(a: f64, b: f64, p: f64) -> f64 {
    let (mut low, mut high) = (-100.0, 100.0);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if probability_below(a, b, middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// The continued fraction of the incomplete beta function, DLMF 8.17.22, by Lentz's method.
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut numerator, mut denominator, mut value) = (1.0, 0.0, 1.0);
    for term in 0..MAX_TERMS {
        let m = (term / 2) as f64;
        let coefficient = if term == 0 {
            1.0
        } else if term % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        denominator = 1.0 / away_from_zero(1.0 + coefficient * denominator);
        numerator = away_from_zero(1.0 + coefficient / numerator);
        let change = numerator * denominator;
        value *= change;
        if term > 0 && (change - 1.0).abs() < 1e-14 {
            break;
        }
    }
    // The first step multiplied by 1 + 1 / 1 with a denominator of 1: the fraction is 1 less.
    value - 1.0
}

/// The logarithm of the gamma function for positive arguments, by Lanczos' approximation (g = 7,
/// nine terms; relative error below 1e-13).
fn ln_gamma(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 8] = [
        676.5203681218851,
        -1259.1392167224028,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507343278686905,
        -0.13857109526572012,
        9.984_369_578_019_572e-6,
        1.5056327351493116e-7,
    ];
    let series = COEFFICIENTS
        .iter()
        .zip(0..)
        .fold(0.999_999_999_999_809_9, |sum, (coefficient, i)| {
            sum + coefficient / (x + f64::from(i))
        });
    let shifted = x + 6.5;
    0.5 * std::f64::consts::TAU.ln() + (x - 0.5) * shifted.ln() - shifted + series.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference values of scipy 1.17: `beta.cdf(expit(logit), a, b)`.
    #[test]
    fn distribution_agrees_with_scipy() {
        for (a, b, logit, expected) in [
            (2.0, 3.0, -0.4, 0.5270664760921666),
            (134.1, 0.334, 5.0, 0.11121307346015179),
            (0.67, 0.67, 0.3, 0.5578797561264136),
            (50_000.0, 30_000.0, 0.51, 0.4547515619924351),
            (1.5, 1.5, -2.0, 0.06731378612979072),
            (2000.5, 0.6, 12.0, 0.920450883992064),
        ] {
            let got = probability_below(a, b, logit);
            assert!(
                (got - expected).abs() < 1e-9,
                "Beta({a}, {b}) below {logit}: {got}"
            );
        }
    }

    /// Reference values of scipy 1.17: `logit(beta.ppf(p, a, b))`.
    #[test]
    fn quantiles_agree_with_scipy() {
        for (a, b, p, expected) in [
            (2.0, 3.0, 0.025, -2.6243762754608615),
            (134.1, 0.334, 0.025, 4.187456864069316),
            (100.0, 60.0, 0.975, 0.8386943809802719),
            (50_000.0, 30_000.0, 0.975, 0.5251522718291224),
        ] {
            let got = quantile_logit(a, b, p);
            assert!(
                (got - expected).abs() < 1e-7,
                "Beta({a}, {b}) at {p}: {got}"
            );
        }
    }
}
