//! Memory aligned to cache lines: an unaligned vector costs two accesses where it crosses a line.
#![allow(unsafe_code)] // Views lines of bytes as numbers.

use pulp::bytemuck::Pod;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

const LINE: usize = 64;

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([u8; LINE]);

/// Numbers that start on a cache line; behaves as a slice.
#[derive(Clone, Debug)]
pub(crate) struct Buffer<T = f32> {
    lines: Vec<Line>,
    len: usize,
    of: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    /// `len` zeros.
    pub fn zeros(len: usize) -> Buffer<T> {
        let mut buffer = Buffer::default();
        buffer.resize(len);
        buffer
    }

    /// Makes the buffer `len` long. What was never written is zero; what was stays, even beyond a
    /// shorter length in between.
    pub fn resize(&mut self, len: usize) {
        let lines = (len * size_of::<T>()).div_ceil(LINE);
        if self.lines.len() < lines {
            self.lines.resize(lines, Line([0; LINE]));
        }
        self.len = len;
    }
}

impl<T> Default for Buffer<T> {
    fn default() -> Buffer<T> {
        Buffer {
            lines: Vec::new(),
            len: 0,
            of: PhantomData,
        }
    }
}

impl<T: Pod> Deref for Buffer<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        const { assert!(align_of::<T>() <= LINE) };
        // SAFETY: there are enough lines for `len` values, lines are aligned for them, and every
        // bit pattern is a value.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl<T: Pod> DerefMut for Buffer<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        const { assert!(align_of::<T>() <= LINE) };
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}
