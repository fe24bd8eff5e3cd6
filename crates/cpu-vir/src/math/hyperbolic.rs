//! tanh and the logistic function.

use super::exponential::{exp_within_f32, exp_within_f64};
use super::{Real, exp_f32, exp_f64};

/// (tanh(x) / x − 1) / x² in x² up to 0.391, deviation 2^−29.
const TANH_F32: [f64; 6] = [
    -0.3333333432674408,
    0.1333330273628235,
    -0.05395922809839249,
    0.021768666803836823,
    -0.00834311917424202,
    0.0022918095346540213,
];

/// The same to 2^−67.
const TANH_F64: [f64; 14] = [
    -0.3333333333333333,
    0.13333333333333333,
    -0.05396825396825307,
    0.021869488536095903,
    -0.008863235527864902,
    0.0035921279945547546,
    -0.0014558338241150836,
    0.0005900223031457671,
    -0.00023909626817792312,
    9.67663063721077e-05,
    -3.8797593516013254e-05,
    1.4830590818501296e-05,
    -4.768699504285272e-06,
    9.162820874885124e-07,
];

/// `limit`: from where on the result is ±1.
#[inline(always)]
fn tanh<R: Real, const N: usize>(x: R, limit: f64, exp: impl Fn(R) -> R, coefficients: &[f64; N]) -> R {
    let size = x.abs();
    let square = x * x;
    let near = (x * square).fma(square.polynomial(coefficients), x);
    let size_limited = R::select(x.lit(limit).lt(size), x.lit(limit), size);
    let far = x.lit(1.0) - x.lit(2.0) / (exp(size_limited + size_limited) + x.lit(1.0));
    R::select(size.lt(x.lit(0.625)), near, far).with_sign_of(x)
}

/// Hyperbolic tangent in f32.
#[inline(always)]
pub(crate) fn tanh_f32<R: Real>(x: R) -> R {
    tanh(x, 10.0, exp_within_f32, &TANH_F32)
}

/// Hyperbolic tangent in f64.
#[inline(always)]
pub(crate) fn tanh_f64<R: Real>(x: R) -> R {
    tanh(x, 22.0, exp_within_f64, &TANH_F64)
}

#[inline(always)]
fn logistic<R: Real>(x: R, exp: impl Fn(R) -> R) -> R {
    let one = x.lit(1.0);
    let negative = x.lt(x.lit(0.0));
    let e = exp(-x.abs());
    let numerator = R::select(negative, e, one);
    let divisor = one + e;
    let quotient = numerator / divisor;
    // What the sum and the division lost, times 1 / divisor.
    let lost = e - (divisor - one);
    let rest = (-quotient).fma(lost, (-quotient).fma(divisor, numerator));
    rest.fma(R::select(negative, one - quotient, quotient), quotient)
}

/// 1 / (1 + e^−x) in f32.
#[inline(always)]
pub(crate) fn logistic_f32<R: Real>(x: R) -> R {
    logistic(x, exp_f32)
}

/// 1 / (1 + e^−x) in f64.
#[inline(always)]
pub(crate) fn logistic_f64<R: Real>(x: R) -> R {
    logistic(x, exp_f64)
}
