//! Floats of 4 to 16 bits: formats as data, one decoder and one encoder for all of them.
//!
//! The rules outside the finite range are those of `ml_dtypes`, which XLA shares: formats with infinities
//! overflow to them, those with NaN only overflow to NaN, and those with neither saturate.

use bytemuck::{Pod, Zeroable};

use super::{Element, Float};
use crate::ElementType;

/// What a format does with its topmost codes.
#[derive(Clone, Copy, PartialEq)]
enum Special {
    /// The top exponent holds infinity and NaNs, as in IEEE 754.
    Ieee,
    /// All ones is NaN; no infinity.
    NanOnly,
    /// Negative zero's code is the NaN; no infinity and one zero.
    UnsignedZero,
    /// Every code is a finite number.
    FiniteOnly,
}

/// A binary floating-point format with a sign, `exponent` and `mantissa` bits.
struct Format {
    exponent: u32,
    mantissa: u32,
    bias: i32,
    special: Special,
}

/// 2^exponent for exponents of normal `f64` numbers.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Format {
    const fn sign_bit(&self) -> u16 {
        1 << (self.exponent + self.mantissa)
    }

    /// The largest code (without sign) of a finite number.
    const fn max_finite(&self) -> u16 {
        match self.special {
            Special::Ieee => (((1 << self.exponent) - 1) << self.mantissa) - 1,
            Special::NanOnly => self.sign_bit() - 2,
            Special::UnsignedZero | Special::FiniteOnly => self.sign_bit() - 1,
        }
    }

    fn decode(&self, code: u16) -> f64 {
        let negative = code & self.sign_bit() != 0;
        let magnitude = code & (self.sign_bit() - 1);
        let signed = |value: f64| if negative { -value } else { value };
        if self.special == Special::UnsignedZero && code == self.sign_bit() {
            return f64::NAN;
        }
        if magnitude > self.max_finite() {
            let infinity = self.special == Special::Ieee && magnitude == self.max_finite() + 1;
            return signed(if infinity { f64::INFINITY } else { f64::NAN });
        }
        let fraction = (magnitude & ((1 << self.mantissa) - 1)) as f64;
        let exponent = (magnitude >> self.mantissa) as i32;
        let scale = power_of_two(exponent.max(1) - self.bias - self.mantissa as i32);
        let implicit = if exponent == 0 { 0.0 } else { (1u32 << self.mantissa) as f64 };
        signed((implicit + fraction) * scale)
    }

    fn encode(&self, value: f64) -> u16 {
        let sign = if value.is_sign_negative() { self.sign_bit() } else { 0 };
        if value.is_nan() {
            return match self.special {
                Special::Ieee => sign | (self.max_finite() + 1) | (1 << (self.mantissa - 1)),
                Special::NanOnly => sign | (self.max_finite() + 1),
                Special::UnsignedZero => self.sign_bit(),
                // These have no NaN; ml_dtypes turns it into a zero of the other sign.
                Special::FiniteOnly => sign ^ self.sign_bit(),
            };
        }
        let magnitude = value.abs();
        // The exponent of the number's binade, but never below that of the subnormals.
        let binade = ((magnitude.to_bits() >> 52) as i32 - 1023).max(1 - self.bias);
        // In units of the last place of that binade the number is below 2^(mantissa + 1), so the product
        // is exact and the rounding below is the only one.
        let units = if magnitude.is_infinite() {
            f64::INFINITY
        } else {
            (magnitude * power_of_two(self.mantissa as i32 - binade)).round_ties_even()
        };
        // The implicit bit adds one to the exponent field, and a carry of the rounding does so again.
        let code = units + ((binade - 1 + self.bias) as f64) * (1u32 << self.mantissa) as f64;
        if code > self.max_finite() as f64 {
            return match self.special {
                Special::Ieee | Special::NanOnly => sign | (self.max_finite() + 1),
                Special::UnsignedZero => self.sign_bit(),
                Special::FiniteOnly => sign | self.max_finite(),
            };
        }
        match (code as u16, self.special) {
            (0, Special::UnsignedZero) => 0,
            (code, _) => sign | code,
        }
    }
}

