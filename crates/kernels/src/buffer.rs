//! Memory aligned to cache lines: an unaligned vector costs two accesses where it crosses a line.
#![allow(unsafe_code)] // Views lines of floats as floats.

use std::ops::{Deref, DerefMut};

const LINE: usize = 16;

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([f32; LINE]);

/// Floats that start on a cache line; behaves as a slice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffer {
    lines: Vec<Line>,
    len: usize,
}

impl Buffer {
    /// `len` zeros.
    pub fn zeros(len: usize) -> Buffer {
        let mut buffer = Buffer::default();
        buffer.resize(len);
        buffer
    }

    /// Makes the buffer `len` long. Values at indices below both lengths stay, and whatever was
    /// never written is zero.
    pub fn resize(&mut self, len: usize) {
        if self.lines.len() < len.div_ceil(LINE) {
            self.lines.resize(len.div_ceil(LINE), Line([0.0; LINE]));
        }
        self.len = len;
    }
}

impl Deref for Buffer {
    type Target = [f32];

    #[inline]
    fn deref(&self) -> &[f32] {
        // SAFETY: lines are arrays of floats without padding between them, and there are enough of
        // them for `len` floats.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl DerefMut for Buffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut [f32] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}
