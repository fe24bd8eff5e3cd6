//! `dot_general`, and the legacy `dot`.

use super::super::check::{Check, demand, require};
use super::super::quantized::{self, quantized};
use super::super::shape::{self, same_dim};
use crate::ir::attrs::Precision;
use crate::ir::{Element, OtherFloat, QuantizationParameters, TensorType, Type, TypeId};
use crate::{ElementKind, ElementType};

/// What the products of tensors say about the quantization of lhs, rhs and result, in the numbers of one op.
pub(super) struct QuantizedIds {
    pub(super) plain: &'static str,
    pub(super) which: &'static str,
    pub(super) storage: &'static str,
    pub(super) expressed: &'static str,
    pub(super) granularity: &'static str,
    pub(super) weight_only: &'static str,
}

/// Element types of plain and quantized products. Returns the element of the result if it follows.
pub(super) fn product_elements(
    cx: &mut Check<'_, '_>,
    lhs: &TensorType,
    rhs: &TensorType,
    ids: &QuantizedIds,
) -> Option<()> {
    let result = cx.op.result_tensor(0);
    let (ql, qr) = (quantized(cx.m, lhs.element), quantized(cx.m, rhs.element));
    let q = result.and_then(|r| quantized(cx.m, r.element));
    if ql.is_none() && qr.is_none() && q.is_none() {
        // Programs in use multiply floats of different widths, and sum in another width of the same kind.
        require!(
            cx,
            ids.plain,
            same_factor(lhs.element, rhs.element),
            "lhs has elements of {} and rhs of {}",
            cx.element_text(lhs.element),
            cx.element_text(rhs.element)
        );
        if let Some(result) = result {
            require!(
                cx,
                ids.plain,
                same_kind(lhs.element, result.element) || integers_as_floats(lhs.element, result.element),
                "lhs has elements of {} and the result of {}",
                cx.element_text(lhs.element),
                cx.element_text(result.element)
            );
        }
        return Some(());
    }
    let result = cx.given_result(0)?;
    demand!(
        cx,
        ids.which,
        qr.is_some() && ql.is_some() == q.is_some(),
        "rhs must be quantized, and lhs exactly if the result is"
    );
    let qr = qr?;
    if let (Some(ql), Some(q)) = (ql, q) {
        require!(cx, ids.storage, quantized::same_storage(ql, qr), "lhs and rhs differ in the storage type");
        require!(
            cx,
            ids.expressed,
            ql.expressed == qr.expressed && ql.expressed == q.expressed,
            "lhs, rhs and result differ in the expressed type"
        );
        let per_tensor = |p: &QuantizationParameters| matches!(p, QuantizationParameters::PerTensor { .. });
        require!(
            cx,
            ids.granularity,
            !per_tensor(&qr.parameters) || per_tensor(&q.parameters),
            "rhs is quantized per tensor and the result per axis"
        );
    } else {
        let expressed = cx.m.element_of(qr.expressed);
        require!(
            cx,
            ids.weight_only,
            lhs.element == expressed && result.element == expressed,
            "lhs and result must have the type that rhs expresses, {}",
            cx.element_text(expressed)
        );
    }
    Some(())
}

/// Equal, or both floats.
fn same_factor(a: Element, b: Element) -> bool {
    let float = |e: Element| matches!(e, Element::Plain(e) if e.kind() == ElementKind::Float);
    a == b || (float(a) && float(b))
}

/// Equal, or both floats, or both integers.
pub(super) fn same_kind(a: Element, b: Element) -> bool {
    let (Element::Plain(x), Element::Plain(y)) = (a, b) else { return a == b };
    let integer = |e: ElementType| matches!(e.kind(), ElementKind::Signed | ElementKind::Unsigned);
    x.kind() == y.kind() || (integer(x) && integer(y))
}

/// Integers that are summed as floats: JAX asks for it by the preferred element type.
fn integers_as_floats(a: Element, b: Element) -> bool {
    let (Element::Plain(x), Element::Plain(y)) = (a, b) else { return false };
    matches!(x.kind(), ElementKind::Signed | ElementKind::Unsigned) && y.kind() == ElementKind::Float
}

const DOT_GENERAL: QuantizedIds = QuantizedIds {
    plain: "C13",
    which: "C14",
    storage: "C17",
    expressed: "C18",
    granularity: "C19",
    weight_only: "C20",
};

