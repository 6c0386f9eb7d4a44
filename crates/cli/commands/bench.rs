//! `outflank bench`: how fast each hot path is on this machine.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::Result;
use burn::tensor::Device;
use outflank_net::{Architecture, CompiledNetwork, Precision, Weights};
use outflank_records::{KindWeights, Window};
use outflank_rules::{Board, Counting, Size, perft};
use outflank_search::{Evaluator, Gather, SearchConfig, Tree, Uniform};
use outflank_selfplay::{SelfplayConfig, play_games, random_opening};
use outflank_solver::Solver;
use outflank_train::{Batch, Trainer, TrainingConfig};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::loops::thread_count;
use crate::args::Bench;
use crate::progress::thousands;

/// Each measurement repeats its work for about this long.
const LONG_ENOUGH: Duration = Duration::from_secs(2);

/// Positions in an inference batch.
const BATCH: usize = 128;

/// The networks that are measured: blocks and channels.
const NETWORKS: [(usize, usize); 2] = [(4, 32), (6, 64)];

pub fn run(args: &Bench) -> Result<()> {
    let threads = thread_count(args.threads)?;
    println!("{}, {threads} threads used", machine());
    println!("{:<44}{:>14}  unit", "what", "rate");
    perft_rate();
    tree_rate();
    solver_times();
    for (blocks, channels) in NETWORKS {
        let architecture = Architecture {
            blocks,
            channels,
            ..Architecture::default()
        };
        let weights = Weights::init(architecture.clone(), &mut ChaCha8Rng::seed_from_u64(1));
        let name = format!("{blocks}x{channels}");
        for precision in [Precision::F32, Precision::Int16, Precision::Int8] {
            let network = CompiledNetwork::with_precision(&weights, precision);
            inference_rate(&name, &network, 1);
            if threads > 1 {
                inference_rate(&name, &network, threads);
            }
        }
        let network =
            CompiledNetwork::with_precision(&weights, SelfplayConfig::default().precision);
        selfplay_and_training_rates(&name, &architecture, &network, threads);
    }
    Ok(())
}

/// The processor's name, where the system tells it, and its cores.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let name = std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        });
    let name = name.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    format!(
        "{name}, {cores} cores, {} kernels",
        outflank_kernels::Isa::detect().name()
    )
}

fn row(what: &str, rate: f64, unit: &str) {
    println!(
        "{what:<44}{:>14}  {unit}",
        if rate < 100.0 {
            format!("{rate:.2}")
        } else {
            thousands(rate as u64)
        }
    );
}

/// Repeats some work and returns how often it ran a second.
fn rate_of(mut work: impl FnMut()) -> f64 {
    work();
    let begin = Instant::now();
    let mut times = 0;
    while begin.elapsed() < LONG_ENOUGH {
        work();
        times += 1;
    }
    f64::from(times) / begin.elapsed().as_secs_f64()
}

fn perft_rate() {
    let begin = Instant::now();
    let leaves = perft(&Board::start(Size::Eight), 11, Counting::AllLines);
    row(
        "perft 11, one thread",
        leaves as f64 / begin.elapsed().as_secs_f64() / 1e6,
        "million leaves/s",
    );
}

fn tree_rate() {
    let config = SearchConfig {
        simulations: 800,
        leaf_solve_empties: 0,
        ..SearchConfig::default()
    };
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut solver = Solver::new(1 << 16);
    let mut tree = Tree::new(Board::start(Size::Eight), config);
    let mut free = Vec::new();
    Uniform.evaluate(&[Board::start(Size::Eight)], &mut free);
    let searches = rate_of(|| {
        tree.reset(Board::start(Size::Eight));
        while let Gather::Leaf { id, .. } = tree.gather(&mut solver, &mut rng) {
            tree.apply(id, &free[0]);
        }
    });
    row(
        "tree, 800 simulations, free evaluator",
        1e6 / (800.0 * searches),
        "microseconds/simulation",
    );
}

