//! Types and shapes of the buffers of a custom call, and the numbers that the FFI has for element types.

use crate::sys::XLA_FFI_DataType;
use pjrt_client_trait::{ElementType, Result, Status};
use std::fmt;

/// Element type and dense row-major shape of an argument or a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferSpec {
    /// The type of an element.
    pub element_type: ElementType,
    /// Sizes of the dimensions, outermost first; none is negative.
    pub dims: Vec<i64>,
}

impl BufferSpec {
    /// A buffer of this type and shape.
    pub fn new(element_type: ElementType, dims: impl Into<Vec<i64>>) -> Self {
        BufferSpec { element_type, dims: dims.into() }
    }

    /// Its size in bytes as handlers see it; 0 for tokens. Types of 2 and 4 bits are packed, the first element in the
    /// lowest bits of the first byte.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for a negative dimension and for a size that does not fit `isize`.
    pub fn byte_len(&self) -> Result<usize> {
        let mut elements = Some(1usize);
        let mut empty = false;
        for &dim in &self.dims {
            let dim = usize::try_from(dim).map_err(|_| Status::invalid_argument(format!("{self}: negative size")))?;
            empty |= dim == 0;
            elements = elements.and_then(|elements| elements.checked_mul(dim));
        }
        let bytes = elements.and_then(|elements| match self.packed_bits() {
            Some(bits) => Some(elements.div_ceil(8 / bits)),
            None => elements.checked_mul(self.element_type.byte_width()),
        });
        let fits = bytes.filter(|&bytes| isize::try_from(bytes).is_ok());
        if empty {
            return Ok(0);
        }
        fits.ok_or_else(|| Status::invalid_argument(format!("{self}: more bytes than a process can address")))
    }

    /// Bits of an element, if several share a byte.
    pub fn packed_bits(&self) -> Option<usize> {
        match self.element_type {
            ElementType::S2 | ElementType::U2 => Some(2),
            ElementType::S4 | ElementType::U4 | ElementType::F4E2M1Fn => Some(4),
            _ => None,
        }
    }

    /// The alignment that compiled code may assume of an element.
    pub(crate) fn alignment(&self) -> usize {
        match self.element_type {
            ElementType::C64 => 4,
            ElementType::C128 => 8,
            other => other.byte_width().max(1),
        }
    }
}

impl fmt::Display for BufferSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.element_type, self.dims)
    }
}

/// The number that the FFI has for an element type.
///
/// # Errors
/// UNIMPLEMENTED for types that the FFI does not have (the 6-bit floats).
pub fn data_type(element_type: ElementType) -> Result<XLA_FFI_DataType> {
    let number = u32::try_from(element_type.primitive_type()).unwrap_or(0);
    if XLA_FFI_DataType::NAMED.iter().any(|&(_, known)| known == number && known != 0) {
        return Ok(XLA_FFI_DataType(number));
    }
    Err(Status::unimplemented(format!(
        "XLA's typed FFI has no element type {element_type}; convert to another type around the custom call"
    )))
}

/// The element type with this number, if it has one.
pub fn element_type(data_type: XLA_FFI_DataType) -> Option<ElementType> {
    ElementType::ALL.iter().copied().find(|known| known.primitive_type() == u64::from(data_type.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_the_ffi_is_an_element_type_of_the_same_name() {
        for &(name, number) in XLA_FFI_DataType::NAMED {
            let Some(known) = element_type(XLA_FFI_DataType(number)) else {
                assert_eq!(name, "INVALID");
                continue;
            };
            assert_eq!(known.text().to_uppercase(), name);
            assert_eq!(data_type(known), Ok(XLA_FFI_DataType(number)));
        }
        let without: Vec<_> = ElementType::ALL.iter().filter(|&&ty| data_type(ty).is_err()).collect();
        assert_eq!(without, [&ElementType::F6E2M3Fn, &ElementType::F6E3M2Fn]);
    }

    #[test]
    fn sizes_are_checked() {
        assert_eq!(BufferSpec::new(ElementType::F32, [2, 3]).byte_len(), Ok(24));
        assert_eq!(BufferSpec::new(ElementType::S4, [3]).byte_len(), Ok(2));
        assert_eq!(BufferSpec::new(ElementType::U2, [3, 3]).byte_len(), Ok(3));
        assert_eq!(BufferSpec::new(ElementType::F64, []).byte_len(), Ok(8));
        assert_eq!(BufferSpec::new(ElementType::Token, []).byte_len(), Ok(0));
        assert_eq!(BufferSpec::new(ElementType::F64, [i64::MAX, i64::MAX, 0]).byte_len(), Ok(0));
        assert!(BufferSpec::new(ElementType::F64, [i64::MAX, 2]).byte_len().is_err());
        assert!(BufferSpec::new(ElementType::F64, [-1]).byte_len().is_err());
        assert!(BufferSpec::new(ElementType::F64, [0, -1]).byte_len().is_err());
    }
}
