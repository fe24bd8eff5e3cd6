//! Vectors of numbers for multiplying and adding, as wide as the processor has them, and loops over them.
#![allow(unsafe_code, reason = "vector instructions and unaligned memory")]
#![allow(clippy::needless_range_loop, reason = "what iterators are made of is not always inlined into wide code")]

use bytemuck::Pod;
use cpu_vir::exec::Isa;
use num_complex::Complex;

/// Runs plain loops as they are compiled for AVX2 where the processor has it. What is called within must be inlined to
/// profit; results are the same.
#[inline(always)]
pub(crate) fn vectorized<R>(loops: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        unsafe fn wide<R>(loops: impl FnOnce() -> R) -> R {
            loops()
        }
        if Isa::detect() >= Isa::Avx2 {
            // SAFETY: the processor has what the variant is compiled for.
            return unsafe { wide(loops) };
        }
    }
    loops()
}

/// Loops over vectors, written once for all processors.
pub(crate) trait Loops<T: Lane> {
    /// Runs the loops with one kind of vector. To be inlined into code for the processor, so `#[inline(always)]`.
    ///
    /// # Safety
    /// The processor has what `V` needs; and whatever else the implementation asks for.
    unsafe fn run<V: Vector<Lane = T>>(self);
}

/// Runs loops with the vectors of a processor.
///
/// # Safety
/// The processor has the instruction set, as one from [`Isa::detect`] is had; and what the loops ask for.
pub(crate) unsafe fn run<T: Lane>(isa: Isa, loops: impl Loops<T>) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        unsafe fn wide<T: Lane>(loops: impl Loops<T>) {
            // SAFETY: the caller's promise.
            unsafe { loops.run::<T::Wide>() }
        }
        #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]
        unsafe fn widest<T: Lane>(loops: impl Loops<T>) {
            // SAFETY: the caller's promise.
            unsafe { loops.run::<T::Widest>() }
        }
        match isa {
            Isa::Baseline => {}
            // SAFETY: the caller's promise.
            Isa::Avx2 => return unsafe { wide(loops) },
            // SAFETY: the caller's promise.
            Isa::Avx512 => return unsafe { widest(loops) },
        }
    }
    let _ = isa;
    // SAFETY: every processor has plain vectors; the rest is the caller's promise.
    unsafe { loops.run::<T::Portable>() }
}

/// The instruction set for sums side by side, `vectors` at a time: the widest that is not half empty with so many.
pub(crate) fn fitting<T: Lane>(vectors: usize, columns: usize) -> Isa {
    let best = Isa::detect();
    let half_empty = vectors * lanes::<T>(Isa::Avx2) >= columns;
    if best > Isa::Avx2 && half_empty { Isa::Avx2 } else { best }
}

/// Lanes of the vectors that [`run`] takes.
pub(crate) fn lanes<T: Lane>(isa: Isa) -> usize {
    match isa {
        Isa::Baseline => <T::Portable as Vector>::LANES,
        Isa::Avx2 => <T::Wide as Vector>::LANES,
        Isa::Avx512 => <T::Widest as Vector>::LANES,
    }
}

/// Numbers of one type that are multiplied and added together.
pub(crate) trait Vector: Copy {
    type Lane: Pod;
    const LANES: usize;

    /// # Safety
    /// The processor has what the vector needs: AVX2 and FMA for those of 256 bits, AVX-512 for those of 512.
    unsafe fn splat(value: Self::Lane) -> Self;
    /// # Safety
    /// As for `splat`, and that many lanes can be read.
    unsafe fn load(from: *const Self::Lane) -> Self;
    /// # Safety
    /// As for `splat`, and that many lanes can be written.
    unsafe fn store(self, to: *mut Self::Lane);
    /// `self + a · b`; floats round once or twice.
    /// # Safety
    /// As for `splat`.
    unsafe fn add_product(self, a: Self, b: Self) -> Self;
    /// # Safety
    /// As for `splat`.
    unsafe fn add(self, other: Self) -> Self;
}

/// The lanes of a vector, of which 32 are the most there are, and zeros.
///
/// # Safety
/// The processor has what `V` needs.
#[inline(always)]
pub(crate) unsafe fn as_array<V: Vector>(vector: V) -> [V::Lane; 32] {
    let mut lanes = [bytemuck::Zeroable::zeroed(); 32];
    // SAFETY: no vector has more lanes; the processor is the caller's promise.
    unsafe { vector.store(lanes.as_mut_ptr()) };
    lanes
}