/// Positions of random play with so many empties.
fn endings(empties: u32, count: usize) -> Vec<Board> {
    let mut rng = ChaCha8Rng::seed_from_u64(u64::from(empties));
    let mut boards = Vec::new();
    while boards.len() < count {
        let plies = 60 - empties;
        let line = random_opening(Size::Eight, [plies, plies], 0.0, &mut rng);
        let board = line.iter().fold(Board::start(Size::Eight), |board, &mv| {
            board.apply(mv).expect("the line is legal")
        });
        if !board.legal_moves().is_empty() {
            boards.push(board);
        }
    }
    boards
}

fn solver_times() {
    for (empties, count) in [(10, 2000), (12, 400), (14, 100)] {
        let boards = endings(empties, count);
        let mut solver = Solver::new(1 << 20);
        let begin = Instant::now();
        for board in &boards {
            solver.exact(board);
        }
        let mean = begin.elapsed().as_secs_f64() / boards.len() as f64;
        row(
            &format!("solver, about {empties} empties, random play"),
            mean * 1e6,
            "microseconds/position",
        );
    }
}

fn inference_rate(name: &str, network: &CompiledNetwork, threads: usize) {
    let boards = endings(30, BATCH);
    let begin = Instant::now();
    let batches: u64 = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                let (mut network, boards) = (network.clone(), &boards);
                scope.spawn(move || {
                    let mut evaluations = Vec::new();
                    let mut batches = 0;
                    while begin.elapsed() < LONG_ENOUGH {
                        network.evaluate(boards, &mut evaluations);
                        batches += 1;
                    }
                    batches
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("no panic"))
            .sum()
    });
    let rate = (batches * BATCH as u64) as f64 / begin.elapsed().as_secs_f64();
    row(
        &format!(
            "{name} inference, {}, batch {BATCH}, {threads} thread(s)",
            network.precision()
        ),
        rate,
        "positions/s",
    );
}

fn selfplay_and_training_rates(
    name: &str,
    architecture: &Architecture,
    network: &CompiledNetwork,
    threads: usize,
) {
    let mut config = SelfplayConfig::default();
    config.search.leaf_solve_empties = 10; // as the presets of this board
    // Enough games that the last ones, which fill no batch, do not count for much.
    let games = (8 * config.games_in_flight * threads) as u64;
    let seeds: Vec<u64> = (0..games).collect();
    let mut window = Window::new(1 << 20, KindWeights::default());
    let begin = Instant::now();
    let effort = play_games(
        &config,
        architecture.size,
        &seeds,
        &[],
        threads,
        || network.clone(),
        |_, game| {
            window.push(&game).expect("self-play keeps the rules");
            ControlFlow::Continue(())
        },
    );
    let seconds = begin.elapsed().as_secs_f64();
    row(
        &format!(
            "{name} self-play, {}, {} simulations",
            network.precision(),
            config.search.simulations
        ),
        seeds.len() as f64 / seconds,
        "games/s",
    );
    row(
        &format!("{name} self-play, with remembered ones"),
        effort.evaluations as f64 / seconds,
        "evaluations/s",
    );
    let share = effort.evaluating.as_secs_f64() / effort.total.as_secs_f64();
    row(
        &format!("{name} self-play, time in the network"),
        100.0 * share,
        "%",
    );

    let training = TrainingConfig::default();
    let mut trainer = Trainer::new(architecture, &training, 1, &Device::flex());
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let samples: Vec<_> = (0..training.batch_size)
        .map(|_| window.sample(&mut rng).expect("there are positions"))
        .collect();
    let batch = Batch::encode(architecture, &samples, 1.0);
    let steps = rate_of(|| {
        trainer.step(&batch, 1e-3);
    });
    row(
        &format!("{name} training, batch {}", training.batch_size),
        steps * training.batch_size as f64,
        "samples/s",
    );
}
