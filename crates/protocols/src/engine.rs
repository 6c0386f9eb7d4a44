use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use outflank_rules::{Game, Move, Size};

/// Something that thinks about positions: what a session serves.
///
/// It is called on a thread of its own, one task at a time.
pub trait Engine: Send {
    /// The name to show, such as `Outflank`.
    fn name(&self) -> String;

    /// The version to show.
    fn version(&self) -> String;

    /// Whether it plays on boards of this size.
    fn plays(&self, size: Size) -> bool;

    /// Thinks about the current position of a game in which the mover has a move, until it has used
    /// what the task allows or `task.stop` is set, whichever is first. After that it returns within
    /// milliseconds, and even when stopped at once with at least one line.
    ///
    /// `progress` may be called with better and better lines meanwhile, a few times a second.
    fn think(
        &mut self,
        task: &Task,
        progress: &mut dyn FnMut(&[Line]),
    ) -> Result<Thought, ThinkError>;
}

/// Why an engine could not think.
pub type ThinkError = Box<dyn Error + Send + Sync>;

/// What to think about, and how long.
#[derive(Clone, Debug)]
pub struct Task {
    /// The game up to the position in question.
    pub game: Game,
    /// How many different first moves are wanted with their evaluations, at least 1.
    pub lines: usize,
    /// The strength that was asked for, if any: search depth in the words of NBoard, whatever the
    /// engine makes of it.
    pub level: Option<u32>,
    /// The time to use at most; the session sets `stop` when it is over.
    pub time: Option<Duration>,
    /// How much more than its worth a draw is for Black, in 1/100 discs.
    pub contempt: i32,
    /// Whether this is thinking on the opponent's time, which goes on until it is stopped.
    pub ponder: bool,
    /// Set when the result is wanted at once.
    pub stop: Stop,
}

/// A flag that says to stop thinking. Clones are the same flag.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks to stop.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether to stop.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, true once it is set, for searches that watch one.
    pub fn as_atomic(&self) -> &AtomicBool {
        &self.0
    }
}

/// The outcome of thinking.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
    /// The best line first, up to as many as were asked for, each with another first move.
    pub lines: Vec<Line>,
    /// How many positions were looked at.
    pub nodes: u64,
}

/// A move with what is expected to follow.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The principal variation, passes included; the first is the move itself.
    pub moves: Vec<Move>,
    /// The expected final disc difference for the mover.
    pub evaluation: f64,
    /// How far it was looked ahead.
    pub depth: Depth,
}

/// How much is known of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Looked so many plies ahead.
    Plies(u32),
    /// Searched to the end selectively, right with this probability in percent, 1 to 99.
    Selective(u32),
    /// Winner and loser are proven, or the draw; the discs are not.
    WinLoss,
    /// The evaluation is the exact score.
    Exact,
}

impl fmt::Display for Depth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Depth::Plies(plies) => write!(f, "{plies}"),
            Depth::Selective(percent) => write!(f, "{percent}%"),
            Depth::WinLoss => f.write_str("100%W"),
            Depth::Exact => f.write_str("100%"),
        }
    }
}

impl Depth {
    /// Reads what engines write: a number, perhaps with more behind it.
    pub(crate) fn parse(text: &str) -> Option<Depth> {
        let end = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        let (number, rest) = text.split_at(end);
        Some(match (number.parse().ok()?, rest.as_bytes()) {
            (100, [b'%', b'W' | b'w', ..]) => Depth::WinLoss,
            (100, [b'%', ..]) => Depth::Exact,
            (percent, [b'%', ..]) => Depth::Selective(percent),
            (plies, _) => Depth::Plies(plies),
        })
    }
}
