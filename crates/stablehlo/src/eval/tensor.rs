//! A dense, row-major tensor in host memory, and its typed views.
//!
//! Owns storage and shape; knows no operation and no IR. Elements lie as in a dense host array: sub-byte
//! types and `i1` take a whole byte, complex numbers are (real, imaginary) pairs. The bytes are shared:
//! cloning a tensor copies no element, and writing to a shared one copies first.

use std::sync::Arc;

use super::error::OpError;
use super::number::{Element, Word, with_element};
use crate::ElementType;

/// The elements, held in machine words of their size, so that every typed view is aligned and movement of
/// data needs six kernels instead of one per element type.
#[derive(Clone, Debug)]
pub enum Words {
    /// One byte an element.
    W8(Arc<Vec<u8>>),
    /// Two bytes an element.
    W16(Arc<Vec<u16>>),
    /// Four bytes an element.
    W32(Arc<Vec<u32>>),
    /// Eight bytes an element.
    W64(Arc<Vec<u64>>),
    /// A pair of four-byte words an element: `complex<f32>`.
    P32(Arc<Vec<[u32; 2]>>),
    /// A pair of eight-byte words an element: `complex<f64>`.
    P64(Arc<Vec<[u64; 2]>>),
}

/// Runs an expression with the vector behind any [`Words`] bound to a name.
macro_rules! with_words {
    ($words:expr, $v:ident => $body:expr) => {
        match $words {
            $crate::eval::tensor::Words::W8($v) => $body,
            $crate::eval::tensor::Words::W16($v) => $body,
            $crate::eval::tensor::Words::W32($v) => $body,
            $crate::eval::tensor::Words::W64($v) => $body,
            $crate::eval::tensor::Words::P32($v) => $body,
            $crate::eval::tensor::Words::P64($v) => $body,
        }
    };
}
pub(crate) use with_words;

/// A dense row-major tensor.
///
/// ```
/// use stablehlo::eval::Tensor;
/// let t = Tensor::from_vec(&[2, 2], vec![1.0f32, 2.0, 3.0, 4.0]);
/// assert_eq!(t.dims(), [2, 2]);
/// assert_eq!(t.as_slice::<f32>()[3], 4.0);
/// ```
#[derive(Clone, Debug)]
pub struct Tensor {
    element_type: ElementType,
    dims: Vec<usize>,
    words: Words,
}

/// Number of elements of a shape; `None` when it does not fit in memory.
pub fn element_count(dims: &[usize]) -> Option<usize> {
    if dims.contains(&0) {
        return Some(0);
    }
    dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).filter(|&n| n <= isize::MAX as usize / 16)
}

/// Row-major strides, in elements.
pub fn row_major_strides(dims: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; dims.len()];
    for i in (1..dims.len()).rev() {
        strides[i - 1] = strides[i] * dims[i].max(1);
    }
    strides
}

impl Tensor {
    /// A tensor of the element type of `T`. Panics if `elements` has not as many elements as `dims` says.
    pub fn from_vec<T: Element>(dims: &[usize], elements: Vec<T>) -> Tensor {
        let words = T::Word::store(Arc::new(bytemuck::cast_vec(elements)));
        Tensor::from_words(T::TYPE, dims.to_vec(), words)
    }

    /// A tensor from words that hold canonical elements of that type. Panics on a wrong length.
    pub(crate) fn from_words(element_type: ElementType, dims: Vec<usize>, words: Words) -> Tensor {
        let len = with_words!(&words, v => v.len());
        assert_eq!(element_count(&dims), Some(len), "{len} elements for shape {dims:?}");
        Tensor { element_type, dims, words }
    }

    /// A rank-0 tensor.
    pub fn scalar<T: Element>(value: T) -> Tensor {
        Tensor::from_vec(&[], vec![value])
    }

    /// A tensor all of whose elements are zero (false).
    pub fn zeros(element_type: ElementType, dims: &[usize]) -> Tensor {
        let n = element_count(dims).unwrap_or_else(|| panic!("shape {dims:?} is too large"));
        with_element!(element_type, T => Tensor::from_vec(dims, vec![T::zero(); n]))
    }

