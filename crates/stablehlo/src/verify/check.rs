//! The state of checking one op: where its facts are read, its violations go and its results are compared.
//!
//! Owns the two modes: verifying compares results that are there with what is expected; inferring collects
//! what is expected. The families in `ops/` are written once and do not see the difference.

use std::fmt;

use hashbrown::HashMap;

use super::error::Violation;
use super::shape;
use crate::ir::{Attr, Element, Module, OpId, OpRef, StrId, TensorType, Type, TypeId, ValueId};

/// Most text kept of the types of an op in a violation.
const SIGNATURE_LIMIT: usize = 400;

/// A result type that follows from the inputs, before it is interned.
#[derive(Clone, Debug)]
pub(crate) enum Inferred {
    /// A type that the module has.
    Type(TypeId),
    /// A tensor, possibly with bounds.
    Tensor { dims: Vec<i64>, element: Element, bounds: Option<Box<[i64]>> },
    /// A token.
    Token,
    /// A tuple of types that the module has.
    Tuple(Vec<TypeId>),
    /// A future of types that the module has.
    Future(Vec<TypeId>),
}

/// What outlives the check of one op.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    pub(crate) violations: Vec<Violation>,
    pub(crate) total: usize,
    pub(crate) limit: usize,
    /// Symbols, by the module op that holds them.
    pub(crate) symbols: HashMap<(OpId, StrId), OpId>,
    /// The module op around the op at hand.
    pub(crate) scope: Option<OpId>,
    /// Results, when inferring: by index.
    pub(crate) inferred: Option<Vec<Option<Inferred>>>,
    /// By type id: whether the type itself was looked at.
    pub(crate) seen_types: Vec<bool>,
}

impl Sink {
    pub(crate) fn fail(&mut self, op: OpRef<'_>, constraint: &'static str, problem: fmt::Arguments<'_>) {
        self.total += 1;
        if self.violations.len() >= self.limit {
            return;
        }
        self.violations.push(Violation {
            constraint,
            op: op.id(),
            op_name: op.name().to_owned(),
            problem: problem.to_string(),
            signature: signature_text(op),
            location: op.loc_text(),
        });
    }
}

/// `(operands) -> (results)`, cut off at a limit.
fn signature_text(op: OpRef<'_>) -> String {
    let mut out = String::new();
    for (open, values) in [("(", op.operands()), (" -> (", op.results())] {
        out.push_str(open);
        for (i, &value) in values.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            if out.len() > SIGNATURE_LIMIT {
                out.push_str("...");
                break;
            }
            out.push_str(&op.module().type_text_within(op.module().value_type(value), SIGNATURE_LIMIT));
        }
        out.push(')');
    }
    out
}

/// One op being checked.
pub(crate) struct Check<'m, 's> {
    pub(crate) m: &'m Module,
    pub(crate) op: OpRef<'m>,
    pub(crate) sink: &'s mut Sink,
}

/// Records a violation unless the condition holds; goes on.
macro_rules! require {
    ($cx:expr, $id:expr, $cond:expr, $($message:tt)+) => {
        if !$cond {
            $cx.fail($id, format_args!($($message)+));
        }
    };
}

/// Records a violation unless the condition holds, and then leaves the function with `None`.
macro_rules! demand {
    ($cx:expr, $id:expr, $cond:expr, $($message:tt)+) => {
        if !$cond {
            $cx.fail($id, format_args!($($message)+));
            return None;
        }
    };
}

pub(crate) use {demand, require};

