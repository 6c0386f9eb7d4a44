//! Matches: two players, each opening with both colours, and what came of it.

mod config;
mod display;
mod record;
mod referee;
mod runner;
mod summary;

pub use config::{CrashPolicy, MatchConfig};
pub use record::{End, ForfeitKind, PlayedGame, ReplayError};
pub(crate) use runner::mixed;
pub use runner::{MatchError, MatchObserver, Progress, count_match, play_match, play_part};
pub use summary::{MatchResult, OpeningsUsed, Results, Summary};
