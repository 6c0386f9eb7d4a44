//! Test positions with known scores, and a run of the solver through them.
//!
//! A suite is text with one position a line, as the FFO endgame suite is passed around: the
//! position, then what is known of its moves from the mover's view, as in
//! `--XXXXX--OO...OO-- X; G8:+18; H1:+12;`. Entries for squares that are no legal move, which some
//! files end their lines with, are left out, and so is a comment, from `%` to the end of its line.

use std::time::Duration;

use outflank_rules::{Move, ParsePositionError, Position};
use web_time::Instant;

use crate::{Solution, SolveOptions, Solver};

/// A position with what is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The position.
    pub position: Position,
    /// Scores of moves, empty squares to the winner, in the order of the text.
    pub scores: Vec<(Move, i32)>,
}

/// A line that is no case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaseError {
    /// The text before the first semicolon is no position.
    #[error(transparent)]
    Position(#[from] ParsePositionError),
    /// An entry is not a move, a colon and a number.
    #[error("'{0}' is not a scored move; expected one such as G8:+18")]
    Entry(String),
}

impl Case {
    /// Reads a line.
    pub fn parse(line: &str) -> Result<Case, CaseError> {
        let mut fields = line.split(';').map(str::trim);
        let position: Position = fields.next().unwrap_or_default().parse()?;
        let legal: Vec<Move> = position.board.moves().collect();
        let mut scores = Vec::new();
        for field in fields.filter(|field| !field.is_empty()) {
            let entry = field.split_once(':').and_then(|(mv, score)| {
                Some((
                    mv.trim().parse::<Move>().ok()?,
                    score.trim().parse::<i32>().ok()?,
                ))
            });
            let (mv, score) = entry.ok_or_else(|| CaseError::Entry(field.to_owned()))?;
            if legal.contains(&mv) {
                scores.push((mv, score));
            }
        }
        Ok(Case { position, scores })
    }

    /// The score of the best moves, if any is known.
    pub fn best_score(&self) -> Option<i32> {
        self.scores.iter().map(|&(_, score)| score).max()
    }

    /// What is known about a move.
    pub fn score_of(&self, mv: Move) -> Option<i32> {
        self.scores
            .iter()
            .find(|(known, _)| *known == mv)
            .map(|&(_, score)| score)
    }

    /// Solves the position and compares: the score must be the best known one, and so must that of
    /// the move, if it is known.
    pub fn run(&self, solver: &mut Solver, options: &SolveOptions) -> Report {
        let start = Instant::now();
        let solution = solver.solve(&self.position.board, options);
        let time = start.elapsed();
        let best = self.best_score();
        let right = match solution.best {
            Some(mv) => {
                solution.exact() == best && self.score_of(mv).is_none_or(|s| Some(s) == best)
            }
            None => solution.exact() == Some(self.position.board.score(options.scoring)),
        };
        Report {
            solution,
            time,
            right,
        }
    }
}

/// What came of a case.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// The solver's answer.
    pub solution: Solution,
    /// What it took.
    pub time: Duration,
    /// Whether the score and the move agree with what is known.
    pub right: bool,
}

/// Reads all lines of a text that hold more than a comment. An error comes with the number of its line,
/// counted from 1.
pub fn parse(text: &str) -> Result<Vec<Case>, (usize, CaseError)> {
    (1..)
        .zip(text.lines())
        .map(|(number, line)| (number, line.split('%').next().unwrap_or_default()))
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| Case::parse(line).map_err(|error| (number, error)))
        .collect()
}
