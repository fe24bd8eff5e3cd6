//! Rows become columns: squares of elements that are exchanged in registers.
#![allow(unsafe_code, reason = "matrices are read and written by address and stride, with vector instructions")]

use bytemuck::Pod;
#[cfg(target_arch = "x86_64")]
use cpu_vir::exec::Isa;

/// A matrix of `rows` × `columns` whose columns are contiguous, `from_stride` apart, becomes one whose rows are, `to_stride`
/// apart: `to[r · to_stride + c] = from[c · from_stride + r]`. Panics when either is too short.
pub(crate) fn exchange<T: Pod>(
    to: &mut [T],
    to_stride: usize,
    from: &[T],
    from_stride: usize,
    rows: usize,
    columns: usize,
) {
    if rows == 0 || columns == 0 {
        return;
    }
    assert!((rows - 1) * to_stride + columns <= to.len(), "the rows that are written");
    assert!((columns - 1) * from_stride + rows <= from.len(), "the columns that are read");
    // SAFETY: what is read and written was checked to be there, and the two are different slices.
    unsafe { exchange_at(to.as_mut_ptr(), to_stride, from.as_ptr(), from_stride, rows, columns) }
}

/// As [`exchange`], by address.
///
/// # Safety
/// Every element of both matrices is valid to write or read, and they do not overlap. Those that are read need not be aligned.
pub(crate) unsafe fn exchange_at<T: Pod>(
    to: *mut T,
    to_stride: usize,
    from: *const T,
    from_stride: usize,
    rows: usize,
    columns: usize,
) {
    let matrices = Matrices { to, to_stride, from, from_stride };
    #[cfg(target_arch = "x86_64")]
    if Isa::detect() >= Isa::Avx2 {
        // SAFETY: the processor has AVX2; the rest is the caller's promise.
        unsafe {
            match size_of::<T>() {
                2 => return x86::words(matrices, rows, columns),
                4 => return x86::singles(matrices, rows, columns),
                8 => return x86::doubles(matrices, rows, columns),
                _ => {}
            }
        }
    }
    // SAFETY: the caller's promise.
    unsafe { matrices.plain((0, rows), (0, columns)) }
}

/// Where a matrix goes, and where it is.
#[derive(Clone, Copy)]
struct Matrices<T> {
    to: *mut T,
    to_stride: usize,
    from: *const T,
    from_stride: usize,
}

impl<T: Copy> Matrices<T> {
    /// The rows and columns of a range, element by element.
    ///
    /// # Safety
    /// They are there.
    #[inline(always)]
    unsafe fn plain(self, rows: (usize, usize), columns: (usize, usize)) {
        // Eight columns at a time: the lines that are written stay in the first cache.
        let mut first = columns.0;
        while first < columns.1 {
            let last = (first + 8).min(columns.1);
            for r in rows.0..rows.1 {
                for c in first..last {
                    // SAFETY: the caller's promise.
                    unsafe {
                        let from = self.from.add(c * self.from_stride + r).read_unaligned();
                        *self.to.add(r * self.to_stride + c) = from;
                    }
                }
            }
            first = last;
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::Matrices;

    macro_rules! squares {
        ($(#[doc = $doc:literal] $name:ident $side:literal $square:ident;)*) => {$(
            #[doc = $doc]
            ///
            /// # Safety
            /// All elements are there, and as wide as the name says.
            #[target_feature(enable = "avx2")]
            pub(super) unsafe fn $name<T: Copy>(all: Matrices<T>, rows: usize, columns: usize) {
                let (whole_rows, whole_columns) = (rows / $side * $side, columns / $side * $side);
                let mut c = 0;
                while c < whole_columns {
                    let mut r = 0;
                    while r < whole_rows {
                        // SAFETY: a square of the matrices, by the bounds of the loops and the caller's promise.
                        unsafe {
                            let from = all.from.add(c * all.from_stride + r);
                            let to = all.to.add(r * all.to_stride + c);
                            $square(to.cast(), all.to_stride, from.cast(), all.from_stride);
                        }
                        r += $side;
                    }
                    c += $side;
                }
                // SAFETY: the caller's promise.
                unsafe {
                    all.plain((whole_rows, rows), (0, whole_columns));
                    all.plain((0, rows), (whole_columns, columns));
                }
            }
        )*};
    }

    squares! {
        /// Elements of two bytes.
        words 8 square_of_words;
        /// Elements of four bytes.
        singles 8 square_of_singles;
        /// Elements of eight bytes.
        doubles 4 square_of_doubles;
    }

    /// # Safety
    /// Eight rows of eight can be written, and as many columns read.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn square_of_singles(to: *mut f32, to_stride: usize, from: *const f32, from_stride: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            // The upper half of each register is from the column four further on, so that no lanes are crossed later.
            let half = |c: usize, r: usize| {
                let low = _mm256_castps128_ps256(_mm_loadu_ps(from.add(c * from_stride + r)));
                _mm256_insertf128_ps::<1>(low, _mm_loadu_ps(from.add((c + 4) * from_stride + r)))
            };
            for r in [0, 4] {
                let (a, b, c, d) = (half(0, r), half(1, r), half(2, r), half(3, r));
                let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
                let (ab_high, cd_high) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
                let rows = [
                    _mm256_shuffle_ps::<0x44>(ab, cd),
                    _mm256_shuffle_ps::<0xee>(ab, cd),
                    _mm256_shuffle_ps::<0x44>(ab_high, cd_high),
                    _mm256_shuffle_ps::<0xee>(ab_high, cd_high),
                ];
                for (index, row) in rows.into_iter().enumerate() {
                    _mm256_storeu_ps(to.add((r + index) * to_stride), row);
                }
            }
        }
    }

