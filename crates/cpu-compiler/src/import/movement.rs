//! Ops that move elements, and annotations, which do not even do that.

use super::Importer;
use super::kernels::sizes;
use crate::array_type::ArrayType;
use crate::error::Result;
use crate::graph::{Op, Value};
use crate::kernel::{DynamicSlice, DynamicUpdateSlice};
use stablehlo::ir::{OpCode, OpRef};
use std::sync::Arc;

impl<'m> Importer<'m> {
    /// The results of an op that moves elements; `None` when it is none.
    pub(super) fn movement(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Value>>> {
        let block = self.block;
        let value = match op.code() {
            OpCode::OptimizationBarrier
            | OpCode::BuiltinUnrealizedConversionCast
            | OpCode::SdyShardingConstraint
            | OpCode::SdyReshard
            | OpCode::SdyPropagationBarrier
            | OpCode::SdyDataFlowEdge => return Ok(Some(self.operands(op)?)),
            OpCode::CreateToken | OpCode::AfterAll => {
                self.graph.constant(block, &[], false, Arc::new(ArrayType::token()))
            }
            OpCode::Iota => {
                let ty = self.result_type(op, 0)?;
                if ty.element.is_none_or(|element| element.byte_width() > 8) {
                    return Ok(None);
                }
                self.pure(Op::Iota(op.int("iota_dimension")? as usize), Vec::new(), ty)
            }
            OpCode::BroadcastInDim => {
                let (x, ty) = (self.value(op.operands()[0])?, self.result_type(op, 0)?);
                self.graph.broadcast(block, x, sizes(op.i64s("broadcast_dimensions")?), ty)
            }
            OpCode::Reshape => {
                let (x, ty) = (self.value(op.operands()[0])?, self.result_type(op, 0)?);
                self.graph.view(block, x, ty)
            }
            OpCode::BitcastConvert => {
                let (x, ty) = (self.value(op.operands()[0])?, self.result_type(op, 0)?);
                let whole = |ty: &ArrayType| ty.element.is_some_and(|element| element.bits() == 8 * ty.width());
                if !whole(&ty) || !whole(self.graph.ty(x)) {
                    return Ok(None);
                }
                self.graph.view(block, x, ty)
            }
            OpCode::Transpose => {
                let (x, ty) = (self.value(op.operands()[0])?, self.result_type(op, 0)?);
                let order = sizes(op.i64s("permutation")?);
                match self.transposed_product(op, x, &order, &ty)? {
                    Some(product) => product,
                    None => self.graph.transpose(block, x, order, ty),
                }
            }
            OpCode::Slice => {
                let (x, ty) = (self.value(op.operands()[0])?, self.result_type(op, 0)?);
                let (start, stride) = (sizes(op.i64s("start_indices")?), sizes(op.i64s("strides")?));
                self.graph.slice(block, x, start, stride, ty)
            }
            OpCode::Reverse => {
                let x = self.value(op.operands()[0])?;
                self.graph.reverse(block, x, sizes(op.i64s("dimensions")?))
            }
            OpCode::Concatenate => {
                let (parts, ty) = (self.operands(op)?, self.result_type(op, 0)?);
                self.graph.concatenate(block, parts, op.int("dimension")? as usize, ty)
            }
            OpCode::Pad => {
                let (inputs, ty) = (self.operands(op)?, self.result_type(op, 0)?);
                let low = op.i64s("edge_padding_low")?.to_vec();
                let high = op.i64s("edge_padding_high")?;
                let interior = sizes(op.i64s("interior_padding")?);
                let nothing = low.iter().chain(high).all(|&n| n == 0) && interior.iter().all(|&n| n == 0);
                match nothing {
                    true => inputs[0],
                    false => self.pure(Op::Pad { low, interior }, inputs, ty),
                }
            }
            OpCode::DynamicSlice => {
                let (inputs, ty) = (self.operands(op)?, self.result_type(op, 0)?);
                if *self.graph.ty(inputs[0]) == ty {
                    return Ok(Some(vec![inputs[0]]));
                }
                let indices = self.index_types(&inputs[1..]);
                let kernel = DynamicSlice::new(self.graph.ty(inputs[0]), &ty, indices);
                return Ok(Some(self.kernel(Arc::new(kernel), inputs, &[ty], false)));
            }
            OpCode::DynamicUpdateSlice => {
                let (inputs, ty) = (self.operands(op)?, self.result_type(op, 0)?);
                if *self.graph.ty(inputs[1]) == ty {
                    return Ok(Some(vec![inputs[1]]));
                }
                let indices = self.index_types(&inputs[2..]);
                let kernel = DynamicUpdateSlice::new(&ty, self.graph.ty(inputs[1]), indices);
                return Ok(Some(self.kernel(Arc::new(kernel), inputs, &[ty], false)));
            }
            _ => return Ok(None),
        };
        Ok(Some(vec![value]))
    }

    fn index_types(&self, indices: &[Value]) -> Vec<stablehlo::ElementType> {
        indices.iter().filter_map(|&index| self.graph.ty(index).element).collect()
    }
}
