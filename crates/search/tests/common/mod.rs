//! Positions and a slow second opinion for the tests.
#![allow(dead_code)] // each test file uses its part

use outflank_rules::{Board, Move, Scoring, Size};
use outflank_search::{Gather, SearchConfig, Tree};
use outflank_solver::Solver;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

pub fn solver() -> Solver {
    Solver::new(1 << 20)
}

/// A noise-free search.
pub fn config(simulations: u32) -> SearchConfig {
    SearchConfig {
        simulations,
        ..SearchConfig::default()
    }
    .without_noise()
}

/// The position after these moves, written one after the other, with passes where they are due
/// between two moves but not after the last.
pub fn after(moves: &str) -> Board {
    let mut board = Board::start(Size::Eight);
    for square in moves.as_bytes().chunks(2) {
        let square = std::str::from_utf8(square)
            .expect("text")
            .parse()
            .expect("a square");
        if board.must_pass() {
            board = board.pass();
        }
        board = board.play(square).expect("a legal move");
    }
    board
}

/// A position of random play where the mover has a choice, with so many empties.
pub fn random_position(size: Size, empties: u32, rng: &mut ChaCha8Rng) -> Board {
    loop {
        let mut board = Board::start(size);
        while board.empties() > empties && !board.is_over() {
            board = match board.legal_moves().len() as usize {
                0 => board.pass(),
                count => {
                    let square = board.legal_moves().nth(rng.random_range(0..count));
                    board
                        .play(square.expect("a legal move"))
                        .expect("a legal move")
                }
            };
        }
        if board.empties() == empties && board.legal_moves().len() > 1 {
            return board;
        }
    }
}

/// The final score by plain negamax.
pub fn negamax(board: &Board) -> i32 {
    if board.is_over() {
        return board.score(Scoring::Tournament);
    }
    if board.must_pass() {
        return -negamax(&board.pass());
    }
    let replies = board.legal_moves().filter_map(|square| board.play(square));
    replies
        .map(|reply| -negamax(&reply))
        .max()
        .expect("the mover has a move")
}

/// The final score after a move.
pub fn score_after(board: &Board, mv: Move) -> i32 {
    let after = match mv {
        Move::Place(square) => board.play(square).expect("a legal move"),
        Move::Pass => board.pass(),
    };
    -negamax(&after)
}

/// The next leaf, which must be there.
pub fn leaf(tree: &mut Tree) -> (outflank_search::LeafId, Board) {
    match tree.gather(&mut solver(), &mut rng(0)) {
        Gather::Leaf { id, board } => (id, board),
        other => panic!("expected a leaf, found {other:?}"),
    }
}
