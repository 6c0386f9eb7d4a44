//! Learns the weights of the evaluation that orders moves, from positions solved by the solver
//! itself.
//!
//! `fit_ordering 8|6 GAMES FILE`: plays games that are sensible at times and random at others,
//! solves where few empty squares are left, follows the solved line for more positions, fits the
//! weights to the scores by least squares, and writes them to the file, a byte each. The same
//! arguments give the same file.

use std::process::ExitCode;
use std::time::Instant;

use outflank_rules::{Board, Move, Size};
use outflank_solver::{
    Solver,
    evaluation::{Layout, UNIT},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Passes over the positions.
const EPOCHS: usize = 20;

/// How much weights are pulled towards 0, so that rare ones stay small.
const DECAY: f32 = 1e-4;

/// Empty squares where a game is first solved, and down to which its positions are taken.
const SOLVE_FROM: std::ops::RangeInclusive<u32> = 11..=15;
const SOLVE_TO: u32 = 9;

/// A solved position: the weights it takes and its score in discs.
struct Sample {
    active: Vec<u32>,
    score: f32,
}

/// Mostly few moves and no corner for the opponent, as far as the game's randomness allows.
fn choose(board: &Board, randomness: f64, rng: &mut ChaCha8Rng) -> Option<Move> {
    let moves: Vec<Move> = board.moves().collect();
    if moves.is_empty() {
        return None;
    }
    if rng.random_bool(randomness) {
        return Some(moves[rng.random_range(..moves.len())]);
    }
    let last = board.size().side() - 1;
    let is_corner = |mv: &Move| {
        mv.square()
            .is_some_and(|s| [0, last].contains(&s.column()) && [0, last].contains(&s.row()))
    };
    moves.into_iter().min_by_key(|mv| {
        let child = board.apply(*mv).expect("the move is legal");
        let replies: Vec<Move> = child.moves().collect();
        let corners = replies.iter().filter(|mv| is_corner(mv)).count();
        4 * (replies.len() + 3 * corners) as i32 - 12 * i32::from(is_corner(mv))
            + rng.random_range(0..8)
    })
}

/// Plays one game and adds its solved positions.
fn play(
    size: Size,
    layout: &Layout,
    solver: &mut Solver,
    rng: &mut ChaCha8Rng,
    samples: &mut Vec<Sample>,
) {
    let mut board = Board::start(size);
    let randomness = [0.05, 0.15, 0.3, 0.6][rng.random_range(0..4)];
    let solve_from = rng.random_range(SOLVE_FROM);
    while board.empties() > solve_from {
        let Some(mv) = choose(&board, randomness, rng) else {
            return;
        };
        board = board.apply(mv).expect("the move is legal");
    }
    while board.empties() >= SOLVE_TO && !board.is_over() {
        let (score, optimal) = solver.optimal_moves(&board);
        if !optimal.is_empty() {
            let active = layout.active(&board);
            samples.push(Sample {
                active: active.into_iter().map(|place| place as u32).collect(),
                score: score as f32,
            });
        }
        // Any of the best moves, so that the games do not depend on which one the solver likes.
        let best: Vec<Move> = optimal.map(Move::Place).collect();
        let all: Vec<Move> = board.moves().collect();
        let moves = if best.is_empty() || rng.random_bool(0.4) {
            all
        } else {
            best
        };
        let mv = moves[rng.random_range(0..moves.len())];
        board = board.apply(mv).expect("the move is legal");
    }
}

/// Stochastic gradient descent on the squared error, with a step for each weight that shrinks as
/// it is met more often (J. Duchi et al., "Adaptive subgradient methods", 2011).
fn fit(weights: usize, samples: &[Sample], rng: &mut ChaCha8Rng) -> Vec<f32> {
    let mut weight = vec![0.0f32; weights];
    let mut squares = vec![1.0f32; weights];
    let held_out = samples.len() / 20;
    let (test, train) = samples.split_at(held_out);
    let sum = |weight: &[f32], sample: &Sample| {
        sample
            .active
            .iter()
            .map(|&place| weight[place as usize])
            .sum::<f32>()
    };
    let mut order: Vec<usize> = (0..train.len()).collect();
    for epoch in 0..EPOCHS {
        for i in (1..order.len()).rev() {
            order.swap(i, rng.random_range(..=i));
        }
        let mut error_sum = 0.0;
        let step = 0.25 * (1.0 - epoch as f32 / EPOCHS as f32);
        for &i in &order {
            let sample = &train[i];
            let error = sample.score - sum(&weight, sample);
            error_sum += f64::from(error * error);
            for &place in &sample.active {
                let place = place as usize;
                let gradient = error / sample.active.len() as f32 - DECAY * weight[place];
                squares[place] += gradient * gradient;
                weight[place] += step * gradient / squares[place].sqrt();
            }
        }
        let test_sum: f64 = test
            .iter()
            .map(|sample| f64::from(sample.score - sum(&weight, sample)).powi(2))
            .sum();
        println!(
            "epoch {epoch}: root mean square error {:.3}, held out {:.3}",
            (error_sum / train.len() as f64).sqrt(),
            (test_sum / test.len() as f64).sqrt()
        );
    }
    weight
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let arguments = match &words[..] {
        [side, games, file] => side
            .parse::<u8>()
            .ok()
            .and_then(|side| Size::try_from(side).ok())
            .zip(games.parse::<u64>().ok())
            .map(|(size, games)| (size, games, file)),
        _ => None,
    };
    let Some((size, games, file)) = arguments else {
        eprintln!("usage: fit_ordering 8|6 GAMES FILE");
        return ExitCode::FAILURE;
    };
    let start = Instant::now();
    let layout = Layout::new(size);
    let mut solver = Solver::new(64 << 20);
    let mut samples = Vec::new();
    for game in 0..games {
        let mut rng = ChaCha8Rng::seed_from_u64(game);
        play(size, &layout, &mut solver, &mut rng, &mut samples);
    }
    println!(
        "{} positions of {games} games, {} weights, {:?}",
        samples.len(),
        layout.weights(),
        start.elapsed()
    );

    let weights = fit(
        layout.weights(),
        &samples,
        &mut ChaCha8Rng::seed_from_u64(games),
    );
    let bytes: Vec<u8> = weights
        .iter()
        .map(|weight| (weight * UNIT as f32).round().clamp(-127.0, 127.0) as i8 as u8)
        .collect();
    let clipped = bytes
        .iter()
        .filter(|&&byte| (byte as i8).unsigned_abs() == 127)
        .count();
    println!(
        "{clipped} weights are as large as a byte can be; {:?}",
        start.elapsed()
    );
    match std::fs::write(file, bytes) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot write {file}: {error}");
            ExitCode::FAILURE
        }
    }
}
