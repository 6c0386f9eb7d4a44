//! The evaluators agree with each other, whatever the architecture, the instructions and the batch.

mod common;

use burn::tensor::Device;
use common::{architectures, busy_weights, evaluate, positions, rng};
use outflank_kernels::Isa;
use outflank_net::{Architecture, BurnEvaluator, CompiledNetwork, Precision};
use outflank_rules::{Board, Size};
use outflank_search::Evaluation;

#[test]
fn the_compiled_network_agrees_with_burn() {
    for (i, architecture) in architectures().into_iter().enumerate() {
        let boards = positions(architecture.size, 40, &mut rng(i as u64));
        let weights = busy_weights(&architecture, i as u64);
        let expected = evaluate(&mut BurnEvaluator::new(&weights, &Device::flex()), &boards);
        for isa in Isa::available() {
            let found = evaluate(
                &mut CompiledNetwork::with_isa(&weights, Precision::F32, isa),
                &boards,
            );
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                let near = |a: f32, b: f32| (a - b).abs() < 1e-4;
                let policy = found.policy.iter().zip(&expected.policy);
                assert!(
                    policy.clone().all(|(a, b)| near(*a, *b)),
                    "{architecture} {isa:?}"
                );
                assert!(near(found.value, expected.value), "{architecture} {isa:?}");
                let half = (architecture.size.area() / 2) as f32;
                assert!(
                    near(found.margin / half, expected.margin / half),
                    "{architecture} {isa:?}"
                );
            }
        }
    }
}

#[test]
fn evaluations_tell_positions_apart() {
    let weights = busy_weights(&Architecture::default(), 1);
    let boards = positions(Size::Eight, 20, &mut rng(1));
    let found = evaluate(&mut CompiledNetwork::new(&weights), &boards);
    for (i, a) in found.iter().enumerate() {
        assert!(a.value.abs() <= 1.0);
        assert!(
            found[..i]
                .iter()
                .all(|b| a.value != b.value && a.margin != b.margin)
        );
    }
}

#[test]
fn a_batch_never_changes_a_bit() {
    for architecture in &architectures()[..3] {
        let boards = positions(architecture.size, 26, &mut rng(9));
        let weights = busy_weights(architecture, 2);
        for isa in Isa::available() {
            let mut network = CompiledNetwork::with_isa(&weights, Precision::F32, isa);
            let whole = evaluate(&mut network, &boards);
            for size in [1, 3, 24, 25] {
                // A clone has fresh buffers, and leaves them used for the next one.
                network = network.clone();
                let parts = boards.chunks(size);
                let parts: Vec<_> = parts
                    .flat_map(|part| evaluate(&mut network, part))
                    .collect();
                assert!(
                    parts == whole,
                    "{architecture} in batches of {size} on {isa:?}"
                );
            }
        }
    }
}

#[test]
fn integers_stay_close_to_full_precision() {
    let architectures = architectures();
    let wide = Architecture {
        size: Size::Four,
        blocks: 3,
        ..Architecture::default()
    };
    for architecture in [&architectures[0], &architectures[5], &wide] {
        let boards = positions(architecture.size, 50, &mut rng(3));
        let weights = busy_weights(architecture, 3);
        let expected = evaluate(&mut CompiledNetwork::new(&weights), &boards);
        // Logits and outcomes are of the order of 1, margins of the order of half the board.
        for (precision, most) in [(Precision::Int16, 0.003), (Precision::Int8, 0.03)] {
            let mut quantized = CompiledNetwork::with_precision(&weights, precision);
            assert_eq!(quantized.precision(), precision);
            let found = evaluate(&mut quantized, &boards);
            let error = |of: fn(&Evaluation) -> f32| {
                let squares = found
                    .iter()
                    .zip(&expected)
                    .map(|(a, b)| (of(a) - of(b)).powi(2));
                (squares.sum::<f32>() / boards.len() as f32).sqrt()
            };
            let errors = [
                error(|e| e.value),
                error(|e| e.policy[1]) / 3.0,
                error(|e| e.margin) / 32.0,
            ];
            assert!(
                errors.iter().all(|error| *error < most),
                "{architecture} {precision}: {errors:?}"
            );
            assert!(evaluate(&mut quantized, &boards[3..4])[0] == found[3]);
        }
    }
}

#[test]
fn nothing_in_gives_nothing_out() {
    let weights = busy_weights(
        &Architecture {
            blocks: 1,
            ..Architecture::default()
        },
        1,
    );
    assert_eq!(evaluate(&mut CompiledNetwork::new(&weights), &[]), []);
    assert_eq!(
        evaluate(&mut BurnEvaluator::new(&weights, &Device::flex()), &[]),
        []
    );
}

#[test]
#[should_panic(expected = "a network for 8x8 cannot evaluate a 4x4 board")]
fn a_board_of_another_size_is_refused() {
    let weights = busy_weights(
        &Architecture {
            blocks: 1,
            ..Architecture::default()
        },
        1,
    );
    evaluate(
        &mut CompiledNetwork::new(&weights),
        &[Board::start(Size::Four)],
    );
}
