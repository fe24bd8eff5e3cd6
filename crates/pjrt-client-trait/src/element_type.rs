//! The element types that cross the PJRT boundary (`PJRT_Buffer_Type`), and their widths.

use std::fmt;

macro_rules! element_types {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $text:literal, $mlir:literal, $bits:literal, $primitive:literal;)*) => {
        /// The type of one element of a buffer. The discriminants are those of `PJRT_Buffer_Type`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum ElementType { $($(#[$doc])* $name = $number,)* }

        impl ElementType {
            /// Every element type.
            pub const ALL: &'static [ElementType] = &[$(ElementType::$name,)*];

            /// The type with this `PJRT_Buffer_Type` number.
            pub const fn from_number(number: u32) -> Option<ElementType> {
                match number { $($number => Some(ElementType::$name),)* _ => None }
            }

            /// Lower-case spelling as XLA prints it, such as `f32` or `pred`.
            pub const fn text(self) -> &'static str {
                match self { $(ElementType::$name => $text,)* }
            }

            /// Spelling in StableHLO programs, such as `f32`, `ui8` or `complex<f64>`.
            pub const fn mlir_text(self) -> &'static str {
                match self { $(ElementType::$name => $mlir,)* }
            }

            /// The type that StableHLO programs spell so.
            pub fn from_mlir_text(text: &str) -> Option<ElementType> {
                match text { $($mlir => Some(ElementType::$name),)* _ => None }
            }

            /// Width of the value itself in bits; 0 for tokens.
            pub const fn bits(self) -> usize {
                match self { $(ElementType::$name => $bits,)* }
            }

            /// The number of this type in XLA's `PrimitiveType` (shape protos).
            pub const fn primitive_type(self) -> u64 {
                match self { $(ElementType::$name => $primitive,)* }
            }
        }
    };
}

element_types! {
    /// A boolean, one byte in host memory.
    Pred = 1, "pred", "i1", 1, 1;
    /// Signed 8-bit integer.
    S8 = 2, "s8", "i8", 8, 2;
    /// Signed 16-bit integer.
    S16 = 3, "s16", "i16", 16, 3;
    /// Signed 32-bit integer.
    S32 = 4, "s32", "i32", 32, 4;
    /// Signed 64-bit integer.
    S64 = 5, "s64", "i64", 64, 5;
    /// Unsigned 8-bit integer.
    U8 = 6, "u8", "ui8", 8, 6;
    /// Unsigned 16-bit integer.
    U16 = 7, "u16", "ui16", 16, 7;
    /// Unsigned 32-bit integer.
    U32 = 8, "u32", "ui32", 32, 8;
    /// Unsigned 64-bit integer.
    U64 = 9, "u64", "ui64", 64, 9;
    /// IEEE binary16.
    F16 = 10, "f16", "f16", 16, 10;
    /// IEEE binary32.
    F32 = 11, "f32", "f32", 32, 11;
    /// IEEE binary64.
    F64 = 12, "f64", "f64", 64, 12;
    /// Brain float.
    Bf16 = 13, "bf16", "bf16", 16, 16;
    /// Pair of `f32`.
    C64 = 14, "c64", "complex<f32>", 64, 15;
    /// Pair of `f64`.
    C128 = 15, "c128", "complex<f64>", 128, 18;
    /// 8-bit float, 5 exponent bits.
    F8E5M2 = 16, "f8e5m2", "f8E5M2", 8, 19;
    /// 8-bit float, 4 exponent bits, finite.
    F8E4M3Fn = 17, "f8e4m3fn", "f8E4M3FN", 8, 20;
    /// 8-bit float, 4 exponent bits, bias 11, one zero.
    F8E4M3B11Fnuz = 18, "f8e4m3b11fnuz", "f8E4M3B11FNUZ", 8, 23;
    /// 8-bit float, 5 exponent bits, one zero.
    F8E5M2Fnuz = 19, "f8e5m2fnuz", "f8E5M2FNUZ", 8, 24;
    /// 8-bit float, 4 exponent bits, one zero.
    F8E4M3Fnuz = 20, "f8e4m3fnuz", "f8E4M3FNUZ", 8, 25;
    /// Signed 4-bit integer, a whole byte in host memory.
    S4 = 21, "s4", "i4", 4, 21;
    /// Unsigned 4-bit integer, a whole byte in host memory.
    U4 = 22, "u4", "ui4", 4, 22;
    /// Ordering of side effects; rank 0, no data.
    Token = 23, "token", "!stablehlo.token", 0, 17;
    /// Signed 2-bit integer, a whole byte in host memory.
    S2 = 24, "s2", "i2", 2, 26;
    /// Unsigned 2-bit integer, a whole byte in host memory.
    U2 = 25, "u2", "ui2", 2, 27;
    /// 8-bit float, 4 exponent bits, with infinities.
    F8E4M3 = 26, "f8e4m3", "f8E4M3", 8, 28;
    /// 8-bit float, 3 exponent bits, with infinities.
    F8E3M4 = 27, "f8e3m4", "f8E3M4", 8, 29;
    /// 8-bit exponent without sign and mantissa.
    F8E8M0Fnu = 28, "f8e8m0fnu", "f8E8M0FNU", 8, 33;
    /// 4-bit float, a whole byte in host memory.
    F4E2M1Fn = 29, "f4e2m1fn", "f4E2M1FN", 4, 32;
    /// Signed 1-bit integer, a whole byte in host memory.
    S1 = 30, "s1", "si1", 1, 30;
    /// Unsigned 1-bit integer, a whole byte in host memory.
    U1 = 31, "u1", "ui1", 1, 31;
    /// 6-bit float, 2 exponent bits, a whole byte in host memory.
    F6E2M3Fn = 32, "f6e2m3fn", "f6E2M3FN", 6, 36;
    /// 6-bit float, 3 exponent bits, a whole byte in host memory.
    F6E3M2Fn = 33, "f6e3m2fn", "f6E3M2FN", 6, 35;
}

impl ElementType {
    /// Bytes of one element in host memory: whole bytes, also for sub-byte types; 0 for tokens.
    pub const fn byte_width(self) -> usize {
        self.bits().div_ceil(8)
    }
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
    fn numbers_round_trip_and_zero_is_invalid() {
        for &ty in ElementType::ALL {
            assert_eq!(ElementType::from_number(ty as u32), Some(ty));
            assert_eq!(ElementType::from_mlir_text(ty.mlir_text()), Some(ty));
        }
        assert_eq!(ElementType::from_number(0), None);
        assert_eq!(ElementType::ALL.len(), 33);
    }
}
