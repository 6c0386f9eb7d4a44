//! Positions with the exact scores of all their moves.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use outflank_arena::{AlphaBeta, Player};
use outflank_formats::obf::{self, ScoredPosition};
use outflank_rules::{Board, Color, Game, Move, Position, Size, Symmetry};
use outflank_solver::{SolveOptions, Solver};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::args;
use crate::output::{Output, expect_outside_runs};
use crate::progress::{bar, say};

/// The positions come from games of alpha-beta search of this depth,
const DEPTH: u32 = 2;

/// with this share of random moves, so that no two are alike and many are not level.
const RANDOM_MOVES: f64 = 0.2;

/// So many games without a new position: there are hardly more.
const PATIENCE: usize = 2000;

/// The most empty squares that can be asked for: more take minutes each.
const MOST_EMPTIES: u32 = 24;

/// Memory of each thread's solver.
const TABLE_BYTES: usize = 64 << 20;

/// A position with a choice of moves, and what they are worth.
pub struct Solved {
    pub board: Board,
    /// Every legal move with the final disc difference for the mover, empties to the winner.
    pub scores: Vec<(Move, i32)>,
}

impl Solved {
    /// The score under best play.
    pub fn best(&self) -> i32 {
        let scores = self.scores.iter().map(|&(_, score)| score);
        scores.max().expect("there is a choice of moves")
    }

    /// The score after a legal move.
    pub fn score(&self, mv: Move) -> i32 {
        let known = self.scores.iter().find(|&&(known, _)| known == mv);
        known.expect("all legal moves have a score").1
    }
}

/// Which positions to make.
pub struct Wanted {
    /// The numbers of empty squares.
    pub empties: Vec<u32>,
    /// So many with each.
    pub positions: usize,
    /// What they follow from.
    pub seed: u64,
}

impl Wanted {
    /// What the arguments ask for, as far as the board has so many squares.
    pub fn new(size: Size, args: &args::Accuracy) -> Result<Wanted> {
        let (least, most) = (args.least_empties, args.most_empties);
        let limit = most_empties(size);
        // A small board has fewer squares than the default asks for.
        let most = if most <= MOST_EMPTIES {
            most.min(limit)
        } else {
            most
        };
        if !(1..=most).contains(&least) || most > limit {
            bail!(
                "--least-empties is {least} and --most-empties {most}; expected 1 to {limit}, in order"
            );
        }
        Ok(Wanted {
            empties: (least..=most).collect(),
            positions: args.positions,
            seed: args.seed,
        })
    }
}

/// The most empty squares of a position on this board.
pub fn most_empties(size: Size) -> u32 {
    (size.area() as u32 - 4).min(MOST_EMPTIES)
}

/// The positions of a file, or those that are wanted, which are then kept there.
pub fn positions(
    size: Size,
    wanted: &Wanted,
    file: Option<&Path>,
    threads: usize,
) -> Result<Vec<Solved>> {
    let Some(path) = file else {
        return Ok(generate(size, wanted, threads));
    };
    if path.exists() {
        say(&format!(
            "{}: its positions are taken, whatever the other options say of positions",
            path.display()
        ));
        return read(path, size);
    }
    expect_outside_runs(path)?;
    let output = Output::begin(path)?;
    let positions = generate(size, wanted, threads);
    let mut text =
        b"% Positions with the exact score of every move, empties to the winner.\n".to_vec();
    write(&mut text, &positions)?;
    output.finish(&text)?;
    Ok(positions)
}

/// Writes positions as OBF, one a line.
pub fn write(text: &mut Vec<u8>, positions: &[Solved]) -> Result<()> {
    for solved in positions {
        let record = ScoredPosition {
            position: Position {
                board: solved.board,
                to_move: Color::Black,
            },
            scores: solved.scores.clone(),
        };
        obf::write(text, &record)?;
    }
    Ok(())
}

fn read(path: &Path, size: Size) -> Result<Vec<Solved>> {
    let name = path.display().to_string();
    let file = File::open(path).with_context(|| format!("{name}: cannot be read"))?;
    parse(BufReader::new(file), &name, size)
}

