//! Ops that rearrange elements: broadcasts, reshapes, transposes, reversals, concatenation, padding.

use super::super::check::{Check, demand, require};
use super::super::quantized;
use super::super::shape::{self, narrow, same_dim};
use crate::ir::{DYNAMIC, Element, QuantizationParameters, TensorType};

/// The part that `broadcast_in_dim` and its dynamic form share; `rank` is that of the result.
fn broadcast_rules(cx: &mut Check<'_, '_>, dims: &[i64], result: &TensorType) -> Option<()> {
    let operand = cx.t(0)?;
    let same = quantized::same_up_to_axis(cx.m, operand.element, result.element, true);
    require!(
        cx,
        "C1",
        same,
        "the operand has elements of {} and the result of {}",
        cx.element_text(operand.element),
        cx.element_text(result.element)
    );
    let counts = cx.length("C2", "broadcast_dimensions", dims.len(), operand.rank());
    let inside = cx.in_range("C3", "broadcast_dimensions", dims, result.rank());
    cx.unique("C4", "broadcast_dimensions", dims);
    if !counts || !inside {
        return None;
    }
    for (d, (&size, &to)) in operand.dims.iter().zip(dims).enumerate() {
        let target = result.dims[to as usize];
        require!(
            cx,
            "C5",
            size == 1 || same_dim(size, target),
            "dimension {d} of the operand has size {size}, which is neither 1 nor the size {target} of dimension {to} of the result"
        );
    }
    let (Some(from), Some(to)) = (quantized::axis(cx.m, operand.element), quantized::axis(cx.m, result.element)) else {
        return Some(());
    };
    let mapped = usize::try_from(from).ok().and_then(|from| dims.get(from)).copied();
    require!(
        cx,
        "C6",
        mapped == Some(to),
        "the result is quantized along {to} and the operand along {from}, which goes to {mapped:?}"
    );
    let single = usize::try_from(from).ok().and_then(|from| operand.dims.get(from)) == Some(&1);
    if let (true, Some(a), Some(b)) =
        (single, quantized::quantized(cx.m, operand.element), quantized::quantized(cx.m, result.element))
    {
        let first = a.scale_and_zero_point(0);
        let QuantizationParameters::PerAxis { scales, .. } = &b.parameters else { return Some(()) };
        let alike = (0..scales.len()).all(|i| b.scale_and_zero_point(i) == first);
        require!(cx, "C6", alike, "the scales and zero points of the result are not those of the operand's only slice");
    }
    Some(())
}

/// `broadcast_in_dim`.
pub(crate) fn broadcast_in_dim(cx: &mut Check<'_, '_>) -> Option<()> {
    let result = cx.given_result(0)?;
    let dims = cx.op.i64s("broadcast_dimensions").ok()?;
    broadcast_rules(cx, dims, result)?;
    known_shape(cx, result);
    Some(())
}

/// `dynamic_broadcast_in_dim`.
pub(crate) fn dynamic_broadcast_in_dim(cx: &mut Check<'_, '_>) -> Option<()> {
    let (operand, shape_operand) = (cx.t(0)?, cx.t(1)?);
    let result = cx.given_result(0)?;
    let dims = cx.op.i64s("broadcast_dimensions").ok()?;
    require!(
        cx,
        "C7",
        same_dim(shape_operand.dims[0], result.rank() as i64),
        "output_dimensions has {} entries and the result {} dimensions",
        shape::text(&shape_operand.dims),
        result.rank()
    );
    let expanding = cx.op.i64s_opt("known_expanding_dimensions").ok()?.unwrap_or(&[]);
    let nonexpanding = cx.op.i64s_opt("known_nonexpanding_dimensions").ok()?.unwrap_or(&[]);
    cx.unique("C8", "known_expanding_dimensions + known_nonexpanding_dimensions", &[expanding, nonexpanding].concat());
    cx.in_range("C9", "known_expanding_dimensions", expanding, operand.rank());
    cx.in_range("C10", "known_nonexpanding_dimensions", nonexpanding, operand.rank());
    broadcast_rules(cx, dims, result)?;
    let Some(sizes) = super::constant_ints(cx, 1) else { return Some(()) };
    cx.at_least("C7", "output_dimensions", &sizes, 0);
    cx.result_shape(0, &sizes, "C7");
    for (d, (&size, &to)) in operand.dims.iter().zip(dims).enumerate() {
        let Some(&target) = sizes.get(to as usize) else { continue };
        require!(
            cx,
            "C5",
            size == 1 || same_dim(size, target),
            "dimension {d} of the operand has size {size}, which is neither 1 nor output_dimensions[{to}] = {target}"
        );
    }
    Some(())
}

