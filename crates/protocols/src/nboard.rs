//! The protocol of NBoard, version 2: its lines as types.
//!
//! The GUI sends a [`Command`] a line, the engine a [`Message`] a line; both pass over lines that
//! they do not know. Evaluations are disc differences from the mover's side.

mod command;
mod message;

pub use command::{Command, CommandError};
pub use message::Message;

use outflank_rules::Move;

/// A line of the protocol that has a known first word, but not what should follow it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found:?}")]
pub struct LineError {
    /// What should be there.
    pub expected: &'static str,
    /// What is there.
    pub found: String,
}

impl LineError {
    fn new(expected: &'static str, found: &str) -> LineError {
        LineError {
            expected,
            found: found.chars().take(60).collect(),
        }
    }
}

/// A move as the protocol writes it, with what is said about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveText {
    /// The move.
    pub mv: Move,
    /// The expected disc difference for the player who moved.
    pub evaluation: Option<f64>,
    /// The time that the player took.
    pub seconds: Option<f64>,
}

impl std::str::FromStr for MoveText {
    type Err = LineError;

    /// Reads `F5`, `F5/1.5` or `F5//12.3`.
    fn from_str(text: &str) -> Result<MoveText, LineError> {
        let error = || LineError::new("a move such as F5, PA or F5/1.5/12.3", text);
        let mut fields = text.trim().split('/');
        let mv = fields
            .next()
            .unwrap_or_default()
            .parse()
            .map_err(|_| error())?;
        let mut next = || match fields.next().map(str::trim) {
            None | Some("") => Ok(None),
            Some(field) => number(field).map(Some).ok_or_else(error),
        };
        Ok(MoveText {
            mv,
            evaluation: next()?,
            seconds: next()?,
        })
    }
}

impl std::fmt::Display for MoveText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&move_name(self.mv))?;
        match (self.evaluation, self.seconds) {
            (None, None) => Ok(()),
            (Some(evaluation), None) => write!(f, "/{evaluation:.2}"),
            (None, Some(seconds)) => write!(f, "//{seconds:.2}"),
            (Some(evaluation), Some(seconds)) => write!(f, "/{evaluation:.2}/{seconds:.2}"),
        }
    }
}

/// `F5` or `PA`.
fn move_name(mv: Move) -> String {
    match mv {
        Move::Place(square) => square.to_string().to_ascii_uppercase(),
        Move::Pass => "PA".to_owned(),
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}
