//! AMX: registers of 16 rows of 64 bytes, and one instruction that multiplies two of them into a third.
//!
//! The intrinsics are not stable, so the instructions are written out. What a thread computes with tiles lies between
//! [`Configured::new`] and its drop, which gives the registers back, so that switching threads stays cheap.
#![allow(unsafe_code, reason = "instructions without intrinsics, and the system call that grants them")]

use super::pack::Rows;
use super::{HEIGHT, STEP, Sums, WIDTH};

/// Does this processor have it, and does the system let this process use it?
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub(super) fn is_supported() -> bool {
    use std::arch::x86_64::{__cpuid_count, _xgetbv};
    // The features of leaf 7: AMX-BF16 and AMX-TILE.
    const WANTED: u32 = 1 << 22 | 1 << 24;
    // The parts of the state that the system saves: the configuration and the tiles.
    const STATE: u64 = 0b11 << 17;
    /// `_xgetbv` of the first register.
    #[target_feature(enable = "xsave")]
    unsafe fn saved() -> u64 {
        // SAFETY: the caller's promise that the instruction is there.
        unsafe { _xgetbv(0) }
    }
    #[allow(unused_unsafe, reason = "older releases of Rust call this function unsafe")]
    // SAFETY: every x86-64 processor has the instruction.
    let features = unsafe { __cpuid_count(7, 0) }.edx;
    let has = features & WANTED == WANTED && std::is_x86_feature_detected!("xsave");
    // SAFETY: the processor has `xsave`, and the system uses it, or it would not have been detected.
    has && unsafe { saved() } & STATE == STATE && granted()
}

/// Asks the system for the tiles' state, which it keeps only for processes that want it.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn granted() -> bool {
    const ARCH_REQ_XCOMP_PERM: libc::c_ulong = 0x1023;
    const XFEATURE_XTILEDATA: libc::c_ulong = 18;
    // SAFETY: two numbers; the call refers to no memory of ours.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0 }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub(super) fn is_supported() -> bool {
    false
}

/// This thread's tiles are configured: eight of 16 rows of 64 bytes. Nobody else has them meanwhile.
pub(super) struct Configured {
    /// Of this thread alone.
    _thread: std::marker::PhantomData<*mut ()>,
}

impl Configured {
    /// Call it only where [`is_supported`]; panics elsewhere than on x86-64.
    pub(super) fn new() -> Configured {
        #[repr(C, align(64))]
        struct Palette([u8; 64]);
        let mut palette = Palette([0; 64]);
        palette.0[0] = 1;
        for tile in 0..8 {
            palette.0[16 + 2 * tile] = 64;
            palette.0[48 + tile] = 16;
        }
        #[cfg(target_arch = "x86_64")]
        // SAFETY: 64 bytes of a valid palette; tiles are no registers that compiled code uses.
        unsafe {
            std::arch::asm!("ldtilecfg [{}]", in(reg) &palette, options(readonly, nostack, preserves_flags));
        }
        Configured { _thread: std::marker::PhantomData }
    }
}

impl Drop for Configured {
    fn drop(&mut self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the tiles were configured, and nothing in them is wanted.
        unsafe {
            std::arch::asm!("tilerelease", options(nomem, nostack, preserves_flags));
        }
    }
}

/// The product of rows and a panel, or what is added to the sums.
///
/// # Safety
/// [`is_supported`], and this thread's tiles are [`Configured`].
pub(super) unsafe fn multiply(sums: &mut Sums, lhs: Rows<'_>, panel: &[u32], adds: bool) {
    const { assert!(HEIGHT == 32 && WIDTH == 32 && STEP == 32) };
    assert!(lhs.depth() / 2 * WIDTH <= panel.len() && lhs.depth() > 0, "a panel as deep as the rows");
    #[cfg(target_arch = "x86_64")]
    // SAFETY: of a block of `depth / 32` steps, each of which reads two tiles of the rows, 16 rows of 64 bytes `stride`
    // apart, which `Rows` holds, and two of the panel, 16 rows of 64 bytes 128 apart, which it has by the assertion. The sums
    // are four tiles, 128 bytes from row to row. The processor and its state are the caller's promise.
    unsafe {
        let stride = 2 * lhs.stride();
        let at = sums.as_mut_ptr();
        std::arch::asm!(
            "test {adds:e}, {adds:e}",
            "jz 3f",
            "tileloadd tmm0, [{to} + {apart}]",
            "tileloadd tmm1, [{to} + {apart} + 64]",
            "tileloadd tmm2, [{low} + {apart}]",
            "tileloadd tmm3, [{low} + {apart} + 64]",
            "jmp 2f",
            "3:",
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            "2:",
            "tileloadd tmm4, [{upper} + {stride}]",
            "tileloadd tmm6, [{panel} + {apart}]",
            "tdpbf16ps tmm0, tmm4, tmm6",
            "tileloadd tmm7, [{panel} + {apart} + 64]",
            "tdpbf16ps tmm1, tmm4, tmm7",
            "tileloadd tmm5, [{lower} + {stride}]",
            "tdpbf16ps tmm2, tmm5, tmm6",
            "tdpbf16ps tmm3, tmm5, tmm7",
            "add {upper}, 64",
            "add {lower}, 64",
            "add {panel}, 2048",
            "dec {steps}",
            "jnz 2b",
            "tilestored [{to} + {apart}], tmm0",
            "tilestored [{to} + {apart} + 64], tmm1",
            "tilestored [{low} + {apart}], tmm2",
            "tilestored [{low} + {apart} + 64], tmm3",
            adds = in(reg) u32::from(adds),
            to = in(reg) at,
            low = in(reg) at.add(16 * WIDTH),
            apart = in(reg) 4 * WIDTH,
            upper = inout(reg) lhs.row(0) => _,
            lower = inout(reg) lhs.row(16) => _,
            stride = in(reg) stride,
            panel = inout(reg) panel.as_ptr() => _,
            steps = inout(reg) lhs.depth() / STEP => _,
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
    #[cfg(not(target_arch = "x86_64"))]
    unreachable!("{sums:?} {adds}: only x86-64 has this unit");
}