    /// A tensor from the bytes of a dense host array (little-endian, as the machine), which are copied.
    ///
    /// Bits outside a sub-byte element are ignored, as any non-zero byte is a true `i1`.
    /// Fails when the length does not fit the shape.
    pub fn from_bytes(element_type: ElementType, dims: &[usize], bytes: &[u8]) -> Result<Tensor, OpError> {
        let n = element_count(dims)
            .ok_or_else(|| OpError::invalid(format!("shape {dims:?} of {element_type} does not fit in memory")))?;
        let width = element_type.byte_width();
        if bytes.len() != n * width {
            return Err(OpError::invalid(format!(
                "{} bytes given for shape {dims:?} of {element_type}, which takes {}",
                bytes.len(),
                n * width
            )));
        }
        with_element!(element_type, T => {
            let mut elements = vec![T::zero(); n];
            bytemuck::cast_slice_mut::<T, u8>(&mut elements).copy_from_slice(bytes);
            if T::NEEDS_CANONICAL {
                elements.iter_mut().for_each(|e| *e = e.canonical());
            }
            Ok(Tensor::from_vec(dims, elements))
        })
    }

    /// The bytes as a dense host array holds them.
    pub fn bytes(&self) -> &[u8] {
        with_words!(&self.words, v => bytemuck::cast_slice(v.as_slice()))
    }

    /// A copy of [`Tensor::bytes`].
    pub fn to_bytes(&self) -> Vec<u8> {
        self.bytes().to_vec()
    }

    /// The element type.
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// Dimension sizes.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        with_words!(&self.words, v => v.len())
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn words(&self) -> &Words {
        &self.words
    }

    pub(crate) fn into_words(self) -> Words {
        self.words
    }

    /// The elements. Panics if `T` is not this tensor's element type; dispatch on the type first.
    pub fn as_slice<T: Element>(&self) -> &[T] {
        assert_eq!(T::TYPE, self.element_type, "typed view of another element type");
        let words: &Vec<T::Word> = T::Word::load(&self.words).expect("word size follows from the element type");
        bytemuck::cast_slice(words)
    }

    /// The elements for writing; copies them first when they are shared. Panics as [`Tensor::as_slice`].
    pub fn as_mut_slice<T: Element>(&mut self) -> &mut [T] {
        assert_eq!(T::TYPE, self.element_type, "typed view of another element type");
        let words = T::Word::load_mut(&mut self.words).expect("word size follows from the element type");
        bytemuck::cast_slice_mut(Arc::make_mut(words).as_mut_slice())
    }

    /// The same elements under another shape of as many elements. Panics otherwise.
    pub fn with_dims(mut self, dims: &[usize]) -> Tensor {
        assert_eq!(element_count(dims), Some(self.len()), "shape {dims:?} for {} elements", self.len());
        self.dims = dims.to_vec();
        self
    }

    /// The only element as a 64-bit integer. Fails when this is no integer (or `i1`) tensor of one element.
    pub fn scalar_i64(&self) -> Result<i64, OpError> {
        match self.to_i64s()?.as_slice() {
            [value] => Ok(*value),
            _ => Err(OpError::invalid(format!("expected one element, found shape {:?}", self.dims))),
        }
    }

    /// All elements as 64-bit integers (`ui64` above the range saturates). Fails for other than integers and `i1`.
    pub fn to_i64s(&self) -> Result<Vec<i64>, OpError> {
        super::number::integers_as_i64(self)
    }

    /// `tensor<2x3xf32>`, for messages.
    pub fn describe(&self) -> String {
        describe_shape(self.element_type, &self.dims)
    }
}

/// `tensor<2x3xf32>`: how messages spell a shape.
pub fn describe_shape(element_type: ElementType, dims: &[usize]) -> String {
    let mut text = String::from("tensor<");
    for d in dims {
        text.push_str(&format!("{d}x"));
    }
    text.push_str(element_type.text());
    text.push('>');
    text
}

/// Equal type, shape and bits (so NaN equals the same NaN, and −0 differs from +0).
impl PartialEq for Tensor {
    fn eq(&self, other: &Tensor) -> bool {
        self.element_type == other.element_type && self.dims == other.dims && self.bytes() == other.bytes()
    }
}
