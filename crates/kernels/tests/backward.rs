//! Gradients against plain loops and finite differences, on every instruction set of the machine.

mod reference;

use outflank_kernels::{BoardShape, Conv3x3, ConvGradient, GradientWorkspace, Isa, Workspace};
use outflank_kernels::{TowerActivations, TowerGradients, TrainingTower};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use reference::{Layer, WideLayer, blocks, convolve, error, neighbour, parameters, values, wide};

fn padded(shape: BoardShape, channels: usize, plain: &[f32]) -> Vec<f32> {
    let boards = plain.len() / shape.plain_len(channels);
    let mut padded = vec![0.0; boards * shape.padded_len(channels)];
    shape.pad(channels, plain, &mut padded);
    padded
}

#[test]
fn gradient_of_weights_is_the_plain_loop() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for isa in Isa::available() {
        for case in 0..9 {
            let side = [4, 6, 8][case % 3];
            let shape = BoardShape::new(side).unwrap();
            let (inputs, outputs) = ([5, 16, 32][case % 3], 16 * rng.random_range(1..3));
            let boards = rng.random_range(1..14);
            let x = values(&mut rng, boards * shape.plain_len(inputs));
            let e = values(&mut rng, boards * shape.plain_len(outputs));

            let mut weight = vec![0.0; 9 * inputs * outputs];
            let mut bias = vec![0.0; outputs];
            for (square, e) in e.chunks_exact(outputs).enumerate() {
                for tap in 0..9 {
                    let Some(from) = neighbour(side, square, tap) else {
                        continue;
                    };
                    let x = &x[from * inputs..(from + 1) * inputs];
                    for (filter, weight) in weight.chunks_exact_mut(9).enumerate() {
                        weight[tap] +=
                            f64::from(e[filter / inputs]) * f64::from(x[filter % inputs]);
                    }
                }
                for (bias, e) in bias.iter_mut().zip(e) {
                    *bias += f64::from(*e);
                }
            }

            let mut sum = ConvGradient::new(isa, shape, inputs, outputs).unwrap();
            let (x, e) = (padded(shape, inputs, &x), padded(shape, outputs, &e));
            let mut workspace = GradientWorkspace::default();
            let half = boards / 2;
            let (x0, x1) = x.split_at(half * shape.padded_len(inputs));
            let (e0, e1) = e.split_at(half * shape.padded_len(outputs));
            sum.add(x0, e0, &mut workspace);
            let mut rest = ConvGradient::new(isa, shape, inputs, outputs).unwrap();
            rest.add(x1, e1, &mut workspace);
            sum.merge(&rest);
            let (mut w, mut b) = (vec![0.0; weight.len()], vec![0.0; outputs]);
            sum.finish(&mut w, &mut b);
            let errors = (error(&w, &weight), error(&b, &bias));
            assert!(
                errors.0 < 1e-5 && errors.1 < 1e-5,
                "{} {side}: {errors:?}",
                isa.name()
            );
        }
    }
}

/// `sum(e * conv(x)) == sum(transposed(e) * x)` for all `x`: here for single elements of `x`, whose
/// convolution is one plain loop.
#[test]
fn gradient_of_input_is_the_adjoint() {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    for isa in Isa::available() {
        for case in 0..9 {
            let side = [4, 6, 8][case % 3];
            let shape = BoardShape::new(side).unwrap();
            let (inputs, outputs) = ([16, 32][case % 2], 16 * rng.random_range(1..3));
            let boards = rng.random_range(1..4);
            let w = values(&mut rng, inputs * outputs * 9);
            let e = values(&mut rng, boards * shape.plain_len(outputs));
            let residual = values(&mut rng, boards * shape.plain_len(inputs));
            let mask = values(&mut rng, boards * shape.plain_len(inputs));

            let conv = Conv3x3::transposed(isa, shape, inputs, outputs, &w).unwrap();
            let mut gradient = vec![0.0; boards * shape.padded_len(inputs)];
            conv.masked(
                &padded(shape, outputs, &e),
                Some(&padded(shape, inputs, &residual)),
                &padded(shape, inputs, &mask),
                &mut gradient,
                &mut Workspace::default(),
            );
            let mut found = vec![0.0; residual.len()];
            shape.unpad(inputs, &gradient, &mut found);

            let picked: Vec<usize> = (0..60)
                .map(|_| rng.random_range(0..residual.len()))
                .collect();
            let expected: Vec<f64> = picked
                .iter()
                .map(|&at| {
                    let mut x = vec![0.0; residual.len()];
                    x[at] = 1.0;
                    let y = convolve(side, inputs, outputs, &x, &wide(&w));
                    let sum: f64 = y.iter().zip(&e).map(|(y, e)| y * f64::from(*e)).sum();
                    if mask[at] > 0.0 {
                        sum + f64::from(residual[at])
                    } else {
                        0.0
                    }
                })
                .collect();
            let found: Vec<f32> = picked.iter().map(|&at| found[at]).collect();
            assert!(error(&found, &expected) < 1e-5, "{} {side}", isa.name());
        }
    }
}

