//! The types of values and of typed attributes.
//!
//! Types are interned in a [`Module`](super::Module), so that equal types have equal [`TypeId`]s. VHLO and
//! builtin spellings of the same type are the same type here.

use super::ids::{AttrId, StrId, TypeId};
use super::quantized::QuantizedType;
use crate::ElementType;

/// Marks a dimension whose size is known only when the program runs.
pub const DYNAMIC: i64 = i64::MIN;

/// What one element of a tensor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// A number.
    Plain(ElementType),
    /// `index`: used in shapes and layouts; 64 bits wide where it is stored.
    Index,
    /// Quantized; the id is that of a [`Type::Quantized`].
    Quantized(TypeId),
    /// Anything else, such as `none` or `tf32`; no StableHLO op works on it.
    Other(TypeId),
}

/// `tensor<2x?xf32>`, possibly with an encoding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorType {
    /// Sizes, outermost first; [`DYNAMIC`] where unknown, never otherwise negative.
    pub dims: Box<[i64]>,
    /// The element.
    pub element: Element,
    /// The encoding attribute, for instance [`TypeExtensions`](super::attrs::TypeExtensions) with bounds.
    pub encoding: Option<AttrId>,
}

impl TensorType {
    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// The element, if it is a number (not `index`, not quantized).
    pub fn element_type(&self) -> Option<ElementType> {
        match self.element {
            Element::Plain(element) => Some(element),
            _ => None,
        }
    }

    /// True if no dimension is [`DYNAMIC`].
    pub fn is_static(&self) -> bool {
        self.dims.iter().all(|&d| d != DYNAMIC)
    }

    /// Number of elements; `None` if a dimension is dynamic or the product overflows.
    pub fn num_elements(&self) -> Option<usize> {
        if !self.is_static() {
            return None;
        }
        if self.dims.contains(&0) {
            return Some(0);
        }
        self.dims.iter().try_fold(1usize, |n, &d| n.checked_mul(usize::try_from(d).ok()?))
    }
}

/// Sign semantics of a builtin integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signedness {
    /// `i8`; StableHLO reads it as signed.
    Signless,
    /// `si8`.
    Signed,
    /// `ui8`.
    Unsigned,
}

/// Builtin float types that are no tensor elements of StableHLO.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OtherFloat {
    /// `tf32`: 19 significant bits, only named in dot algorithms.
    Tf32,
    /// `f80`.
    F80,
    /// `f128`.
    F128,
}

impl OtherFloat {
    /// The spelling in the text form.
    pub const fn text(self) -> &'static str {
        match self {
            OtherFloat::Tf32 => "tf32",
            OtherFloat::F80 => "f80",
            OtherFloat::F128 => "f128",
        }
    }
}

/// A type of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A ranked tensor: what nearly every value is.
    Tensor(TensorType),
    /// `tensor<*xT>`.
    UnrankedTensor(Element),
    /// A number outside a tensor, as in the type of an integer attribute.
    Scalar(ElementType),
    /// `index`.
    Index,
    /// An integer type that no [`ElementType`] covers, such as `i3`, `si8` or `i128`.
    Integer {
        /// Bits.
        width: u32,
        /// Sign semantics.
        signedness: Signedness,
    },
    /// A float type that no [`ElementType`] covers.
    Float(OtherFloat),
    /// `complex<T>` for an element that no [`ElementType`] covers.
    Complex(TypeId),
    /// A quantized element.
    Quantized(QuantizedType),
    /// `!stablehlo.token`.
    Token,
    /// `tuple<...>`.
    Tuple(Box<[TypeId]>),
    /// `!stablehlo.future<...>`: what an asynchronous op will deliver.
    Future(Box<[TypeId]>),
    /// `(inputs) -> (results)`.
    Function {
        /// Argument types.
        inputs: Box<[TypeId]>,
        /// Result types.
        results: Box<[TypeId]>,
    },
    /// `memref<...>`: a buffer of VHLO, a memref of builtin.
    MemRef {
        /// Sizes; [`DYNAMIC`] where unknown.
        dims: Box<[i64]>,
        /// The element.
        element: Element,
        /// Layout attribute, if it is not the identity.
        layout: Option<AttrId>,
        /// Memory space attribute.
        memory_space: Option<AttrId>,
    },
    /// `vector<...>`.
    Vector {
        /// Sizes.
        dims: Box<[i64]>,
        /// For each dimension, whether it is scalable.
        scalable: Box<[bool]>,
        /// The element.
        element: Element,
    },
    /// `none`.
    None,
    /// `!shape.witness`.
    Witness,
    /// A type known only by its text.
    Opaque(StrId),
}

impl Type {
    /// The builtin integer type of this width; StableHLO reads signless as signed.
    pub fn integer(width: u32, signedness: Signedness) -> Type {
        let element = match (width, signedness) {
            (1, Signedness::Signless) => ElementType::Bool,
            (2, Signedness::Signless) => ElementType::I2,
            (4, Signedness::Signless) => ElementType::I4,
            (8, Signedness::Signless) => ElementType::I8,
            (16, Signedness::Signless) => ElementType::I16,
            (32, Signedness::Signless) => ElementType::I32,
            (64, Signedness::Signless) => ElementType::I64,
            (2, Signedness::Unsigned) => ElementType::U2,
            (4, Signedness::Unsigned) => ElementType::U4,
            (8, Signedness::Unsigned) => ElementType::U8,
            (16, Signedness::Unsigned) => ElementType::U16,
            (32, Signedness::Unsigned) => ElementType::U32,
            (64, Signedness::Unsigned) => ElementType::U64,
            _ => return Type::Integer { width, signedness },
        };
        Type::Scalar(element)
    }

    /// The tensor type, if it is a ranked tensor.
    pub fn as_tensor(&self) -> Option<&TensorType> {
        match self {
            Type::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }
}
