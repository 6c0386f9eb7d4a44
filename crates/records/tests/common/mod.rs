//! Random games with made-up searches.
#![allow(dead_code, reason = "not every test uses everything")]

use outflank_records::*;
use outflank_rules::{Board, Color, Move, Scoring, Size};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A random game to the end; `searched(ply)` says how each ply that is not a pass was searched.
pub fn game(size: Size, seed: u64, searched: impl Fn(usize) -> Option<SearchKind>) -> GameRecord {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut board, mut to_move) = (Board::start(size), Color::Black);
    let mut plies = Vec::new();
    while !board.is_over() {
        let moves: Vec<_> = board.moves().collect();
        let mv = moves[rng.random_range(0..moves.len())];
        let search = searched(plies.len()).filter(|_| !mv.is_pass()).map(|kind| {
            let mut weights = [0.0; 64];
            for square in board.legal_moves() {
                weights[square.index()] = rng.random();
            }
            SearchRecord {
                kind,
                policy: PolicyTarget::from_weights(&weights),
                value: rng.random_range(-1.0..=1.0),
                visits: rng.random_range(1..800),
                surprise: rng.random_range(0.0..3.0),
            }
        });
        plies.push(PlyRecord { mv, search });
        board = board.apply(mv).expect("a legal move");
        to_move = !to_move;
    }
    let margin = to_move.sign() * board.score(Scoring::Tournament);
    GameRecord {
        size,
        seed,
        players: None,
        plies,
        ending: Ending::Played,
        black_margin: margin as i8,
    }
}

/// A game searched at every ply from the fifth.
pub fn searched_game(size: Size, seed: u64) -> GameRecord {
    game(size, seed, |ply| (ply >= 4).then_some(SearchKind::Full))
}

/// A small game that uses every field and kind.
pub fn varied_game(seed: u64) -> GameRecord {
    let kinds = [
        None,
        Some(SearchKind::Full),
        Some(SearchKind::Fast),
        Some(SearchKind::Solved),
    ];
    GameRecord {
        players: Some(Players {
            black: "greedy".into(),
            white: "naïve".into(),
        }),
        ..game(Size::Four, seed, |ply| kinds[ply % 4])
    }
}

/// The index of the first pass of a game.
pub fn first_pass(game: &GameRecord) -> Option<usize> {
    game.plies.iter().position(|ply| ply.mv == Move::Pass)
}
