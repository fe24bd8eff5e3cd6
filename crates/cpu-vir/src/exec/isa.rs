//! Loops over the lanes of a tile, each compiled for the baseline of the target, for AVX2 with FMA, and for AVX-512.
//!
//! All come from one body, so results cannot differ: the compiler contracts nothing, and a fused multiply-add is one
//! in all, by a library call where the machine has none. Owns the only knowledge of machine features.
#![allow(unsafe_code, reason = "the loops take tiles by address: that is what makes one signature of all")]

use std::sync::LazyLock;

/// Limits [`Isa::detect`]: `baseline`, `avx2` or `avx512`, for the same code on several machines.
pub const ISA_VARIABLE: &str = "RUST_CPU_ISA";

/// Lanes of a tile: its registers stay within the first-level cache.
pub const LANES: usize = 1024;

/// One instruction over a tile: `n` lanes from `a`, `b`, `c` as far as it takes arguments, to `dst`.
///
/// # Safety
/// Each pointer is valid for `n` lanes of its type, at any alignment; `dst` overlaps none of the others. The
/// processor has the features of the variant.
pub type TileFn = unsafe fn(dst: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, immediate: u64);

/// Which variants of the loops to use; a greater one has all that the lesser ones have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Isa {
    /// What every processor of the target has.
    Baseline,
    /// x86-64 with AVX2, FMA and the bit-counting instructions.
    Avx2,
    /// That and AVX-512 with vectors of bit counts: the processors whose clock does not suffer from wide vectors.
    Avx512,
}

impl Isa {
    /// The best that this processor has, or that [`ISA_VARIABLE`] allows. Found out once for a process.
    ///
    /// # Panics
    /// When the variable has another value than those it may have ([`Isa::allowed`] asks first): nobody wants to measure or
    /// to compare with what was not asked for.
    pub fn detect() -> Isa {
        static BEST: LazyLock<Isa> = LazyLock::new(|| {
            let limit = std::env::var(ISA_VARIABLE).unwrap_or_default();
            let allowed = Isa::allowed(&limit).unwrap_or_else(|problem| panic!("{problem}"));
            allowed.iter().copied().find(|isa| isa.is_supported()).unwrap_or(Isa::Baseline)
        });
        *BEST
    }

    /// What a value of [`ISA_VARIABLE`] allows, best first.
    ///
    /// # Errors
    /// What the variable may be, if it may not be this.
    pub fn allowed(limit: &str) -> Result<&'static [Isa], String> {
        const BEST_FIRST: &[Isa] = &[Isa::Avx512, Isa::Avx2, Isa::Baseline];
        match limit {
            "" | "avx512" => Ok(BEST_FIRST),
            "avx2" => Ok(&BEST_FIRST[1..]),
            "baseline" => Ok(&BEST_FIRST[2..]),
            _ => Err(format!(
                "{ISA_VARIABLE} is {limit:?}; it may be baseline, avx2 or avx512, or be missing for the best"
            )),
        }
    }

    /// Does this processor have it?
    pub fn is_supported(self) -> bool {
        match self {
            Isa::Baseline => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => {
                Isa::Avx2.is_supported()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512cd")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512bitalg")
                    && is_x86_feature_detected!("avx512vpopcntdq")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Isa::Avx2 | Isa::Avx512 => false,
        }
    }
}

/// The variants of one function.
#[derive(Clone, Copy)]
pub(crate) struct Variants<F> {
    pub(crate) baseline: F,
    pub(crate) avx2: F,
    pub(crate) avx512: F,
}

impl<F: Copy> Variants<F> {
    /// The one for a processor.
    pub(crate) fn pick(self, isa: Isa) -> F {
        match isa {
            Isa::Baseline => self.baseline,
            Isa::Avx2 => self.avx2,
            Isa::Avx512 => self.avx512,
        }
    }
}

