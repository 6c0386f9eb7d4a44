//! The convolution with tile registers (AMX): how its inputs and weights lie, and in which order
//! they are multiplied.
//!
//! A tile has the sums of four columns of a board, all pairs of rows, for sixteen outputs. Those of
//! the four points become results at once, while they lie in the nearest cache: to finish the sums
//! of one tile between the products of the next was slower, because it needs twice the memory.
#![allow(unsafe_code)] // Rows are read and written through pointers.

use super::amx::{Configured, Operands, products};
use super::conv::{ByteConv, Output, POINTS, Sums, Workspace, place, row_len, row_squares};
use super::lanes::ByteLanes;
use crate::board::{BoardShape, CHANNEL_BLOCK};
use crate::buffer::Buffer;
use std::arch::x86_64::*;

/// Bytes that a tile's row holds.
const LINE: usize = 64;

/// Columns of a board in a tile.
const COLUMNS: usize = 4;

/// How the transformed inputs of a board lie: `[point][column][row pair][entry]`, with a column
/// before the board and one or more after it. A tile's rows are thus entries at one distance, and
/// so are those of the next column, for the next column of the filter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pairs: usize,
    columns: usize,
    /// Bytes of an entry: the channels of a square, and of the square to its right where a line
    /// has room for both.
    entry: usize,
    /// Bytes for the channels of a square.
    square: usize,
}

impl Layout {
    pub fn new(side: usize, channels: usize) -> Layout {
        let square = match channels {
            ..=32 => LINE / 2,
            _ => channels.next_multiple_of(LINE),
        };
        Layout {
            pairs: side / 2,
            columns: row_squares(side) + 2,
            entry: square.next_multiple_of(LINE),
            square,
        }
    }

    /// Bytes from a column to the next.
    fn column(self) -> usize {
        self.pairs * self.entry
    }

    /// Bytes from a point to the next.
    fn point(self) -> usize {
        self.columns * self.column()
    }

    /// Columns of the filter whose inputs an entry has.
    fn span(self) -> usize {
        self.entry / self.square
    }

    /// Entries from which a square has its inputs.
    fn jumps(self) -> usize {
        3usize.div_ceil(self.span())
    }

    /// Lines from which a square has its inputs.
    fn lines(self) -> usize {
        self.jumps() * self.entry / LINE
    }
}

/// Orders weights `[outputs in twos of blocks][point][inputs / 4][column][blocks][16][4]` as
/// `[block][line][point][16][16][4]`.
pub(super) fn pack(layout: Layout, groups: usize, width: usize, weights: &[i8]) -> Buffer<u8> {
    const ROW: usize = 4 * CHANNEL_BLOCK;
    let lines = layout.lines();
    let mut packed = Buffer::zeros(width * POINTS * lines * LINE);
    for first in (0..width).step_by(2 * CHANNEL_BLOCK) {
        let blocks = (width - first).min(2 * CHANNEL_BLOCK) / CHANNEL_BLOCK;
        let from = &weights[first * POINTS * 3 * 4 * groups..];
        let to = &mut packed[first * POINTS * lines * LINE..];
        for point in 0..POINTS {
            for group in 0..groups {
                for column in 0..3 {
                    let byte = column * layout.square + 4 * group;
                    for block in 0..blocks {
                        let at = ((point * groups + group) * 3 + column) * blocks + block;
                        let from = &from[at * ROW..][..ROW];
                        let line = (block * lines + byte / LINE) * POINTS + point;
                        let at = line * LINE / 4 + byte % LINE / 4;
                        for (to, from) in to[at * ROW..].iter_mut().zip(from) {
                            *to = from.cast_unsigned();
                        }
                    }
                }
            }
        }
    }
    packed
}

/// Readies this thread's tile registers, if the lanes use them, for as long as the result lives.
pub(super) fn configure<L: ByteLanes>(shape: BoardShape) -> Option<Configured> {
    // SAFETY: the lanes exist, and boards have four pairs of rows at most.
    L::TILES.then(|| unsafe { Configured::new(COLUMNS * shape.side() / 2) })
}

