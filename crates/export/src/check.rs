use std::collections::HashMap;

use burn::tensor::{Device, Tensor, TensorData, activation};
use outflank_net::{CompiledNetwork, Model, Network, encode_batch};
use outflank_rules::{Board, Move, Size};
use outflank_search::Evaluator;
use rand::{Rng, RngExt};
use safetensors::Dtype;
use safetensors::tensor::TensorView;

/// Positions with what Outflank itself says about them, to be compared with another runtime.
///
/// Policy, value and margin are those of the compiled network, which plays; outcome and ownership
/// are burn's, which trains.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckData {
    positions: usize,
    planes: usize,
    size: Size,
    /// Name, shape after the batch, and values of every tensor.
    tensors: Vec<(&'static str, Vec<usize>, Vec<f32>)>,
}

impl CheckData {
    /// Evaluates these positions, in all of which the mover has a move.
    ///
    /// # Panics
    /// If a board has another size than the network.
    pub fn new(model: &Model, boards: &[Board]) -> CheckData {
        let architecture = model.weights.architecture();
        let (side, area) = (architecture.size.side(), architecture.size.area());
        let planes = encode_batch(&architecture.features, boards);
        let by_burn = by_burn(model, &planes, boards.len());

        let mut evaluations = Vec::new();
        CompiledNetwork::new(&model.weights).evaluate(boards, &mut evaluations);
        let (mut policy, mut legal) = (Vec::new(), Vec::new());
        for (board, evaluation) in boards.iter().zip(&evaluations) {
            let moves = board.legal_moves();
            for square in architecture.size.squares() {
                policy.push(evaluation.policy[square.index()]);
                legal.push(f32::from(u8::from(moves.contains(square))));
            }
        }
        let plane_count = architecture.features.len();
        CheckData {
            positions: boards.len(),
            planes: plane_count,
            size: architecture.size,
            tensors: vec![
                ("planes", vec![plane_count, side, side], planes),
                ("legal", vec![area], legal),
                ("policy", vec![area], policy),
                ("outcome", vec![3], by_burn.outcome),
                (
                    "value",
                    vec![],
                    evaluations.iter().map(|e| e.value).collect(),
                ),
                (
                    "margin",
                    vec![],
                    evaluations.iter().map(|e| e.margin).collect(),
                ),
                ("ownership", vec![side, side], by_burn.ownership),
            ],
        }
    }

    /// As a safetensors file, all values f32 with the positions as the first axis: `planes`
    /// `[n, planes, side, side]`; `legal` `[n, area]`, 1 where the mover may play; `policy`
    /// `[n, area]`, logits; `outcome` `[n, 3]`, probabilities of win, draw and loss; `value` `[n]`,
    /// win less loss; `margin` `[n]`, discs; `ownership` `[n, side, side]`, -1 to 1.
    pub fn to_bytes(&self) -> Vec<u8> {
        let tensors: Vec<(&str, Vec<usize>, Vec<u8>)> = self
            .tensors
            .iter()
            .map(|(name, shape, values)| {
                let shape = [&[self.positions], shape.as_slice()].concat();
                let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
                (*name, shape, bytes)
            })
            .collect();
        let views = tensors.iter().map(|(name, shape, bytes)| {
            let view = TensorView::new(Dtype::F32, shape.clone(), bytes)
                .expect("a tensor has as many values as its shape says");
            (*name, view)
        });
        let about = format!(
            "{} positions on the {} board, {} planes",
            self.positions, self.size, self.planes
        );
        let metadata = HashMap::from([("about".to_owned(), about)]);
        safetensors::serialize(views, Some(metadata)).expect("distinct tensors can be written")
    }
}

struct ByBurn {
    outcome: Vec<f32>,
    ownership: Vec<f32>,
}

fn by_burn(model: &Model, planes: &[f32], positions: usize) -> ByBurn {
    /// Positions at a time, so that memory stays small.
    const BATCH: usize = 256;
    let device = Device::flex();
    let network = Network::new(&model.weights, &device);
    let architecture = model.weights.architecture();
    let (side, features) = (architecture.size.side(), architecture.features.len());
    let (mut outcome, mut ownership) = (Vec::new(), Vec::new());
    for first in (0..positions).step_by(BATCH) {
        let count = BATCH.min(positions - first);
        let stride = features * side * side;
        let values = planes[first * stride..][..count * stride].to_vec();
        let shape = [count, features, side, side];
        let output = network.forward(Tensor::from_data(TensorData::new(values, shape), &device));
        outcome.extend(read(activation::softmax(output.outcome, 1)));
        ownership.extend(read(output.ownership.tanh()));
    }
    ByBurn { outcome, ownership }
}

fn read(tensor: Tensor<2>) -> Vec<f32> {
    tensor
        .try_into_vec_as::<f32>()
        .expect("the values of a tensor on a working device can be read")
}

/// Positions of games of random moves, all of them: as many as asked for in which the mover has a
/// move.
pub fn random_positions(size: Size, count: usize, rng: &mut impl Rng) -> Vec<Board> {
    let mut positions = Vec::with_capacity(count);
    let mut board = Board::start(size);
    while positions.len() < count {
        let moves: Vec<Move> = board.moves().collect();
        if moves.is_empty() {
            board = Board::start(size);
            continue;
        }
        if !moves[0].is_pass() {
            positions.push(board);
        }
        let mv = moves[rng.random_range(0..moves.len())];
        board = board.apply(mv).expect("the move is legal");
    }
    positions
}

#[cfg(test)]
mod tests {
    use outflank_net::{Architecture, TrainingFacts, Weights};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use safetensors::SafeTensors;

    use super::*;

    #[test]
    fn the_two_networks_agree_on_the_value() {
        let architecture = Architecture {
            size: Size::Six,
            blocks: 1,
            channels: 16,
            ..Architecture::default()
        };
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let weights = Weights::init(architecture, &mut rng);
        let model = Model {
            facts: TrainingFacts::default(),
            weights,
        };
        let boards = random_positions(Size::Six, 300, &mut rng);
        let bytes = CheckData::new(&model, &boards).to_bytes();
        let file = SafeTensors::deserialize(&bytes).expect("whole");
        let values = |name: &str| -> Vec<f32> {
            let data = file.tensor(name).expect("there").data();
            data.as_chunks::<4>()
                .0
                .iter()
                .map(|x| f32::from_le_bytes(*x))
                .collect()
        };
        assert_eq!(
            file.tensor("planes").expect("there").shape(),
            [300, 5, 6, 6]
        );
        let (outcome, value) = (values("outcome"), values("value"));
        for (outcome, value) in outcome.as_chunks::<3>().0.iter().zip(value) {
            assert!((outcome[0] - outcome[2] - value).abs() < 1e-5);
            assert!((outcome.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
        assert!(values("ownership").iter().all(|x| x.abs() <= 1.0));
    }
}
