//! Binds the ops of chlo.

use super::elementwise::{binary_op, broadcast_base};
use super::{Binder, exactly, of_tensors, plain, tensors};
use crate::eval::error::OpError;
use crate::eval::machine::RegionBody;
use crate::eval::ops::axes::{axes, axis, sizes};
use crate::eval::ops::binary::binary;
use crate::eval::ops::compare::compare;
use crate::eval::ops::convert::convert;
use crate::eval::ops::creation::complex;
use crate::eval::ops::movement::{broadcast_in_dim, broadcast_scalar, concatenate, reshape, reverse, slice};
use crate::eval::ops::ragged_dot::ragged_dot;
use crate::eval::ops::select::select;
use crate::eval::ops::special::{Infinities, apply, function, function_of_two, is_infinite};
use crate::eval::ops::top_k::top_k;
use crate::eval::plan::{Kernel, Lift};
use crate::eval::tensor::{Tensor, element_count};
use crate::eval::value::Value;
use crate::ir::{Attr, OpCode, Type, i32_list};

/// Whether the op computes number by number.
pub(super) fn is_arithmetic(code: OpCode) -> bool {
    function(code).is_some() || function_of_two(code).is_some() || broadcast_base(code).is_some()
}

pub(super) fn bind(binder: &mut Binder<'_, '_>) -> Result<Option<Kernel>, OpError> {
    let op = binder.op;
    if let Some(function) = function(op.code()) {
        return Ok(Some(of_tensors(Lift::Elementwise, move |x| {
            let [x] = exactly(x)?;
            apply(function, &x)
        })));
    }
    if let Some(function) = function_of_two(op.code()) {
        return Ok(Some(of_tensors(Lift::Elementwise, move |x| {
            let [a, b] = exactly(x)?;
            function(&a, &b)
        })));
    }
    if let Some(base) = broadcast_base(op.code()) {
        return broadcasting(binder, base).map(Some);
    }
    Ok(Some(match op.code() {
        OpCode::ChloIsInf | OpCode::ChloIsNegInf | OpCode::ChloIsPosInf => {
            let which =
                Infinities { negative: op.code() != OpCode::ChloIsPosInf, positive: op.code() != OpCode::ChloIsNegInf };
            of_tensors(Lift::Elementwise, move |x| {
                let [x] = exactly(x)?;
                is_infinite(which, &x)
            })
        }
        OpCode::ChloConstantLike => {
            let value = typed_number(binder)?;
            of_tensors(Lift::Elementwise, move |x| {
                let [x] = exactly(x)?;
                Ok(broadcast_scalar(&value, x.dims()))
            })
        }
        OpCode::ChloBroadcastSelect => of_tensors(Lift::Never, |x| {
            let [pred, on_true, on_false] = exactly(broadcast(x, None)?)?;
            select(&pred, &on_true, &on_false)
        }),
        OpCode::ChloDynamicReshape => of_tensors(Lift::Never, |x| {
            let [x, shape] = exactly(x)?;
            reshape(&x, &sizes("the shape operand", &shape.to_i64s()?)?)
        }),
        OpCode::ChloTopK => {
            let k = sizes("k", &[op.int("k")?])?[0];
            plain(move |_, operands| {
                let [x] = exactly(tensors(operands)?)?;
                Ok(top_k(&x, k, true)?.map(Value::from).to_vec())
            })
        }
        OpCode::ChloRaggedDot => {
            let (numbers, result) = (op.ragged_dot_dimension_numbers()?.clone(), binder.result_element(0)?);
            of_tensors(Lift::Never, move |x| {
                let [lhs, rhs, group_sizes] = exactly(x)?;
                ragged_dot(&lhs, &rhs, &group_sizes, &numbers, result)
            })
        }
        OpCode::ChloScan => scan(binder)?,
        _ => return Ok(None),
    }))
}

