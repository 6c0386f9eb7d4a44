//! What a solve costs in self-play: positions with few empty squares, one after the other with the
//! same small table.
//!
//! `histogram [POSITIONS|FILE.obf]`: microseconds for each number of empty squares, for so many
//! positions of random play or those of a file.

use std::time::{Duration, Instant};

use outflank_rules::{Board, Move, Size};
use outflank_solver::{Solver, suite};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() -> Result<(), String> {
    let source = std::env::args().nth(1).unwrap_or("1000".to_owned());
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let positions: Vec<Board> = match source.parse() {
        Ok(count) => (8..=16)
            .flat_map(|empties| std::iter::repeat_n(empties, count))
            .map(|empties| random_position(&mut rng, empties))
            .collect(),
        Err(_) => read(&source)?,
    };

    let mut solver = Solver::new(1 << 20);
    // The evaluation's tables are laid out by the first search.
    solver.exact(&random_position(&mut rng, 12));
    println!("empties positions     mean   median      90%      99%  longest");
    for empties in 8..=16 {
        let boards = positions.iter().filter(|board| board.empties() == empties);
        let cpu = cpu_time();
        let mut times: Vec<f64> = boards
            .map(|board| {
                let start = Instant::now();
                solver.exact(board);
                start.elapsed().as_secs_f64() * 1e6
            })
            .collect();
        if times.is_empty() {
            continue;
        }
        times.sort_by(f64::total_cmp);
        let count = times.len() as f64;
        let mean = match cpu.zip(cpu_time()) {
            Some((before, after)) => (after - before).as_secs_f64() * 1e6 / count,
            None => times.iter().sum::<f64>() / count,
        };
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        println!(
            "{empties:7} {:9} {mean:8.1} {:8.1} {:8.1} {:8.1} {:8.1}",
            times.len(),
            at(0.5),
            at(0.9),
            at(0.99),
            at(1.0)
        );
    }
    Ok(())
}

/// What this thread has cost the processor, where the system tells it: the mean is of that, as other
/// programs disturb it less. The rest is by the clock.
fn cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

/// The positions of a file.
fn read(file: &str) -> Result<Vec<Board>, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let cases = suite::parse(&text).map_err(|(line, error)| format!("{file}:{line}: {error}"))?;
    Ok(cases.iter().map(|case| case.position.board).collect())
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
