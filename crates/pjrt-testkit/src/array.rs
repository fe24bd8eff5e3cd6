//! Host arrays: bytes, element type, dimensions, strides.

use pjrt_sys::{PJRT_Buffer_Type, PJRT_HostBufferSemantics};

/// Semantics of host memory; see [`PJRT_HostBufferSemantics`].
pub type HostSemantics = PJRT_HostBufferSemantics;

/// A Rust type that is an element type of the API.
///
/// # Safety
///
/// Any bytes of the right size are a valid value, and [`Self::TYPE`] has that size.
pub unsafe trait HostElement: Copy + PartialEq + std::fmt::Debug + 'static {
    /// Element type.
    const TYPE: PJRT_Buffer_Type;
}

macro_rules! elements {
    ($($rust:ty => $name:ident),*) => {
        // SAFETY: integers and floats have no invalid bytes.
        $(unsafe impl HostElement for $rust {
            const TYPE: PJRT_Buffer_Type = PJRT_Buffer_Type::$name;
        })*
    };
}

elements!(
    i8 => S8, i16 => S16, i32 => S32, i64 => S64, u8 => U8, u16 => U16, u32 => U32, u64 => U64,
    f32 => F32, f64 => F64
);

/// A host array to make a buffer from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostArray {
    /// Bytes of the whole storage.
    pub bytes: Vec<u8>,
    /// Where the first element is, in bytes; not zero for negative strides.
    pub start: usize,
    /// Element type.
    pub element_type: PJRT_Buffer_Type,
    /// Dimensions.
    pub dims: Vec<i64>,
    /// Byte strides, one a dimension; none means dense and row-major.
    pub byte_strides: Option<Vec<i64>>,
}

impl HostArray {
    /// A dense, row-major array.
    ///
    /// # Panics
    ///
    /// When the number of elements is not the product of the dimensions.
    #[must_use]
    pub fn from_slice<T: HostElement>(elements: &[T], dims: &[i64]) -> Self {
        assert_eq!(elements.len() as i64, dims.iter().product::<i64>(), "elements for {dims:?}");
        // SAFETY: the elements are integers or floats, without padding.
        let bytes =
            unsafe { std::slice::from_raw_parts(elements.as_ptr().cast::<u8>(), std::mem::size_of_val(elements)) };
        Self::from_bytes(bytes.to_vec(), T::TYPE, dims)
    }

    /// A dense, row-major array of any element type; whole bytes per element even where the type is
    /// narrower.
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>, element_type: PJRT_Buffer_Type, dims: &[i64]) -> Self {
        Self { bytes, start: 0, element_type, dims: dims.to_vec(), byte_strides: None }
    }

    /// The same storage seen with other dimensions and strides, beginning at a byte.
    #[must_use]
    pub fn strided(mut self, start: usize, dims: &[i64], byte_strides: &[i64]) -> Self {
        self.start = start;
        self.dims = dims.to_vec();
        self.byte_strides = Some(byte_strides.to_vec());
        self
    }
}

/// Bytes as elements.
///
/// # Panics
///
/// When the bytes are no whole number of elements.
pub(crate) fn elements<T: HostElement>(bytes: &[u8]) -> Vec<T> {
    let size = size_of::<T>();
    assert_eq!(bytes.len() % size, 0, "{} bytes of {}", bytes.len(), std::any::type_name::<T>());
    // SAFETY: each chunk has the bytes of one element, any of which are valid; they may be unaligned.
    bytes.chunks_exact(size).map(|chunk| unsafe { chunk.as_ptr().cast::<T>().read_unaligned() }).collect()
}
