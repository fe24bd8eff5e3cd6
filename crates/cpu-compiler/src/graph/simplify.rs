//! Building with simplification: only what changes no bit of any result.

use super::{BlockId, Graph, Literal, MapOp, Op, Value};
use crate::array_type::ArrayType;
use cpu_vir::{BinaryOp, Direction};
use stablehlo::ElementKind;
use std::sync::Arc;

impl Graph {
    /// Adds an element-wise node.
    pub fn map(&mut self, block: BlockId, op: MapOp, inputs: Vec<Value>, ty: Arc<ArrayType>) -> Value {
        match (op, &*inputs) {
            (MapOp::Convert | MapOp::Bitcast, &[x]) if self.ty(x).element == ty.element => return x,
            (MapOp::Select, &[mask, yes, no]) => {
                if yes == no {
                    return yes;
                }
                if let Some(Literal { bytes, splat: true }) = self.literal(mask) {
                    return if bytes[0] != 0 { yes } else { no };
                }
            }
            (MapOp::Binary(op), &[x, y]) if self.changes_nothing(op, y) => return x,
            (MapOp::Binary(op), &[x, y]) if op.commutes() && self.changes_nothing(op, x) => return y,
            (MapOp::Compare { direction: Direction::Ne, .. }, &[x, y])
                if self.ty(x).element == ty.element && self.changes_nothing(BinaryOp::Xor, y) =>
            {
                return x;
            }
            (MapOp::Real, &[x]) if matches!(self.op(x), Op::Map(MapOp::Complex)) => return self.inputs(x)[0],
            (MapOp::Imag, &[x]) if matches!(self.op(x), Op::Map(MapOp::Complex)) => return self.inputs(x)[1],
            _ => {}
        }
        self.pure(block, Op::Map(op), inputs, ty)
    }

    /// Whether a right operand of an operation of integers or booleans leaves the left one as it is. Floats are rounded and
    /// flushed even so.
    fn changes_nothing(&self, op: BinaryOp, value: Value) -> bool {
        let kind = self.ty(value).element.map(|element| element.kind());
        let Some(Literal { bytes, splat: true }) = self.literal(value) else { return false };
        let neutral = match (op, kind) {
            (BinaryOp::And | BinaryOp::Min, Some(ElementKind::Bool)) => 1,
            (BinaryOp::Or | BinaryOp::Max | BinaryOp::Xor, Some(ElementKind::Bool)) => 0,
            (_, Some(ElementKind::Bool)) => return false,
            (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor, _) => 0,
            (BinaryOp::Shl | BinaryOp::ShrLogical | BinaryOp::ShrArithmetic, _) => 0,
            (BinaryOp::Mul | BinaryOp::Div, _) => 1,
            _ => return false,
        };
        matches!(kind, Some(ElementKind::Signed | ElementKind::Unsigned | ElementKind::Bool))
            && bytes.iter().enumerate().all(|(at, byte)| *byte == if at == 0 { neutral } else { 0 })
    }

    /// Repeats an array along new dimensions. `dims`: which dimension of the result each of the operand's becomes.
    pub fn broadcast(&mut self, block: BlockId, x: Value, dims: Vec<usize>, ty: Arc<ArrayType>) -> Value {
        if let Some(Literal { bytes, splat: true }) = self.literal(x) {
            let bytes = bytes.clone();
            return self.pure(block, Op::Constant(Literal { bytes, splat: true }), Vec::new(), ty);
        }
        // Sizes of 1 that are stretched are dropped first, so that a broadcast only adds dimensions.
        let from = self.ty(x).clone();
        let stretched = |d: &usize| from.dims[*d] == 1 && ty.dims[dims[*d]] != 1;
        if (0..dims.len()).any(|d| stretched(&d)) {
            let kept: Vec<usize> = (0..dims.len()).filter(|d| !stretched(d)).collect();
            let sizes: Vec<usize> = kept.iter().map(|&d| from.dims[d]).collect();
            let thin = Arc::new(ArrayType { element: from.element, dims: sizes });
            let x = self.view(block, x, thin);
            return self.broadcast(block, x, kept.iter().map(|&d| dims[d]).collect(), ty);
        }
        // New dimensions of size 1 move nothing.
        if dims.is_sorted() && (from.dims == ty.dims || from.len() == ty.len() && !ty.is_empty()) {
            return self.view(block, x, ty);
        }
        if let Op::Broadcast(inner) = self.op(x) {
            let dims = inner.iter().map(|&d| dims[d]).collect();
            let x = self.inputs(x)[0];
            return self.broadcast(block, x, dims, ty);
        }
        self.pure(block, Op::Broadcast(dims), vec![x], ty)
    }

