//! The tile registers of AMX: one instruction multiplies the bytes of up to 16 squares with those
//! of 16 outputs, 64 of each, and adds them up.
#![allow(unsafe_code)] // Instructions that stable Rust does not offer.

use super::Vnni;
use super::vnni::Avx512Bytes;
use std::arch::asm;
use std::marker::PhantomData;
use std::sync::OnceLock;

/// AVX-512 with VNNI, and AMX's products of bytes, which this process may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amx(Vnni);

impl Amx {
    pub fn try_new() -> Option<Amx> {
        static ALLOWED: OnceLock<bool> = OnceLock::new();
        let vnni = Vnni::try_new()?;
        ALLOWED.get_or_init(is_allowed).then_some(Amx(vnni))
    }

    /// Runs an operation compiled for everything but AMX, which has no target feature.
    #[inline]
    pub fn vectorize<Op: pulp::NullaryFnOnce>(self, op: Op) -> Op::Output {
        self.0.vectorize(op)
    }
}

impl Avx512Bytes for Amx {
    const TILES: bool = true;
}

/// Whether the processor has the instructions, the system saves their registers, and Linux lets
/// this process use them. Other systems have ways of their own, which nobody has tried here.
fn is_allowed() -> bool {
    is_present() && is_permitted()
}

fn is_present() -> bool {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    const OSXSAVE: u32 = 1 << 27;
    const TILE_AND_INT8: u32 = 0b11 << 24;
    const SAVED: u32 = 0b11 << 17;
    if __cpuid(0).eax < 7 || __cpuid(1).ecx & OSXSAVE == 0 {
        return false;
    }
    let low: u32;
    // SAFETY: the processor has the instruction, and register 0 is always there.
    unsafe {
        asm!("xgetbv", in("ecx") 0, out("eax") low, out("edx") _, options(nomem, nostack, preserves_flags));
    }
    __cpuid_count(7, 0).edx & TILE_AND_INT8 == TILE_AND_INT8 && low & SAVED == SAVED
}

/// Asks for the registers, which enlarge what Linux saves for each thread of the process.
#[cfg(target_os = "linux")]
fn is_permitted() -> bool {
    const ARCH_PRCTL: usize = 158;
    const ARCH_REQ_XCOMP_PERM: usize = 0x1023;
    const XFEATURE_XTILEDATA: usize = 18;
    let error: usize;
    // SAFETY: a system call without pointers; it overwrites the registers that are named.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") ARCH_PRCTL => error,
            in("rdi") ARCH_REQ_XCOMP_PERM,
            in("rsi") XFEATURE_XTILEDATA,
            out("rcx") _,
            out("r11") _,
            options(nostack),
        );
    }
    error == 0
}

#[cfg(not(target_os = "linux"))]
fn is_permitted() -> bool {
    false
}

/// This thread's tile registers, ready for [`products`] of some squares while this lives.
pub(super) struct Configured(PhantomData<*const ()>);

#[repr(C, align(64))]
struct Configuration {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

impl Configured {
    /// # Safety
    /// An [`Amx`] exists; `squares` is in `1..=16`.
    pub unsafe fn new(squares: usize) -> Configured {
        debug_assert!((1..=16).contains(&squares));
        let mut configuration = Configuration {
            palette: 1,
            start_row: 0,
            reserved: [0; 14],
            row_bytes: [0; 16],
            rows: [0; 16],
        };
        configuration.row_bytes[..8].fill(64);
        configuration.rows[..6].fill(squares as u8); // 0 to 3 are sums, 4 and 5 are inputs
        configuration.rows[6..8].fill(16); // weights
        // SAFETY: the caller's promise, and the configuration is one that the processor takes.
        unsafe {
            asm!("ldtilecfg [{}]", in(reg) &configuration, options(readonly, nostack, preserves_flags));
        }
        Configured(PhantomData)
    }
}

impl Drop for Configured {
    fn drop(&mut self) {
        // SAFETY: whoever made `self` promised that the instruction is there.
        unsafe { asm!("tilerelease", options(nomem, nostack, preserves_flags)) }
    }
}

/// What [`products`] reads and writes.
#[derive(Clone, Copy)]
pub(super) struct Operands {
    /// Of the first square: `lines` times 64 bytes one after another, `jumps` times, `jump` bytes
    /// from one time to the next.
    pub inputs: *const u8,
    /// Bytes from a square's inputs to the next one's.
    pub square: usize,
    /// Bytes from a point's inputs to the next one's.
    pub point: usize,
    pub lines: usize,
    pub jumps: usize,
    pub jump: usize,
    /// `[jumps][lines][point][16][16][4]`, the last 16 the outputs.
    pub weights: *const u8,
    /// `[point][16][16]`, of squares and outputs.
    pub sums: *mut i32,
}

/// The sums of products of some squares for sixteen outputs, of all points: the processor works
/// at all four while each waits for its last product. Inputs of point 1 are bytes without a sign,
/// those of the others with one.
///
/// # Safety
/// A [`Configured`] of so many squares lives on this thread, everything that [`Operands`] says is
/// there, with `lines` and `jumps` not zero and a `jump` not shorter than the lines.
#[inline(always)]
pub(super) unsafe fn products(operands: Operands) {
    let inputs = |point| operands.inputs.wrapping_add(point * operands.point);
    // SAFETY: the caller's promise.
    unsafe {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            "2:",
            "mov {line}, {lines}",
            "3:",
            "tileloadd tmm4, [{first} + {square}]",
            "tileloadd tmm6, [{weights} + {row}]",
            "tdpbssd tmm0, tmm4, tmm6",
            "tileloadd tmm5, [{second} + {square}]",
            "tileloadd tmm7, [{weights} + {row} + 1024]",
            "tdpbusd tmm1, tmm5, tmm7",
            "tileloadd tmm4, [{third} + {square}]",
            "tileloadd tmm6, [{weights} + {row} + 2048]",
            "tdpbssd tmm2, tmm4, tmm6",
            "tileloadd tmm5, [{fourth} + {square}]",
            "tileloadd tmm7, [{weights} + {row} + 3072]",
            "tdpbssd tmm3, tmm5, tmm7",
            "add {first}, 64",
            "add {second}, 64",
            "add {third}, 64",
            "add {fourth}, 64",
            "add {weights}, 4096",
            "dec {line}",
            "jnz 3b",
            "add {first}, {skip}",
            "add {second}, {skip}",
            "add {third}, {skip}",
            "add {fourth}, {skip}",
            "dec {jumps}",
            "jnz 2b",
            "tilestored [{sums} + {row}], tmm0",
            "tilestored [{sums} + {row} + 1024], tmm1",
            "tilestored [{sums} + {row} + 2048], tmm2",
            "tilestored [{sums} + {row} + 3072], tmm3",
            first = inout(reg) inputs(0) => _,
            second = inout(reg) inputs(1) => _,
            third = inout(reg) inputs(2) => _,
            fourth = inout(reg) inputs(3) => _,
            square = in(reg) operands.square,
            weights = inout(reg) operands.weights => _,
            row = in(reg) 64usize,
            line = out(reg) _,
            lines = in(reg) operands.lines,
            skip = in(reg) operands.jump - 64 * operands.lines,
            jumps = inout(reg) operands.jumps => _,
            sums = in(reg) operands.sums,
            out("tmm0") _,
            out("tmm1") _,
            out("tmm2") _,
            out("tmm3") _,
            out("tmm4") _,
            out("tmm5") _,
            out("tmm6") _,
            out("tmm7") _,
            options(nostack),
        );
    }
}
