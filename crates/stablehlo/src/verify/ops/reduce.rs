//! Ops that apply a function across elements: `reduce`, `map`, `sort`.

use super::super::check::{Check, demand, require};
use super::super::shape;
use crate::ElementType;
use crate::ir::{DYNAMIC, Element, TensorType};

/// The first `n` operands as tensors.
pub(super) fn tensors<'m>(cx: &Check<'m, '_>, range: std::ops::Range<usize>) -> Option<Vec<&'m TensorType>> {
    range.map(|i| cx.t(i)).collect()
}

/// All tensors have one shape; returns its most precise form.
pub(super) fn common_shape(cx: &mut Check<'_, '_>, tensors: &[&TensorType], id: &'static str) -> Option<Vec<i64>> {
    let mut dims = tensors.first()?.dims.to_vec();
    for (i, tensor) in tensors.iter().enumerate().skip(1) {
        demand!(
            cx,
            id,
            shape::compatible(&tensor.dims, &dims),
            "input {i} has shape {} and input 0 {}",
            shape::text(&tensor.dims),
            shape::text(&dims)
        );
        shape::refine(&mut dims, &mut None, &tensor.dims, None);
    }
    Some(dims)
}

/// `reduce`.
pub(crate) fn reduce(cx: &mut Check<'_, '_>) -> Option<()> {
    let n = cx.op.operands().len() / 2;
    demand!(cx, "C3", n > 0, "there are no inputs");
    demand!(
        cx,
        "C3",
        cx.inferring() || cx.op.results().len() == n,
        "there are {} results and {n} inputs",
        cx.op.results().len()
    );
    let (inputs, inits) = (tensors(cx, 0..n)?, tensors(cx, n..2 * n)?);
    let shape = common_shape(cx, &inputs, "C1")?;
    for (i, (input, init)) in inputs.iter().zip(&inits).enumerate() {
        let same = cx.same_baseline(input.element, init.element);
        require!(
            cx,
            "C2",
            same,
            "input {i} has elements of {} and its initial value {}",
            cx.element_text(input.element),
            cx.element_text(init.element)
        );
    }
    let dims = cx.op.i64s("dimensions").ok()?;
    let inside = cx.in_range("C4", "dimensions", dims, shape.len());
    let unique = cx.unique("C5", "dimensions", dims);
    let elements: Vec<Element> = inputs.iter().map(|t| t.element).collect();
    let accumulators = cx.reducer(0, &elements, "C6")?;
    if !inside || !unique {
        return None;
    }
    let mut reduced = vec![false; shape.len()];
    dims.iter().for_each(|&d| reduced[d as usize] = true);
    let kept: Vec<i64> = shape.iter().zip(&reduced).filter(|&(_, &gone)| !gone).map(|(&size, _)| size).collect();
    for (i, element) in accumulators.into_iter().enumerate() {
        cx.result_tensor(i, &kept, element, "C7", "C8");
    }
    Some(())
}

/// `map`.
pub(crate) fn map(cx: &mut Check<'_, '_>) -> Option<()> {
    let n = cx.op.operands().len();
    demand!(cx, "C2", n > 0, "there are no inputs");
    let inputs = tensors(cx, 0..n)?;
    let shape = common_shape(cx, &inputs, "C1")?;
    let dims = cx.op.i64s("dimensions").ok()?;
    let all = dims.len() == shape.len() && dims.iter().enumerate().all(|(i, &d)| i as i64 == d);
    require!(cx, "C3", all, "dimensions = {dims:?} does not list the {} dimensions in order", shape.len());
    let function = cx.function(0, "C4")?;
    demand!(cx, "C4", function.inputs.len() == n, "the function takes {} values and not {n}", function.inputs.len());
    for (i, input) in inputs.iter().enumerate() {
        let same = cx.scalar_element(function.inputs[i]).is_some_and(|e| cx.same_baseline(e, input.element));
        require!(
            cx,
            "C4",
            same,
            "the function takes {} where input {i} has elements of {}",
            cx.text(function.inputs[i]),
            cx.element_text(input.element)
        );
    }
    demand!(cx, "C4", function.outputs.len() == 1, "the function returns {} values and not 1", function.outputs.len());
    let output = cx.scalar_element(function.outputs[0]);
    demand!(cx, "C4", output.is_some(), "the function returns {} and no scalar", cx.text(function.outputs[0]));
    cx.result_tensor(0, &shape, output?, "C1", "C4");
    Some(())
}

/// `sort`.
pub(crate) fn sort(cx: &mut Check<'_, '_>) -> Option<()> {
    let n = cx.op.operands().len();
    demand!(cx, "C1", n > 0, "there are no inputs");
    let inputs = tensors(cx, 0..n)?;
    common_shape(cx, &inputs, "C3")?;
    let dimension = cx.op.int_or("dimension", -1).ok()?;
    let rank = inputs[0].rank() as i64;
    require!(cx, "C4", -rank <= dimension && dimension < rank, "dimension = {dimension} is not in [{}, {rank})", -rank);
    let types: Vec<_> = cx.op.operand_types().collect();
    cx.results_like(&types, "C2");
    let function = cx.function(0, "C5")?;
    demand!(
        cx,
        "C5",
        function.inputs.len() == 2 * n,
        "the comparator takes {} values and not {}",
        function.inputs.len(),
        2 * n
    );
    for (i, &arg) in function.inputs.iter().enumerate() {
        let element = inputs[i / 2].element;
        let same = cx.scalar_element(arg).is_some_and(|e| cx.same_baseline(e, element));
        require!(
            cx,
            "C5",
            same,
            "the comparator takes {} where input {} has elements of {}",
            cx.text(arg),
            i / 2,
            cx.element_text(element)
        );
    }
    let bool_result = function.outputs.len() == 1
        && cx.scalar_element(function.outputs[0]) == Some(Element::Plain(ElementType::Bool));
    require!(cx, "C5", bool_result, "the comparator does not return one tensor<i1>");
    Some(())
}

/// `top_k` of chlo: the last dimension shrinks to `k`.
pub(crate) fn top_k(cx: &mut Check<'_, '_>) -> Option<()> {
    let operand = cx.t(0)?;
    let k = cx.op.int("k").ok()?;
    demand!(cx, "shape", operand.rank() >= 1 && k >= 0, "k = {k} of a tensor with {} dimensions", operand.rank());
    let mut dims = operand.dims.to_vec();
    let last = dims.last_mut()?;
    demand!(cx, "shape", *last == DYNAMIC || k <= *last, "k = {k} exceeds the last dimension, {last}");
    *last = k;
    cx.result_tensor(0, &dims, operand.element, "shape", "element type");
    cx.result_tensor(1, &dims, Element::Plain(ElementType::I32), "shape", "element type");
    Some(())
}
