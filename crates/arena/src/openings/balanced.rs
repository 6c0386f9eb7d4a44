use std::collections::HashSet;

use outflank_rules::{Board, Game, Move, Position, Size};
use outflank_search::Evaluator;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::{OpeningError, OpeningSet, OpeningSource};
use crate::players::AlphaBeta;
use crate::symmetry::PositionKey;

/// Boards that a judge is asked about at once.
const BATCH: usize = 256;

/// Which balanced openings are wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Balanced {
    /// The board.
    pub size: Size,
    /// The length. There are 67,000 positions up to symmetry after 8 plies on 8x8, and six times
    /// as many with each further ply.
    pub plies: usize,
    /// The largest value, either way, that counts as equal, in the judge's unit.
    pub tolerance: f32,
    /// How many; `None` for all there are, for which all positions have to be judged.
    pub count: Option<usize>,
    /// The seed of their order.
    pub seed: u64,
    /// The judge's name, for reports.
    pub judge: String,
}

impl OpeningSet {
    /// Positions up to symmetry that `judge` sees as nearly equal, in random order. It is given
    /// boards and returns one value each, for the mover.
    pub fn balanced(
        wanted: &Balanced,
        judge: &mut dyn FnMut(&[Board]) -> Vec<f32>,
    ) -> Result<OpeningSet, OpeningError> {
        let source = OpeningSource::Balanced {
            plies: wanted.plies,
            judge: wanted.judge.clone(),
            tolerance: wanted.tolerance,
            seed: wanted.seed,
        };
        let levels = levels(wanted.size, wanted.plies);
        let last = &levels[wanted.plies];
        let mut order: Vec<usize> = (0..last.len())
            .filter(|&i| !last[i].position.board.is_over())
            .collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(wanted.seed));

        let enough = wanted.count.unwrap_or(usize::MAX);
        let mut openings = Vec::new();
        for batch in order.chunks(BATCH) {
            let boards: Vec<Board> = batch.iter().map(|&i| last[i].position.board).collect();
            let values = judge(&boards);
            for (&i, value) in batch.iter().zip(values) {
                if value.abs() <= wanted.tolerance && openings.len() < enough {
                    openings.push(game(&levels, i));
                }
            }
            if openings.len() >= enough {
                break;
            }
        }
        OpeningSet::of_at_least(wanted.count.unwrap_or(1), source, openings)
    }
}

/// All positions after so many plies, up to symmetry, each with one game that leads there.
pub fn positions(size: Size, plies: usize) -> Vec<Game> {
    let levels = levels(size, plies);
    (0..levels[plies].len()).map(|i| game(&levels, i)).collect()
}

/// A position and how it was reached first.
struct Reached {
    position: Position,
    mv: Move,
    /// Its place among the positions one ply earlier.
    parent: usize,
}

/// The positions after 0, 1, ... `plies` plies, passes counted, up to symmetry.
fn levels(size: Size, plies: usize) -> Vec<Vec<Reached>> {
    let start = Reached {
        position: Position::start(size),
        mv: Move::Pass,
        parent: 0,
    };
    let mut levels = vec![vec![start]];
    for _ in 0..plies {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for (parent, reached) in levels[levels.len() - 1].iter().enumerate() {
            let board = reached.position.board;
            let pass = board.must_pass().then_some(Move::Pass);
            for mv in board.legal_moves().map(Move::Place).chain(pass) {
                let position = reached.position.apply(mv).expect("a legal move");
                if seen.insert(PositionKey::new(&position)) {
                    next.push(Reached {
                        position,
                        mv,
                        parent,
                    });
                }
            }
        }
        levels.push(next);
    }
    levels
}

/// The game to the position at place `i` of the last level.
fn game(levels: &[Vec<Reached>], mut i: usize) -> Game {
    let mut moves = Vec::new();
    for level in levels[1..].iter().rev() {
        moves.push(level[i].mv);
        i = level[i].parent;
    }
    let mut game = Game::from_position(levels[0][0].position);
    for mv in moves.into_iter().rev() {
        game.play(mv).expect("the moves were legal when found");
    }
    game
}

