//! Ops that work on each element by itself: unary, binary, comparison, selection, complex parts.

use super::super::check::{Check, Inferred, demand, require};
use super::super::quantized;
use super::super::shape;
use crate::ir::attrs::{ComparisonType, ResultAccuracyMode};
use crate::ir::{Element, QuantizedType};
use crate::{ElementKind, ElementType};

/// One operand or several of the same type as the result, which is constraint C1.
pub(crate) fn same_type(cx: &mut Check<'_, '_>) -> Option<()> {
    let operands = cx.op.operands();
    let merged = cx.merge_tensors(operands, "C1")?;
    cx.result_merged(0, merged, "C1");
    Some(())
}

/// `same_type` for functions that take an accuracy.
pub(crate) fn transcendental(cx: &mut Check<'_, '_>) -> Option<()> {
    same_type(cx)?;
    if cx.op.attr("result_accuracy").is_none() {
        return Some(());
    }
    let Ok(accuracy) = cx.op.result_accuracy() else {
        cx.fail("result_accuracy", format_args!("the attribute `result_accuracy` is no result accuracy"));
        return Some(());
    };
    let (atol, rtol) = (f64::from_bits(accuracy.atol), f64::from_bits(accuracy.rtol));
    let valid = match accuracy.mode {
        ResultAccuracyMode::Tolerance => atol >= 0.0 && rtol >= 0.0 && accuracy.ulps >= 0,
        ResultAccuracyMode::Default | ResultAccuracyMode::Highest => atol == 0.0 && rtol == 0.0 && accuracy.ulps == 0,
    };
    require!(
        cx,
        "result_accuracy",
        valid,
        "the tolerances {atol}, {rtol} and {} ulps do not go with the mode {}",
        accuracy.ulps,
        accuracy.mode.text()
    );
    Some(())
}

/// `add`: C1 for plain tensors, C2 to C7 for quantized ones.
pub(crate) fn add(cx: &mut Check<'_, '_>) -> Option<()> {
    let (lhs, rhs) = (cx.t(0)?, cx.t(1)?);
    let (ql, qr) = (quantized::quantized(cx.m, lhs.element), quantized::quantized(cx.m, rhs.element));
    let result = cx.op.result_tensor(0);
    let q = result.map(|r| quantized::quantized(cx.m, r.element));
    if ql.is_none() && qr.is_none() && q.is_none_or(|q| q.is_none()) {
        return same_type(cx);
    }
    let all = (ql, qr, q.unwrap_or(ql));
    let (Some(ql), Some(qr), Some(q)) = all else {
        cx.fail("C2", format_args!("some of operands and result are quantized and some are not"));
        return None;
    };
    let each = |f: fn(&QuantizedType, &QuantizedType) -> bool| f(ql, qr) && f(ql, q);
    require!(cx, "C3", each(quantized::same_storage), "operands and result differ in the storage type");
    require!(cx, "C4", each(|a, b| a.expressed == b.expressed), "operands and result differ in the expressed type");
    require!(cx, "C1", shape::compatible(&lhs.dims, &rhs.dims), "the operands have different shapes");
    let Some(result) = result else {
        cx.result_like(0, cx.ty(cx.op.operands()[0]), "C1");
        return Some(());
    };
    require!(cx, "C1", shape::compatible(&lhs.dims, &result.dims), "operands and result have different shapes");
    let (al, ar, a) =
        (quantized::axis(cx.m, lhs.element), quantized::axis(cx.m, rhs.element), quantized::axis(cx.m, result.element));
    require!(
        cx,
        "C5",
        (al.is_some() || ar.is_some()) == a.is_some(),
        "the result is {}per-axis quantized and the operands are not like it",
        if a.is_some() { "" } else { "not " }
    );
    require!(cx, "C6", al.is_none() || a.is_none() || al == a, "lhs is quantized along another axis than the result");
    require!(cx, "C7", ar.is_none() || a.is_none() || ar == a, "rhs is quantized along another axis than the result");
    Some(())
}

