//! AVX-512 BF16: a vector of pairs multiplied and added to a vector of `f32`.
#![allow(unsafe_code, reason = "vector instructions and unaligned memory")]
#![allow(clippy::needless_range_loop, reason = "what iterators are made of is not always inlined into wide code")]

use super::pack::Rows;
use super::{HEIGHT, Sums, WIDTH};

/// Does this processor have it?
pub(super) fn is_supported() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::is_x86_feature_detected!("avx512bf16");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Whether pairs are multiplied as quickly as single numbers.
pub(super) fn is_quick() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        #[allow(unused_unsafe, reason = "older releases of Rust call this function unsafe")]
        // SAFETY: every x86-64 processor has the instruction.
        let vendor = unsafe { std::arch::x86_64::__cpuid(0) };
        [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).concat() == b"AuthenticAMD"
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The product of rows and a panel, or what is added to the sums.
///
/// # Safety
/// The processor has AVX-512 and [`is_supported`].
pub(super) unsafe fn multiply(sums: &mut Sums, lhs: Rows<'_>, panel: &[u32], adds: bool) {
    assert!(lhs.depth() / 2 * WIDTH <= panel.len(), "a panel as deep as the rows");
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller's promise.
    unsafe {
        wide(sums, lhs, panel, adds)
    }
    #[cfg(not(target_arch = "x86_64"))]
    unreachable!("{sums:?} {adds}: only x86-64 has this unit");
}

/// Rows whose sums stay in registers: with two vectors each they are sixteen, of thirty-two.
#[cfg(target_arch = "x86_64")]
const ROWS: usize = 8;

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")]
unsafe fn wide(sums: &mut Sums, lhs: Rows<'_>, panel: &[u32], adds: bool) {
    use std::arch::x86_64::*;
    const { assert!(HEIGHT.is_multiple_of(ROWS) && WIDTH == 32) };
    for first in (0..HEIGHT).step_by(ROWS) {
        // SAFETY: the panel has two vectors for each pair of the depth, by the assertion of `multiply`; every row has as
        // many pairs; the sums have `ROWS` rows of two vectors from `first` on. A pair is as wide as an i32.
        unsafe {
            let at = sums.as_mut_ptr().add(first * WIDTH);
            let mut tile = [[_mm512_setzero_ps(); 2]; ROWS];
            if adds {
                for r in 0..ROWS {
                    tile[r] = [_mm512_loadu_ps(at.add(r * WIDTH)), _mm512_loadu_ps(at.add(r * WIDTH + 16))];
                }
            }
            let mut rows = [lhs.row(first); ROWS];
            for r in 0..ROWS {
                rows[r] = lhs.row(first + r);
            }
            for pair in 0..lhs.depth() / 2 {
                let row = panel.as_ptr().add(pair * WIDTH);
                let columns: [__m512bh; 2] = [
                    std::mem::transmute::<__m512i, __m512bh>(_mm512_loadu_si512(row.cast())),
                    std::mem::transmute::<__m512i, __m512bh>(_mm512_loadu_si512(row.add(16).cast())),
                ];
                for r in 0..ROWS {
                    let factor = _mm512_set1_epi32(rows[r].add(2 * pair).cast::<i32>().read_unaligned());
                    let factor = std::mem::transmute::<__m512i, __m512bh>(factor);
                    tile[r][0] = _mm512_dpbf16_ps(tile[r][0], factor, columns[0]);
                    tile[r][1] = _mm512_dpbf16_ps(tile[r][1], factor, columns[1]);
                }
            }
            for r in 0..ROWS {
                _mm512_storeu_ps(at.add(r * WIDTH), tile[r][0]);
                _mm512_storeu_ps(at.add(r * WIDTH + 16), tile[r][1]);
            }
        }
    }
}
