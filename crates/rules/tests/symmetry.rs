//! Positions, squares and policies turn and mirror together.

mod slow;

use std::collections::HashSet;

use outflank_rules::{Board, Game, Move, Passes, Position, Size, Square, SquareSet, Symmetry};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn squares_follow_the_definition() {
    let square = |name: &str| name.parse::<Square>().expect("a square");
    // Mirrored columns, mirrored rows, half a turn; then each with columns and rows exchanged.
    for (size, from, images) in [
        (
            Size::Eight,
            "b1",
            ["b1", "g1", "b8", "g8", "a2", "a7", "h2", "h7"],
        ),
        (
            Size::Six,
            "f3",
            ["f3", "a3", "f4", "a4", "c6", "c1", "d6", "d1"],
        ),
        (
            Size::Four,
            "a2",
            ["a2", "d2", "a3", "d3", "b1", "b4", "c1", "c4"],
        ),
    ] {
        for (symmetry, image) in Symmetry::ALL.into_iter().zip(images) {
            assert_eq!(
                symmetry.square(size, square(from)),
                square(image),
                "{symmetry:?}"
            );
        }
    }
}

#[test]
fn sets_and_policies_follow_their_squares() {
    for size in Size::ALL {
        for symmetry in Symmetry::ALL {
            for square in size.squares() {
                let image = symmetry.square(size, square);
                assert!(size.contains(image));
                let alone = SquareSet::from_bits(square.bit());
                assert_eq!(symmetry.set(size, alone).bits(), image.bit());
                assert_eq!(symmetry.mv(size, Move::Place(square)), Move::Place(image));

                let mut policy = [0.0; 64];
                policy[square.index()] = 1.0;
                let transformed = symmetry.policy(size, &policy);
                assert_eq!(
                    transformed.iter().position(|&p| p == 1.0),
                    Some(image.index())
                );
                assert_eq!(transformed.iter().sum::<f32>(), 1.0);
            }
            assert_eq!(symmetry.mv(size, Move::Pass), Move::Pass);
            assert_eq!(symmetry.set(size, size.squares()), size.squares());
            let beyond = !size.squares();
            assert!(symmetry.set(size, beyond).is_empty());
            assert!(
                beyond
                    .into_iter()
                    .all(|square| symmetry.square(size, square) == square)
            );
        }
    }
}

#[test]
fn the_eight_form_a_group() {
    let size = Size::Six;
    for first in Symmetry::ALL {
        assert_eq!(first.then(first.inverse()), Symmetry::IDENTITY);
        assert_eq!(first.inverse().then(first), Symmetry::IDENTITY);
        for second in Symmetry::ALL {
            for square in size.squares() {
                assert_eq!(
                    first.then(second).square(size, square),
                    second.square(size, first.square(size, square)),
                );
            }
        }
    }
    let images: HashSet<Square> = Symmetry::ALL
        .iter()
        .map(|s| s.square(size, size.squares().nth(1).expect("b1")))
        .collect();
    assert_eq!(images.len(), 8);
}

#[test]
fn move_then_transform_equals_transform_then_move() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for size in Size::ALL {
        for i in 0..500 {
            let board = match i % 2 {
                0 => slow::random_board(&mut rng, size),
                _ => slow::random_reachable(&mut rng, size).board,
            };
            for symmetry in Symmetry::ALL {
                let image = symmetry.board(&board);
                assert_eq!(image.legal_moves(), symmetry.set(size, board.legal_moves()));
                assert_eq!(symmetry.inverse().board(&image), board);
                let moves: Vec<Move> = board.moves().collect();
                assert_eq!(image.moves().count(), moves.len());
                for mv in moves {
                    let after = board.apply(mv).expect("a legal move");
                    let image_after = image.apply(symmetry.mv(size, mv));
                    assert_eq!(image_after, Ok(symmetry.board(&after)));
                }
            }
        }
    }
}

#[test]
fn whole_games_transform() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for size in Size::ALL {
        for symmetry in Symmetry::ALL {
            let mut game = Game::new(size);
            let mut image = Game::from_position(Position {
                board: symmetry.board(&Board::start(size)),
                to_move: game.position().to_move,
            });
            while !game.is_over() {
                let moves: Vec<Move> = game.position().board.moves().collect();
                let mv = moves[rng.random_range(0..moves.len())];
                game.play(mv).expect("a legal move");
                image
                    .play(symmetry.mv(size, mv))
                    .expect("the image of a legal move");
            }
            assert!(image.is_over());
            assert_eq!(image.winner(), game.winner());
            assert_eq!(
                image.transcript(Passes::Written).len(),
                game.transcript(Passes::Written).len()
            );
        }
    }
}
