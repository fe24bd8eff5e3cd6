//! The angle of a point.

use super::{Bits, Real};

/// (atan(t) / t − 1) / t² in t² up to 1, deviation 2^−28.
const ATAN_F32: [f64; 10] = [
    -0.3333333432674408,
    0.19999949634075165,
    -0.14284004271030426,
    0.11088261753320694,
    -0.08931826800107956,
    0.07031914591789246,
    -0.04896051436662674,
    0.026305001229047775,
    -0.00914462935179472,
    0.001488691894337535,
];

/// The same to 2^−57.
const ATAN_F64: [f64; 21] = [
    -0.3333333333333333,
    0.19999999999999554,
    -0.14285714285648404,
    0.11111111107234799,
    -0.09090908969557403,
    0.07692305354678655,
    -0.06666636435777692,
    0.05882074956371294,
    -0.05261265735709454,
    0.04752086773576656,
    -0.04308119655330471,
    0.03872640214042632,
    -0.033750132001619734,
    0.027567942297344678,
    -0.020238706986393514,
    0.012756172907694298,
    -0.006575683344151699,
    0.002622977891906089,
    -0.0007518472526973822,
    0.0001368724853148122,
    -1.1832505417555692e-05,
];

/// π as the sum of two numbers of the precision.
const PI_F32: [f64; 2] = [3.1415927410125732, -8.742277657347586e-08];
const PI_F64: [f64; 2] = [std::f64::consts::PI, 1.2246467991473532e-16];

#[inline(always)]
fn atan2<R: Real, const N: usize>(y: R, x: R, pi: [f64; 2], coefficients: &[f64; N]) -> R {
    let (height, width) = (y.abs(), x.abs());
    let steep = width.lt(height);
    let (less, more) = (R::select(steep, width, height), R::select(steep, height, width));
    let t = less / more;
    let t = R::select(more.equals(x.lit(0.0)), x.lit(0.0), t);
    let t = R::select(less.equals(x.lit(f64::INFINITY)), x.lit(1.0), t);
    let square = t * t;
    let angle = (t * square).fma(square.polynomial(coefficients), t);
    let complement = x.lit(pi[0] / 2.0) - (angle - x.lit(pi[1] / 2.0));
    let angle = R::select(steep, complement, angle);
    let left = R::test(x.bits(), 1 << (R::Bits::WIDTH - 1));
    let angle = R::select(left, x.lit(pi[0]) - (angle - x.lit(pi[1])), angle);
    let nan = x.is_nan() | y.is_nan();
    R::select(nan, x + y, angle.with_sign_of(y))
}

/// The angle of (x, y) in f32.
#[inline(always)]
pub(crate) fn atan2_f32<R: Real>(y: R, x: R) -> R {
    atan2(y, x, PI_F32, &ATAN_F32)
}

/// The angle of (x, y) in f64.
#[inline(always)]
pub(crate) fn atan2_f64<R: Real>(y: R, x: R) -> R {
    atan2(y, x, PI_F64, &ATAN_F64)
}
