//! What a solve costs in self-play: positions from random play with few empty squares, one after
//! the other with the same small table.
//!
//! `histogram [POSITIONS]`: microseconds for each number of empty squares.

use std::time::Instant;

use outflank_rules::{Board, Move, Size};
use outflank_solver::Solver;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    let positions = std::env::args()
        .nth(1)
        .and_then(|word| word.parse().ok())
        .unwrap_or(1000);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut solver = Solver::new(1 << 20);
    // The evaluation's tables are laid out by the first search.
    solver.exact(&random_position(&mut rng, 12));
    println!("empties     mean   median      90%      99%  longest");
    for empties in 8..=16 {
        let mut times: Vec<f64> = (0..positions)
            .map(|_| {
                let board = random_position(&mut rng, empties);
                let start = Instant::now();
                solver.exact(&board);
                start.elapsed().as_secs_f64() * 1e6
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        println!(
            "{empties:7} {mean:8.1} {:8.1} {:8.1} {:8.1} {:8.1}",
            at(0.5),
            at(0.9),
            at(0.99),
            at(1.0)
        );
    }
}

/// A position with this many empty squares and at least one move, from random play.
fn random_position(rng: &mut ChaCha8Rng, empties: u32) -> Board {
    loop {
        let mut board = Board::start(Size::Eight);
        while board.empties() > empties && !board.is_over() {
            let moves: Vec<Move> = board.moves().collect();
            let mv = moves[rng.random_range(0..moves.len())];
            board = board.apply(mv).expect("the move is legal");
        }
        if board.empties() == empties && !board.is_over() {
            return board;
        }
    }
}
