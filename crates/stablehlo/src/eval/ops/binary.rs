//! Element-wise operations of two operands of one type.

use super::map::{map2, same_type};
use crate::ElementType;
use crate::eval::error::OpError;
use crate::eval::number::{
    Bool, Complex, ComplexElement, Element, Float, Integer, with_complex, with_float, with_integer,
};
use crate::eval::tensor::Tensor;

/// Which operation [`binary`] performs; names are those of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Sum; of booleans "or".
    Add,
    /// Conjunction.
    And,
    /// Angle of the point (rhs, lhs).
    Atan2,
    /// Quotient; of integers towards zero.
    Divide,
    /// Larger; NaN wins, +0 is above −0; of booleans "or".
    Maximum,
    /// Smaller; NaN wins, −0 is below +0; of booleans "and".
    Minimum,
    /// Product; of booleans "and".
    Multiply,
    /// Disjunction.
    Or,
    /// lhs to the power rhs.
    Power,
    /// Remainder with the sign of lhs.
    Remainder,
    /// Shift left.
    ShiftLeft,
    /// Shift right with sign fill.
    ShiftRightArithmetic,
    /// Shift right with zero fill.
    ShiftRightLogical,
    /// Difference.
    Subtract,
    /// Exclusive disjunction.
    Xor,
}

impl BinaryOp {
    /// Whether exchanging the operands changes nothing (but the payload of a NaN).
    pub fn is_commutative(self) -> bool {
        use BinaryOp::{Add, And, Maximum, Minimum, Multiply, Or, Xor};
        matches!(self, Add | And | Maximum | Minimum | Multiply | Or | Xor)
    }
}

/// Something to do with a function of two elements: apply it to all pairs, fold with it, and so on.
///
/// It lets every user of a binary operation have a loop of its own, compiled for each element type and operation.
pub trait PairVisitor {
    /// What the visit gives.
    type Output;
    /// Receives the function.
    fn visit<T: Element>(self, f: impl Fn(T, T) -> T) -> Self::Output;
}

/// Hands the visitor the function of the operation on elements of the type. Fails when it is not defined for it.
pub fn visit_pair<V: PairVisitor>(op: BinaryOp, ty: ElementType, visitor: V) -> Result<V::Output, OpError> {
    let undefined = || OpError::element_type(&format!("{op:?}"), ty);
    match ty {
        ElementType::Bool => return boolean(op, visitor).ok_or_else(undefined),
        ElementType::I32 => return fast_integer::<i32, V>(op, visitor).ok_or_else(undefined),
        ElementType::U32 => return fast_integer::<u32, V>(op, visitor).ok_or_else(undefined),
        ElementType::I64 => return fast_integer::<i64, V>(op, visitor).ok_or_else(undefined),
        ElementType::F32 => return fast_float::<f32, V>(op, visitor).ok_or_else(undefined),
        ElementType::F64 => return fast_float::<f64, V>(op, visitor).ok_or_else(undefined),
        _ => (),
    }
    with_integer!(ty, T => return integer::<T, V>(op, visitor).ok_or_else(undefined), _ => ());
    with_float!(ty, T => return float::<T, V>(op, visitor).ok_or_else(undefined), _ => ());
    with_complex!(ty, T => complex::<T, V>(op, visitor).ok_or_else(undefined), _ => Err(undefined()))
}

/// Applies the operation to every pair of elements. Fails when the types differ or it is not defined for them.
pub fn binary(op: BinaryOp, lhs: &Tensor, rhs: &Tensor) -> Result<Tensor, OpError> {
    struct Apply<'a>(&'a Tensor, &'a Tensor);
    impl PairVisitor for Apply<'_> {
        type Output = Tensor;
        fn visit<T: Element>(self, f: impl Fn(T, T) -> T) -> Tensor {
            map2(self.0, self.1, f)
        }
    }
    same_type(lhs, rhs)?;
    visit_pair(op, lhs.element_type(), Apply(lhs, rhs))
}

fn boolean<V: PairVisitor>(op: BinaryOp, visitor: V) -> Option<V::Output> {
    Some(match op {
        BinaryOp::Add | BinaryOp::Maximum | BinaryOp::Or => visitor.visit(|a: Bool, b| Bool::new(a.get() | b.get())),
        BinaryOp::And | BinaryOp::Minimum | BinaryOp::Multiply => {
            visitor.visit(|a: Bool, b| Bool::new(a.get() & b.get()))
        }
        BinaryOp::Xor => visitor.visit(|a: Bool, b| Bool::new(a.get() ^ b.get())),
        _ => return None,
    })
}

/// The functions of integers; `$give` makes a result of each.
macro_rules! integer_functions {
    ($op:expr, $T:ty, $give:ident) => {
        Some(match $op {
            BinaryOp::Add => $give!(<$T>::add),
            BinaryOp::And => $give!(<$T>::and),
            BinaryOp::Divide => $give!(<$T>::div),
            BinaryOp::Maximum => $give!(|a: $T, b: $T| std::cmp::max(a, b)),
            BinaryOp::Minimum => $give!(|a: $T, b: $T| std::cmp::min(a, b)),
            BinaryOp::Multiply => $give!(<$T>::mul),
            BinaryOp::Or => $give!(<$T>::or),
            BinaryOp::Power => $give!(<$T>::pow),
            BinaryOp::Remainder => $give!(<$T>::rem),
            BinaryOp::ShiftLeft => $give!(<$T>::shl),
            BinaryOp::ShiftRightArithmetic => $give!(<$T>::shr_arithmetic),
            BinaryOp::ShiftRightLogical => $give!(<$T>::shr_logical),
            BinaryOp::Subtract => $give!(<$T>::sub),
            BinaryOp::Xor => $give!(<$T>::xor),
            BinaryOp::Atan2 => return None,
        })
    };
}

