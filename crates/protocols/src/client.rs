//! The controller's side: other programs as players.
//!
//! [`ExternalEngine`] is one program, described by an [`EngineDescription`]. It is started when it
//! is needed, told only what it does not know yet, watched at every answer, and ended and started
//! afresh after any failure. What the failure means for a game is for the caller to say.

mod connection;
mod description;
mod error;
mod external;
mod gtp;
mod nboard;
mod process;

pub use description::EngineDescription;
pub use error::ClientError;
pub use external::{Choice, ExternalEngine};
