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
}

/// Partial results side by side: enough to fill the pipelines.
const STRANDS: usize = 32;

#[inline(always)]
unsafe fn fold_body<F: Fold>(src: *const u8, n: usize) -> u64 {
    // SAFETY: the contract of `FoldFn`.
    F::bits(fold::<F>(unsafe { tile(src, n) }))
}

#[inline(always)]
fn fold<F: Fold>(lanes: &[Raw<F::T>]) -> F::T {
    let (whole, rest) = lanes.as_chunks::<STRANDS>();
    let Some((first, whole)) = whole.split_first() else {
        let (first, rest) = (rest[0].0, &rest[1..]);
        return rest.iter().fold(first, |sum, lane| F::combine(sum, lane.0));
    };
    let mut sums: [F::T; STRANDS] = std::array::from_fn(|strand| first[strand].0);
    for chunk in whole {
        for strand in 0..STRANDS {
            sums[strand] = F::combine(sums[strand], chunk[strand].0);
        }
    }
    for (sum, lane) in sums.iter_mut().zip(rest) {
        *sum = F::combine(*sum, lane.0);
    }
    let mut width = STRANDS / 2;
    while width > 0 {
        for strand in 0..width {
            sums[strand] = F::combine(sums[strand], sums[strand + width]);
        }
        width /= 2;
    }
    sums[0]
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
        ($lane:ident, |$a:ident, $b:ident| $combine:expr, |$value:ident| $bits:expr, |$raw:ident| $from:expr) => {{
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
            }
            fn combine(a: u64, b: u64) -> u64 {
                Op::bits(Op::combine(Op::from_bits(a), Op::from_bits(b)))
            }
            Some(Folding { fold: folds::<Op>(), combine })
        }};
    }
    macro_rules! integers {
        (|$a:ident, $b:ident| $combine:expr) => {
            match ty {
                Type::I8 => fold!(i8, |$a, $b| $combine, |x| x as u8 as u64, |x| x as i8),
                Type::I16 => fold!(i16, |$a, $b| $combine, |x| x as u16 as u64, |x| x as i16),
                Type::I32 => fold!(i32, |$a, $b| $combine, |x| x as u32 as u64, |x| x as i32),
                Type::I64 => fold!(i64, |$a, $b| $combine, |x| x as u64, |x| x as i64),
                Type::U8 => fold!(u8, |$a, $b| $combine, |x| x as u64, |x| x as u8),
                Type::U16 => fold!(u16, |$a, $b| $combine, |x| x as u64, |x| x as u16),
                Type::U32 => fold!(u32, |$a, $b| $combine, |x| x as u64, |x| x as u32),
                Type::U64 => fold!(u64, |$a, $b| $combine, |x| x, |x| x),
                _ => None,
            }
        };
    }
    macro_rules! numbers {
        (|$a:ident, $b:ident| $combine:expr) => {
            match ty {
                Type::F32 => fold!(f32, |$a, $b| $combine, |x| x.to_bits() as u64, |x| f32::from_bits(x as u32)),
                Type::F64 => fold!(f64, |$a, $b| $combine, |x| x.to_bits(), |x| f64::from_bits(x)),
                _ => integers!(|$a, $b| $combine),
            }
        };
    }
    match (kind, ty) {
        (ReduceKind::And | ReduceKind::Min, Type::Mask) => fold!(u8, |a, b| a & b, |x| x as u64, |x| x as u8),
        (ReduceKind::Or | ReduceKind::Max, Type::Mask) => fold!(u8, |a, b| a | b, |x| x as u64, |x| x as u8),
        (ReduceKind::Xor, Type::Mask) => fold!(u8, |a, b| a ^ b, |x| x as u64, |x| x as u8),
        (ReduceKind::Sum, _) => numbers!(|a, b| Number::add(a, b)),
        (ReduceKind::Product, _) => numbers!(|a, b| Number::mul(a, b)),
        (ReduceKind::Min, _) => numbers!(|a, b| Number::min(a, b)),
        (ReduceKind::Max, _) => numbers!(|a, b| Number::max(a, b)),
        (ReduceKind::And, _) => integers!(|a, b| a & b),
        (ReduceKind::Or, _) => integers!(|a, b| a | b),
        (ReduceKind::Xor, _) => integers!(|a, b| a ^ b),
    }
}
