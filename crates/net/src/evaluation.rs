//! From a network's outputs to what a search reads: the same for every evaluator.

use outflank_rules::{Board, Size};
use outflank_search::Evaluation;

use crate::architecture::Architecture;

/// The evaluation of one board from its outputs: policy logits in the dense order of the board,
/// outcome logits of win, draw and loss, and the margin in halves of the board.
pub(crate) fn evaluation(size: Size, policy: &[f32], outcome: [f32; 3], margin: f32) -> Evaluation {
    let mut by_square = [0.0; 64];
    for (row, logits) in policy.chunks_exact(size.side()).enumerate() {
        by_square[8 * row..][..size.side()].copy_from_slice(logits);
    }
    let largest = outcome.into_iter().fold(f32::MIN, f32::max);
    let [win, draw, loss] = outcome.map(|logit| (logit - largest).exp());
    Evaluation {
        policy: by_square,
        value: (win - loss) / (win + draw + loss),
        margin: margin * (size.area() / 2) as f32,
    }
}

/// Checks that the network can evaluate the boards.
pub(crate) fn expect_size(architecture: &Architecture, boards: &[Board]) {
    if let Some(board) = boards
        .iter()
        .find(|board| board.size() != architecture.size)
    {
        panic!(
            "a network for {} cannot evaluate a {} board",
            architecture.size,
            board.size()
        );
    }
}
