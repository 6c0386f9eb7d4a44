//! The burn network learns: gradients reach every tensor, an optimiser's memory can be stored, and
//! a few steps of AdamW fit a small batch.

mod common;
mod learning;

use burn::module::Module;
use burn::optim::{AdamWConfig, GradientsParams};
use burn::tensor::Device;
use common::rng;
use learning::{batch, loss, small, step};
use outflank_net::{Architecture, Moments, Network, Weights, optimizer_moments, restore_optimizer};
use outflank_rules::Size;

#[test]
fn weights_pass_through_burn_unchanged() {
    let weights = Weights::init(Architecture::default(), &mut rng(3));
    for device in [Device::flex(), Device::flex().autodiff()] {
        assert_eq!(Network::new(&weights, &device).weights(), weights);
    }
}

#[test]
fn burn_names_the_parameters_as_checkpoints_do() {
    use burn::store::ModuleSnapshot;
    let architecture = small();
    let network = Network::new(&Weights::zeros(architecture.clone()), &Device::flex());
    let found: Vec<(String, Vec<usize>)> = network
        .collect(None, None, false)
        .iter()
        .map(|tensor| (tensor.name.clone(), tensor.shape.to_vec()))
        .collect();
    let expected: Vec<(String, Vec<usize>)> = architecture
        .tensors()
        .into_iter()
        .map(|spec| (spec.name, spec.shape))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_fresh_network_is_indifferent() {
    let architecture = Architecture::default();
    let network = Network::new(
        &Weights::init(architecture.clone(), &mut rng(1)),
        &Device::flex(),
    );
    let (planes, _) = batch(&architecture, &Device::flex());
    let output = network.forward(planes);
    let largest = |values: Vec<f32>| values.into_iter().fold(0.0f32, |a, b| a.max(b.abs()));
    assert!(largest(output.policy.try_into_vec_as().unwrap()) < 1.0);
    assert!(largest(output.outcome.try_into_vec_as().unwrap()) < 0.5);
    assert!(largest(output.margin.try_into_vec_as().unwrap()) < 0.5);
}

#[test]
fn every_tensor_gets_a_gradient_and_the_loss_falls() {
    let device = Device::flex().autodiff();
    let mut network = Network::new(&Weights::init(small(), &mut rng(1)), &device);
    let batch = batch(&small(), &device);
    let loss = loss(&network, batch.0.clone(), batch.1.clone());
    let gradients = GradientsParams::from_grads(loss.backward(), &network);
    assert_eq!(gradients.len(), small().tensors().len());

    let mut optimizer = AdamWConfig::new().init();
    let mut losses = Vec::new();
    for _ in 0..16 {
        let (next, loss) = step(network, &mut optimizer, &batch);
        network = next;
        losses.push(loss);
    }
    assert!(losses[15] < 0.5 * losses[0], "{losses:?}");
}

#[test]
fn a_gradient_agrees_with_finite_differences() {
    let device = Device::flex().autodiff();
    let architecture = Architecture {
        size: Size::Four,
        blocks: 1,
        channels: 16,
        ..small()
    };
    let weights = Weights::init(architecture.clone(), &mut rng(2));
    let batch = batch(&architecture, &device);
    let loss_of = |weights: &Weights| {
        let network = Network::new(weights, &device);
        loss(&network, batch.0.clone(), batch.1.clone()).into_scalar::<f32>()
    };
    let network = Network::new(&weights, &device);
    let mut optimizer = AdamWConfig::new().init();
    let (_, _) = step(network, &mut optimizer, &batch);
    // After one step the first moment is a tenth of the gradient.
    let gradients = optimizer_moments(&optimizer, &architecture).unwrap().first;
    for (index, spec) in architecture.tensors().iter().enumerate() {
        // Along the gradient of one tensor the loss rises by the square of its length.
        let gradient: Vec<f32> = gradients.tensors()[index]
            .iter()
            .map(|x| 10.0 * x)
            .collect();
        let square: f32 = gradient.iter().map(|x| x * x).sum();
        let reach = 0.01 / square.sqrt();
        let moved = |sign: f32| {
            let mut at = 0..;
            Weights::from_fn(architecture.clone(), |_| {
                let here = at.next().unwrap();
                let mut values = weights.tensors()[here].clone();
                if here == index {
                    values
                        .iter_mut()
                        .zip(&gradient)
                        .for_each(|(x, g)| *x += sign * reach * g);
                }
                values
            })
        };
        let slope = (loss_of(&moved(1.0)) - loss_of(&moved(-1.0))) / (2.0 * reach);
        assert!(
            (slope / square - 1.0).abs() < 0.02,
            "{}: {slope} for {square}",
            spec.name
        );
    }
}

#[test]
fn training_goes_on_from_stored_moments_as_if_never_stopped() {
    let device = Device::flex().autodiff();
    let config = AdamWConfig::new();
    let batch = batch(&small(), &device);
    let mut network = Network::new(&Weights::init(small(), &mut rng(1)), &device);
    let mut optimizer = config.init();
    assert_eq!(
        optimizer_moments(&optimizer, &small()).unwrap(),
        Moments::new(&small())
    );
    for _ in 0..3 {
        network = step(network, &mut optimizer, &batch).0;
    }
    let moments = optimizer_moments(&optimizer, &small()).unwrap();
    assert_eq!(moments.steps, 3);
    let mut restored = restore_optimizer(config.init(), &moments).unwrap();
    assert_eq!(optimizer_moments(&restored, &small()).unwrap(), moments);

    let resumed = Network::new(&network.weights(), &device);
    let (straight, _) = step(network, &mut optimizer, &batch);
    let (resumed, _) = step(resumed, &mut restored, &batch);
    assert_eq!(straight.weights(), resumed.weights());
    assert_eq!(straight.num_params(), small().parameters());
}
