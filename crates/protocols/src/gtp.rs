//! The Go Text Protocol, version 2, as Othello programs speak it: its lines as types.
//!
//! A controller sends one [`Request`] a line; the engine answers each with a [`Reply`]. Colours are
//! `b` and `w`, moves are `f5` or `pass`, times are seconds.

mod command;
mod reply;

pub use command::{BadRequest, Command, CommandError, NAMES, Request};
pub use reply::Reply;
