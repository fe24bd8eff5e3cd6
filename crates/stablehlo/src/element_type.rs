//! The element types a tensor can have, and the plain facts about each: spelling, width, kind.
//!
//! Owns no arithmetic and no storage; those are in the evaluator. Quantized types are types of the IR
//! (they carry parameters) and refer to these for their storage and expressed types.

use std::fmt;

/// What sort of number an [`ElementType`] holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// `i1`.
    Bool,
    /// Two's complement integers.
    Signed,
    /// Unsigned integers.
    Unsigned,
    /// Binary floating point, from 4 to 64 bits.
    Float,
    /// A pair (real, imaginary) of floats.
    Complex,
}

macro_rules! element_types {
    ($($(#[$doc:meta])* $name:ident, $text:literal, $kind:ident, $bits:literal, $bytes:literal;)*) => {
        /// The type of one element of a tensor, spelled as in the StableHLO specification.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ElementType { $($(#[$doc])* $name,)* }

        impl ElementType {
            /// Every element type, in order of declaration.
            pub const ALL: &'static [ElementType] = &[$(ElementType::$name,)*];

            /// The spelling in the text form, such as `f32` or `complex<f64>`.
            pub const fn text(self) -> &'static str {
                match self { $(ElementType::$name => $text,)* }
            }

            /// Bool, signed, unsigned, float or complex.
            pub const fn kind(self) -> ElementKind {
                match self { $(ElementType::$name => ElementKind::$kind,)* }
            }

            /// Width of the value itself, in bits (1 for `i1`, 64 for `complex<f32>`).
            pub const fn bits(self) -> usize {
                match self { $(ElementType::$name => $bits,)* }
            }

            /// Bytes of one element in a dense host array; sub-byte types and `i1` take a whole byte.
            pub const fn byte_width(self) -> usize {
                match self { $(ElementType::$name => $bytes,)* }
            }

            /// The type with this spelling, if there is one.
            pub fn from_text(text: &str) -> Option<ElementType> {
                match text { $($text => Some(ElementType::$name),)* _ => None }
            }
        }
    };
}

element_types! {
    /// One bit: false or true.
    Bool, "i1", Bool, 1, 1;
    /// Signed 2-bit integer.
    I2, "i2", Signed, 2, 1;
    /// Signed 4-bit integer.
    I4, "i4", Signed, 4, 1;
    /// Signed 8-bit integer.
    I8, "i8", Signed, 8, 1;
    /// Signed 16-bit integer.
    I16, "i16", Signed, 16, 2;
    /// Signed 32-bit integer.
    I32, "i32", Signed, 32, 4;
    /// Signed 64-bit integer.
    I64, "i64", Signed, 64, 8;
    /// Unsigned 2-bit integer.
    U2, "ui2", Unsigned, 2, 1;
    /// Unsigned 4-bit integer.
    U4, "ui4", Unsigned, 4, 1;
    /// Unsigned 8-bit integer.
    U8, "ui8", Unsigned, 8, 1;
    /// Unsigned 16-bit integer.
    U16, "ui16", Unsigned, 16, 2;
    /// Unsigned 32-bit integer.
    U32, "ui32", Unsigned, 32, 4;
    /// Unsigned 64-bit integer.
    U64, "ui64", Unsigned, 64, 8;
    /// 4-bit float: 2 exponent bits, 1 mantissa bit, finite only.
    F4E2M1FN, "f4E2M1FN", Float, 4, 1;
    /// 6-bit float: 2 exponent bits, 3 mantissa bits, finite only.
    F6E2M3FN, "f6E2M3FN", Float, 6, 1;
    /// 6-bit float: 3 exponent bits, 2 mantissa bits, finite only.
    F6E3M2FN, "f6E3M2FN", Float, 6, 1;
    /// 8-bit float: 3 exponent bits, 4 mantissa bits, with infinities.
    F8E3M4, "f8E3M4", Float, 8, 1;
    /// 8-bit float: 4 exponent bits, 3 mantissa bits, with infinities.
    F8E4M3, "f8E4M3", Float, 8, 1;
    /// 8-bit float: 4 exponent bits, 3 mantissa bits, no infinities.
    F8E4M3FN, "f8E4M3FN", Float, 8, 1;
    /// 8-bit float: 4 exponent bits, 3 mantissa bits, no infinities, one zero, bias 8.
    F8E4M3FNUZ, "f8E4M3FNUZ", Float, 8, 1;
    /// 8-bit float: 4 exponent bits, 3 mantissa bits, no infinities, one zero, bias 11.
    F8E4M3B11FNUZ, "f8E4M3B11FNUZ", Float, 8, 1;
    /// 8-bit float: 5 exponent bits, 2 mantissa bits, with infinities.
    F8E5M2, "f8E5M2", Float, 8, 1;
    /// 8-bit float: 5 exponent bits, 2 mantissa bits, no infinities, one zero, bias 16.
    F8E5M2FNUZ, "f8E5M2FNUZ", Float, 8, 1;
    /// 8-bit scale: 8 exponent bits, no sign, no mantissa; powers of two and NaN.
    F8E8M0FNU, "f8E8M0FNU", Float, 8, 1;
    /// Brain float: the upper half of an `f32`.
    BF16, "bf16", Float, 16, 2;
    /// IEEE binary16.
    F16, "f16", Float, 16, 2;
    /// IEEE binary32.
    F32, "f32", Float, 32, 4;
    /// IEEE binary64.
    F64, "f64", Float, 64, 8;
    /// Pair of `f32`: real, imaginary.
    C64, "complex<f32>", Complex, 64, 8;
    /// Pair of `f64`: real, imaginary.
    C128, "complex<f64>", Complex, 128, 16;
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_round_trips() {
        for &ty in ElementType::ALL {
            assert_eq!(ElementType::from_text(ty.text()), Some(ty));
        }
    }

    #[test]
    fn byte_width_holds_the_bits() {
        for &ty in ElementType::ALL {
            assert!(ty.byte_width() * 8 >= ty.bits(), "{ty}");
        }
    }
}
