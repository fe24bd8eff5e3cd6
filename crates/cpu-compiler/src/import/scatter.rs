//! Scatters: of many windows by a kernel, of one as what it comes to.
//!
//! A single short window is taken out of the array, combined by a loop, and put back where it was: loops are full of such
//! updates of an element or a row, and none of these steps costs more there than what it does (`plan::turns`).

use super::Importer;
use super::kernels::{reduce_kind, sizes, supported};
use super::region::{pairwise, returns_second};
use crate::error::Result;
use crate::graph::{MapOp, Value};
use crate::kernel::InPlaceScatter;
use cpu_kernels::{GatherDimensions, OutOfBounds, Scatter, ScatterBody, ScatterDimensions};
use cpu_vir::ReduceKind;
use stablehlo::ElementKind;
use stablehlo::ir::OpRef;
use std::sync::Arc;

/// Bytes of a window that is short.
const SHORT_WINDOW: usize = 4096;

impl<'m> Importer<'m> {
    pub(super) fn scatter(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Value>>> {
        let mut inputs = self.operands(op)?;
        let n = inputs.len() / 2;
        let body = match pairwise(op, 0).as_deref() {
            _ if n == 1 && returns_second(op, 0) => ScatterBody::Assign,
            Some([(_, operation)]) if n == 1 => match reduce_kind(*operation, self.graph.ty(inputs[0]).element) {
                Some(kind) => ScatterBody::Reduce(kind),
                None => return Ok(None),
            },
            _ => {
                let Some((program, captured)) = self.region_program(op, 0)? else { return Ok(None) };
                inputs.extend(captured);
                ScatterBody::Program(program)
            }
        };
        let numbers = op.scatter_dimension_numbers()?;
        let dims = ScatterDimensions {
            update_window_dims: sizes(&numbers.update_window_dims),
            inserted_window_dims: sizes(&numbers.inserted_window_dims),
            input_batching_dims: sizes(&numbers.input_batching_dims),
            scatter_indices_batching_dims: sizes(&numbers.scatter_indices_batching_dims),
            scatter_dims_to_operand_dims: sizes(&numbers.scatter_dims_to_operand_dims),
            index_vector_dim: numbers.index_vector_dim as usize,
        };
        let (indices, wrap) = self.corrected_by_kernel(inputs[n]);
        inputs[n] = indices;
        let shapes = self.shapes(&inputs[..2 * n + 1])?;
        let (targets, indices, updates) = (&shapes[..n], &shapes[n], &shapes[n + 1..]);
        let prepare = |body: &ScatterBody| -> Result<Option<Scatter>> {
            let scatter = Scatter::prepare(targets, indices, updates, &dims, body, OutOfBounds::DropWindow);
            Ok(match supported(scatter)? {
                Some(scatter) if wrap != 0 => {
                    Some(scatter.wrapping(&vec![wrap; dims.scatter_dims_to_operand_dims.len()])?)
                }
                scatter => scatter,
            })
        };
        let short = match body {
            ScatterBody::Reduce(kind) if updates[0].bytes() <= SHORT_WINDOW && self.is_plain(inputs[0]) => {
                prepare(&ScatterBody::Assign)?
                    .filter(|scatter| scatter.single().is_some())
                    .map(|scatter| (scatter, kind))
            }
            _ => None,
        };
        let scatter = match short {
            Some((scatter, kind)) => {
                inputs[2] = self.combined([inputs[0], inputs[1], inputs[2]], wrap, &dims, kind)?;
                scatter
            }
            None => match prepare(&body)? {
                Some(scatter) => scatter,
                None => return Ok(None),
            },
        };
        let nanoseconds = 50 + updates[0].elements() as u64 * 2;
        let scatter = Arc::new(scatter);
        let kernel = InPlaceScatter { scatter, updates: (0..n).map(|index| (index, index)).collect(), nanoseconds };
        let results = self.result_types(op)?;
        Ok(Some(self.kernel(Arc::new(kernel), inputs, &results, false)))
    }

    /// Whether elements are numbers of whole bytes, or booleans: those that loops combine as the kernel does.
    fn is_plain(&self, value: Value) -> bool {
        self.graph.ty(value).element.is_some_and(|element| match element.kind() {
            ElementKind::Bool => true,
            ElementKind::Complex => false,
            _ => element.bits() == 8 * element.byte_width(),
        })
    }

    /// The window of a scatter with one, combined with what is in its place; something else if it does not lie inside,
    /// where it is dropped.
    fn combined(
        &mut self,
        [operand, indices, update]: [Value; 3],
        wrap: i64,
        dims: &ScatterDimensions,
        kind: ReduceKind,
    ) -> Result<Value> {
        let ty = self.graph.ty(update).clone();
        let mut window = dims.update_window_dims.iter().map(|&dim| ty.dims[dim]);
        let gone = |axis: &usize| dims.inserted_window_dims.contains(axis);
        let slice_sizes = (0..self.graph.ty(operand).dims.len())
            .map(|axis| if gone(&axis) { 1 } else { window.next().unwrap_or(1) })
            .collect();
        let slices = GatherDimensions {
            offset_dims: dims.update_window_dims.clone(),
            collapsed_slice_dims: dims.inserted_window_dims.clone(),
            start_index_map: dims.scatter_dims_to_operand_dims.clone(),
            index_vector_dim: dims.index_vector_dim,
            slice_sizes,
            ..GatherDimensions::default()
        };
        let old = self.gathered(operand, (indices, wrap), slices, &ty)?;
        Ok(self.graph.map(self.block, MapOp::Binary(kind.combine()), vec![old, update], ty))
    }
}
