//! The tower of bytes against plain loops, on every instruction set of the machine.

mod reference;

use outflank_kernels::{BoardShape, ByteTower, ByteWorkspace, Isa};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use reference::{Layer, blocks, error, parameters};

/// Random planes and the same as plain boards.
fn planes(rng: &mut ChaCha8Rng, side: usize, inputs: usize, boards: usize) -> (Vec<u64>, Vec<f64>) {
    let planes: Vec<u64> = (0..boards * inputs).map(|_| rng.random()).collect();
    let plain = planes.chunks(inputs).flat_map(|planes| {
        (0..side * side).flat_map(move |square| {
            let bit = 8 * (square / side) + square % side;
            planes.iter().map(move |plane| (plane >> bit & 1) as f64)
        })
    });
    let plain = plain.collect();
    (planes, plain)
}

#[test]
fn bytes_are_near_the_plain_loop_and_the_same_everywhere() {
    let mut rng = ChaCha8Rng::seed_from_u64(31);
    for side in [4, 6, 8] {
        for (inputs, width, blocks) in [(5, 32, 3), (2, 16, 1), (17, 48, 1), (6, 64, 2)] {
            compare(&mut rng, side, inputs, width, blocks);
        }
    }
}

#[test]
fn a_square_may_have_more_channels_than_a_vector_has_bytes() {
    compare(&mut ChaCha8Rng::seed_from_u64(32), 6, 70, 80, 1);
}

/// Compares random towers with the plain loop, instruction sets, and batches with single boards.
fn compare(rng: &mut ChaCha8Rng, side: usize, inputs: usize, width: usize, count: usize) {
    let boards = 11;
    let shape = BoardShape::new(side).expect("a board");
    let layers = parameters(rng, inputs, width, count);
    let blocks = blocks(&layers);
    let (planes, plain) = planes(rng, side, inputs, boards);
    let wide_layers: Vec<_> = layers.iter().map(Layer::wide).collect();
    let expected = reference::tower(side, &wide_layers, &plain);
    let mut first: Option<Vec<f32>> = None;
    for isa in Isa::available() {
        let stem = layers[0].view();
        let tower = ByteTower::new(isa, shape, inputs, stem, &blocks, &planes).expect("a tower");
        let mut workspace = ByteWorkspace::default();
        let mut output = vec![0.0; boards * shape.plain_len(width)];
        tower.forward(&planes, &mut output, &mut workspace);
        let error = error(&output, &expected);
        assert!(error < 0.025, "{} {side} {width}: {error}", isa.name());
        assert_eq!(
            &output,
            first.get_or_insert(output.clone()),
            "{}",
            isa.name()
        );

        let mut one_by_one = vec![0.0; output.len()];
        for (planes, output) in planes
            .chunks(inputs)
            .zip(one_by_one.chunks_mut(shape.plain_len(width)))
        {
            tower.forward(planes, output, &mut workspace);
        }
        assert_eq!(output, one_by_one);
    }
}
