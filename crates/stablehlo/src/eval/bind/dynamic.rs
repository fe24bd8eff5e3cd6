//! Binds the forms whose shapes come from operands, and older forms of other ops.

use super::{Binder, exactly, of_tensors};
use crate::ElementType;
use crate::eval::error::OpError;
use crate::eval::ops::axes::{axes, axis, sizes};
use crate::eval::ops::creation::iota;
use crate::eval::ops::dot::{DotDimensions, dot_general};
use crate::eval::ops::einsum::einsum;
use crate::eval::ops::gather::gather;
use crate::eval::ops::index_select::torch_index_select;
use crate::eval::ops::movement::{broadcast_in_dim, pad, reshape, slice};
use crate::eval::plan::{Kernel, Lift};
use crate::eval::tensor::Tensor;
use crate::ir::OpCode;

pub(super) fn bind(binder: &mut Binder<'_, '_>) -> Result<Option<Kernel>, OpError> {
    let op = binder.op;
    let shape = |x: &Tensor| sizes("the shape operand", &x.to_i64s()?);
    Ok(Some(match op.code() {
        OpCode::DynamicBroadcastInDim => {
            let dimensions = op.i64s("broadcast_dimensions")?.to_vec();
            of_tensors(Lift::Never, move |x| {
                let [x, output] = exactly(x)?;
                let dims = shape(&output)?;
                broadcast_in_dim(&x, &axes("broadcast_dimensions", &dimensions, dims.len())?, &dims)
            })
        }
        OpCode::DynamicReshape => of_tensors(Lift::Never, move |x| {
            let [x, output] = exactly(x)?;
            reshape(&x, &shape(&output)?)
        }),
        OpCode::DynamicIota => {
            let (ty, dimension) = (binder.result_element(0)?, op.int("iota_dimension")?);
            of_tensors(Lift::Never, move |x| {
                let [output] = exactly(x)?;
                let dims = shape(&output)?;
                iota(ty, &dims, axis("iota_dimension", dimension, dims.len())?)
            })
        }
        OpCode::DynamicPad => of_tensors(Lift::Never, |x| {
            let [x, value, low, high, interior] = exactly(x)?;
            pad(&x, &value, &low.to_i64s()?, &high.to_i64s()?, &interior.to_i64s()?)
        }),
        OpCode::RealDynamicSlice => of_tensors(Lift::Never, move |x| {
            let [x, start, limit, strides] = exactly(x)?;
            slice(&x, &shape(&start)?, &shape(&limit)?, &shape(&strides)?)
        }),
        OpCode::DynamicGather => {
            let numbers = op.gather_dimension_numbers()?.clone();
            of_tensors(Lift::Never, move |x| {
                let [operand, indices, slice_sizes] = exactly(x)?;
                gather(&operand, &indices, &numbers, &slice_sizes.to_i64s()?)
            })
        }
        OpCode::SetDimensionSize => {
            let dimension = axis("dimension", op.int("dimension")?, binder.operand_rank(0)?)?;
            of_tensors(Lift::Never, move |x| {
                let [x, size] = exactly(x)?;
                let mut limit = x.dims().to_vec();
                limit[dimension] = sizes("size", &[size.scalar_i64()?])?[0];
                // What is beyond the new size is dropped; there is nothing to grow by.
                slice(&x, &vec![0; x.rank()], &limit, &vec![1; x.rank()])
            })
        }
        OpCode::Einsum | OpCode::UnaryEinsum => {
            let (config, result) = (op.string("einsum_config")?.to_owned(), binder.result_element(0)?);
            of_tensors(Lift::Never, move |x| einsum(&config, &x, result))
        }
        OpCode::TorchIndexSelect => {
            let rank = op.operand_tensor(1).map_or(0, |index| index.rank()) as i64;
            let (dim, batch) = (op.int("dim")?, op.int("batch_dims")?);
            let dim =
                axis("dim", if dim < 0 { dim + binder.operand_rank(0)? as i64 } else { dim }, binder.operand_rank(0)?)?;
            let batch = sizes("batch_dims", &[if batch < 0 { batch + rank } else { batch }])?[0];
            of_tensors(Lift::Never, move |x| {
                let [x, index] = exactly(x)?;
                torch_index_select(&x, &index, dim, batch)
            })
        }
        OpCode::Broadcast => {
            let outer = sizes("broadcast_sizes", op.i64s("broadcast_sizes")?)?;
            of_tensors(Lift::Never, move |x| {
                let [x] = exactly(x)?;
                let dims = [&outer[..], x.dims()].concat();
                broadcast_in_dim(&x, &(outer.len()..dims.len()).collect::<Vec<_>>(), &dims)
            })
        }
        OpCode::Dot => {
            let result: ElementType = binder.result_element(0)?;
            of_tensors(Lift::Never, move |x| {
                let [lhs, rhs] = exactly(x)?;
                if lhs.rank() == 0 || rhs.rank() == 0 {
                    return Err(OpError::invalid("dot takes vectors and matrices"));
                }
                let dims = DotDimensions {
                    lhs_contracting: vec![lhs.rank() - 1],
                    rhs_contracting: vec![0],
                    ..DotDimensions::default()
                };
                dot_general(&lhs, &rhs, &dims, result)
            })
        }
        _ => return Ok(None),
    }))
}
