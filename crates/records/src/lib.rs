//! Game records: what self-play and arena games leave behind, and how training reads them back.
//!
//! - [`GameRecord`]: the moves of one game and what the search found at each, no encoded planes,
//!   so that features can change without playing games again. [`GameRecord::replay`] walks the
//!   game and checks it against the rules.
//! - [`chunk`]: many games as bytes, versioned, compressed and checksummed. Any bytes may be handed
//!   to [`chunk::decode`]: it answers with games or with an error, in bounded memory.
//! - [`Window`]: the latest positions of many games in compact form, sampled as [`Sample`]s.
//!
//! Deliberately absent: files and storage (crate `run`), planes and tensors (crates `net` and
//! `train`), and how a game is played (crate `selfplay`).
//!
//! Points of view: a record's result is Black's; every other value belongs to the player to move
//! in its position. Start reading with [`GameRecord`].

pub mod chunk;
mod game;
mod policy;
mod replay;
mod sample;
mod window;

pub use chunk::ChunkError;
pub use game::{Ending, GameRecord, Players, PlyRecord, SearchKind, SearchRecord};
pub use policy::{PolicyError, PolicyTarget};
pub use replay::{Replay, ReplayError, Step};
pub use sample::{Ownership, Sample};
pub use window::{KindWeights, Window};