/// The functions of floats; `$give` makes a result of each.
macro_rules! float_functions {
    ($op:expr, $T:ty, $give:ident) => {
        Some(match $op {
            BinaryOp::Add => $give!(|a: $T, b: $T| <$T>::from_f64(a.to_f64() + b.to_f64())),
            BinaryOp::Atan2 => $give!(|a: $T, b: $T| <$T>::from_f64(a.to_f64().atan2(b.to_f64()))),
            BinaryOp::Divide => $give!(|a: $T, b: $T| <$T>::from_f64(a.to_f64() / b.to_f64())),
            BinaryOp::Maximum => $give!(|a: $T, b: $T| <$T>::from_f64(maximum(a.to_f64(), b.to_f64()))),
            BinaryOp::Minimum => $give!(|a: $T, b: $T| <$T>::from_f64(minimum(a.to_f64(), b.to_f64()))),
            BinaryOp::Multiply => $give!(|a: $T, b: $T| <$T>::from_f64(a.to_f64() * b.to_f64())),
            BinaryOp::Power => $give!(|a: $T, b: $T| <$T>::from_f64(a.to_f64().powf(b.to_f64()))),
            BinaryOp::Remainder => $give!(|a: $T, b: $T| <$T>::from_f64(a.to_f64() % b.to_f64())),
            BinaryOp::Subtract => $give!(|a: $T, b: $T| <$T>::from_f64(a.to_f64() - b.to_f64())),
            _ => return None,
        })
    };
}

/// One loop for all operations, through a pointer: for types that need not be fast, to keep the code small.
fn integer<T: Integer, V: PairVisitor>(op: BinaryOp, visitor: V) -> Option<V::Output> {
    fn pointer<T: Integer>(op: BinaryOp) -> Option<fn(T, T) -> T> {
        macro_rules! give {
            ($f:expr) => {
                $f as fn(T, T) -> T
            };
        }
        integer_functions!(op, T, give)
    }
    Some(visitor.visit(pointer::<T>(op)?))
}

/// As [`integer`], for floats.
fn float<T: Float, V: PairVisitor>(op: BinaryOp, visitor: V) -> Option<V::Output> {
    fn pointer<T: Float>(op: BinaryOp) -> Option<fn(T, T) -> T> {
        macro_rules! give {
            ($f:expr) => {
                $f as fn(T, T) -> T
            };
        }
        float_functions!(op, T, give)
    }
    Some(visitor.visit(pointer::<T>(op)?))
}

/// A loop for each operation.
fn fast_integer<T: Integer, V: PairVisitor>(op: BinaryOp, visitor: V) -> Option<V::Output> {
    macro_rules! give {
        ($f:expr) => {
            visitor.visit($f)
        };
    }
    integer_functions!(op, T, give)
}

/// A loop for each operation.
fn fast_float<T: Float, V: PairVisitor>(op: BinaryOp, visitor: V) -> Option<V::Output> {
    macro_rules! give {
        ($f:expr) => {
            visitor.visit($f)
        };
    }
    float_functions!(op, T, give)
}

fn complex<T: ComplexElement, V: PairVisitor>(op: BinaryOp, visitor: V) -> Option<V::Output> {
    let f: fn(Complex, Complex) -> Complex = match op {
        BinaryOp::Add => |a, b| a + b,
        BinaryOp::Atan2 => atan2,
        BinaryOp::Divide => |a, b| a / b,
        BinaryOp::Maximum => |a, b| if lexicographically_less(a, b) { b } else { a },
        BinaryOp::Minimum => |a, b| if lexicographically_less(b, a) { b } else { a },
        BinaryOp::Multiply => |a, b| a * b,
        BinaryOp::Power => Complex::pow,
        BinaryOp::Subtract => |a, b| a - b,
        _ => return None,
    };
    Some(visitor.visit(move |a: T, b: T| T::from_complex(f(a.to_complex(), b.to_complex()))))
}

/// IEEE 754-2019 maximum: NaN if either is, and +0 above −0.
pub(super) fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || (a > b) || (a == b && b.is_sign_negative()) { a } else { b }
}

/// IEEE 754-2019 minimum: NaN if either is, and −0 below +0.
pub(super) fn minimum(a: f64, b: f64) -> f64 {
    if a.is_nan() || (a < b) || (a == b && a.is_sign_negative()) { a } else { b }
}

/// The order of complex numbers in the specification: real parts first, then imaginary parts.
pub(super) fn lexicographically_less(a: Complex, b: Complex) -> bool {
    a.re < b.re || (a.re == b.re && a.im < b.im)
}

/// −i ln((x + iy) / √(x² + y²)).
fn atan2(y: Complex, x: Complex) -> Complex {
    let i = Complex::new(0.0, 1.0);
    -(i * ((x + i * y) / (x * x + y * y).sqrt()).ln())
}
