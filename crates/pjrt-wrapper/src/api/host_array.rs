//! Host arrays of any strides and order of dimensions, to and from the dense row-major form that backends see.

use crate::caller::Caller;
use pjrt_client_trait::{ElementType, Layout, Result, Shape, Status};
use std::borrow::Cow;
use std::ffi::c_void;

/// Row-major byte strides of a dense array. Zero-extent dimensions do not make strides zero.
fn dense_strides(shape: &Shape) -> Vec<i64> {
    let mut strides = vec![0; shape.rank()];
    let mut step = shape.element_type.byte_width() as i64;
    for (stride, &dim) in strides.iter_mut().zip(&shape.dims).rev() {
        *stride = step;
        step = step.saturating_mul(dim.max(1));
    }
    strides
}

/// Byte strides of an array whose dimensions lie in the order of `layout`, which has no tiles.
fn strides_in(shape: &Shape, layout: &Layout) -> Vec<i64> {
    let mut strides = vec![0; shape.rank()];
    let mut step = shape.element_type.byte_width() as i64;
    for &dim in &layout.minor_to_major {
        strides[dim as usize] = step;
        step = step.saturating_mul(shape.dims[dim as usize].max(1));
    }
    strides
}

/// Clears the bits of each byte that are above a sub-byte element. NumPy's extension types keep them zero, also
/// above negative numbers, and so do frameworks that look at the bytes; a backend may sign-extend.
pub(crate) fn clear_bits_above(element_type: ElementType, bytes: &mut [u8]) {
    let bits = element_type.bits();
    if (1..8).contains(&bits) {
        let mask = (1_u8 << bits) - 1;
        bytes.iter_mut().for_each(|byte| *byte &= mask);
    }
}

/// The array at `data`, dense and row-major: borrowed if it is that already, else copied together. Null strides
/// mean dense; a stride of a dimension with at most one element does not matter.
///
/// # Errors
/// INVALID_ARGUMENT when the data are null though there are elements, or the number of strides is not the rank.
pub(crate) fn read<'call>(
    c: Caller<'call>,
    data: *const c_void,
    shape: &Shape,
    strides: *const i64,
    num_strides: usize,
) -> Result<Cow<'call, [u8]>> {
    let size = shape.byte_size();
    if size == 0 {
        return Ok(Cow::Borrowed(&[]));
    }
    if strides.is_null() {
        return c.bytes(data, size, "the host array").map(Cow::Borrowed);
    }
    let strides = c.slice(strides, num_strides, "byte_strides")?;
    if strides.len() != shape.rank() {
        return Err(Status::invalid_argument(format!("{} byte strides for an array of shape {shape}", strides.len())));
    }
    let dense = dense_strides(shape);
    if shape.dims.iter().zip(strides).zip(&dense).all(|((&dim, stride), dense)| dim <= 1 || stride == dense) {
        return c.bytes(data, size, "the host array").map(Cow::Borrowed);
    }
    let (mut low, mut high) = (0i64, 0i64);
    for (&dim, &stride) in shape.dims.iter().zip(strides) {
        let extent = stride.checked_mul(dim - 1);
        let bound = if stride < 0 { &mut low } else { &mut high };
        let reach = extent.and_then(|extent| bound.checked_add(extent));
        *bound =
            reach.ok_or_else(|| Status::invalid_argument(format!("byte strides {strides:?} of {shape} overflow")))?;
    }
    let width = shape.element_type.byte_width();
    let length =
        high.checked_sub(low).and_then(|span| usize::try_from(span).ok()).and_then(|span| span.checked_add(width));
    let length =
        length.ok_or_else(|| Status::invalid_argument(format!("byte strides {strides:?} of {shape} overflow")))?;
    // With negative strides the first element is not at the lowest address.
    let lowest = data.wrapping_byte_offset(low as isize);
    let memory = c.bytes(lowest, length, "the host array")?;
    gather(memory, low.unsigned_abs() as usize, shape, strides).map(Cow::Owned)
}

/// Copies the elements of a strided array together. All positions lie in `memory`, as computed from the same
/// strides.
///
/// # Errors
/// RESOURCE_EXHAUSTED when there is not so much memory: a broadcast array may be small where it comes from.
fn gather(memory: &[u8], origin: usize, shape: &Shape, strides: &[i64]) -> Result<Vec<u8>> {
    let width = shape.element_type.byte_width();
    let mut dense = Vec::new();
    let reserved = dense.try_reserve_exact(shape.byte_size());
    reserved.map_err(|_| {
        Status::resource_exhausted(format!("no host memory for the {} bytes of a {shape}", shape.byte_size()))
    })?;
    visit(&shape.dims, strides, |offset| {
        let start = origin.wrapping_add_signed(offset as isize);
        dense.extend_from_slice(&memory[start..start + width]);
    });
    Ok(dense)
}

