//! Reductions that loops can do: one of the usual operations for each operand.

use super::Importer;
use super::kernels::{reduce_kind, sizes};
use super::region::pairwise;
use crate::array_type::ArrayType;
use crate::error::Result;
use crate::fuse::lanes;
use crate::graph::{MapOp, Op, Value};
use cpu_vir::{BinaryOp, ReduceKind};
use stablehlo::ir::{OpCode, OpRef};
use stablehlo::{ElementKind, ElementType};

impl<'m> Importer<'m> {
    /// The results of a reduction; `None` when it is none, or none that loops can do.
    pub(super) fn reduction(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Value>>> {
        if op.code() != OpCode::Reduce {
            return Ok(None);
        }
        let Some(operations) = pairwise(op, 0) else { return Ok(None) };
        let inputs = self.operands(op)?;
        let n = operations.len();
        let mut dims = sizes(op.i64s("dimensions")?);
        dims.sort_unstable();
        // Where there is one element to combine, it meets the initial value and no other.
        let ones = inputs.first().is_some_and(|&x| dims.iter().all(|&dim| self.graph.ty(x).dims[dim] == 1));
        let mut plan = Vec::with_capacity(n);
        for (index, (_, operation)) in operations.into_iter().enumerate() {
            let result = self.result_type(op, index)?;
            let element = self.graph.ty(inputs[index]).element;
            let (Some(element), true) = (element, element == result.element) else { return Ok(None) };
            let Some((kind, neutral)) = kind(operation, element) else { return Ok(None) };
            plan.push((kind, neutral, result));
        }
        let mut results = Vec::with_capacity(n);
        for (index, (kind, neutral, result)) in plan.into_iter().enumerate() {
            let (x, init) = (inputs[index], inputs[n + index]);
            let literal = self.graph.literal(init).map(|literal| literal.bytes.to_vec());
            // Without anything to combine there is no loop that knows the initial value.
            let known = literal.filter(|_| !ones);
            let reduced = match ones {
                true => self.graph.view(self.block, x, result.clone()),
                false => {
                    let init = known.clone().unwrap_or(neutral);
                    self.pure(Op::Reduce { dims: dims.clone(), kind, init }, vec![x], result.clone())
                }
            };
            results.push(match known {
                Some(_) => reduced,
                None => {
                    let init = self.spread(init, &result.dims);
                    self.graph.map(self.block, MapOp::Binary(kind.combine()), vec![init, reduced], result)
                }
            });
        }
        Ok(Some(results))
    }
}

/// The kind of a reduction over an element type, and the value that changes no result.
fn kind(operation: BinaryOp, element: ElementType) -> Option<(ReduceKind, Vec<u8>)> {
    let kind = reduce_kind(operation, Some(element))?;
    // Sums of complex numbers go part by part; products do not.
    let complex = element.kind() == ElementKind::Complex;
    let ty = ArrayType::new(element, &[]);
    if complex && kind != ReduceKind::Sum
        || !complex && !lanes::can_map(MapOp::Binary(kind.combine()), &[&ty, &ty], &ty)
    {
        return None;
    }
    Some((kind, lanes::neutral(kind, element)?))
}