/// Reads positions as OBF; `name` is that of the file.
pub fn parse(input: impl BufRead, name: &str, size: Size) -> Result<Vec<Solved>> {
    let mut positions = Vec::new();
    for record in obf::read(input, name) {
        let ScoredPosition { position, scores } = record?;
        let board = position.board;
        let number = positions.len() + 1;
        if board.size() != size {
            bail!(
                "{name}: position {number} is one of {}; the model plays on {size}",
                board.size()
            );
        }
        if board.legal_moves().is_empty() {
            bail!("{name}: position {number} has no legal move; expected one or more");
        }
        let is_known = |mv: &Move| scores.iter().any(|(known, _)| known == mv);
        if let Some(mv) = board.moves().find(|mv| !is_known(mv)) {
            bail!(
                "{name}: position {number} lacks the score of {mv}; expected those of all legal moves (`outflank solve` tells them)"
            );
        }
        positions.push(Solved { board, scores });
    }
    Ok(positions)
}

/// Makes the positions: by empty squares in their order, the same for the same seed.
pub fn generate(size: Size, wanted: &Wanted, threads: usize) -> Vec<Solved> {
    let mut boards = Vec::new();
    for &empties in &wanted.empties {
        draw(size, empties, wanted.positions, wanted.seed, &mut boards);
    }
    solve(&boards, threads)
}

/// Adds positions with so many empty squares that differ by more than a symmetry.
fn draw(size: Size, empties: u32, count: usize, seed: u64, boards: &mut Vec<Board>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(u64::from(empties));
    let mut seen = HashSet::new();
    let mut patience = PATIENCE;
    while seen.len() < count && patience > 0 {
        match play_down_to(size, empties, &mut rng).filter(|board| seen.insert(key(board))) {
            Some(board) => {
                boards.push(board);
                patience = PATIENCE;
            }
            None => patience -= 1,
        }
    }
}

/// One game up to the wanted position, if it comes to one with a choice of moves.
fn play_down_to(size: Size, empties: u32, rng: &mut ChaCha8Rng) -> Option<Board> {
    let mut player = AlphaBeta::new(DEPTH);
    let mut game = Game::new(size);
    while !game.is_over() {
        let board = game.position().board;
        if board.empties() == empties && !board.must_pass() {
            return (board.legal_moves().len() > 1).then_some(board);
        }
        let moves: Vec<Move> = board.moves().collect();
        let mv = if moves.len() == 1 || rng.random_bool(RANDOM_MOVES) {
            moves[rng.random_range(0..moves.len())]
        } else {
            player.choose(&game).ok()?
        };
        game.play(mv).ok()?;
    }
    None
}

/// Equal exactly for boards that a symmetry maps onto each other.
fn key(board: &Board) -> (u64, u64) {
    let turned = Symmetry::ALL.iter().map(|symmetry| {
        let board = symmetry.board(board);
        (board.own().bits(), board.opp().bits())
    });
    turned.min().expect("there are eight symmetries")
}

/// Solves all boards, in their order.
fn solve(boards: &[Board], threads: usize) -> Vec<Solved> {
    let bar = bar(boards.len() as u64, "solving", "positions");
    let next = AtomicUsize::new(0);
    let mut solved: Vec<(usize, Solved)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut solver = Solver::new(TABLE_BYTES);
                    let mut solved = Vec::new();
                    loop {
                        let place = next.fetch_add(1, Ordering::Relaxed);
                        let Some(board) = boards.get(place) else {
                            return solved;
                        };
                        solved.push((place, solve_one(&mut solver, board)));
                        bar.inc(1);
                    }
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("no solver panics"))
            .collect()
    });
    bar.finish_and_clear();
    solved.sort_by_key(|&(place, _)| place);
    solved.into_iter().map(|(_, solved)| solved).collect()
}

fn solve_one(solver: &mut Solver, board: &Board) -> Solved {
    let scores = solver.solve_moves(board, &SolveOptions::default());
    Solved {
        board: *board,
        scores: scores
            .into_iter()
            .map(|(mv, bounds)| (mv, bounds.exact().expect("there was no limit")))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_follow_from_the_seed_and_differ() {
        let draw_at = |seed| {
            let mut boards = Vec::new();
            draw(Size::Six, 6, 10, seed, &mut boards);
            boards
        };
        let boards = draw_at(1);
        assert_eq!(boards.len(), 10);
        assert_eq!(boards, draw_at(1));
        assert_ne!(boards, draw_at(2));
        for board in &boards {
            assert!(board.empties() == 6 && board.legal_moves().len() > 1);
        }
        for (solved, board) in solve(&boards, 2).iter().zip(&boards) {
            assert_eq!(solved.board, *board);
            assert_eq!(solved.best(), Solver::new(1 << 16).exact(board));
        }
    }
}
