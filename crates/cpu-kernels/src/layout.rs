//! Dimensions and strides: the arithmetic that every kernel shares.

use crate::KernelError;

/// Strides of a dense array in row-major order, in elements.
pub(crate) fn row_major(dims: &[usize]) -> Vec<usize> {
    let mut strides = vec![1usize; dims.len()];
    for i in (1..dims.len()).rev() {
        strides[i - 1] = strides[i].saturating_mul(dims[i].max(1));
    }
    strides
}

/// Fails unless the dimension numbers are distinct and within the rank.
pub(crate) fn check_axes(op: &'static str, what: &str, axes: &[usize], rank: usize) -> Result<(), KernelError> {
    let distinct = axes.iter().enumerate().all(|(i, axis)| *axis < rank && !axes[..i].contains(axis));
    match distinct {
        true => Ok(()),
        false => Err(KernelError::invalid(op, format!("{what} {axes:?} must be distinct and below the rank {rank}"))),
    }
}

/// Moves a multi-dimensional index to the next one in row-major order; false after the last.
pub(crate) fn advance(index: &mut [usize], dims: &[usize]) -> bool {
    for axis in (0..dims.len()).rev() {
        index[axis] += 1;
        if index[axis] < dims[axis] {
            return true;
        }
        index[axis] = 0;
    }
    false
}

/// The multi-dimensional index of a position in row-major order.
pub(crate) fn unravel(mut position: usize, dims: &[usize]) -> Vec<usize> {
    let mut index = vec![0; dims.len()];
    for axis in (0..dims.len()).rev() {
        let size = dims[axis].max(1);
        index[axis] = position % size;
        position /= size;
    }
    index
}

/// Joins neighbouring dimensions that every one of the strides walks as one, and drops those of size 1.
pub(crate) fn merge<const N: usize>(dims: &[usize], strides: [&[isize]; N]) -> (Vec<usize>, [Vec<isize>; N]) {
    let mut sizes: Vec<usize> = Vec::new();
    let mut merged: [Vec<isize>; N] = std::array::from_fn(|_| Vec::new());
    for (axis, &size) in dims.iter().enumerate() {
        if size == 1 {
            continue;
        }
        let joins = !sizes.is_empty()
            && (0..N).all(|n| merged[n].last().copied() == strides[n][axis].checked_mul(size as isize));
        if joins {
            *sizes.last_mut().expect("there is one to join") *= size;
            (0..N).for_each(|n| *merged[n].last_mut().expect("likewise") = strides[n][axis]);
        } else {
            sizes.push(size);
            (0..N).for_each(|n| merged[n].push(strides[n][axis]));
        }
    }
    (sizes, merged)
}
