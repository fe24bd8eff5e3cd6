//! Ops of chlo and of StableHLO that broadcast by themselves or are written as text: `chlo.broadcast_*`,
//! `einsum`, `torch_index_select`.

use super::super::check::{Check, demand, require};
use super::super::shape;
use crate::ir::{DYNAMIC, Element, OpCode};
use crate::{ElementKind, ElementType};

/// The size of a dimension of two that are broadcast together.
fn broadcast_dim(a: i64, b: i64) -> Option<i64> {
    match (a, b) {
        (1, size) | (size, 1) => Some(size),
        (DYNAMIC, size) | (size, DYNAMIC) => Some(size),
        _ => (a == b).then_some(a),
    }
}

/// Shapes aligned at their last dimensions and broadcast.
fn broadcast_shape(a: &[i64], b: &[i64]) -> Option<Vec<i64>> {
    let rank = a.len().max(b.len());
    let at = |dims: &[i64], i: usize| (i + dims.len()).checked_sub(rank).map_or(1, |i| dims[i]);
    (0..rank).map(|i| broadcast_dim(at(a, i), at(b, i))).collect()
}

/// `chlo.broadcast_*` of two operands.
pub(crate) fn broadcast_binary(cx: &mut Check<'_, '_>) -> Option<()> {
    let (lhs, rhs) = (cx.t(0)?, cx.t(1)?);
    let same = cx.same_baseline(lhs.element, rhs.element);
    require!(
        cx,
        "element type",
        same,
        "lhs has elements of {} and rhs of {}",
        cx.element_text(lhs.element),
        cx.element_text(rhs.element)
    );
    let element = match cx.op.code() {
        OpCode::ChloBroadcastCompare => Element::Plain(ElementType::Bool),
        OpCode::ChloBroadcastComplex if lhs.element_type() == Some(ElementType::F64) => {
            Element::Plain(ElementType::C128)
        }
        OpCode::ChloBroadcastComplex => Element::Plain(ElementType::C64),
        _ => lhs.element,
    };
    let explicit = cx.op.i64s_opt("broadcast_dimensions").ok()?;
    let dims = match explicit {
        Some(dims) => {
            let (small, large) = if lhs.rank() <= rhs.rank() { (lhs, rhs) } else { (rhs, lhs) };
            cx.length("shape", "broadcast_dimensions", dims.len(), small.rank());
            if !cx.in_range("shape", "broadcast_dimensions", dims, large.rank()) || dims.len() != small.rank() {
                return None;
            }
            require!(
                cx,
                "shape",
                dims.windows(2).all(|w| w[0] < w[1]),
                "broadcast_dimensions = {dims:?} does not ascend"
            );
            let mut spread = vec![1; large.rank()];
            dims.iter().zip(&small.dims).for_each(|(&d, &size)| spread[d as usize] = size);
            broadcast_shape(&spread, &large.dims)
        }
        None => broadcast_shape(&lhs.dims, &rhs.dims),
    };
    demand!(cx, "shape", dims.is_some(), "{} and {} do not broadcast", shape::text(&lhs.dims), shape::text(&rhs.dims));
    cx.result_tensor(0, &dims?, element, "shape", "element type");
    Some(())
}

/// `chlo.broadcast_select`.
pub(crate) fn broadcast_select(cx: &mut Check<'_, '_>) -> Option<()> {
    let (pred, on_true, on_false) = (cx.t(0)?, cx.t(1)?, cx.t(2)?);
    let same = cx.same_baseline(on_true.element, on_false.element);
    require!(cx, "element type", same, "the choices have different element types");
    let dims = broadcast_shape(&on_true.dims, &on_false.dims).and_then(|dims| broadcast_shape(&dims, &pred.dims));
    demand!(cx, "shape", dims.is_some(), "pred, on_true and on_false do not broadcast");
    cx.result_tensor(0, &dims?, on_true.element, "shape", "element type");
    Some(())
}

/// Ops of several versions whose result only the program states: classes are checked, and that the result
/// has the element of the first operand.
pub(crate) fn stated(cx: &mut Check<'_, '_>) -> Option<()> {
    let result = cx.given_result(0)?;
    if let Some(operand) = cx.t(0) {
        let same = cx.same_baseline(operand.element, result.element);
        require!(cx, "element type", same, "operand and result have different element types");
    }
    Some(())
}

/// `chlo.dynamic_reshape`.
pub(crate) fn dynamic_reshape(cx: &mut Check<'_, '_>) -> Option<()> {
    let rank = cx.t(1)?.dims[0];
    stated(cx)?;
    let result = cx.given_result(0)?;
    require!(
        cx,
        "shape",
        shape::same_dim(rank, result.rank() as i64),
        "output_shape has {rank} entries and the result {} dimensions",
        result.rank()
    );
    Some(())
}

