//! The loops of lane-wise operations, by operation and type.

use crate::element::Type;
use crate::exec::isa::{Map1, Map2, Map3, Raw, Tile2, TileFn, Variants, map1, map2, map3, tile2};
use crate::exec::number::{Float, Number, Whole};
use crate::math::{Periodic, Real, Trig, rsqrt};
use crate::op::{BinaryOp, Direction, UnaryOp};
use crate::threefry::threefry;

/// Evaluates an expression with `T` as the lane type, for those listed; `None` for the rest.
macro_rules! by_type {
    ($ty:expr, [$($name:ident $lane:ident),*], $result:expr) => {
        match $ty {
            $(Type::$name => {
                type T = $lane;
                Some($result)
            })*
            _ => None,
        }
    };
}
pub(super) use by_type;

macro_rules! numbers {
    ($ty:expr, $result:expr) => {
        by_type!($ty, [I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F32 f32, F64 f64], $result)
    };
}
macro_rules! integers {
    ($ty:expr, $result:expr) => {
        by_type!($ty, [I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64], $result)
    };
}
macro_rules! floats {
    ($ty:expr, $result:expr) => {
        by_type!($ty, [F32 f32, F64 f64], $result)
    };
}

/// The loops of `|a| expression`.
macro_rules! one {
    ($result:ty, |$a:ident| $body:expr) => {{
        struct Op;
        impl Map1 for Op {
            type A = T;
            type R = $result;
            #[inline(always)]
            fn call($a: T, _immediate: u64) -> $result {
                $body
            }
        }
        map1::<Op>()
    }};
}

macro_rules! two {
    ($result:ty, |$a:ident, $b:ident| $body:expr) => {{
        struct Op;
        impl Map2 for Op {
            type A = T;
            type R = $result;
            #[inline(always)]
            fn call($a: T, $b: T) -> $result {
                $body
            }
        }
        map2::<Op>()
    }};
}

macro_rules! trigonometric {
    ($trig:expr) => {{
        struct Op;
        impl Map1 for Op {
            type A = T;
            type R = T;
            const MENDS: bool = true;
            #[inline(always)]
            fn call(a: T, _immediate: u64) -> T {
                a.trig($trig)
            }
            #[inline(always)]
            fn needs_mending(a: T) -> bool {
                a.is_huge()
            }
            fn mend(a: T) -> T {
                a.trig_of_huge($trig)
            }
        }
        map1::<Op>()
    }};
}

/// The loops of an operation of one argument.
pub(super) fn unary(op: UnaryOp, ty: Type) -> Option<Variants<TileFn>> {
    match op {
        UnaryOp::Neg => numbers!(ty, one!(T, |a| Number::neg(a))),
        UnaryOp::Abs => numbers!(ty, one!(T, |a| Number::abs(a))),
        UnaryOp::Sign => numbers!(ty, one!(T, |a| Number::sign(a))),
        UnaryOp::Not if ty == Type::Mask => {
            type T = u8;
            Some(one!(T, |a| a ^ 1))
        }
        UnaryOp::Not => integers!(ty, one!(T, |a| !a)),
        UnaryOp::Floor => floats!(ty, one!(T, |a| Float::floor(a))),
        UnaryOp::Ceil => floats!(ty, one!(T, |a| Float::ceil(a))),
        UnaryOp::RoundHalfAway => floats!(ty, one!(T, |a| Float::round_half_away(a))),
        UnaryOp::RoundHalfEven => floats!(ty, one!(T, |a| Float::round_half_even(a))),
        UnaryOp::Trunc => floats!(ty, one!(T, |a| Real::trunc(a))),
        UnaryOp::Sqrt => floats!(ty, one!(T, |a| Real::sqrt(a))),
        UnaryOp::Rsqrt => floats!(ty, one!(T, |a| rsqrt(a))),
        UnaryOp::Cbrt => floats!(ty, one!(T, |a| Float::cbrt(a))),
        UnaryOp::Exp => floats!(ty, one!(T, |a| Float::exp(a))),
        UnaryOp::Exp2 => floats!(ty, one!(T, |a| Float::exp2(a))),
        UnaryOp::Expm1 => floats!(ty, one!(T, |a| Float::expm1(a))),
        UnaryOp::Log => floats!(ty, one!(T, |a| Float::log(a))),
        UnaryOp::Log1p => floats!(ty, one!(T, |a| Float::log1p(a))),
        UnaryOp::Sin => floats!(ty, trigonometric!(Trig::Sin)),
        UnaryOp::Cos => floats!(ty, trigonometric!(Trig::Cos)),
        UnaryOp::Tan => floats!(ty, trigonometric!(Trig::Tan)),
        UnaryOp::Tanh => floats!(ty, one!(T, |a| Float::tanh(a))),
        UnaryOp::Logistic => floats!(ty, one!(T, |a| Float::logistic(a))),
        UnaryOp::Erf => floats!(ty, one!(T, |a| Float::erf(a))),
        UnaryOp::Popcnt => integers!(ty, one!(T, |a| Whole::popcnt(a))),
        UnaryOp::Clz => integers!(ty, one!(T, |a| Whole::clz(a))),
        UnaryOp::IsFinite => floats!(ty, one!(u8, |a| u8::from(Float::is_finite(a)))),
    }
}

