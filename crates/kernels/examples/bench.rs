//! Measures the kernels against the machine's own peak.
use outflank_kernels::*;
use pulp::{Simd, WithSimd};
use std::time::Instant;

struct Peak;
impl WithSimd for Peak {
    type Output = f64;
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let mut best = f64::MAX;
        for _ in 0..1000 {
            let mut a = [simd.splat_f32s(1.0); 12];
            let m = std::hint::black_box(simd.splat_f32s(0.999));
            let t = Instant::now();
            for _ in 0..10000 {
                for a in &mut a {
                    *a = simd.mul_add_f32s(*a, m, m);
                }
            }
            best = best.min(t.elapsed().as_secs_f64());
            std::hint::black_box(a);
        }
        10000.0 * 12.0 * 2.0 * S::F32_LANES as f64 / best / 1e9
    }
}

fn main() {
    let isa = Isa::detect();
    println!("{}", isa.name());
    let peak = pulp::Arch::new().dispatch(Peak);
    println!("peak {peak:.1}");
    let shape = BoardShape::new(8).unwrap();
    for c in [32usize, 64] {
        let w: Vec<f32> = (0..c * c * 9)
            .map(|i| ((i * 7919 % 1000) as f32 - 500.0) * 1e-4)
            .collect();
        let conv = Conv3x3::new(isa, shape, c, &w, &vec![0.1; c]).unwrap();
        let boards = 6;
        let mut x = vec![0.0; boards * shape.padded_len(c)];
        let plain: Vec<f32> = (0..boards * 64 * c)
            .map(|i| (i * 31 % 97) as f32 / 97.0)
            .collect();
        shape.pad(c, &plain, &mut x);
        let mut y = vec![0.0; x.len()];
        let mut ws = Workspace::default();
        let mut best = f64::MAX;
        for _ in 0..3000 {
            let t = Instant::now();
            conv.forward(&x, Some(&x), true, &mut y, &mut ws);
            best = best.min(t.elapsed().as_secs_f64());
        }
        let per = best / boards as f64;
        let flop = 2.0 * 9.0 * 64.0 * (c * c) as f64;
        println!(
            "{c}: {:.2} us a board-layer, {:.1} direct GFLOP/s",
            per * 1e6,
            flop / per / 1e9
        );
    }
}
