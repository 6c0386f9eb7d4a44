use outflank_rules::{
    Color, Game, Move, ParsePositionError, Passes, Position, Scoring, TranscriptError,
};
use serde::{Deserialize, Serialize};

use super::referee::{Breach, BreachReason};
use crate::PlayerError;
use crate::stats::Outcome;
use crate::symmetry::GameKey;

/// A game of a match, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayedGame {
    /// The pair that it belongs to, counted from 0.
    pub pair: usize,
    /// The opening's place in its set, counted from 0.
    pub opening: usize,
    /// The player with the black discs: 0 or 1.
    pub black: usize,
    /// Where it began, in 64-character notation.
    pub start: String,
    /// The moves from there, two characters each, passes written `pa`.
    pub moves: String,
    /// How many of them, passes counted, are the opening's.
    pub opening_plies: usize,
    /// Black's final disc difference, empty squares to the winner; none after a forfeit.
    pub margin: Option<i32>,
    /// How it ended.
    pub end: End,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum End {
    /// Neither player had a move left.
    Over,
    /// A player lost it by other means than the rules.
    Forfeit {
        /// The player who lost: 0 or 1.
        by: usize,
        /// In which way.
        how: ForfeitKind,
        /// What exactly happened.
        reason: String,
    },
}

/// How a game can be lost before it is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForfeitKind {
    /// A move against the rules.
    IllegalMove,
    /// An answer that is no move.
    NotAMove,
    /// No answer in time.
    TimeOut,
    /// The player has ended.
    Crash,
}

/// A kept game that cannot be played again: not one that this crate has written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReplayError {
    /// Where it began is no position.
    #[error("the start of the game: {0}")]
    Start(#[from] ParsePositionError),
    /// The moves are not legal.
    #[error("the moves of the game: {0}")]
    Moves(#[from] TranscriptError),
}

impl PlayedGame {
    pub(super) fn new(
        (pair, opening, black): (usize, usize, usize),
        opening_plies: usize,
        game: &Game,
        result: Result<(), Breach>,
    ) -> PlayedGame {
        let end = match result {
            Ok(()) => End::Over,
            Err(breach) => End::Forfeit {
                by: match breach.by {
                    Color::Black => black,
                    Color::White => 1 - black,
                },
                how: match &breach.reason {
                    BreachReason::Illegal(..) => ForfeitKind::IllegalMove,
                    BreachReason::Player(PlayerError::NotAMove(_)) => ForfeitKind::NotAMove,
                    BreachReason::Player(PlayerError::TimedOut(_)) => ForfeitKind::TimeOut,
                    BreachReason::Player(PlayerError::Crashed(_)) => ForfeitKind::Crash,
                },
                reason: breach.reason.to_string(),
            },
        };
        PlayedGame {
            pair,
            opening,
            black,
            start: game.start().notation(),
            moves: game.transcript(Passes::Written),
            opening_plies,
            margin: (end == End::Over).then(|| game.score(Scoring::Tournament)),
            end,
        }
    }

    /// The outcome for player 0 or 1.
    pub fn outcome(&self, player: usize) -> Outcome {
        match &self.end {
            End::Forfeit { by, .. } if *by == player => Outcome::Loss,
            End::Forfeit { .. } => Outcome::Win,
            End::Over => Outcome::of_margin(self.margin_of(player).unwrap_or(0)),
        }
    }

    /// The final disc difference of player 0 or 1, empty squares to the winner; none after a
    /// forfeit.
    pub fn margin_of(&self, player: usize) -> Option<i32> {
        let sign = if self.black == player { 1 } else { -1 };
        self.margin.map(|margin| sign * margin)
    }

    /// Plays the game again.
    pub fn replay(&self) -> Result<Game, ReplayError> {
        let start: Position = self.start.parse()?;
        Ok(Game::from_transcript(start, &self.moves)?)
    }

    /// Equal for games with the same moves, up to symmetry, and the same player as Black.
    pub(super) fn key(&self) -> Result<(usize, GameKey), ReplayError> {
        let game = self.replay()?;
        let moves: Vec<Move> = game.plies().iter().map(|ply| ply.mv).collect();
        Ok((self.black, GameKey::new(&game.start(), &moves)))
    }
}
