//! Random games for the tests.

#![allow(clippy::unwrap_used)] // helpers of tests

use outflank_formats::{AnnotatedGame, Ending, GameResult, Player, Remark, Tags};
use outflank_rules::{Board, Color, Game, Position, Size, Square};
use rand::seq::IteratorRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Random moves, to the end or to an earlier ply.
pub fn play(start: Position, rng: &mut impl Rng) -> Game {
    let mut game = Game::from_position(start);
    let plies = if rng.random_bool(0.5) {
        200
    } else {
        rng.random_range(0..60)
    };
    for _ in 0..plies {
        let Some(mv) = game.position().board.moves().choose(rng) else {
            break;
        };
        game.play(mv).unwrap();
    }
    game
}

/// A game from the usual start of any size.
pub fn usual_game(rng: &mut impl Rng) -> Game {
    let size = Size::ALL.into_iter().choose(rng).unwrap();
    play(Position::start(size), rng)
}

/// A position that need not be reachable.
pub fn odd_position(rng: &mut impl Rng) -> Position {
    let size = Size::ALL.into_iter().choose(rng).unwrap();
    let mut discs = [Vec::<Square>::new(), Vec::new(), Vec::new()];
    for square in size.squares() {
        discs[rng.random_range(0..3)].push(square);
    }
    let [own, opp, _] = discs;
    let board = Board::new(size, own.into_iter().collect(), opp.into_iter().collect()).unwrap();
    let to_move = if rng.random() {
        Color::Black
    } else {
        Color::White
    };
    Position { board, to_move }
}

fn text(rng: &mut impl Rng) -> String {
    let letters = "abc XYZ 0123 éß漢 .;:()[\\/'\"+-_";
    let length = rng.random_range(0..12);
    (0..length)
        .map(|_| letters.chars().choose(rng).unwrap())
        .collect()
}

fn number(rng: &mut impl Rng) -> Option<f64> {
    match rng.random_range(0..4) {
        0 => None,
        1 => Some(f64::from(rng.random_range(-64..=64))),
        2 => Some(f64::from(rng.random_range(-6400..=6400)) / 100.0),
        _ => Some(rng.random_range(-1e6..1e6)),
    }
}

fn player(rng: &mut impl Rng) -> Player {
    Player {
        name: text(rng),
        rating: number(rng),
        clock: text(rng),
    }
}

/// A game with tags and remarks of all kinds, whose result is a score on the board.
pub fn annotated_game(rng: &mut impl Rng) -> AnnotatedGame {
    let start = if rng.random() {
        usual_game(rng).start()
    } else {
        odd_position(rng)
    };
    let mut game = AnnotatedGame::new(start);
    for ply in play(start, rng).plies() {
        game.push(
            ply.mv,
            Remark {
                evaluation: number(rng),
                seconds: number(rng),
            },
        )
        .unwrap();
    }
    let margin = number(rng);
    game.tags = Tags {
        event: text(rng),
        place: text(rng),
        date: text(rng),
        black: player(rng),
        white: player(rng),
        clock: text(rng),
        result: margin.map(|margin| GameResult::Score {
            margin,
            ending: Ending::Played,
        }),
        extra: Vec::new(),
    };
    game
}
