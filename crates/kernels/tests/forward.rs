//! Forward layers against plain loops, on every instruction set of the machine.

mod reference;

use outflank_kernels::{BoardShape, Conv3x3, Dense, Isa, KernelError};
use outflank_kernels::{Tower, TowerWorkspace, Workspace};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use reference::{Layer, blocks, convolve, error, parameters, values, wide};

#[test]
fn convolution_is_the_plain_loop() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for isa in Isa::available() {
        for case in 0..24 {
            let side = [4, 6, 8][case % 3];
            let shape = BoardShape::new(side).unwrap();
            let inputs = [3, 16, 5, 32][case % 4];
            let outputs = 16 * rng.random_range(1..4);
            let boards = rng.random_range(1..9);
            let x = values(&mut rng, boards * shape.plain_len(inputs));
            let w = values(&mut rng, inputs * outputs * 9);
            let bias = values(&mut rng, outputs);
            let residual = values(&mut rng, boards * shape.plain_len(outputs));
            let (add, relu) = (case % 2 == 0, case % 8 < 4);

            let mut expected = convolve(side, inputs, outputs, &wide(&x), &wide(&w));
            for (at, y) in expected.iter_mut().enumerate() {
                *y += f64::from(bias[at % outputs]);
                *y += if add { f64::from(residual[at]) } else { 0.0 };
                *y = if relu { y.max(0.0) } else { *y };
            }

            let conv = Conv3x3::new(isa, shape, inputs, &w, &bias).unwrap();
            let mut padded = vec![0.0; boards * shape.padded_len(inputs)];
            shape.pad(inputs, &x, &mut padded);
            let mut padded_residual = vec![0.0; boards * shape.padded_len(outputs)];
            shape.pad(outputs, &residual, &mut padded_residual);
            let mut y = vec![0.0; padded_residual.len()];
            let residual = add.then_some(&padded_residual[..]);
            conv.forward(&padded, residual, relu, &mut y, &mut Workspace::default());
            let mut plain = vec![0.0; expected.len()];
            shape.unpad(outputs, &y, &mut plain);
            let error = error(&plain, &expected);
            assert!(
                error < 1e-5,
                "{} {side} {inputs} {outputs}: {error}",
                isa.name()
            );

            let mut around = y.clone();
            shape.pad(outputs, &vec![0.0; plain.len()], &mut around);
            assert!(
                around.iter().all(|&value| value == 0.0),
                "written around the board"
            );
        }
    }
}

#[test]
fn dense_is_the_plain_loop() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for isa in Isa::available() {
        for case in 0..20 {
            let (inputs, outputs) = (rng.random_range(1..80), rng.random_range(1..70));
            let rows = rng.random_range(0..30);
            let x = values(&mut rng, rows * inputs);
            let w = values(&mut rng, outputs * inputs);
            let bias = values(&mut rng, outputs);
            let relu = case % 2 == 0;
            let mut y = vec![0.0; rows * outputs];
            Dense::new(isa, inputs, &w, &bias, relu)
                .unwrap()
                .forward(&x, &mut y);
            let expected: Vec<f64> = (0..y.len())
                .map(|at| {
                    let (x, w) = (&x[at / outputs * inputs..], &w[at % outputs * inputs..]);
                    let products = x.iter().zip(w).take(inputs);
                    let sum = products
                        .map(|(x, w)| f64::from(*x) * f64::from(*w))
                        .sum::<f64>();
                    let sum = sum + f64::from(bias[at % outputs]);
                    if relu { sum.max(0.0) } else { sum }
                })
                .collect();
            assert!(error(&y, &expected) < 1e-5);
        }
    }
}

fn tower(isa: Isa, shape: BoardShape, layers: &[Layer]) -> Tower {
    let stem = layers[0].view();
    Tower::new(isa, shape, layers[0].inputs, stem, &blocks(layers)).expect("a tower")
}

#[test]
fn tower_is_the_plain_loop_in_every_batch() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (inputs, width, count, boards) = (5, 32, 3, 29);
    for side in [4, 6, 8] {
        let shape = BoardShape::new(side).unwrap();
        let layers = parameters(&mut rng, inputs, width, count);
        let input = values(&mut rng, boards * shape.plain_len(inputs));

        let wide: Vec<_> = layers.iter().map(Layer::wide).collect();
        let expected = reference::tower(side, &wide, &reference::wide(&input));

        for isa in Isa::available() {
            let tower = tower(isa, shape, &layers);
            let mut workspace = TowerWorkspace::default();
            let mut output = vec![0.0; boards * shape.plain_len(width)];
            tower.forward(&input, &mut output, &mut workspace);
            let error = error(&output, &expected);
            assert!(error < 2e-5, "{} {side}: {error}", isa.name());

            for batch in [1, 2, 7] {
                let mut parts = vec![0.0; output.len()];
                for (input, output) in input
                    .chunks(batch * shape.plain_len(inputs))
                    .zip(parts.chunks_mut(batch * shape.plain_len(width)))
                {
                    tower.forward(input, output, &mut workspace);
                }
                let same = |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits();
                assert!(parts.iter().zip(&output).all(same), "batches of {batch}");
            }
        }
    }
}

#[test]
fn deep_towers_stay_precise() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let (inputs, width, count) = (5, 64, 6);
    let shape = BoardShape::new(8).unwrap();
    let layers = parameters(&mut rng, inputs, width, count);
    let input = values(&mut rng, shape.plain_len(inputs));
    let wide: Vec<_> = layers.iter().map(Layer::wide).collect();
    let expected = reference::tower(8, &wide, &reference::wide(&input));
    for isa in Isa::available() {
        let mut output = vec![0.0; shape.plain_len(width)];
        tower(isa, shape, &layers).forward(&input, &mut output, &mut TowerWorkspace::default());
        let error = error(&output, &expected);
        assert!(error < 2e-5, "{}: {error}", isa.name());
    }
}

#[test]
fn bad_shapes_are_errors() {
    assert_eq!(BoardShape::new(5), Err(KernelError::BoardSide(5)));
    let shape = BoardShape::new(8).unwrap();
    let dense = Dense::new(Isa::portable(), 3, &[], &[], false);
    assert_eq!(dense.unwrap_err(), KernelError::Empty);
    let error = |weights: usize, outputs: usize| {
        Conv3x3::new(
            Isa::portable(),
            shape,
            3,
            &vec![0.0; weights],
            &vec![0.0; outputs],
        )
        .unwrap_err()
    };
    assert_eq!(error(27 * 24, 24), KernelError::Width(24));
    assert_eq!(
        error(10, 16),
        KernelError::Parameters {
            what: "convolution weights",
            expected: 432,
            found: 10
        }
    );
}
