use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use outflank_rules::Board;
use outflank_search::{Evaluation, Evaluator};

use crate::evaluation::{evaluation, expect_size};
use crate::features::encode_batch;
use crate::network::{Network, Output};
use crate::weights::Weights;

/// Evaluates positions with burn, on any of its devices. The way to use a GPU, which wants large
/// batches; on a CPU the compiled network is several times faster.
///
/// burn chooses its algorithms by the size of the batch, so results may differ in the last bits
/// from one batch size to another.
#[derive(Debug)]
pub struct BurnEvaluator {
    network: Network,
    device: Device,
}

impl BurnEvaluator {
    /// An evaluator with these weights, computing on `device`.
    pub fn new(weights: &Weights, device: &Device) -> BurnEvaluator {
        let device = device.clone().without_autodiff();
        BurnEvaluator {
            network: Network::new(weights, &device),
            device,
        }
    }

    /// An evaluator with the present weights of a network in training, on its device.
    pub fn from_network(network: &Network, device: &Device) -> BurnEvaluator {
        BurnEvaluator {
            network: network.valid(),
            device: device.clone().without_autodiff(),
        }
    }
}

impl Evaluator for BurnEvaluator {
    /// # Panics
    /// If a board has another size than the network.
    fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
        out.clear();
        if boards.is_empty() {
            return;
        }
        let architecture = self.network.architecture();
        expect_size(architecture, boards);
        let side = architecture.size.side();
        let shape = [boards.len(), architecture.features.len(), side, side];
        let planes = TensorData::new(encode_batch(&architecture.features, boards), shape);
        let Output {
            policy,
            outcome,
            margin,
            ..
        } = self
            .network
            .forward(Tensor::from_data(planes, &self.device));
        let (policy, outcome, margin) = (read(policy), read(outcome), read(margin));
        let size = architecture.size;
        let heads = policy
            .chunks_exact(size.area())
            .zip(outcome.as_chunks::<3>().0)
            .zip(margin);
        out.extend(
            heads.map(|((policy, outcome), margin)| evaluation(size, policy, *outcome, margin)),
        );
    }
}

fn read<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor
        .try_into_vec_as::<f32>()
        .expect("the values of a tensor on a working device can be read")
}
