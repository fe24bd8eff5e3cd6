//! How the results of gathers and scatters are spread: as the array that is read or written, where whole dimensions
//! are taken, and as the indices.

use super::propagation::{dims_from, once_each, open};
use stablehlo::ir::OpRef;
use stablehlo::ir::attrs::{DimensionSharding, TensorSharding};

/// A gather of an array and indices.
pub(super) fn gathered(
    op: OpRef<'_>,
    array: Option<&TensorSharding>,
    indices: Option<&TensorSharding>,
) -> Option<TensorSharding> {
    let numbers = op.gather_dimension_numbers().ok()?;
    let (sizes, from) = (op.i64s("slice_sizes").ok()?, &op.operand_tensor(0)?.dims);
    let like = array.or(indices)?;
    if array.zip(indices).is_some_and(|(array, indices)| array.mesh != indices.mesh) {
        return None;
    }
    let axes = |sharding: Option<&TensorSharding>, dim: usize| -> DimensionSharding {
        sharding.and_then(|sharding| sharding.dim_shardings.get(dim)).map_or_else(|| open(&[]), |dim| open(&dim.axes))
    };
    let has = |dims: &[i64], dim: usize| dims.contains(&(dim as i64));
    // Dimensions of the slices that are in the result, and those of the indices, each in their order.
    let mut kept = (0..from.len())
        .filter(|&dim| !has(&numbers.collapsed_slice_dims, dim) && !has(&numbers.operand_batching_dims, dim));
    let mut batch = (0..op.operand_tensor(1)?.dims.len()).filter(|&dim| dim as i64 != numbers.index_vector_dim);
    let mut dims = Vec::new();
    for dim in 0..op.result_tensor(0)?.dims.len() {
        dims.push(if has(&numbers.offset_dims, dim) {
            let source = kept.next()?;
            if sizes.get(source)? == from.get(source)? { axes(array, source) } else { open(&[]) }
        } else {
            let source = batch.next()?;
            let paired = numbers.start_indices_batching_dims.iter().position(|&dim| dim as usize == source);
            let paired = paired.and_then(|place| numbers.operand_batching_dims.get(place));
            let of_array = paired.map(|&dim| axes(array, dim as usize)).filter(|dim| !dim.axes.is_empty());
            of_array.unwrap_or_else(|| axes(indices, source))
        });
    }
    Some(once_each(like, dims))
}

/// A scatter into an array: what is written, and where, does not move the rest.
pub(super) fn scattered(array: &TensorSharding) -> Option<TensorSharding> {
    dims_from(array, (0..array.dim_shardings.len()).map(Some))
}