/// `abs`, `real` and `imag`: complex becomes real.
pub(crate) fn part(cx: &mut Check<'_, '_>) -> Option<()> {
    let operand = cx.t(0)?;
    let element = match operand.element {
        Element::Plain(ElementType::C64) => Element::Plain(ElementType::F32),
        Element::Plain(ElementType::C128) => Element::Plain(ElementType::F64),
        _ => {
            // Nothing changes, so bounds and parameters pass.
            if cx.inferring() {
                cx.result_like(0, cx.ty(cx.op.operands()[0]), "C1");
                return Some(());
            }
            operand.element
        }
    };
    cx.result_tensor(0, &operand.dims, element, "C1", "C2");
    Some(())
}

/// `complex`.
pub(crate) fn complex(cx: &mut Check<'_, '_>) -> Option<()> {
    let merged = cx.merge_tensors(cx.op.operands(), "C1")?;
    let lhs = cx.t(0)?;
    let element = if lhs.element == Element::Plain(ElementType::F64) { ElementType::C128 } else { ElementType::C64 };
    let dims = match merged {
        Inferred::Tensor { dims, .. } => dims,
        _ => lhs.dims.to_vec(),
    };
    cx.result_tensor(0, &dims, Element::Plain(element), "C2", "C3");
    Some(())
}

/// `is_finite` and the tests of chlo: the shape of the operand, elements `i1`.
pub(crate) fn predicate(cx: &mut Check<'_, '_>) -> Option<()> {
    let operand = cx.t(0)?;
    cx.result_tensor(0, &operand.dims, Element::Plain(ElementType::Bool), "C1", "O1");
    Some(())
}

/// `compare`.
pub(crate) fn compare(cx: &mut Check<'_, '_>) -> Option<()> {
    let (lhs, rhs) = (cx.t(0)?, cx.t(1)?);
    let same = cx.same_baseline(lhs.element, rhs.element);
    require!(
        cx,
        "C1",
        same,
        "lhs has elements of {} and rhs of {}",
        cx.element_text(lhs.element),
        cx.element_text(rhs.element)
    );
    demand!(cx, "C2", shape::compatible(&lhs.dims, &rhs.dims), "lhs and rhs have different shapes");
    let mut dims = lhs.dims.to_vec();
    shape::refine(&mut dims, &mut None, &rhs.dims, None);
    cx.result_tensor(0, &dims, Element::Plain(ElementType::Bool), "C2", "O1");
    let stated = cx.op.compare_type().ok()?;
    if let (Some(element), true) = (lhs.element_type(), stated != ComparisonType::NoType) {
        let fits = match element.kind() {
            ElementKind::Signed => stated == ComparisonType::Signed,
            ElementKind::Unsigned | ElementKind::Bool => stated == ComparisonType::Unsigned,
            ElementKind::Float => matches!(stated, ComparisonType::Float | ComparisonType::TotalOrder),
            ElementKind::Complex => stated == ComparisonType::Float,
        };
        require!(cx, "C3", fits, "compare_type {} does not go with elements of {element}", stated.text());
    }
    Some(())
}

/// `select`.
pub(crate) fn select(cx: &mut Check<'_, '_>) -> Option<()> {
    let (pred, on_true) = (cx.t(0)?, cx.t(1)?);
    let merged = cx.merge_tensors(&cx.op.operands()[1..], "C2")?;
    let fits = pred.rank() == 0 || shape::compatible(&pred.dims, &on_true.dims);
    require!(
        cx,
        "C1",
        fits,
        "pred has shape {}, which is neither a scalar nor {}",
        shape::text(&pred.dims),
        shape::text(&on_true.dims)
    );
    cx.result_merged(0, merged, "C2");
    Some(())
}