impl<'m> Check<'m, '_> {
    /// Records a violation.
    #[cold]
    pub(crate) fn fail(&mut self, constraint: &'static str, problem: fmt::Arguments<'_>) {
        self.sink.fail(self.op, constraint, problem);
    }

    /// Number of violations so far, in the whole module.
    pub(crate) fn failures(&self) -> usize {
        self.sink.total
    }

    /// True when result types are wanted instead of compared.
    pub(crate) fn inferring(&self) -> bool {
        self.sink.inferred.is_some()
    }

    /// The tensor type of operand `index`.
    #[inline]
    pub(crate) fn t(&self, index: usize) -> Option<&'m TensorType> {
        self.op.operand_tensor(index)
    }

    /// The tensor type of result `index`. When inferring there is none, and the op cannot be inferred.
    pub(crate) fn given_result(&mut self, index: usize) -> Option<&'m TensorType> {
        let result = self.op.result_tensor(index);
        if result.is_none() {
            self.fail("inference", format_args!("the type of result {index} does not follow from the inputs"));
        }
        result
    }

    /// Bounds of the dynamic dimensions of a tensor type.
    pub(crate) fn bounds(&self, tensor: &TensorType) -> Option<&'m [i64]> {
        match self.m.attr(tensor.encoding?) {
            Attr::TypeExtensions(extensions) => Some(&extensions.bounds),
            _ => None,
        }
    }

    /// Text of a type, cut off when very long.
    pub(crate) fn text(&self, ty: TypeId) -> String {
        self.m.type_text_within(ty, SIGNATURE_LIMIT)
    }

    /// The type of a value.
    pub(crate) fn ty(&self, value: ValueId) -> TypeId {
        self.m.value_type(value)
    }

    /// A list of integers, or one value for each of `n` dimensions if the attribute is absent.
    pub(crate) fn i64s_or(&self, name: &str, n: usize, default: i64) -> Option<Vec<i64>> {
        Some(self.op.i64s_opt(name).ok()?.map_or_else(|| vec![default; n], <[i64]>::to_vec))
    }

    /// Checks that dimension numbers lie in `0..rank`.
    pub(crate) fn in_range(&mut self, id: &'static str, name: &str, dims: &[i64], rank: usize) -> bool {
        let bad = dims.iter().find(|&&d| d < 0 || d >= rank as i64);
        if let Some(d) = bad {
            self.fail(id, format_args!("{name} = {dims:?} has {d}, which is not in [0, {rank})"));
        }
        bad.is_none()
    }

    /// Checks that no number appears twice.
    pub(crate) fn unique(&mut self, id: &'static str, name: &str, dims: &[i64]) -> bool {
        let duplicate = shape::first_duplicate(dims);
        if let Some(d) = duplicate {
            self.fail(id, format_args!("{name} = {dims:?} has {d} twice"));
        }
        duplicate.is_none()
    }

    /// Checks that numbers ascend.
    pub(crate) fn sorted(&mut self, id: &'static str, name: &str, dims: &[i64]) -> bool {
        let sorted = dims.is_sorted();
        require!(self, id, sorted, "{name} = {dims:?} is not sorted");
        sorted
    }

    /// Checks that all numbers are at least `least`.
    pub(crate) fn at_least(&mut self, id: &'static str, name: &str, values: &[i64], least: i64) -> bool {
        let bad = values.iter().find(|&&v| v < least);
        if let Some(v) = bad {
            self.fail(id, format_args!("{name} = {values:?} has {v}, which is less than {least}"));
        }
        bad.is_none()
    }

    /// Checks the length of a list.
    pub(crate) fn length(&mut self, id: &'static str, name: &str, found: usize, expected: usize) -> bool {
        require!(self, id, found == expected, "{name} has {found} entries and not {expected}");
        found == expected
    }

    /// True if two element types are equal when scales and zero points are left out.
    pub(crate) fn same_baseline(&self, a: Element, b: Element) -> bool {
        super::quantized::same_baseline(self.m, a, b)
    }

    /// The element as text.
    pub(crate) fn element_text(&self, element: Element) -> String {
        match element {
            Element::Plain(element) => element.text().to_owned(),
            Element::Index => "index".to_owned(),
            Element::Quantized(ty) | Element::Other(ty) => self.text(ty),
        }
    }
}

impl Check<'_, '_> {
    fn note(&mut self, index: usize, inferred: Inferred) {
        if let Some(results) = &mut self.sink.inferred {
            if results.len() <= index {
                results.resize(index + 1, None);
            }
            // A statement about the whole result replaces nothing that was said before.
            results[index].get_or_insert(inferred);
        }
    }

    /// Result `index` is a tensor of these dimensions and this element, refinement and scales aside.
    pub(crate) fn result_tensor(
        &mut self,
        index: usize,
        dims: &[i64],
        element: Element,
        shape_id: &'static str,
        element_id: &'static str,
    ) {
        if self.inferring() {
            return self.note(index, Inferred::Tensor { dims: dims.to_vec(), element, bounds: None });
        }
        let Some(found) = self.op.result_tensor(index) else {
            return self.fail(shape_id, format_args!("result {index} is missing or no tensor"));
        };
        if !shape::compatible(&found.dims, dims) {
            let (found, expected) = (shape::text(&found.dims), shape::text(dims));
            self.fail(
                shape_id,
                format_args!("result {index} has shape {found}, but {expected} follows from the inputs"),
            );
        }
        if !self.same_baseline(found.element, element) {
            let (found, expected) = (self.element_text(found.element), self.element_text(element));
            self.fail(
                element_id,
                format_args!("result {index} has elements of {found}, but {expected} follows from the inputs"),
            );
        }
    }

    /// Result `index` is a tensor of these dimensions; its element is checked elsewhere.
    pub(crate) fn result_shape(&mut self, index: usize, dims: &[i64], id: &'static str) {
        let Some(found) = self.given_result(index) else { return };
        if !shape::compatible(&found.dims, dims) {
            let (found, expected) = (shape::text(&found.dims), shape::text(dims));
            self.fail(id, format_args!("result {index} has shape {found}, but {expected} follows from the inputs"));
        }
    }