/// The first lane.
///
/// # Safety
/// The processor has what `V` needs.
#[inline(always)]
pub(crate) unsafe fn first<V: Vector>(vector: V) -> V::Lane {
    // SAFETY: the caller's promise.
    unsafe { as_array(vector)[0] }
}

/// A vector of any numbers, in plain code.
#[derive(Clone, Copy)]
pub(crate) struct Plain<T, const N: usize>([T; N]);

macro_rules! plain {
    ($($T:ident |$s:ident, $a:ident, $b:ident| $product:expr, $sum:expr;)*) => {$(
        impl<const N: usize> Vector for Plain<$T, N> {
            type Lane = $T;
            const LANES: usize = N;

            #[inline(always)]
            unsafe fn splat(value: $T) -> Self {
                Plain([value; N])
            }
            #[inline(always)]
            unsafe fn load(from: *const $T) -> Self {
                // SAFETY: the caller's promise; arrays of numbers have no padding.
                Plain(unsafe { from.cast::<[$T; N]>().read_unaligned() })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $T) {
                // SAFETY: the caller's promise.
                unsafe { to.cast::<[$T; N]>().write_unaligned(self.0) }
            }
            #[inline(always)]
            unsafe fn add_product(self, a: Self, b: Self) -> Self {
                let mut sum = self.0;
                for i in 0..N {
                    let ($s, $a, $b) = (sum[i], a.0[i], b.0[i]);
                    sum[i] = $product;
                }
                Plain(sum)
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                let mut sum = self.0;
                for i in 0..N {
                    let ($s, $a) = (sum[i], other.0[i]);
                    sum[i] = $sum;
                }
                Plain(sum)
            }
        }
    )*};
}

plain! {
    f32 |s, a, b| s + a * b, s + a;
    f64 |s, a, b| s + a * b, s + a;
    u8 |s, a, b| s.wrapping_add(a.wrapping_mul(b)), s.wrapping_add(a);
    u16 |s, a, b| s.wrapping_add(a.wrapping_mul(b)), s.wrapping_add(a);
    u32 |s, a, b| s.wrapping_add(a.wrapping_mul(b)), s.wrapping_add(a);
    u64 |s, a, b| s.wrapping_add(a.wrapping_mul(b)), s.wrapping_add(a);
}