/// `broadcast`, a legacy form: new dimensions in front.
pub(crate) fn broadcast(cx: &mut Check<'_, '_>) -> Option<()> {
    let operand = cx.t(0)?;
    let sizes = cx.op.i64s("broadcast_sizes").ok()?;
    if !cx.at_least("shape", "broadcast_sizes", sizes, 0) {
        return None;
    }
    cx.result_tensor(0, &[sizes, &operand.dims].concat(), operand.element, "shape", "element type");
    Some(())
}

/// The result of an op that needs a static shape: all sizes known, or one of them only by its bound.
fn known_shape(cx: &mut Check<'_, '_>, result: &TensorType) {
    let bounds = cx.bounds(result);
    let bounded = |d: usize| bounds.is_some_and(|b| b.get(d).is_some_and(|&b| b != DYNAMIC));
    let mut dynamic = result.dims.iter().enumerate().filter(|&(_, &d)| d == DYNAMIC).map(|(d, _)| d);
    let known = dynamic.next().is_none_or(bounded) && dynamic.next().is_none();
    require!(cx, "O1", known, "the result must have a static shape, or one dimension with a bound");
}

fn product(dims: &[i64]) -> Option<i128> {
    if dims.contains(&DYNAMIC) {
        return None;
    }
    if dims.contains(&0) {
        return Some(0);
    }
    // Saturating keeps the comparison meaningful for shapes that no machine could hold.
    Some(dims.iter().fold(1i128, |n, &d| n.saturating_mul(i128::from(d))))
}

/// `reshape` and `dynamic_reshape`.
pub(crate) fn reshape(cx: &mut Check<'_, '_>) -> Option<()> {
    let operand = cx.t(0)?;
    let result = cx.given_result(0)?;
    let same = quantized::same_up_to_axis(cx.m, operand.element, result.element, false);
    require!(
        cx,
        "C1",
        same,
        "the operand has elements of {} and the result of {}",
        cx.element_text(operand.element),
        cx.element_text(result.element)
    );
    if let (Some(from), Some(to)) = (product(&operand.dims), product(&result.dims)) {
        require!(cx, "C2", from == to, "the operand has {from} elements and the result {to}");
    }
    if let Some(shape_operand) = cx.t(1) {
        require!(
            cx,
            "C4",
            same_dim(shape_operand.dims[0], result.rank() as i64),
            "output_shape has {} entries and the result {} dimensions",
            shape::text(&shape_operand.dims),
            result.rank()
        );
        if let Some(sizes) = super::constant_ints(cx, 1) {
            cx.at_least("C4", "output_shape", &sizes, 0);
            cx.result_shape(0, &sizes, "C4");
            if let (Some(from), Some(to)) = (product(&operand.dims), product(&sizes)) {
                require!(cx, "C2", from == to, "the operand has {from} elements and output_shape {to}");
            }
        }
    } else {
        known_shape(cx, result);
    }
    let (Some(from), Some(to)) = (quantized::axis(cx.m, operand.element), quantized::axis(cx.m, result.element)) else {
        return Some(());
    };
    let split = |t: &'_ TensorType, axis: i64| {
        let axis = usize::try_from(axis).ok().filter(|&a| a < t.rank())?;
        Some((product(&t.dims[..axis])?, t.dims[axis], product(&t.dims[axis + 1..])?))
    };
    if let (Some(a), Some(b)) = (split(operand, from), split(result, to)) {
        require!(
            cx,
            "C3",
            a == b,
            "the quantization dimension splits the operand into {a:?} and the result into {b:?}"
        );
    }
    Some(())
}

