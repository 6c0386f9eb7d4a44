//! The integer tower against the f32 tower, on every instruction set of the machine.

mod reference;

use outflank_kernels::{BoardShape, Isa, QuantizedTower, QuantizedWorkspace};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use reference::{Layer, blocks, error, parameters, values, wide};

#[test]
fn integers_are_near_the_plain_loop_in_every_batch() {
    let mut rng = ChaCha8Rng::seed_from_u64(21);
    let (inputs, width, count, boards) = (5, 32, 3, 29);
    for side in [4, 6, 8] {
        let shape = BoardShape::new(side).unwrap();
        let layers = parameters(&mut rng, inputs, width, count);
        let blocks = blocks(&layers);
        let input = values(&mut rng, boards * shape.plain_len(inputs));
        let wide_layers: Vec<_> = layers.iter().map(Layer::wide).collect();
        let expected = reference::tower(side, &wide_layers, &wide(&input));
        for isa in Isa::available() {
            let stem = layers[0].view();
            let tower = QuantizedTower::new(isa, shape, inputs, stem, &blocks, &input);
            let tower = tower.unwrap();
            let mut workspace = QuantizedWorkspace::default();
            let mut output = vec![0.0; boards * shape.plain_len(width)];
            tower.forward(&input, &mut output, &mut workspace);
            let error = error(&output, &expected);
            assert!(error < 0.01, "{} {side}: {error}", isa.name());

            let mut one_by_one = vec![0.0; output.len()];
            for (input, output) in input
                .chunks(shape.plain_len(inputs))
                .zip(one_by_one.chunks_mut(shape.plain_len(width)))
            {
                tower.forward(input, output, &mut workspace);
            }
            assert_eq!(output, one_by_one);
        }
    }
}
