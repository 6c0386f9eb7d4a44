//! The search (crate `search`) with an evaluator of your own: anything that judges positions.

use outflank_rules::{Board, Size};
use outflank_search::{Evaluation, Evaluator, SearchConfig, search};
use outflank_solver::Solver;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Likes to have more moves than the opponent, and to have the corners.
struct Mobility;

const CORNERS: u64 = 0x8100_0000_0000_0081;

impl Evaluator for Mobility {
    fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
        out.clear();
        for board in boards {
            let moves = |board: &Board| board.legal_moves().len() as f32;
            let corners = |bits: u64| (bits & CORNERS).count_ones() as f32;
            let advantage = moves(board) - moves(&board.pass())
                + 8.0 * (corners(board.own().bits()) - corners(board.opp().bits()));
            out.push(Evaluation {
                value: (advantage / 20.0).tanh(), // of the player to move, -1 to 1
                margin: advantage,                // in discs
                ..Evaluation::EVEN                // no opinion on the moves
            });
        }
    }
}

fn main() {
    let config = SearchConfig {
        simulations: 1000,
        ..SearchConfig::default().without_noise()
    };
    let mut solver = Solver::new(1 << 20); // for positions near the end
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut board = Board::start(Size::Eight);
    for _ in 0..10 {
        let report = search(&board, &config, &mut Mobility, &mut solver, &mut rng);
        let mv = report.best.expect("the game is not over");
        println!(
            "{mv}  value {:+.2}, {} simulations",
            report.value, report.simulations
        );
        board = board.apply(mv).expect("the search chooses legal moves");
    }
}
