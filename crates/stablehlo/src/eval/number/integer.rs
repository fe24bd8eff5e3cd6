//! Integers of 2 to 64 bits. All arithmetic is modulo 2^width; nothing traps.

use bytemuck::{Pod, Zeroable};

use super::Element;
use crate::ElementType;

/// An integer element: extended to 64 bits, computed with, and cut back to its width.
///
/// Division, remainder and shifts follow XLA:CPU where the specification leaves the result open.
pub trait Integer: Element + Ord {
    /// Width in bits.
    const BITS: u32;
    /// Whether it is two's complement.
    const SIGNED: bool;

    /// The value, sign- or zero-extended to 64 bits.
    fn extend(self) -> u64;

    /// The low bits of a word, as this type.
    fn truncate(bits: u64) -> Self;

    /// The smallest value.
    fn min_value() -> Self {
        if Self::SIGNED { Self::truncate(1 << (Self::BITS - 1)) } else { Self::truncate(0) }
    }

    /// The largest value.
    fn max_value() -> Self {
        if Self::SIGNED { Self::truncate((1 << (Self::BITS - 1)) - 1) } else { Self::truncate(u64::MAX) }
    }

    /// The value as `i128`, which holds every one exactly.
    fn to_i128(self) -> i128 {
        if Self::SIGNED { self.extend() as i64 as i128 } else { self.extend() as i128 }
    }

    /// The value as `i64`; only `ui64` can be out of range, and saturates.
    fn to_i64_saturating(self) -> i64 {
        if Self::SIGNED { self.extend() as i64 } else { self.extend().min(i64::MAX as u64) as i64 }
    }

    /// The value as `f64`, rounded to nearest even.
    fn to_f64(self) -> f64 {
        if Self::SIGNED { self.extend() as i64 as f64 } else { self.extend() as f64 }
    }

    /// Nearest value towards zero; out of range saturates and NaN is 0, as in XLA.
    fn from_f64(value: f64) -> Self {
        // `as` saturates at 64 bits; the range of narrower types is applied by clamping first.
        if Self::SIGNED {
            let (low, high) = (Self::min_value().extend() as i64, Self::max_value().extend() as i64);
            Self::truncate((value as i64).clamp(low, high) as u64)
        } else {
            Self::truncate((value as u64).min(Self::max_value().extend()))
        }
    }

    /// Sum.
    fn add(self, other: Self) -> Self {
        Self::truncate(self.extend().wrapping_add(other.extend()))
    }

    /// Difference.
    fn sub(self, other: Self) -> Self {
        Self::truncate(self.extend().wrapping_sub(other.extend()))
    }

    /// Product.
    fn mul(self, other: Self) -> Self {
        Self::truncate(self.extend().wrapping_mul(other.extend()))
    }

    /// Quotient towards zero; by zero all ones (−1 when signed); minimum / −1 wraps to the minimum.
    fn div(self, other: Self) -> Self {
        if other.extend() == 0 {
            Self::truncate(u64::MAX)
        } else if Self::SIGNED {
            Self::truncate((self.extend() as i64).wrapping_div(other.extend() as i64) as u64)
        } else {
            Self::truncate(self.extend() / other.extend())
        }
    }

    /// Remainder with the sign of the dividend; by zero the dividend; minimum rem −1 is 0.
    fn rem(self, other: Self) -> Self {
        if other.extend() == 0 {
            self
        } else if Self::SIGNED {
            Self::truncate((self.extend() as i64).wrapping_rem(other.extend() as i64) as u64)
        } else {
            Self::truncate(self.extend() % other.extend())
        }
    }

    /// `self` to the power `exponent` by squaring; a negative exponent gives the exact value cut to an integer:
    /// 0 for bases beyond ±1, ±1 for those; base 0 gives 0 as on XLA:CPU.
    fn pow(self, exponent: Self) -> Self {
        let one = Self::truncate(1);
        if Self::SIGNED && (exponent.extend() as i64) < 0 {
            let odd = exponent.extend() & 1 == 1;
            return match self.extend() as i64 {
                1 => one,
                -1 => {
                    if odd {
                        self
                    } else {
                        one
                    }
                }
                _ => Self::truncate(0),
            };
        }
        let (mut base, mut left, mut product) = (self.extend(), exponent.extend(), 1u64);
        while left != 0 {
            if left & 1 == 1 {
                product = product.wrapping_mul(base);
            }
            base = base.wrapping_mul(base);
            left >>= 1;
        }
        Self::truncate(product)
    }

