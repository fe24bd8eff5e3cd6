//! log and log1p: `k · ln 2 + log(m)` with m between √½ and √2, and `log(m)` in s = (m − 1) / (m + 1).

use super::{Bits, Real};

/// (log((1 + s) / (1 − s)) / s − 2) / z with z = s² up to 0.03, deviation 2^−22 before the factor z.
const LOG_F32: [f64; 3] = [0.6666668653488159, 0.39988550543785095, 0.29590317606925964];

/// The same to 2^−51.
const LOG_F64: [f64; 7] = [
    0.666666666666667,
    0.3999999999989322,
    0.28571428628810996,
    0.22222210674238516,
    0.18182922513515942,
    0.15330617306743305,
    0.1463003136412286,
];

/// ln 2 in two parts; products of the first with exponents are exact.
const LN2_F32: [f64; 2] = [0.693145751953125, 1.4285906217992306e-06];
pub(super) const LN2_F64: [f64; 2] = [0.6931471805601177, -1.7239444525610826e-13];

/// Bits of √½ rounded down a little.
const ROOT_HALF_F32: u64 = 0x3f35_04f3;
pub(super) const ROOT_HALF_F64: u64 = 0x3fe6_a09e_667f_3bcd;

/// k and m of a positive normal number `2^k · m`.
#[inline(always)]
pub(super) fn split<R: Real>(x: R, root_half: u64) -> (R, R) {
    let one = R::BIAS << R::MANTISSA;
    let shifted = x.bits().add(one - root_half);
    let m = R::from_bits(shifted.and((1 << R::MANTISSA) - 1).add(root_half));
    let k = R::from_bits(shifted.shr(R::MANTISSA).or(x.lit(R::MAGIC).bits())) - x.lit(R::MAGIC + R::BIAS as f64);
    (k, m)
}

/// `k · ln 2 + log(1 + f) + rest`.
#[inline(always)]
fn finish<R: Real, const N: usize>(k: R, f: R, rest: R, ln2: [f64; 2], coefficients: &[f64; N]) -> R {
    let s = f / (f + f.lit(2.0));
    let z = s * s;
    let square = f * f * f.lit(0.5);
    let series = z * z.polynomial(coefficients);
    let low = k.fma(f.lit(ln2[1]), rest);
    k.fma(f.lit(ln2[0]), f - (square - s.fma(square + series, low)))
}

/// The values outside of the positive finite numbers.
#[inline(always)]
fn edges<R: Real>(x: R, log: R) -> R {
    let log = R::select(x.lt(x.lit(f64::INFINITY)), log, x);
    let log = R::select(x.equals(x.lit(0.0)), x.lit(f64::NEG_INFINITY), log);
    R::select(x.lt(x.lit(0.0)), x.lit(f64::NAN), log)
}

#[inline(always)]
fn log<R: Real, const N: usize>(x: R, root_half: u64, least: f64, ln2: [f64; 2], coefficients: &[f64; N]) -> R {
    // A subnormal number is lifted into the range of normal ones.
    let tiny = x.lt(x.lit(least));
    let bits = f64::from(R::MANTISSA + 2);
    let lifted = R::select(tiny, x * x.lit(bits.exp2()), x);
    let (k, m) = split(lifted, root_half);
    let k = R::select(tiny, k - x.lit(bits), k);
    edges(x, finish(k, m - x.lit(1.0), x.lit(0.0), ln2, coefficients))
}

/// Natural logarithm in f32.
#[inline(always)]
pub(crate) fn log_f32<R: Real>(x: R) -> R {
    log(x, ROOT_HALF_F32, f64::from(f32::MIN_POSITIVE), LN2_F32, &LOG_F32)
}

/// Natural logarithm in f64.
#[inline(always)]
pub(crate) fn log_f64<R: Real>(x: R) -> R {
    log(x, ROOT_HALF_F64, f64::MIN_POSITIVE, LN2_F64, &LOG_F64)
}

#[inline(always)]
fn log1p<R: Real, const N: usize>(x: R, root_half: u64, ln2: [f64; 2], coefficients: &[f64; N]) -> R {
    let one = x.lit(1.0);
    let zero = x.lit(0.0);
    let u = one + x;
    let (k, m) = split(u, root_half);
    // What the sum lost, as a part of u.
    let lost = R::select(one.lt(x), one - (u - x), x - (u - one)) / u;
    let near = k.equals(zero);
    let f = R::select(near, x, m - one);
    let log = edges(u, finish(k, f, R::select(near, zero, lost), ln2, coefficients));
    R::select(x.equals(zero), x, log)
}

/// log(1 + x) in f32.
#[inline(always)]
pub(crate) fn log1p_f32<R: Real>(x: R) -> R {
    log1p(x, ROOT_HALF_F32, LN2_F32, &LOG_F32)
}

/// log(1 + x) in f64.
#[inline(always)]
pub(crate) fn log1p_f64<R: Real>(x: R) -> R {
    log1p(x, ROOT_HALF_F64, LN2_F64, &LOG_F64)
}
