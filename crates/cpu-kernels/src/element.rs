//! Elements as numbers: one Rust type for each storage, what it is computed in, and how two combine.
//!
//! The path for every type; loops that must be fast have their own beside it. Small floats are computed in f32 and
//! rounded after each operation, narrow integers wrap, truth values are 0 and 1.

use bytemuck::Pod;
use cpu_vir::small_float::{self, SmallFloat};
use cpu_vir::{ReduceKind, Storage};
use num_complex::Complex;

use crate::{KernelError, Shape};

/// A storage as a Rust type.
pub(crate) trait Element: 'static {
    /// As it lies in memory.
    type Raw: Pod + Send + Sync;
    /// As it is computed.
    type Number: Number;
    /// The value.
    fn read(raw: Self::Raw) -> Self::Number;
    /// The nearest element.
    fn write(number: Self::Number) -> Self::Raw;
}

/// What elements are computed in.
pub(crate) trait Number: Copy + Send + Sync + PartialEq + 'static {
    /// What changes no sum.
    const ZERO: Self;
    /// What changes no product.
    const ONE: Self;
    /// Zero without a sign.
    const PLAIN_ZERO: Self;
    /// What is no number; 0 of integers and truths.
    const NAN: Self;
    /// What no number is below.
    const LOWEST: Self;
    /// What no number is above.
    const HIGHEST: Self;
    /// Sum; integers wrap, truths are or.
    fn sum(self, other: Self) -> Self;
    /// Product; integers wrap, truths are and.
    fn product(self, other: Self) -> Self;
    /// The lesser; NaN if either is, −0 below +0; complex numbers by real parts first.
    fn least(self, other: Self) -> Self;
    /// The greater, likewise.
    fn greatest(self, other: Self) -> Self;
    /// Whether it is above the other; complex numbers by real parts first.
    fn is_above(self, other: Self) -> bool;
    /// Whether it is the other or above it; complex numbers by real parts first.
    fn at_least(self, other: Self) -> bool;
    /// Bits in both; `None` for floats.
    fn bits(kind: ReduceKind) -> Option<fn(Self, Self) -> Self>;
}

