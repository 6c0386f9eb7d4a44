//! Counts lines from the start position three ways, in one run on one core, so that their ratios
//! mean something on a busy machine: with whole boards and every leaf built, with whole boards and
//! the last ply counted, and with [`perft`]. `cargo bench -p outflank-rules [-- DEPTH]`.
#![allow(missing_docs)]

use std::time::Instant;

use outflank_rules::{Board, Counting, Size, perft};

fn with_boards(board: &Board, depth: u32, count_last: bool) -> u64 {
    if depth == 0 {
        return 1;
    }
    if count_last && depth == 1 && !board.legal_moves().is_empty() {
        return u64::from(board.legal_moves().len());
    }
    if board.is_over() {
        return 1;
    }
    let after = board
        .moves()
        .map(|mv| board.apply(mv).expect("a legal move"));
    after
        .map(|after| with_boards(&after, depth - 1, count_last))
        .sum()
}

fn main() {
    let depth = std::env::args()
        .skip(1)
        .find_map(|arg| arg.parse().ok())
        .unwrap_or(9);
    let start = Board::start(Size::Eight);
    let report = |name: &str, count: &dyn Fn() -> u64| {
        let begin = Instant::now();
        let (mut lines, mut best) = (0, f64::MAX);
        // The best of a second's runs: on a busy machine some are interrupted.
        while best == f64::MAX || begin.elapsed().as_secs_f64() < 1.0 {
            let run = Instant::now();
            lines = std::hint::black_box(count());
            best = best.min(run.elapsed().as_secs_f64());
        }
        println!(
            "{name:32} {lines:>14} lines {best:>8.3} s {:>7.0} M lines/s",
            lines as f64 / best / 1e6
        );
        lines
    };
    let counts = [
        report("boards, every leaf built", &|| {
            with_boards(&start, depth, false)
        }),
        report("boards, last ply counted", &|| {
            with_boards(&start, depth, true)
        }),
        report("perft", &|| perft(&start, depth, Counting::AllLines)),
    ];
    assert!(
        counts.iter().all(|&count| count == counts[0]),
        "the counts differ"
    );
}
