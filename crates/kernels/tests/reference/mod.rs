//! The layers as plain loops in f64, to compare with.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// `len` values uniform in -1..1.
pub fn values(rng: &mut ChaCha8Rng, len: usize) -> Vec<f32> {
    (0..len).map(|_| rng.random_range(-1.0..1.0)).collect()
}

/// A 3x3 convolution of plain boards `[boards, side, side, inputs]`, without bias.
pub fn convolve(side: usize, inputs: usize, outputs: usize, x: &[f64], w: &[f64]) -> Vec<f64> {
    let squares = side * side;
    let mut y = vec![0.0; x.len() / inputs * outputs];
    for at in 0..y.len() {
        let (output, square) = (at % outputs, at / outputs % squares);
        let (board, row, column) = (at / outputs / squares, square / side, square % side);
        for tap in 0..9 {
            let (from_row, from_column) = (row + tap / 3, column + tap % 3);
            if !(1..=side).contains(&from_row) || !(1..=side).contains(&from_column) {
                continue;
            }
            let from = board * squares + (from_row - 1) * side + from_column - 1;
            for input in 0..inputs {
                y[at] += x[from * inputs + input] * w[(output * inputs + input) * 9 + tap];
            }
        }
    }
    y
}

/// Widens to f64.
pub fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&value| f64::from(value)).collect()
}

/// The largest difference, relative to the largest reference value.
pub fn error(found: &[f32], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let scale = expected
        .iter()
        .fold(1e-30, |most: f64, value| most.max(value.abs()));
    let worst = found
        .iter()
        .zip(expected)
        .map(|(f, e)| (f64::from(*f) - e).abs());
    worst.fold(0.0, f64::max) / scale
}