/// `transpose`.
pub(crate) fn transpose(cx: &mut Check<'_, '_>) -> Option<()> {
    let operand = cx.t(0)?;
    let permutation = cx.op.i64s("permutation").ok()?;
    let valid = permutation.len() == operand.rank()
        && permutation.iter().all(|&d| d >= 0 && d < operand.rank() as i64)
        && shape::first_duplicate(permutation).is_none();
    demand!(cx, "C2", valid, "permutation = {permutation:?} is no permutation of {} dimensions", operand.rank());
    let dims: Vec<i64> = permutation.iter().map(|&d| operand.dims[d as usize]).collect();
    let Some(from) = quantized::axis(cx.m, operand.element) else {
        cx.result_tensor(0, &dims, operand.element, "C3", "C1");
        return Some(());
    };
    let result = cx.given_result(0)?;
    cx.result_shape(0, &dims, "C3");
    let same = quantized::same_up_to_axis(cx.m, operand.element, result.element, false);
    require!(cx, "C1", same, "operand and result are quantized differently");
    if let Some(to) = quantized::axis(cx.m, result.element) {
        let came_from = usize::try_from(to).ok().and_then(|to| permutation.get(to)).copied();
        require!(
            cx,
            "C4",
            came_from == Some(from),
            "the result is quantized along {to}, which comes from {came_from:?}, and the operand along {from}"
        );
    }
    Some(())
}

/// `reverse`.
pub(crate) fn reverse(cx: &mut Check<'_, '_>) -> Option<()> {
    let operand = cx.t(0)?;
    let dims = cx.op.i64s("dimensions").ok()?;
    cx.unique("C2", "dimensions", dims);
    cx.in_range("C3", "dimensions", dims, operand.rank());
    cx.result_like(0, cx.ty(cx.op.operands()[0]), "C1");
    Some(())
}

/// `concatenate`.
pub(crate) fn concatenate(cx: &mut Check<'_, '_>) -> Option<()> {
    let dimension = cx.op.int("dimension").ok()?;
    demand!(cx, "C3", !cx.op.operands().is_empty(), "there are no inputs");
    let first = cx.t(0)?;
    if !cx.in_range("C4", "dimension", &[dimension], first.rank()) {
        return None;
    }
    let axis = dimension as usize;
    let mut dims = first.dims.to_vec();
    for i in 1..cx.op.operands().len() {
        let input = cx.t(i)?;
        let same = cx.same_baseline(input.element, first.element);
        require!(
            cx,
            "C1",
            same,
            "input {i} has elements of {} and input 0 of {}",
            cx.element_text(input.element),
            cx.element_text(first.element)
        );
        let fits =
            input.rank() == first.rank() && (0..dims.len()).all(|d| d == axis || same_dim(input.dims[d], dims[d]));
        demand!(
            cx,
            "C2",
            fits,
            "input {i} has shape {} and input 0 {}; only dimension {axis} may differ",
            shape::text(&input.dims),
            shape::text(&first.dims)
        );
        for (d, dim) in dims.iter_mut().enumerate() {
            let other = input.dims[d];
            if d == axis {
                let sum = if *dim == DYNAMIC || other == DYNAMIC { Some(DYNAMIC) } else { dim.checked_add(other) };
                let Some(sum) = sum else {
                    cx.fail("C6", format_args!("the sizes along dimension {axis} add up to more than 2^63"));
                    return None;
                };
                *dim = sum;
            } else if *dim == DYNAMIC {
                *dim = other;
            }
        }
    }
    cx.result_tensor(0, &dims, first.element, "C6", "C5");
    Some(())
}

