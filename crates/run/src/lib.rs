//! A training run as immutable files at one location: the only code that touches storage.
//!
//! ```text
//! run.json                                the format of the run
//! config.toml                             the resolved configuration, written once
//! games/<generation>/<worker>-<seq>.rec   chunks of game records, see `outflank_records::chunk`
//! models/<seq>-<trainer>/<file>           what a trainer puts before it commits
//! log/<seq>.json                          the commits: what was taken, which model came of it
//! matches/<name>.json metrics/<name>.json results that nothing depends on
//! ```
//!
//! # What is promised
//!
//! Every file is written with *create if absent* and never changed; only [`Run::prune`] deletes, by
//! the rule of [`Run::prunable`]. A file is there whole or not
//! at all; of many processes that create the same file one wins, and the others learn it. So any
//! process may be killed at any instant and started again:
//!
//! - Entry `n` of the log is the commit of model `n`. It may take chunks of generation `n - 1`
//!   only, the games that model `n - 1` played; so no chunk is ever counted twice, and a chunk that
//!   arrives after the commit is stale.
//! - A trainer puts its model first and then creates the log's next entry. Killed in between, it
//!   leaves a model that nobody refers to. A rival trainer loses the creation and has to stop.
//! - Files of text end with a digest of what stands before, chunks begin with one, and the log has
//!   those of models and chunks: whoever reads a file that was changed afterwards says so.
//! - In a local folder a file that was written is flushed to the disk before the call returns, and
//!   so is its folder's entry: it survives a power cut as far as disk and file system keep their
//!   word. A killed writer can leave a file such as `000001.json#1` behind; listings ignore it.
//!
//! # Where to start
//!
//! [`Store`] is a location with these operations and a backoff around each call; [`Run`] gives
//! them meaning; [`Run::commit`] and [`LogEntry`] carry the invariant; [`Run::audit`] checks a run
//! from its files alone. Everything is synchronous outside: do not call it from an async task.
//!
//! Deliberately absent: what a model or a configuration contains, and any decision of a trainer or
//! a worker.

mod audit;
mod bucket;
mod error;
mod key;
mod location;
mod log;
mod lookout;
mod model;
mod prune;
mod retry;
mod run;
mod seal;
mod store;

pub use audit::Audit;
pub use error::RunError;
pub use key::{ChunkKey, Name};
pub use location::{Location, Provider};
pub use log::{Commit, LogEntry, TakenChunk, Totals};
pub use lookout::Lookout;
pub use model::FileRef;
pub use prune::Prunable;
pub use retry::{Backoff, Retry};
pub use run::{Folder, Run};
pub use store::{Created, Store};
