use std::ops::Range;

use burn::tensor::{Device, Tensor, TensorData};
use outflank_net::{Architecture, encode};
use outflank_records::Sample;
use outflank_rules::Size;

/// The logit of an illegal move: its probability is 0 in f32, and its product with a zero target
/// is still a number.
const ILLEGAL: f32 = -1e9;

/// Samples as plain numbers, ready to become tensors: made on any thread, while another trains.
///
/// Everything is seen by the player to move; squares are in dense order
/// ([`Size::dense_index`]); `area` is the number of squares.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// `[batch, planes, side, side]`, see [`encode`].
    planes: Vec<f32>,
    /// `[batch, area]`, 0 for a legal move and a large negative number for an illegal one.
    illegal: Vec<f32>,
    /// `[batch, area]`, probabilities of the moves; all 0 where there is no target.
    policy: Vec<f32>,
    /// `[batch, area]`, probabilities of the opponent's replies; all 0 where there is no target.
    /// Empty without a head that predicts them.
    reply: Vec<f32>,
    /// `[batch, 3]`, probabilities of win, draw and loss.
    outcome: Vec<f32>,
    /// `[batch]`, final disc difference in halves of the board.
    margin: Vec<f32>,
    /// `[batch]`, 1 where the margin is known.
    margin_known: Vec<f32>,
    /// `[batch, area]`, 1 for the mover's final disc, 0 for the opponent's, 0.5 for an empty square.
    ownership: Vec<f32>,
    /// `[batch]`, 1 where the final position is known.
    ownership_known: Vec<f32>,
    /// `[batch]`, how much each sample counts.
    weight: Vec<f32>,
}

impl Batch {
    /// Encodes samples. `outcome_share` is the share of the game's outcome in the value target, the
    /// rest being the search's own value.
    ///
    /// # Panics
    /// If a sample's board has another size than the architecture.
    pub fn encode<'a>(
        architecture: &Architecture,
        samples: impl IntoIterator<Item = &'a Sample>,
        outcome_share: f32,
    ) -> Batch {
        let mut batch = Batch::default();
        for sample in samples {
            batch.push(architecture, sample, outcome_share);
        }
        batch
    }

    /// The number of samples.
    pub fn len(&self) -> usize {
        self.weight.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.weight.is_empty()
    }

    fn push(&mut self, architecture: &Architecture, sample: &Sample, outcome_share: f32) {
        let size = architecture.size;
        assert_eq!(
            sample.board.size(),
            size,
            "samples are of the network's board"
        );
        let start = self.planes.len();
        self.planes
            .resize(start + architecture.features.len() * size.area(), 0.0);
        encode(
            &architecture.features,
            &sample.board,
            &mut self.planes[start..],
        );

        let legal = sample.board.legal_moves();
        if architecture.reply_head {
            let reply = sample.reply.as_ref();
            self.reply.extend(
                size.squares()
                    .map(|square| reply.map_or(0.0, |reply| reply[square.index()])),
            );
        }
        for square in size.squares() {
            self.illegal
                .push(if legal.contains(square) { 0.0 } else { ILLEGAL });
            self.policy.push(
                sample
                    .policy
                    .as_ref()
                    .map_or(0.0, |policy| policy[square.index()]),
            );
            self.ownership.push(match &sample.ownership {
                Some(owners) if owners.own.contains(square) => 1.0,
                Some(owners) if owners.opp.contains(square) => 0.0,
                _ => 0.5,
            });
        }
        self.outcome.extend(outcome_target(sample, outcome_share));
        self.margin.push(sample.margin.unwrap_or(0.0) / half(size));
        self.margin_known.push(sample.margin.is_some().into());
        self.ownership_known.push(sample.ownership.is_some().into());
        self.weight.push(sample.weight);
    }

    /// Some rows of the batch on a device.
    pub(crate) fn tensors(
        &self,
        rows: Range<usize>,
        architecture: &Architecture,
        device: &Device,
    ) -> Tensors {
        let (area, side) = (architecture.size.area(), architecture.size.side());
        let planes = architecture.features.len();
        let len = rows.len();
        let data =
            |values: &[f32], columns| values[rows.start * columns..rows.end * columns].to_vec();
        let vector = |values| Tensor::from_data(TensorData::new(data(values, 1), [len]), device);
        let matrix = |values, columns| {
            Tensor::from_data(
                TensorData::new(data(values, columns), [len, columns]),
                device,
            )
        };
        let shape = [len, planes, side, side];
        Tensors {
            planes: Tensor::from_data(
                TensorData::new(data(&self.planes, planes * area), shape),
                device,
            ),
            illegal: matrix(&self.illegal, area),
            policy: matrix(&self.policy, area),
            reply: architecture.reply_head.then(|| matrix(&self.reply, area)),
            outcome: matrix(&self.outcome, 3),
            margin: vector(&self.margin),
            margin_known: vector(&self.margin_known),
            ownership: matrix(&self.ownership, area),
            ownership_known: vector(&self.ownership_known),
            weight: vector(&self.weight),
        }
    }
}

