//! The player in the browser: rules, formats, search, solver and network for the page in `page/`.
//!
//! - [`view`] replays a game and says all that the page shows of it; [`read`] takes any text that
//!   holds a game or a position, [`write()`] makes one.
//! - [`Thinker`] thinks about one position, in steps short enough for whoever drives it to listen
//!   in between: the page's worker, or a server.
//! - `bridge` is what JavaScript calls, everything in and out being JSON.
//!
//! All of it but the bridge is plain Rust, the same in a browser and natively. `scripts/build-web.sh`
//! makes the folder `dist/` of this crate and `page/`.
//!
//! Deliberately absent: the page's own state, such as whose clock runs and what was undone.

mod bridge;
mod game;
mod text;
mod thinker;

pub use game::{GameView, PlyView, view};
pub use text::{Format, ReadError, ReadGame, read, write};
pub use thinker::{Aim, Description, MoveThought, Task, TaskError, Thinker, Thought};
