//! sin, cos and tan: the argument less a multiple of π/2, and a polynomial for each quadrant.
//!
//! Up to `HUGE` the multiple is subtracted in three parts; beyond, [`reduce_huge`] multiplies by as many digits of
//! 2/π as the exponent asks for. That is the one place with a loop over lanes of its own.

use super::reduction::{HUGE_F32, HUGE_F64, reduce_huge};
use super::{Bits, Real};

/// (sin(r) / r − 1) / r² in r² up to (π/4)², deviation 2^−34 before rounding to f32.
const SIN_F32: [f64; 4] = [-0.1666666716337204, 0.008333331905305386, -0.00019840039021801203, 2.7243811473454116e-06];
/// (cos(r) − 1 + r²/2) / r⁴, deviation 2^−38 before rounding to f32.
const COS_F32: [f64; 4] = [0.0416666679084301, -0.00138888880610466, 2.48005599132739e-05, -2.729585730776307e-07];

/// As above, to 2^−55.
const SIN_F64: [f64; 6] = [
    -0.16666666666666666,
    0.0083333333333307,
    -0.00019841269836387345,
    2.755731591191116e-06,
    -2.5051092507061385e-08,
    1.59153232122714e-10,
];
/// As above, to 2^−59.
const COS_F64: [f64; 6] = [
    0.041666666666666664,
    -0.0013888888888887241,
    2.4801587298533456e-05,
    -2.755731715246704e-07,
    2.087612165887116e-09,
    -1.1380876948169717e-11,
];

/// π/2 in parts.
const HALF_PI_F32: [f64; 3] = [1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15];
const HALF_PI_F64: [f64; 3] = [std::f64::consts::FRAC_PI_2, 6.123233995736766e-17, -1.4973849048591698e-33];

/// Which of the three functions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trig {
    Sin,
    Cos,
    Tan,
}

/// The function of `quadrant · π/2 + r + low`; of the quadrant only the last two bits count.
#[inline(always)]
fn in_quadrant<R: Real, const S: usize, const C: usize>(
    trig: Trig,
    quadrant: R::Bits,
    r: R,
    low: R,
    sin: &[f64; S],
    cos: &[f64; C],
) -> R {
    let one = r.lit(1.0);
    let z = r * r;
    let half = z * r.lit(0.5);
    let near_one = one - half;
    let sine_rest = (r * z).fma(z.polynomial(sin), low * near_one);
    let sine = r + sine_rest;
    let cosine_rest = ((one - near_one) - half) + (z * z).fma(z.polynomial(cos), -(r * low));
    let cosine = near_one + cosine_rest;
    let turned = |bits: R::Bits| bits.and(2).shl(R::Bits::WIDTH - 2);
    let odd = R::test(quadrant, 1);
    match trig {
        Trig::Sin => R::from_bits(R::select(odd, cosine, sine).bits().xor(turned(quadrant))),
        Trig::Cos => R::from_bits(R::select(odd, sine, cosine).bits().xor(turned(quadrant.add(1)))),
        Trig::Tan => {
            let (sine_low, cosine_low) = ((r - sine) + sine_rest, (near_one - cosine) + cosine_rest);
            let (over, under) = (R::select(odd, cosine, sine), R::select(odd, sine, cosine));
            let (over_low, under_low) = (R::select(odd, cosine_low, sine_low), R::select(odd, sine_low, cosine_low));
            let quotient = over / under;
            // What the sums and the division lost.
            let rest = (-quotient).fma(under, over) + (-quotient).fma(under_low, over_low);
            let tan = quotient + rest / under;
            R::select(odd, -tan, tan)
        }
    }
}

#[inline(always)]
fn moderate<R: Real, const S: usize, const C: usize>(
    trig: Trig,
    x: R,
    half_pi: [f64; 3],
    sin: &[f64; S],
    cos: &[f64; C],
) -> R {
    let n = (x * x.lit(std::f64::consts::FRAC_2_PI)).nearest();
    // Exact: the product is a multiple of the last place of π/2, and so is what remains.
    let first = (-n).fma(x.lit(half_pi[0]), x);
    // The second product is rounded, and so is what remains: both errors go into the low part.
    let product = n * x.lit(half_pi[1]);
    let product_low = n.fma(x.lit(half_pi[1]), -product);
    let r = first - product;
    let back = r - first;
    let lost = (first - (r - back)) - (product + back);
    let low = (-n).fma(x.lit(half_pi[2]), lost - product_low);
    let quadrant = (n + x.lit(R::MAGIC)).bits();
    let value = in_quadrant(trig, quadrant, r, low, sin, cos);
    match trig {
        Trig::Cos => value,
        Trig::Sin | Trig::Tan => R::select(x.equals(x.lit(0.0)), x, value),
    }
}

/// The function in f32, of arguments up to [`HUGE_F32`].
#[inline(always)]
fn moderate_f32<R: Real>(trig: Trig, x: R) -> R {
    moderate(trig, x, HALF_PI_F32, &SIN_F32, &COS_F32)
}

/// The function in f64, of arguments up to [`HUGE_F64`].
#[inline(always)]
fn moderate_f64<R: Real>(trig: Trig, x: R) -> R {
    moderate(trig, x, HALF_PI_F64, &SIN_F64, &COS_F64)
}

/// The function in f32 of any argument; only for single lanes, with a branch.
#[cold]
fn huge_f32(trig: Trig, x: f32) -> f32 {
    if !x.is_finite() {
        return f32::NAN;
    }
    let (quadrant, r, low) = reduce_huge(f64::from(x));
    let high = r as f32;
    let low = ((r - f64::from(high)) + low) as f32;
    in_quadrant(trig, quadrant as u32, high, low, &SIN_F32, &COS_F32)
}

/// The function in f64 of any argument; only for single lanes, with a branch.
#[cold]
fn huge_f64(trig: Trig, x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (quadrant, r, low) = reduce_huge(x);
    in_quadrant(trig, quadrant, r, low, &SIN_F64, &COS_F64)
}

/// Marks the trigonometric function of a lane type.
pub(crate) trait Periodic: Real {
    /// The function of arguments that are not [`huge`](Periodic::is_huge).
    fn trig(self, trig: Trig) -> Self;
    /// The function of huge arguments.
    fn trig_of_huge(self, trig: Trig) -> Self;
    /// Beyond what [`trig`](Periodic::trig) reduces.
    fn is_huge(self) -> bool;
}

impl Periodic for f32 {
    #[inline(always)]
    fn trig(self, trig: Trig) -> f32 {
        moderate_f32(trig, self)
    }
    fn trig_of_huge(self, trig: Trig) -> f32 {
        huge_f32(trig, self)
    }
    #[inline(always)]
    fn is_huge(self) -> bool {
        self.abs() > HUGE_F32
    }
}

impl Periodic for f64 {
    #[inline(always)]
    fn trig(self, trig: Trig) -> f64 {
        moderate_f64(trig, self)
    }
    fn trig_of_huge(self, trig: Trig) -> f64 {
        huge_f64(trig, self)
    }
    #[inline(always)]
    fn is_huge(self) -> bool {
        self.abs() > HUGE_F64
    }
}