macro_rules! complex {
    ($($T:ident)*) => {$(
        impl<const N: usize> Vector for Plain<Complex<$T>, N> {
            type Lane = Complex<$T>;
            const LANES: usize = N;

            #[inline(always)]
            unsafe fn splat(value: Complex<$T>) -> Self {
                Plain([value; N])
            }
            #[inline(always)]
            unsafe fn load(from: *const Complex<$T>) -> Self {
                // SAFETY: the caller's promise; arrays of numbers have no padding.
                Plain(unsafe { from.cast::<[Complex<$T>; N]>().read_unaligned() })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut Complex<$T>) {
                // SAFETY: the caller's promise.
                unsafe { to.cast::<[Complex<$T>; N]>().write_unaligned(self.0) }
            }
            #[inline(always)]
            unsafe fn add_product(self, a: Self, b: Self) -> Self {
                let mut sum = self.0;
                for i in 0..N {
                    let (s, a, b) = (sum[i], a.0[i], b.0[i]);
                    sum[i] = Complex { re: s.re + (a.re * b.re - a.im * b.im), im: s.im + (a.re * b.im + a.im * b.re) };
                }
                Plain(sum)
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                let mut sum = self.0;
                for i in 0..N {
                    sum[i] = Complex { re: sum[i].re + other.0[i].re, im: sum[i].im + other.0[i].im };
                }
                Plain(sum)
            }
        }

        impl Lane for Complex<$T> {
            type Portable = Plain<Complex<$T>, 4>;
            type Wide = Plain<Complex<$T>, 4>;
            type Widest = Plain<Complex<$T>, 4>;
            const NIL: Self = Complex { re: 0.0, im: 0.0 };
        }
    )*};
}
complex! { f32 f64 }

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::Vector;

    macro_rules! wide {
        ($($V:ident $W:ident $T:ident $lanes:literal: $splat:ident $as:ident $load:ident $store:ident $add:ident
           |$s:ident, $a:ident, $b:ident| $product:expr;)*) => {$(
            /// Numbers in a register of 256 or 512 bits.
            #[derive(Clone, Copy)]
            pub(crate) struct $W($V);

            impl Vector for $W {
                type Lane = $T;
                const LANES: usize = $lanes;

                #[inline(always)]
                unsafe fn splat(value: $T) -> Self {
                    // SAFETY: the processor has the instruction, by the caller's promise.
                    $W(unsafe { $splat(value as $as) })
                }
                #[inline(always)]
                unsafe fn load(from: *const $T) -> Self {
                    // SAFETY: as above, and the lanes can be read.
                    $W(unsafe { $load(from.cast()) })
                }
                #[inline(always)]
                unsafe fn store(self, to: *mut $T) {
                    // SAFETY: as above, and the lanes can be written.
                    unsafe { $store(to.cast(), self.0) }
                }
                #[inline(always)]
                unsafe fn add_product(self, a: Self, b: Self) -> Self {
                    let ($s, $a, $b) = (self.0, a.0, b.0);
                    // SAFETY: as above.
                    $W(unsafe { $product })
                }
                #[inline(always)]
                unsafe fn add(self, other: Self) -> Self {
                    // SAFETY: as above.
                    $W(unsafe { $add(self.0, other.0) })
                }
            }
        )*};
    }

    wide! {
        __m256 F32x8 f32 8: _mm256_set1_ps f32 _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps
            |s, a, b| _mm256_fmadd_ps(a, b, s);
        __m256d F64x4 f64 4: _mm256_set1_pd f64 _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd
            |s, a, b| _mm256_fmadd_pd(a, b, s);
        __m256i U16x16 u16 16: _mm256_set1_epi16 i16 _mm256_loadu_si256 _mm256_storeu_si256 _mm256_add_epi16
            |s, a, b| _mm256_add_epi16(s, _mm256_mullo_epi16(a, b));
        __m256i U32x8 u32 8: _mm256_set1_epi32 i32 _mm256_loadu_si256 _mm256_storeu_si256 _mm256_add_epi32
            |s, a, b| _mm256_add_epi32(s, _mm256_mullo_epi32(a, b));
        __m512 F32x16 f32 16: _mm512_set1_ps f32 _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps
            |s, a, b| _mm512_fmadd_ps(a, b, s);
        __m512d F64x8 f64 8: _mm512_set1_pd f64 _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd
            |s, a, b| _mm512_fmadd_pd(a, b, s);
        __m512i U16x32 u16 32: _mm512_set1_epi16 i16 _mm512_loadu_si512 _mm512_storeu_si512 _mm512_add_epi16
            |s, a, b| _mm512_add_epi16(s, _mm512_mullo_epi16(a, b));
        __m512i U32x16 u32 16: _mm512_set1_epi32 i32 _mm512_loadu_si512 _mm512_storeu_si512 _mm512_add_epi32
            |s, a, b| _mm512_add_epi32(s, _mm512_mullo_epi32(a, b));
        __m512i U64x8 u64 8: _mm512_set1_epi64 i64 _mm512_loadu_si512 _mm512_storeu_si512 _mm512_add_epi64
            |s, a, b| _mm512_add_epi64(s, _mm512_mullo_epi64(a, b));
    }
}

#[cfg(target_arch = "x86_64")]
use x86::{F32x8, F32x16, F64x4, F64x8, U16x16, U16x32, U32x8, U32x16, U64x8};

/// A number with a vector for every processor, one for those with AVX2 and one for those with AVX-512.
pub(crate) trait Lane: Pod + Send + Sync {
    type Portable: Vector<Lane = Self>;
    type Wide: Vector<Lane = Self>;
    type Widest: Vector<Lane = Self>;
    const NIL: Self;
}

macro_rules! lane {
    ($($T:ident $portable:ty, $wide:ty, $widest:ty;)*) => {$(
        impl Lane for $T {
            type Portable = $portable;
            #[cfg(target_arch = "x86_64")]
            type Wide = $wide;
            #[cfg(target_arch = "x86_64")]
            type Widest = $widest;
            #[cfg(not(target_arch = "x86_64"))]
            type Wide = $portable;
            #[cfg(not(target_arch = "x86_64"))]
            type Widest = $portable;
            const NIL: $T = 0 as $T;
        }
    )*};
}
lane! {
    f32 Plain<f32, 8>, F32x8, F32x16;
    f64 Plain<f64, 4>, F64x4, F64x8;
    u8 Plain<u8, 32>, Plain<u8, 32>, Plain<u8, 32>;
    u16 Plain<u16, 16>, U16x16, U16x32;
    u32 Plain<u32, 8>, U32x8, U32x16;
    u64 Plain<u64, 4>, Plain<u64, 4>, U64x8;
}
