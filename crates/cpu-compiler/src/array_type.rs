//! Types of run-time values: dense row-major arrays, and tokens, which hold nothing.

use crate::error::{Error, Result};
use stablehlo::ElementType;
use stablehlo::ir::{Element, Module, Type, TypeId};

/// Element type and static shape of an array. A token is an array of no elements and `None` as type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayType {
    /// The type of the elements; `None` for a token.
    pub element: Option<ElementType>,
    /// Sizes, outermost first.
    pub dims: Vec<usize>,
}

impl ArrayType {
    /// An array.
    pub fn new(element: ElementType, dims: &[usize]) -> ArrayType {
        ArrayType { element: Some(element), dims: dims.to_vec() }
    }

    /// A token.
    pub fn token() -> ArrayType {
        ArrayType { element: None, dims: vec![0] }
    }

    /// The type of a value of a program.
    ///
    /// # Errors
    /// For dynamic shapes, tuples, quantized and foreign element types, and sizes that no memory holds.
    pub fn of(module: &Module, ty: TypeId) -> Result<ArrayType> {
        let unsupported =
            |why: &str| Err(Error::unsupported(format!("values of type {}: {why}", module.type_text(ty))));
        match module.ty(ty) {
            Type::Token => Ok(ArrayType::token()),
            Type::Tensor(tensor) => {
                let Element::Plain(element) = tensor.element else {
                    return unsupported("the CPU backend runs plain element types only; dequantize or convert first");
                };
                let dims: Option<Vec<usize>> = tensor.dims.iter().map(|&dim| usize::try_from(dim).ok()).collect();
                let Some(dims) = dims else {
                    return unsupported("sizes must be static; refine the shapes of the program first");
                };
                let array = ArrayType::new(element, &dims);
                let elements = dims.iter().filter(|&&dim| dim > 0).try_fold(1usize, |n, &dim| n.checked_mul(dim));
                match elements.and_then(|n| n.checked_mul(16)).filter(|&bytes| bytes <= isize::MAX as usize) {
                    Some(_) => Ok(array),
                    None => unsupported("no machine has that much memory"),
                }
            }
            _ => unsupported("arrays and tokens only; flatten tuples first"),
        }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.dims.iter().product()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of one element; 0 for tokens.
    pub fn width(&self) -> usize {
        self.element.map_or(0, ElementType::byte_width)
    }

    /// Bytes of the array.
    pub fn bytes(&self) -> usize {
        self.len() * self.width()
    }
}
