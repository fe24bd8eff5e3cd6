//! The error function: a polynomial below 1, the complement `e^−x² · R` above.

use super::{Real, exp_f32, exp_f64};

/// erf(x) / x − 1 in x² up to 1, deviation 2^−34.
const NEAR_F32: [f64; 8] = [
    0.12837916612625122,
    -0.37612637877464294,
    0.11283782124519348,
    -0.026865430176258087,
    0.005221031606197357,
    -0.0008484080317430198,
    0.00011265958892181516,
    -9.667044650996104e-06,
];

/// The same to 2^−68.
const NEAR_F64: [f64; 14] = [
    0.1283791670955126,
    -0.37612638903183754,
    0.1128379167095512,
    -0.02686617064512984,
    0.0052239776254232985,
    -0.000854832702193483,
    0.00012055332902888736,
    -1.4925647567519332e-05,
    1.6462045441468418e-06,
    -1.6364642158167616e-07,
    1.4792401209404813e-08,
    -1.216456005728345e-09,
    8.709045129053106e-11,
    -4.230945824295338e-12,
];

/// erfc(x) · e^x² in (x − 2) / (x + 2), x from 1 to 6, deviation 2^−31.
const FAR_F32: [f64; 9] = [
    0.25539568066596985,
    -0.4271858334541321,
    0.24165813624858856,
    -0.07897865772247314,
    0.0037352554500102997,
    0.006997470743954182,
    -0.0008781811920925975,
    -0.0009579565958119929,
    0.0001776152930688113,
];

/// The same to 2^−68.
const FAR_F64: [f64; 20] = [
    0.25539567631050575,
    -0.4271858474139584,
    0.24165819424246635,
    -0.07897858101573312,
    0.0037328924043450165,
    0.006997461739294057,
    -0.0008471432520133931,
    -0.0009819770302602721,
    4.355563777487973e-05,
    0.000174361235301249,
    2.7524819609205997e-05,
    -2.758046502798232e-05,
    -1.3960863250756434e-05,
    1.393439667993715e-06,
    3.7443735332653078e-06,
    1.1995052231035317e-06,
    -3.9035732044924444e-07,
    -5.494144104124559e-07,
    -1.632065834667942e-07,
    1.892763506249027e-07,
];

#[inline(always)]
fn erf<R: Real, const N: usize, const F: usize>(x: R, exp: impl Fn(R) -> R, near: &[f64; N], far: &[f64; F]) -> R {
    let size = x.abs();
    let square = x * x;
    let below = x.fma(square.polynomial(near), x);
    // From 6 on the complement is less than half of the last place.
    let size_limited = R::select(x.lit(6.0).lt(size), x.lit(6.0), size);
    let t = (size_limited - x.lit(2.0)) / (size_limited + x.lit(2.0));
    let complement = exp(-(size_limited * size_limited)) * t.polynomial(far);
    R::select(size.lt(x.lit(1.0)), below, (x.lit(1.0) - complement).with_sign_of(x))
}

/// Error function in f32.
#[inline(always)]
pub(crate) fn erf_f32<R: Real>(x: R) -> R {
    erf(x, exp_f32, &NEAR_F32, &FAR_F32)
}

/// Error function in f64.
#[inline(always)]
pub(crate) fn erf_f64<R: Real>(x: R) -> R {
    erf(x, exp_f64, &NEAR_F64, &FAR_F64)
}
