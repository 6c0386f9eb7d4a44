//! What a model plays from the start.

use std::collections::BTreeMap;

use outflank_net::CompiledNetwork;
use outflank_rules::{Board, Move, Size, Symmetry};
use outflank_search::{SearchConfig, search};
use outflank_solver::Solver;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Plies of a line.
pub const PLIES: usize = 5;

/// Simulations for each of its positions.
pub const SIMULATIONS: u32 = 100;

/// Lines less likely than this are not followed.
const LEAST: f64 = 0.01;

/// The search's leaves are far from the end: there is nothing to solve.
const TABLE_BYTES: usize = 1 << 10;

/// A line with its probability.
pub struct Line {
    /// In their standard turn.
    pub moves: String,
    pub probability: f64,
    /// The final disc difference that the search expects after it, for Black.
    pub margin: f32,
}

/// The lines that a model's search likes, the most likely first: each move has the probability
/// that the search gives it, and symmetric lines are one.
pub fn lines(network: &mut CompiledNetwork) -> Vec<Line> {
    let size = network.architecture().size;
    let config = SearchConfig {
        simulations: SIMULATIONS,
        leaf_solve_empties: 0,
        ..SearchConfig::default()
    }
    .without_noise();
    let mut solver = Solver::new(TABLE_BYTES);
    let mut think = |board: &Board| {
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        search(board, &config, network, &mut solver, &mut rng)
    };
    let mut level = vec![(Vec::new(), 1.0)];
    for _ in 0..PLIES {
        let mut next: BTreeMap<String, (Vec<Move>, f64)> = BTreeMap::new();
        for (moves, probability) in &level {
            let Some(board) = after(size, moves) else {
                continue;
            };
            for mv in think(&board).moves {
                let mut moves: Vec<Move> = moves.clone();
                moves.push(mv.mv);
                let likely = probability * f64::from(mv.policy);
                let key = standard(size, &moves);
                next.entry(key).or_insert((moves, 0.0)).1 += likely;
            }
        }
        level = next.into_values().filter(|line| line.1 >= LEAST).collect();
    }
    let mut lines: Vec<Line> = level
        .iter()
        .filter_map(|(moves, probability)| {
            let margin = think(&after(size, moves)?).margin;
            Some(Line {
                moves: standard(size, moves),
                probability: *probability,
                margin: if moves.len() % 2 == 0 {
                    margin
                } else {
                    -margin
                },
            })
        })
        .collect();
    lines.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    lines
}

/// The board after these moves; none if the game is over there.
fn after(size: Size, moves: &[Move]) -> Option<Board> {
    let play = |board: Board, mv: &Move| board.apply(*mv).expect("the search's moves are legal");
    let board = moves.iter().fold(Board::start(size), play);
    (!board.is_over()).then_some(board)
}

/// The moves turned and mirrored to the one way to write them that books use: f5 comes first.
pub fn standard(size: Size, moves: &[Move]) -> String {
    let start = Board::start(size);
    let turns = Symmetry::ALL
        .iter()
        .filter(|turn| turn.board(&start) == start);
    let texts = turns.map(|turn| -> String {
        let turned = moves.iter().map(|&mv| turn.mv(size, mv).to_string());
        turned.collect()
    });
    texts.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use outflank_rules::Game;

    use super::*;

    #[test]
    fn openings_have_one_spelling() {
        let spell = |transcript: &str| {
            let start = Game::new(Size::Eight).start();
            let game = Game::from_transcript(start, transcript).expect("a legal game");
            let moves: Vec<Move> = game.plies().iter().map(|ply| ply.mv).collect();
            standard(Size::Eight, &moves)
        };
        for same in ["f5d6c3", "e6f4c3", "d3c5f6", "c4e3f6"] {
            assert_eq!(spell(same), "f5d6c3");
        }
        assert_eq!(spell("d3e3"), "f5f4");
    }
}
