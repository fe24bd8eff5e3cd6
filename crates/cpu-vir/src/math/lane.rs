//! [`Real`] and [`Bits`] for numbers themselves.
//!
//! Everything is inlined into the loop over a tile, where the compiler makes vectors of it.

use super::{Bits, Real};

macro_rules! real {
    ($float:ident $bits:ident $mantissa:literal $magic:literal $bias:literal) => {
        impl Real for $float {
            type Bits = $bits;
            type Mask = bool;
            type Wide = f64;
            const MANTISSA: u32 = $mantissa;
            const MAGIC: f64 = $magic;
            const BIAS: u64 = $bias;

            #[inline(always)]
            fn lit(self, value: f64) -> Self {
                value as $float
            }
            #[inline(always)]
            fn fma(self, factor: Self, term: Self) -> Self {
                self.mul_add(factor, term)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn trunc(self) -> Self {
                self.trunc()
            }
            #[inline(always)]
            fn bits(self) -> $bits {
                self.to_bits()
            }
            #[inline(always)]
            fn from_bits(bits: $bits) -> Self {
                <$float>::from_bits(bits)
            }
            #[inline(always)]
            fn widen(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn narrow(wide: f64) -> Self {
                wide as $float
            }
            #[inline(always)]
            fn lt(self, other: Self) -> bool {
                self < other
            }
            #[inline(always)]
            fn equals(self, other: Self) -> bool {
                self == other
            }
            #[inline(always)]
            fn test(bits: $bits, value: u64) -> bool {
                bits & value as $bits != 0
            }
            #[inline(always)]
            fn select(mask: bool, yes: Self, no: Self) -> Self {
                if mask { yes } else { no }
            }
        }

        impl Bits for $bits {
            const WIDTH: u32 = <$bits>::BITS;
            #[inline(always)]
            fn add(self, value: u64) -> Self {
                self.wrapping_add(value as $bits)
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn and(self, value: u64) -> Self {
                self & value as $bits
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn shl(self, by: u32) -> Self {
                self.wrapping_shl(by)
            }
            #[inline(always)]
            fn shr(self, by: u32) -> Self {
                self.wrapping_shr(by)
            }
        }
    };
}

real!(f32 u32 23 12582912.0 127);
real!(f64 u64 52 6755399441055744.0 1023);
