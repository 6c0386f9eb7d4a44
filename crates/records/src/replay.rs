use outflank_rules::{Board, Color, IllegalMove, Scoring, Square};

use crate::{Ending, GameRecord, PlyRecord};

/// A record that the rules, or its own result, contradict. Plies count from 1.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ReplayError {
    /// A ply is against the rules.
    #[error("ply {ply}: {source}")]
    Illegal {
        /// Which ply.
        ply: usize,
        /// The rule it breaks.
        source: IllegalMove,
    },
    /// A policy gives weight to a square where the player could not move.
    #[error("ply {ply}: the policy has weight on {square}, which is not legal")]
    Policy {
        /// Which ply.
        ply: usize,
        /// The square.
        square: Square,
    },
    /// A search value is not a number from -1 to 1.
    #[error("ply {ply}: the value is {value}; expected -1 to 1")]
    Value {
        /// Which ply.
        ply: usize,
        /// The value.
        value: f32,
    },
    /// A game recorded as played out stops while a player can move.
    #[error("the game stops after {plies} plies although it is not over")]
    Unfinished {
        /// How many plies there are.
        plies: usize,
    },
    /// The recorded result is not that of the last position.
    #[error("the recorded result is {recorded} for Black, the last position says {counted}")]
    Result {
        /// Black's margin in the record.
        recorded: i32,
        /// Black's tournament score on the board.
        counted: i32,
    },
    /// The recorded result cannot be one.
    #[error("the recorded result of {0} for Black is impossible")]
    Margin(i32),
}

/// A position of a game and what happened in it.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Plies played before this position.
    pub ply: usize,
    /// The position, seen by the player to move.
    pub board: Board,
    /// The player to move.
    pub to_move: Color,
    /// What was played here.
    pub record: &'a PlyRecord,
}

/// Walks through a game and checks it: an iterator over its [`Step`]s. A record that is wrong
/// gives one error, at the first wrong ply or, where only the result is wrong, after the last; so
/// a walk without an error is a valid game.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    record: &'a GameRecord,
    board: Board,
    to_move: Color,
    ply: usize,
    /// Set after the check of the result, and after an error.
    done: bool,
}

impl GameRecord {
    /// Walks through the game from its start.
    pub fn replay(&self) -> Replay<'_> {
        Replay {
            record: self,
            board: Board::start(self.size),
            to_move: Color::Black,
            ply: 0,
            done: false,
        }
    }

    /// Checks every ply and the result.
    pub fn verify(&self) -> Result<(), ReplayError> {
        self.replay().try_for_each(|step| step.map(drop))
    }
}

impl<'a> Replay<'a> {
    /// The position after the steps so far, seen by the player to move.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The player to move in [`Replay::board`].
    pub fn to_move(&self) -> Color {
        self.to_move
    }

    fn advance(&mut self, record: &'a PlyRecord) -> Result<Step<'a>, ReplayError> {
        let ply = self.ply + 1;
        let after = self
            .board
            .apply(record.mv)
            .map_err(|source| ReplayError::Illegal { ply, source })?;
        if let Some(search) = &record.search {
            let stray = search.policy.support() & !self.board.legal_moves();
            if let Some(square) = stray.first() {
                return Err(ReplayError::Policy { ply, square });
            }
            if !(-1.0..=1.0).contains(&search.value) {
                return Err(ReplayError::Value {
                    ply,
                    value: search.value,
                });
            }
        }
        let step = Step {
            ply: self.ply,
            board: self.board,
            to_move: self.to_move,
            record,
        };
        self.board = after;
        self.to_move = !self.to_move;
        self.ply = ply;
        Ok(step)
    }

    fn check_result(&self) -> Result<(), ReplayError> {
        let recorded = i32::from(self.record.black_margin);
        let over = self.board.is_over();
        let counted = self.to_move.sign() * self.board.score(Scoring::Tournament);
        match self.record.ending {
            Ending::Played if !over => Err(ReplayError::Unfinished { plies: self.ply }),
            Ending::Played | Ending::Solved if over && recorded != counted => {
                Err(ReplayError::Result { recorded, counted })
            }
            Ending::Resigned if recorded == 0 => Err(ReplayError::Margin(recorded)),
            _ if recorded.unsigned_abs() as usize > self.record.size.area() => {
                Err(ReplayError::Margin(recorded))
            }
            _ => Ok(()),
        }
    }
}

impl<'a> Iterator for Replay<'a> {
    type Item = Result<Step<'a>, ReplayError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let step = match self.record.plies.get(self.ply) {
            Some(record) => self.advance(record),
            None => {
                self.done = true;
                return self.check_result().err().map(Err);
            }
        };
        self.done = step.is_err();
        Some(step)
    }
}
