//! The solver (crate `solver`): the exact score of every move near the end.

use std::error::Error;

use outflank_rules::Position;
use outflank_solver::{SolveOptions, Solver};

fn main() -> Result<(), Box<dyn Error>> {
    // The first position of the FFO endgame suite, 14 empty squares: g8 wins by 18 discs.
    let text = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";
    let position: Position = text.parse()?;
    println!("{position}");

    let mut solver = Solver::new(16 << 20); // bytes of memory
    let mut moves = solver.solve_moves(&position.board, &SolveOptions::default());
    moves.sort_by_key(|(_, bounds)| -bounds.lower);
    for (mv, bounds) in &moves {
        println!("{mv} {:+}", bounds.lower);
    }
    assert_eq!(moves[0].0.to_string(), "g8");
    assert_eq!(moves[0].1.lower, 18);
    Ok(())
}
