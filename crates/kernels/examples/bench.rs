//! Measures residual towers on 8x8 boards against the machine's own multiply-add peak.
//!
//! `cargo run --release -p outflank-kernels --example bench [threads]`
//!
//! GFLOP/s count the multiply-adds of a direct convolution, taps beyond the edge included. The
//! kernels need only a quarter of them, so that more than the peak is possible. With one thread,
//! times are the thread's own (Linux), so other work on the machine disturbs them little.

use outflank_kernels::{
    BoardShape, ByteTower, ByteWorkspace, ConvParameters, Isa, QuantizedTower, QuantizedWorkspace,
};
use outflank_kernels::{Tower, TowerActivations, TowerGradients, TowerWorkspace, TrainingTower};
use pulp::{Simd, WithSimd};
use std::hint::black_box;
use std::time::Instant;

const INPUTS: usize = 5;

fn main() {
    let threads = std::env::args()
        .nth(1)
        .map_or(1, |n| n.parse().expect("a number of threads"));
    let isa = Isa::detect();
    let peak = pulp::Arch::new().dispatch(Peak);
    println!(
        "{}, multiply-add peak of one thread {peak:.1} GFLOP/s",
        isa.name()
    );
    println!(
        "{:<26} {:>12} {:>10} {:>8}",
        "", "positions/s", "GFLOP/s", "of peak"
    );
    for (blocks, width) in [(4, 32), (6, 48), (6, 64)] {
        let products = 64 * 9 * width * (INPUTS + 2 * blocks * width);
        let report = |name: &str, batch: usize, threads: usize, passes: usize, seconds: f64| {
            let rate = batch as f64 / seconds;
            let flops = rate * (2 * products * passes) as f64 / 1e9;
            let share = flops / peak / threads as f64;
            let name = format!("{blocks}x{width} {name} {batch}");
            println!("{name:<26} {rate:>12.0} {flops:>10.1} {share:>8.2}");
        };
        let shape = BoardShape::new(8).expect("a board");
        let layers = parameters(blocks, width);
        let views: Vec<_> = layers
            .iter()
            .map(|(weight, bias)| ConvParameters { weight, bias })
            .collect();
        let pairs: Vec<_> = views[1..]
            .chunks(2)
            .map(|pair| [pair[0], pair[1]])
            .collect();

        let tower = Tower::new(isa, shape, INPUTS, views[0], &pairs).expect("a tower");
        let mut workspace = TowerWorkspace::default();
        let calibration = values(32 * shape.plain_len(INPUTS), 1.0);
        let quantized =
            QuantizedTower::new(isa, shape, INPUTS, views[0], &pairs, &calibration).expect("same");
        let mut quantized_workspace = QuantizedWorkspace::default();
        let planes = |boards: usize| -> Vec<u64> {
            (0..boards as u64 * INPUTS as u64)
                .map(|i| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
                .collect()
        };
        let bytes =
            ByteTower::new(isa, shape, INPUTS, views[0], &pairs, &planes(32)).expect("same");
        let mut byte_workspace = ByteWorkspace::default();
        for batch in [1, 32, 256] {
            let input = planes(batch);
            let mut output = vec![0.0; batch * shape.plain_len(width)];
            let seconds = time(1, || {
                bytes.forward(&input, &mut output, &mut byte_workspace)
            });
            report("bytes", batch, 1, 1, seconds);
        }
        for isa in Isa::available() {
            let bytes = ByteTower::new(isa, shape, INPUTS, views[0], &pairs, &planes(32));
            let (bytes, batch) = (bytes.expect("same"), 128);
            let input = planes(batch);
            let mut output = vec![0.0; batch * shape.plain_len(width)];
            let seconds = time(1, || {
                bytes.forward(&input, &mut output, &mut byte_workspace)
            });
            report(&format!("bytes {}", isa.name()), batch, 1, 1, seconds);
        }
        for batch in [1, 32, 256] {
            let input = values(batch * shape.plain_len(INPUTS), 1.0);
            let mut output = vec![0.0; batch * shape.plain_len(width)];
            let seconds = time(1, || tower.forward(&input, &mut output, &mut workspace));
            report("f32", batch, 1, 1, seconds);
            let mut near = output.clone();
            let seconds = time(1, || {
                quantized.forward(&input, &mut near, &mut quantized_workspace)
            });
            report("integer", batch, 1, 1, seconds);
            if batch == 256 {
                println!(
                    "integer against f32: {:.4} of the root mean square",
                    error(&near, &output)
                );
            }
        }

        let batch = 512;
        let input = values(batch * shape.plain_len(INPUTS), 1.0);
        let gradient = values(batch * shape.plain_len(width), 1.0);
        let mut output = vec![0.0; gradient.len()];
        let mut activations = TowerActivations::default();
        let mut gradients = TowerGradients::default();
        let mut tower = None;
        let pack = time(1, || {
            tower = TrainingTower::new(isa, shape, INPUTS, views[0], &pairs).ok();
        });
        let tower = tower.expect("a tower");
        let forward = time(threads, || {
            tower.forward(&input, &mut activations, &mut output, threads)
        });
        let backward = time(threads, || {
            tower.backward(&mut activations, &gradient, &mut gradients, threads)
        });
        println!("{threads} threads, packing {:.2} ms", 1e3 * pack);
        report("forward", batch, threads, 1, forward);
        report("backward", batch, threads, 2, backward);
        report("training", batch, threads, 3, pack + forward + backward);
    }
}

/// Seconds of one call: the least of a few means.
fn time(threads: usize, mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    let clock = || if threads == 1 { own_time() } else { None };
    let now = || clock().unwrap_or_else(|| start.elapsed().as_secs_f64());
    call();
    let mean = || {
        let (from, mut calls) = (now(), 0);
        while calls < 3 || now() - from < 0.06 {
            call();
            calls += 1;
        }
        (now() - from) / f64::from(calls)
    };
    std::iter::repeat_with(mean)
        .take(4)
        .fold(f64::MAX, f64::min)
}

/// Seconds for which this thread has run, where Linux tells.
fn own_time() -> Option<f64> {
    let line = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(line.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

/// The root mean square of the difference, relative to that of the second.
fn error(found: &[f32], expected: &[f32]) -> f32 {
    let squares: f32 = found
        .iter()
        .zip(expected)
        .map(|(a, b)| (a - b) * (a - b))
        .sum();
    (squares / expected.iter().map(|b| b * b).sum::<f32>()).sqrt()
}

/// Weights and biases of each convolution.
fn parameters(blocks: usize, width: usize) -> Vec<(Vec<f32>, Vec<f32>)> {
    let layer = |index| {
        let inputs = if index == 0 { INPUTS } else { width };
        let scale = (1.0 / inputs as f32).sqrt() * 0.4;
        (values(width * inputs * 9, scale), values(width, 0.1))
    };
    (0..1 + 2 * blocks).map(layer).collect()
}

/// Values in `-scale..scale` that look random enough.
fn values(len: usize, scale: f32) -> Vec<f32> {
    let value = |at: u32| (at.wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 23) as f32 - 1.0;
    (0..len as u32).map(|at| scale * value(at)).collect()
}

/// Multiply-adds on registers, GFLOP/s.
struct Peak;

impl WithSimd for Peak {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        const CHAINS: usize = 12;
        const STEPS: usize = 100_000;
        let factor = black_box(simd.splat_f32s(0.999));
        let mut seconds = f64::MAX;
        for _ in 0..300 {
            let mut sums = [simd.splat_f32s(1.0); CHAINS];
            let start = Instant::now();
            for _ in 0..STEPS {
                for sum in &mut sums {
                    *sum = simd.mul_add_f32s(*sum, factor, factor);
                }
            }
            seconds = seconds.min(start.elapsed().as_secs_f64());
            black_box(sums);
        }
        (2 * STEPS * CHAINS * S::F32_LANES) as f64 / seconds / 1e9
    }
}
