//! exp, exp2 and expm1: `2^n · p(r)` with r within half of a period.

use super::Real;

/// (e^r − 1 − r) / r² on ±0.35, deviation 2^−29.
const EXP_F32: [f64; 6] =
    [0.5, 0.1666666716337204, 0.04166645556688309, 0.00833331048488617, 0.0013934541493654251, 0.00019891980628017336];

/// The same to 2^−59.
const EXP_F64: [f64; 11] = [
    0.5,
    0.1666666666666667,
    0.04166666666666667,
    0.008333333333325544,
    0.0013888888888883327,
    0.00019841269876864356,
    2.4801587327007187e-05,
    2.755725283351691e-06,
    2.75572718102198e-07,
    2.5106274733573296e-08,
    2.0915442297780116e-09,
];

/// (2^r − 1) / r on ±0.5, deviation 2^−32 before rounding to f32.
const EXP2_F32: [f64; 7] = [
    0.6931471824645996,
    0.24022650718688965,
    0.05550410971045494,
    0.009618054144084454,
    0.001333349966444075,
    0.0001546261046314612,
    1.5298221114790067e-05,
];

/// The same to 2^−62.
const EXP2_F64: [f64; 12] = [
    std::f64::consts::LN_2,
    0.24022650695910072,
    0.05550410866482163,
    0.00961812910762848,
    0.001333355814640465,
    0.00015403530393369832,
    1.5252733843864855e-05,
    1.3215486809848003e-06,
    1.0178055912546169e-07,
    7.054896722470352e-09,
    4.4560247551334643e-10,
    2.5730348009234352e-11,
];

/// ln 2 as the sum of two f32.
const LN2_F32: [f64; 2] = [0.6931471824645996, -1.9046542121259336e-09];
/// ln 2 as the sum of two f64.
const LN2_F64: [f64; 2] = [std::f64::consts::LN_2, 2.3190468138462996e-17];

/// Limits an argument; NaN passes.
#[inline(always)]
fn clamp<R: Real>(x: R, low: f64, high: f64) -> R {
    let x = R::select(x.lt(x.lit(low)), x.lit(low), x);
    R::select(x.lit(high).lt(x), x.lit(high), x)
}

/// n and r with `x = n · ln 2 + r`.
#[inline(always)]
fn split<R: Real>(x: R, ln2: [f64; 2]) -> (R, R) {
    let n = (x * x.lit(std::f64::consts::LOG2_E)).nearest();
    // The first product is a multiple of the last place of both, so that its difference is exact.
    let r = (-n).fma(x.lit(ln2[0]), x);
    (n, (-n).fma(x.lit(ln2[1]), r))
}

/// e^r − 1.
#[inline(always)]
fn small_expm1<R: Real, const N: usize>(r: R, coefficients: &[f64; N]) -> R {
    r.polynomial(coefficients).fma(r * r, r)
}

#[inline(always)]
fn exp<R: Real, const N: usize>(x: R, low: f64, high: f64, ln2: [f64; 2], coefficients: &[f64; N]) -> R {
    let (n, r) = split(clamp(x, low, high), ln2);
    (x.lit(1.0) + small_expm1(r, coefficients)).scale(n)
}

/// e^x where neither it nor 2^n is beyond the normal numbers.
#[inline(always)]
fn exp_within<R: Real, const N: usize>(x: R, ln2: [f64; 2], coefficients: &[f64; N]) -> R {
    let (n, r) = split(x, ln2);
    (x.lit(1.0) + small_expm1(r, coefficients)) * n.power_of_two()
}

/// e^x in f32, |x| up to 80.
#[inline(always)]
pub(super) fn exp_within_f32<R: Real>(x: R) -> R {
    exp_within(x, LN2_F32, &EXP_F32)
}

/// e^x in f64, |x| up to 700.
#[inline(always)]
pub(super) fn exp_within_f64<R: Real>(x: R) -> R {
    exp_within(x, LN2_F64, &EXP_F64)
}

/// e^x in f32.
#[inline(always)]
pub(crate) fn exp_f32<R: Real>(x: R) -> R {
    exp(x, -104.0, 89.0, LN2_F32, &EXP_F32)
}

/// e^x in f64.
#[inline(always)]
pub(crate) fn exp_f64<R: Real>(x: R) -> R {
    exp(x, -746.0, 710.0, LN2_F64, &EXP_F64)
}

/// e^(high + low) in f64, where `low` is below the last place of `high` and |high| below 800.
#[inline(always)]
pub(super) fn exp_of_sum_f64<R: Real>(high: R, low: R) -> R {
    let (n, r) = split(high, LN2_F64);
    (high.lit(1.0) + small_expm1(r + low, &EXP_F64)).scale(n)
}

#[inline(always)]
fn exp2<R: Real, const N: usize>(x: R, low: f64, high: f64, coefficients: &[f64; N]) -> R {
    let x = clamp(x, low, high);
    let n = x.nearest();
    let r = x - n;
    r.polynomial(coefficients).fma(r, x.lit(1.0)).scale(n)
}

/// 2^x in f32.
#[inline(always)]
pub(crate) fn exp2_f32<R: Real>(x: R) -> R {
    exp2(x, -151.0, 129.0, &EXP2_F32)
}

/// 2^x in f64.
#[inline(always)]
pub(crate) fn exp2_f64<R: Real>(x: R) -> R {
    exp2(x, -1076.0, 1025.0, &EXP2_F64)
}

#[inline(always)]
fn expm1<R: Real, const N: usize>(x: R, low: f64, high: f64, ln2: [f64; 2], coefficients: &[f64; N]) -> R {
    let (n, r) = split(clamp(x, low, high), ln2);
    // Half of the result, since 2^n itself may be beyond the range: 2^(n−1) · (e^r − 1) + (2^(n−1) − ½).
    let scale = (n - x.lit(1.0)).power_of_two();
    let small = small_expm1(r, coefficients);
    let half = scale.fma(small, scale - x.lit(0.5));
    // Halves of the least numbers would be lost.
    let result = R::select(n.equals(x.lit(0.0)), small, half + half);
    R::select(x.equals(x.lit(0.0)), x, result)
}

/// e^x − 1 in f32.
#[inline(always)]
pub(crate) fn expm1_f32<R: Real>(x: R) -> R {
    expm1(x, -20.0, 89.0, LN2_F32, &EXP_F32)
}

/// e^x − 1 in f64.
#[inline(always)]
pub(crate) fn expm1_f64<R: Real>(x: R) -> R {
    expm1(x, -40.0, 710.0, LN2_F64, &EXP_F64)
}
