//! A small batch to learn.

use crate::common::{positions, rng};
use burn::optim::{GradientsParams, ModuleOptimizer};
use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor, TensorData};
use outflank_net::{Architecture, Network, encode_batch};
use outflank_rules::{Board, Size};

/// A small architecture.
pub fn small() -> Architecture {
    Architecture {
        size: Size::Six,
        blocks: 2,
        channels: 16,
        ..Architecture::default()
    }
}

/// A fixed batch: planes, and the first legal move of each position as the policy's target.
pub fn batch(architecture: &Architecture, device: &Device) -> (Tensor<4>, Tensor<2>) {
    let boards: Vec<Board> = positions(architecture.size, 32, &mut rng(5));
    let (side, area) = (architecture.size.side(), architecture.size.area());
    let planes = encode_batch(&architecture.features, &boards);
    let mut target = vec![0.0f32; boards.len() * area];
    for (board, target) in boards.iter().zip(target.chunks_exact_mut(area)) {
        target[architecture
            .size
            .dense_index(board.legal_moves().first().expect("a move"))] = 1.0;
    }
    let shape = [boards.len(), architecture.features.len(), side, side];
    (
        Tensor::from_data(TensorData::new(planes, shape), device),
        Tensor::from_data(TensorData::new(target, [boards.len(), area]), device),
    )
}

/// A loss in which every head takes part.
pub fn loss(network: &Network, planes: Tensor<4>, target: Tensor<2>) -> Tensor<1> {
    let output = network.forward(planes);
    let rows = target.dims()[0] as f32;
    let policy = -(log_softmax(output.policy, 1) * target.clone()).sum() / rows;
    let ownership = (output.ownership.tanh() - target).square().mean();
    let margin = (output.margin - 0.5).square().mean();
    let outcome = -log_softmax(output.outcome, 1)
        .slice([0..rows as usize, 0..1])
        .mean();
    policy + ownership + margin + outcome
}

/// One step of the optimiser, and the loss before it.
pub fn step(
    network: Network,
    optimizer: &mut ModuleOptimizer,
    batch: &(Tensor<4>, Tensor<2>),
) -> (Network, f32) {
    let loss = loss(&network, batch.0.clone(), batch.1.clone());
    let value = loss.clone().into_scalar::<f32>();
    let gradients = GradientsParams::from_grads(loss.backward(), &network);
    (optimizer.step(0.01, network, gradients), value)
}
