//! What collectives compute from the tensors of a process group, given in the order of the group.

use super::body::Body;
use super::convert::convert;
use super::movement::slice;
use crate::ElementType;
use crate::eval::error::OpError;
use crate::eval::tensor::Tensor;

/// Combines one tensor of each process, converted to `element`, from first to last.
///
/// The specification lets the tree of the reduction be any whose leaves are in the order of the group; this is the
/// one that leans to the left. Fails when shapes differ or the body fails.
pub fn reduce_processes(parts: &[&Tensor], element: ElementType, body: &dyn Body) -> Result<Tensor, OpError> {
    let first = parts.first().ok_or_else(|| OpError::invalid("a reduction needs at least one process"))?;
    if let Some(other) = parts.iter().find(|x| x.dims() != first.dims()) {
        return Err(OpError::invalid(format!(
            "processes bring {} and {}, which cannot be reduced",
            first.describe(),
            other.describe()
        )));
    }
    let (dims, n) = (first.dims().to_vec(), first.len());
    let flat = |x: &Tensor| Ok::<_, OpError>(convert(x, element)?.with_dims(&[n]));
    let mut sum = flat(first)?;
    if n > 0 {
        for x in &parts[1..] {
            let mut results = body.apply(vec![sum, flat(x)?])?;
            sum = match (results.pop(), results.is_empty()) {
                (Some(value), true) => value,
                _ => return Err(OpError::invalid("the computation must give one value")),
            };
        }
    }
    Ok(sum.with_dims(&dims))
}

/// Part `index` of `count` equal parts along a dimension. Fails when the dimension does not divide.
pub fn split_part(x: &Tensor, count: usize, dimension: usize, index: usize) -> Result<Tensor, OpError> {
    let size = x.dims().get(dimension).copied().unwrap_or(0);
    if dimension >= x.rank() || count == 0 || !size.is_multiple_of(count) || index >= count {
        return Err(OpError::invalid(format!(
            "dimension {dimension} of {} does not split into {count} equal parts",
            x.describe()
        )));
    }
    let (mut start, mut limit) = (vec![0; x.rank()], x.dims().to_vec());
    start[dimension] = size / count * index;
    limit[dimension] = size / count * (index + 1);
    slice(x, &start, &limit, &vec![1; x.rank()])
}
