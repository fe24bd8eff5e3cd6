//! `scatter`: updates combined into slices of the inputs at run-time indices.

use super::accumulate::{accumulate, take};
use super::axes::{advance, axes};
use super::body::Body;
use super::gather::IndexVectors;
use crate::eval::error::OpError;
use crate::eval::tensor::{Tensor, row_major_strides};
use crate::ir::attrs::ScatterDimensionNumbers;

/// Combines each element of the updates into the input element that its index vector and its place in the update
/// window name, in row-major order of the updates; those that fall outside the inputs are dropped, one by one.
///
/// Inputs have one shape, updates another. The body takes old values, then updates. Fails when the dimension
/// numbers contradict each other or the shapes, and when the body fails.
pub fn scatter(
    inputs: Vec<Tensor>,
    scatter_indices: &Tensor,
    updates: &[Tensor],
    numbers: &ScatterDimensionNumbers,
    body: &dyn Body,
) -> Result<Vec<Tensor>, OpError> {
    let (Some(input), Some(update)) = (inputs.first(), updates.first()) else {
        return Err(OpError::invalid("scatter needs at least one input"));
    };
    let one_shape = |all: &[Tensor]| all.iter().all(|x| x.dims() == all[0].dims());
    if inputs.len() != updates.len() || !one_shape(&inputs) || !one_shape(updates) {
        return Err(OpError::invalid("scatter needs inputs of one shape and as many updates of one shape"));
    }
    let (rank, update_rank) = (input.rank(), update.rank());
    let indices = IndexVectors::new(scatter_indices, numbers.index_vector_dim)?;
    let window_dims = axes("update_window_dims", &numbers.update_window_dims, update_rank)?;
    let inserted = axes("inserted_window_dims", &numbers.inserted_window_dims, rank)?;
    let batching = axes("input_batching_dims", &numbers.input_batching_dims, rank)?;
    let indices_batching =
        axes("scatter_indices_batching_dims", &numbers.scatter_indices_batching_dims, scatter_indices.rank())?;
    let index_map = axes("scatter_dims_to_operand_dims", &numbers.scatter_dims_to_operand_dims, rank)?;
    let window_axes: Vec<usize> = (0..rank).filter(|a| !inserted.contains(a) && !batching.contains(a)).collect();
    let scatter_dims: Vec<usize> = (0..update_rank).filter(|d| !window_dims.contains(d)).collect();
    let scatter_sizes: Vec<usize> = scatter_dims.iter().map(|&d| update.dims()[d]).collect();
    let consistent = window_axes.len() == window_dims.len()
        && scatter_sizes == indices.batch_dims
        && index_map.len() == indices.components
        && batching.len() == indices_batching.len();
    if !consistent {
        return Err(OpError::invalid(format!(
            "{numbers:?} do not fit inputs {}, indices {} and updates {}",
            input.describe(),
            scatter_indices.describe(),
            update.describe()
        )));
    }
    let input_strides = row_major_strides(input.dims());
    let update_strides = row_major_strides(update.dims());
    let window_sizes: Vec<usize> = window_dims.iter().map(|&d| update.dims()[d]).collect();
    let (mut positions, mut sources) = (Vec::with_capacity(update.len()), Vec::with_capacity(update.len()));
    let mut batch = vec![0usize; scatter_sizes.len()];
    let mut more = !update.is_empty();
    while more {
        let mut start = vec![0i64; rank];
        for (component, &a) in index_map.iter().enumerate() {
            start[a] = indices.component(&batch, component);
        }
        for (&a, &d) in batching.iter().zip(&indices_batching) {
            start[a] = batch[indices.batch_position(d)] as i64;
        }
        let source: usize = scatter_dims.iter().zip(&batch).map(|(&d, i)| i * update_strides[d]).sum();
        let mut window = vec![0usize; window_sizes.len()];
        loop {
            let offset = |a: usize| window_axes.iter().position(|&w| w == a).map_or(0, |k| window[k] as i64);
            let target = (0..rank).try_fold(0usize, |at, a| {
                let index = usize::try_from(start[a].checked_add(offset(a))?).ok()?;
                (index < input.dims()[a]).then(|| at + index * input_strides[a])
            });
            if let Some(target) = target {
                positions.push(target);
                let within: usize = window_dims.iter().zip(&window).map(|(&d, i)| i * update_strides[d]).sum();
                sources.push(source + within);
            }
            if !advance(&mut window, &window_sizes) {
                break;
            }
        }
        more = advance(&mut batch, &scatter_sizes);
    }
    let updates: Vec<Tensor> = updates.iter().map(|u| take(u, &sources)).collect();
    accumulate(inputs, &positions, &updates, body)
}

