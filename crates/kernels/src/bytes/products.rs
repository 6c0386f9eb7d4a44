//! The products of a row of squares, and the order of weights and transformed inputs that they read.
#![allow(unsafe_code)] // The inner loop reads through pointers; assertions before it say how far.
#![allow(clippy::needless_range_loop)] // Indices are squares of a row.

use super::conv::{OFFSET, POINTS, place, row_len, row_squares};
use super::lanes::ByteLanes;
use super::tower::WithByteLanes;
use crate::board::CHANNEL_BLOCK;
use crate::buffer::Buffer;
use crate::lanes::read;
use pulp::bytemuck::{Zeroable, cast_slice_mut};
use std::ops::Range;

/// Stores weights `[16][4]` as a set of lanes reads them: `[4 / CHANNELS][16][CHANNELS]`.
pub(super) struct Pack<'a> {
    pub from: &'a [i8],
    pub to: &'a mut Buffer<u8>,
}

impl WithByteLanes for Pack<'_> {
    #[inline(always)]
    fn with_lanes<L: ByteLanes>(self, _: L) {
        self.to.resize(self.from.len() * size_of::<L::Weight>());
        let to: &mut [L::Weight] = cast_slice_mut(self.to);
        let (from, _) = self.from.as_chunks::<{ 4 * CHANNEL_BLOCK }>();
        let (to, _) = to.as_chunks_mut::<{ 4 * CHANNEL_BLOCK }>();
        for (from, to) in from.iter().zip(to) {
            for (i, weight) in from.iter().enumerate() {
                let (lane, input) = (i / 4, i % 4);
                let (part, channel) = (input / L::CHANNELS, input % L::CHANNELS);
                to[(part * CHANNEL_BLOCK + lane) * L::CHANNELS + channel] = (*weight).into();
            }
        }
    }
}

/// The sums of one point for a row of squares, `[row_squares][BLOCKS][16]`.
#[inline(always)]
pub(super) fn row_products<L: ByteLanes, const SIDE: usize, const BLOCKS: usize>(
    lanes: L,
    inputs: &[L::Input],
    weights: &[L::Weight],
    start: &[i32],
    sums: &mut [i32],
) {
    let groups = weights.len() / (3 * BLOCKS * 4 * CHANNEL_BLOCK);
    assert!(inputs.len() == row_len(SIDE, 4 * groups));
    let (start, _) = start.as_chunks::<CHANNEL_BLOCK>();
    let (sums, _) = sums.as_chunks_mut::<CHANNEL_BLOCK>();
    assert!(start.len() == 3 * BLOCKS && sums.len() == row_squares(SIDE) * BLOCKS);
    let mut row = Row::<L, BLOCKS> {
        lanes,
        inputs,
        weights,
        start,
        sums,
    };
    if L::WHOLE_ROWS {
        row.products::<SIDE, BLOCKS>(0, 0..SIDE);
    } else {
        for block in 0..BLOCKS {
            row.products::<SIDE, 1>(block, 0..SIDE / 2);
            row.products::<SIDE, 1>(block, SIDE / 2..SIDE);
        }
    }
}

/// What [`row_products`] reads and writes, of the lengths that it checks.
struct Row<'a, L: ByteLanes, const BLOCKS: usize> {
    lanes: L,
    inputs: &'a [L::Input],
    weights: &'a [L::Weight],
    start: &'a [[i32; CHANNEL_BLOCK]],
    sums: &'a mut [[i32; CHANNEL_BLOCK]],
}

impl<L: ByteLanes, const BLOCKS: usize> Row<'_, L, BLOCKS> {
    /// The sums of some squares for `SOME` blocks from `first` on, held in registers.
    #[inline(always)]
    fn products<const SIDE: usize, const SOME: usize>(
        &mut self,
        first: usize,
        squares: Range<usize>,
    ) {
        let lanes = self.lanes;
        let groups = self.weights.len() / (3 * BLOCKS * 4 * CHANNEL_BLOCK);
        let mut totals = [[lanes.load(&self.start[0]); SOME]; SIDE];
        for x in squares.clone() {
            let column = match x {
                0 => 0,
                _ if x + 1 == SIDE => 2,
                _ => 1,
            };
            for (block, total) in totals[x].iter_mut().enumerate() {
                *total = lanes.load(&self.start[column * BLOCKS + first + block]);
            }
        }
        for group in 0..groups {
            for channel in (0..4).step_by(L::CHANNELS) {
                let mut filters = [[L::Weights::zeroed(); SOME]; 3];
                for (column, filters) in filters.iter_mut().enumerate() {
                    for (block, filter) in filters.iter_mut().enumerate() {
                        let at = (group * 3 + column) * BLOCKS + first + block;
                        let at = (4 * at + channel) * CHANNEL_BLOCK;
                        // SAFETY: that many weights lie in the slice: how `groups` was computed.
                        *filter = unsafe { read(self.weights, at) };
                    }
                }
                for from in squares.start.saturating_sub(1)..SIDE.min(squares.end + 1) {
                    let at = place(SIDE, group, from) + channel;
                    // SAFETY: so many groups lie in the row: what the caller checked.
                    let inputs: L::Inputs = unsafe { read(self.inputs, at) };
                    for (column, filters) in filters.iter().enumerate() {
                        // The square on which this column of the filter falls here, if it is one of ours.
                        let x = from + 1;
                        if x < column || !squares.contains(&(x - column)) {
                            continue;
                        }
                        for (total, filter) in totals[x - column].iter_mut().zip(filters) {
                            *total = lanes.dot(*total, inputs, filter);
                        }
                    }
                }
            }
        }
        for x in squares {
            for (block, total) in totals[x].iter().enumerate() {
                lanes.store(*total, &mut self.sums[x * BLOCKS + first + block]);
            }
        }
    }
}

/// `Bᵀ d` for every pair of rows of a board, with the board's surroundings zero.
#[inline(always)]
pub(super) fn transform_rows<I: From<u8>>(input: &[u8], row: usize, points: &mut [I]) {
    let rows = input.len() / row;
    let at = |y: usize| &input[y * row..][..row];
    for (pair, points) in points.chunks_exact_mut(POINTS * row).enumerate() {
        let (first, rest) = points.split_at_mut(row);
        let (one, rest) = rest.split_at_mut(row);
        let (two, last) = rest.split_at_mut(row);
        let y = 2 * pair;
        let (d1, d2) = (at(y), at(y + 1));
        match y.checked_sub(1) {
            Some(above) => difference(at(above), d2, first),
            None => first
                .iter_mut()
                .zip(d2)
                .for_each(|(to, d2)| *to = (OFFSET - d2).into()),
        }
        for (i, (one, two)) in one.iter_mut().zip(two).enumerate() {
            *one = d1[i].wrapping_add(d2[i]).into();
            *two = (d2[i].wrapping_sub(d1[i]) ^ OFFSET).into();
        }
        match y + 2 < rows {
            true => difference(d1, at(y + 2), last),
            false => last
                .iter_mut()
                .zip(d1)
                .for_each(|(to, d1)| *to = (d1 ^ OFFSET).into()),
        }
    }
}

#[inline(always)]
fn difference<I: From<u8>>(a: &[u8], b: &[u8], to: &mut [I]) {
    for ((to, a), b) in to.iter_mut().zip(a).zip(b) {
        *to = (a.wrapping_sub(*b) ^ OFFSET).into();
    }
}
