//! Inference in bytes.
//!
//! Activations are integers `0..=127`, weights `-127..=127` with a scale for each output channel,
//! and sums are exact in 32 bits, so that every instruction set gives the same bits. One
//! instruction of AVX-512 VNNI multiplies 64 bytes and adds them in fours: four times the rate of
//! f32. AVX2's products of bytes saturate, so that bytes are widened to 16 bits there: seven times
//! the portable form's speed, nine tenths of f32's and seven tenths of int16's, whose tiles need
//! fewer products.
//!
//! AMX multiplies eight times as many bytes in a cycle as VNNI, and then what is around the products
//! takes the most time: loading inputs, storing sums, making bytes of them. Measured on one core of a busy Xeon, 128
//! positions: 1.7 to 1.9 times VNNI's speed for a 4x32 tower, 2.1 to 2.3 for 6x48, 2.5 for 6x64.
//!
//! The rows of a board are taken in pairs, with the minimal filtering algorithm F(2, 3) down the
//! columns: four products instead of six. Its sums and differences of two activations are the
//! most that a byte holds, which is why activations have seven bits. Along the rows the
//! convolution is direct, without the taps that fall off the board.

#[cfg(target_arch = "x86_64")]
mod amx;
#[cfg(target_arch = "x86_64")]
mod avx2;
mod conv;
mod lanes;
mod products;
#[cfg(target_arch = "x86_64")]
mod tiles;
mod tower;
#[cfg(target_arch = "x86_64")]
mod vnni;

#[cfg(target_arch = "x86_64")]
pub(crate) use amx::Amx;
#[cfg(target_arch = "x86_64")]
pub(crate) use lanes::ByteLanes;
pub(crate) use lanes::Plain;
pub(crate) use tower::WithByteLanes;
pub use tower::{ByteTower, ByteWorkspace};
#[cfg(target_arch = "x86_64")]
pub(crate) use vnni::Vnni;

/// The largest activation.
const MOST: u8 = 127;
