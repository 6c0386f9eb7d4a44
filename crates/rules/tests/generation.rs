//! Moves, flips and the end of the game against the slow second version of the rules.

mod slow;

use outflank_rules::{Board, Color, IllegalMove, Move, Position, Scoring, Size, SquareSet};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use slow::SlowBoard;

/// Compares everything there is to say about one position.
fn check(position: &Position) {
    let board = position.board;
    let slow = SlowBoard::of(position);
    assert_eq!(board.legal_moves(), slow.legal_moves(), "{position}");
    let reply = slow.legal_moves_of(!position.to_move);
    assert_eq!(
        board.must_pass(),
        slow.legal_moves().is_empty() && !reply.is_empty()
    );
    assert_eq!(
        board.is_over(),
        slow.legal_moves().is_empty() && reply.is_empty()
    );

    for square in Size::Eight.squares() {
        let flips = slow.flips(square);
        assert_eq!(board.flips(square), flips, "{square} in\n{position}");
        let after = position.apply(Move::Place(square));
        match after {
            Ok(after) => {
                assert!(!flips.is_empty());
                assert_eq!(
                    SlowBoard::of(&after),
                    slow.play(square),
                    "{square} in\n{position}"
                );
                assert_eq!(board.play(square), Some(after.board));
            }
            Err(error) => {
                assert!(flips.is_empty());
                assert_eq!(board.play(square), None);
                let reason = if !board.size().contains(square) {
                    IllegalMove::OffBoard(square, board.size())
                } else if board.is_over() {
                    IllegalMove::GameOver
                } else if position.disc(square).is_some() {
                    IllegalMove::Occupied(square)
                } else if board.must_pass() {
                    IllegalMove::MustPass(square)
                } else {
                    IllegalMove::OutflanksNothing(square)
                };
                assert_eq!(error, reason);
            }
        }
    }

    let plain = slow.count(Color::Black) - slow.count(Color::White);
    let empties = slow.discs.iter().filter(|disc| disc.is_none()).count() as i32;
    assert_eq!(position.score(Scoring::Plain), plain);
    assert_eq!(
        position.score(Scoring::Tournament),
        plain + plain.signum() * empties
    );
}

#[test]
fn any_distribution_of_discs() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for size in Size::ALL {
        for i in 0..4_000 {
            let board = slow::random_board(&mut rng, size);
            let to_move = if i % 2 == 0 {
                Color::Black
            } else {
                Color::White
            };
            check(&Position { board, to_move });
        }
    }
}

#[test]
fn reachable_positions() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    for size in Size::ALL {
        for _ in 0..1_000 {
            check(&slow::random_reachable(&mut rng, size));
        }
    }
}

#[test]
fn full_rows_in_all_directions_from_every_square() {
    // The mover on the whole rim, the opponent inside, one square empty: the longest rows.
    for size in Size::ALL {
        for hole in size.squares() {
            let rim = size.squares().filter(|s| {
                let last = size.side() - 1;
                [s.column(), s.row()].iter().any(|&x| x == 0 || x == last)
            });
            let hole: SquareSet = [hole].into_iter().collect();
            let own = rim.collect::<SquareSet>() & !hole;
            let opp = size.squares() & !own & !hole;
            let board = Board::new(size, own, opp).expect("a position");
            check(&Position {
                board,
                to_move: Color::White,
            });
        }
    }
}
