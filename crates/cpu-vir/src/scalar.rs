//! One typed number: constants of a body, fill values of guarded loads, start values of reductions.

use std::fmt;

use crate::element::Type;

/// A lane's value: its type, and its bits in the low bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Scalar {
    ty: Type,
    bits: u64,
}

impl Scalar {
    /// From the bits of the value; those above the type's size are dropped.
    pub fn from_bits(ty: Type, bits: u64) -> Scalar {
        let bits = match ty.size() {
            8 => bits,
            size => bits & ((1 << (8 * size)) - 1),
        };
        Scalar { ty, bits }
    }

    /// An integer, wrapped to the type; converted when the type is a float, "not zero" when it is a mask.
    pub fn integer(ty: Type, value: i64) -> Scalar {
        match ty {
            Type::F32 => Scalar::from(value as f32),
            Type::F64 => Scalar::from(value as f64),
            Type::Mask => Scalar::from(value != 0),
            _ => Scalar::from_bits(ty, value as u64),
        }
    }

    /// A float, rounded to f32 or f64; `None` for other types.
    pub fn float(ty: Type, value: f64) -> Option<Scalar> {
        match ty {
            Type::F32 => Some(Scalar::from(value as f32)),
            Type::F64 => Some(Scalar::from(value)),
            _ => None,
        }
    }

    /// Its type.
    pub fn ty(self) -> Type {
        self.ty
    }

    /// Its bits, in the low bytes.
    pub fn bits(self) -> u64 {
        self.bits
    }
}

macro_rules! from_number {
    ($($number:ident $ty:ident |$value:ident| $bits:expr;)*) => {$(
        impl From<$number> for Scalar {
            fn from($value: $number) -> Scalar {
                Scalar::from_bits(Type::$ty, $bits)
            }
        }
    )*};
}

from_number! {
    bool Mask |value| u64::from(value);
    i8 I8 |value| value as u64;
    i16 I16 |value| value as u64;
    i32 I32 |value| value as u64;
    i64 I64 |value| value as u64;
    u8 U8 |value| u64::from(value);
    u16 U16 |value| u64::from(value);
    u32 U32 |value| u64::from(value);
    u64 U64 |value| value;
    f32 F32 |value| u64::from(value.to_bits());
    f64 F64 |value| value.to_bits();
}

impl fmt::Display for Scalar {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ty {
            Type::Mask => write!(out, "{}", self.bits != 0),
            Type::I8 => write!(out, "{}", self.bits as i8),
            Type::I16 => write!(out, "{}", self.bits as i16),
            Type::I32 => write!(out, "{}", self.bits as i32),
            Type::I64 => write!(out, "{}", self.bits as i64),
            Type::U8 | Type::U16 | Type::U32 | Type::U64 => write!(out, "{}", self.bits),
            Type::F32 => write!(out, "{:?}", f32::from_bits(self.bits as u32)),
            Type::F64 => write!(out, "{:?}", f64::from_bits(self.bits)),
        }
    }
}
