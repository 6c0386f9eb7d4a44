//! The layers as plain loops in f64, to compare with.

#![allow(dead_code)] // each test uses a part of this

use outflank_kernels::ConvParameters;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// `len` values uniform in -1..1.
pub fn values(rng: &mut ChaCha8Rng, len: usize) -> Vec<f32> {
    (0..len).map(|_| rng.random_range(-1.0..1.0)).collect()
}

/// A 3x3 convolution of plain boards `[boards, side, side, inputs]`, without bias.
pub fn convolve(side: usize, inputs: usize, outputs: usize, x: &[f64], w: &[f64]) -> Vec<f64> {
    let mut by_tap = vec![0.0; w.len()]; // [tap][input][output]
    for (at, w) in w.iter().enumerate() {
        let (filter, tap) = (at / 9, at % 9);
        by_tap[(tap * inputs + filter % inputs) * outputs + filter / inputs] = *w;
    }
    let mut y = vec![0.0; x.len() / inputs * outputs];
    for (square, y) in y.chunks_exact_mut(outputs).enumerate() {
        for tap in 0..9 {
            let Some(from) = neighbour(side, square, tap) else {
                continue;
            };
            for (input, x) in x[from * inputs..(from + 1) * inputs].iter().enumerate() {
                if *x == 0.0 {
                    continue;
                }
                let w = &by_tap[(tap * inputs + input) * outputs..];
                for (y, w) in y.iter_mut().zip(w) {
                    *y += x * w;
                }
            }
        }
    }
    y
}

/// The square, counted through all boards, that a tap of the filter at `square` falls on.
pub fn neighbour(side: usize, square: usize, tap: usize) -> Option<usize> {
    let (row, column) = (square / side % side + tap / 3, square % side + tap % 3);
    let inside = (1..=side).contains(&row) && (1..=side).contains(&column);
    let board = square / (side * side) * side * side;
    inside.then(|| board + (row - 1) * side + column - 1)
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

/// Parameters of one convolution.
pub struct Layer {
    pub inputs: usize,
    pub weight: Vec<f32>,
    pub bias: Vec<f32>,
}

/// The same in f64.
#[derive(Clone)]
pub struct WideLayer {
    pub inputs: usize,
    pub weight: Vec<f64>,
    pub bias: Vec<f64>,
}

impl Layer {
    pub fn view(&self) -> ConvParameters<'_> {
        ConvParameters {
            weight: &self.weight,
            bias: &self.bias,
        }
    }

    pub fn wide(&self) -> WideLayer {
        WideLayer {
            inputs: self.inputs,
            weight: wide(&self.weight),
            bias: wide(&self.bias),
        }
    }
}

/// The blocks of a tower whose first layer is the stem.
pub fn blocks(layers: &[Layer]) -> Vec<[ConvParameters<'_>; 2]> {
    layers[1..]
        .chunks(2)
        .map(|block| [block[0].view(), block[1].view()])
        .collect()
}

/// Random parameters of a tower, the stem first, scaled so that activations keep their size.
pub fn parameters(rng: &mut ChaCha8Rng, inputs: usize, width: usize, blocks: usize) -> Vec<Layer> {
    (0..1 + 2 * blocks)
        .map(|layer| {
            let inputs = if layer == 0 { inputs } else { width };
            let scale = (1.0 / inputs as f32).sqrt() * 0.6;
            let weight = values(rng, inputs * width * 9)
                .iter()
                .map(|w| w * scale)
                .collect();
            let bias = values(rng, width).iter().map(|b| 0.1 * b).collect();
            Layer {
                inputs,
                weight,
                bias,
            }
        })
        .collect()
}

/// The output of a tower for plain boards.
pub fn tower(side: usize, layers: &[WideLayer], input: &[f64]) -> Vec<f64> {
    let layer = |conv: &WideLayer, x: &[f64], add: Option<&[f64]>| -> Vec<f64> {
        let width = conv.bias.len();
        let mut y = convolve(side, conv.inputs, width, x, &conv.weight);
        for (at, y) in y.iter_mut().enumerate() {
            *y = (*y + conv.bias[at % width] + add.map_or(0.0, |add| add[at])).max(0.0);
        }
        y
    };
    let mut x = layer(&layers[0], input, None);
    for block in layers[1..].chunks(2) {
        let middle = layer(&block[0], &x, None);
        x = layer(&block[1], &middle, Some(&x));
    }
    x
}
