//! Fast layers of small residual networks on 4x4, 6x6 and 8x8 boards, for inference and training
//! on a CPU.
//!
//! Start with [`Tower`], a whole residual tower in f32, and [`Dense`] for the heads behind it.
//! [`TrainingTower`] is the same tower with its backward pass, [`QuantizedTower`] the same in 16-bit
//! integers, [`ByteTower`] in 8-bit ones; [`Precision`] names them. [`Conv3x3`] and [`ConvGradient`] are the single layers that they are made of, for
//! networks of another shape.
//!
//! How it works, from the bottom: [`Isa`] finds the machine's instruction set; `gemm` is the one
//! register-blocked matrix product; `winograd` and `filter` transform tiles of 4x4 squares and their
//! filters, so that a convolution needs a quarter of its products; `conv`, `gradient` and `dense`
//! bring these together; `tower` and `training` run layers in an order that suits the cache.
//!
//! What was measured, on one AVX2 core with the caches shared with other work: a direct convolution
//! cannot do better than the machine's peak of multiply-adds, or 1.19 times that if it skips the
//! taps that fall off an 8x8 board. Tiles reach 2.3 to 2.8 times the peak, counted in the
//! multiply-adds of the direct form, and the 16-bit integers 3.3 to 4.0 times. Rounding
//! stays within 2e-5 of the largest activation after 13 layers. On one AVX-512 core with VNNI (Xeon,
//! a busy machine), whose f32 peak is twice as high for its clock, tiles reach 1.6 to 2.0 times the
//! peak, the 16-bit integers, which use half of its vectors, 1.3 to 1.7, and bytes 3.9 for a 4x32
//! tower and 5.2 for a 6x64 one; with AMX, bytes are 1.7 and 2.5 times as fast as that. The example
//! `bench` measures all of it on another machine.
//!
//! Invariants: a position's result is the same bits in any batch and on any number of threads;
//! inference is single-threaded, callers own the threads; slices are checked where they enter.
//!
//! Deliberately absent: Reversi, autodiff, optimisers, files. What a network's planes mean is
//! somebody else's business.
//!
//! ```
//! use outflank_kernels::{BoardShape, ConvParameters, Isa, Tower, TowerWorkspace};
//!
//! let shape = BoardShape::new(4)?;
//! let (stem, conv, bias) = ([0.1; 16 * 3 * 9], [0.0; 16 * 16 * 9], [0.5; 16]);
//! let stem = ConvParameters { weight: &stem, bias: &bias };
//! let conv = ConvParameters { weight: &conv, bias: &bias };
//! let tower = Tower::new(Isa::detect(), shape, 3, stem, &[[conv, conv]])?;
//!
//! let boards = [0.0; 2 * 16 * 3]; // two boards of 4x4 squares and 3 planes
//! let mut features = [0.0; 2 * 16 * 16];
//! tower.forward(&boards, &mut features, &mut TowerWorkspace::default());
//! assert_eq!(features, [1.0; 2 * 16 * 16]);
//! # Ok::<(), outflank_kernels::KernelError>(())
//! ```

mod board;
mod buffer;
mod bytes;
mod conv;
mod dense;
mod error;
mod filter;
mod gemm;
mod gradient;
mod isa;
mod lanes;
mod parallel;
mod precision;
mod quantized;
mod tower;
mod training;
mod winograd;

pub use board::{BoardShape, CHANNEL_BLOCK, padded_channels};
pub use bytes::{ByteTower, ByteWorkspace};
pub use conv::{Conv3x3, Workspace};
pub use dense::Dense;
pub use error::KernelError;
pub use gradient::{ConvGradient, GradientWorkspace};
pub use isa::Isa;
pub use precision::{Precision, UnknownPrecision};
pub use quantized::{QuantizedTower, QuantizedWorkspace};
pub use tower::{ConvParameters, Tower, TowerWorkspace};
pub use training::{ConvParametersGradient, TowerActivations, TowerGradients, TrainingTower};
