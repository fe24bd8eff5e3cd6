//! Combining the lanes of a tile into one number, in an order that only their count determines.
#![allow(unsafe_code, reason = "reads tiles by address")]

use crate::element::Type;
use crate::exec::isa::{Raw, Variants, tile, variants};
use crate::exec::number::Number;
use crate::op::ReduceKind;

/// Combines `n` lanes, at least one; the bits of the result.
///
/// # Safety
/// `src` is valid for reads of `n` lanes.
pub(super) type FoldFn = unsafe fn(src: *const u8, n: usize) -> u64;

/// An associative operation as far as order is fixed.
trait Fold {
    type T: Copy;
    fn combine(a: Self::T, b: Self::T) -> Self::T;
    fn bits(value: Self::T) -> u64;
    fn from_bits(bits: u64) -> Self::T;

    /// Does any order give the same? Then it is the compiler's choice, which takes a tenth of the code.
    const ANY_ORDER: bool = false;

    /// Is there a shorter form of `combine`, right unless a lane is odd or the result unsettled?
    const SHORT: bool = false;
    #[inline(always)]
    fn short(a: Self::T, b: Self::T) -> Self::T {
        Self::combine(a, b)
    }
    /// All ones if the short form is not for this lane, else zero.
    #[inline(always)]
    fn odd(_lane: Self::T) -> u32 {
        0
    }
    /// Whether the short form tells the result apart from all that it may have been.
    #[inline(always)]
    fn is_settled(_result: Self::T) -> bool {
        true
    }
}

/// Partial results side by side: enough to fill the pipelines, and fewer for what is shorter than that.
const STRANDS: usize = 32;
const FEW_STRANDS: usize = 8;

/// More lanes are combined in blocks of this many, and the blocks in pairs.
const BLOCK: usize = 4096;

#[inline(always)]
unsafe fn fold_body<F: Fold>(src: *const u8, n: usize) -> u64 {
    // SAFETY: the contract of `FoldFn`.
    let lanes = unsafe { tile::<F::T>(src, n) };
    if n <= BLOCK {
        return F::bits(fold::<F>(lanes));
    }
    let combine = |a, b| F::bits(F::combine(F::from_bits(a), F::from_bits(b)));
    let mut pairs = Pairs::default();
    for block in lanes.chunks(BLOCK) {
        pairs.add(F::bits(fold::<F>(block)), combine);
    }
    pairs.sum(combine).unwrap_or(0)
}

#[inline(always)]
fn fold<F: Fold>(lanes: &[Raw<F::T>]) -> F::T {
    if F::ANY_ORDER {
        return lanes[1..].iter().fold(lanes[0].0, |sum, lane| F::combine(sum, lane.0));
    }
    if F::SHORT
        && lanes.len() >= STRANDS
        && let Some(result) = shortly::<F>(lanes)
    {
        return result;
    }
    match lanes.len() {
        STRANDS.. => strands::<F, STRANDS>(lanes),
        FEW_STRANDS.. => strands::<F, FEW_STRANDS>(lanes),
        _ => lanes[1..].iter().fold(lanes[0].0, |sum, lane| F::combine(sum, lane.0)),
    }
}

/// Combines at least `N` lanes, a power of two.
#[inline(always)]
fn strands<F: Fold, const N: usize>(lanes: &[Raw<F::T>]) -> F::T {
    let (whole, rest) = lanes.as_chunks::<N>();
    let (first, whole) = (whole[0], &whole[1..]);
    let mut sums = first;
    for chunk in whole {
        let mut strand = 0;
        while strand < N {
            sums[strand] = Raw(F::combine(sums[strand].0, chunk[strand].0));
            strand += 1;
        }
    }
    let mut strand = 0;
    while strand < rest.len() && strand < N {
        sums[strand] = Raw(F::combine(sums[strand].0, rest[strand].0));
        strand += 1;
    }
    let mut width = N / 2;
    while width > 0 {
        let mut strand = 0;
        while strand < width {
            sums[strand] = Raw(F::combine(sums[strand].0, sums[strand + width].0));
            strand += 1;
        }
        width /= 2;
    }
    sums[0].0
}

