//! Ops that move a window: `reduce_window` and `select_and_scatter`.

use super::super::check::{Check, demand, require};
use super::super::shape::{self, dilated, narrow, positions};
use super::reduce::{common_shape, tensors};
use crate::ElementType;
use crate::ir::{DYNAMIC, Element};

/// The shape `[rank, 2]` of a padding, as pairs; zeros if absent.
pub(super) fn padding(cx: &mut Check<'_, '_>, id: &'static str, rank: usize) -> Option<Vec<(i64, i64)>> {
    let pairs = match cx.op.padding("padding") {
        Ok(Some(pairs)) => pairs,
        Ok(None) => return Some(vec![(0, 0); rank]),
        Err(error) => {
            cx.fail(id, format_args!("padding {}", error.problem));
            return None;
        }
    };
    demand!(cx, id, pairs.len() == rank, "padding has {} rows and not {rank}", pairs.len());
    Some(pairs)
}

/// `reduce_window`.
pub(crate) fn reduce_window(cx: &mut Check<'_, '_>) -> Option<()> {
    let n = cx.op.operands().len() / 2;
    demand!(cx, "C1", n > 0, "there are no inputs");
    demand!(
        cx,
        "C1",
        cx.inferring() || cx.op.results().len() == n,
        "there are {} results and {n} inputs",
        cx.op.results().len()
    );
    let (inputs, inits) = (tensors(cx, 0..n)?, tensors(cx, n..2 * n)?);
    let input_shape = common_shape(cx, &inputs, "C2")?;
    for (i, (input, init)) in inputs.iter().zip(&inits).enumerate() {
        let same = cx.same_baseline(input.element, init.element);
        require!(
            cx,
            "C3",
            same,
            "input {i} has elements of {} and its initial value {}",
            cx.element_text(input.element),
            cx.element_text(init.element)
        );
    }
    let rank = input_shape.len();
    let before = cx.failures();
    let mut lists = Vec::with_capacity(4);
    for (count_id, least_id, name) in [
        ("C4", "C5", "window_dimensions"),
        ("C6", "C7", "window_strides"),
        ("C8", "C9", "base_dilations"),
        ("C10", "C11", "window_dilations"),
    ] {
        let list = cx.i64s_or(name, rank, 1)?;
        cx.length(count_id, name, list.len(), rank);
        cx.at_least(least_id, name, &list, 1);
        lists.push(list);
    }
    let padding = padding(cx, "C12", rank);
    let elements: Vec<Element> = inputs.iter().map(|t| t.element).collect();
    let accumulators = cx.reducer(0, &elements, "C13")?;
    if cx.failures() != before {
        return None;
    }
    let padding = padding?;
    let mut dims = Vec::with_capacity(rank);
    for d in 0..rank {
        if input_shape[d] == DYNAMIC {
            dims.push(DYNAMIC);
            continue;
        }
        let base = dilated(input_shape[d], lists[2][d]) + i128::from(padding[d].0) + i128::from(padding[d].1);
        let count = positions(base, dilated(lists[0][d], lists[3][d]), lists[1][d]);
        demand!(cx, "C15", base >= 0, "padding makes the extent of dimension {d} negative");
        dims.push(narrow(count).unwrap_or(i64::MAX));
    }
    if !cx.inferring() && cx.op.results().len() > 1 {
        let first = cx.op.result_tensor(0)?;
        let same = (1..n).all(|i| cx.op.result_tensor(i).is_some_and(|r| shape::compatible(&r.dims, &first.dims)));
        require!(cx, "C14", same, "the results have different shapes");
    }
    for (i, element) in accumulators.into_iter().enumerate() {
        cx.result_tensor(i, &dims, element, "C15", "C16");
    }
    Some(())
}

/// `select_and_scatter`.
pub(crate) fn select_and_scatter(cx: &mut Check<'_, '_>) -> Option<()> {
    let (operand, source, init) = (cx.t(0)?, cx.t(1)?, cx.t(2)?);
    let rank = operand.rank();
    let before = cx.failures();
    for (id, name, other) in [("C1", "source", source), ("C3", "init_value", init)] {
        let same = cx.same_baseline(operand.element, other.element);
        require!(
            cx,
            id,
            same,
            "operand has elements of {} and {name} of {}",
            cx.element_text(operand.element),
            cx.element_text(other.element)
        );
    }
    // It alone has no default.
    let window =
        if cx.op.attr("window_dimensions").is_some() { cx.i64s_or("window_dimensions", rank, 1)? } else { Vec::new() };
    cx.length("C4", "window_dimensions", window.len(), rank);
    cx.at_least("C5", "window_dimensions", &window, 1);
    let strides = cx.i64s_or("window_strides", rank, 1)?;
    cx.length("C6", "window_strides", strides.len(), rank);
    cx.at_least("C7", "window_strides", &strides, 1);
    let padding = padding(cx, "C8", rank);
    if cx.failures() == before {
        let padding = padding?;
        let mut dims = Vec::with_capacity(rank);
        for d in 0..rank {
            if operand.dims[d] == DYNAMIC {
                dims.push(DYNAMIC);
                continue;
            }
            let extent = i128::from(operand.dims[d]) + i128::from(padding[d].0) + i128::from(padding[d].1);
            dims.push(narrow(positions(extent, i128::from(window[d]), strides[d])).unwrap_or(i64::MAX));
        }
        require!(
            cx,
            "C2",
            shape::compatible(&source.dims, &dims),
            "source has shape {}, but there are {} windows",
            shape::text(&source.dims),
            shape::text(&dims)
        );
    }
    let select = cx.function(0, "C9")?;
    let args = select.inputs.len() == 2
        && select.inputs.iter().all(|&a| cx.scalar_element(a).is_some_and(|e| cx.same_baseline(e, operand.element)));
    require!(cx, "C9", args, "`select` does not take two scalars of {}", cx.element_text(operand.element));
    let result =
        select.outputs.len() == 1 && cx.scalar_element(select.outputs[0]) == Some(Element::Plain(ElementType::Bool));
    require!(cx, "C9", result, "`select` does not return one tensor<i1>");
    let accumulators = cx.reducer(1, &[operand.element], "C10")?;
    cx.result_tensor(0, &operand.dims, accumulators[0], "C11", "C12");
    Some(())
}
