//! What can be wrong with the shapes that a caller hands in.

use crate::board::CHANNEL_BLOCK;

/// A shape that the kernels do not support, or weights that do not fit their shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KernelError {
    /// Boards are 4x4, 6x6 or 8x8.
    #[error("boards have 4, 6 or 8 rows, not {0}")]
    BoardSide(usize),
    /// Convolutions have a whole number of blocks of 16 output channels.
    #[error("a convolution's output channels are a positive multiple of 16, not {0}")]
    Width(usize),
    /// Layers have channels.
    #[error("a layer has at least one input and one output")]
    Empty,
    /// Ranges of integers come from activations that were seen.
    #[error("no boards to calibrate integers with")]
    NoCalibration,
    /// A slice of parameters has the wrong length.
    #[error("{what}: expected {expected} values, found {found}")]
    Parameters {
        /// Which parameters.
        what: &'static str,
        /// The length that their shape asks for.
        expected: usize,
        /// The length that was given.
        found: usize,
    },
}

impl KernelError {
    /// An error unless `values` has the length `expected`.
    pub(crate) fn check(
        what: &'static str,
        expected: usize,
        values: &[f32],
    ) -> Result<(), KernelError> {
        match values.len() == expected {
            true => Ok(()),
            false => Err(KernelError::Parameters {
                what,
                expected,
                found: values.len(),
            }),
        }
    }

    /// An error unless a convolution can have these channels.
    pub(crate) fn check_convolution(inputs: usize, outputs: usize) -> Result<(), KernelError> {
        if inputs == 0 {
            return Err(KernelError::Empty);
        }
        match outputs != 0 && outputs.is_multiple_of(CHANNEL_BLOCK) {
            true => Ok(()),
            false => Err(KernelError::Width(outputs)),
        }
    }
}
