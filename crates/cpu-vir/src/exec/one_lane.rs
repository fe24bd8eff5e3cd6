//! Instructions on a single lane, for the ones that loops over scalars are made of. What has none is done by the loop over
//! a tile, on one lane.
//!
//! **Invariant:** a function here gives what the loop gives: both apply the same definition ([`number`](super::number)).
#![allow(unsafe_code, reason = "reads and writes lanes by address")]

use crate::element::Type;
use crate::exec::number::{Number, Whole};
use crate::op::{BinaryOp, Direction, UnaryOp};
use crate::program::{Inst, Program, Value};

/// Reads up to three lanes, and writes the result to two places, which may be one, and any of those that were read.
///
/// # Safety
/// Each pointer is valid for a lane of its type, at any alignment.
pub(super) type OneLaneFn = unsafe fn(to: *mut u8, also: *mut u8, a: *const u8, b: *const u8, c: *const u8);

macro_rules! one_lane {
    ($result:ty, |$($name:ident: $lane:ty),*| $body:expr) => {{
        #[allow(unused_variables, unused_mut, unused_assignments, reason = "not all take three arguments")]
        unsafe fn call(to: *mut u8, also: *mut u8, a: *const u8, b: *const u8, c: *const u8) {
            let mut arguments = [a, b, c].into_iter();
            // SAFETY: the contract of `OneLaneFn`.
            unsafe {
                $(let $name = arguments.next().unwrap_or(a).cast::<$lane>().read_unaligned();)*
                let result: $result = $body;
                to.cast::<$result>().write_unaligned(result);
                also.cast::<$result>().write_unaligned(result);
            }
        }
        Some(call as OneLaneFn)
    }};
}

/// For the types listed, with `T` as the lane.
macro_rules! of_type {
    ($ty:expr, [$($name:ident $lane:ident),*], $result:expr) => {
        match $ty {
            $(Type::$name => {
                type T = $lane;
                $result
            })*
            _ => None,
        }
    };
}

macro_rules! numbers {
    ($ty:expr, $result:expr) => { of_type!($ty, [I32 i32, I64 i64, U32 u32, U64 u64, F32 f32, F64 f64], $result) };
}

macro_rules! integers {
    ($ty:expr, $result:expr) => { of_type!($ty, [I32 i32, I64 i64, U32 u32, U64 u64], $result) };
}

macro_rules! bits {
    ($ty:expr, $result:expr) => { of_type!($ty, [Mask u8, I32 i32, I64 i64, U32 u32, U64 u64], $result) };
}

/// The function of an instruction, if it has one.
pub(super) fn one_lane(program: &Program, value: Value) -> Option<OneLaneFn> {
    let ty = |value: &Value| program.ty(*value);
    match &program.body[value.index()] {
        Inst::Unary { op: UnaryOp::Neg, a } => numbers!(ty(a), one_lane!(T, |x: T| Number::neg(x))),
        Inst::Unary { op: UnaryOp::Abs, a } => numbers!(ty(a), one_lane!(T, |x: T| Number::abs(x))),
        Inst::Unary { op: UnaryOp::Not, a } if ty(a) == Type::Mask => one_lane!(u8, |x: u8| x ^ 1),
        Inst::Unary { op: UnaryOp::Not, a } => integers!(ty(a), one_lane!(T, |x: T| !x)),
        Inst::Binary { op, a, .. } => binary(*op, ty(a)),
        Inst::Compare { direction, a, .. } => compare(*direction, ty(a)),
        Inst::Select { a, .. } => match ty(a).size() {
            1 => one_lane!(u8, |m: u8, x: u8, y: u8| if m != 0 { x } else { y }),
            2 => one_lane!(u16, |m: u8, x: u16, y: u16| if m != 0 { x } else { y }),
            4 => one_lane!(u32, |m: u8, x: u32, y: u32| if m != 0 { x } else { y }),
            _ => one_lane!(u64, |m: u8, x: u64, y: u64| if m != 0 { x } else { y }),
        },
        Inst::Convert { a } => match (ty(a), ty(&value)) {
            (Type::I32, Type::F32) => one_lane!(f32, |x: i32| x as f32),
            (Type::I32, Type::F64) => one_lane!(f64, |x: i32| f64::from(x)),
            (Type::I32, Type::I64) => one_lane!(i64, |x: i32| i64::from(x)),
            (Type::I64, Type::I32) => one_lane!(i32, |x: i64| x as i32),
            (Type::I64, Type::F32) => one_lane!(f32, |x: i64| x as f32),
            (Type::F32, Type::F64) => one_lane!(f64, |x: f32| f64::from(x)),
            (Type::F64, Type::F32) => one_lane!(f32, |x: f64| x as f32),
            (Type::Mask, Type::F32) => one_lane!(f32, |x: u8| f32::from(x)),
            (Type::Mask, Type::I32) => one_lane!(i32, |x: u8| i32::from(x)),
            _ => None,
        },
        _ => None,
    }
}

