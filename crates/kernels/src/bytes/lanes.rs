//! Vectors of 16 sums, and the few operations on them that the byte kernels need.

use super::MOST;
use pulp::bytemuck::Pod;

/// Sixteen values side by side: i32 sums of products of bytes, and f32.
///
/// Every operation gives the same bits in every implementation: sums are exact, and the operations
/// on f32 round one by one.
pub(crate) trait ByteLanes: Copy {
    /// What a byte of an input is stored as, for [`Self::dot`].
    type Input: Pod + From<u8>;
    /// What a byte of a weight is stored as.
    type Weight: Pod + From<i8>;
    /// The channels of a square that [`Self::dot`] takes together, four or two.
    type Inputs: Pod;
    /// Their weights for sixteen outputs, `[16][channels]`.
    type Weights: Pod;
    /// Sixteen i32.
    type Sums: Copy;
    /// Sixteen f32.
    type Floats: Copy;

    /// Channels in [`Self::Inputs`].
    const CHANNELS: usize = size_of::<Self::Inputs>() / size_of::<Self::Input>();
    /// Whether registers hold the sums of a row of eight squares for 32 outputs; else those of half a row for 16.
    const WHOLE_ROWS: bool;
    /// Whether products are those of tile registers (AMX), and not [`Self::dot`].
    #[cfg(target_arch = "x86_64")]
    const TILES: bool = false;

    fn load(self, from: &[i32; 16]) -> Self::Sums;

    fn store(self, sums: Self::Sums, to: &mut [i32; 16]);

    /// `sums[i] + inputs[0] * weights[i][0] + ..` over all channels.
    fn dot(self, sums: Self::Sums, inputs: Self::Inputs, weights: &Self::Weights) -> Self::Sums;

    fn add(self, a: Self::Sums, b: Self::Sums) -> Self::Sums;

    fn sub(self, a: Self::Sums, b: Self::Sums) -> Self::Sums;

    /// Rounded to nearest where an f32 cannot hold the value.
    fn floats(self, sums: Self::Sums) -> Self::Floats;

    fn load_floats(self, from: &[f32; 16]) -> Self::Floats;

    /// `a * b + c`, rounded twice.
    fn multiply_add(self, a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats;

    /// The values where they are positive, else zero.
    fn rectify(self, values: Self::Floats, to: &mut [f32; 16]);

    /// Rounds to nearest, ties to even, clamps to `0..=127`, and groups four channels of four
    /// squares: `[channel / 4][square][channel % 4]` from a vector of channels for each square.
    fn pack(self, squares: [Self::Floats; 4], to: &mut [u8; 64]);

    /// The inverse of [`Self::pack`], as far as rounding allows.
    fn unpack(self, from: &[u8; 64]) -> [Self::Floats; 4];
}

/// Plain Rust, for every machine and to compare with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain;

impl ByteLanes for Plain {
    type Input = u8;
    type Weight = i8;
    type Inputs = [u8; 4];
    type Weights = [i8; 64];
    type Sums = [i32; 16];
    type Floats = [f32; 16];

    const WHOLE_ROWS: bool = true;

    #[inline(always)]
    fn load(self, from: &[i32; 16]) -> [i32; 16] {
        *from
    }

    #[inline(always)]
    fn store(self, sums: [i32; 16], to: &mut [i32; 16]) {
        *to = sums;
    }

    #[inline(always)]
    fn dot(self, sums: [i32; 16], inputs: [u8; 4], weights: &[i8; 64]) -> [i32; 16] {
        let inputs = inputs.map(i32::from);
        std::array::from_fn(|i| {
            let products = |k: usize| inputs[k] * i32::from(weights[4 * i + k]);
            sums[i] + (products(0) + products(1) + products(2) + products(3))
        })
    }

    #[inline(always)]
    fn add(self, a: [i32; 16], b: [i32; 16]) -> [i32; 16] {
        std::array::from_fn(|i| a[i] + b[i])
    }

    #[inline(always)]
    fn sub(self, a: [i32; 16], b: [i32; 16]) -> [i32; 16] {
        std::array::from_fn(|i| a[i] - b[i])
    }

    #[inline(always)]
    fn floats(self, sums: [i32; 16]) -> [f32; 16] {
        sums.map(|sum| sum as f32)
    }

    #[inline(always)]
    fn load_floats(self, from: &[f32; 16]) -> [f32; 16] {
        *from
    }

    #[inline(always)]
    fn multiply_add(self, a: [f32; 16], b: [f32; 16], c: [f32; 16]) -> [f32; 16] {
        std::array::from_fn(|i| a[i] * b[i] + c[i])
    }

