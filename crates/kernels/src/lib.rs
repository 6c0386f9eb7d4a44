//! Fast layers of small residual networks on 4x4, 6x6 and 8x8 boards, for inference and training
//! on a CPU.
//!
//! Start with [`Tower`], a whole residual tower in f32, and [`Dense`] for the heads behind it.
//! [`TrainingTower`] is the same tower with its backward pass, [`QuantizedTower`] the same in 16-bit
//! integers. [`Conv3x3`] and [`ConvGradient`] are the single layers that they are made of, for
//! networks of another shape.
//!
//! How it works, from the bottom: [`Isa`] finds the machine's instruction set; `gemm` is the one
//! register-blocked matrix product; `winograd` transforms tiles of 4x4 squares, so that a
//! convolution needs a quarter of its products; `conv`, `gradient` and `dense` bring these together;
//! `tower` and `training` run layers in an order that suits the cache. Activations keep the
//! channels of a square together, see [`BoardShape`].
//!
//! Invariants: a position's result is the same bits in any batch and on any number of threads;
//! inference is single-threaded, callers own the threads; slices are checked where they enter.
//!
//! Deliberately absent: Reversi, autodiff, optimisers, files. What a network's planes mean is
//! somebody else's business.

mod board;
mod buffer;
mod conv;
mod dense;
mod error;
mod filter;
mod gemm;
mod gradient;
mod isa;
mod lanes;
mod parallel;
mod quantized;
mod tower;
mod training;
mod winograd;

pub use board::{BoardShape, CHANNEL_BLOCK, padded_channels};
pub use conv::{Conv3x3, Workspace};
pub use dense::Dense;
pub use error::KernelError;
pub use gradient::{ConvGradient, GradientWorkspace};
pub use isa::Isa;
pub use quantized::{QuantizedTower, QuantizedWorkspace};
pub use tower::{ConvParameters, Tower, TowerWorkspace};
pub use training::{ConvParametersGradient, TowerActivations, TowerGradients, TrainingTower};
