//! `torch_index_select`: whole slices of an operand, chosen along one dimension by an index for each batch.

use super::accumulate::take;
use super::axes::advance;
use crate::eval::error::OpError;
use crate::eval::tensor::{Tensor, element_count, row_major_strides};

/// `operand[b…, d…, index[b…, i…], rest…]` at each `[b…, d…, i…, rest…]`, where the first `batch` dimensions are
/// shared and the index counts along dimension `dim`. Indices out of bounds are moved to the nearest one within.
pub fn torch_index_select(operand: &Tensor, index: &Tensor, dim: usize, batch: usize) -> Result<Tensor, OpError> {
    let shared = operand.dims().get(..batch);
    if dim >= operand.rank() || batch > dim || shared.is_none() || shared != index.dims().get(..batch) {
        return Err(OpError::invalid(format!(
            "dim = {dim} and batch_dims = {batch} do not fit {} and {}",
            operand.describe(),
            index.describe()
        )));
    }
    let inner = index.rank() - batch;
    let dims = [&operand.dims()[..dim], &index.dims()[batch..], &operand.dims()[dim + 1..]].concat();
    let count = element_count(&dims)
        .ok_or_else(|| OpError::invalid(format!("result shape {dims:?} does not fit in memory")))?;
    let size = operand.dims()[dim] as i64;
    if size == 0 && count > 0 {
        return Err(OpError::invalid(format!("dimension {dim} of {} has no slice to choose", operand.describe())));
    }
    let (steps, index_steps) = (row_major_strides(operand.dims()), row_major_strides(index.dims()));
    let indices = index.to_i64s()?;
    let mut place = vec![0; dims.len()];
    let mut positions = Vec::with_capacity(count);
    for _ in 0..count {
        let chosen =
            place[..batch].iter().chain(&place[dim..dim + inner]).zip(&index_steps).map(|(i, s)| i * s).sum::<usize>();
        let chosen = indices[chosen].clamp(0, size - 1) as usize;
        let outer: usize = place[..dim].iter().zip(&steps).map(|(i, s)| i * s).sum();
        let rest: usize = place[dim + inner..].iter().zip(&steps[dim + 1..]).map(|(i, s)| i * s).sum();
        positions.push(outer + chosen * steps[dim] + rest);
        advance(&mut place, &dims);
    }
    Ok(take(operand, &positions).with_dims(&dims))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_by_index_with_and_without_batches() {
        let x = Tensor::from_vec(&[2, 3], vec![1i32, 2, 3, 4, 5, 6]);
        let index = Tensor::from_vec(&[2], vec![2i64, -7]);
        let y = torch_index_select(&x, &index, 1, 0).unwrap();
        assert_eq!((y.dims(), y.as_slice::<i32>()), (&[2, 2][..], &[3, 1, 6, 4][..]));
        let index = Tensor::from_vec(&[2, 1], vec![0i64, 9]);
        let y = torch_index_select(&x, &index, 1, 1).unwrap();
        assert_eq!((y.dims(), y.as_slice::<i32>()), (&[2, 1][..], &[1, 6][..]));
        assert!(torch_index_select(&x, &index, 0, 1).is_err());
    }
}