/// Calls `action` with the byte offset of every element, in row-major order.
fn visit(dims: &[i64], strides: &[i64], mut action: impl FnMut(i64)) {
    if dims.contains(&0) {
        return;
    }
    let mut index = vec![0; dims.len()];
    let mut offset = 0;
    loop {
        action(offset);
        let mut axis = dims.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            index[axis] += 1;
            // The stride of a single element may be any number, so only the end of the walk has a meaning.
            offset = offset.wrapping_add(strides[axis]);
            if index[axis] < dims[axis] {
                break;
            }
            offset = offset.wrapping_sub(strides[axis].wrapping_mul(dims[axis]));
            index[axis] = 0;
        }
    }
}

/// The part of a dense row-major array of shape `bounds` that has the smaller extents of `shape`.
pub(crate) fn without_padding(padded: &[u8], bounds: &Shape, shape: &Shape) -> Result<Vec<u8>> {
    gather(padded, 0, shape, &dense_strides(bounds))
}

/// Writes a dense row-major array in another order of dimensions.
pub(crate) fn write_in_layout(dense: &[u8], shape: &Shape, layout: &Layout, dst: &mut [u8]) {
    let width = shape.element_type.byte_width();
    let strides = strides_in(shape, layout);
    let mut elements = dense.chunks_exact(width.max(1));
    visit(&shape.dims, &strides, |offset| {
        if let Some(element) = elements.next() {
            dst[offset as usize..offset as usize + width].copy_from_slice(element);
        }
    });
}

/// Reads an array that lies in a given order of dimensions into the dense row-major form.
pub(crate) fn read_in_layout(bytes: &[u8], shape: &Shape, layout: &Layout) -> Result<Vec<u8>> {
    gather(bytes, 0, shape, &strides_in(shape, layout))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_u8(data: &[u8], first: usize, dims: &[i64], strides: &[i64]) -> Vec<u8> {
        let shape = Shape::new(ElementType::U8, dims).unwrap();
        // SAFETY: the strides of these tests stay inside `data`.
        let caller = unsafe { Caller::new() };
        read(caller, data[first..].as_ptr().cast(), &shape, strides.as_ptr(), strides.len()).unwrap().into_owned()
    }

    #[test]
    fn transposed_reversed_and_broadcast_arrays_become_dense() {
        let data = [0, 1, 2, 3, 4, 5];
        assert_eq!(read_u8(&data, 0, &[3, 2], &[1, 3]), [0, 3, 1, 4, 2, 5]);
        assert_eq!(read_u8(&data, 5, &[2, 3], &[-3, -1]), [5, 4, 3, 2, 1, 0]);
        assert_eq!(read_u8(&data, 2, &[2, 2], &[3, -2]), [2, 0, 5, 3]);
        assert_eq!(read_u8(&data, 1, &[2, 3], &[0, 1]), [1, 2, 3, 1, 2, 3]);
        assert_eq!(read_u8(&data, 0, &[0, 3], &[0, 0]), []);
    }

    #[test]
    fn bits_above_a_sub_byte_element_are_cleared() {
        let mut bytes = [0xfd, 0x02, 0xf8];
        clear_bits_above(ElementType::S4, &mut bytes);
        assert_eq!(bytes, [0x0d, 0x02, 0x08]);
        clear_bits_above(ElementType::S2, &mut bytes);
        assert_eq!(bytes, [0x01, 0x02, 0x00]);
        let mut whole = [0xfd];
        clear_bits_above(ElementType::S8, &mut whole);
        assert_eq!(whole, [0xfd]);
    }

    #[test]
    fn strides_of_single_elements_do_not_matter() {
        let data = [7, 8, 9];
        let shape = Shape::new(ElementType::U8, [1, 3, 1]).unwrap();
        // SAFETY: only the middle stride counts, and it stays inside `data`.
        let caller = unsafe { Caller::new() };
        let strides = [i64::MAX, 1, -5000];
        let read = read(caller, data.as_ptr().cast(), &shape, strides.as_ptr(), 3).unwrap();
        assert!(matches!(read, Cow::Borrowed(bytes) if bytes == data));
    }

    #[test]
    fn layouts_round_trip() {
        let shape = Shape::new(ElementType::S16, [2, 3]).unwrap();
        let layout = Layout { minor_to_major: vec![0, 1], tiles: vec![] };
        let dense: Vec<u8> = (0..12).collect();
        let mut column_major = vec![0; 12];
        write_in_layout(&dense, &shape, &layout, &mut column_major);
        assert_eq!(column_major, [0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11]);
        assert_eq!(read_in_layout(&column_major, &shape, &layout), Ok(dense));
    }
}