    /// The same bytes under another type of as many bytes.
    pub fn view(&mut self, block: BlockId, x: Value, ty: Arc<ArrayType>) -> Value {
        if *self.ty(x) == ty {
            return x;
        }
        match self.op(x) {
            Op::Constant(literal) if self.ty(x).width() == ty.width() => {
                let literal = literal.clone();
                self.pure(block, Op::Constant(literal), Vec::new(), ty)
            }
            Op::View => {
                let x = self.inputs(x)[0];
                self.view(block, x, ty)
            }
            _ => self.pure(block, Op::View, vec![x], ty),
        }
    }

    /// Permutes dimensions: dimension `i` of the result is dimension `order[i]` of the operand.
    pub fn transpose(&mut self, block: BlockId, x: Value, order: Vec<usize>, ty: Arc<ArrayType>) -> Value {
        if order.is_sorted() {
            return x;
        }
        // Moving only dimensions of size 1 changes no byte.
        let sizes = &self.ty(x).dims;
        if order.iter().filter(|&&d| sizes[d] != 1).is_sorted() {
            return self.view(block, x, ty);
        }
        match self.op(x) {
            Op::Constant(literal) if literal.splat => {
                let literal = literal.clone();
                self.pure(block, Op::Constant(literal), Vec::new(), ty)
            }
            // What is repeated is repeated along other dimensions; what counts counts along another.
            Op::Broadcast(dims) if moved(dims, &order).is_sorted() => {
                let dims = moved(dims, &order);
                let x = self.inputs(x)[0];
                self.broadcast(block, x, dims, ty)
            }
            Op::Iota(dim) => {
                let dim = moved(&[*dim], &order)[0];
                self.pure(block, Op::Iota(dim), Vec::new(), ty)
            }
            Op::Transpose(inner) => {
                let order = order.iter().map(|&d| inner[d]).collect();
                let x = self.inputs(x)[0];
                self.transpose(block, x, order, ty)
            }
            _ => self.pure(block, Op::Transpose(order), vec![x], ty),
        }
    }

    /// Every `stride`-th element from `start` on, as many as the type says.
    pub fn slice(
        &mut self,
        block: BlockId,
        x: Value,
        start: Vec<usize>,
        stride: Vec<usize>,
        ty: Arc<ArrayType>,
    ) -> Value {
        if self.ty(x).dims == ty.dims {
            return x;
        }
        match self.op(x) {
            Op::Constant(literal) if literal.splat => {
                let literal = literal.clone();
                self.pure(block, Op::Constant(literal), Vec::new(), ty)
            }
            _ => self.pure(block, Op::Slice { start, stride }, vec![x], ty),
        }
    }

    /// Reverses dimensions.
    pub fn reverse(&mut self, block: BlockId, x: Value, dims: Vec<usize>) -> Value {
        let ty = self.ty(x).clone();
        let dims: Vec<usize> = dims.into_iter().filter(|&d| ty.dims[d] > 1).collect();
        let splat = self.literal(x).is_some_and(|literal| literal.splat);
        if dims.is_empty() || splat { x } else { self.pure(block, Op::Reverse(dims), vec![x], ty) }
    }

    /// Puts arrays one after another along a dimension.
    pub fn concatenate(&mut self, block: BlockId, parts: Vec<Value>, dim: usize, ty: Arc<ArrayType>) -> Value {
        let mut parts: Vec<Value> = parts.into_iter().filter(|&part| self.ty(part).dims[dim] > 0).collect();
        match parts.len() {
            1 => parts.remove(0),
            _ => self.pure(block, Op::Concatenate(dim), parts, ty),
        }
    }
}

/// Where dimensions are after a transposition.
fn moved(dims: &[usize], order: &[usize]) -> Vec<usize> {
    dims.iter().map(|dim| order.iter().position(|from| from == dim).unwrap_or(*dim)).collect()
}