macro_rules! whole_numbers {
    ($($T:ident)*) => {$(
        impl Number for $T {
            const ZERO: $T = 0;
            const ONE: $T = 1;
            const PLAIN_ZERO: $T = 0;
            const NAN: $T = 0;
            const LOWEST: $T = $T::MIN;
            const HIGHEST: $T = $T::MAX;
            #[inline(always)]
            fn sum(self, other: $T) -> $T {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn product(self, other: $T) -> $T {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn least(self, other: $T) -> $T {
                self.min(other)
            }
            #[inline(always)]
            fn greatest(self, other: $T) -> $T {
                self.max(other)
            }
            #[inline(always)]
            fn is_above(self, other: $T) -> bool {
                self > other
            }
            #[inline(always)]
            fn at_least(self, other: $T) -> bool {
                self >= other
            }
            fn bits(kind: ReduceKind) -> Option<fn($T, $T) -> $T> {
                match kind {
                    ReduceKind::And => Some(|a, b| a & b),
                    ReduceKind::Or => Some(|a, b| a | b),
                    ReduceKind::Xor => Some(|a, b| a ^ b),
                    _ => None,
                }
            }
        }
    )*};
}
whole_numbers! { i8 i16 i32 i64 u8 u16 u32 u64 }

macro_rules! floats {
    ($($T:ident)*) => {$(
        impl Number for $T {
            const ZERO: $T = -0.0;
            const ONE: $T = 1.0;
            const PLAIN_ZERO: $T = 0.0;
            const NAN: $T = $T::NAN;
            const LOWEST: $T = $T::NEG_INFINITY;
            const HIGHEST: $T = $T::INFINITY;
            #[inline(always)]
            fn sum(self, other: $T) -> $T {
                self + other
            }
            #[inline(always)]
            fn product(self, other: $T) -> $T {
                self * other
            }
            #[inline(always)]
            fn least(self, other: $T) -> $T {
                let first = self.is_nan() | (self < other) | ((self == other) & self.is_sign_negative());
                if first { self } else { other }
            }
            #[inline(always)]
            fn greatest(self, other: $T) -> $T {
                let first = self.is_nan() | (self > other) | ((self == other) & other.is_sign_negative());
                if first { self } else { other }
            }
            #[inline(always)]
            fn is_above(self, other: $T) -> bool {
                self > other
            }
            #[inline(always)]
            fn at_least(self, other: $T) -> bool {
                self >= other
            }
            fn bits(_: ReduceKind) -> Option<fn($T, $T) -> $T> {
                None
            }
        }

        impl Number for Complex<$T> {
            const ZERO: Self = Complex { re: -0.0, im: -0.0 };
            const ONE: Self = Complex { re: 1.0, im: 0.0 };
            const PLAIN_ZERO: Self = Complex { re: 0.0, im: 0.0 };
            const NAN: Self = Complex { re: $T::NAN, im: $T::NAN };
            const LOWEST: Self = Complex { re: $T::NEG_INFINITY, im: $T::NEG_INFINITY };
            const HIGHEST: Self = Complex { re: $T::INFINITY, im: $T::INFINITY };
            #[inline(always)]
            fn sum(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn product(self, other: Self) -> Self {
                Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
            }
            #[inline(always)]
            fn least(self, other: Self) -> Self {
                if is_less(other, self) { other } else { self }
            }
            #[inline(always)]
            fn greatest(self, other: Self) -> Self {
                if is_less(self, other) { other } else { self }
            }
            fn is_above(self, other: Self) -> bool {
                is_less(other, self)
            }
            fn at_least(self, other: Self) -> bool {
                is_less(other, self) || self == other
            }
            fn bits(_: ReduceKind) -> Option<fn(Self, Self) -> Self> {
                None
            }
        }
    )*};
}
floats! { f32 f64 }

fn is_less<T: PartialOrd + Copy>(a: Complex<T>, b: Complex<T>) -> bool {
    a.re < b.re || (a.re == b.re && a.im < b.im)
}

/// A truth value, one byte.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Truth(bool);

impl Number for Truth {
    const ZERO: Truth = Truth(false);
    const ONE: Truth = Truth(true);
    const PLAIN_ZERO: Truth = Truth(false);
    const NAN: Truth = Truth(false);
    const LOWEST: Truth = Truth(false);
    const HIGHEST: Truth = Truth(true);
    fn sum(self, other: Truth) -> Truth {
        Truth(self.0 | other.0)
    }
    fn product(self, other: Truth) -> Truth {
        Truth(self.0 & other.0)
    }
    fn least(self, other: Truth) -> Truth {
        self.product(other)
    }
    fn greatest(self, other: Truth) -> Truth {
        self.sum(other)
    }
    fn is_above(self, other: Truth) -> bool {
        self.0 & !other.0
    }
    fn at_least(self, other: Truth) -> bool {
        self.0 >= other.0
    }
    fn bits(kind: ReduceKind) -> Option<fn(Truth, Truth) -> Truth> {
        match kind {
            ReduceKind::And => Some(Truth::product),
            ReduceKind::Or => Some(Truth::sum),
            ReduceKind::Xor => Some(|a, b| Truth(a.0 ^ b.0)),
            _ => None,
        }
    }
}

/// Elements that are computed as they are stored.
impl<T: Number + Pod> Element for T {
    type Raw = T;
    type Number = T;
    #[inline(always)]
    fn read(raw: T) -> T {
        raw
    }
    #[inline(always)]
    fn write(number: T) -> T {
        number
    }
}

/// The storage `i1`.
pub(crate) struct Bool;

impl Element for Bool {
    type Raw = u8;
    type Number = Truth;
    fn read(raw: u8) -> Truth {
        Truth(raw != 0)
    }
    fn write(number: Truth) -> u8 {
        u8::from(number.0)
    }
}

macro_rules! narrow_integers {
    ($($name:ident $T:ident $bits:literal)*) => {$(
        #[doc = concat!("An integer of ", $bits, " bits.")]
        pub(crate) struct $name;

        impl Element for $name {
            type Raw = $T;
            type Number = $T;
            fn read(raw: $T) -> $T {
                raw << (8 - $bits) >> (8 - $bits)
            }
            fn write(number: $T) -> $T {
                number << (8 - $bits) >> (8 - $bits)
            }
        }
    )*};
}
narrow_integers! { I2 i8 2 I4 i8 4 U2 u8 2 U4 u8 4 }

/// A float below f32.
pub(crate) struct Small<F>(F);

impl<F: SmallFloat + 'static> Element for Small<F>
where
    F::Code: Pod + Send + Sync,
{
    type Raw = F::Code;
    type Number = f32;
    #[inline(always)]
    fn read(raw: F::Code) -> f32 {
        F::decode(raw)
    }
    #[inline(always)]
    fn write(number: f32) -> F::Code {
        F::encode(number)
    }
}

pub(crate) type Bf16 = Small<small_float::Bf16>;
pub(crate) type F16 = Small<small_float::F16>;

/// Evaluates an expression with `$E` as the [`Element`] of a storage.
macro_rules! with_element {
    ($storage:expr, $E:ident => $body:expr) => {{
        use cpu_vir::{Storage, small_float};
        use num_complex::Complex;
        use $crate::element::{Bf16, Bool, F16, I2, I4, Small, U2, U4};
        macro_rules! arm {
            ($T:ty) => {{
                type $E = $T;
                $body
            }};
        }
        match $storage {
            Storage::Bool => arm!(Bool),
            Storage::I2 => arm!(I2),
            Storage::I4 => arm!(I4),
            Storage::I8 => arm!(i8),
            Storage::I16 => arm!(i16),
            Storage::I32 => arm!(i32),
            Storage::I64 => arm!(i64),
            Storage::U2 => arm!(U2),
            Storage::U4 => arm!(U4),
            Storage::U8 => arm!(u8),
            Storage::U16 => arm!(u16),
            Storage::U32 => arm!(u32),
            Storage::U64 => arm!(u64),
            Storage::F4E2M1FN => arm!(Small<small_float::F4E2M1FN>),
            Storage::F6E2M3FN => arm!(Small<small_float::F6E2M3FN>),
            Storage::F6E3M2FN => arm!(Small<small_float::F6E3M2FN>),
            Storage::F8E3M4 => arm!(Small<small_float::F8E3M4>),
            Storage::F8E4M3 => arm!(Small<small_float::F8E4M3>),
            Storage::F8E4M3FN => arm!(Small<small_float::F8E4M3FN>),
            Storage::F8E4M3FNUZ => arm!(Small<small_float::F8E4M3FNUZ>),
            Storage::F8E4M3B11FNUZ => arm!(Small<small_float::F8E4M3B11FNUZ>),
            Storage::F8E5M2 => arm!(Small<small_float::F8E5M2>),
            Storage::F8E5M2FNUZ => arm!(Small<small_float::F8E5M2FNUZ>),
            Storage::F8E8M0FNU => arm!(Small<small_float::F8E8M0FNU>),
            Storage::BF16 => arm!(Bf16),
            Storage::F16 => arm!(F16),
            Storage::F32 => arm!(f32),
            Storage::F64 => arm!(f64),
            Storage::Complex64 => arm!(Complex<f32>),
            Storage::Complex128 => arm!(Complex<f64>),
        }
    }};
}

pub(crate) use with_element;

/// Something to do with a function of two stored elements; a loop of its own for each function of the hot types.
pub(crate) trait Visitor {
    type Output;
    fn visit<T: Pod + Send + Sync>(self, combine: impl Fn(T, T) -> T + Copy + Send + Sync) -> Self::Output;
}

/// Hands the visitor the function of a kind on elements of a storage; `None` when there is no such function.
pub(crate) fn visit<V: Visitor>(kind: ReduceKind, storage: Storage, visitor: V) -> Option<V::Output> {
    macro_rules! hot {
        ($T:ty) => {
            match kind {
                ReduceKind::Sum => return Some(visitor.visit(<$T as Number>::sum)),
                ReduceKind::Product => return Some(visitor.visit(<$T as Number>::product)),
                ReduceKind::Min => return Some(visitor.visit(<$T as Number>::least)),
                ReduceKind::Max => return Some(visitor.visit(<$T as Number>::greatest)),
                _ => {}
            }
        };
    }
    match storage {
        Storage::F32 => hot!(f32),
        Storage::F64 => hot!(f64),
        Storage::I32 => hot!(i32),
        Storage::I64 => hot!(i64),
        Storage::U32 => hot!(u32),
        _ => {}
    }
    with_element!(storage, E => {
        fn pointer<E: Element>(kind: ReduceKind) -> Option<fn(E::Raw, E::Raw) -> E::Raw> {
            Some(match kind {
                ReduceKind::Sum => |a, b| E::write(E::read(a).sum(E::read(b))),
                ReduceKind::Product => |a, b| E::write(E::read(a).product(E::read(b))),
                ReduceKind::Min => |a, b| E::write(E::read(a).least(E::read(b))),
                ReduceKind::Max => |a, b| E::write(E::read(a).greatest(E::read(b))),
                _ => {
                    E::Number::bits(kind)?;
                    match kind {
                        ReduceKind::And => |a, b| by_bits::<E>(ReduceKind::And, a, b),
                        ReduceKind::Or => |a, b| by_bits::<E>(ReduceKind::Or, a, b),
                        _ => |a, b| by_bits::<E>(ReduceKind::Xor, a, b),
                    }
                }
            })
        }
        Some(visitor.visit(pointer::<E>(kind)?))
    })
}

/// Fails when elements of the shape have no such function.
pub(crate) fn is_defined(op: &'static str, kind: ReduceKind, shape: &Shape) -> Result<(), KernelError> {
    struct Defined;
    impl Visitor for Defined {
        type Output = ();
        fn visit<T: Pod + Send + Sync>(self, _: impl Fn(T, T) -> T + Copy + Send + Sync) {}
    }
    let undefined = || KernelError::invalid(op, format!("{kind} is not defined for {shape}"));
    visit(kind, shape.storage, Defined).ok_or_else(undefined)
}

/// The bytes of the element that changes nothing when it is combined; the nearest there is in types without zero.
pub(crate) fn identity(kind: ReduceKind, storage: Storage) -> Vec<u8> {
    with_element!(storage, E => bytemuck::bytes_of(&identity_of::<E>(kind)).to_vec())
}

fn identity_of<E: Element>(kind: ReduceKind) -> E::Raw {
    let number = match kind {
        ReduceKind::Sum => E::Number::ZERO,
        ReduceKind::Product => E::Number::ONE,
        ReduceKind::Min => extreme::<E>(E::Number::HIGHEST, E::Number::LOWEST, E::Number::greatest),
        ReduceKind::Max => extreme::<E>(E::Number::LOWEST, E::Number::HIGHEST, E::Number::least),
        ReduceKind::And => {
            let mut ones = <E::Raw as bytemuck::Zeroable>::zeroed();
            bytemuck::bytes_of_mut(&mut ones).fill(0xff);
            E::read(ones)
        }
        ReduceKind::Or | ReduceKind::Xor => return <E::Raw as bytemuck::Zeroable>::zeroed(),
    };
    E::write(number)
}

/// The extreme of an element type, which may be nearer than that of what it is computed in.
#[allow(clippy::eq_op, reason = "what is not a number differs from itself")]
fn extreme<E: Element>(
    wide: E::Number,
    opposite: E::Number,
    combine: fn(E::Number, E::Number) -> E::Number,
) -> E::Number {
    if size_of::<E::Raw>() > 1 {
        return wide;
    }
    let codes = (0..=255u8).map(|code| E::read(bytemuck::pod_read_unaligned(&[code])));
    codes.filter(|number| number == number).fold(opposite, combine)
}

fn by_bits<E: Element>(kind: ReduceKind, a: E::Raw, b: E::Raw) -> E::Raw {
    let combine = E::Number::bits(kind).expect("asked for before");
    E::write(combine(E::read(a), E::read(b)))
}
