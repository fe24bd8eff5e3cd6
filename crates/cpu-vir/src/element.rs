//! Element types: what lies in memory ([`Storage`]) and what a lane computes with ([`Type`]).
//!
//! Knows sizes and classes only; conversions belong to the executors.

use std::fmt;

/// What one lane of a vector value is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Type {
    /// True or false; one byte, 1 or 0.
    Mask,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
}

impl Type {
    /// Every type, in declaration order.
    pub const ALL: [Type; 11] = [
        Type::Mask,
        Type::I8,
        Type::I16,
        Type::I32,
        Type::I64,
        Type::U8,
        Type::U16,
        Type::U32,
        Type::U64,
        Type::F32,
        Type::F64,
    ];

    /// Bytes of one lane.
    pub const fn size(self) -> usize {
        match self {
            Type::Mask | Type::I8 | Type::U8 => 1,
            Type::I16 | Type::U16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::I64 | Type::U64 | Type::F64 => 8,
        }
    }

    /// Is it f32 or f64?
    pub const fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }

    /// Is it an integer, signed or not? A mask is none.
    pub const fn is_integer(self) -> bool {
        !self.is_float() && !matches!(self, Type::Mask)
    }

    /// Is it a signed integer?
    pub const fn is_signed_integer(self) -> bool {
        matches!(self, Type::I8 | Type::I16 | Type::I32 | Type::I64)
    }

    /// Is it an unsigned integer?
    pub const fn is_unsigned(self) -> bool {
        matches!(self, Type::U8 | Type::U16 | Type::U32 | Type::U64)
    }

    /// The storage that holds lanes of this type as they are.
    pub const fn storage(self) -> Storage {
        match self {
            Type::Mask => Storage::Bool,
            Type::I8 => Storage::I8,
            Type::I16 => Storage::I16,
            Type::I32 => Storage::I32,
            Type::I64 => Storage::I64,
            Type::U8 => Storage::U8,
            Type::U16 => Storage::U16,
            Type::U32 => Storage::U32,
            Type::U64 => Storage::U64,
            Type::F32 => Storage::F32,
            Type::F64 => Storage::F64,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Type::Mask => "mask",
            Type::I8 => "i8",
            Type::I16 => "i16",
            Type::I32 => "i32",
            Type::I64 => "i64",
            Type::U8 => "u8",
            Type::U16 => "u16",
            Type::U32 => "u32",
            Type::U64 => "u64",
            Type::F32 => "f32",
            Type::F64 => "f64",
        })
    }
}

macro_rules! storages {
    ($($name:ident $text:literal $compute:ident $size:literal,)*) => {
        /// How the elements of an array lie in memory, little-endian. Types below a byte take a whole one: integers
        /// extended by sign or zeros, floats in the low bits, as ml_dtypes and the host buffers of PJRT have them.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs, reason = "the names are those of StableHLO")]
        pub enum Storage { $($name,)* }

        impl Storage {
            /// Every storage type.
            pub const ALL: &[Storage] = &[$(Storage::$name,)*];

            /// The type that its elements are computed in; of complex numbers, that of each part.
            pub const fn compute(self) -> Type {
                match self { $(Storage::$name => Type::$compute,)* }
            }

            /// Bytes from one element to the next.
            pub const fn size(self) -> usize {
                match self { $(Storage::$name => $size,)* }
            }

            /// The name in StableHLO's text form.
            pub const fn name(self) -> &'static str {
                match self { $(Storage::$name => $text,)* }
            }
        }
    };
}

storages! {
    Bool "i1" Mask 1,
    I2 "i2" I8 1,
    I4 "i4" I8 1,
    I8 "i8" I8 1,
    I16 "i16" I16 2,
    I32 "i32" I32 4,
    I64 "i64" I64 8,
    U2 "ui2" U8 1,
    U4 "ui4" U8 1,
    U8 "ui8" U8 1,
    U16 "ui16" U16 2,
    U32 "ui32" U32 4,
    U64 "ui64" U64 8,
    F4E2M1FN "f4E2M1FN" F32 1,
    F6E2M3FN "f6E2M3FN" F32 1,
    F6E3M2FN "f6E3M2FN" F32 1,
    F8E3M4 "f8E3M4" F32 1,
    F8E4M3 "f8E4M3" F32 1,
    F8E4M3FN "f8E4M3FN" F32 1,
    F8E4M3FNUZ "f8E4M3FNUZ" F32 1,
    F8E4M3B11FNUZ "f8E4M3B11FNUZ" F32 1,
    F8E5M2 "f8E5M2" F32 1,
    F8E5M2FNUZ "f8E5M2FNUZ" F32 1,
    F8E8M0FNU "f8E8M0FNU" F32 1,
    BF16 "bf16" F32 2,
    F16 "f16" F32 2,
    F32 "f32" F32 4,
    F64 "f64" F64 8,
    Complex64 "complex<f32>" F32 8,
    Complex128 "complex<f64>" F64 16,
}

impl Storage {
    /// Does an element have a real and an imaginary part?
    pub const fn is_complex(self) -> bool {
        matches!(self, Storage::Complex64 | Storage::Complex128)
    }

    /// Is it a float that is computed in f32 but holds less: f4 to f16?
    pub fn is_small_float(self) -> bool {
        matches!(self.compute(), Type::F32) && !matches!(self, Storage::F32 | Storage::Complex64)
    }

    /// Bits of an integer narrower than a byte.
    pub const fn narrow_bits(self) -> Option<u32> {
        match self {
            Storage::I2 | Storage::U2 => Some(2),
            Storage::I4 | Storage::U4 => Some(4),
            _ => None,
        }
    }
}

impl fmt::Display for Storage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
