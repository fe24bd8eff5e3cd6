//! Operands as numbers: checks of counts and lengths, and alignment.
//!
//! Buffers of the engine are aligned. Those of others may not be; they are copied, so that kernels can rely on it.

use bytemuck::Pod;

use crate::{KernelError, Shape};

/// Every operand begins at a multiple of this: enough for the largest element.
const ALIGNMENT: usize = 16;

fn is_aligned(bytes: &[u8]) -> bool {
    bytes.is_empty() || bytes.as_ptr().addr().is_multiple_of(ALIGNMENT)
}

/// Bytes that begin at a multiple of [`ALIGNMENT`].
struct Aligned {
    words: Vec<u128>,
    length: usize,
}

impl Aligned {
    fn copy_of(bytes: &[u8]) -> Aligned {
        let mut copy = Aligned { words: vec![0; bytes.len().div_ceil(ALIGNMENT)], length: bytes.len() };
        copy.bytes_mut().copy_from_slice(bytes);
        copy
    }

    fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.length]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.length]
    }
}

fn check(
    role: &'static str,
    shapes: &[&Shape],
    lengths: impl ExactSizeIterator<Item = usize>,
) -> Result<(), KernelError> {
    if shapes.len() != lengths.len() {
        return Err(KernelError::Count { role, wanted: shapes.len(), given: lengths.len() });
    }
    for (index, (shape, given)) in shapes.iter().zip(lengths).enumerate() {
        if shape.bytes() != given {
            return Err(KernelError::Length { role, index, wanted: shape.bytes(), given });
        }
    }
    Ok(())
}

/// Calls `body` with the operands, checked and aligned.
pub(crate) fn with_operands(
    inputs: (&[&Shape], &[&[u8]]),
    outputs: (&[&Shape], &mut [&mut [u8]]),
    body: impl FnOnce(&[&[u8]], &mut [&mut [u8]]) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    let ((in_shapes, inputs), (out_shapes, outputs)) = (inputs, outputs);
    check("input", in_shapes, inputs.iter().map(|bytes| bytes.len()))?;
    check("output", out_shapes, outputs.iter().map(|bytes| bytes.len()))?;
    if inputs.iter().all(|bytes| is_aligned(bytes)) && outputs.iter().all(|bytes| is_aligned(bytes)) {
        return body(inputs, outputs);
    }
    let copies: Vec<Aligned> = inputs.iter().map(|bytes| Aligned::copy_of(bytes)).collect();
    let mut results: Vec<Aligned> = outputs.iter().map(|bytes| Aligned::copy_of(bytes)).collect();
    let inputs: Vec<&[u8]> = copies.iter().map(Aligned::bytes).collect();
    body(&inputs, &mut results.iter_mut().map(Aligned::bytes_mut).collect::<Vec<_>>())?;
    outputs.iter_mut().zip(&results).for_each(|(to, from)| to.copy_from_slice(from.bytes()));
    Ok(())
}

/// Aligned bytes as numbers.
pub(crate) fn numbers<T: Pod>(bytes: &[u8]) -> &[T] {
    // An empty slice may have any address.
    if bytes.is_empty() { &[] } else { bytemuck::cast_slice(bytes) }
}

/// Aligned bytes as numbers, to write.
pub(crate) fn numbers_mut<T: Pod>(bytes: &mut [u8]) -> &mut [T] {
    if bytes.is_empty() { &mut [] } else { bytemuck::cast_slice_mut(bytes) }
}
