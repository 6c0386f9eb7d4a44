//! The solver against plain minimax on random positions of all sizes.

use std::sync::atomic::AtomicBool;

use outflank_rules::{Board, Move, Scoring, Size, SquareSet};
use outflank_solver::{SolveOptions, Solver};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The score by definition.
fn minimax(board: &Board, scoring: Scoring) -> i32 {
    board
        .moves()
        .map(|mv| -minimax(&board.apply(mv).expect("legal"), scoring))
        .max()
        .unwrap_or_else(|| board.score(scoring))
}

/// A position with this many empties from random play, or from a random start if random play ends
/// before.
fn random_position(rng: &mut ChaCha8Rng, size: Size, empties: u32) -> Board {
    loop {
        let mut board = Board::start(size);
        while board.empties() > empties && !board.is_over() {
            let moves: Vec<Move> = board.moves().collect();
            board = board
                .apply(moves[rng.random_range(..moves.len())])
                .expect("legal");
        }
        if board.empties() == empties {
            return board;
        }
    }
}

fn options(scoring: Scoring) -> SolveOptions<'static> {
    SolveOptions {
        scoring,
        ..SolveOptions::default()
    }
}

/// Checks score, move, and the moves' scores of random positions.
fn compare(solver: &mut Solver, seed: u64, cases: &[(Size, u32, usize)]) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for &(size, empties, count) in cases {
        for case in 0..count {
            let board = random_position(&mut rng, size, empties);
            let scoring = [Scoring::Tournament, Scoring::Plain][case % 2];
            let expected = minimax(&board, scoring);
            let solution = solver.solve(&board, &options(scoring));
            assert_eq!(solution.exact(), Some(expected), "{board:?} {scoring:?}");
            match solution.best {
                Some(mv) => {
                    let child = board.apply(mv).expect("the best move is legal");
                    assert_eq!(-minimax(&child, scoring), expected, "{mv} on {board:?}");
                }
                None => assert!(board.is_over()),
            }
        }
    }
}

const FEW: [(Size, u32, usize); 17] = [
    (Size::Eight, 0, 20),
    (Size::Eight, 1, 300),
    (Size::Eight, 2, 300),
    (Size::Eight, 3, 300),
    (Size::Eight, 4, 300),
    (Size::Eight, 5, 300),
    (Size::Eight, 6, 100),
    (Size::Six, 1, 300),
    (Size::Six, 2, 300),
    (Size::Six, 3, 300),
    (Size::Six, 4, 300),
    (Size::Six, 6, 100),
    (Size::Four, 1, 200),
    (Size::Four, 2, 300),
    (Size::Four, 3, 300),
    (Size::Four, 4, 300),
    (Size::Four, 6, 300),
];

const MORE: [(Size, u32, usize); 6] = [
    (Size::Eight, 7, 30),
    (Size::Eight, 8, 10),
    (Size::Eight, 9, 2),
    (Size::Six, 8, 40),
    (Size::Six, 10, 4),
    (Size::Four, 8, 200),
];

#[test]
fn few_empties_equal_minimax() {
    compare(&mut Solver::new(1 << 20), 1, &FEW);
}

#[test]
fn few_empties_equal_minimax_on_any_processor() {
    compare(&mut Solver::portable(1 << 20), 2, &FEW);
}

#[test]
fn more_empties_equal_minimax() {
    compare(&mut Solver::new(1 << 20), 3, &MORE);
    compare(&mut Solver::portable(1 << 20), 4, &MORE);
}

/// Boards where the mover has hardly a disc left: wipe-outs are scores at the end of the scale.
#[test]
fn lopsided_boards_equal_minimax() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let mut solver = Solver::new(1 << 20);
    let mut wiped_out = 0;
    for _ in 0..400 {
        let square = |rng: &mut ChaCha8Rng| 1u64 << rng.random_range(0..64);
        let empty = (0..9).fold(0, |set, _| set | square(&mut rng));
        let own = (0..2).fold(0, |set, _| set | square(&mut rng)) & !empty;
        let sets = [own, !(empty | own)].map(SquareSet::from_bits);
        let board = Board::new(Size::Eight, sets[0], sets[1]).expect("the sets are disjoint");
        for board in [board, board.pass()] {
            let expected = minimax(&board, Scoring::Tournament);
            let (score, mv) = solver.exact_with_move(&board);
            assert_eq!(score, expected, "{board:?}");
            match board.apply(mv) {
                Ok(child) => assert_eq!(-minimax(&child, Scoring::Tournament), expected),
                Err(error) => assert!(board.is_over(), "{error} on {board:?}"),
            }
            wiped_out += usize::from(score == -64 && !board.is_over());
        }
    }
    assert!(wiped_out > 10, "{wiped_out}");
}