fn binary(op: BinaryOp, ty: Type) -> Option<OneLaneFn> {
    match op {
        BinaryOp::Add => numbers!(ty, one_lane!(T, |x: T, y: T| Number::add(x, y))),
        BinaryOp::Sub => numbers!(ty, one_lane!(T, |x: T, y: T| Number::sub(x, y))),
        BinaryOp::Mul => numbers!(ty, one_lane!(T, |x: T, y: T| Number::mul(x, y))),
        BinaryOp::Div => numbers!(ty, one_lane!(T, |x: T, y: T| Number::div(x, y))),
        BinaryOp::Rem => integers!(ty, one_lane!(T, |x: T, y: T| Number::rem(x, y))),
        BinaryOp::Min if ty == Type::Mask => one_lane!(u8, |x: u8, y: u8| x & y),
        BinaryOp::Max if ty == Type::Mask => one_lane!(u8, |x: u8, y: u8| x | y),
        BinaryOp::Min => numbers!(ty, one_lane!(T, |x: T, y: T| Number::min(x, y))),
        BinaryOp::Max => numbers!(ty, one_lane!(T, |x: T, y: T| Number::max(x, y))),
        BinaryOp::And => bits!(ty, one_lane!(T, |x: T, y: T| x & y)),
        BinaryOp::Or => bits!(ty, one_lane!(T, |x: T, y: T| x | y)),
        BinaryOp::Xor => bits!(ty, one_lane!(T, |x: T, y: T| x ^ y)),
        BinaryOp::Shl => integers!(ty, one_lane!(T, |x: T, y: T| Whole::shl(x, y))),
        BinaryOp::ShrLogical => integers!(ty, one_lane!(T, |x: T, y: T| Whole::shr_logical(x, y))),
        BinaryOp::ShrArithmetic => integers!(ty, one_lane!(T, |x: T, y: T| Whole::shr_arithmetic(x, y))),
        _ => None,
    }
}

fn compare(direction: Direction, ty: Type) -> Option<OneLaneFn> {
    // Masks are bytes of 0 and 1.
    macro_rules! compared {
        (|$x:ident, $y:ident| $body:expr) => {
            of_type!(
                ty,
                [Mask u8, I32 i32, I64 i64, U32 u32, U64 u64, F32 f32, F64 f64],
                one_lane!(u8, |$x: T, $y: T| u8::from($body))
            )
        };
    }
    match direction {
        Direction::Eq => compared!(|x, y| x == y),
        Direction::Ne => compared!(|x, y| x != y),
        Direction::Lt => compared!(|x, y| x < y),
        Direction::Le => compared!(|x, y| x <= y),
        Direction::Gt => compared!(|x, y| x > y),
        Direction::Ge => compared!(|x, y| x >= y),
    }
}
