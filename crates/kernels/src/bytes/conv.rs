//! A 3x3 convolution of bytes.
#![allow(unsafe_code)] // The inner loops read through pointers; assertions before them say how far.
#![allow(clippy::needless_range_loop)] // Indices are squares of a row.

use super::MOST;
use super::lanes::ByteLanes;
use super::products::{Pack, row_products, transform_rows};
use crate::Isa;
use crate::board::{BoardShape, CHANNEL_BLOCK, padded_channels};
use crate::buffer::Buffer;
use crate::lanes::read;
use crate::tower::ConvParameters;
use pulp::bytemuck::{cast_slice, cast_slice_mut};

/// Products of a pair of rows: F(2, 3) down the columns.
pub(super) const POINTS: usize = 4;

/// What is added to the points that may be negative, so that they fit a byte without a sign.
pub(super) const OFFSET: u8 = 128;

/// Squares of a row that are stored, whatever the board.
pub(super) const fn row_squares(side: usize) -> usize {
    side.next_multiple_of(4)
}

/// Bytes of one board of activations, `[row][channels / 16, rounded up][row_squares / 4][4][4][4]`: the last
/// three are groups of four channels, squares, and channels. One vector thus holds what
/// [`ByteLanes::pack`] makes, and four channels of a square lie together, as a dot product reads
/// them.
pub(super) const fn board_len(shape: BoardShape, channels: usize) -> usize {
    shape.side() * row_len(shape.side(), channels)
}

/// Bytes of one row of activations.
pub(super) const fn row_len(side: usize, channels: usize) -> usize {
    row_squares(side) * padded_channels(channels)
}

/// Where a group of four channels of a square lies in its row.
#[inline(always)]
pub(super) const fn place(side: usize, group: usize, square: usize) -> usize {
    let vector = group / 4 * (row_squares(side) / 4) + square / 4;
    64 * vector + 16 * (group % 4) + 4 * (square % 4)
}

/// Where the results of a layer go.
pub(super) enum Output<'a> {
    /// Activations for the next layer, one board.
    Bytes(&'a mut [u8]),
    /// Rectified values, `[side, side, width]`.
    Floats(&'a mut [f32]),
}

/// A convolution of activations in `0..=127`, with the output rectified.
#[derive(Clone, Debug)]
pub(super) struct ByteConv {
    pub(super) shape: BoardShape,
    /// Groups of four input channels.
    pub(super) groups: usize,
    pub(super) width: usize,
    /// For each one or two blocks of outputs: `[point][inputs / 4][column][blocks]` of what
    /// [`Pack`] makes; with tile registers, what `tiles::pack` makes.
    pub(super) weights: Buffer<u8>,
    /// What sums start from, which undoes [`OFFSET`] (tile registers do without): for each one or two blocks of outputs, `[point][first, middle or last column][blocks][16]`.
    start: Buffer<i32>,
    /// What one unit of a sum is worth, in units of the output, `[width]`.
    scale: Buffer<f32>,
    /// In units of the output, `[width]`.
    bias: Buffer<f32>,
    /// What one unit of the added activations is worth, in units of the output.
    residual_unit: f32,
}

/// Memory that convolutions reuse between calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Workspace {
    /// One board of [`ByteLanes::Input`], `[row pair][point]` and then as a row of activations.
    pub(super) points: Buffer<u8>,
    /// `[point][row pair][row_squares][blocks][16]`.
    pub(super) sums: Buffer<i32>,
}