/// The loops of the floating-point remainder: exact by one fused step while the quotient is small.
macro_rules! remainder {
    ($limit:expr) => {{
        struct Op;
        impl Map2 for Op {
            type A = T;
            type R = T;
            const MENDS: bool = true;
            #[inline(always)]
            fn call(a: T, b: T) -> T {
                let rest = (-(a / b).trunc()).mul_add(b, a);
                // A quotient just below an integer may have been rounded up to it.
                let beyond = rest * T::signum(a) < 0.0;
                let rest = if beyond { rest + b.abs().copysign(a) } else { rest };
                if rest == 0.0 { T::copysign(0.0, a) } else { rest }
            }
            #[inline(always)]
            fn needs_mending(a: T, b: T) -> bool {
                !((a / b).abs() < $limit && b.abs() < T::INFINITY)
            }
            fn mend(a: T, b: T) -> T {
                a % b
            }
        }
        map2::<Op>()
    }};
}

/// The loops of an operation of two arguments.
pub(super) fn binary(op: BinaryOp, ty: Type) -> Option<Variants<TileFn>> {
    if ty == Type::Mask {
        type T = u8;
        return match op {
            BinaryOp::And | BinaryOp::Min => Some(two!(T, |a, b| a & b)),
            BinaryOp::Or | BinaryOp::Max => Some(two!(T, |a, b| a | b)),
            BinaryOp::Xor => Some(two!(T, |a, b| a ^ b)),
            _ => None,
        };
    }
    match op {
        BinaryOp::Add => numbers!(ty, two!(T, |a, b| Number::add(a, b))),
        BinaryOp::Sub => numbers!(ty, two!(T, |a, b| Number::sub(a, b))),
        BinaryOp::Mul => numbers!(ty, two!(T, |a, b| Number::mul(a, b))),
        BinaryOp::Div => numbers!(ty, two!(T, |a, b| Number::div(a, b))),
        BinaryOp::Rem if ty == Type::F32 => {
            type T = f32;
            Some(remainder!(4194304.0))
        }
        BinaryOp::Rem if ty == Type::F64 => {
            type T = f64;
            Some(remainder!(2251799813685248.0))
        }
        BinaryOp::Rem => integers!(ty, two!(T, |a, b| Number::rem(a, b))),
        BinaryOp::Min => numbers!(ty, two!(T, |a, b| Number::min(a, b))),
        BinaryOp::Max => numbers!(ty, two!(T, |a, b| Number::max(a, b))),
        BinaryOp::And => integers!(ty, two!(T, |a, b| a & b)),
        BinaryOp::Or => integers!(ty, two!(T, |a, b| a | b)),
        BinaryOp::Xor => integers!(ty, two!(T, |a, b| a ^ b)),
        BinaryOp::Shl => integers!(ty, two!(T, |a, b| Whole::shl(a, b))),
        BinaryOp::ShrLogical => integers!(ty, two!(T, |a, b| Whole::shr_logical(a, b))),
        BinaryOp::ShrArithmetic => integers!(ty, two!(T, |a, b| Whole::shr_arithmetic(a, b))),
        BinaryOp::Pow => numbers!(ty, two!(T, |a, b| Number::pow(a, b))),
        BinaryOp::Atan2 => floats!(ty, two!(T, |a, b| Float::atan2(a, b))),
        BinaryOp::Threefry => (ty == Type::U64).then(tile2::<Threefry>),
    }
}