#[cfg(test)]
mod tests {
    use super::super::binary::{BinaryOp, binary};
    use super::super::body::BinaryBody;
    use super::*;

    fn rows(window: &[i64]) -> ScatterDimensionNumbers {
        ScatterDimensionNumbers {
            update_window_dims: window.into(),
            inserted_window_dims: [0].into(),
            input_batching_dims: [].into(),
            scatter_indices_batching_dims: [].into(),
            scatter_dims_to_operand_dims: [0].into(),
            index_vector_dim: 1,
        }
    }

    #[test]
    fn repeated_indices_add_up_and_outside_ones_are_dropped() {
        let x = Tensor::from_vec(&[3, 2], vec![0, 0, 10, 10, 20, 20]);
        let i = Tensor::from_vec(&[4], vec![1, 1, -1, 3]);
        let u = Tensor::from_vec(&[4, 2], vec![1, 2, 3, 4, 5, 6, 7, 8]);
        let y = scatter(vec![x], &i, &[u], &rows(&[1]), &BinaryBody(BinaryOp::Add)).unwrap();
        assert_eq!(y[0].as_slice::<i32>(), [0, 0, 14, 16, 20, 20]);
    }

    #[test]
    fn the_furthest_indices_are_dropped_like_others() {
        let x = Tensor::from_vec(&[2, 2], vec![1, 2, 3, 4]);
        let i = Tensor::from_vec(&[2], vec![i64::MAX, i64::MIN]);
        let u = Tensor::from_vec(&[2, 2], vec![9; 4]);
        let y = scatter(vec![x.clone()], &i, &[u], &rows(&[1]), &BinaryBody(BinaryOp::Add)).unwrap();
        assert_eq!(y[0], x);
    }

    #[test]
    fn order_of_updates_is_kept_whatever_the_path() {
        let x = Tensor::from_vec(&[2], vec![1f32, 1.0]);
        let i = Tensor::from_vec(&[5], vec![0, 1, 0, 0, 1]);
        let u = Tensor::from_vec(&[5], vec![2f32, 3.0, 5.0, 7.0, 11.0]);
        let general = |a: Vec<Tensor>| Ok(vec![binary(BinaryOp::Divide, &a[0], &a[1])?]);
        let fast =
            scatter(vec![x.clone()], &i, std::slice::from_ref(&u), &rows(&[]), &BinaryBody(BinaryOp::Divide)).unwrap();
        let slow = scatter(vec![x], &i, &[u], &rows(&[]), &general).unwrap();
        assert_eq!(fast, slow);
        assert_eq!(fast[0].as_slice::<f32>(), [1.0 / 2.0 / 5.0 / 7.0, 1f32 / 3.0 / 11.0]);
    }

    #[test]
    fn later_updates_replace_earlier_ones() {
        struct Second;
        impl Body for Second {
            fn apply(&self, arguments: Vec<Tensor>) -> Result<Vec<Tensor>, OpError> {
                Ok(vec![arguments[1].clone()])
            }
            fn is_second(&self) -> bool {
                true
            }
        }
        let general = |a: Vec<Tensor>| Ok(vec![a[1].clone()]);
        let x = Tensor::from_vec(&[2], vec![0, 0]);
        let i = Tensor::from_vec(&[3, 1], vec![0u8, 0, 1]);
        let u = Tensor::from_vec(&[3], vec![4, 5, 6]);
        let bodies: [&dyn Body; 2] = [&Second, &general];
        for body in bodies {
            let y = scatter(vec![x.clone()], &i, std::slice::from_ref(&u), &rows(&[]), body).unwrap();
            assert_eq!(y[0].as_slice::<i32>(), [5, 6]);
        }
    }
}
