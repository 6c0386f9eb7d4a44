//! A trained network, and how it was trained, for other programs.
//!
//! - [`to_onnx`]: for ONNX Runtime, OpenVINO, browsers and the like, by a writer of our own.
//! - [`to_burnpack`]: for Rust programs with burn.
//! - Safetensors, for PyTorch and others, is what [`Model::to_bytes`](outflank_net::Model::to_bytes)
//!   makes anyway.
//! - [`card`]: what a person has to know about such a file.
//! - [`CheckData`]: positions with our own evaluations, so that anybody can see whether another
//!   runtime agrees; the programs in `scripts/` do.
//! - [`to_tensorboard`]: the numbers of a run, for TensorBoard.
//!
//! Everything is made in memory, as bytes or text. Deliberately absent: files and folders, which
//! are the command's; reading any of the formats back.

mod burnpack;
mod card;
mod check;
mod onnx;
mod protobuf;
mod tensorboard;

pub use burnpack::{BurnpackError, to_burnpack};
pub use card::{Format, card};
pub use check::{CheckData, random_positions};
pub use onnx::to_onnx;
pub use tensorboard::{Scalar, to_tensorboard};