    /// Bit-wise conjunction.
    fn and(self, other: Self) -> Self {
        Self::truncate(self.extend() & other.extend())
    }

    /// Bit-wise disjunction.
    fn or(self, other: Self) -> Self {
        Self::truncate(self.extend() | other.extend())
    }

    /// Bit-wise exclusive disjunction.
    fn xor(self, other: Self) -> Self {
        Self::truncate(self.extend() ^ other.extend())
    }

    /// Bit-wise complement.
    fn not(self) -> Self {
        Self::truncate(!self.extend())
    }

    /// The bits of the width alone, zero-extended.
    fn raw_bits(self) -> u64 {
        self.extend() & (u64::MAX >> (64 - Self::BITS))
    }

    /// Shift left; by the width or more (the amount is read as unsigned) gives 0.
    fn shl(self, amount: Self) -> Self {
        match amount.raw_bits() {
            n if n < Self::BITS as u64 => Self::truncate(self.extend() << n),
            _ => Self::truncate(0),
        }
    }

    /// Shift right with zero fill; by the width or more gives 0.
    fn shr_logical(self, amount: Self) -> Self {
        match amount.raw_bits() {
            n if n < Self::BITS as u64 => Self::truncate(self.raw_bits() >> n),
            _ => Self::truncate(0),
        }
    }

    /// Shift right with sign fill (the top bit also for unsigned types); by the width or more gives all sign.
    fn shr_arithmetic(self, amount: Self) -> Self {
        let signed = (self.raw_bits() << (64 - Self::BITS)) as i64 >> (64 - Self::BITS);
        Self::truncate((signed >> amount.raw_bits().min(Self::BITS as u64 - 1)) as u64)
    }

    /// Magnitude; the minimum wraps to itself.
    fn abs(self) -> Self {
        if Self::SIGNED && (self.extend() as i64) < 0 { self.neg() } else { self }
    }

    /// Two's complement.
    fn neg(self) -> Self {
        Self::truncate(self.extend().wrapping_neg())
    }

    /// −1, 0 or 1.
    fn sign(self) -> Self {
        if Self::SIGNED {
            Self::truncate((self.extend() as i64).signum() as u64)
        } else {
            Self::truncate((self.extend() != 0) as u64)
        }
    }

    /// Number of one bits.
    fn popcnt(self) -> Self {
        Self::truncate(self.raw_bits().count_ones() as u64)
    }

    /// Number of leading zero bits within the width.
    fn count_leading_zeros(self) -> Self {
        Self::truncate((self.raw_bits().leading_zeros() - (64 - Self::BITS)) as u64)
    }
}

macro_rules! native_integers {
    ($($ty:ty, $wide:ty, $signed:literal;)*) => {
        $(impl Integer for $ty {
            const BITS: u32 = <$ty>::BITS;
            const SIGNED: bool = $signed;
            fn extend(self) -> u64 {
                self as $wide as u64
            }
            fn truncate(bits: u64) -> $ty {
                bits as $ty
            }
        })*
    };
}
native_integers! {
    i8, i64, true; i16, i64, true; i32, i64, true; i64, i64, true;
    u8, u64, false; u16, u64, false; u32, u64, false; u64, u64, false;
}

