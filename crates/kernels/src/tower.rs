//! A whole residual tower for inference.

use crate::board::BoardShape;
use crate::buffer::Buffer;
use crate::conv::{Conv3x3, Workspace};
use crate::{Isa, KernelError};

/// Parameters of one 3x3 convolution, as PyTorch lays them out.
#[derive(Clone, Copy, Debug)]
pub struct ConvParameters<'a> {
    /// `[outputs][inputs][3][3]`
    pub weight: &'a [f32],
    /// `[outputs]`
    pub bias: &'a [f32],
}

/// A stem `x = relu(conv(input))` and blocks `x = relu(x + conv(relu(conv(x))))`, all of one width.
#[derive(Clone, Debug)]
pub struct Tower {
    shape: BoardShape,
    stem: Conv3x3,
    blocks: Vec<[Conv3x3; 2]>,
}

/// Memory that a tower reuses between calls; one for each thread.
#[derive(Clone, Debug, Default)]
pub struct TowerWorkspace {
    conv: Workspace,
    /// Board side, inputs and width of the tower that the buffers were used for.
    layout: [usize; 3],
    input: Buffer,
    buffers: [Buffer; 3],
}

/// Boards that go through all layers together: few, so that their activations stay in the cache,
/// and a multiple of what a convolution takes at a time.
pub(crate) const BOARDS: usize = 16;

impl Tower {
    /// Packs a tower whose first convolution reads `inputs` channels.
    pub fn new(
        isa: Isa,
        shape: BoardShape,
        inputs: usize,
        stem: ConvParameters,
        blocks: &[[ConvParameters; 2]],
    ) -> Result<Tower, KernelError> {
        let width = stem.bias.len();
        let pack = |inputs, conv: ConvParameters| {
            KernelError::check("bias", width, conv.bias)?;
            Conv3x3::new(isa, shape, inputs, conv.weight, conv.bias)
        };
        Ok(Tower {
            shape,
            stem: pack(inputs, stem)?,
            blocks: blocks
                .iter()
                .map(|[first, second]| Ok([pack(width, *first)?, pack(width, *second)?]))
                .collect::<Result<_, KernelError>>()?,
        })
    }

    /// Channels of the input.
    pub fn inputs(&self) -> usize {
        self.stem.inputs()
    }

    /// Channels of every layer.
    pub fn width(&self) -> usize {
        self.stem.outputs()
    }

    /// Computes `output`, `[boards, side, side, width]`, from `input`,
    /// `[boards, side, side, inputs]`. A board's result does not depend on its batch.
    ///
    /// # Panics
    /// If the slices are not whole boards of the same number.
    pub fn forward(&self, input: &[f32], output: &mut [f32], workspace: &mut TowerWorkspace) {
        let (inputs, width) = (self.inputs(), self.width());
        let (input_len, output_len) = (self.shape.plain_len(inputs), self.shape.plain_len(width));
        assert_eq!(input.len() % input_len, 0, "whole boards");
        assert_eq!(
            input.len() / input_len * output_len,
            output.len(),
            "as many boards"
        );
        for (input, output) in input
            .chunks(BOARDS * input_len)
            .zip(output.chunks_mut(BOARDS * output_len))
        {
            self.forward_few(input, output, workspace);
        }
    }

    fn forward_few(&self, input: &[f32], output: &mut [f32], workspace: &mut TowerWorkspace) {
        let (inputs, width) = (self.inputs(), self.width());
        let boards = output.len() / self.shape.plain_len(width);
        let layout = [self.shape.side(), inputs, width];
        if workspace.layout != layout {
            *workspace = TowerWorkspace {
                layout,
                ..TowerWorkspace::default()
            };
        }
        let TowerWorkspace {
            conv,
            input: padded,
            buffers,
            ..
        } = workspace;
        padded.resize(boards * self.shape.padded_len(inputs));
        buffers
            .iter_mut()
            .for_each(|buffer| buffer.resize(boards * self.shape.padded_len(width)));
        let [x, middle, y] = buffers;
        let (mut x, mut y) = (x, y);

        self.shape.pad(inputs, input, padded);
        self.stem.forward(padded, None, true, x, conv);
        for [first, second] in &self.blocks {
            first.forward(x, None, true, middle, conv);
            second.forward(middle, Some(x), true, y, conv);
            std::mem::swap(&mut x, &mut y);
        }
        self.shape.unpad(width, x, output);
    }
}