const LEVELS: usize = 40;

/// Combines lanes in the short form; `None` where that is not for them.
#[inline(always)]
fn shortly<F: Fold>(lanes: &[Raw<F::T>]) -> Option<F::T> {
    let (whole, rest) = lanes.as_chunks::<STRANDS>();
    let mut sums = whole[0];
    let mut odd = [0u32; STRANDS];
    for chunk in whole {
        let mut strand = 0;
        while strand < STRANDS {
            odd[strand] |= F::odd(chunk[strand].0);
            sums[strand] = Raw(F::short(sums[strand].0, chunk[strand].0));
            strand += 1;
        }
    }
    let mut any = 0;
    let mut result = sums[0].0;
    for strand in 0..STRANDS {
        any |= odd[strand];
        result = F::short(result, sums[strand].0);
    }
    for lane in rest {
        any |= F::odd(lane.0);
        result = F::short(result, lane.0);
    }
    (any == 0 && F::is_settled(result)).then_some(result)
}

/// Partial results combined in pairs, like the digits of a binary counter: as bits, since few of them pass here.
///
/// There are fewer than 2^40 of them: each stands for a tile at least, and all for no more elements than memory has.
pub(super) struct Pairs {
    count: usize,
    levels: [u64; LEVELS],
}

impl Default for Pairs {
    fn default() -> Pairs {
        Pairs { count: 0, levels: [0; LEVELS] }
    }
}

impl Pairs {
    /// Adds the next one.
    #[inline(always)]
    pub(super) fn add(&mut self, mut bits: u64, combine: impl Fn(u64, u64) -> u64) {
        let mut level = 0;
        while self.count >> level & 1 == 1 {
            bits = combine(self.levels[level], bits);
            level += 1;
        }
        self.levels[level] = bits;
        self.count += 1;
    }

    /// All of them; `None` if there were none.
    #[inline(always)]
    pub(super) fn sum(&self, combine: impl Fn(u64, u64) -> u64) -> Option<u64> {
        let mut held =
            (0..self.levels.len()).filter(|level| self.count >> level & 1 == 1).map(|level| self.levels[level]);
        let last = held.next()?;
        Some(held.fold(last, |sum, level| combine(level, sum)))
    }
}

variants! {
    fn folds<F: Fold>(src: *const u8, n: usize) -> u64 = fold_body::<F>
}

/// How a reduction combines lanes, and partial results.
pub(super) struct Folding {
    pub(super) fold: Variants<FoldFn>,
    pub(super) combine: fn(u64, u64) -> u64,
}