/// `dot_general`.
pub(crate) fn dot_general(cx: &mut Check<'_, '_>) -> Option<()> {
    let (lhs, rhs) = (cx.t(0)?, cx.t(1)?);
    let n = cx.op.dot_dimension_numbers().ok()?;
    let before = cx.failures();
    let (lb, rb) = (&n.lhs_batching_dimensions, &n.rhs_batching_dimensions);
    let (lc, rc) = (&n.lhs_contracting_dimensions, &n.rhs_contracting_dimensions);
    require!(cx, "C1", lb.len() == rb.len(), "lhs has {} batching dimensions and rhs {}", lb.len(), rb.len());
    require!(cx, "C2", lc.len() == rc.len(), "lhs has {} contracting dimensions and rhs {}", lc.len(), rc.len());
    cx.unique("C3", "lhs_batching_dimensions + lhs_contracting_dimensions", &[&lb[..], lc].concat());
    cx.unique("C4", "rhs_batching_dimensions + rhs_contracting_dimensions", &[&rb[..], rc].concat());
    cx.in_range("C5", "lhs_batching_dimensions", lb, lhs.rank());
    cx.in_range("C6", "lhs_contracting_dimensions", lc, lhs.rank());
    cx.in_range("C7", "rhs_batching_dimensions", rb, rhs.rank());
    cx.in_range("C8", "rhs_contracting_dimensions", rc, rhs.rank());
    precision(cx, "C11");
    algorithm(cx);
    product_elements(cx, lhs, rhs, &DOT_GENERAL);
    if let Some(q) = quantized(cx.m, rhs.element) {
        let zero = match &q.parameters {
            QuantizationParameters::PerTensor { zero_point, .. } => *zero_point == 0,
            QuantizationParameters::PerAxis { zero_points, .. } => zero_points.iter().all(|&p| p == 0),
        };
        require!(cx, "C15", zero, "the zero points of rhs are not 0");
        let contracted = quantized::axis(cx.m, rhs.element).is_some_and(|axis| rc.contains(&axis));
        require!(cx, "C16", !contracted, "rhs is quantized along a contracting dimension");
    }
    if cx.failures() != before {
        return None;
    }
    for (id, what, a, b) in [("C9", "batching", lb, rb), ("C10", "contracting", lc, rc)] {
        for (&l, &r) in a.iter().zip(b) {
            let (x, y) = (lhs.dims[l as usize], rhs.dims[r as usize]);
            require!(
                cx,
                id,
                same_dim(x, y),
                "{what} dimension {l} of lhs has size {x} and {what} dimension {r} of rhs {y}"
            );
        }
    }
    let mut dims: Vec<i64> = lb
        .iter()
        .zip(rb)
        .map(
            |(&l, &r)| {
                if lhs.dims[l as usize] == crate::ir::DYNAMIC { rhs.dims[r as usize] } else { lhs.dims[l as usize] }
            },
        )
        .collect();
    for (tensor, batching, contracting) in [(lhs, lb, lc), (rhs, rb, rc)] {
        let left = (0..tensor.rank() as i64).filter(|d| !batching.contains(d) && !contracting.contains(d));
        dims.extend(left.map(|d| tensor.dims[d as usize]));
    }
    if cx.inferring() {
        cx.result_tensor(0, &dims, lhs.element, "C12", "C13");
    } else {
        cx.result_shape(0, &dims, "C12");
    }
    Some(())
}

/// `size(precision_config) = 2`, if given.
pub(super) fn precision(cx: &mut Check<'_, '_>, id: &'static str) {
    let count = cx.op.array_or_empty("precision_config").map_or(0, <[_]>::len);
    require!(cx, id, count == 0 || count == 2, "precision_config has {count} entries and not 2");
}

fn algorithm(cx: &mut Check<'_, '_>) -> Option<()> {
    let algorithm = cx.op.dot_algorithm().ok()??;
    let precisions = cx.op.precision_config().ok()?;
    require!(
        cx,
        "C21",
        precisions.iter().all(|&p| p == Precision::Default),
        "an algorithm is stated and so is a precision other than DEFAULT"
    );
    cx.at_least("C22", "lhs_component_count", &[algorithm.lhs_component_count], 1);
    cx.at_least("C23", "rhs_component_count", &[algorithm.rhs_component_count], 1);
    cx.at_least("C24", "num_primitive_operations", &[algorithm.num_primitive_operations], 1);
    for (id, name, ty) in [
        ("I8", "lhs_precision_type", algorithm.lhs_precision_type),
        ("I9", "rhs_precision_type", algorithm.rhs_precision_type),
        ("I10", "accumulation_type", algorithm.accumulation_type),
    ] {
        let float = is_float(cx, ty);
        require!(cx, id, float, "{name} is {} and no float", cx.text(ty));
    }
    Some(())
}

fn is_float(cx: &Check<'_, '_>, ty: TypeId) -> bool {
    match cx.m.ty(ty) {
        Type::Scalar(element) => element.kind() == ElementKind::Float,
        Type::Float(other) => *other == OtherFloat::Tf32,
        _ => false,
    }
}

/// `dot`, the legacy form: vectors and matrices.
pub(crate) fn dot(cx: &mut Check<'_, '_>) -> Option<()> {
    let (lhs, rhs) = (cx.t(0)?, cx.t(1)?);
    precision(cx, "precision");
    let ranks = (1..=2).contains(&lhs.rank()) && (1..=2).contains(&rhs.rank());
    demand!(
        cx,
        "shape",
        ranks,
        "lhs has {} dimensions and rhs {}; both must be vectors or matrices",
        lhs.rank(),
        rhs.rank()
    );
    let (inner_l, inner_r) = (lhs.dims[lhs.rank() - 1], rhs.dims[0]);
    require!(
        cx,
        "shape",
        same_dim(inner_l, inner_r),
        "the last dimension of lhs, {}, and the first of rhs, {}, differ",
        shape::text(&[inner_l]),
        shape::text(&[inner_r])
    );
    let dims = [&lhs.dims[..lhs.rank() - 1], &rhs.dims[1..]].concat();
    if cx.inferring() {
        cx.result_tensor(0, &dims, lhs.element, "shape", "element type");
    } else {
        cx.result_shape(0, &dims, "shape");
    }
    Some(())
}