macro_rules! small_floats {
    ($($(#[$doc:meta])* $name:ident($word:ty), $exponent:literal, $mantissa:literal, $bias:literal, $special:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
            #[repr(transparent)]
            pub struct $name($word);

            impl $name {
                const FORMAT: Format = Format {
                    exponent: $exponent,
                    mantissa: $mantissa,
                    bias: $bias,
                    special: Special::$special,
                };

                /// The number with this code.
                pub const fn from_bits(bits: $word) -> Self {
                    $name(bits)
                }

                /// The code of this number.
                pub const fn to_bits(self) -> $word {
                    self.0
                }
            }

            impl Float for $name {
                const MANTISSA_BITS: u32 = $mantissa;
                const IS_IEEE: bool = matches!(Special::$special, Special::Ieee);
                fn to_f64(self) -> f64 {
                    Self::FORMAT.decode(self.0 as u16)
                }
                fn from_f64(value: f64) -> Self {
                    $name(Self::FORMAT.encode(value) as $word)
                }
            }
        )*
    };
}

small_floats! {
    /// 4 bits: 2 exponent, 1 mantissa; finite only.
    F4E2M1FN(u8), 2, 1, 1, FiniteOnly;
    /// 6 bits: 2 exponent, 3 mantissa; finite only.
    F6E2M3FN(u8), 2, 3, 1, FiniteOnly;
    /// 6 bits: 3 exponent, 2 mantissa; finite only.
    F6E3M2FN(u8), 3, 2, 3, FiniteOnly;
    /// 8 bits: 3 exponent, 4 mantissa; infinities.
    F8E3M4(u8), 3, 4, 3, Ieee;
    /// 8 bits: 4 exponent, 3 mantissa; infinities.
    F8E4M3(u8), 4, 3, 7, Ieee;
    /// 8 bits: 4 exponent, 3 mantissa; one NaN per sign.
    F8E4M3FN(u8), 4, 3, 7, NanOnly;
    /// 8 bits: 4 exponent, 3 mantissa, bias 8; one NaN, one zero.
    F8E4M3FNUZ(u8), 4, 3, 8, UnsignedZero;
    /// 8 bits: 4 exponent, 3 mantissa, bias 11; one NaN, one zero.
    F8E4M3B11FNUZ(u8), 4, 3, 11, UnsignedZero;
    /// 8 bits: 5 exponent, 2 mantissa; infinities.
    F8E5M2(u8), 5, 2, 15, Ieee;
    /// 8 bits: 5 exponent, 2 mantissa, bias 16; one NaN, one zero.
    F8E5M2FNUZ(u8), 5, 2, 16, UnsignedZero;
    /// The upper half of an `f32`.
    BF16(u16), 8, 7, 127, Ieee;
    /// IEEE binary16.
    F16(u16), 5, 10, 15, Ieee;
}

/// 8 bits of exponent: a power of two from 2^−127 to 2^127, or NaN. No sign, no zero.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
pub struct F8E8M0FNU(u8);

impl F8E8M0FNU {
    /// The number with this code.
    pub const fn from_bits(bits: u8) -> Self {
        F8E8M0FNU(bits)
    }

    /// The code of this number.
    pub const fn to_bits(self) -> u8 {
        self.0
    }
}

impl Float for F8E8M0FNU {
    const MANTISSA_BITS: u32 = 0;
    const IS_IEEE: bool = false;

    fn to_f64(self) -> f64 {
        if self.0 == 0xff { f64::NAN } else { power_of_two(self.0 as i32 - 127) }
    }

    /// A number halfway between two powers goes to the upper one; zero and negative numbers have no
    /// representation and become NaN.
    fn from_f64(value: f64) -> Self {
        if value.is_nan() || value <= 0.0 || value.is_infinite() {
            return F8E8M0FNU(0xff);
        }
        let exponent = (value.to_bits() >> 52) as i32 - 1023;
        if exponent < -127 {
            return F8E8M0FNU(0);
        }
        let upper_half = (value.to_bits() >> 51) & 1;
        F8E8M0FNU((exponent + 127 + upper_half as i32).min(0xff) as u8)
    }
}

// Sub-byte codes fill the low bits; whatever a host left above them is not part of the number.
macro_rules! sub_byte_elements {
    ($($name:ident, $mask:literal;)*) => {
        $(impl Element for $name {
            const TYPE: ElementType = ElementType::$name;
            const NEEDS_CANONICAL: bool = true;
            type Word = u8;
            fn canonical(self) -> Self {
                $name(self.0 & $mask)
            }
        })*
    };
}
sub_byte_elements! { F4E2M1FN, 0x0f; F6E2M3FN, 0x3f; F6E3M2FN, 0x3f; }

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the encoder of one format against the definition of rounding to nearest even: among all finite
    /// values of the format, found by decoding every code, take the nearest; on a tie the even code.
    fn check_format<T: Float>(code: impl Fn(T) -> u16, from_code: impl Fn(u16) -> T, codes: u32, special: Special) {
        let sign_bit = (codes / 2) as u16;
        let mut finite: Vec<(f64, u16)> =
            (0..sign_bit).map(|c| (from_code(c).to_f64(), c)).filter(|(value, _)| value.is_finite()).collect();
        finite.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Codes of non-negative numbers are in order of value.
        assert!(finite.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
        for pair in finite.windows(2) {
            let ((low, low_code), (high, high_code)) = (pair[0], pair[1]);
            let middle = (low + high) / 2.0;
            let even = if low_code % 2 == 0 { low_code } else { high_code };
            let just_below = f64::from_bits(middle.to_bits() - 1);
            let just_above = f64::from_bits(middle.to_bits() + 1);
            for (value, want) in
                [(low, low_code), (middle, even), (just_below, low_code), (just_above, high_code), (high, high_code)]
            {
                assert_eq!(code(T::from_f64(value)), want, "{value}");
                let negative_zero_is_nan = special == Special::UnsignedZero && want == 0;
                let want_negative = if negative_zero_is_nan { 0 } else { want | sign_bit };
                assert_eq!(code(T::from_f64(-value)), want_negative, "-{value}");
            }
        }
        let (max, max_code) = *finite.last().unwrap();
        let step = max - finite[finite.len() - 2].0;
        // Below half a step beyond the maximum it still rounds to it; from half a step on it overflows
        // (the maximum of the formats that saturate absorbs everything).
        assert_eq!(code(T::from_f64(max + step * 0.499)), max_code);
        for value in [max + step, max * 4.0, f64::INFINITY] {
            let rounded = T::from_f64(value);
            match special {
                Special::Ieee => assert_eq!(rounded.to_f64(), f64::INFINITY),
                Special::NanOnly | Special::UnsignedZero => assert!(rounded.to_f64().is_nan()),
                Special::FiniteOnly => assert_eq!(rounded.to_f64(), max),
            }
        }
        if special != Special::FiniteOnly {
            assert!(T::from_f64(f64::NAN).to_f64().is_nan());
        }
        // Every code survives a round trip through f64, NaN as some NaN.
        for c in (0..codes).map(|c| c as u16) {
            let value = from_code(c).to_f64();
            if value.is_nan() {
                assert!(T::from_f64(value).to_f64().is_nan());
            } else {
                assert_eq!(code(T::from_f64(value)), c);
            }
        }
    }

    macro_rules! check_formats {
        ($($name:ident $codes:literal;)*) => {
            $(check_format(
                |x: $name| x.0 as u16,
                |c| $name(c as _),
                $codes,
                $name::FORMAT.special,
            );)*
        };
    }

    #[test]
    fn every_format_rounds_to_nearest_even() {
        check_formats! {
            F4E2M1FN 16; F6E2M3FN 64; F6E3M2FN 64; F8E3M4 256; F8E4M3 256; F8E4M3FN 256; F8E4M3FNUZ 256;
            F8E4M3B11FNUZ 256; F8E5M2 256; F8E5M2FNUZ 256;
        }
    }

    #[test]
    fn every_pattern_of_f16_and_bf16() {
        check_format(|x: F16| x.0, F16, 65_536, Special::Ieee);
        check_format(|x: BF16| x.0, BF16, 65_536, Special::Ieee);
        for code in 0..=u16::MAX {
            // bf16 is the upper half of f32, by definition.
            let want = f32::from_bits((code as u32) << 16);
            let got = BF16(code).to_f64();
            assert!(got == want as f64 || (got.is_nan() && want.is_nan()), "{code:#x}");
        }
    }

    #[test]
    fn known_values() {
        assert_eq!(F4E2M1FN(0x7).to_f64(), 6.0);
        assert_eq!(F6E2M3FN(0x1f).to_f64(), 7.5);
        assert_eq!(F6E3M2FN(0x1f).to_f64(), 28.0);
        assert_eq!(F8E3M4(0x6f).to_f64(), 15.5);
        assert_eq!(F8E4M3(0x77).to_f64(), 240.0);
        assert_eq!(F8E4M3FN(0x7e).to_f64(), 448.0);
        assert_eq!(F8E4M3FNUZ(0x7f).to_f64(), 240.0);
        assert_eq!(F8E4M3B11FNUZ(0x7f).to_f64(), 30.0);
        assert_eq!(F8E5M2(0x7b).to_f64(), 57344.0);
        assert_eq!(F8E5M2FNUZ(0x7f).to_f64(), 57344.0);
        assert_eq!(F16(0x3c01).to_f64(), 1.0009765625);
        assert_eq!(F16(0x0001).to_f64(), 2f64.powi(-24));
        assert_eq!(F8E8M0FNU(0).to_f64(), 2f64.powi(-127));
    }

    #[test]
    fn scale_format_has_powers_of_two_only() {
        for code in 0..=254u8 {
            assert_eq!(F8E8M0FNU::from_f64(F8E8M0FNU(code).to_f64()).0, code);
        }
        assert_eq!(F8E8M0FNU::from_f64(1.49).to_f64(), 1.0);
        assert_eq!(F8E8M0FNU::from_f64(1.5).to_f64(), 2.0);
        assert_eq!(F8E8M0FNU::from_f64(3.0).to_f64(), 4.0);
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY, 3e38] {
            assert!(F8E8M0FNU::from_f64(value).to_f64().is_nan(), "{value}");
        }
        assert_eq!(F8E8M0FNU::from_f64(1e-45).0, 0);
    }
}