#[test]
fn the_whole_4x4_game_equals_minimax() {
    let start = Board::start(Size::Four);
    for scoring in [Scoring::Tournament, Scoring::Plain] {
        let expected = minimax(&start, scoring);
        assert_eq!(
            Solver::new(1 << 20)
                .solve(&start, &options(scoring))
                .exact(),
            Some(expected)
        );
    }
    // White wins with 11 discs to 3; tournaments give the two empty squares to White.
    assert_eq!(minimax(&start, Scoring::Plain), -8);
    assert_eq!(minimax(&start, Scoring::Tournament), -10);
}

#[test]
fn every_move_has_its_score() {
    let mut solver = Solver::new(1 << 20);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for (size, empties) in [(Size::Eight, 7), (Size::Six, 8), (Size::Four, 9)] {
        for _ in 0..20 {
            let board = random_position(&mut rng, size, empties);
            let expected: Vec<(Move, i32)> = board
                .moves()
                .map(|mv| {
                    (
                        mv,
                        -minimax(&board.apply(mv).expect("legal"), Scoring::Tournament),
                    )
                })
                .collect();
            let scores: Vec<(Move, i32)> = solver
                .solve_moves(&board, &SolveOptions::default())
                .into_iter()
                .map(|(mv, bounds)| (mv, bounds.exact().expect("no limit")))
                .collect();
            assert_eq!(scores, expected, "{board:?}");

            let (score, optimal) = solver.optimal_moves(&board);
            let best = expected.iter().map(|&(_, score)| score).max();
            assert_eq!(score, best.unwrap_or(board.score(Scoring::Tournament)));
            let squares = expected
                .iter()
                .filter(|(_, s)| *s == score)
                .filter_map(|(mv, _)| mv.square());
            assert_eq!(optimal, squares.collect());
        }
    }
}

#[test]
fn windows_and_limits_give_true_bounds() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for case in 0..60 {
        let board = random_position(&mut rng, Size::Eight, 12);
        let exact = Solver::new(1 << 20).exact(&board);

        let window = (-1, 1);
        let solution = Solver::new(1 << 20).solve(
            &board,
            &SolveOptions {
                window,
                ..SolveOptions::default()
            },
        );
        assert!(solution.lower <= exact && exact <= solution.upper);
        match exact {
            1.. => assert!(solution.lower >= 1),
            0 => assert_eq!(solution.exact(), Some(0)),
            _ => assert!(solution.upper <= -1),
        }

        // The same table is asked with more and more nodes: what was stored must stay true.
        let mut solver = Solver::new(1 << 20);
        let mut limit = 10 + case;
        loop {
            let options = SolveOptions {
                node_limit: Some(limit),
                ..SolveOptions::default()
            };
            let solution = solver.solve(&board, &options);
            assert!(
                solution.lower <= exact && exact <= solution.upper,
                "{solution:?} {exact}"
            );
            if solution.exact() == Some(exact) {
                break;
            }
            limit *= 2;
        }
    }
}

#[test]
fn a_cancelled_search_stops_at_once() {
    let cancel = AtomicBool::new(true);
    let options = SolveOptions {
        cancel: Some(&cancel),
        ..SolveOptions::default()
    };
    let solution = Solver::new(1 << 20).solve(&Board::start(Size::Eight), &options);
    assert_eq!((solution.lower, solution.upper), (-64, 64));
    assert!(solution.nodes < 100_000);
}

#[test]
fn the_same_search_costs_the_same_nodes() {
    let board = random_position(&mut ChaCha8Rng::seed_from_u64(7), Size::Eight, 13);
    let nodes = |mut solver: Solver| solver.solve(&board, &SolveOptions::default()).nodes;
    assert_eq!(nodes(Solver::new(1 << 20)), nodes(Solver::new(1 << 20)));
    assert_eq!(
        nodes(Solver::new(1 << 20)),
        nodes(Solver::portable(1 << 20))
    );
}
