//! The loops that change a value's type or precision.
#![allow(unsafe_code, reason = "converts floats that were checked to be in range")]

use crate::element::{Storage, Type};
use crate::exec::arithmetic::by_type;
use crate::exec::isa::{Map1, TileFn, Variants, map1};
use crate::exec::number::Float;
use crate::small_float::{self, SmallFloat};

/// The loops of a conversion between two lane types.
pub(super) fn convert(from: Type, to: Type) -> Variants<TileFn> {
    /// `as` wraps integers, saturates floats with NaN to 0, and rounds to nearest even.
    macro_rules! cast {
        ($from:ident $to:ident) => {{
            struct Op;
            impl Map1 for Op {
                type A = $from;
                type R = $to;
                #[inline(always)]
                fn call(a: $from, _immediate: u64) -> $to {
                    a as $to
                }
            }
            map1::<Op>()
        }};
    }
    /// What `as` does, with the conversion itself in range for every lane: that makes vectors.
    macro_rules! saturate {
        ($from:ident $to:ident) => {{
            struct Op;
            impl Map1 for Op {
                type A = $from;
                type R = $to;
                #[inline(always)]
                fn call(a: $from, _immediate: u64) -> $to {
                    // One beyond the greatest is a power of two, exact in either float.
                    const LOW: $from = <$to>::MIN as $from;
                    const BEYOND: $from = 2.0 * ((<$to>::MAX / 2) as $from + 1.0);
                    let inside = (LOW..BEYOND).contains(&a);
                    let safe = if inside { a } else { 0.0 };
                    // SAFETY: from LOW to below BEYOND all numbers truncate to an i32, as does 0.
                    let number = unsafe { safe.to_int_unchecked::<i32>() } as $to;
                    let number = if a >= BEYOND { <$to>::MAX } else { number };
                    if a < LOW { <$to>::MIN } else { number }
                }
            }
            map1::<Op>()
        }};
    }
    macro_rules! to_mask {
        ($from:ident) => {{
            struct Op;
            impl Map1 for Op {
                type A = $from;
                type R = u8;
                #[inline(always)]
                fn call(a: $from, _immediate: u64) -> u8 {
                    u8::from(a != 0 as $from)
                }
            }
            map1::<Op>()
        }};
    }
    macro_rules! from {
        ($from:ident) => {
            match to {
                Type::Mask => to_mask!($from),
                Type::I8 => cast!($from i8),
                Type::I16 => cast!($from i16),
                Type::I32 => cast!($from i32),
                Type::I64 => cast!($from i64),
                Type::U8 => cast!($from u8),
                Type::U16 => cast!($from u16),
                Type::U32 => cast!($from u32),
                Type::U64 => cast!($from u64),
                Type::F32 => cast!($from f32),
                Type::F64 => cast!($from f64),
            }
        };
    }
    match from {
        Type::Mask | Type::U8 => from!(u8),
        Type::I8 => from!(i8),
        Type::I16 => from!(i16),
        Type::I32 => from!(i32),
        Type::I64 => from!(i64),
        Type::U16 => from!(u16),
        Type::U32 => from!(u32),
        Type::U64 => from!(u64),
        Type::F32 => match to {
            Type::I8 => saturate!(f32 i8),
            Type::I16 => saturate!(f32 i16),
            Type::I32 => saturate!(f32 i32),
            Type::U8 => saturate!(f32 u8),
            Type::U16 => saturate!(f32 u16),
            _ => from!(f32),
        },
        Type::F64 => match to {
            Type::I8 => saturate!(f64 i8),
            Type::I16 => saturate!(f64 i16),
            Type::I32 => saturate!(f64 i32),
            Type::U8 => saturate!(f64 u8),
            Type::U16 => saturate!(f64 u16),
            _ => from!(f64),
        },
    }
}

/// f64 to f32, rounded to odd.
pub(super) fn narrow_to_odd() -> Variants<TileFn> {
    struct Op;
    impl Map1 for Op {
        type A = f64;
        type R = f32;
        #[inline(always)]
        fn call(a: f64, _immediate: u64) -> f32 {
            let nearest = a as f32;
            let back = f64::from(nearest);
            let bits = nearest.to_bits();
            // Towards zero first, then the last bit tells that something was lost.
            let towards_zero = if back.abs() > a.abs() { bits.wrapping_sub(1) } else { bits };
            let odd = if back == a || a.is_nan() { bits } else { towards_zero | 1 };
            f32::from_bits(odd)
        }
    }
    map1::<Op>()
}

/// Rounding an f32 to a small float and back.
pub(super) fn round(to: Storage) -> Option<Variants<TileFn>> {
    macro_rules! round {
        ($($name:ident $format:ident),*) => {
            match to {
                $(Storage::$name => {
                    struct Op;
                    impl Map1 for Op {
                        type A = f32;
                        type R = f32;
                        #[inline(always)]
                        fn call(a: f32, _immediate: u64) -> f32 {
                            small_float::$format::decode(small_float::$format::encode(a))
                        }
                    }
                    Some(map1::<Op>())
                })*
                _ => None,
            }
        };
    }
    round!(
        F4E2M1FN F4E2M1FN, F6E2M3FN F6E2M3FN, F6E3M2FN F6E3M2FN, F8E3M4 F8E3M4, F8E4M3 F8E4M3, F8E4M3FN F8E4M3FN,
        F8E4M3FNUZ F8E4M3FNUZ, F8E4M3B11FNUZ F8E4M3B11FNUZ, F8E5M2 F8E5M2, F8E5M2FNUZ F8E5M2FNUZ,
        F8E8M0FNU F8E8M0FNU, BF16 Bf16, F16 F16
    )
}

/// Keeping the low bits of a byte; the immediate is how many are dropped.
pub(super) fn wrap(ty: Type) -> Option<Variants<TileFn>> {
    by_type!(ty, [I8 i8, U8 u8], {
        struct Op;
        impl Map1 for Op {
            type A = T;
            type R = T;
            #[inline(always)]
            fn call(a: T, immediate: u64) -> T {
                a.wrapping_shl(immediate as u32).wrapping_shr(immediate as u32)
            }
        }
        map1::<Op>()
    })
}

/// Rounding to other sizes of exponent and mantissa; the immediate has the first above 32 bits of the second.
pub(super) fn reduce_precision(ty: Type) -> Option<Variants<TileFn>> {
    by_type!(ty, [F32 f32, F64 f64], {
        struct Op;
        impl Map1 for Op {
            type A = T;
            type R = T;
            #[inline(always)]
            fn call(a: T, immediate: u64) -> T {
                Float::reduce_precision(a, (immediate >> 32) as u32, immediate as u32)
            }
        }
        map1::<Op>()
    })
}
