//! Slices: static, dynamic, and the update of one.

use super::super::check::{Check, demand, require};
use super::super::shape::{self, same_dim};
use crate::ir::DYNAMIC;

/// `slice`.
pub(crate) fn slice(cx: &mut Check<'_, '_>) -> Option<()> {
    let operand = cx.t(0)?;
    let (start, limit, strides) =
        (cx.op.i64s("start_indices").ok()?, cx.op.i64s("limit_indices").ok()?, cx.op.i64s("strides").ok()?);
    let rank = operand.rank();
    let counted = [("start_indices", start), ("limit_indices", limit), ("strides", strides)]
        .map(|(name, list)| cx.length("C2", name, list.len(), rank));
    let positive = cx.at_least("C4", "strides", strides, 1);
    if counted.contains(&false) || !positive {
        return None;
    }
    let mut dims = Vec::with_capacity(rank);
    for d in 0..rank {
        let size = operand.dims[d];
        let inside = 0 <= start[d] && start[d] <= limit[d] && (size == DYNAMIC || limit[d] <= size);
        demand!(
            cx,
            "C3",
            inside,
            "dimension {d} of size {} is sliced from {} to {}",
            shape::text(&[size]),
            start[d],
            limit[d]
        );
        let extent = limit[d] - start[d];
        dims.push(extent / strides[d] + i64::from(extent % strides[d] != 0));
    }
    cx.result_tensor(0, &dims, operand.element, "C5", "C1");
    Some(())
}

fn same_index_types(cx: &mut Check<'_, '_>, id: &'static str, first: usize) {
    let indices = &cx.op.operands()[first..];
    let element = |i: usize| cx.t(first + i).map(|t| t.element);
    let same = (1..indices.len()).all(|i| element(i) == element(0));
    require!(cx, id, same, "the start indices have different types");
}

/// `dynamic_slice`.
pub(crate) fn dynamic_slice(cx: &mut Check<'_, '_>) -> Option<()> {
    let operand = cx.t(0)?;
    let sizes = cx.op.i64s("slice_sizes").ok()?;
    let rank = operand.rank();
    let counted = [
        cx.length("C2", "start_indices", cx.op.operands().len() - 1, rank),
        cx.length("C2", "slice_sizes", sizes.len(), rank),
    ];
    same_index_types(cx, "C3", 1);
    if counted.contains(&false) {
        return None;
    }
    for (d, (&slice, &size)) in sizes.iter().zip(&operand.dims).enumerate() {
        demand!(
            cx,
            "C4",
            slice >= 0 && (size == DYNAMIC || slice <= size),
            "slice_sizes[{d}] = {slice} is not in [0, {}]",
            shape::text(&[size])
        );
    }
    cx.result_tensor(0, sizes, operand.element, "C5", "C1");
    Some(())
}

/// `dynamic_update_slice`.
pub(crate) fn dynamic_update_slice(cx: &mut Check<'_, '_>) -> Option<()> {
    let (operand, update) = (cx.t(0)?, cx.t(1)?);
    let same = cx.same_baseline(operand.element, update.element);
    require!(
        cx,
        "C2",
        same,
        "operand has elements of {} and update of {}",
        cx.element_text(operand.element),
        cx.element_text(update.element)
    );
    require!(
        cx,
        "C3",
        update.rank() == operand.rank(),
        "update has {} dimensions and operand {}",
        update.rank(),
        operand.rank()
    );
    cx.length("C4", "start_indices", cx.op.operands().len() - 2, operand.rank());
    same_index_types(cx, "C5", 2);
    let fits = update.dims.iter().zip(&operand.dims).all(|(&u, &o)| u == DYNAMIC || o == DYNAMIC || u <= o);
    require!(
        cx,
        "C6",
        fits,
        "update of shape {} exceeds operand of shape {}",
        shape::text(&update.dims),
        shape::text(&operand.dims)
    );
    cx.result_like(0, cx.ty(cx.op.operands()[0]), "C1");
    Some(())
}

/// `real_dynamic_slice`, a legacy form.
pub(crate) fn real_dynamic_slice(cx: &mut Check<'_, '_>) -> Option<()> {
    let operand = cx.t(0)?;
    for (i, name) in ["start_indices", "limit_indices", "strides"].iter().enumerate() {
        let list = cx.t(1 + i)?;
        require!(
            cx,
            "shape",
            same_dim(list.dims[0], operand.rank() as i64),
            "{name} has {} entries and operand {} dimensions",
            shape::text(&list.dims),
            operand.rank()
        );
    }
    let result = cx.given_result(0)?;
    require!(
        cx,
        "shape",
        result.rank() == operand.rank(),
        "result has {} dimensions and operand {}",
        result.rank(),
        operand.rank()
    );
    let same = cx.same_baseline(operand.element, result.element);
    require!(cx, "element type", same, "operand and result have different element types");
    Some(())
}
