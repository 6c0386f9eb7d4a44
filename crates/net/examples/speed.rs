//! Positions a second of the evaluators and samples a second of training steps.
//!
//! `cargo run --release -p outflank-net --example speed -- [BLOCKS CHANNELS [SIDE]]`
//!
//! All rates are per second of one core.

use std::hint::black_box;
use std::time::Instant;

use burn::optim::{AdamWConfig, GradientsParams};
use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor, TensorData};
use outflank_net::{
    Architecture, BurnEvaluator, CompiledNetwork, Network, Precision, Weights, encode_batch,
};
use outflank_rules::{Board, Size};
use outflank_search::Evaluator;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn main() {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<usize>());
    let mut number = |default| numbers.next().unwrap_or(Ok(default)).expect("a number");
    let (blocks, channels, side) = (number(4), number(32), number(8));
    let size = Size::try_from(side as u8).expect("a side of 4, 6 or 8");
    let architecture = Architecture {
        size,
        blocks,
        channels,
        ..Architecture::default()
    };
    architecture.validate().expect("a valid architecture");
    println!("{architecture}: {} parameters", architecture.parameters());
    let weights = Weights::init(architecture.clone(), &mut ChaCha8Rng::seed_from_u64(1));
    let boards = positions(size, 512);

    let mut compiled = CompiledNetwork::new(&weights);
    for batch in [1, 8, 32, 256] {
        evaluation("compiled", &mut compiled, &boards[..batch]);
    }
    for precision in [Precision::Int16, Precision::Int8] {
        let mut quantized = CompiledNetwork::with_precision(&weights, precision);
        for batch in [32, 256] {
            evaluation(&precision.to_string(), &mut quantized, &boards[..batch]);
        }
    }
    let mut burn = BurnEvaluator::new(&weights, &Device::flex());
    for batch in [32, 256] {
        evaluation("burn", &mut burn, &boards[..batch]);
    }
    for batch in [256, 512] {
        training(&weights, &boards[..batch]);
    }
}

fn evaluation(name: &str, evaluator: &mut impl Evaluator, boards: &[Board]) {
    let mut out = Vec::new();
    let rate = rate(boards.len(), || {
        evaluator.evaluate(boards, &mut out);
        black_box(&out);
    });
    println!(
        "{name:>9} evaluation, batch {:3}: {rate:8.0} positions/s",
        boards.len()
    );
}

fn training(weights: &Weights, boards: &[Board]) {
    let device = Device::flex().autodiff();
    let architecture = weights.architecture();
    let (side, area) = (architecture.size.side(), architecture.size.area());
    let shape = [boards.len(), architecture.features.len(), side, side];
    let planes = encode_batch(&architecture.features, boards);
    let planes = Tensor::<4>::from_data(TensorData::new(planes, shape), &device);
    let target = Tensor::<2>::full([boards.len(), area], 1.0 / area as f32, &device);
    let mut network = Some(Network::new(weights, &device));
    let mut optimizer = AdamWConfig::new().init();
    let rate = rate(boards.len(), || {
        let present = network.take().expect("put back after every step");
        let output = present.forward(planes.clone());
        let loss = -(log_softmax(output.policy, 1) * target.clone())
            .sum_dim(1)
            .mean()
            - log_softmax(output.outcome, 1).mean()
            + output.margin.square().mean()
            + (output.ownership.tanh() - target.clone()).square().mean();
        let gradients = GradientsParams::from_grads(loss.backward(), &present);
        network = Some(optimizer.step(1e-3, present, gradients));
    });
    println!(
        "     burn training,   batch {:3}: {rate:8.0} samples/s",
        boards.len()
    );
}

/// Items a second of the fastest of a few runs, each of at least half a second. Where the system
/// tells, time is what the processors spent here, in all threads: other programs do not count.
fn rate(items: usize, mut run: impl FnMut()) -> f64 {
    run();
    let mut best = 0.0f64;
    for _ in 0..3 {
        let (wall, cpu, mut done) = (Instant::now(), cpu_seconds(), 0);
        let spent = || match (cpu, cpu_seconds()) {
            (Some(start), Some(now)) => now - start,
            _ => wall.elapsed().as_secs_f64(),
        };
        while spent() < 0.5 {
            run();
            done += items;
        }
        best = best.max(done as f64 / spent());
    }
    best
}

/// Processor time of all threads of this process, on Linux.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // User and system time are the 14th and 15th field; the second, a name in brackets, may
    // contain spaces.
    let fields = stat.rsplit(')').next()?.split_whitespace();
    let ticks: Result<Vec<f64>, _> = fields.skip(11).take(2).map(str::parse).collect();
    Some(ticks.ok()?.iter().sum::<f64>() / 100.0)
}

/// Positions of a game in which the first legal move is played, again and again.
fn positions(size: Size, count: usize) -> Vec<Board> {
    let mut board = Board::start(size);
    let mut positions = Vec::new();
    while positions.len() < count {
        board = match board.legal_moves().first() {
            Some(square) => {
                positions.push(board);
                board.play(square).expect("legal")
            }
            None if board.is_over() => Board::start(size),
            None => board.pass(),
        };
    }
    positions
}