    #[inline(always)]
    fn rectify(self, values: [f32; 16], to: &mut [f32; 16]) {
        *to = values.map(|value| value.max(0.0));
    }

    #[inline(always)]
    fn pack(self, squares: [[f32; 16]; 4], to: &mut [u8; 64]) {
        for (square, values) in squares.iter().enumerate() {
            for (channel, value) in values.iter().enumerate() {
                let rounded = value.round_ties_even().clamp(0.0, f32::from(MOST));
                to[16 * (channel / 4) + 4 * square + channel % 4] = rounded as u8;
            }
        }
    }

    #[inline(always)]
    fn unpack(self, from: &[u8; 64]) -> [[f32; 16]; 4] {
        std::array::from_fn(|square| {
            std::array::from_fn(|channel| {
                f32::from(from[16 * (channel / 4) + 4 * square + channel % 4])
            })
        })
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::bytes::Vnni;
    use pulp::bytemuck::{cast_slice, from_bytes};

    #[test]
    fn the_instructions_do_what_plain_rust_does() {
        if let Some(vnni) = Vnni::try_new() {
            vnni.vectorize(Compare(vnni));
        }
        if let Some(avx2) = pulp::x86::V3::try_new() {
            avx2.vectorize(Compare(avx2));
        }
    }

    struct Compare<L>(L);

    impl<L: ByteLanes> pulp::NullaryFnOnce for Compare<L> {
        type Output = ();

        fn call(self) {
            let Compare(lanes) = self;
            let sums: [i32; 16] = std::array::from_fn(|i| (i as i32 - 8) * 100_000_003);
            // All that matters of a product are the largest values, which must not saturate.
            let weights: [i8; 64] = std::array::from_fn(|i| [127, -127, 89, i as i8][i / 16]);
            let inputs = [255, 254, 1, 130];
            let mut found = sums;
            for part in (0..4).step_by(L::CHANNELS) {
                let part_inputs: Vec<_> = inputs[part..][..L::CHANNELS]
                    .iter()
                    .map(|&input| L::Input::from(input))
                    .collect();
                let part_weights: Vec<_> = weights
                    .chunks(4)
                    .flat_map(|weights| &weights[part..][..L::CHANNELS])
                    .map(|&weight| L::Weight::from(weight))
                    .collect();
                let sums = lanes.dot(
                    lanes.load(&found),
                    *from_bytes(cast_slice(&part_inputs)),
                    from_bytes(cast_slice(&part_weights)),
                );
                lanes.store(sums, &mut found);
            }
            assert_eq!(found, Plain.dot(sums, inputs, &weights));
            let both = |a, b| lanes.sub(lanes.add(lanes.load(a), lanes.load(b)), lanes.load(&sums));
            let mut same = [0; 16];
            lanes.store(both(&found, &[77; 16]), &mut same);
            let expected = Plain.sub(Plain.add(found, [77; 16]), sums);
            assert_eq!(same, expected);

            let scale = [0.000_001_7; 16];
            let offset: [f32; 16] = std::array::from_fn(|i| i as f32 - 3.0);
            let fast = {
                let floats = lanes.floats(lanes.load(&sums));
                lanes.multiply_add(
                    floats,
                    lanes.load_floats(&scale),
                    lanes.load_floats(&offset),
                )
            };
            let plain = Plain.multiply_add(Plain.floats(sums), scale, offset);
            let (mut fast_floats, mut plain_floats) = ([0.0; 16], [0.0; 16]);
            lanes.rectify(fast, &mut fast_floats);
            Plain.rectify(plain, &mut plain_floats);
            assert_eq!(fast_floats, plain_floats);

            let squares: [[f32; 16]; 4] = std::array::from_fn(|square| {
                std::array::from_fn(|i| (16 * square + i) as f32 * 2.5 - 20.0)
            });
            let (mut fast_bytes, mut plain_bytes) = ([0; 64], [0; 64]);
            lanes.pack(
                squares.map(|square| lanes.load_floats(&square)),
                &mut fast_bytes,
            );
            Plain.pack(squares, &mut plain_bytes);
            assert_eq!(fast_bytes, plain_bytes);
            assert_eq!((plain_bytes[0], plain_bytes[63]), (0, 127));
            for (fast, plain) in lanes
                .unpack(&fast_bytes)
                .into_iter()
                .zip(Plain.unpack(&plain_bytes))
            {
                lanes.rectify(fast, &mut fast_floats);
                assert_eq!(fast_floats, plain);
            }
        }
    }
}
