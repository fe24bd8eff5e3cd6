//! Indices as NumPy has them: negative ones count from the end, which programs write as `i < 0 ? i + n : i`.
//!
//! Kernels that read indices do that themselves, so that no array of corrected indices is made.

use super::Importer;
use crate::graph::{Literal, MapOp, Value};
use cpu_vir::{BinaryOp, Direction};
use stablehlo::{ElementKind, ElementType};

impl Importer<'_> {
    /// The indices before that correction, and what is added to negative ones, where there is one; else what is given, and 0.
    pub(super) fn corrected_by_kernel(&mut self, indices: Value) -> (Value, i64) {
        self.uncorrected(indices).unwrap_or((indices, 0))
    }

    /// The indices before that correction, and what it adds to negative ones; `None` when nothing is corrected.
    fn uncorrected(&mut self, indices: Value) -> Option<(Value, i64)> {
        let ty = self.graph.ty(indices).clone();
        let element = ty.element.filter(|element| is_whole_signed(*element))?;
        let corrected = crate::fuse::source(&self.graph, indices);
        if self.graph.ty(corrected).element != Some(element) {
            return None;
        }
        let (index, by) = self.correction(corrected)?;
        Some((self.graph.view(self.block, index, ty), by))
    }

    fn correction(&self, value: Value) -> Option<(Value, i64)> {
        let graph = &self.graph;
        let &[negative, moved, index] = graph.mapped(value, MapOp::Select)? else { return None };
        let less = MapOp::Compare { direction: Direction::Lt, total: false };
        let &[tested, zero] = graph.mapped(negative, less)? else { return None };
        let &[base, by] = graph.mapped(moved, MapOp::Binary(BinaryOp::Add))? else { return None };
        let number = |value: Value| match graph.literal(value) {
            Some(Literal { bytes, splat: true }) => Some(sign_extended(bytes)),
            _ => None,
        };
        (tested == index && base == index && number(zero)? == 0).then_some((index, number(by)?))
    }
}

/// Signed integers whose sums wrap as their bytes do.
fn is_whole_signed(element: ElementType) -> bool {
    element.kind() == ElementKind::Signed && element.bits() == 8 * element.byte_width()
}

fn sign_extended(bytes: &[u8]) -> i64 {
    let mut wide = [if bytes.last().is_some_and(|last| *last > 0x7f) { 0xff } else { 0 }; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(wide)
}
