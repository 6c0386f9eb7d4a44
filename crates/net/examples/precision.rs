//! How far integers are from f32, and how much faster, on positions of a model's own games.
//!
//! `cargo run --release -p outflank-net --no-default-features --example precision -- MODEL.safetensors`

use std::path::Path;
use std::time::Instant;

use outflank_net::{CompiledNetwork, Model, Precision};
use outflank_rules::{Board, Size};
use outflank_search::{Evaluation, Evaluator};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const POSITIONS: usize = 4096;

fn main() {
    let path = std::env::args().nth(1).expect("a model's file");
    let model = Model::load(Path::new(&path)).expect("a model");
    let mut network = CompiledNetwork::new(&model.weights);
    let boards = positions(&mut network, model.weights.architecture().size);
    let (expected, seconds) = evaluate(&mut network, &boards);
    println!("f32: {:.0} positions/s", POSITIONS as f64 / seconds);
    for precision in [Precision::Int16, Precision::Int8] {
        let mut network = CompiledNetwork::with_precision(&model.weights, precision);
        let (found, seconds) = evaluate(&mut network, &boards);
        let mut sums = [0.0; 4];
        for ((board, found), expected) in boards.iter().zip(&found).zip(&expected) {
            let (p, q) = (policy(board, expected), policy(board, found));
            let divergence: f64 = p.iter().zip(&q).map(|(p, q)| p * (p / q).ln()).sum();
            let best =
                |policy: &[f64]| (0..policy.len()).max_by(|&a, &b| policy[a].total_cmp(&policy[b]));
            sums[0] += divergence;
            sums[1] += f64::from(best(&p) == best(&q));
            sums[2] += f64::from(found.value - expected.value).powi(2);
            sums[3] += f64::from(found.margin - expected.margin).powi(2);
        }
        let [divergence, same, value, margin] = sums.map(|sum| sum / boards.len() as f64);
        println!(
            "{precision}: {:.0} positions/s; policy divergence {divergence:.2e}, same first move {:.2} %, value off by {:.4}, margin by {:.3} discs (root mean square)",
            POSITIONS as f64 / seconds,
            100.0 * same,
            value.sqrt(),
            margin.sqrt(),
        );
    }
}

/// The evaluations, and the seconds that they took at best.
fn evaluate(network: &mut CompiledNetwork, boards: &[Board]) -> (Vec<Evaluation>, f64) {
    let mut out = Vec::new();
    let mut best = f64::MAX;
    for _ in 0..5 {
        let begin = Instant::now();
        network.evaluate(boards, &mut out);
        best = best.min(begin.elapsed().as_secs_f64());
    }
    (out, best)
}

/// The policy over the legal moves.
fn policy(board: &Board, evaluation: &Evaluation) -> Vec<f64> {
    let weights: Vec<f64> = board
        .legal_moves()
        .into_iter()
        .map(|square| f64::from(evaluation.policy[square.index()]).exp())
        .collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// Positions of games in which moves are drawn from the network's policy.
fn positions(network: &mut CompiledNetwork, size: Size) -> Vec<Board> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut positions, mut out) = (Vec::new(), Vec::new());
    let mut board = Board::start(size);
    while positions.len() < POSITIONS {
        let moves = board.legal_moves();
        if moves.is_empty() {
            board = match board.is_over() {
                true => Board::start(size),
                false => board.pass(),
            };
            continue;
        }
        positions.push(board);
        network.evaluate(&[board], &mut out);
        let mut left = rng.random::<f64>();
        let chances = policy(&board, &out[0]);
        let chosen = chances.iter().position(|chance| {
            left -= chance;
            left < 0.0
        });
        let square = moves.into_iter().nth(chosen.unwrap_or(0)).expect("a move");
        board = board.play(square).expect("the move is legal");
    }
    positions
}