/// Defines the variants of a generic function from its inlined body.
macro_rules! variants {
    ($(#[$doc:meta])* $vis:vis fn $name:ident<$M:ident: $bound:path>($($arg:ident: $ty:ty),*) $(-> $result:ty)? = $body:path) => {
        $(#[$doc])*
        $vis fn $name<$M: $bound>() -> $crate::exec::isa::Variants<unsafe fn($($ty),*) $(-> $result)?> {
            unsafe fn baseline<$M: $bound>($($arg: $ty),*) $(-> $result)? {
                // SAFETY: the contract is the body's own.
                unsafe { $body($($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
            unsafe fn avx2<$M: $bound>($($arg: $ty),*) $(-> $result)? {
                // SAFETY: the contract is the body's own.
                unsafe { $body($($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
            #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512bitalg,avx512vpopcntdq")]
            unsafe fn avx512<$M: $bound>($($arg: $ty),*) $(-> $result)? {
                // SAFETY: the contract is the body's own.
                unsafe { $body($($arg),*) }
            }
            #[cfg(not(target_arch = "x86_64"))]
            use {baseline as avx2, baseline as avx512};
            $crate::exec::isa::Variants { baseline: baseline::<$M>, avx2: avx2::<$M>, avx512: avx512::<$M> }
        }
    };
}
pub(super) use variants;

/// A number at any address.
#[derive(Clone, Copy)]
#[repr(C, packed)]
pub(crate) struct Raw<T>(pub(crate) T);

/// A lane-wise function of one argument.
pub(crate) trait Map1 {
    type A: Copy;
    type R: Copy;
    /// Are there arguments that [`call`](Map1::call) is wrong for?
    const MENDS: bool = false;
    fn call(a: Self::A, immediate: u64) -> Self::R;
    /// Is `call` wrong for this one?
    #[inline(always)]
    fn needs_mending(_a: Self::A) -> bool {
        false
    }
    /// The right value where `call` is wrong.
    fn mend(a: Self::A) -> Self::R {
        Self::call(a, 0)
    }
}

/// A lane-wise function of two arguments.
pub(crate) trait Map2 {
    type A: Copy;
    type R: Copy;
    /// As for [`Map1`].
    const MENDS: bool = false;
    fn call(a: Self::A, b: Self::A) -> Self::R;
    /// As for [`Map1`].
    #[inline(always)]
    fn needs_mending(_a: Self::A, _b: Self::A) -> bool {
        false
    }
    /// As for [`Map1`].
    fn mend(a: Self::A, b: Self::A) -> Self::R {
        Self::call(a, b)
    }
}

/// A lane-wise function of three arguments.
pub(crate) trait Map3 {
    type A: Copy;
    type B: Copy;
    fn call(a: Self::A, b: Self::B, c: Self::B) -> Self::B;
}

/// A function of two arguments on many lanes at a time, where one by one they would make poor vectors.
pub(crate) trait Tile2 {
    type T: Copy;
    fn call(dst: &mut [Raw<Self::T>], a: &[Raw<Self::T>], b: &[Raw<Self::T>]);
}

// References as parameters tell the compiler that the tiles do not overlap. Loops count: what iterators are made of is
// not always inlined into functions that use more of the machine than they do.

#[inline(always)]
fn loop1<M: Map1>(dst: &mut [Raw<M::R>], a: &[Raw<M::A>], immediate: u64) {
    let n = dst.len().min(a.len());
    let (dst, a) = (&mut dst[..n], &a[..n]);
    for at in 0..n {
        dst[at] = Raw(M::call(a[at].0, immediate));
    }
    if M::MENDS {
        let mut any = false;
        for a in a {
            any |= M::needs_mending(a.0);
        }
        if any {
            for at in 0..n {
                if M::needs_mending(a[at].0) {
                    dst[at] = Raw(M::mend(a[at].0));
                }
            }
        }
    }
}

#[inline(always)]
fn loop2<M: Map2>(dst: &mut [Raw<M::R>], a: &[Raw<M::A>], b: &[Raw<M::A>]) {
    let n = dst.len().min(a.len()).min(b.len());
    let (dst, a, b) = (&mut dst[..n], &a[..n], &b[..n]);
    for at in 0..n {
        dst[at] = Raw(M::call(a[at].0, b[at].0));
    }
    if M::MENDS {
        let mut any = false;
        for at in 0..n {
            any |= M::needs_mending(a[at].0, b[at].0);
        }
        if any {
            for at in 0..n {
                if M::needs_mending(a[at].0, b[at].0) {
                    dst[at] = Raw(M::mend(a[at].0, b[at].0));
                }
            }
        }
    }
}

#[inline(always)]
fn loop3<M: Map3>(dst: &mut [Raw<M::B>], a: &[Raw<M::A>], b: &[Raw<M::B>], c: &[Raw<M::B>]) {
    let n = dst.len().min(a.len()).min(b.len()).min(c.len());
    let (dst, a, b, c) = (&mut dst[..n], &a[..n], &b[..n], &c[..n]);
    for at in 0..n {
        dst[at] = Raw(M::call(a[at].0, b[at].0, c[at].0));
    }
}

/// # Safety
/// `at` is valid for reads of `n` values for as long as the result lives.
#[inline(always)]
pub(super) unsafe fn tile<'a, T>(at: *const u8, n: usize) -> &'a [Raw<T>] {
    // SAFETY: as required here; `Raw` has no alignment.
    unsafe { std::slice::from_raw_parts(at.cast(), n) }
}

/// # Safety
/// `at` is valid for writes of `n` values for as long as the result lives, and nothing else refers to them.
#[inline(always)]
pub(super) unsafe fn tile_mut<'a, T>(at: *mut u8, n: usize) -> &'a mut [Raw<T>] {
    // SAFETY: as required here; `Raw` has no alignment, and any bits are a number.
    unsafe { std::slice::from_raw_parts_mut(at.cast(), n) }
}

#[inline(always)]
unsafe fn body1<M: Map1>(dst: *mut u8, a: *const u8, _b: *const u8, _c: *const u8, n: usize, immediate: u64) {
    // SAFETY: the contract of `TileFn`.
    unsafe { loop1::<M>(tile_mut(dst, n), tile(a, n), immediate) }
}

#[inline(always)]
unsafe fn body2<M: Map2>(dst: *mut u8, a: *const u8, b: *const u8, _c: *const u8, n: usize, _immediate: u64) {
    // SAFETY: the contract of `TileFn`.
    unsafe { loop2::<M>(tile_mut(dst, n), tile(a, n), tile(b, n)) }
}

#[inline(always)]
unsafe fn body_tile2<M: Tile2>(dst: *mut u8, a: *const u8, b: *const u8, _c: *const u8, n: usize, _immediate: u64) {
    // SAFETY: the contract of `TileFn`.
    unsafe { M::call(tile_mut(dst, n), tile(a, n), tile(b, n)) }
}

#[inline(always)]
unsafe fn body3<M: Map3>(dst: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, _immediate: u64) {
    // SAFETY: the contract of `TileFn`.
    unsafe { loop3::<M>(tile_mut(dst, n), tile(a, n), tile(b, n), tile(c, n)) }
}

variants! {
    /// The loops of a function of one argument.
    pub(super) fn map1<M: Map1>(dst: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, immediate: u64)
        = body1::<M>
}
variants! {
    /// The loops of a function of two arguments.
    pub(super) fn map2<M: Map2>(dst: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, immediate: u64)
        = body2::<M>
}
variants! {
    /// The loops of a function of two arguments that takes whole tiles.
    pub(super) fn tile2<M: Tile2>(dst: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, immediate: u64)
        = body_tile2::<M>
}
variants! {
    /// The loops of a function of three arguments.
    pub(super) fn map3<M: Map3>(dst: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, immediate: u64)
        = body3::<M>
}

#[cfg(test)]
mod tests {
    use super::Isa;

    #[test]
    fn a_limit_allows_what_is_below_it() {
        assert_eq!(Isa::allowed(""), Ok(&[Isa::Avx512, Isa::Avx2, Isa::Baseline][..]));
        assert_eq!(Isa::allowed("avx512"), Isa::allowed(""));
        assert_eq!(Isa::allowed("avx2"), Ok(&[Isa::Avx2, Isa::Baseline][..]));
        assert_eq!(Isa::allowed("baseline"), Ok(&[Isa::Baseline][..]));
        assert!(Isa::allowed("AVX2").unwrap_err().contains("it may be baseline"));
    }
}
