//! A whole residual tower in bytes.

use super::MOST;
use super::conv::{self, ByteConv, Output, board_len, place, row_len};
use super::lanes::ByteLanes;
use crate::board::BoardShape;
use crate::buffer::Buffer;
use crate::conv::{Conv3x3, Workspace};
use crate::tower::ConvParameters;
use crate::{Isa, KernelError};

/// The network of [`Tower`](crate::Tower) in bytes, for planes of bits.
#[derive(Clone, Debug)]
pub struct ByteTower {
    isa: Isa,
    shape: BoardShape,
    inputs: usize,
    width: usize,
    /// The stem, then two for each block.
    layers: Vec<ByteConv>,
}

/// Memory that a tower of bytes reuses between calls; one for each thread.
#[derive(Clone, Debug, Default)]
pub struct ByteWorkspace {
    conv: conv::Workspace,
    input: Buffer<u8>,
    buffers: [Buffer<u8>; 3],
}

/// Boards that go through all layers together: a layer's weights are read from a near cache for
/// all but the first.
const BOARDS: usize = 8;

impl ByteTower {
    /// Quantises a tower whose first convolution reads `inputs` planes. The ranges of activations
    /// are those of the boards in `calibration`, laid out as the input of [`Self::forward`]: some
    /// hundred positions of the kind that the tower will see.
    ///
    /// # Panics
    /// If `calibration` is not whole boards.
    pub fn new(
        isa: Isa,
        shape: BoardShape,
        inputs: usize,
        stem: ConvParameters,
        blocks: &[[ConvParameters; 2]],
        calibration: &[u64],
    ) -> Result<ByteTower, KernelError> {
        let width = stem.bias.len();
        KernelError::check_convolution(inputs, width)?;
        if blocks.is_empty() {
            return Err(KernelError::Empty);
        }
        assert_eq!(calibration.len() % inputs, 0, "whole boards");
        let boards = calibration.len() / inputs;
        if boards == 0 {
            return Err(KernelError::NoCalibration);
        }
        let mut x = Buffer::zeros(boards * shape.padded_len(inputs));
        shape.pad(inputs, &as_floats(shape, inputs, calibration), &mut x);
        let mut workspace = Workspace::default();
        let mut layer = |conv: &Conv3x3, input: &[f32], residual: Option<&[f32]>| {
            let mut output = Buffer::zeros(boards * shape.padded_len(width));
            conv.forward(input, residual, true, &mut output, &mut workspace);
            let unit = unit(&output);
            (output, unit)
        };

        // Ranges that differed in the last bit would make other integers on another machine.
        let plain = Isa::portable();
        let conv = Conv3x3::new(plain, shape, inputs, stem.weight, stem.bias)?;
        let (mut x, mut x_unit) = layer(&conv, &x, None);
        let mut layers = vec![ByteConv::new(isa, shape, stem, 1.0, x_unit, None)];
        for (index, [first, second]) in blocks.iter().enumerate() {
            KernelError::check("bias", width, first.bias)?;
            KernelError::check("bias", width, second.bias)?;
            let conv = Conv3x3::new(plain, shape, width, first.weight, first.bias)?;
            let (middle, middle_unit) = layer(&conv, &x, None);
            let conv = Conv3x3::new(plain, shape, width, second.weight, second.bias)?;
            let (y, mut y_unit) = layer(&conv, &middle, Some(&x));
            if index + 1 == blocks.len() {
                y_unit = 1.0; // the last layer's results are not quantised
            }
            layers.push(ByteConv::new(isa, shape, *first, x_unit, middle_unit, None));
            layers.push(ByteConv::new(
                isa,
                shape,
                *second,
                middle_unit,
                y_unit,
                Some(x_unit),
            ));
            (x, x_unit) = (y, y_unit);
        }
        Ok(ByteTower {
            isa,
            shape,
            inputs,
            width,
            layers,
        })
    }

    /// Planes of the input.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Channels of every layer.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Computes `output`, `[boards, side, side, width]`, from `input`, `[boards, inputs]`: bit
    /// `8 * row + column` of a plane is its value on that square. A board's result does not depend
    /// on its batch nor on the instruction set.
    ///
    /// # Panics
    /// If the slices are not whole boards of the same number.
    pub fn forward(&self, input: &[u64], output: &mut [f32], workspace: &mut ByteWorkspace) {
        let output_len = self.shape.plain_len(self.width);
        assert_eq!(input.len() % self.inputs, 0, "whole boards");
        assert_eq!(
            input.len() / self.inputs * output_len,
            output.len(),
            "as many boards"
        );
        for (input, output) in input
            .chunks(BOARDS * self.inputs)
            .zip(output.chunks_mut(BOARDS * output_len))
        {
            self.isa.run_bytes(Layers {
                tower: self,
                input,
                output,
                workspace,
            });
        }
    }
}

