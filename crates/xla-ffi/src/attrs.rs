//! A set of attributes in the C form, built once for a call in a program.
//!
//! Owns the memory that handlers read attributes from. Must not know programs or frames.

use crate::attr::Attr;
use crate::buffer_spec::data_type;
use crate::kept::Kept;
use crate::sys;
use pjrt_client_trait::{Result, Status};
use std::ffi::c_void;
use std::ptr::null_mut;

/// Dictionaries within dictionaries are followed to this depth.
const MAX_DEPTH: usize = 64;

/// Named attributes, sorted and laid out as handlers read them. Immutable; shared by all executions.
pub struct Attrs {
    raw: sys::XLA_FFI_Attrs,
    names: Vec<String>,
    // What `raw` points into.
    _memory: Kept,
}

// SAFETY: `raw` points into `_memory`, which lives as long and which nothing writes after construction.
unsafe impl Send for Attrs {}
// SAFETY: as above.
unsafe impl Sync for Attrs {}

impl Attrs {
    /// Attributes by name, in any order.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when a name occurs twice in one dictionary or dictionaries are nested more than 64 deep;
    /// UNIMPLEMENTED for an element type that the FFI does not have.
    pub fn new(attrs: impl IntoIterator<Item = (String, Attr)>) -> Result<Self> {
        let attrs: Vec<_> = attrs.into_iter().collect();
        let mut memory = Kept::default();
        let raw = dictionary(&mut memory, &attrs, 0)?;
        let mut names: Vec<String> = attrs.into_iter().map(|(name, _)| name).collect();
        names.sort();
        Ok(Attrs { raw, names, _memory: memory })
    }

    /// The names, sorted by their bytes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The C form. Its pointers are valid as long as `self` lives, for reading only.
    pub fn as_raw(&self) -> &sys::XLA_FFI_Attrs {
        &self.raw
    }
}

impl std::fmt::Debug for Attrs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Attrs").field(&self.names).finish()
    }
}

fn dictionary(memory: &mut Kept, attrs: &[(String, Attr)], depth: usize) -> Result<sys::XLA_FFI_Attrs> {
    if depth > MAX_DEPTH {
        let message = format!("attributes of a custom call are nested more than {MAX_DEPTH} dictionaries deep");
        return Err(Status::invalid_argument(message));
    }
    let mut sorted: Vec<_> = attrs.iter().collect();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let message = format!("a custom call has two attributes of the name {:?}", twice[0].0);
        return Err(Status::invalid_argument(message));
    }
    let (mut types, mut names, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (name, attr) in sorted {
        let (kind, value) =
            attribute(memory, attr, depth).map_err(|status| status.context(format!("attribute {name:?}")))?;
        let span = byte_span(memory, name.as_bytes());
        types.push(kind);
        names.push(memory.keep_one(span));
        values.push(value);
    }
    Ok(sys::XLA_FFI_Attrs {
        struct_size: sys::XLA_FFI_Attrs::STRUCT_SIZE,
        extension_start: null_mut(),
        size: values.len() as i64,
        types: memory.keep(types),
        names: memory.keep(names),
        attrs: memory.keep(values),
    })
}

fn attribute(memory: &mut Kept, attr: &Attr, depth: usize) -> Result<(sys::XLA_FFI_AttrType, *mut c_void)> {
    Ok(match attr {
        Attr::Scalar(scalar) => {
            let dtype = data_type(scalar.element_type())?;
            let value = memory.keep_aligned(scalar.bytes()).cast();
            (sys::XLA_FFI_AttrType::SCALAR, memory.keep_one(sys::XLA_FFI_Scalar { dtype, value }).cast())
        }
        Attr::Array(array) => {
            let dtype = data_type(array.element_type())?;
            let data = memory.keep_aligned(array.bytes()).cast();
            let array = sys::XLA_FFI_Array { dtype, size: array.len(), data };
            (sys::XLA_FFI_AttrType::ARRAY, memory.keep_one(array).cast())
        }
        Attr::String(bytes) => {
            let span = byte_span(memory, bytes);
            (sys::XLA_FFI_AttrType::STRING, memory.keep_one(span).cast())
        }
        Attr::Dictionary(attrs) => {
            let attrs = dictionary(memory, attrs, depth + 1)?;
            (sys::XLA_FFI_AttrType::DICTIONARY, memory.keep_one(attrs).cast())
        }
    })
}

fn byte_span(memory: &mut Kept, bytes: &[u8]) -> sys::XLA_FFI_ByteSpan {
    sys::XLA_FFI_ByteSpan { ptr: memory.keep(bytes.to_vec()).cast_const().cast(), len: bytes.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_by_bytes_and_unique() {
        let named = |names: &[&str]| Attrs::new(names.iter().map(|name| (name.to_string(), Attr::from(1i64))));
        assert_eq!(named(&["b", "a", "B", "ab"]).unwrap().names(), ["B", "a", "ab", "b"]);
        assert!(named(&["a", "b", "a"]).unwrap_err().message.contains("\"a\""));
        assert_eq!(named(&[]).unwrap().as_raw().size, 0);
    }

    #[test]
    fn depth_has_a_limit() {
        let nested = |depth: usize| {
            let attr = (0..depth).fold(Attr::from(1i64), |inner, _| Attr::Dictionary(vec![("x".into(), inner)]));
            Attrs::new([("x".to_owned(), attr)])
        };
        assert!(nested(64).is_ok());
        assert!(nested(65).unwrap_err().message.contains("64"));
    }
}
