//! The error function: a polynomial below 1, above it the complement, in f32 as the fourth power of a polynomial, in
//! f64 as `e^−x² · R`.

use super::Real;
use super::exponential::exp_within_f64;

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

/// The fourth root of erfc(x) in x − 1.75, x from 1 to 4; its fourth power deviates by 2^−26 of one.
const FAR_F32: [f64; 9] = [
    0.3397769629955292,
    -0.33634665608406067,
    0.0891791433095932,
    0.01984361931681633,
    -0.013348058797419071,
    0.00015829755284357816,
    0.0010457548778504133,
    -0.0001339979935437441,
    -2.2055999579606578e-05,
];

/// erfc(x) · e^x² in (x − 2) / (x + 2), x from 1 to 6, deviation 2^−68.
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

/// `x` where it is small, else what the complement is missing, with the sign of `x`.
#[inline(always)]
fn joined<R: Real, const N: usize>(x: R, near: &[f64; N], beyond: R) -> R {
    let below = x.fma((x * x).polynomial(near), x);
    R::select(x.abs().lt(x.lit(1.0)), below, beyond.with_sign_of(x))
}

/// The lesser of a magnitude and a limit; NaN passes.
#[inline(always)]
fn limited<R: Real>(size: R, limit: f64) -> R {
    R::select(size.lit(limit).lt(size), size.lit(limit), size)
}

/// Error function in f32.
#[inline(always)]
pub(crate) fn erf_f32<R: Real>(x: R) -> R {
    // From 4 on the complement is less than half of the last place.
    let size = limited(x.abs(), 4.0);
    let root = (size - x.lit(1.75)).polynomial(&FAR_F32);
    let square = root * root;
    joined(x, &NEAR_F32, (-square).fma(square, x.lit(1.0)))
}

/// Error function in f64.
#[inline(always)]
pub(crate) fn erf_f64<R: Real>(x: R) -> R {
    // Likewise from 6 on.
    let size = limited(x.abs(), 6.0);
    let t = (size - x.lit(2.0)) / (size + x.lit(2.0));
    let complement = exp_within_f64(-(size * size)) * t.polynomial(&FAR_F64);
    joined(x, &NEAR_F64, x.lit(1.0) - complement)
}