/// Judges by alpha-beta search on corners and mobility; the unit is a legal move.
pub fn by_alpha_beta(depth: u32) -> impl FnMut(&[Board]) -> Vec<f32> {
    let search = AlphaBeta::new(depth);
    move |boards| {
        let value = |board: &Board| search.value(board) as f32;
        boards.iter().map(value).collect()
    }
}

/// Judges by the margin that an evaluator expects, in discs.
pub fn by_evaluator(evaluator: &mut dyn Evaluator) -> impl FnMut(&[Board]) -> Vec<f32> {
    let mut evaluations = Vec::new();
    move |boards| {
        // An evaluator is never asked about a mover without a move: there the opponent is next.
        let sides: Vec<(Board, f32)> = boards
            .iter()
            .map(|board| match board.must_pass() {
                true => (board.pass(), -1.0),
                false => (*board, 1.0),
            })
            .collect();
        let asked: Vec<Board> = sides.iter().map(|side| side.0).collect();
        evaluator.evaluate(&asked, &mut evaluations);
        sides
            .iter()
            .zip(&evaluations)
            .map(|((_, sign), evaluation)| sign * evaluation.margin)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use outflank_search::DiscCount;

    use super::*;

    #[test]
    fn all_positions_are_found_once_up_to_symmetry() {
        // Counted by a separate, naive program on dictionaries of squares.
        for (size, expected) in [
            (Size::Four, &COUNTS_4[..]),
            (Size::Six, &COUNTS_6[..]),
            (Size::Eight, &COUNTS_8[..]),
        ] {
            let levels = levels(size, expected.len() - 1);
            let counts: Vec<usize> = levels.iter().map(Vec::len).collect();
            assert_eq!(counts, expected, "{size}");
        }
    }

    const COUNTS_4: [usize; 13] = [1, 1, 3, 11, 31, 95, 264, 640, 1435, 2487, 3323, 3175, 2255];
    const COUNTS_6: [usize; 7] = [1, 1, 3, 14, 60, 314, 1632];
    const COUNTS_8: [usize; 9] = [1, 1, 3, 14, 60, 322, 1773, 10649, 67245];

    fn wanted(count: Option<usize>) -> Balanced {
        Balanced {
            size: Size::Eight,
            plies: 5,
            tolerance: 1.0,
            count,
            seed: 4,
            judge: "disc count".to_owned(),
        }
    }

    #[test]
    fn only_balanced_positions_are_kept() {
        let mut evaluator = DiscCount;
        let mut judge = by_evaluator(&mut evaluator);
        let all = OpeningSet::balanced(&wanted(None), &mut judge).expect("some are");
        let even = positions(Size::Eight, 5)
            .iter()
            .filter(|game| {
                let board = game.position().board;
                board.own().len().abs_diff(board.opp().len()) <= 1
            })
            .count();
        assert_eq!(all.openings().len(), even);
        assert_eq!(all.distinct(even), even);
        // Fewer are a part of all, and more cannot be had.
        let some = OpeningSet::balanced(&wanted(Some(20)), &mut judge).expect("enough are");
        assert_eq!(some.openings(), &all.openings()[..20]);
        let error =
            OpeningSet::balanced(&wanted(Some(even + 1)), &mut judge).expect_err("too many");
        assert!(matches!(error, OpeningError::TooFew { found, .. } if found == even));
    }

    #[test]
    fn judges_see_a_pass_from_the_right_side() {
        // White must pass: Black's margin counts against White.
        let position: Position = "XO-------------- O".parse().expect("a position");
        assert!(position.board.must_pass());
        let white = by_evaluator(&mut DiscCount)(&[position.board, position.board.pass()]);
        assert_eq!(white[0], -white[1]);
        let values = by_alpha_beta(2)(&[position.board, position.board.pass()]);
        assert!(values[0] < 0.0 && values[0] == -values[1]);
    }
}