impl ByteConv {
    /// Quantises a convolution. The units say what an activation of 1 is worth in the input, the
    /// output, and the activations added to the output, if any.
    pub fn new(
        isa: Isa,
        shape: BoardShape,
        parameters: ConvParameters,
        input_unit: f32,
        output_unit: f32,
        residual_unit: Option<f32>,
    ) -> ByteConv {
        let width = parameters.bias.len();
        let real_inputs = parameters.weight.len() / 9 / width;
        let inputs = real_inputs.next_multiple_of(4);
        let mut weights = vec![0; POINTS * 3 * inputs * width]; // as `Self::weights` before packing
        let mut start = Buffer::zeros(POINTS * 3 * width);
        let mut scale = Buffer::zeros(width);
        for output in 0..width {
            // The filter's columns, transformed: [input][column][point].
            let filters: Vec<[[f32; POINTS]; 3]> = (0..real_inputs)
                .map(|input| {
                    let taps = &parameters.weight[9 * (output * real_inputs + input)..][..9];
                    std::array::from_fn(|x| transform([taps[x], taps[3 + x], taps[6 + x]]))
                })
                .collect();
            let most = filters
                .as_flattened()
                .as_flattened()
                .iter()
                .fold(1e-30f32, |most, weight| most.max(weight.abs()));
            let unit = most / 127.0;
            scale[output] = unit * input_unit / output_unit;
            let place = Place::of(output, width);
            for point in 0..POINTS {
                let mut sums = [0; 3]; // by column
                for (input, filter) in filters.iter().enumerate() {
                    for column in 0..3 {
                        let weight = (filter[column][point] / unit).round() as i8;
                        sums[column] += i32::from(weight);
                        let group = (point * (inputs / 4) + input / 4) * 3 + column;
                        let at = place.first * POINTS * 3 * inputs
                            + (group * place.blocks + place.block) * 4 * CHANNEL_BLOCK
                            + 4 * place.lane
                            + input % 4;
                        weights[at] = weight;
                    }
                }
                if point != 1 {
                    let [left, middle, right] = sums;
                    for (column, sum) in [middle + right, left + middle + right, left + middle]
                        .into_iter()
                        .enumerate()
                    {
                        let at = place.first * POINTS * 3
                            + ((point * 3 + column) * place.blocks + place.block) * CHANNEL_BLOCK
                            + place.lane;
                        start[at] = -i32::from(OFFSET) * sum;
                    }
                }
            }
        }
        let mut bias = Buffer::zeros(width);
        for (to, from) in bias.iter_mut().zip(parameters.bias) {
            *to = from / output_unit;
        }
        ByteConv {
            shape,
            groups: inputs / 4,
            width,
            weights: pack(isa, shape, inputs, &weights, width),
            start,
            scale,
            bias,
            residual_unit: residual_unit.map_or(0.0, |unit| unit / output_unit),
        }
    }

    /// Convolves one board, adds the bias and `residual` and sets negative values to zero.
    #[inline(always)]
    pub fn forward<L: ByteLanes>(
        &self,
        lanes: L,
        input: &[u8],
        residual: Option<&[u8]>,
        output: Output,
        workspace: &mut Workspace,
    ) {
        match self.shape.side() {
            4 => self.forward_side::<L, 4>(lanes, input, residual, output, workspace),
            6 => self.forward_side::<L, 6>(lanes, input, residual, output, workspace),
            _ => self.forward_side::<L, 8>(lanes, input, residual, output, workspace),
        }
    }

    #[inline(always)]
    fn forward_side<L: ByteLanes, const SIDE: usize>(
        &self,
        lanes: L,
        input: &[u8],
        residual: Option<&[u8]>,
        mut output: Output,
        workspace: &mut Workspace,
    ) {
        let len = board_len(self.shape, self.width);
        assert!(input.len() == board_len(self.shape, 4 * self.groups) && SIDE == self.shape.side());
        assert!(residual.is_none_or(|residual| residual.len() == len));
        match &output {
            Output::Bytes(bytes) => assert!(bytes.len() == len),
            Output::Floats(values) => assert!(values.len() == SIDE * SIDE * self.width),
        }
        #[cfg(target_arch = "x86_64")]
        if L::TILES {
            // SAFETY: the tower configures the registers before it convolves.
            return unsafe {
                self.forward_tiles::<L, SIDE>(lanes, input, residual, output, workspace)
            };
        }
        let Workspace { points, sums } = workspace;
        let row = row_len(SIDE, 4 * self.groups);
        points.resize(SIDE / 2 * POINTS * row * size_of::<L::Input>());
        sums.resize(POINTS * SIDE / 2 * row_squares(SIDE) * 2 * CHANNEL_BLOCK);
        let points: &mut [L::Input] = cast_slice_mut(points);
        transform_rows(input, row, points);

        let mut first = 0;
        while first < self.width {
            // Two blocks of channels at a time share the reading of inputs.
            if self.width - first >= 2 * CHANNEL_BLOCK {
                self.products::<L, SIDE, 2>(lanes, first, points, sums);
                self.finish::<L, SIDE, 2>(lanes, first, sums, residual, &mut output);
                first += 2 * CHANNEL_BLOCK;
            } else {
                self.products::<L, SIDE, 1>(lanes, first, points, sums);
                self.finish::<L, SIDE, 1>(lanes, first, sums, residual, &mut output);
                first += CHANNEL_BLOCK;
            }
        }
    }