/// The loops of a reduction of a type that its operation accepts.
pub(super) fn folding(kind: ReduceKind, ty: Type) -> Option<Folding> {
    macro_rules! fold {
        ($lane:ident, |$a:ident, $b:ident| $combine:expr, |$value:ident| $bits:expr, |$raw:ident| $from:expr
         $(, $($more:tt)*)?) => {{
            struct Op;
            impl Fold for Op {
                type T = $lane;
                #[inline(always)]
                fn combine($a: $lane, $b: $lane) -> $lane {
                    $combine
                }
                #[inline(always)]
                fn bits($value: $lane) -> u64 {
                    $bits
                }
                #[inline(always)]
                fn from_bits($raw: u64) -> $lane {
                    $from
                }
                $($($more)*)?
            }
            fn combine(a: u64, b: u64) -> u64 {
                Op::bits(Op::combine(Op::from_bits(a), Op::from_bits(b)))
            }
            Some(Folding { fold: folds::<Op>(), combine })
        }};
    }
    macro_rules! whole {
        ($lane:ident, $bits:ident, |$a:ident, $b:ident| $combine:expr) => {
            fold!($lane, |$a, $b| $combine, |x| x as $bits as u64, |x| x as $lane, const ANY_ORDER: bool = true;)
        };
    }
    /// What does the same to the bits of numbers with and without sign.
    macro_rules! unsigned {
        (|$a:ident, $b:ident| $combine:expr) => {
            match ty.size() {
                1 => whole!(u8, u8, |$a, $b| $combine),
                2 => whole!(u16, u16, |$a, $b| $combine),
                4 => whole!(u32, u32, |$a, $b| $combine),
                _ => whole!(u64, u64, |$a, $b| $combine),
            }
        };
    }
    macro_rules! integers {
        (|$a:ident, $b:ident| $combine:expr) => {
            match ty {
                Type::I8 => whole!(i8, u8, |$a, $b| $combine),
                Type::I16 => whole!(i16, u16, |$a, $b| $combine),
                Type::I32 => whole!(i32, u32, |$a, $b| $combine),
                Type::I64 => whole!(i64, u64, |$a, $b| $combine),
                _ => unsigned!(|$a, $b| $combine),
            }
        };
    }
    macro_rules! numbers {
        (|$a:ident, $b:ident| $combine:expr) => {
            match ty {
                Type::F32 => fold!(f32, |$a, $b| $combine, |x| x.to_bits() as u64, |x| f32::from_bits(x as u32)),
                Type::F64 => fold!(f64, |$a, $b| $combine, |x| x.to_bits(), |x| f64::from_bits(x)),
                _ => unsigned!(|$a, $b| $combine),
            }
        };
    }
    /// The extreme of numbers that differ is one instruction; NaN and zeros, which have a sign, are not as simple.
    macro_rules! extreme {
        ($lane:ident, $combine:path, $order:tt, |$value:ident| $bits:expr, |$raw:ident| $from:expr) => {
            fold!(
                $lane,
                |a, b| $combine(a, b),
                |$value| $bits,
                |$raw| $from,
                const SHORT: bool = true;
                #[inline(always)]
                fn short(a: $lane, b: $lane) -> $lane {
                    if a $order b { a } else { b }
                }
                #[inline(always)]
                fn odd(lane: $lane) -> u32 {
                    if lane != lane { u32::MAX } else { 0 }
                }
                #[inline(always)]
                fn is_settled(result: $lane) -> bool {
                    result != 0.0
                }
            )
        };
    }
    match (kind, ty) {
        (ReduceKind::Sum | ReduceKind::Product, Type::Mask) => None,
        (ReduceKind::And | ReduceKind::Or | ReduceKind::Xor, Type::F32 | Type::F64) => None,
        (ReduceKind::Min, Type::Mask) => unsigned!(|a, b| a & b),
        (ReduceKind::Max, Type::Mask) => unsigned!(|a, b| a | b),
        (ReduceKind::Sum, _) => numbers!(|a, b| Number::add(a, b)),
        (ReduceKind::Product, _) => numbers!(|a, b| Number::mul(a, b)),
        (ReduceKind::Min, Type::F32) => {
            extreme!(f32, Number::min, <, |x| x.to_bits() as u64, |x| f32::from_bits(x as u32))
        }
        (ReduceKind::Min, Type::F64) => extreme!(f64, Number::min, <, |x| x.to_bits(), |x| f64::from_bits(x)),
        (ReduceKind::Max, Type::F32) => {
            extreme!(f32, Number::max, >, |x| x.to_bits() as u64, |x| f32::from_bits(x as u32))
        }
        (ReduceKind::Max, Type::F64) => extreme!(f64, Number::max, >, |x| x.to_bits(), |x| f64::from_bits(x)),
        (ReduceKind::Min, _) => integers!(|a, b| Number::min(a, b)),
        (ReduceKind::Max, _) => integers!(|a, b| Number::max(a, b)),
        (ReduceKind::And, _) => unsigned!(|a, b| a & b),
        (ReduceKind::Or, _) => unsigned!(|a, b| a | b),
        (ReduceKind::Xor, _) => unsigned!(|a, b| a ^ b),
    }
}