    /// Result `index` has this type, refinement and scales aside.
    pub(crate) fn result_like(&mut self, index: usize, ty: TypeId, id: &'static str) {
        if self.inferring() {
            return self.note(index, Inferred::Type(ty));
        }
        let Some(&value) = self.op.results().get(index) else {
            return self.fail(id, format_args!("result {index} is missing"));
        };
        let found = self.ty(value);
        if found != ty && !shape::compatible_types(self.m, found, ty) {
            let (found, expected) = (self.text(found), self.text(ty));
            self.fail(id, format_args!("result {index} is {found}, but {expected} follows from the inputs"));
        }
    }

    /// Result `index` is this composite type.
    pub(crate) fn result_is(&mut self, index: usize, expected: Inferred, id: &'static str) {
        if self.inferring() {
            return self.note(index, expected);
        }
        let Some(&value) = self.op.results().get(index) else {
            return self.fail(id, format_args!("result {index} is missing"));
        };
        let same = match (self.m.ty(self.ty(value)), &expected) {
            (Type::Tuple(found), Inferred::Tuple(parts)) | (Type::Future(found), Inferred::Future(parts)) => {
                found.len() == parts.len()
                    && found.iter().zip(parts).all(|(&a, &b)| shape::compatible_types(self.m, a, b))
            }
            (Type::Token, Inferred::Token) => true,
            _ => false,
        };
        if !same {
            let parts: Vec<String> = match &expected {
                Inferred::Tuple(parts) | Inferred::Future(parts) => {
                    parts.iter().take(8).map(|&p| self.text(p)).collect()
                }
                _ => vec!["token".to_owned()],
            };
            let found = self.text(self.ty(value));
            self.fail(id, format_args!("result {index} is {found} and does not hold exactly ({})", parts.join(", ")));
        }
    }

    /// The op has as many results as there are types, each like its type.
    pub(crate) fn results_like(&mut self, types: &[TypeId], id: &'static str) {
        let found = self.op.results().len();
        if !self.inferring() && found != types.len() {
            return self.fail(id, format_args!("has {found} results and not {}", types.len()));
        }
        for (i, &ty) in types.iter().enumerate() {
            self.result_like(i, ty, id);
        }
    }

    /// All values have the same type, refinement and scales aside, and so have all results; returns the most
    /// precise form of it.
    pub(crate) fn merge_tensors(&mut self, values: &[ValueId], id: &'static str) -> Option<Inferred> {
        let (&first, rest) = values.split_first()?;
        let base = self.m.value_tensor(first)?;
        if rest.iter().all(|&v| self.ty(v) == self.ty(first)) {
            return Some(Inferred::Type(self.ty(first)));
        }
        let mut dims = base.dims.to_vec();
        let mut bounds = self.bounds(base).map(<[i64]>::to_vec);
        for &value in rest {
            let tensor = self.m.value_tensor(value)?;
            if !shape::compatible(&tensor.dims, &dims) {
                let (a, b) = (shape::text(&tensor.dims), shape::text(&dims));
                self.fail(id, format_args!("operands have the shapes {b} and {a}"));
                return None;
            }
            shape::refine(&mut dims, &mut bounds, &tensor.dims, self.bounds(tensor));
            if !self.same_baseline(tensor.element, base.element) {
                let (a, b) = (self.element_text(base.element), self.element_text(tensor.element));
                self.fail(id, format_args!("operands have elements of {a} and of {b}"));
                return None;
            }
        }
        let fits = shape::within_bounds(&dims, bounds.as_deref());
        demand!(self, id, fits, "a dimension of {} exceeds a bound of another operand", shape::text(&dims));
        let bounds = bounds.filter(|b| b.iter().any(|&b| b != crate::ir::DYNAMIC));
        Some(Inferred::Tensor { dims, element: base.element, bounds: bounds.map(Vec::into_boxed_slice) })
    }

    /// Result `index` has the type that [`Check::merge_tensors`] found.
    pub(crate) fn result_merged(&mut self, index: usize, merged: Inferred, id: &'static str) {
        match merged {
            Inferred::Type(ty) => self.result_like(index, ty, id),
            Inferred::Tensor { dims, element, bounds } if !self.inferring() => {
                self.result_tensor(index, &dims, element, id, id);
                let result = self.op.result_tensor(index);
                let fits = result.is_none_or(|r| shape::within_bounds(&r.dims, bounds.as_deref()));
                require!(self, id, fits, "a dimension of the result exceeds its bound");
            }
            other => self.note(index, other),
        }
    }
}
