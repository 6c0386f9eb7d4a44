//! Which instruction set the kernels run on, decided once at run time.

use crate::bytes::{Plain, WithByteLanes};
use crate::quantized::WithLanes;
use pulp::{Scalar128b, Scalar256b, Simd, WithSimd};

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
    #[cfg(target_arch = "x86_64")]
    Vnni(pulp::x86::V4, crate::bytes::Vnni),
    #[cfg(target_arch = "x86_64")]
    Amx(pulp::x86::V4, crate::bytes::Amx),
    #[cfg(target_arch = "wasm32")]
    Simd128(pulp::wasm::Simd128),
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
            let avx512 = pulp::x86::V4::try_new();
            found.extend(avx512.map(|token| Isa(Kind::Avx512(token))));
            let vnni = avx512.zip(crate::bytes::Vnni::try_new());
            found.extend(vnni.map(|(token, vnni)| Isa(Kind::Vnni(token, vnni))));
            let amx = avx512.zip(crate::bytes::Amx::try_new());
            found.extend(amx.map(|(token, amx)| Isa(Kind::Amx(token, amx))));
        }
        #[cfg(target_arch = "wasm32")]
        {
            // A module with these instructions would not have been loaded without them.
            pulp::wasm::enable_simd128();
            found.extend(pulp::wasm::Simd128::try_new().map(|token| Isa(Kind::Simd128(token))));
        }
        found
    }

    /// `portable`, `avx2`, `avx512`, `avx512-vnni`, `avx512-amx` or `simd128`.
    pub const fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(_) => "avx512",
            #[cfg(target_arch = "x86_64")]
            Kind::Vnni(..) => "avx512-vnni",
            #[cfg(target_arch = "x86_64")]
            Kind::Amx(..) => "avx512-amx",
            #[cfg(target_arch = "wasm32")]
            Kind::Simd128(_) => "simd128",
        }
    }

    /// Whether the products of bytes are those of tile registers.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn has_tiles(self) -> bool {
        matches!(self.0, Kind::Amx(..))
    }

    /// Whether four products of bytes and their sum are one instruction.
    pub(crate) fn has_byte_products(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return matches!(self.0, Kind::Vnni(..) | Kind::Amx(..));
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// Whether the 16-bit integers, whose vectors are those of AVX2, are as wide as f32's.
    pub(crate) fn has_pair_products(self) -> bool {
        self.name() == "avx2"
    }

    /// Runs an operation compiled for this instruction set.
    #[inline]
    pub(crate) fn run<Op: WithSimd>(self, op: Op) -> Op::Output {
        match self.0 {
            Kind::Portable => Simd::vectorize(Scalar128b, op),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(token) => Simd::vectorize(token, op),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(token) | Kind::Vnni(token, _) | Kind::Amx(token, _) => {
                Simd::vectorize(token, op)
            }
            #[cfg(target_arch = "wasm32")]
            Kind::Simd128(token) => Simd::vectorize(token, op),
        }
    }

    /// Runs an operation on integers; with 512-bit vectors this is the AVX2 form.
    #[inline]
    pub(crate) fn run_lanes(self, op: impl WithLanes) {
        match self.0 {
            Kind::Portable => op.with_lanes(Scalar256b),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(token) => run_avx2(token, op),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(token) | Kind::Vnni(token, _) | Kind::Amx(token, _) => {
                run_avx2(*token, op)
            }
            #[cfg(target_arch = "wasm32")]
            Kind::Simd128(_) => op.with_lanes(Scalar256b),
        }
    }

    /// Runs an operation on bytes; with 512-bit vectors but without dot products this is the AVX2 form.
    #[inline]
    pub(crate) fn run_bytes(self, op: impl WithByteLanes) {
        match self.0 {
            Kind::Portable => op.with_lanes(Plain),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(token) => token.vectorize(BytesCall(token, op)),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(token) => token.vectorize(BytesCall(*token, op)),
            #[cfg(target_arch = "x86_64")]
            Kind::Vnni(_, token) => token.vectorize(BytesCall(token, op)),
            #[cfg(target_arch = "x86_64")]
            Kind::Amx(_, token) => token.vectorize(BytesCall(token, op)),
            #[cfg(target_arch = "wasm32")]
            Kind::Simd128(_) => op.with_lanes(Plain),
        }
    }
}

#[cfg(target_arch = "x86_64")]
struct BytesCall<L, Op>(L, Op);

#[cfg(target_arch = "x86_64")]
impl<L: crate::bytes::ByteLanes, Op: WithByteLanes> pulp::NullaryFnOnce for BytesCall<L, Op> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.1.with_lanes(self.0);
    }
}

#[cfg(target_arch = "x86_64")]
fn run_avx2(token: pulp::x86::V3, op: impl WithLanes) {
    struct Call<Op>(pulp::x86::V3, Op);
    impl<Op: WithLanes> pulp::NullaryFnOnce for Call<Op> {
        type Output = ();

        #[inline(always)]
        fn call(self) {
            self.1.with_lanes(self.0);
        }
    }
    token.vectorize(Call(token, op));
}
