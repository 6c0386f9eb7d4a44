//! Inference in 16-bit integers.
//!
//! The same tiles as in f32. Activations are integers `0..=480`, so that the transform of a tile
//! is exact in 16 bits: its coefficients add up to at most 68. Transformed weights are 16-bit
//! integers as well, scaled for each output channel and point so that sums in 32 bits cannot
//! overflow. One instruction multiplies 16 pairs and adds them two by two, which is twice the rate
//! of f32 multiply-adds; 8-bit products are no alternative on tiles, whose transforms need the
//! bits, and a direct 8-bit convolution needs four times the products.
//!
//! Every input channel of a layer has its own scale: it is folded into the weights for nothing.

mod conv;
mod lanes;
mod tower;
mod transform;

pub(crate) use tower::WithLanes;
pub use tower::{QuantizedTower, QuantizedWorkspace};