struct Threefry;

impl Tile2 for Threefry {
    type T = u64;
    /// The halves of 64-bit lanes are taken apart first: rounds on 32-bit lanes have vectors of twice as many.
    #[inline(always)]
    fn call(dst: &mut [Raw<u64>], a: &[Raw<u64>], b: &[Raw<u64>]) {
        const BLOCK: usize = 128;
        let (mut keys, mut words) = ([[0u32; BLOCK]; 2], [[0u32; BLOCK]; 2]);
        let ([k, l], [x, y]) = (&mut keys, &mut words);
        for ((dst, a), b) in dst.chunks_mut(BLOCK).zip(a.chunks(BLOCK)).zip(b.chunks(BLOCK)) {
            let lanes = dst.len();
            for lane in 0..lanes {
                (k[lane], l[lane]) = ((a[lane].0 >> 32) as u32, a[lane].0 as u32);
                (x[lane], y[lane]) = ((b[lane].0 >> 32) as u32, b[lane].0 as u32);
            }
            for lane in 0..lanes {
                [x[lane], y[lane]] = threefry([k[lane], l[lane]], [x[lane], y[lane]]);
            }
            for lane in 0..lanes {
                dst[lane] = Raw(u64::from(x[lane]) << 32 | u64::from(y[lane]));
            }
        }
    }
}

/// The loops of a comparison.
pub(super) fn compare(direction: Direction, ty: Type) -> Option<Variants<TileFn>> {
    // Masks are bytes of 0 and 1.
    let ty = if ty == Type::Mask { Type::U8 } else { ty };
    match direction {
        Direction::Eq => numbers!(ty, two!(u8, |a, b| u8::from(a == b))),
        Direction::Ne => numbers!(ty, two!(u8, |a, b| u8::from(a != b))),
        Direction::Lt => numbers!(ty, two!(u8, |a, b| u8::from(a < b))),
        Direction::Le => numbers!(ty, two!(u8, |a, b| u8::from(a <= b))),
        Direction::Gt => numbers!(ty, two!(u8, |a, b| u8::from(a > b))),
        Direction::Ge => numbers!(ty, two!(u8, |a, b| u8::from(a >= b))),
    }
}

/// The loops of a choice between values of so many bytes.
pub(super) fn select(size: usize) -> Variants<TileFn> {
    macro_rules! select {
        ($lane:ident) => {{
            struct Op;
            impl Map3 for Op {
                type A = u8;
                type B = $lane;
                #[inline(always)]
                fn call(a: u8, b: $lane, c: $lane) -> $lane {
                    if a != 0 { b } else { c }
                }
            }
            map3::<Op>()
        }};
    }
    match size {
        1 => select!(u8),
        2 => select!(u16),
        4 => select!(u32),
        _ => select!(u64),
    }
}

/// The loops of fused multiply-add.
pub(super) fn fma(ty: Type) -> Option<Variants<TileFn>> {
    floats!(ty, {
        struct Op;
        impl Map3 for Op {
            type A = T;
            type B = T;
            #[inline(always)]
            fn call(a: T, b: T, c: T) -> T {
                a.mul_add(b, c)
            }
        }
        map3::<Op>()
    })
}