/// The value of a typed attribute as a scalar.
fn typed_number(binder: &Binder<'_, '_>) -> Result<Tensor, OpError> {
    let (op, module) = (binder.op, binder.op.module());
    let element = binder.result_element(0)?;
    let scalar = |ty, data: &[u8]| match *module.ty(ty) {
        Type::Scalar(from) => {
            let bytes = data.get(..from.byte_width()).ok_or_else(|| OpError::invalid("`value` is cut off"))?;
            convert(&Tensor::from_bytes(from, &[], bytes)?, element)
        }
        _ => Err(OpError::invalid(format!("`value` of type {} is no number", module.type_text(ty)))),
    };
    match op.required("value")? {
        Attr::Float { bits, ty } => scalar(*ty, &bits.to_le_bytes()),
        Attr::Integer { value, ty } => scalar(*ty, &value.to_le_bytes()),
        Attr::Bool(value) => convert(&Tensor::scalar(i64::from(*value)), element),
        Attr::DenseElements(dense) if dense.is_splat() => Tensor::from_bytes(element, &[], dense.data()),
        _ => Err(OpError::unsupported("a `value` that is not one number; use a constant and broadcast_in_dim")),
    }
}

/// An op on operands that are broadcast together.
fn broadcasting(binder: &Binder<'_, '_>, base: OpCode) -> Result<Kernel, OpError> {
    let op = binder.op;
    let dimensions = op.i64s_opt("broadcast_dimensions")?.map(<[i64]>::to_vec);
    let pair = move |x: Vec<Tensor>| exactly::<2>(broadcast(x, dimensions.as_deref())?);
    Ok(match base {
        OpCode::Compare => {
            let (direction, ty) = (op.comparison_direction()?, op.compare_type()?);
            of_tensors(Lift::Never, move |x| {
                let [lhs, rhs] = pair(x)?;
                compare(direction, ty, &lhs, &rhs)
            })
        }
        OpCode::Complex => of_tensors(Lift::Never, move |x| {
            let [re, im] = pair(x)?;
            complex(&re, &im)
        }),
        _ => match (binary_op(base), function_of_two(base)) {
            (Some(binary_op), _) => of_tensors(Lift::Never, move |x| {
                let [lhs, rhs] = pair(x)?;
                binary(binary_op, &lhs, &rhs)
            }),
            (_, Some(function)) => of_tensors(Lift::Never, move |x| {
                let [lhs, rhs] = pair(x)?;
                function(&lhs, &rhs)
            }),
            _ => return Err(OpError::unsupported(format!("{base} with broadcasting"))),
        },
    })
}

/// All operands in their common shape: aligned at the last dimension, or where `dimensions` says which dimensions
/// of the larger of two the smaller one has; sizes of one are repeated.
fn broadcast(operands: Vec<Tensor>, dimensions: Option<&[i64]>) -> Result<Vec<Tensor>, OpError> {
    let rank = operands.iter().map(Tensor::rank).max().unwrap_or(0);
    let places = |x: &Tensor| match dimensions {
        Some(dimensions) if x.rank() < rank => {
            let places = axes("broadcast_dimensions", dimensions, rank)?;
            if places.len() == x.rank() {
                Ok(places)
            } else {
                Err(OpError::invalid("`broadcast_dimensions` is too short or long"))
            }
        }
        _ => Ok((rank - x.rank()..rank).collect::<Vec<usize>>()),
    };
    let mut dims = vec![1; rank];
    for x in &operands {
        for (place, &size) in places(x)?.into_iter().zip(x.dims()) {
            if dims[place] == 1 {
                dims[place] = size;
            } else if size != 1 && size != dims[place] {
                let shapes: Vec<String> = operands.iter().map(Tensor::describe).collect();
                return Err(OpError::invalid(format!("{} do not broadcast together", shapes.join(" and "))));
            }
        }
    }
    if element_count(&dims).is_none() {
        return Err(OpError::invalid(format!("shape {dims:?} does not fit in memory")));
    }
    operands.iter().map(|x| broadcast_in_dim(x, &places(x)?, &dims)).collect()
}

