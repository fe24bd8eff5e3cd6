//! Binds the ops that move elements or make tensors of a shape.

use super::{Binder, exactly, of_tensors};
use crate::eval::error::OpError;
use crate::eval::ops::axes::{axes, axis, sizes};
use crate::eval::ops::creation::iota;
use crate::eval::ops::gather::gather;
use crate::eval::ops::movement::{
    broadcast_in_dim, concatenate, dynamic_slice, dynamic_update_slice, pad, reshape, reverse, slice, transpose,
};
use crate::eval::plan::{Kernel, Lift};
use crate::eval::tensor::Tensor;
use crate::ir::OpCode;

pub(super) fn bind(binder: &mut Binder<'_, '_>) -> Result<Option<Kernel>, OpError> {
    let op = binder.op;
    // From scalar to scalar a change of shape does nothing, also when the scalars stand for vectors.
    let lift = if binder.operand_rank(0).ok() == Some(0) && op.result_tensor(0).is_some_and(|t| t.rank() == 0) {
        Lift::Identity
    } else {
        Lift::Never
    };
    Ok(Some(match op.code() {
        OpCode::BroadcastInDim => {
            let dims = binder.result_dims(0)?;
            let dimensions = axes("broadcast_dimensions", op.i64s("broadcast_dimensions")?, dims.len())?;
            of_tensors(lift, move |x| {
                let [x] = exactly(x)?;
                broadcast_in_dim(&x, &dimensions, &dims)
            })
        }
        OpCode::Reshape => {
            let dims = binder.result_dims(0)?;
            of_tensors(lift, move |x| {
                let [x] = exactly(x)?;
                reshape(&x, &dims)
            })
        }
        OpCode::Transpose => {
            let permutation = axes("permutation", op.i64s("permutation")?, binder.operand_rank(0)?)?;
            of_tensors(lift, move |x| {
                let [x] = exactly(x)?;
                transpose(&x, &permutation)
            })
        }
        OpCode::Slice => {
            let start = sizes("start_indices", op.i64s("start_indices")?)?;
            let limit = sizes("limit_indices", op.i64s("limit_indices")?)?;
            let strides = sizes("strides", op.i64s("strides")?)?;
            of_tensors(Lift::Never, move |x| {
                let [x] = exactly(x)?;
                slice(&x, &start, &limit, &strides)
            })
        }
        OpCode::Reverse => {
            let dimensions = axes("dimensions", op.i64s("dimensions")?, binder.operand_rank(0)?)?;
            of_tensors(lift, move |x| {
                let [x] = exactly(x)?;
                reverse(&x, &dimensions)
            })
        }
        OpCode::Concatenate => {
            let dimension = axis("dimension", op.int("dimension")?, binder.operand_rank(0)?)?;
            of_tensors(Lift::Never, move |x| concatenate(&x.iter().collect::<Vec<_>>(), dimension))
        }
        OpCode::Pad => {
            let low = op.i64s("edge_padding_low")?.to_vec();
            let high = op.i64s("edge_padding_high")?.to_vec();
            let interior = op.i64s("interior_padding")?.to_vec();
            of_tensors(Lift::Never, move |x| {
                let [x, value] = exactly(x)?;
                pad(&x, &value, &low, &high, &interior)
            })
        }
        OpCode::Iota => {
            let (ty, dims) = (binder.result_element(0)?, binder.result_dims(0)?);
            let dimension = axis("iota_dimension", op.int("iota_dimension")?, dims.len())?;
            of_tensors(Lift::Never, move |_| iota(ty, &dims, dimension))
        }
        OpCode::DynamicSlice => {
            let slice_sizes = sizes("slice_sizes", op.i64s("slice_sizes")?)?;
            of_tensors(Lift::Never, move |mut x| {
                let starts = scalar_indices(&x, 1)?;
                dynamic_slice(&x.swap_remove(0), &starts, &slice_sizes)
            })
        }
        OpCode::DynamicUpdateSlice => of_tensors(Lift::Never, |mut x| {
            let starts = scalar_indices(&x, 2)?;
            let update = x.swap_remove(1);
            dynamic_update_slice(x.swap_remove(0), &update, &starts)
        }),
        OpCode::Gather => {
            let numbers = op.gather_dimension_numbers()?.clone();
            let slice_sizes = op.i64s("slice_sizes")?.to_vec();
            of_tensors(Lift::Never, move |x| {
                let [operand, indices] = exactly(x)?;
                gather(&operand, &indices, &numbers, &slice_sizes)
            })
        }
        OpCode::GetDimensionSize => {
            let dimension = axis("dimension", op.int("dimension")?, binder.operand_rank(0)?)?;
            of_tensors(Lift::Never, move |x| {
                let [x] = exactly(x)?;
                Ok(Tensor::scalar(x.dims()[dimension] as i32))
            })
        }
        _ => return Ok(None),
    }))
}

/// The operands from a position on, each a scalar index. Fails when there are none before it.
fn scalar_indices(operands: &[Tensor], from: usize) -> Result<Vec<i64>, OpError> {
    let indices = operands.get(from..).ok_or_else(|| OpError::invalid(format!("takes at least {from} operands")))?;
    indices.iter().map(Tensor::scalar_i64).collect()
}
