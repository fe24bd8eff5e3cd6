//! Elementary functions as straight-line arithmetic, written once.
//!
//! Every function is generic over [`Real`]: on `f32` and `f64` the compiler turns it into vector code, on the symbols
//! of [`expand`](crate::expand) it records itself as instructions. So whole-operation loops and expanded programs
//! agree to the last bit. There is no branch and no table: a choice is a select.
//!
//! Fused multiply-add is used where written, and nowhere else. Polynomials are Chebyshev interpolants of the function
//! named beside them; the deviation stated is relative to the function, before rounding.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

mod arc;
mod error_function;
mod exponential;
mod hyperbolic;
mod lane;
mod logarithm;
mod power;
mod reduction;
mod root;
mod trigonometric;

pub(crate) use arc::{atan2_f32, atan2_f64};
pub(crate) use error_function::{erf_f32, erf_f64};
pub(crate) use exponential::{exp_f32, exp_f64, exp2_f32, exp2_f64, expm1_f32, expm1_f64};
pub(crate) use hyperbolic::{logistic_f32, logistic_f64, tanh_f32, tanh_f64};
pub(crate) use logarithm::{log_f32, log_f64, log1p_f32, log1p_f64};
pub(crate) use power::{pow_f32, pow_f64};
pub(crate) use root::{cbrt_f32, cbrt_f64, rsqrt};
pub(crate) use trigonometric::{Periodic, Trig};

/// Lanes of f32 or f64: what the functions of this module are written in.
pub(crate) trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The bits of a lane, as an unsigned integer of the same size.
    type Bits: Bits;
    /// Truth of a lane.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask> + Not<Output = Self::Mask>;
    /// The same lane as f64.
    type Wide: Real<Mask = Self::Mask>;

    /// A constant of this precision.
    fn lit(self, value: f64) -> Self;
    /// `self · factor + term`, rounded once.
    fn fma(self, factor: Self, term: Self) -> Self;
    /// Magnitude.
    fn abs(self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Rounds towards zero.
    fn trunc(self) -> Self;
    /// The bits.
    fn bits(self) -> Self::Bits;
    /// From bits.
    fn from_bits(bits: Self::Bits) -> Self;
    /// To f64.
    fn widen(self) -> Self::Wide;
    /// From f64, rounded.
    fn narrow(wide: Self::Wide) -> Self;
    /// `self < other`.
    fn lt(self, other: Self) -> Self::Mask;
    /// `self == other`.
    fn equals(self, other: Self) -> Self::Mask;
    /// `yes` where the mask is true.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Has `bits` a one where `value` has?
    fn test(bits: Self::Bits, value: u64) -> Self::Mask;

    /// Explicit bits of the mantissa.
    const MANTISSA: u32;
    /// 1.5 · 2^MANTISSA: adding it rounds to an integer, which then stands in the low bits.
    const MAGIC: f64;
    /// Bias of the exponent.
    const BIAS: u64;

    /// `self != self`.
    #[inline(always)]
    fn is_nan(self) -> Self::Mask {
        !self.equals(self)
    }

    /// The value of a polynomial; coefficients from the constant upwards.
    #[inline(always)]
    fn polynomial<const N: usize>(self, coefficients: &[f64; N]) -> Self {
        let mut sum = self.lit(coefficients[N - 1]);
        let mut index = N - 1;
        while index > 0 {
            index -= 1;
            sum = sum.fma(self, self.lit(coefficients[index]));
        }
        sum
    }

    /// The nearest integer, halves to even, of magnitudes below 2^(MANTISSA − 1).
    #[inline(always)]
    fn nearest(self) -> Self {
        (self + self.lit(Self::MAGIC)) - self.lit(Self::MAGIC)
    }

    /// 2^self, of an integer within the exponents of normal numbers.
    #[inline(always)]
    fn power_of_two(self) -> Self {
        let biased = (self + self.lit(Self::MAGIC)).bits().add(Self::BIAS);
        Self::from_bits(biased.shl(Self::MANTISSA))
    }

    /// `self · 2^n`, rounded once, for n from the exponent of the least subnormal to one above the greatest.
    #[inline(always)]
    fn scale(self, n: Self) -> Self {
        // n stands in the low bits, and so does half of it after a shift, rounded down; its high bits are shifted out.
        let bits = (n + self.lit(Self::MAGIC)).bits();
        let half = bits.shr(1);
        let power = |n: Self::Bits| Self::from_bits(n.add(Self::BIAS).shl(Self::MANTISSA));
        self * power(half) * power(bits.sub(half))
    }

    /// The magnitude of `self` with the sign of `other`.
    #[inline(always)]
    fn with_sign_of(self, other: Self) -> Self {
        let sign = 1 << (Self::Bits::WIDTH - 1);
        Self::from_bits(self.bits().and(sign - 1).or(other.bits().and(sign)))
    }
}

/// Lanes of u32 or u64.
pub(crate) trait Bits: Copy {
    /// Bits of a lane.
    const WIDTH: u32;
    /// Wrapping sum with a constant.
    fn add(self, value: u64) -> Self;
    /// Wrapping difference.
    fn sub(self, other: Self) -> Self;
    /// Bits in common with a constant.
    fn and(self, value: u64) -> Self;
    /// Bits of either.
    fn or(self, other: Self) -> Self;
    /// Bits of one but not both.
    fn xor(self, other: Self) -> Self;
    /// Left shift by fewer bits than the width.
    fn shl(self, by: u32) -> Self;
    /// Right shift by fewer bits than the width, filled with zeros.
    fn shr(self, by: u32) -> Self;
}
