//! Element-wise operations of one operand.

use super::map::map;
use crate::ElementType;
use crate::eval::error::OpError;
use crate::eval::number::{Bool, Complex, ComplexElement, Float, Integer, with_complex, with_float, with_integer};
use crate::eval::tensor::Tensor;

/// Which operation [`unary`] performs; names are those of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Magnitude; of a complex number a real one.
    Abs,
    /// Cube root.
    Cbrt,
    /// Rounding up.
    Ceil,
    /// Cosine.
    Cosine,
    /// Leading zero bits.
    CountLeadingZeros,
    /// e to the power.
    Exponential,
    /// e to the power, less one.
    ExponentialMinusOne,
    /// Rounding down.
    Floor,
    /// Imaginary part.
    Imag,
    /// Neither infinite nor NaN.
    IsFinite,
    /// Natural logarithm.
    Log,
    /// Natural logarithm of one plus the operand.
    LogPlusOne,
    /// 1 / (1 + e^−x).
    Logistic,
    /// Change of sign.
    Negate,
    /// Complement of bits, or of truth.
    Not,
    /// One bits.
    Popcnt,
    /// Real part.
    Real,
    /// Rounding to the nearest integer, halves away from zero.
    RoundNearestAfz,
    /// Rounding to the nearest integer, halves to even.
    RoundNearestEven,
    /// Reciprocal of the square root.
    Rsqrt,
    /// −1, 0 or 1; zeros and NaN stay.
    Sign,
    /// Sine.
    Sine,
    /// Square root.
    Sqrt,
    /// Tangent.
    Tan,
    /// Hyperbolic tangent.
    Tanh,
}

/// Applies the operation to every element. Fails when it is not defined for the element type.
pub fn unary(op: UnaryOp, x: &Tensor) -> Result<Tensor, OpError> {
    let ty = x.element_type();
    let undefined = || OpError::element_type(&format!("{op:?}"), ty);
    if ty == ElementType::Bool {
        return match op {
            UnaryOp::Not => Ok(map(x, |v: Bool| Bool::new(!v.get()))),
            _ => Err(undefined()),
        };
    }
    with_integer!(ty, T => return integer::<T>(op, x).ok_or_else(undefined), _ => ());
    with_float!(ty, T => return float::<T>(op, x).ok_or_else(undefined), _ => ());
    with_complex!(ty, T => complex::<T>(op, x).ok_or_else(undefined), _ => Err(undefined()))
}

fn integer<T: Integer>(op: UnaryOp, x: &Tensor) -> Option<Tensor> {
    Some(match op {
        UnaryOp::Abs => map(x, T::abs),
        UnaryOp::CountLeadingZeros => map(x, T::count_leading_zeros),
        UnaryOp::Negate => map(x, T::neg),
        UnaryOp::Not => map(x, T::not),
        UnaryOp::Popcnt => map(x, T::popcnt),
        UnaryOp::Sign => map(x, T::sign),
        _ => return None,
    })
}

fn float<T: Float>(op: UnaryOp, x: &Tensor) -> Option<Tensor> {
    let through = |f: fn(f64) -> f64| map(x, |v: T| T::from_f64(f(v.to_f64())));
    Some(match op {
        UnaryOp::Abs => through(f64::abs),
        UnaryOp::Cbrt => through(f64::cbrt),
        UnaryOp::Ceil => through(f64::ceil),
        UnaryOp::Cosine => through(f64::cos),
        UnaryOp::Exponential => through(f64::exp),
        UnaryOp::ExponentialMinusOne => through(f64::exp_m1),
        UnaryOp::Floor => through(f64::floor),
        UnaryOp::Imag => through(|_| 0.0),
        UnaryOp::IsFinite => map(x, |v: T| Bool::new(v.to_f64().is_finite())),
        UnaryOp::Log => through(f64::ln),
        UnaryOp::LogPlusOne => through(f64::ln_1p),
        UnaryOp::Logistic => through(|v| 1.0 / (1.0 + (-v).exp())),
        UnaryOp::Negate => map(x, |v: T| T::from_f64(-v.to_f64())),
        UnaryOp::Real => x.clone(),
        UnaryOp::RoundNearestAfz => through(f64::round),
        UnaryOp::RoundNearestEven => through(f64::round_ties_even),
        UnaryOp::Rsqrt => through(|v| 1.0 / v.sqrt()),
        UnaryOp::Sign => through(|v| if v == 0.0 || v.is_nan() { v } else { v.signum() }),
        UnaryOp::Sine => through(f64::sin),
        UnaryOp::Sqrt => map(x, |v: T| T::from_f64(v.to_f64().sqrt())),
        UnaryOp::Tan => through(f64::tan),
        UnaryOp::Tanh => through(f64::tanh),
        UnaryOp::CountLeadingZeros | UnaryOp::Not | UnaryOp::Popcnt => return None,
    })
}

fn complex<T: ComplexElement>(op: UnaryOp, x: &Tensor) -> Option<Tensor> {
    let through = |f: fn(Complex) -> Complex| map(x, |v: T| T::from_complex(f(v.to_complex())));
    let to_part = |f: fn(Complex) -> f64| map(x, |v: T| T::Part::from_f64(f(v.to_complex())));
    Some(match op {
        UnaryOp::Abs => to_part(Complex::abs),
        UnaryOp::Cbrt => through(Complex::cbrt),
        UnaryOp::Cosine => through(Complex::cos),
        UnaryOp::Exponential => through(Complex::exp),
        UnaryOp::ExponentialMinusOne => through(Complex::exp_m1),
        UnaryOp::Imag => to_part(|z| z.im),
        UnaryOp::IsFinite => map(x, |v: T| Bool::new(v.to_complex().is_finite())),
        UnaryOp::Log => through(Complex::ln),
        UnaryOp::LogPlusOne => through(Complex::ln_1p),
        UnaryOp::Logistic => through(Complex::logistic),
        UnaryOp::Negate => through(|z| -z),
        UnaryOp::Real => to_part(|z| z.re),
        UnaryOp::Rsqrt => through(Complex::rsqrt),
        UnaryOp::Sign => through(Complex::sign),
        UnaryOp::Sine => through(Complex::sin),
        UnaryOp::Sqrt => through(Complex::sqrt),
        UnaryOp::Tan => through(Complex::tan),
        UnaryOp::Tanh => through(Complex::tanh),
        UnaryOp::Ceil
        | UnaryOp::CountLeadingZeros
        | UnaryOp::Floor
        | UnaryOp::Not
        | UnaryOp::Popcnt
        | UnaryOp::RoundNearestAfz
        | UnaryOp::RoundNearestEven => return None,
    })
}
