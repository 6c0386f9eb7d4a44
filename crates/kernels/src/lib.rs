//! Fast layers of small residual networks on 4x4, 6x6 and 8x8 boards.
mod board;
mod buffer;
mod conv;
mod dense;
mod error;
mod gemm;
mod gradient;
mod isa;
mod lanes;
mod parallel;
mod tower;
mod training;
mod winograd;

pub use board::{BoardShape, CHANNEL_BLOCK, padded_channels};
pub use conv::{Conv3x3, Workspace};
pub use dense::Dense;
pub use error::KernelError;
pub use gradient::{ConvGradient, GradientWorkspace};
pub use isa::Isa;
pub use tower::{ConvParameters, Tower, TowerWorkspace};
pub use training::{ConvParametersGradient, TowerActivations, TowerGradients, TrainingTower};