macro_rules! narrow_integers {
    ($($(#[$doc:meta])* $name:ident($inner:ty), $bits:literal, $signed:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
            #[repr(transparent)]
            pub struct $name($inner);

            impl Element for $name {
                const TYPE: ElementType = ElementType::$name;
                const NEEDS_CANONICAL: bool = true;
                type Word = u8;
                fn canonical(self) -> Self {
                    Self::truncate(self.0 as u64)
                }
            }

            impl Integer for $name {
                const BITS: u32 = $bits;
                const SIGNED: bool = $signed;
                fn extend(self) -> u64 {
                    self.0 as i64 as u64
                }
                fn truncate(bits: u64) -> Self {
                    // Shifting up as the inner type and down again extends by sign or zero.
                    const GAP: u32 = 8 - $bits;
                    $name(((bits as $inner) << GAP) >> GAP)
                }
            }
        )*
    };
}
narrow_integers! {
    /// A signed 2-bit integer, stored sign-extended in a byte.
    I2(i8), 2, true;
    /// A signed 4-bit integer, stored sign-extended in a byte.
    I4(i8), 4, true;
    /// An unsigned 2-bit integer in a byte.
    U2(u8), 2, false;
    /// An unsigned 4-bit integer in a byte.
    U4(u8), 4, false;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_values_wrap_at_their_width() {
        assert_eq!(I4::truncate(7).add(I4::truncate(1)).to_i128(), -8);
        assert_eq!(U4::truncate(15).add(U4::truncate(1)).to_i128(), 0);
        assert_eq!(I2::truncate(3).to_i128(), -1);
        assert_eq!(I4(0x35).canonical().to_i128(), 5);
        assert_eq!((I2::min_value().to_i128(), I2::max_value().to_i128()), (-2, 1));
        assert_eq!((<u64 as Integer>::min_value(), <u64 as Integer>::max_value()), (0, u64::MAX));
        assert_eq!((<i64 as Integer>::min_value(), <i64 as Integer>::max_value()), (i64::MIN, i64::MAX));
    }

    #[test]
    fn division_and_remainder_never_trap() {
        assert_eq!(Integer::div(7i32, 0), -1);
        assert_eq!(Integer::div(7u8, 0), 255);
        assert_eq!(Integer::rem(7i32, 0), 7);
        assert_eq!(Integer::div(i32::MIN, -1), i32::MIN);
        assert_eq!(Integer::rem(i64::MIN, -1), 0);
        assert_eq!(Integer::div(i64::MIN, -1), i64::MIN);
        assert_eq!(Integer::rem(-7i32, 3), -1);
        assert_eq!(Integer::div(-7i32, 2), -3);
    }

    #[test]
    fn shifts_beyond_the_width() {
        assert_eq!(Integer::shl(1i32, 32), 0);
        assert_eq!(Integer::shl(1i32, -1), 0);
        assert_eq!(Integer::shr_logical(-1i32, 4), 0x0fff_ffff);
        assert_eq!(Integer::shr_logical(-1i8, 8), 0);
        assert_eq!(Integer::shr_arithmetic(-8i8, 100), -1);
        assert_eq!(Integer::shr_arithmetic(-8i8, 1), -4);
        assert_eq!(Integer::shr_arithmetic(0x80u8, 1), 0xc0);
    }

    #[test]
    fn powers() {
        assert_eq!(Integer::pow(3i32, 4), 81);
        assert_eq!(Integer::pow(2i32, -1), 0);
        assert_eq!(Integer::pow(-1i32, -3), -1);
        assert_eq!(Integer::pow(1i32, -2), 1);
        assert_eq!(Integer::pow(0u8, 0), 1);
        assert_eq!(Integer::pow(3u8, 200), 3u8.wrapping_pow(200));
    }

    #[test]
    fn counting_bits_within_the_width() {
        assert_eq!(Integer::count_leading_zeros(1i8), 7);
        assert_eq!(U4::truncate(1).count_leading_zeros().to_i128(), 3);
        assert_eq!(Integer::popcnt(-1i16), 16);
        assert_eq!(Integer::count_leading_zeros(0u64), 64);
    }

    #[test]
    fn floats_saturate() {
        assert_eq!(<i8 as Integer>::from_f64(300.0), 127);
        assert_eq!(<i8 as Integer>::from_f64(-1e30), -128);
        assert_eq!(<u8 as Integer>::from_f64(-3.0), 0);
        assert_eq!(<i32 as Integer>::from_f64(f64::NAN), 0);
        assert_eq!(<u64 as Integer>::from_f64(1e30), u64::MAX);
        assert_eq!(<i32 as Integer>::from_f64(-2.9), -2);
    }
}
