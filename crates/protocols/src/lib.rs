//! The protocols by which Reversi programs talk to each other: NBoard's, version 2, and GTP.
//!
//! - [`nboard`] and [`gtp`]: the lines of both sides as types that read and write themselves.
//! - [`serve`]: the engine's side. Anything that implements [`Engine`] becomes a program for GUIs
//!   and tournament managers; it thinks beside the input, and is stopped the moment the other side
//!   wants something else.
//! - [`ExternalEngine`]: the controller's side. A program described by an [`EngineDescription`]
//!   becomes a player that is watched, and started again after a failure.
//!
//! Deliberately absent: search and evaluation, which are behind [`Engine`]; referees and clocks of
//! matches, which are the arena's.

mod client;
mod clock;
mod engine;
pub mod gtp;
mod lines;
pub mod nboard;
mod serve;

pub use client::{Choice, ClientError, EngineDescription, ExternalEngine};
pub use clock::TimeControl;
pub use engine::{Depth, Engine, Line, Stop, Task, ThinkError, Thought};
pub use serve::{Protocol, ServeOptions, serve};