    /// The sums of all points for the outputs of `BLOCKS` blocks from `first` on.
    #[inline(always)]
    fn products<L: ByteLanes, const SIDE: usize, const BLOCKS: usize>(
        &self,
        lanes: L,
        first: usize,
        points: &[L::Input],
        sums: &mut [i32],
    ) {
        let row = row_len(SIDE, 4 * self.groups);
        let weights: &[L::Weight] = cast_slice(&self.weights);
        let weights_len = 3 * 4 * self.groups * BLOCKS * CHANNEL_BLOCK;
        let start_len = 3 * BLOCKS * CHANNEL_BLOCK;
        let sums_len = row_squares(SIDE) * BLOCKS * CHANNEL_BLOCK;
        for point in 0..POINTS {
            let weights = &weights[first * POINTS * 3 * 4 * self.groups + point * weights_len..]
                [..weights_len];
            let start = &self.start[first * POINTS * 3 + point * start_len..][..start_len];
            for pair in 0..SIDE / 2 {
                let inputs = &points[(pair * POINTS + point) * row..][..row];
                let sums = &mut sums[(point * (SIDE / 2) + pair) * sums_len..][..sums_len];
                row_products::<L, SIDE, BLOCKS>(lanes, inputs, weights, start, sums);
            }
        }
    }

    /// From sums to results.
    #[inline(always)]
    fn finish<L: ByteLanes, const SIDE: usize, const BLOCKS: usize>(
        &self,
        lanes: L,
        first: usize,
        sums: &[i32],
        residual: Option<&[u8]>,
        output: &mut Output,
    ) {
        let point = SIDE / 2 * row_squares(SIDE) * BLOCKS * CHANNEL_BLOCK;
        for pair in 0..SIDE / 2 {
            for quad in (0..row_squares(SIDE)).step_by(4) {
                for block in 0..BLOCKS {
                    let first_square = (pair * row_squares(SIDE) + quad) * BLOCKS + block;
                    let sums = Sums {
                        sums,
                        point,
                        first: first_square,
                        square: BLOCKS,
                    };
                    let at = (first / CHANNEL_BLOCK + block, pair, quad);
                    self.finish_quad::<L, SIDE>(lanes, at, sums, residual, output);
                }
            }
        }
    }