impl ByteConv {
    fn layout(&self) -> Layout {
        Layout::new(self.shape.side(), 4 * self.groups)
    }

    /// Readies the workspace for [`Self::forward_tiles`] of any number of boards: squares beyond
    /// the edge, which it does not write, become zero.
    pub fn clear_tiles(&self, workspace: &mut Workspace) {
        workspace.points.resize(POINTS * self.layout().point());
        workspace.points.fill(0);
    }

    /// What [`Self::forward`] does, after [`Self::clear_tiles`].
    ///
    /// # Safety
    /// What [`configure`] made for these lanes and this shape lives on this thread.
    #[inline(always)]
    pub(super) unsafe fn forward_tiles<L: ByteLanes, const SIDE: usize>(
        &self,
        lanes: L,
        input: &[u8],
        residual: Option<&[u8]>,
        mut output: Output,
        workspace: &mut Workspace,
    ) {
        let layout = self.layout();
        let Workspace { points, sums } = workspace;
        assert!(L::TILES && points.len() == POINTS * layout.point());
        // SAFETY: the lanes have AVX-512, and the points are as many as the layout says.
        unsafe { transform::<SIDE>(layout, 4 * self.groups, input, points) };
        const POINT: usize = 16 * CHANNEL_BLOCK;
        sums.resize(POINTS * POINT);
        let weights_len = POINTS * layout.lines() * LINE * CHANNEL_BLOCK;
        for block in 0..self.width / CHANNEL_BLOCK {
            let weights = &self.weights[block * weights_len..][..weights_len];
            for quad in (0..row_squares(SIDE)).step_by(COLUMNS) {
                let operands = Operands {
                    inputs: points[quad * layout.column()..].as_ptr(),
                    square: layout.entry,
                    point: layout.point(),
                    lines: layout.entry / LINE,
                    jumps: layout.jumps(),
                    jump: layout.span() * layout.column(),
                    weights: weights.as_ptr(),
                    sums: sums.as_mut_ptr(),
                };
                // SAFETY: the caller's promise. A point's inputs end two columns after the last
                // that is computed, and jumps end there.
                unsafe { products(operands) };
                for pair in 0..SIDE / 2 {
                    let sums = Sums {
                        sums,
                        point: POINT,
                        first: pair,
                        square: SIDE / 2,
                    };
                    let at = (block, pair, quad);
                    self.finish_quad::<L, SIDE>(lanes, at, sums, residual, &mut output);
                }
            }
        }
    }
}

/// `Bᵀ d` for every pair of rows of a board, in the squares of the board.
///
/// # Safety
/// AVX-512 is there, and `points` are as long as the layout says.
#[inline(always)]
unsafe fn transform<const SIDE: usize>(
    layout: Layout,
    channels: usize,
    input: &[u8],
    points: &mut [u8],
) {
    debug_assert!(points.len() == POINTS * layout.point());
    let to = points.as_mut_ptr();
    // SAFETY: the caller's promise. Columns are those of the squares, which come second, and, where
    // entries have the next square, the one before; lines are those of an entry.
    unsafe {
        let zero = [_mm512_setzero_si512(); SIDE];
        if layout.span() == 2 {
            let mut before = zero;
            for x in (0..SIDE + 2).step_by(2) {
                let column = to.add(x * layout.column());
                let squares = match x < SIDE {
                    true => two_squares::<SIDE>(channels, input, x, 0),
                    false => zero,
                };
                let mut between = zero;
                for (y, between) in between.iter_mut().enumerate() {
                    *between = _mm512_alignr_epi64::<4>(squares[y], before[y]);
                }
                write_column(layout, between, column);
                if x < SIDE {
                    write_column(layout, squares, column.add(layout.column()));
                }
                before = squares;
            }
        } else {
            for x in (0..SIDE).step_by(2) {
                let column = to.add((x + 1) * layout.column());
                for line in 0..layout.entry / LINE {
                    let low = two_squares::<SIDE>(channels, input, x, 2 * line);
                    let high = two_squares::<SIDE>(channels, input, x, 2 * line + 1);
                    let (mut left, mut right) = (zero, zero);
                    for (y, (left, right)) in left.iter_mut().zip(&mut right).enumerate() {
                        *left = _mm512_shuffle_i64x2::<0b0100_0100>(low[y], high[y]);
                        *right = _mm512_shuffle_i64x2::<0b1110_1110>(low[y], high[y]);
                    }
                    write_column(layout, left, column.add(line * LINE));
                    let column = column.add(layout.column());
                    write_column(layout, right, column.add(line * LINE));
                }
            }
        }
    }
}