/// What an activation of 1 is worth: the largest one seen becomes the largest byte.
fn unit(activations: &[f32]) -> f32 {
    let most = activations.iter().fold(0.0f32, |most, a| most.max(*a));
    most.max(1e-6) / f32::from(MOST)
}

/// Planes of bits as plain boards.
fn as_floats(shape: BoardShape, inputs: usize, planes: &[u64]) -> Vec<f32> {
    let side = shape.side();
    let mut floats = Vec::with_capacity(planes.len() * shape.squares());
    for planes in planes.chunks_exact(inputs) {
        for square in 0..shape.squares() {
            let bit = 8 * (square / side) + square % side;
            floats.extend(planes.iter().map(|plane| (plane >> bit & 1) as f32));
        }
    }
    floats
}

/// Planes of bits as one board of bytes.
#[inline(always)]
fn spread(shape: BoardShape, planes: &[u64], board: &mut [u8]) {
    let side = shape.side();
    for (y, row) in board
        .chunks_exact_mut(row_len(side, planes.len()))
        .enumerate()
    {
        for (group, planes) in planes.chunks(4).enumerate() {
            let mut rows = [0; 4];
            for (row, plane) in rows.iter_mut().zip(planes) {
                *row = (plane >> (8 * y)) as u32;
            }
            for x in 0..side {
                let square = &mut row[place(side, group, x)..][..4];
                for (value, row) in square.iter_mut().zip(rows) {
                    *value = (row >> x & 1) as u8;
                }
            }
        }
    }
}

/// An operation compiled for each instruction set with vectors of bytes.
pub(crate) trait WithByteLanes {
    /// Runs the operation.
    fn with_lanes<L: ByteLanes>(self, lanes: L);
}

/// All layers of a few boards.
struct Layers<'a> {
    tower: &'a ByteTower,
    input: &'a [u64],
    output: &'a mut [f32],
    workspace: &'a mut ByteWorkspace,
}

impl WithByteLanes for Layers<'_> {
    #[inline(always)]
    fn with_lanes<L: ByteLanes>(self, lanes: L) {
        let Layers {
            tower,
            input,
            output,
            workspace,
        } = self;
        let ByteWorkspace {
            conv,
            input: spread_input,
            buffers,
        } = workspace;
        let shape = tower.shape;
        let boards = input.len() / tower.inputs;
        let input_len = board_len(shape, tower.inputs);
        let len = board_len(shape, tower.width);
        let output_len = shape.plain_len(tower.width);
        spread_input.resize(boards * input_len);
        buffers
            .iter_mut()
            .for_each(|buffer| buffer.resize(boards * len));
        for (planes, board) in input
            .chunks_exact(tower.inputs)
            .zip(spread_input.chunks_exact_mut(input_len))
        {
            spread(shape, planes, board);
        }

        #[cfg(target_arch = "x86_64")]
        let _released_at_the_end = super::tiles::configure::<L>(shape);
        let [x, middle, y] = buffers;
        let (mut x, mut y) = (x, y);
        let last = tower.layers.len() - 1;
        for (index, layer) in tower.layers.iter().enumerate() {
            #[cfg(target_arch = "x86_64")]
            if L::TILES {
                layer.clear_tiles(conv);
            }
            for board in 0..boards {
                let at = board * len..(board + 1) * len;
                let (input, residual, to) = match index {
                    0 => (
                        &spread_input[board * input_len..][..input_len],
                        None,
                        &mut *x,
                    ),
                    _ if index % 2 == 1 => (&x[at.clone()], None, &mut *middle),
                    _ => (&middle[at.clone()], Some(&x[at.clone()]), &mut *y),
                };
                let to = match index == last {
                    true => Output::Floats(&mut output[board * output_len..][..output_len]),
                    false => Output::Bytes(&mut to[at]),
                };
                layer.forward(lanes, input, residual, to, conv);
            }
            if index > 0 && index % 2 == 0 {
                std::mem::swap(&mut x, &mut y);
            }
        }
    }
}
