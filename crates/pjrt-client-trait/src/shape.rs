//! The type of one array: element type and extents.

use crate::proto::Writer;
use crate::{ElementType, Layout, Result, Status};
use std::fmt;

/// Element type and dimensions of an array. Dimensions are static; a backend with bounded dynamic dimensions
/// says so through [`crate::PjrtBuffer::dynamic_dimensions`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The type of every element.
    pub element_type: ElementType,
    /// Extents, outermost first; none of them negative.
    pub dims: Vec<i64>,
}

impl Shape {
    /// A shape whose extents have been checked: none negative, and the size in bytes fits in `isize`.
    ///
    /// # Errors
    /// INVALID_ARGUMENT that shows the shape.
    pub fn new(element_type: ElementType, dims: impl Into<Vec<i64>>) -> Result<Self> {
        let shape = Shape { element_type, dims: dims.into() };
        let mut bytes = element_type.byte_width().max(1);
        for &dim in &shape.dims {
            let extent = usize::try_from(dim)
                .map_err(|_| Status::invalid_argument(format!("shape {shape} has a negative dimension")))?;
            bytes = bytes.saturating_mul(extent);
        }
        // An extent of zero makes the array empty, whatever the other extents are.
        if bytes > isize::MAX as usize && !shape.dims.contains(&0) {
            return Err(Status::invalid_argument(format!("shape {shape} has more bytes than can be addressed")));
        }
        Ok(shape)
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// Number of elements.
    pub fn element_count(&self) -> usize {
        if self.dims.contains(&0) { 0 } else { self.dims.iter().map(|&dim| dim as usize).product() }
    }

    /// Bytes of the array in host memory: dense, whole bytes per element.
    pub fn byte_size(&self) -> usize {
        self.element_count() * self.element_type.byte_width()
    }

    /// `ShapeProto` bytes, with the given layout.
    pub fn to_proto(&self, layout: &Layout) -> Vec<u8> {
        let mut layout_proto = Writer::new();
        layout_proto.packed(1, layout.minor_to_major.iter().map(|&dim| dim as u64));
        for tile in &layout.tiles {
            let mut tile_proto = Writer::new();
            tile_proto.packed(1, tile.iter().map(|&extent| extent as u64));
            layout_proto.bytes(6, &tile_proto.finish());
        }
        let mut shape = Writer::new();
        shape.varint(2, self.element_type.primitive_type());
        shape.packed(3, self.dims.iter().map(|&dim| dim as u64));
        shape.bytes(5, &layout_proto.finish());
        shape.packed(6, self.dims.iter().map(|_| 0));
        shape.finish()
    }
}

/// XLA's text without layout, such as `f32[2,3]`.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims: Vec<String> = self.dims.iter().map(i64::to_string).collect();
        write!(f, "{}[{}]", self.element_type, dims.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_count_whole_bytes() {
        let shape = Shape::new(ElementType::S4, [3]).unwrap();
        assert_eq!((shape.element_count(), shape.byte_size()), (3, 3));
        assert_eq!(Shape::new(ElementType::F64, []).unwrap().byte_size(), 8);
        assert_eq!(Shape::new(ElementType::F64, [0, i64::MAX, i64::MAX]).unwrap().byte_size(), 0);
        assert_eq!(Shape::new(ElementType::F64, [i64::MAX, i64::MAX, 0]).unwrap().byte_size(), 0);
    }

    #[test]
    fn what_cannot_be_addressed_is_refused() {
        for dims in [vec![-1], vec![i64::MAX, 2], vec![1 << 40, 1 << 40]] {
            assert!(Shape::new(ElementType::F32, dims).is_err());
        }
    }

    #[test]
    fn proto_bytes_are_those_of_the_message() {
        let shape = Shape::new(ElementType::F32, [2, 3]).unwrap();
        assert_eq!(
            shape.to_proto(&Layout::row_major(2)),
            [0x10, 11, 0x1a, 2, 2, 3, 0x2a, 4, 0x0a, 2, 1, 0, 0x32, 2, 0, 0]
        );
    }
}
