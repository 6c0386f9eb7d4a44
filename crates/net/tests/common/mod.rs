//! What several tests of this crate need.
#![allow(dead_code)] // every test file uses a part of it

use outflank_net::{Architecture, Feature, Weights};
use outflank_rules::{Board, Size};
use outflank_search::{Evaluation, Evaluator};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A generator for a test.
pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Weights whose every tensor, biases included, is at work: fresh ones hide mistakes in biases and
/// in the heads because they are zero or small there.
pub fn busy_weights(architecture: &Architecture, seed: u64) -> Weights {
    let mut rng = rng(seed);
    Weights::from_fn(architecture.clone(), |spec| {
        let fan_in: usize = spec.shape[1..].iter().product();
        let bound = (3.0 / fan_in as f32).sqrt().min(0.5);
        (0..spec.len())
            .map(|_| bound * (2.0 * rng.random::<f32>() - 1.0))
            .collect()
    })
}

/// Positions with a move for the mover, from random games.
pub fn positions(size: Size, count: usize, rng: &mut impl Rng) -> Vec<Board> {
    let mut positions = Vec::new();
    let mut board = Board::start(size);
    while positions.len() < count {
        let moves = board.legal_moves();
        if moves.is_empty() {
            board = if board.is_over() {
                Board::start(size)
            } else {
                board.pass()
            };
            continue;
        }
        positions.push(board);
        let chosen = moves
            .into_iter()
            .nth(rng.random_range(0..moves.len() as usize));
        let chosen = chosen.expect("there is a move");
        board = board.play(chosen).expect("the move is legal");
    }
    positions
}

/// Architectures that differ in everything that they may differ in.
pub fn architectures() -> Vec<Architecture> {
    use Feature::*;
    let base = Architecture::default();
    vec![
        Architecture {
            blocks: 2,
            ..base.clone()
        },
        Architecture {
            size: Size::Four,
            channels: 16,
            ..base.clone()
        },
        Architecture {
            size: Size::Six,
            blocks: 1,
            channels: 48,
            ..base.clone()
        },
        Architecture {
            features: vec![Own, Opponent],
            blocks: 1,
            channels: 16,
            ..base.clone()
        },
        Architecture {
            features: vec![Empty, Opponent, OwnMoves, Own, Ones, OpponentMoves],
            blocks: 1,
            channels: 64,
            policy_channels: 2,
            value_channels: 17,
            value_hidden: 32,
            ..base.clone()
        },
        Architecture {
            size: Size::Six,
            blocks: 3,
            channels: 32,
            policy_channels: 5,
            value_channels: 1,
            value_hidden: 16,
            ..base
        },
    ]
}

/// All that an evaluator says.
pub fn evaluate(evaluator: &mut impl Evaluator, boards: &[Board]) -> Vec<Evaluation> {
    let mut out = vec![Evaluation::EVEN];
    evaluator.evaluate(boards, &mut out);
    out
}
