//! Element types as Rust types, and the three domains in which arithmetic is done.
//!
//! Every float computes in `f64` and rounds once on the way back; every complex number computes as a pair of
//! `f64`; every integer computes modulo 2^64 and is cut to its width. One rounding from `f64` is the correctly
//! rounded result for `+ - * / sqrt` of every narrower float, because 53 bits are more than twice 24 plus two.
//! Knows nothing of tensors' shapes or of operations.

mod boolean;
mod complex;
mod complex_inverse;
mod float;
mod integer;
mod small_float;

pub use boolean::Bool;
pub use complex::{C64, Complex, ComplexElement};
pub use float::Float;
pub use integer::{I2, I4, Integer, U2, U4};
pub use small_float::{
    BF16, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3B11FNUZ, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ,
    F8E8M0FNU, F16,
};

use std::fmt::Debug;
use std::sync::Arc;

use bytemuck::Pod;

use super::error::OpError;
use super::tensor::{Tensor, Words};
use crate::ElementType;

/// A Rust type that lies in memory as one element of a dense host array.
pub trait Element: Pod + PartialEq + Debug + Send + Sync {
    /// The element type it represents.
    const TYPE: ElementType;
    /// Whether some byte patterns mean nothing by themselves and [`Element::canonical`] has work to do.
    const NEEDS_CANONICAL: bool = false;
    /// The word of the same size and alignment that stores it.
    type Word: Word;

    /// Zero, or false.
    fn zero() -> Self {
        Self::zeroed()
    }

    /// The canonical form of a pattern that came from outside.
    fn canonical(self) -> Self {
        self
    }
}

/// A storage word, which knows its case of [`Words`].
pub trait Word: Pod + Debug + Send + Sync {
    /// Wraps a vector of such words.
    fn store(words: Arc<Vec<Self>>) -> Words;
    /// The vector, if it holds this sort of word.
    fn load(words: &Words) -> Option<&Vec<Self>>;
    /// The vector for writing, if it holds this sort of word.
    fn load_mut(words: &mut Words) -> Option<&mut Arc<Vec<Self>>>;
}

macro_rules! word {
    ($ty:ty, $case:ident) => {
        impl Word for $ty {
            fn store(words: Arc<Vec<Self>>) -> Words {
                Words::$case(words)
            }
            fn load(words: &Words) -> Option<&Vec<Self>> {
                if let Words::$case(v) = words { Some(v) } else { None }
            }
            fn load_mut(words: &mut Words) -> Option<&mut Arc<Vec<Self>>> {
                if let Words::$case(v) = words { Some(v) } else { None }
            }
        }
    };
}
word!(u8, W8);
word!(u16, W16);
word!(u32, W32);
word!(u64, W64);
word!([u32; 2], P32);
word!([u64; 2], P64);

macro_rules! plain_elements {
    ($($ty:ty, $element_type:ident, $word:ty;)*) => {
        $(impl Element for $ty {
            const TYPE: ElementType = ElementType::$element_type;
            type Word = $word;
        })*
    };
}
plain_elements! {
    i8, I8, u8; i16, I16, u16; i32, I32, u32; i64, I64, u64;
    u8, U8, u8; u16, U16, u16; u32, U32, u32; u64, U64, u64;
    f32, F32, u32; f64, F64, u64;
    BF16, BF16, u16; F16, F16, u16;
    F8E3M4, F8E3M4, u8; F8E4M3, F8E4M3, u8; F8E4M3FN, F8E4M3FN, u8; F8E4M3FNUZ, F8E4M3FNUZ, u8;
    F8E4M3B11FNUZ, F8E4M3B11FNUZ, u8; F8E5M2, F8E5M2, u8; F8E5M2FNUZ, F8E5M2FNUZ, u8; F8E8M0FNU, F8E8M0FNU, u8;
    C64, C64, [u32; 2]; Complex, C128, [u64; 2];
}

