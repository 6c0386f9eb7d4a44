use std::fmt;
use std::io;

use outflank_rules::{BoardError, ParsePositionError, SizeError, TranscriptError};

/// A place in a file, counted from where the reader started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a text file, the first is 1.
    Line(u64),
    /// An offset into a binary file, the first byte is 0.
    Byte(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// A record that could not be read: which file, where, and why.
#[derive(Debug, thiserror::Error)]
#[error("{file}, {place}: {problem}")]
pub struct Error {
    /// The name of the file as the caller gave it.
    pub file: String,
    /// Where in the file.
    pub place: Place,
    /// What is wrong there.
    #[source]
    pub problem: Problem,
}

/// What is wrong with a piece of input.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The file could not be read any further. Readers end after it, even those that skip.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Something else stands where the grammar wants `expected`.
    #[error("expected {expected}, found {found}")]
    Syntax {
        /// What the grammar wants.
        expected: &'static str,
        /// What is there, shortened and quoted, or what is the matter with it.
        found: String,
    },
    /// Text that is no position.
    #[error(transparent)]
    Position(#[from] ParsePositionError),
    /// The discs of a starting position are no position.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// A board of a size that is not played here.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// A move that the rules do not allow.
    #[error("ply {ply}: {reason}")]
    IllegalMove {
        /// The ply, the first is 1; passes count.
        ply: usize,
        /// Why the rules do not allow it.
        reason: String,
    },
    /// The game was replayed to its end and its stored score is another one.
    #[error("the stored score gives Black {stored}, the moves played give Black {replayed}")]
    Score {
        /// Black's discs as the file says, empty squares to the winner.
        stored: u8,
        /// Black's discs as the moves say, empty squares to the winner.
        replayed: u8,
    },
    /// Moves in a row that are not a game.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
    /// The header announces another number of records than follow.
    #[error("the header announces {announced} records, but the file {found}")]
    Count {
        /// What the header says.
        announced: u64,
        /// Where the file ends instead.
        found: String,
    },
    /// One record, or one line, is longer than any real one; reading on would fill the memory.
    #[error("the record is longer than {limit} bytes")]
    TooLong {
        /// The longest that is accepted, in bytes.
        limit: usize,
    },
}

impl Problem {
    /// A [`Problem::Syntax`] that quotes the start of what was found.
    pub(crate) fn syntax(expected: &'static str, found: &str) -> Problem {
        const SHOWN: usize = 24;
        let mut quoted: String = found.chars().take(SHOWN).collect();
        if quoted.len() < found.len() {
            quoted.push_str("...");
        }
        let found = if found.is_empty() {
            "nothing".to_owned()
        } else {
            format!("{quoted:?}")
        };
        Problem::Syntax { expected, found }
    }

    /// A [`Problem::Count`] for a file in which, after `read` whole records, `rest` bytes come that
    /// are not another record of those announced.
    pub(crate) fn count(announced: u64, read: u64, rest: usize) -> Problem {
        let found = match rest {
            0 => format!("ends after {read} of them"),
            _ if read < announced => format!("ends {rest} bytes into number {}", read + 1),
            _ => "goes on after them".to_owned(),
        };
        Problem::Count { announced, found }
    }
}

/// A game, or a part of one, that a format has no way to write.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The output could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The format cannot hold this.
    #[error("{format} cannot hold {what}")]
    Inexpressible {
        /// The name of the format.
        format: &'static str,
        /// What it cannot hold.
        what: String,
    },
}