/// `chlo.minimum_broadcast_shapes`: as many results as operands.
pub(crate) fn minimum_broadcast_shapes(cx: &mut Check<'_, '_>) -> Option<()> {
    let (operands, results) = (cx.op.operands().len(), cx.op.results().len());
    require!(cx, "results", operands == results && operands > 0, "there are {operands} operands and {results} results");
    Some(())
}

/// `chlo.ragged_dot`: element types and, where the result has one more dimension, the groups.
pub(crate) fn ragged_dot(cx: &mut Check<'_, '_>) -> Option<()> {
    let (lhs, rhs) = (cx.t(0)?, cx.t(1)?);
    let kinds = |e: Option<ElementType>| e.map(ElementType::kind);
    let comparable = kinds(lhs.element_type()) == kinds(rhs.element_type())
        || [lhs, rhs].iter().all(|t| kinds(t.element_type()).is_some_and(|k| k != ElementKind::Complex));
    require!(cx, "element type", comparable, "lhs and rhs have elements that do not multiply");
    cx.given_result(0)?;
    Some(())
}

/// `einsum` and `unary_einsum`: the labels give the sizes.
pub(crate) fn einsum(cx: &mut Check<'_, '_>) -> Option<()> {
    let config = cx.op.string("einsum_config").ok()?;
    let sides = config.split_once("->");
    demand!(cx, "einsum_config", sides.is_some(), "einsum_config = {config:?} has no `->`");
    let (inputs, output) = sides?;
    let labels: Vec<&str> = inputs.split(',').map(str::trim).collect();
    demand!(
        cx,
        "einsum_config",
        labels.len() == cx.op.operands().len(),
        "einsum_config = {config:?} describes {} operands",
        labels.len()
    );
    let mut sizes: Vec<(char, i64)> = Vec::new();
    for (i, labels) in labels.iter().enumerate() {
        let tensor = cx.t(i)?;
        demand!(
            cx,
            "einsum_config",
            labels.chars().count() == tensor.rank(),
            "{labels:?} does not label the {} dimensions of operand {i}",
            tensor.rank()
        );
        for (label, &size) in labels.chars().zip(&tensor.dims) {
            match sizes.iter().find(|(l, _)| *l == label) {
                Some(&(_, other)) => {
                    require!(
                        cx,
                        "einsum_config",
                        shape::same_dim(other, size),
                        "{label:?} labels sizes {other} and {size}"
                    );
                }
                None => sizes.push((label, size)),
            }
        }
    }
    let mut dims = Vec::new();
    for label in output.trim().chars() {
        let size = sizes.iter().find(|(l, _)| *l == label);
        demand!(cx, "einsum_config", size.is_some(), "{label:?} labels the result but no operand");
        dims.push(size?.1);
    }
    let element = cx.t(0)?.element;
    if cx.inferring() {
        cx.result_tensor(0, &dims, element, "shape", "element type");
        return Some(());
    }
    // Sums may be kept in a wider type of the same kind.
    cx.result_shape(0, &dims, "shape");
    let result = cx.given_result(0)?;
    let fits = super::dot::same_kind(element, result.element) || cx.same_baseline(element, result.element);
    require!(
        cx,
        "element type",
        fits,
        "operand 0 has elements of {} and the result of {}",
        cx.element_text(element),
        cx.element_text(result.element)
    );
    Some(())
}

/// `torch_index_select`.
pub(crate) fn torch_index_select(cx: &mut Check<'_, '_>) -> Option<()> {
    let (operand, index) = (cx.t(0)?, cx.t(1)?);
    let integer = index.element_type().is_some_and(|e| matches!(e.kind(), ElementKind::Signed | ElementKind::Unsigned));
    require!(cx, "element type", integer, "index has elements of {}", cx.element_text(index.element));
    let (dim, batch) = (cx.op.int("dim").ok()?, cx.op.int("batch_dims").ok()?);
    let (rank, index_rank) = (operand.rank() as i64, index.rank() as i64);
    let dim = if dim < 0 { dim.saturating_add(rank) } else { dim };
    let batch = if batch < 0 { batch.saturating_add(index_rank) } else { batch };
    demand!(
        cx,
        "shape",
        0 <= dim && dim < rank && 0 <= batch && batch <= index_rank && batch <= dim,
        "dim = {dim} and batch_dims = {batch} do not fit operands with {rank} and {index_rank} dimensions"
    );
    let (dim, batch) = (dim as usize, batch as usize);
    let dims = [&operand.dims[..dim], &index.dims[batch..], &operand.dims[dim + 1..]].concat();
    cx.result_tensor(0, &dims, operand.element, "shape", "element type");
    Some(())
}