/// `clamp`.
pub(crate) fn clamp(cx: &mut Check<'_, '_>) -> Option<()> {
    let (min, operand, max) = (cx.t(0)?, cx.t(1)?, cx.t(2)?);
    for (id, name, bound) in [("C1", "min", min), ("C2", "max", max)] {
        let fits = bound.rank() == 0 || shape::compatible(&bound.dims, &operand.dims);
        require!(
            cx,
            id,
            fits,
            "{name} has shape {}, which is neither a scalar nor {}",
            shape::text(&bound.dims),
            shape::text(&operand.dims)
        );
    }
    let same = cx.same_baseline(min.element, operand.element) && cx.same_baseline(operand.element, max.element);
    require!(cx, "C3", same, "min, operand and max have different element types");
    cx.result_like(0, cx.ty(cx.op.operands()[1]), "C4");
    Some(())
}

/// `reduce_precision`.
pub(crate) fn reduce_precision(cx: &mut Check<'_, '_>) -> Option<()> {
    let (exponent, mantissa) = (cx.op.int("exponent_bits").ok()?, cx.op.int("mantissa_bits").ok()?);
    cx.at_least("C2", "exponent_bits", &[exponent], 1);
    cx.at_least("C3", "mantissa_bits", &[mantissa], 0);
    same_type(cx)
}

/// `convert`.
pub(crate) fn convert(cx: &mut Check<'_, '_>) -> Option<()> {
    let operand = cx.t(0)?;
    cx.result_shape(0, &operand.dims, "C1");
    Some(())
}

/// Bits of an element, of its storage if quantized.
fn bits(cx: &Check<'_, '_>, element: Element) -> i64 {
    match element {
        Element::Plain(element) => element.bits() as i64,
        _ => quantized::quantized(cx.m, element).map_or(0, |q| quantized::storage_bits(cx.m, q) as i64),
    }
}

/// `bitcast_convert`.
pub(crate) fn bitcast_convert(cx: &mut Check<'_, '_>) -> Option<()> {
    let operand = cx.t(0)?;
    let result = cx.given_result(0)?;
    let complex = |e: Element| matches!(e, Element::Plain(e) if e.kind() == ElementKind::Complex);
    require!(
        cx,
        "C2",
        complex(operand.element) == complex(result.element),
        "only one of operand and result is complex"
    );
    let (from, to) = (bits(cx, operand.element), bits(cx, result.element));
    let (outer, wide, narrow, narrow_dims) = match from.cmp(&to) {
        std::cmp::Ordering::Equal => {
            cx.result_shape(0, &operand.dims, "C1");
            return Some(());
        }
        std::cmp::Ordering::Greater => (&operand.dims, from, to, &result.dims),
        std::cmp::Ordering::Less => (&result.dims, to, from, &operand.dims),
    };
    let fits = narrow_dims.split_last().is_some_and(|(&last, leading)| {
        shape::compatible(leading, outer) && (last == crate::ir::DYNAMIC || last.checked_mul(narrow) == Some(wide))
    });
    require!(
        cx,
        "C1",
        fits,
        "{from} bits become {to} bits: the shape with the narrow elements, {}, must be {} and a last dimension of {wide} / {narrow}",
        shape::text(narrow_dims),
        shape::text(outer)
    );
    Some(())
}

/// `uniform_quantize`.
pub(crate) fn uniform_quantize(cx: &mut Check<'_, '_>) -> Option<()> {
    let operand = cx.t(0)?;
    let result = cx.given_result(0)?;
    cx.result_shape(0, &operand.dims, "C1");
    let expressed = quantized::quantized(cx.m, result.element)?.expressed;
    let from = match quantized::quantized(cx.m, operand.element) {
        Some(q) => cx.m.element_of(q.expressed),
        None => operand.element,
    };
    let to = cx.m.element_of(expressed);
    require!(
        cx,
        "C2",
        from == to,
        "the result expresses {} and the operand {}",
        cx.element_text(to),
        cx.element_text(from)
    );
    Some(())
}

/// `uniform_dequantize`.
pub(crate) fn uniform_dequantize(cx: &mut Check<'_, '_>) -> Option<()> {
    let operand = cx.t(0)?;
    let expressed = cx.m.element_of(quantized::quantized(cx.m, operand.element)?.expressed);
    cx.result_tensor(0, &operand.dims, expressed, "C1", "C2");
    Some(())
}
