//! Ops that make values from attributes: `constant`, `iota` and the dynamic form, `get_dimension_size`.

use super::super::check::{Check, demand, require};
use super::super::shape::same_dim;
use crate::ElementType;
use crate::ir::{Attr, Element, TypeId};

/// The type of a tensor attribute.
pub(super) fn elements_type(attr: &Attr) -> Option<TypeId> {
    match attr {
        Attr::DenseElements(dense) => Some(dense.ty()),
        Attr::DenseStrings { ty, .. } | Attr::DenseResource { ty, .. } | Attr::Sparse { ty, .. } => Some(*ty),
        _ => None,
    }
}

/// `constant`.
pub(crate) fn constant(cx: &mut Check<'_, '_>) -> Option<()> {
    let ty = elements_type(cx.op.attr("value")?)?;
    let value = cx.m.ty(ty).as_tensor();
    demand!(cx, "C1", value.is_some_and(crate::ir::TensorType::is_static), "the value has type {}", cx.text(ty));
    let value = value?;
    if let Some(result) = cx.op.result_tensor(0)
        && let Some(q) = super::super::quantized::quantized(cx.m, result.element)
    {
        // The value of a quantized constant is written with the stored integers.
        let storage = cx.m.element_of(q.storage);
        let same = result.dims == value.dims && (value.element == storage || value.element == result.element);
        require!(
            cx,
            "C1",
            same,
            "the value has type {} and the result {}",
            cx.text(ty),
            cx.text(cx.ty(cx.op.results()[0]))
        );
        return Some(());
    }
    cx.result_tensor(0, &value.dims, value.element, "C1", "C1");
    Some(())
}

/// `iota`.
pub(crate) fn iota(cx: &mut Check<'_, '_>) -> Option<()> {
    let result = cx.given_result(0)?;
    let dimension = cx.op.int("iota_dimension").ok()?;
    cx.in_range("C1", "iota_dimension", &[dimension], result.rank());
    Some(())
}

/// `dynamic_iota`.
pub(crate) fn dynamic_iota(cx: &mut Check<'_, '_>) -> Option<()> {
    let shape = cx.t(0)?;
    let result = cx.given_result(0)?;
    let dimension = cx.op.int("iota_dimension").ok()?;
    let rank = shape.dims[0];
    require!(cx, "C1", dimension >= 0 && dimension < rank, "iota_dimension = {dimension} is not in [0, {rank})");
    require!(
        cx,
        "C2",
        same_dim(rank, result.rank() as i64),
        "output_shape has {rank} entries and the result {} dimensions",
        result.rank()
    );
    if let Some(sizes) = super::constant_ints(cx, 0) {
        cx.result_shape(0, &sizes, "C2");
    }
    Some(())
}

/// `get_dimension_size`.
pub(crate) fn get_dimension_size(cx: &mut Check<'_, '_>) -> Option<()> {
    let operand = cx.t(0)?;
    let dimension = cx.op.int("dimension").ok()?;
    cx.in_range("C1", "dimension", &[dimension], operand.rank());
    cx.result_tensor(0, &[], Element::Plain(ElementType::I32), "O1", "O1");
    Some(())
}

/// `set_dimension_size`, a legacy form.
pub(crate) fn set_dimension_size(cx: &mut Check<'_, '_>) -> Option<()> {
    let operand = cx.t(0)?;
    let dimension = cx.op.int("dimension").ok()?;
    if !cx.in_range("dimension", "dimension", &[dimension], operand.rank()) {
        return None;
    }
    let mut dims = operand.dims.to_vec();
    dims[dimension as usize] = crate::ir::DYNAMIC;
    cx.result_tensor(0, &dims, operand.element, "shape", "element type");
    Some(())
}

/// `partition_id` and `replica_id`.
pub(crate) fn process_number(cx: &mut Check<'_, '_>) -> Option<()> {
    cx.result_tensor(0, &[], Element::Plain(ElementType::U32), "O1", "O1");
    Some(())
}

/// `constant_like` of chlo.
pub(crate) fn constant_like(cx: &mut Check<'_, '_>) -> Option<()> {
    cx.result_like(0, cx.ty(cx.op.operands()[0]), "type");
    Some(())
}