fn same_elements(cx: &mut Check<'_, '_>, id: &'static str, a: Element, b: Element, what: &str) {
    let same = cx.same_baseline(a, b);
    require!(cx, id, same, "{what} have elements of {} and of {}", cx.element_text(a), cx.element_text(b));
}

/// `pad`.
pub(crate) fn pad(cx: &mut Check<'_, '_>) -> Option<()> {
    let (operand, value) = (cx.t(0)?, cx.t(1)?);
    same_elements(cx, "C1", operand.element, value.element, "operand and padding_value");
    let mut lists: [&[i64]; 3] = [&[]; 3];
    let mut counted = true;
    for (list, name) in lists.iter_mut().zip(["edge_padding_low", "edge_padding_high", "interior_padding"]) {
        *list = cx.op.i64s(name).ok()?;
        counted &= cx.length("C2", name, list.len(), operand.rank());
    }
    let [low, high, interior] = lists;
    if !cx.at_least("C3", "interior_padding", interior, 0) || !counted {
        return None;
    }
    let mut dims = Vec::with_capacity(operand.rank());
    for (d, &size) in operand.dims.iter().enumerate() {
        if size == DYNAMIC {
            dims.push(DYNAMIC);
            continue;
        }
        let inner = i128::from(size) + i128::from((size - 1).max(0)) * i128::from(interior[d]);
        let total = narrow(inner + i128::from(low[d]) + i128::from(high[d]));
        let Some(total) = total else {
            cx.fail(
                "C4",
                format_args!("dimension {d} of size {size} gets a size that is negative or does not fit 63 bits"),
            );
            return None;
        };
        dims.push(total);
    }
    cx.result_tensor(0, &dims, operand.element, "C4", "C1");
    Some(())
}

/// `dynamic_pad`.
pub(crate) fn dynamic_pad(cx: &mut Check<'_, '_>) -> Option<()> {
    let (operand, value) = (cx.t(0)?, cx.t(1)?);
    same_elements(cx, "C1", operand.element, value.element, "operand and padding_value");
    let names = ["edge_padding_low", "edge_padding_high", "interior_padding"];
    for (i, name) in names.iter().enumerate() {
        let found = cx.t(2 + i)?.dims[0];
        require!(
            cx,
            "C2",
            same_dim(found, operand.rank() as i64),
            "{name} has {found} entries and not {}",
            operand.rank()
        );
    }
    let constants: Vec<Option<Vec<i64>>> = (0..3).map(|i| super::constant_ints(cx, 2 + i)).collect();
    let result = cx.given_result(0)?;
    same_elements(cx, "C1", operand.element, result.element, "operand and result");
    if let Some(interior) = &constants[2] {
        cx.at_least("C3", "interior_padding", interior, 0);
    }
    demand!(
        cx,
        "C4",
        result.rank() == operand.rank(),
        "the result has {} dimensions and the operand {}",
        result.rank(),
        operand.rank()
    );
    if let [Some(low), Some(high), Some(interior)] = &constants[..] {
        for (d, &size) in operand.dims.iter().enumerate() {
            let (Some(&l), Some(&h), Some(&i)) = (low.get(d), high.get(d), interior.get(d)) else { return None };
            if size == DYNAMIC || result.dims[d] == DYNAMIC {
                continue;
            }
            let inner = i128::from(size) + i128::from((size - 1).max(0)) * i128::from(i);
            let total = inner + i128::from(l) + i128::from(h);
            require!(
                cx,
                "C4",
                total == i128::from(result.dims[d]),
                "dimension {d} of the result has size {} and {total} follows from the inputs",
                result.dims[d]
            );
        }
    }
    Some(())
}
