//! Protocols.

mod clock;
mod engine;
pub mod gtp;
pub mod nboard;

pub use clock::TimeControl;
pub use engine::{Depth, Engine, Line, Stop, Task, ThinkError, Thought};