/// A line for each row, of the 32 channels of part `half` of squares `x`, which is even, and
/// `x + 1`. Channels after the last block are those of the last, for which weights are zero.
///
/// # Safety
/// AVX-512 is there.
#[inline(always)]
unsafe fn two_squares<const SIDE: usize>(
    channels: usize,
    input: &[u8],
    x: usize,
    half: usize,
) -> [__m512i; SIDE] {
    const fn places(first: i32) -> [i32; 16] {
        let mut places = [0; 16];
        let mut i = 0;
        while i < 16 {
            let (square, group) = (i as i32 / 8, i as i32 % 8);
            places[i] = group / 4 * 16 + group % 4 * 4 + first + square;
            i += 1;
        }
        places
    }
    const PLACES: [[i32; 16]; 2] = [places(0), places(2)]; // groups of four channels, by half a quad
    let row = row_len(SIDE, channels);
    let last = channels.div_ceil(CHANNEL_BLOCK) - 1;
    let at = |block: usize| place(SIDE, 4 * block.min(last), x / 4 * 4);
    let (low, high) = (at(2 * half), at(2 * half + 1));
    assert!(input.len() >= (SIDE - 1) * row + high + LINE && low <= high);
    // SAFETY: the caller's promise, and vectors lie in the input: the assertion.
    unsafe {
        let places = _mm512_loadu_si512(PLACES[x % 4 / 2].as_ptr().cast());
        let mut rows = [_mm512_setzero_si512(); SIDE];
        for (y, squares) in rows.iter_mut().enumerate() {
            let from = input.as_ptr().add(y * row);
            let low = _mm512_loadu_si512(from.add(low).cast());
            let high = _mm512_loadu_si512(from.add(high).cast());
            *squares = _mm512_permutex2var_epi32(low, places, high);
        }
        rows
    }
}

/// Writes the points of a line of all rows of a column.
///
/// # Safety
/// AVX-512 is there, and the column's lines of all points are.
#[inline(always)]
unsafe fn write_column<const SIDE: usize>(layout: Layout, rows: [__m512i; SIDE], to: *mut u8) {
    let point = layout.point();
    // SAFETY: the caller's promise.
    unsafe {
        let zero = _mm512_setzero_si512();
        for pair in 0..SIDE / 2 {
            let y = 2 * pair;
            let to = to.add(pair * layout.entry);
            let (d1, d2) = (rows[y], rows[y + 1]);
            let d0 = if y == 0 { zero } else { rows[y - 1] };
            let d3 = if y + 2 == SIDE { zero } else { rows[y + 2] };
            _mm512_storeu_si512(to.cast(), _mm512_sub_epi8(d0, d2));
            _mm512_storeu_si512(to.add(point).cast(), _mm512_add_epi8(d1, d2));
            _mm512_storeu_si512(to.add(2 * point).cast(), _mm512_sub_epi8(d2, d1));
            _mm512_storeu_si512(to.add(3 * point).cast(), _mm512_sub_epi8(d1, d3));
        }
    }
}
