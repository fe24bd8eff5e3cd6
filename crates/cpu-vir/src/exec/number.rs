//! What each operation means on one lane, as the compiler can turn it into vectors.
//!
//! The definitions are those of [`op`](crate::op); nothing here traps, and nothing depends on the machine.

use crate::math::{self, Periodic};

/// Arithmetic that every number has.
pub(super) trait Number: Copy + PartialOrd + Default {
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn sign(self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn rem(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn pow(self, other: Self) -> Self;
}

/// Bits, of integers and of masks.
pub(super) trait Whole: Copy {
    fn popcnt(self) -> Self;
    fn clz(self) -> Self;
    fn shl(self, by: Self) -> Self;
    fn shr_logical(self, by: Self) -> Self;
    fn shr_arithmetic(self, by: Self) -> Self;
}

macro_rules! integer {
    ($int:ident $unsigned:ident $signed:ident $divide:ident |$abs:ident| $absolute:expr, |$sgn:ident| $sign:expr) => {
        impl Number for $int {
            #[inline(always)]
            fn neg(self) -> Self {
                self.wrapping_neg()
            }
            #[inline(always)]
            fn abs(self) -> Self {
                let $abs = self;
                $absolute
            }
            #[inline(always)]
            fn sign(self) -> Self {
                let $sgn = self;
                $sign
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                // Dividing by 1 where the division itself would trap leaves no branch around it.
                let safe = if other == 0 { 1 } else { other };
                let quotient = $divide!($int, self, safe);
                if other == 0 { !0 } else { quotient }
            }
            #[inline(always)]
            fn rem(self, other: Self) -> Self {
                let safe = if other == 0 { 1 } else { other };
                let quotient = $divide!($int, self, safe);
                let rest = self.wrapping_sub(quotient.wrapping_mul(safe));
                if other == 0 { self } else { rest }
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                if self < other { self } else { other }
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                if self > other { self } else { other }
            }
            #[inline(always)]
            #[allow(unused_comparisons, reason = "of unsigned types nothing is negative")]
            fn pow(self, other: Self) -> Self {
                if other < 0 {
                    return match self {
                        1 => 1,
                        base if base == !0 => {
                            if other & 1 == 1 {
                                base
                            } else {
                                1
                            }
                        }
                        _ => 0,
                    };
                }
                let (mut power, mut base, mut exponent) = (1 as $int, self, other);
                while exponent != 0 {
                    if exponent & 1 == 1 {
                        power = power.wrapping_mul(base);
                    }
                    base = base.wrapping_mul(base);
                    exponent >>= 1;
                }
                power
            }
        }

        impl Whole for $int {
            #[inline(always)]
            fn popcnt(self) -> Self {
                self.count_ones() as $int
            }
            #[inline(always)]
            fn clz(self) -> Self {
                self.leading_zeros() as $int
            }
            #[inline(always)]
            fn shl(self, by: Self) -> Self {
                let shifted = self.wrapping_shl(by as u32);
                if (by as $unsigned) < $int::BITS as $unsigned { shifted } else { 0 }
            }
            #[inline(always)]
            fn shr_logical(self, by: Self) -> Self {
                let shifted = (self as $unsigned).wrapping_shr(by as u32) as $int;
                if (by as $unsigned) < $int::BITS as $unsigned { shifted } else { 0 }
            }
            #[inline(always)]
            fn shr_arithmetic(self, by: Self) -> Self {
                let most = ($int::BITS - 1) as $unsigned;
                let by = if (by as $unsigned) < most { by as $unsigned } else { most };
                (self as $signed).wrapping_shr(by as u32) as $int
            }
        }
    };
}

/// Division by way of a float that holds the operands exactly, since there are vectors of that: the rounded quotient
/// never reaches an integer that the true one does not. Adding 1.5 · 2^mantissa leaves the integer in the low bits.
macro_rules! divide_in_f32 {
    ($int:ident, $a:expr, $b:expr) => {
        (($a as f32 / $b as f32).trunc() + 12582912.0).to_bits() as $int
    };
}

/// As above.
macro_rules! divide_in_f64 {
    ($int:ident, $a:expr, $b:expr) => {
        ((f64::from($a) / f64::from($b)).trunc() + 6755399441055744.0).to_bits() as $int
    };
}

/// The division of the machine.
macro_rules! divide {
    ($int:ident, $a:expr, $b:expr) => {
        $a.wrapping_div($b)
    };
}

macro_rules! integers {
    ($($signed:ident $unsigned:ident $divide:ident)*) => {$(
        integer!($signed $unsigned $signed $divide |x| x.wrapping_abs(), |x| (x > 0) as $signed - (x < 0) as $signed);
        integer!($unsigned $unsigned $signed $divide |x| x, |x| if x == 0 { 0 } else { 1 });
    )*};
}

integers! {
    i8 u8 divide_in_f32
    i16 u16 divide_in_f32
    i32 u32 divide_in_f64
    i64 u64 divide
}

/// What only floats have.
pub(super) trait Float: Number + Periodic {
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn round_half_away(self) -> Self;
    fn round_half_even(self) -> Self;
    fn is_finite(self) -> bool;
    fn cbrt(self) -> Self;
    fn exp(self) -> Self;
    fn exp2(self) -> Self;
    fn expm1(self) -> Self;
    fn log(self) -> Self;
    fn log1p(self) -> Self;
    fn tanh(self) -> Self;
    fn logistic(self) -> Self;
    fn erf(self) -> Self;
    fn atan2(self, other: Self) -> Self;
    /// Rounded to a float with fewer bits; beyond its range infinity, below its normal numbers zero.
    fn reduce_precision(self, exponent: u32, mantissa: u32) -> Self;
}

macro_rules! float {
    ($float:ident $bits:ident $exponent_bits:literal $exp:ident $exp2:ident $expm1:ident $log:ident $log1p:ident $tanh:ident $logistic:ident
     $erf:ident $cbrt:ident $pow:ident $atan2:ident) => {
        impl Number for $float {
            #[inline(always)]
            fn neg(self) -> Self {
                -self
            }
            #[inline(always)]
            fn abs(self) -> Self {
                $float::abs(self)
            }
            #[inline(always)]
            fn sign(self) -> Self {
                let one = $float::copysign(1.0, self);
                if self == 0.0 || self != self { self } else { one }
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn rem(self, other: Self) -> Self {
                self % other
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                // Equal numbers differ in the sign of zero at most.
                let either = $float::from_bits(self.to_bits() | other.to_bits());
                let least = if self < other || self != self { self } else { other };
                if self == other { either } else { least }
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                let both = $float::from_bits(self.to_bits() & other.to_bits());
                let greatest = if self > other || self != self { self } else { other };
                if self == other { both } else { greatest }
            }
            #[inline(always)]
            fn pow(self, other: Self) -> Self {
                math::$pow(self, other)
            }
        }

        impl Float for $float {
            #[inline(always)]
            fn floor(self) -> Self {
                $float::floor(self)
            }
            #[inline(always)]
            fn ceil(self) -> Self {
                $float::ceil(self)
            }
            #[inline(always)]
            fn round_half_away(self) -> Self {
                // The greatest number below a half, so that what is just below does not reach 1.
                let half = $float::from_bits((0.5 as $float).to_bits() - 1);
                (self + half.copysign(self)).trunc()
            }
            #[inline(always)]
            fn round_half_even(self) -> Self {
                $float::round_ties_even(self)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                self.abs() < $float::INFINITY
            }
            #[inline(always)]
            fn cbrt(self) -> Self {
                math::$cbrt(self)
            }
            #[inline(always)]
            fn exp(self) -> Self {
                math::$exp(self)
            }
            #[inline(always)]
            fn exp2(self) -> Self {
                math::$exp2(self)
            }
            #[inline(always)]
            fn expm1(self) -> Self {
                math::$expm1(self)
            }
            #[inline(always)]
            fn log(self) -> Self {
                math::$log(self)
            }
            #[inline(always)]
            fn log1p(self) -> Self {
                math::$log1p(self)
            }
            #[inline(always)]
            fn tanh(self) -> Self {
                math::$tanh(self)
            }
            #[inline(always)]
            fn logistic(self) -> Self {
                math::$logistic(self)
            }
            #[inline(always)]
            fn erf(self) -> Self {
                math::$erf(self)
            }
            #[inline(always)]
            fn atan2(self, other: Self) -> Self {
                math::$atan2(self, other)
            }
            #[inline(always)]
            fn reduce_precision(self, exponent: u32, mantissa: u32) -> Self {
                const MANTISSA: u32 = $float::MANTISSA_DIGITS - 1;
                const SIGN: $bits = 1 << ($bits::BITS - 1);
                let bits = self.to_bits();
                let dropped = MANTISSA - mantissa;
                let last = (1 as $bits) << dropped;
                let rounded = match dropped {
                    0 => bits,
                    _ => bits.wrapping_add((last >> 1) - 1).wrapping_add(bits >> dropped & 1) & !(last - 1),
                };
                let size = rounded & !SIGN;
                let sign = bits & SIGN;
                let bias = ((1 as $bits) << ($exponent_bits - 1)) - 1;
                let new_bias = ((1 as $bits) << (exponent - 1)) - 1;
                let infinite = size >= (bias + new_bias + 1) << MANTISSA;
                let zero = size < (bias - new_bias + 1) << MANTISSA;
                let limited = if infinite {
                    $float::INFINITY.to_bits() | sign
                } else if zero {
                    sign
                } else {
                    rounded
                };
                // All exponents are kept when none are dropped, those of subnormal numbers too.
                let result = if exponent == $exponent_bits { rounded } else { limited };
                if self != self { self } else { $float::from_bits(result) }
            }
        }
    };
}

float!(f32 u32 8 exp_f32 exp2_f32 expm1_f32 log_f32 log1p_f32 tanh_f32 logistic_f32 erf_f32 cbrt_f32 pow_f32 atan2_f32);
float!(f64 u64 11 exp_f64 exp2_f64 expm1_f64 log_f64 log1p_f64 tanh_f64 logistic_f64 erf_f64 cbrt_f64 pow_f64 atan2_f64);
