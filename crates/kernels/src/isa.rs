//! Which instruction set the kernels run on, decided once at run time.

use pulp::{Scalar128b, Simd, WithSimd};

/// An instruction set that this machine is known to have.
///
/// Every kernel is one generic source, compiled once for each of these. Results are the same bits
/// for the same instruction set, whatever the batch and the threads; between instruction sets they
/// differ by rounding, because the portable form has no fused multiply-add.
#[derive(Clone, Copy, Debug)]
pub struct Isa(Kind);

#[derive(Clone, Copy, Debug)]
enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(pulp::x86::V3),
    #[cfg(target_arch = "x86_64")]
    Avx512(pulp::x86::V4),
}

impl Isa {
    /// The fastest instruction set of this machine.
    pub fn detect() -> Isa {
        *Isa::available()
            .last()
            .expect("the portable form is always there")
    }

    /// Plain Rust that the compiler vectorises for the build's own target.
    pub const fn portable() -> Isa {
        Isa(Kind::Portable)
    }

    /// All instruction sets of this machine, slowest first. Tests run on each.
    pub fn available() -> Vec<Isa> {
        let mut found = vec![Isa::portable()];
        #[cfg(target_arch = "x86_64")]
        {
            found.extend(pulp::x86::V3::try_new().map(|token| Isa(Kind::Avx2(token))));
            found.extend(pulp::x86::V4::try_new().map(|token| Isa(Kind::Avx512(token))));
        }
        found
    }

    /// `portable`, `avx2` or `avx512`.
    pub const fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(_) => "avx512",
        }
    }

    /// Runs an operation compiled for this instruction set.
    #[inline]
    pub(crate) fn run<Op: WithSimd>(self, op: Op) -> Op::Output {
        match self.0 {
            Kind::Portable => Simd::vectorize(Scalar128b, op),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(token) => Simd::vectorize(token, op),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(token) => Simd::vectorize(token, op),
        }
    }
}
