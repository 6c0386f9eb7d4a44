use outflank_records::{PlyRecord, PolicyTarget, SearchKind, SearchRecord};
use outflank_rules::{Board, Move};
use outflank_solver::Solver;
use rand::{Rng, RngExt};

/// The exact score of a position for its mover, and a perfect line from it to the end of the game.
///
/// Each position of the line that has a choice and at least `recorded_empties` empty squares is
/// recorded with its exact value and all its optimal moves. Where several moves are optimal, the
/// generator chooses: what the solver happens to remember never changes a game.
pub fn solve_ending(
    mut board: Board,
    recorded_empties: u32,
    solver: &mut Solver,
    rng: &mut impl Rng,
) -> (i32, Vec<PlyRecord>) {
    let score = solver.exact(&board);
    let mut line = Vec::with_capacity(board.empties() as usize);
    let mut mover_score = score;
    while !board.is_over() {
        let moves = board.legal_moves();
        let mut search = None;
        let mv = match moves.len() {
            0 => Move::Pass,
            1 => Move::Place(moves.first().expect("there is one move")),
            _ => {
                let optimal = solver.optimal_moves(&board).1;
                if board.empties() >= recorded_empties {
                    search = Some(SearchRecord {
                        kind: SearchKind::Solved,
                        policy: PolicyTarget::uniform(optimal),
                        value: mover_score.signum() as f32,
                        visits: 0,
                        surprise: 0.0,
                    });
                }
                let choice = rng.random_range(0..optimal.len()) as usize;
                Move::Place({ optimal }.nth(choice).expect("the choice is among them"))
            }
        };
        board = board.apply(mv).expect("the move is legal");
        mover_score = -mover_score;
        line.push(PlyRecord { mv, search });
    }
    (score, line)
}

#[cfg(test)]
mod tests {
    use outflank_rules::{Scoring, Size};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn the_solved_board_ends_as_it_must() {
        // From the start of the 4x4 board, White wins by 11 discs to 3 with two squares empty.
        for seed in 0..20 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let start = Board::start(Size::Four);
            let mut solver = Solver::new(1 << 16);
            let (score, line) = solve_ending(start, 5, &mut solver, &mut rng);
            assert_eq!(score, -10);
            let mut board = start;
            let mut black_moves = true;
            for ply in &line {
                if let Some(search) = &ply.search {
                    assert!(board.empties() >= 5);
                    assert!(search.policy.support().contains(ply.mv.square().unwrap()));
                    assert_eq!(search.value > 0.0, !black_moves);
                }
                board = board.apply(ply.mv).unwrap();
                black_moves = !black_moves;
            }
            assert!(board.is_over());
            let black = if black_moves { 1 } else { -1 };
            assert_eq!(black * board.score(Scoring::Tournament), -10);
        }
    }
}
