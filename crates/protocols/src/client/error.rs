use std::io;
use std::time::Duration;

use outflank_rules::IllegalMove;

/// What can go wrong with an engine outside.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The description makes no engine.
    #[error("engine {engine}: {what}")]
    Description {
        /// The engine's name.
        engine: String,
        /// The key, what was expected, and what was found.
        what: String,
    },
    /// The program could not be started.
    #[error("engine {engine}: cannot start {program}: {source}")]
    Start {
        /// The engine's name.
        engine: String,
        /// The program.
        program: String,
        /// Why not.
        source: io::Error,
    },
    /// It did not answer in time, and was ended.
    #[error("engine {engine}: no answer to '{command}' within {timeout:?}")]
    Timeout {
        /// The engine's name.
        engine: String,
        /// What it was asked.
        command: String,
        /// How long it had.
        timeout: Duration,
    },
    /// It ended by itself.
    #[error("engine {engine}: ended ({status}) before it answered '{command}'{}", tail(.stderr))]
    Crash {
        /// The engine's name.
        engine: String,
        /// What it was asked.
        command: String,
        /// The program's exit status or signal.
        status: String,
        /// The last lines that it wrote to its standard error, if any.
        stderr: String,
    },
    /// It chose a move that the rules do not allow; passes where it has a move are among them.
    #[error("engine {engine}: illegal move '{text}': {reason}")]
    IllegalMove {
        /// The engine's name.
        engine: String,
        /// What it answered.
        text: String,
        /// Why it is not legal.
        reason: IllegalMove,
    },
    /// It gave the game up.
    #[error("engine {engine}: resigned")]
    Resigned {
        /// The engine's name.
        engine: String,
    },
    /// It refused a command that it has to obey.
    #[error("engine {engine}: refused '{command}': {message}")]
    Refused {
        /// The engine's name.
        engine: String,
        /// What it was told.
        command: String,
        /// What it said.
        message: String,
    },
    /// It answered something that is not in the protocol.
    #[error("engine {engine}: expected {expected} after '{command}', found {found:?}")]
    Protocol {
        /// The engine's name.
        engine: String,
        /// What it was told.
        command: String,
        /// What the protocol wants.
        expected: &'static str,
        /// What it said.
        found: String,
    },
    /// The protocol, or the engine, has no way to do this.
    #[error("engine {engine}: {what}")]
    Unsupported {
        /// The engine's name.
        engine: String,
        /// What cannot be done.
        what: String,
    },
}

impl ClientError {
    /// Whether the engine has failed in a game, rather than the one who described or used it: what
    /// a referee counts as its loss.
    pub fn is_engines_fault(&self) -> bool {
        match self {
            ClientError::Timeout { .. }
            | ClientError::Crash { .. }
            | ClientError::IllegalMove { .. }
            | ClientError::Resigned { .. }
            | ClientError::Refused { .. }
            | ClientError::Protocol { .. } => true,
            ClientError::Description { .. }
            | ClientError::Start { .. }
            | ClientError::Unsupported { .. } => false,
        }
    }
}

fn tail(stderr: &str) -> String {
    if stderr.is_empty() {
        String::new()
    } else {
        format!("; it wrote: {stderr}")
    }
}