    /// # Safety
    /// Four rows of four can be written, and as many columns read.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn square_of_doubles(to: *mut f64, to_stride: usize, from: *const f64, from_stride: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            let half = |c: usize, r: usize| {
                let low = _mm256_castpd128_pd256(_mm_loadu_pd(from.add(c * from_stride + r)));
                _mm256_insertf128_pd::<1>(low, _mm_loadu_pd(from.add((c + 2) * from_stride + r)))
            };
            for r in [0, 2] {
                let (a, b) = (half(0, r), half(1, r));
                _mm256_storeu_pd(to.add(r * to_stride), _mm256_unpacklo_pd(a, b));
                _mm256_storeu_pd(to.add((r + 1) * to_stride), _mm256_unpackhi_pd(a, b));
            }
        }
    }

    /// # Safety
    /// Eight rows of eight can be written, and as many columns read.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn square_of_words(to: *mut u16, to_stride: usize, from: *const u16, from_stride: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            let column = |c: usize| _mm_loadu_si128(from.add(c * from_stride).cast());
            // Pairs of columns, then fours, then all eight.
            let pairs = |low: __m128i, high: __m128i| (_mm_unpacklo_epi16(low, high), _mm_unpackhi_epi16(low, high));
            let ((a, b), (c, d)) = (pairs(column(0), column(1)), pairs(column(2), column(3)));
            let ((e, f), (g, h)) = (pairs(column(4), column(5)), pairs(column(6), column(7)));
            let fours = |low: __m128i, high: __m128i| (_mm_unpacklo_epi32(low, high), _mm_unpackhi_epi32(low, high));
            let ((r0, r2), (r4, r6)) = (fours(a, c), fours(b, d));
            let ((s0, s2), (s4, s6)) = (fours(e, g), fours(f, h));
            for (index, (low, high)) in [(r0, s0), (r2, s2), (r4, s4), (r6, s6)].into_iter().enumerate() {
                _mm_storeu_si128(to.add(2 * index * to_stride).cast(), _mm_unpacklo_epi64(low, high));
                _mm_storeu_si128(to.add((2 * index + 1) * to_stride).cast(), _mm_unpackhi_epi64(low, high));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Pod + PartialEq + std::fmt::Debug>(number: impl Fn(usize) -> T) {
        for (rows, columns) in [(1, 1), (8, 8), (7, 9), (24, 16), (33, 19), (3, 40), (40, 3)] {
            let (to_stride, from_stride) = (columns + 3, rows + 2);
            let from: Vec<T> = (0..(columns - 1) * from_stride + rows).map(&number).collect();
            let untouched = number(1_000_000);
            let mut to = vec![untouched; rows * to_stride];
            exchange(&mut to, to_stride, &from, from_stride, rows, columns);
            for (at, found) in to.iter().enumerate() {
                let (r, c) = (at / to_stride, at % to_stride);
                let expected = if c < columns { from[c * from_stride + r] } else { untouched };
                assert_eq!(*found, expected, "{rows} x {columns} at {r}, {c}");
            }
        }
    }

    #[test]
    fn elements_of_every_width_are_exchanged() {
        check(|n| n as u8);
        check(|n| n as u16);
        check(|n| n as u32);
        check(|n| n as u64);
        check(|n| n as u128);
    }
}