fn tower(isa: Isa, shape: BoardShape, layers: &[Layer]) -> TrainingTower {
    let stem = layers[0].view();
    TrainingTower::new(isa, shape, layers[0].inputs, stem, &blocks(layers)).expect("a tower")
}

#[test]
fn gradient_of_tower_is_the_finite_difference() {
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    let (inputs, width, count, boards) = (3, 16, 2, 3);
    for side in [4, 6, 8] {
        let shape = BoardShape::new(side).unwrap();
        let layers = parameters(&mut rng, inputs, width, count);
        let input = values(&mut rng, boards * shape.plain_len(inputs));
        let weights_of_output = values(&mut rng, boards * shape.plain_len(width));
        let loss = |layers: &[WideLayer]| -> f64 {
            let output = reference::tower(side, layers, &wide(&input));
            output
                .iter()
                .zip(&weights_of_output)
                .map(|(y, e)| y * f64::from(*e))
                .sum()
        };

        // A few parameters of each layer: (layer, index, of the bias).
        let picked: Vec<(usize, usize, bool)> = (0..40)
            .map(|case| {
                let (layer, of_bias) = (case % layers.len(), case % 3 == 0);
                let len = if of_bias {
                    width
                } else {
                    layers[layer].weight.len()
                };
                (layer, rng.random_range(0..len), of_bias)
            })
            .collect();
        let wide_layers: Vec<_> = layers.iter().map(Layer::wide).collect();
        let expected: Vec<f64> = picked
            .iter()
            .map(|&(layer, at, of_bias)| {
                let step = 1e-6;
                let moved = |step: f64| {
                    let mut layers = wide_layers.clone();
                    let layer = &mut layers[layer];
                    *if of_bias {
                        &mut layer.bias[at]
                    } else {
                        &mut layer.weight[at]
                    } += step;
                    loss(&layers)
                };
                (moved(step) - moved(-step)) / (2.0 * step)
            })
            .collect();

        for isa in Isa::available() {
            let tower = tower(isa, shape, &layers);
            let mut activations = TowerActivations::default();
            let mut output = vec![0.0; weights_of_output.len()];
            tower.forward(&input, &mut activations, &mut output, 1);
            let exact = reference::tower(side, &wide_layers, &wide(&input));
            assert!(error(&output, &exact) < 2e-5);
            let mut gradients = TowerGradients::default();
            tower.backward(&mut activations, &weights_of_output, &mut gradients, 1);
            let found: Vec<f32> = picked
                .iter()
                .map(|&(layer, at, of_bias)| {
                    let layer = &gradients.layers[layer];
                    if of_bias {
                        layer.bias[at]
                    } else {
                        layer.weight[at]
                    }
                })
                .collect();
            let error = error(&found, &expected);
            assert!(error < 5e-5, "{} {side}: {error}", isa.name());
        }
    }
}

#[test]
fn threads_and_reused_memory_change_no_bit() {
    let mut rng = ChaCha8Rng::seed_from_u64(14);
    let (inputs, width) = (4, 32);
    let isa = Isa::detect();
    let (mut activations, mut gradients) = <(TowerActivations, TowerGradients)>::default();
    for (side, count, boards) in [(8, 1, 75), (6, 2, 9), (6, 2, 130), (8, 1, 1), (8, 1, 0)] {
        let shape = BoardShape::new(side).unwrap();
        let layers = parameters(&mut rng, inputs, width, count);
        let tower = tower(isa, shape, &layers);
        let input = values(&mut rng, boards * shape.plain_len(inputs));
        let e = values(&mut rng, boards * shape.plain_len(width));
        let mut bits = vec![];
        for threads in [1, 2, 3] {
            let mut output = vec![0.0; e.len()];
            tower.forward(&input, &mut activations, &mut output, threads);
            tower.backward(&mut activations, &e, &mut gradients, threads);
            let layers = gradients.layers.iter();
            let all = layers.flat_map(|layer| layer.weight.iter().chain(&layer.bias));
            bits.push(
                all.chain(&output)
                    .map(|value| value.to_bits())
                    .collect::<Vec<_>>(),
            );
        }
        assert_eq!(gradients.layers.len(), 1 + 2 * count);
        assert!(bits[0] == bits[1] && bits[0] == bits[2], "{side} {boards}");

        let mut fresh = (TowerActivations::default(), TowerGradients::default());
        let mut output = vec![0.0; e.len()];
        tower.forward(&input, &mut fresh.0, &mut output, 1);
        tower.backward(&mut fresh.0, &e, &mut fresh.1, 1);
        let (fresh, reused) = (&fresh.1.layers[0].weight, &gradients.layers[0].weight);
        assert_eq!(fresh, reused);
    }
}
