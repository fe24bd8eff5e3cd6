//! Attributes of a custom call as values: scalars, arrays, strings and dictionaries of those.

use pjrt_client_trait::{ElementType, Result, Status};

/// An attribute, as the `backend_config` dictionary of a custom call has it.
#[derive(Clone, Debug, PartialEq)]
pub enum Attr {
    /// A number or a boolean.
    Scalar(Scalar),
    /// A one-dimensional array; tensors are passed flat, in row-major order.
    Array(Array),
    /// A text, or any bytes.
    String(Vec<u8>),
    /// Named attributes, in any order; names are unique.
    Dictionary(Vec<(String, Attr)>),
}

/// A scalar of any element type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalar {
    element_type: ElementType,
    bytes: [u8; 16],
}

/// A flat array of any element type.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    element_type: ElementType,
    bytes: Vec<u8>,
}

impl Scalar {
    /// A scalar from its bytes in the machine's order.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when there are not as many bytes as the type is wide.
    pub fn new(element_type: ElementType, bytes: &[u8]) -> Result<Self> {
        let width = element_type.byte_width();
        if bytes.len() != width || width == 0 {
            let message = format!("a scalar of type {element_type} has {width} bytes, not {}", bytes.len());
            return Err(Status::invalid_argument(message));
        }
        let mut padded = [0; 16];
        padded[..width].copy_from_slice(bytes);
        Ok(Scalar { element_type, bytes: padded })
    }

    /// Its type.
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// Its bytes in the machine's order.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.element_type.byte_width()]
    }
}

impl Array {
    /// An array from its bytes in the machine's order.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when they are not a whole number of elements.
    pub fn new(element_type: ElementType, bytes: Vec<u8>) -> Result<Self> {
        let width = element_type.byte_width();
        if width == 0 || !bytes.len().is_multiple_of(width) {
            let message = format!("{} bytes are no whole number of elements of type {element_type}", bytes.len());
            return Err(Status::invalid_argument(message));
        }
        Ok(Array { element_type, bytes })
    }

    /// The type of an element.
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// The bytes of all elements in the machine's order.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.element_type.byte_width()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

macro_rules! from_numbers {
    ($($type:ty => $element_type:ident,)*) => {$(
        impl From<$type> for Attr {
            fn from(value: $type) -> Attr {
                let mut bytes = [0; 16];
                bytes[..size_of::<$type>()].copy_from_slice(&value.to_ne_bytes());
                Attr::Scalar(Scalar { element_type: ElementType::$element_type, bytes })
            }
        }

        impl From<&[$type]> for Attr {
            fn from(values: &[$type]) -> Attr {
                let bytes = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
                Attr::Array(Array { element_type: ElementType::$element_type, bytes })
            }
        }
    )*};
}

from_numbers! {
    i8 => S8, i16 => S16, i32 => S32, i64 => S64, u8 => U8, u16 => U16, u32 => U32, u64 => U64, f32 => F32, f64 => F64,
}

impl From<bool> for Attr {
    fn from(value: bool) -> Attr {
        let mut bytes = [0; 16];
        bytes[0] = value.into();
        Attr::Scalar(Scalar { element_type: ElementType::Pred, bytes })
    }
}

impl From<&[bool]> for Attr {
    fn from(values: &[bool]) -> Attr {
        let bytes = values.iter().map(|&value| value.into()).collect();
        Attr::Array(Array { element_type: ElementType::Pred, bytes })
    }
}

impl From<&str> for Attr {
    fn from(text: &str) -> Attr {
        Attr::String(text.as_bytes().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_must_fit_the_type() {
        assert_eq!(Scalar::new(ElementType::S16, &7i16.to_ne_bytes()).map(Attr::Scalar), Ok(Attr::from(7i16)));
        assert!(Scalar::new(ElementType::S16, &[0; 4]).is_err());
        assert!(Scalar::new(ElementType::Token, &[]).is_err());
        assert!(Array::new(ElementType::F64, vec![0; 12]).is_err());
        assert_eq!(Array::new(ElementType::F64, vec![0; 16]).map(|array| array.len()), Ok(2));
    }
}
