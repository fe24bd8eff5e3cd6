//! Binds the ops that take a region as a function of scalars.

use super::{Binder, exactly, plain, tensors};
use crate::eval::error::OpError;
use crate::eval::machine::RegionBody;
use crate::eval::ops::axes::{axes, axis};
use crate::eval::ops::body::Body;
use crate::eval::ops::movement::reshape;
use crate::eval::ops::reduce::reduce;
use crate::eval::ops::reduce_window::{reduce_window, select_and_scatter};
use crate::eval::ops::scatter::scatter;
use crate::eval::ops::sort::sort;
use crate::eval::ops::window::WindowDimension;
use crate::eval::plan::{Kernel, RegionFunction};
use crate::eval::tensor::Tensor;
use crate::eval::value::Value;
use crate::ir::OpCode;

pub(super) fn bind(binder: &mut Binder<'_, '_>) -> Result<Option<Kernel>, OpError> {
    let op = binder.op;
    Ok(Some(match op.code() {
        OpCode::Reduce => {
            let [body] = regions(binder)?;
            let n = inputs_and_inits(binder)?;
            let dimensions = axes("dimensions", op.i64s("dimensions")?, binder.operand_rank(0)?)?;
            plain(move |context, operands| {
                let body = RegionBody::new(context, &body, &operands);
                let x = tensors(operands.into_iter().take(2 * n).collect())?;
                values(reduce(&x[..n], &x[n..], &dimensions, &body)?)
            })
        }
        OpCode::ReduceWindow => {
            let [body] = regions(binder)?;
            let n = inputs_and_inits(binder)?;
            let windows = windows(binder)?;
            plain(move |context, operands| {
                let body = RegionBody::new(context, &body, &operands);
                let x = tensors(operands.into_iter().take(2 * n).collect())?;
                values(reduce_window(&x[..n], &x[n..], &windows, &body)?)
            })
        }
        OpCode::SelectAndScatter => {
            let [select, scatter] = regions(binder)?;
            let windows = windows(binder)?;
            plain(move |context, operands| {
                let select = RegionBody::new(context, &select, &operands);
                let scatter = RegionBody::new(context, &scatter, &operands);
                let [operand, source, init] = exactly(tensors(operands.into_iter().take(3).collect())?)?;
                values(vec![select_and_scatter(&operand, &source, &init, &windows, &select, &scatter)?])
            })
        }
        OpCode::Scatter => {
            let [body] = regions(binder)?;
            let count = op.operands().len();
            if count < 3 || count.is_multiple_of(2) {
                return Err(OpError::invalid(format!(
                    "takes inputs, indices and as many updates, found {count} operands"
                )));
            }
            let n = count / 2;
            let numbers = op.scatter_dimension_numbers()?.clone();
            plain(move |context, operands| {
                let body = RegionBody::new(context, &body, &operands);
                let mut inputs = tensors(operands.into_iter().take(2 * n + 1).collect())?;
                let updates = inputs.split_off(n + 1);
                let indices = inputs.remove(n);
                values(scatter(inputs, &indices, &updates, &numbers, &body)?)
            })
        }
        OpCode::Sort => {
            let [comparator] = regions(binder)?;
            let n = op.operands().len();
            let rank = binder.operand_rank(0)?;
            let dimension = op.int_or("dimension", -1)?;
            let dimension = axis("dimension", if dimension < 0 { dimension + rank as i64 } else { dimension }, rank)?;
            plain(move |context, operands| {
                let comparator = RegionBody::new(context, &comparator, &operands);
                let inputs = tensors(operands.into_iter().take(n).collect())?;
                values(sort(&inputs, dimension, &comparator)?)
            })
        }
        OpCode::Map => {
            let [body] = regions(binder)?;
            let n = op.operands().len();
            let result = binder.result_element(0)?;
            plain(move |context, operands| {
                let body = RegionBody::new(context, &body, &operands);
                let inputs = tensors(operands.into_iter().take(n).collect())?;
                let dims = inputs.first().map(|x| x.dims().to_vec()).unwrap_or_default();
                if dims.contains(&0) {
                    return values(vec![Tensor::zeros(result, &dims)]);
                }
                let flat = inputs.into_iter().map(|x| reshape(&x, &[dims.iter().product()]));
                let mapped = body.apply(flat.collect::<Result<_, _>>()?)?;
                values(mapped.into_iter().map(|x| x.with_dims(&dims)).collect())
            })
        }
        _ => return Ok(None),
    }))
}

/// The windows of `reduce_window` and `select_and_scatter`.
fn windows(binder: &Binder<'_, '_>) -> Result<Vec<WindowDimension>, OpError> {
    let op = binder.op;
    let sizes = op.i64s("window_dimensions")?;
    let rank = sizes.len();
    let ones = |name: &str| -> Result<Vec<i64>, OpError> {
        let values = op.i64s_opt(name)?.map_or(vec![1; rank], <[i64]>::to_vec);
        if values.len() == rank { Ok(values) } else { Err(OpError::invalid(format!("`{name}` needs {rank} entries"))) }
    };
    let (strides, base, dilations) = (ones("window_strides")?, ones("base_dilations")?, ones("window_dilations")?);
    let padding = op.padding("padding")?.unwrap_or_else(|| vec![(0, 0); rank]);
    if padding.len() != rank {
        return Err(OpError::invalid(format!("`padding` needs {rank} rows")));
    }
    (0..rank).map(|d| WindowDimension::new(sizes[d], strides[d], padding[d], base[d], dilations[d])).collect()
}

/// Exactly `N` regions.
fn regions<const N: usize>(binder: &Binder<'_, '_>) -> Result<[RegionFunction; N], OpError> {
    let count = binder.regions.len();
    binder.regions.clone().try_into().map_err(|_| OpError::invalid(format!("takes {N} regions, found {count}")))
}

/// The number of inputs of an op that has an initial value for each.
fn inputs_and_inits(binder: &Binder<'_, '_>) -> Result<usize, OpError> {
    match binder.op.operands().len() {
        0 => Err(OpError::invalid("takes at least one input and its initial value")),
        n if n % 2 == 1 => Err(OpError::invalid(format!("takes an initial value for each input, found {n} operands"))),
        n => Ok(n / 2),
    }
}

fn values(tensors: Vec<Tensor>) -> Result<Vec<Value>, OpError> {
    Ok(tensors.into_iter().map(Value::from).collect())
}
