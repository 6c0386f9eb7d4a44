//! A network computes and learns on a GPU as it does on the CPU. Any adapter that wgpu finds will do,
//! one in software too; without one these tests fail.

mod common;
mod learning;

use std::sync::OnceLock;

use burn::optim::AdamWConfig;
use burn::tensor::Device;
use common::{architectures, busy_weights, evaluate, positions, rng};
use learning::{batch, small, step};
use outflank_net::{
    Architecture, BurnEvaluator, CompiledNetwork, Moments, Network, Weights, optimizer_moments,
};

/// The adapter, started once for all tests.
fn gpu() -> Device {
    static DEVICE: OnceLock<Device> = OnceLock::new();
    let start = || {
        let (device, setup) = Device::wgpu_options()
            .init_with_setup()
            .expect("this machine has an adapter for wgpu");
        let adapter = setup.adapter.get_info();
        println!("on {} ({})", adapter.name, adapter.backend);
        device
    };
    DEVICE.get_or_init(start).clone()
}

#[test]
fn it_evaluates_as_the_compiled_network_does() {
    for (i, architecture) in architectures().into_iter().enumerate() {
        let boards = positions(architecture.size, 40, &mut rng(i as u64));
        let weights = busy_weights(&architecture, i as u64);
        let expected = evaluate(&mut CompiledNetwork::new(&weights), &boards);
        let mut evaluator = BurnEvaluator::new(&weights, &gpu());
        for batch in [1, 7, 40] {
            let found: Vec<_> = boards
                .chunks(batch)
                .flat_map(|boards| evaluate(&mut evaluator, boards))
                .collect();
            assert_eq!(found.len(), expected.len());
            let half = (architecture.size.area() / 2) as f32;
            let mut worst = 0.0f32;
            for (found, expected) in found.iter().zip(&expected) {
                let policy = found.policy.iter().zip(&expected.policy);
                let pairs = policy.map(|(a, b)| (*a, *b)).chain([
                    (found.value, expected.value),
                    (found.margin / half, expected.margin / half),
                ]);
                for (a, b) in pairs {
                    assert!(a.is_finite(), "{architecture}, batch {batch}: {a}");
                    worst = worst.max((a - b).abs());
                }
            }
            assert!(worst < 1e-4, "{architecture}, batch {batch}: {worst}");
        }
    }
}

#[test]
fn it_learns_as_the_cpu_does() {
    let wide = Architecture {
        blocks: 1,
        channels: 48,
        ..Architecture::default()
    };
    for architecture in [small(), wide] {
        let learn = |device: &Device| -> (Vec<f32>, Moments) {
            let device = device.clone().autodiff();
            let weights = Weights::init(architecture.clone(), &mut rng(1));
            let mut network = Network::new(&weights, &device);
            let mut optimizer = AdamWConfig::new().init();
            let batch = batch(&architecture, &device);
            let (mut losses, mut first) = (Vec::new(), None);
            for _ in 0..8 {
                let (next, loss) = step(network, &mut optimizer, &batch);
                network = next;
                losses.push(loss);
                first.get_or_insert_with(|| optimizer_moments(&optimizer, &architecture).unwrap());
            }
            (losses, first.expect("there were steps"))
        };
        let (expected_losses, expected) = learn(&Device::flex());
        let (losses, found) = learn(&gpu());
        for (found, expected) in losses.iter().zip(&expected_losses) {
            assert!(
                (found - expected).abs() < 1e-3 * expected,
                "{architecture}: {losses:?}, not {expected_losses:?}"
            );
        }
        // After the first step the first moments are a tenth of the gradients.
        for ((spec, found), expected) in architecture
            .tensors()
            .iter()
            .zip(found.first.tensors())
            .zip(expected.first.tensors())
        {
            let largest = expected.iter().fold(0.0f32, |most, x| most.max(x.abs()));
            assert!(largest > 0.0, "{}", spec.name);
            for (found, expected) in found.iter().zip(expected) {
                assert!(
                    (found - expected).abs() < 1e-3 * largest,
                    "{}: {found}, not {expected}",
                    spec.name
                );
            }
        }
    }
}