    /// From the sums of a pair of rows of the four squares from `quad` on to results, for a block.
    #[inline(always)]
    pub(super) fn finish_quad<L: ByteLanes, const SIDE: usize>(
        &self,
        lanes: L,
        (block, pair, quad): (usize, usize, usize),
        sums: Sums,
        residual: Option<&[u8]>,
        output: &mut Output,
    ) {
        let (scale, _) = self.scale.as_chunks::<CHANNEL_BLOCK>();
        let (bias, _) = self.bias.as_chunks::<CHANNEL_BLOCK>();
        let unit = lanes.load_floats(&[self.residual_unit; CHANNEL_BLOCK]);
        let most = sums.first + 3 * sums.square + 1;
        assert!(sums.sums.len() >= (POINTS - 1) * sums.point + most * CHANNEL_BLOCK);
        let scale = lanes.load_floats(&scale[block]);
        let bias = lanes.load_floats(&bias[block]);
        let mut rows = [[bias; 4]; 2];
        for square in 0..4 {
            let at = sums.first + square * sums.square;
            let mut of = [lanes.load(&[0; CHANNEL_BLOCK]); POINTS];
            for (point, sum) in of.iter_mut().enumerate() {
                // SAFETY: the squares of all points lie in the slice: the assertion.
                let sums = unsafe { read(sums.sums, point * sums.point + at * CHANNEL_BLOCK) };
                *sum = lanes.load(&sums);
            }
            let upper = lanes.add(of[0], lanes.add(of[1], of[2]));
            let lower = lanes.sub(lanes.sub(of[1], of[2]), of[3]);
            rows[0][square] = lanes.multiply_add(lanes.floats(upper), scale, bias);
            rows[1][square] = lanes.multiply_add(lanes.floats(lower), scale, bias);
        }
        for (row, mut squares) in rows.into_iter().enumerate() {
            let row = 2 * pair + row;
            let at = row * row_len(SIDE, self.width) + place(SIDE, 4 * block, quad);
            if let Some(residual) = residual {
                let bytes = residual[at..].first_chunk().expect("one board");
                for (square, added) in squares.iter_mut().zip(lanes.unpack(bytes)) {
                    *square = lanes.multiply_add(added, unit, *square);
                }
            }
            match output {
                Output::Bytes(output) => {
                    let to = output[at..].first_chunk_mut().expect("one board");
                    lanes.pack(squares, to);
                }
                Output::Floats(output) => {
                    let real = SIDE.min(quad + 4) - quad;
                    for (square, values) in squares[..real].iter().enumerate() {
                        let at = (row * SIDE + quad + square) * self.width + block * CHANNEL_BLOCK;
                        let to = output[at..].first_chunk_mut().expect("one board");
                        lanes.rectify(*values, to);
                    }
                }
            }
        }
    }
}

/// Where the sums of a pair of rows of four squares lie, in blocks of 16.
#[derive(Clone, Copy)]
pub(super) struct Sums<'a> {
    pub sums: &'a [i32],
    /// Sums from one point to the next.
    pub point: usize,
    /// The block of the first square.
    pub first: usize,
    /// Blocks from a square to the next.
    pub square: usize,
}

/// Weights as the instruction set reads them.
fn pack(isa: Isa, shape: BoardShape, inputs: usize, weights: &[i8], width: usize) -> Buffer<u8> {
    #[cfg(target_arch = "x86_64")]
    if isa.has_tiles() {
        let layout = super::tiles::Layout::new(shape.side(), inputs);
        return super::tiles::pack(layout, inputs / 4, width, weights);
    }
    let _ = (shape, inputs, width); // for tiles only
    let mut packed = Buffer::default();
    isa.run_bytes(Pack {
        from: weights,
        to: &mut packed,
    });
    packed
}

/// Where an output channel lies among the packed weights.
struct Place {
    /// The first channel of those packed together.
    first: usize,
    /// How many blocks are packed together.
    blocks: usize,
    /// Which of them.
    block: usize,
    lane: usize,
}

impl Place {
    fn of(output: usize, width: usize) -> Place {
        let first = output / (2 * CHANNEL_BLOCK) * 2 * CHANNEL_BLOCK;
        Place {
            first,
            blocks: (width - first).min(2 * CHANNEL_BLOCK) / CHANNEL_BLOCK,
            block: (output - first) / CHANNEL_BLOCK,
            lane: output % CHANNEL_BLOCK,
        }
    }
}

/// `G g`.
fn transform(g: [f32; 3]) -> [f32; POINTS] {
    let (even, odd) = (0.5 * (g[0] + g[2]), 0.5 * g[1]);
    [g[0], even + odd, even - odd, g[2]]
}

const _: () = assert!(2 * MOST < u8::MAX && MOST < OFFSET);