/// Runs an expression with `$T` bound to the Rust type of an integer element type, or the other expression.
macro_rules! with_integer {
    ($ty:expr, $T:ident => $body:expr, _ => $other:expr) => {
        $crate::eval::number::dispatch!($ty, $T => $body, _ => $other,
            I2 I2, I4 I4, I8 i8, I16 i16, I32 i32, I64 i64, U2 U2, U4 U4, U8 u8, U16 u16, U32 u32, U64 u64)
    };
}

/// Runs an expression with `$T` bound to the Rust type of a float element type, or the other expression.
macro_rules! with_float {
    ($ty:expr, $T:ident => $body:expr, _ => $other:expr) => {
        $crate::eval::number::dispatch!($ty, $T => $body, _ => $other,
            F4E2M1FN F4E2M1FN, F6E2M3FN F6E2M3FN, F6E3M2FN F6E3M2FN, F8E3M4 F8E3M4, F8E4M3 F8E4M3,
            F8E4M3FN F8E4M3FN, F8E4M3FNUZ F8E4M3FNUZ, F8E4M3B11FNUZ F8E4M3B11FNUZ, F8E5M2 F8E5M2,
            F8E5M2FNUZ F8E5M2FNUZ, F8E8M0FNU F8E8M0FNU, BF16 BF16, F16 F16, F32 f32, F64 f64)
    };
}

/// Runs an expression with `$T` bound to the Rust type of a complex element type, or the other expression.
macro_rules! with_complex {
    ($ty:expr, $T:ident => $body:expr, _ => $other:expr) => {
        $crate::eval::number::dispatch!($ty, $T => $body, _ => $other, C64 C64, C128 Complex)
    };
}

/// Runs an expression with `$T` bound to the Rust type of any element type.
macro_rules! with_element {
    ($ty:expr, $T:ident => $body:expr) => {
        $crate::eval::number::dispatch!($ty, $T => $body,
            Bool Bool,
            I2 I2, I4 I4, I8 i8, I16 i16, I32 i32, I64 i64, U2 U2, U4 U4, U8 u8, U16 u16, U32 u32, U64 u64,
            F4E2M1FN F4E2M1FN, F6E2M3FN F6E2M3FN, F6E3M2FN F6E3M2FN, F8E3M4 F8E3M4, F8E4M3 F8E4M3,
            F8E4M3FN F8E4M3FN, F8E4M3FNUZ F8E4M3FNUZ, F8E4M3B11FNUZ F8E4M3B11FNUZ, F8E5M2 F8E5M2,
            F8E5M2FNUZ F8E5M2FNUZ, F8E8M0FNU F8E8M0FNU, BF16 BF16, F16 F16, F32 f32, F64 f64,
            C64 C64, C128 Complex)
    };
}

/// The match behind the `with_*` macros. Each arm brings the wrapper types into scope by itself.
macro_rules! dispatch {
    ($ty:expr, $T:ident => $body:expr, $(_ => $other:expr,)? $($case:ident $rust:ident),*) => {{
        #[allow(unused_imports, reason = "each expansion uses some of the wrapper types")]
        use $crate::eval::number::{
            BF16, Bool, C64, Complex, F16, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3B11FNUZ, F8E4M3FN,
            F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, I2, I4, U2, U4,
        };
        match $ty {
            $($crate::ElementType::$case => {
                type $T = $rust;
                $body
            })*
            $(_ => $other,)?
        }
    }};
}
pub(crate) use {dispatch, with_complex, with_element, with_float, with_integer};

/// Elements of an integer or `i1` tensor as `i64`; `ui64` values beyond it saturate.
pub(crate) fn integers_as_i64(tensor: &Tensor) -> Result<Vec<i64>, OpError> {
    let ty = tensor.element_type();
    if ty == ElementType::Bool {
        return Ok(tensor.as_slice::<Bool>().iter().map(|b| b.get() as i64).collect());
    }
    with_integer!(ty,
        T => Ok(tensor.as_slice::<T>().iter().map(|x| x.to_i64_saturating()).collect()),
        _ => Err(OpError::element_type("an index or size", ty)))
}