/// Runs the body once for each slice of the inputs, with what it handed on from the slice before.
fn scan(binder: &Binder<'_, '_>) -> Result<Kernel, OpError> {
    let op = binder.op;
    let [body] = binder.regions.as_slice() else { return Err(OpError::invalid("takes one region")) };
    let body = body.clone();
    let first = |name: &str| match op.required(name)? {
        Attr::DenseArray { data, .. } => Ok(i32_list(data).first().map_or(0, |&n| n.max(0) as usize)),
        _ => Err(OpError::invalid(format!("`{name}` must be two numbers"))),
    };
    let (inputs, outputs) = (first("operandSegmentSizes")?, first("resultSegmentSizes")?);
    let count = op.operands().len();
    let dimension = sizes("dimension", &[op.int("dimension")?])?[0];
    let steps = if op.attr("scan_dim_size").is_some() { Some(op.int("scan_dim_size")?) } else { None };
    let backward = op.bool_or("is_reverse", false)?;
    // Results of no steps still have types.
    let empty: Vec<_> = (0..outputs)
        .map(|i| Ok((binder.result_element(i)?, binder.result_dims(i).ok())))
        .collect::<Result<_, OpError>>()?;
    Ok(plain(move |context, operands| {
        let body = RegionBody::new(context, &body, &operands);
        let mut carries = operands;
        carries.truncate(count);
        let rest = carries.split_off(inputs.min(count));
        let slices = tensors(std::mem::replace(&mut carries, rest))?;
        for x in &slices {
            axis("dimension", dimension as i64, x.rank())?;
        }
        let length = match (slices.first(), steps) {
            (Some(x), _) => x.dims()[dimension],
            (None, Some(steps)) => sizes("scan_dim_size", &[steps])?[0],
            (None, None) => return Err(OpError::invalid("without inputs `scan_dim_size` must say how many steps")),
        };
        if let Some(other) = slices.iter().find(|x| x.dims()[dimension] != length) {
            return Err(OpError::invalid(format!("{} where {length} slices are scanned", other.describe())));
        }
        let slice_of = |x: &Tensor, at: usize| {
            let (mut start, mut limit) = (vec![0; x.rank()], x.dims().to_vec());
            (start[dimension], limit[dimension]) = (at, at + 1);
            let mut dims = x.dims().to_vec();
            dims.remove(dimension);
            Ok::<Value, OpError>(slice(x, &start, &limit, &vec![1; x.rank()])?.with_dims(&dims).into())
        };
        let mut columns: Vec<Vec<Tensor>> = vec![Vec::new(); outputs];
        for step in 0..length {
            let at = if backward { length - 1 - step } else { step };
            let mut arguments = slices.iter().map(|x| slice_of(x, at)).collect::<Result<Vec<Value>, OpError>>()?;
            arguments.append(&mut carries);
            let mut results = body.call(arguments)?;
            if results.len() != outputs + count - inputs {
                return Err(OpError::invalid(format!("the body gives {} values", results.len())));
            }
            carries = results.split_off(outputs);
            for (column, result) in columns.iter_mut().zip(results) {
                let result = result.into_tensor()?;
                let mut dims = result.dims().to_vec();
                if dimension > dims.len() {
                    return Err(OpError::invalid(format!("outputs have no dimension {dimension}")));
                }
                dims.insert(dimension, 1);
                column.push(result.with_dims(&dims));
            }
        }
        let stack = |(column, (element, dims)): (&Vec<Tensor>, &(crate::ElementType, Option<Vec<usize>>))| {
            if column.is_empty() {
                let dims =
                    dims.as_ref().ok_or_else(|| OpError::unsupported("a scan of no steps with dynamic sizes"))?;
                return Ok(Tensor::zeros(*element, dims).into());
            }
            let stacked = concatenate(&column.iter().collect::<Vec<_>>(), dimension)?;
            Ok::<Value, OpError>(if backward { reverse(&stacked, &[dimension])? } else { stacked }.into())
        };
        let mut results = columns.iter().zip(&empty).map(stack).collect::<Result<Vec<Value>, OpError>>()?;
        results.append(&mut carries);
        Ok(results)
    }))
}
