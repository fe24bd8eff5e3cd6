//! Dimension numbers from attributes: checked once, and then plain indices.

use crate::eval::error::OpError;

/// Dimension numbers as indices. Fails unless they are distinct and within the rank.
pub(in crate::eval) fn axes(what: &str, numbers: &[i64], rank: usize) -> Result<Vec<usize>, OpError> {
    let mut out: Vec<usize> = Vec::with_capacity(numbers.len());
    for &number in numbers {
        match usize::try_from(number) {
            Ok(axis) if axis < rank && !out.contains(&axis) => out.push(axis),
            _ => {
                return Err(OpError::invalid(format!(
                    "{what} = {numbers:?} must be distinct and from 0 to below the rank {rank}"
                )));
            }
        }
    }
    Ok(out)
}

/// One dimension number as an index. Fails unless it is within the rank.
pub(in crate::eval) fn axis(what: &str, number: i64, rank: usize) -> Result<usize, OpError> {
    Ok(axes(what, &[number], rank)?[0])
}

/// Sizes, which cannot be negative.
pub(in crate::eval) fn sizes(what: &str, numbers: &[i64]) -> Result<Vec<usize>, OpError> {
    let checked: Result<Vec<usize>, _> = numbers.iter().map(|&n| usize::try_from(n)).collect();
    checked.map_err(|_| OpError::invalid(format!("{what} = {numbers:?} must not be negative")))
}

/// Moves a multi-dimensional index to the next one in row-major order; false after the last.
pub(in crate::eval) fn advance(index: &mut [usize], dims: &[usize]) -> bool {
    for axis in (0..dims.len()).rev() {
        index[axis] += 1;
        if index[axis] < dims[axis] {
            return true;
        }
        index[axis] = 0;
    }
    false
}
