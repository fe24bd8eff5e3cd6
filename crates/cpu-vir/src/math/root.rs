//! Cube roots and reciprocal square roots.

use super::{Bits, Real};

/// The cube root of numbers from 1 to 2, deviation 2^−16.
const CBRT: [f64; 5] =
    [0.5092481335492415, 0.7117423866025924, -0.2939541180848237, 0.08307903547963541, -0.010102212336338642];

/// Cube roots of 2 and 4.
const ROOTS: [f64; 2] = [1.2599210498948732, 1.5874010519681996];

/// 1 / √x.
#[inline(always)]
pub(crate) fn rsqrt<R: Real>(x: R) -> R {
    x.lit(1.0) / x.sqrt()
}

/// The cube root of a finite number in f64; each step of Newton's doubles the bits of the first estimate.
#[inline(always)]
fn finite<R: Real>(x: R, steps: usize) -> R {
    let size = x.abs();
    let tiny = size.lt(x.lit(f64::MIN_POSITIVE));
    let size = R::select(tiny, size * x.lit(54f64.exp2()), size);
    let fraction = (1 << R::MANTISSA) - 1;
    let m = R::from_bits(size.bits().and(fraction).or(x.lit(1.0).bits()));
    let e = R::from_bits(size.bits().shr(R::MANTISSA).or(x.lit(R::MAGIC).bits())) - x.lit(R::MAGIC + R::BIAS as f64);
    // e = 3 · third + rest, with rest of 0, 1 or 2.
    let third = ((e - x.lit(1.0)) * x.lit(1.0 / 3.0)).nearest();
    let rest = e - third * x.lit(3.0);
    let (one, two) = (x.lit(0.5).lt(rest), x.lit(1.5).lt(rest));
    let pick =
        |zero: f64, first: f64, second: f64| R::select(two, x.lit(second), R::select(one, x.lit(first), x.lit(zero)));
    let a = m * pick(1.0, 2.0, 4.0);
    let mut root = m.polynomial(&CBRT) * pick(1.0, ROOTS[0], ROOTS[1]);
    for _ in 0..steps {
        let square = root * root;
        root = root - square.fma(root, -a) / (square * x.lit(3.0));
    }
    let third = R::select(tiny, third - x.lit(18.0), third);
    (root * third.power_of_two()).with_sign_of(x)
}

/// Cube root in f32, by way of f64.
#[inline(always)]
pub(crate) fn cbrt_f32<R: Real>(x: R) -> R {
    let wide = x.widen();
    R::narrow(keep_edges(wide, finite(wide, 1)))
}

/// Cube root in f64.
#[inline(always)]
pub(crate) fn cbrt_f64<R: Real>(x: R) -> R {
    keep_edges(x, finite(x, 2))
}

/// Zeros, infinities and NaN are their own roots.
#[inline(always)]
fn keep_edges<R: Real>(x: R, root: R) -> R {
    let ordinary = x.abs().lt(x.lit(f64::INFINITY)) & !x.equals(x.lit(0.0));
    R::select(ordinary, root, x)
}
