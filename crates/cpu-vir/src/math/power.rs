//! x^y: `e^(y · log |x|)` with a logarithm of twice the precision, and the many edges of C's `pow`.

use super::exponential::exp_of_sum_f64;
use super::logarithm::{LN2_F64, ROOT_HALF_F64, split};
use super::{Bits, Real, exp_f64, log_f64};

/// ((log((1 + s) / (1 − s)) / s − 2) / z − 2/3) / z with z = s², deviation 2^−58.
const SERIES: [f64; 8] = [
    0.4,
    0.28571428571429425,
    0.2222222222162076,
    0.18181818343316125,
    0.1538459412012637,
    0.13334850282547114,
    0.11705021567538627,
    0.11735818855512968,
];

/// 2/3 as the sum of two f64.
const TWO_THIRDS: [f64; 2] = [0.6666666666666666, 3.700743415417188e-17];

/// log(x) of a positive finite x in f64, as the sum of two numbers good to about 2^−64.
#[inline(always)]
fn log_in_two_parts<R: Real>(x: R) -> (R, R) {
    let one = x.lit(1.0);
    let tiny = x.lt(x.lit(f64::MIN_POSITIVE));
    let lifted = R::select(tiny, x * x.lit(54f64.exp2()), x);
    let (k, m) = split(lifted, ROOT_HALF_F64);
    let k = R::select(tiny, k - x.lit(54.0), k);

    // s = (m − 1) / (m + 1)
    let f = m - one;
    let d = m + one;
    let back = d - one;
    let d_low = (one - (d - back)) + (m - back);
    let s = f / d;
    let s_low = (-s).fma(d_low, (-s).fma(d, f)) / d;
    // z = s²
    let z = s * s;
    let z_low = s.fma(s, -z) + (s + s) * s_low;
    // p = 2/3 + z · …
    let q = z * z.polynomial(&SERIES);
    let p = x.lit(TWO_THIRDS[0]) + q;
    let p_low = ((x.lit(TWO_THIRDS[0]) - p) + q) + x.lit(TWO_THIRDS[1]);
    // t = z · p, u = s · t
    let t = z * p;
    let t_low = z.fma(p, -t) + z.fma(p_low, z_low * p);
    let u = s * t;
    let u_low = s.fma(t, -u) + s.fma(t_low, s_low * t);
    // log m = 2 s + u
    let log = (s + s) + u;
    let log_low = (((s + s) - log) + u) + (u_low + (s_low + s_low));
    // The product is exact.
    let shift = k * x.lit(LN2_F64[0]);
    let high = shift + log;
    let low = ((shift - high) + log) + k.fma(x.lit(LN2_F64[1]), log_low);
    (high, low)
}

/// Puts sign and edges to the power of the magnitude.
#[inline(always)]
fn finish<R: Real>(x: R, y: R, power: R) -> R {
    let (zero, one, infinity) = (x.lit(0.0), x.lit(1.0), x.lit(f64::INFINITY));
    let (size, exponent) = (x.abs(), y.abs());
    let pick = |mask: R::Mask, yes: f64, no: f64| R::select(mask, x.lit(yes), x.lit(no));
    let rising = zero.lt(y);

    let power = R::select(size.equals(zero), pick(rising, 0.0, f64::INFINITY), power);
    let power = R::select(size.equals(infinity), pick(rising, f64::INFINITY, 0.0), power);
    let above = one.lt(size);
    let grows = (above & rising) | (!above & !rising);
    let limit = R::select(size.equals(one), one, pick(grows, f64::INFINITY, 0.0));
    let power = R::select(exponent.equals(infinity), limit, power);

    let finite = exponent.lt(infinity);
    let whole = y.trunc().equals(y) & finite;
    let half = y * x.lit(0.5);
    let odd = whole & !half.trunc().equals(half);
    let negative = R::test(x.bits(), 1 << (R::Bits::WIDTH - 1));
    let power = R::select(negative & odd, -power, power);
    // A root of a negative number.
    let imaginary = x.lt(zero) & size.lt(infinity) & !whole & finite;
    let power = R::select(imaginary, x.lit(f64::NAN), power);

    let power = R::select(x.is_nan() | y.is_nan(), x + y, power);
    R::select(y.equals(zero) | x.equals(one), one, power)
}

/// x^y in f32, by way of f64.
#[inline(always)]
pub(crate) fn pow_f32<R: Real>(x: R, y: R) -> R {
    let log = log_f64(x.abs().widen());
    finish(x, y, R::narrow(exp_f64(y.widen() * log)))
}

/// x^y in f64.
#[inline(always)]
pub(crate) fn pow_f64<R: Real>(x: R, y: R) -> R {
    let (log, log_low) = log_in_two_parts(x.abs());
    let product = y * log;
    let product_low = y.fma(log, -product) + y * log_low;
    // Beyond the range of results, where the low part may be NaN.
    let beyond = x.lit(800.0).lt(product.abs());
    let high = R::select(beyond, x.lit(800.0).with_sign_of(product), product);
    let low = R::select(beyond, x.lit(0.0), product_low);
    finish(x, y, exp_of_sum_f64(high, low))
}
