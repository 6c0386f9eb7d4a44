//! What the tree itself costs: microseconds a simulation with an evaluator that costs nothing, and
//! bytes a stored edge.
//!
//! `cargo run --release -p outflank-search --example tree_bench`

use std::time::{Duration, Instant};

use outflank_rules::{Board, Size};
use outflank_search::{Evaluation, Gather, Method, SearchConfig, Tree};
use outflank_solver::Solver;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const SEARCHES: usize = 100;

fn main() {
    for (method, transpositions) in [
        (Method::Gumbel, false),
        (Method::Puct, false),
        (Method::Gumbel, true),
        (Method::Puct, true),
    ] {
        for simulations in [32, 800] {
            let config = SearchConfig {
                simulations,
                method,
                transpositions,
                ..SearchConfig::default()
            };
            let mut tree = Tree::new(Board::start(Size::Eight), config);
            let mut solver = Solver::new(1 << 20);
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let boards = midgame_boards(&mut rng);
            let evaluations = plausible_evaluations(&mut rng);
            let (mut begun, mut edges, mut bytes, mut nodes) = (0, 0, 0, 0);
            let mut spent = Duration::ZERO;
            for board in &boards {
                // The fastest of a few: other work on the machine only ever adds time.
                let search = |_| {
                    let begin = Instant::now();
                    tree.reset(*board);
                    while let Gather::Leaf { id, board } = tree.gather(&mut solver, &mut rng) {
                        let hash = board.own().bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
                        tree.apply(id, &evaluations[hash as usize]);
                    }
                    begin.elapsed()
                };
                spent += (0..5).map(search).min().unwrap_or_default();
                begun += tree.simulations();
                edges += tree.edge_count();
                nodes += tree.node_count();
                bytes += tree.bytes();
            }
            println!(
                "{method:?}, {simulations} simulations{}: {:.2} us and {:.2} nodes a simulation, {:.0} bytes an edge",
                if transpositions { " in a graph" } else { "" },
                spent.as_secs_f64() * 1e6 / begun as f64,
                nodes as f64 / begun as f64,
                bytes as f64 / edges as f64,
            );
        }
    }
}

/// Positions of random games, 10 to 30 plies in.
fn midgame_boards(rng: &mut ChaCha8Rng) -> Vec<Board> {
    (0..SEARCHES)
        .map(|_| {
            let mut board = Board::start(Size::Eight);
            for _ in 0..rng.random_range(10..30) {
                let count = board.legal_moves().len() as usize;
                if count == 0 {
                    board = board.pass();
                } else {
                    let square = board.legal_moves().nth(rng.random_range(0..count));
                    board = square
                        .and_then(|square| board.play(square))
                        .unwrap_or(board);
                }
            }
            board
        })
        .collect()
}

/// Values and policies of a network's spread: equal ones would give trees of another shape.
fn plausible_evaluations(rng: &mut ChaCha8Rng) -> Vec<Evaluation> {
    let mut draw = |scale: f32| scale * (rng.random::<f32>() + rng.random::<f32>() - 1.0);
    (0..256)
        .map(|_| Evaluation {
            policy: std::array::from_fn(|_| draw(4.0)),
            value: draw(0.5),
            margin: draw(16.0),
        })
        .collect()
}