/// Rows of a [`Batch`] as tensors of the same names and shapes.
pub(crate) struct Tensors {
    pub planes: Tensor<4>,
    pub illegal: Tensor<2>,
    pub policy: Tensor<2>,
    pub reply: Option<Tensor<2>>,
    pub outcome: Tensor<2>,
    pub margin: Tensor<1>,
    pub margin_known: Tensor<1>,
    pub ownership: Tensor<2>,
    pub ownership_known: Tensor<1>,
    pub weight: Tensor<1>,
}

/// Half the board in discs, the unit of margins.
pub(crate) fn half(size: Size) -> f32 {
    (size.area() / 2) as f32
}

/// Win, draw and loss: the game's outcome, mixed with the search's value `v` read as a win with
/// probability `(1 + v) / 2` and a loss otherwise.
fn outcome_target(sample: &Sample, outcome_share: f32) -> [f32; 3] {
    let win = (1.0 + sample.search_value) / 2.0;
    let rest = 1.0 - outcome_share;
    let mut target = [rest * win, 0.0, rest * (1.0 - win)];
    let happened = match sample.outcome {
        outcome if outcome > 0.0 => 0,
        outcome if outcome < 0.0 => 2,
        _ => 1,
    };
    target[happened] += outcome_share;
    target
}

#[cfg(test)]
mod tests {
    use outflank_records::{Ownership, SearchKind};
    use outflank_rules::{Board, SquareSet};

    use super::*;

    #[test]
    fn targets_of_one_sample_on_the_smallest_board() {
        let board = Board::start(Size::Four);
        let mut policy = [0.0; 64];
        for square in board.legal_moves() {
            policy[square.index()] = 0.25;
        }
        let sample = Sample {
            board,
            kind: SearchKind::Full,
            policy: Some(policy),
            reply: None,
            outcome: -1.0,
            margin: Some(-10.0),
            search_value: 0.5,
            ownership: Some(Ownership {
                own: SquareSet::from_bits(0b1),
                opp: SquareSet::from_bits(0b10),
            }),
            weight: 2.0,
        };
        let architecture = Architecture {
            size: Size::Four,
            ..Architecture::default()
        };
        let batch = Batch::encode(&architecture, [&sample], 0.75);
        assert_eq!(batch.len(), 1);
        assert_eq!(batch.planes.len(), 5 * 16);
        // b1, a2, d3, c4 are legal at the start.
        let legal: Vec<usize> = (0..16).filter(|&i| batch.illegal[i] == 0.0).collect();
        assert_eq!(legal, [1, 4, 11, 14]);
        assert!((0..16).all(|i| (batch.policy[i] == 0.25) == legal.contains(&i)));
        assert_eq!(batch.outcome, [0.1875, 0.0, 0.8125]);
        assert_eq!(batch.margin, [-1.25]);
        assert_eq!(batch.ownership[..3], [1.0, 0.0, 0.5]);
        assert_eq!(batch.weight, [2.0]);
    }
}
