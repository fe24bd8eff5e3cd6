//! Ops that have kernels: gathers, scatters, windows, reductions of any body.

use super::Importer;
use super::patterns::extreme;
use super::region::{compares, pairwise};
use crate::array_type::ArrayType;
use crate::error::{Error, Result};
use crate::fuse::lanes::storage;
use crate::graph::{Op, Value};
use crate::kernel::{GatherKernel, Gathering, Prepared};
use cpu_kernels::{
    ArgExtreme, Gather, GatherDimensions, OpKernel, Reduce, ReduceWindow, Select, SelectAndScatter, Shape, WindowBody,
    WindowDimension,
};
use cpu_vir::{BinaryOp, ReduceKind};
use stablehlo::ElementType;
use stablehlo::ir::attrs::ComparisonDirection;
use stablehlo::ir::{OpCode, OpRef};
use std::sync::Arc;

/// Attribute lists that a verified op has no negative numbers in.
pub(super) fn sizes(list: &[i64]) -> Vec<usize> {
    list.iter().map(|&size| size as usize).collect()
}

impl<'m> Importer<'m> {
    /// The results of an op that has a kernel; `None` when it has none, or none for what it asks for.
    pub(super) fn kernels(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Value>>> {
        match op.code() {
            OpCode::Convolution => self.convolution(op),
            OpCode::Gather => self.gather(op),
            OpCode::Scatter => self.scatter(op),
            OpCode::Reduce => self.reduce_by_program(op),
            OpCode::ReduceWindow => self.reduce_window(op),
            OpCode::SelectAndScatter => self.select_and_scatter(op),
            _ => Ok(None),
        }
    }

    /// Adds a prepared kernel.
    pub(super) fn prepared<K: OpKernel + 'static>(
        &mut self,
        op: OpRef<'m>,
        kernel: K,
        inputs: Vec<Value>,
        nanoseconds: u64,
    ) -> Result<Option<Vec<Value>>> {
        let results = self.result_types(op)?;
        let kernel = Prepared { name: op.code().mnemonic(), kernel, nanoseconds, flops: 0.0 };
        Ok(Some(self.kernel(Arc::new(kernel), inputs, &results, false)))
    }

    pub(super) fn shape(&self, value: Value) -> Result<Shape> {
        shape(self.graph.ty(value))
    }

    pub(super) fn shapes(&self, values: &[Value]) -> Result<Vec<Shape>> {
        values.iter().map(|&value| self.shape(value)).collect()
    }

    fn gather(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Value>>> {
        let inputs = self.operands(op)?;
        let numbers = op.gather_dimension_numbers()?;
        let dims = GatherDimensions {
            offset_dims: sizes(&numbers.offset_dims),
            collapsed_slice_dims: sizes(&numbers.collapsed_slice_dims),
            operand_batching_dims: sizes(&numbers.operand_batching_dims),
            start_indices_batching_dims: sizes(&numbers.start_indices_batching_dims),
            start_index_map: sizes(&numbers.start_index_map),
            index_vector_dim: numbers.index_vector_dim as usize,
            slice_sizes: sizes(op.i64s("slice_sizes")?),
        };
        let indices = self.corrected_by_kernel(inputs[1]);
        let result = self.result_types(op)?;
        Ok(Some(vec![self.gathered(inputs[0], indices, dims, &result[0])?]))
    }

    /// What a gather takes at indices whose correction is the kernel's.
    pub(super) fn gathered(
        &mut self,
        operand: Value,
        (indices, wrap): (Value, i64),
        dims: GatherDimensions,
        result: &Arc<ArrayType>,
    ) -> Result<Value> {
        let mut gather = Gather::prepare(&self.shape(operand)?, &self.shape(indices)?, &dims)?;
        if wrap != 0 {
            gather = gather.wrapping(&vec![wrap; dims.start_index_map.len()])?;
        }
        let gathering = Gathering { run: gather.run_length(), dims, wrap };
        let kernel = GatherKernel { gather: Arc::new(gather), gathering };
        Ok(self.kernel(Arc::new(kernel), vec![operand, indices], std::slice::from_ref(result), false)[0])
    }

    /// The greatest or least element and its place, as JAX asks for them.
    fn arg_extreme(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Value>>> {
        let (Some(greatest), &[axis]) = (extreme(op), op.i64s("dimensions")?) else { return Ok(None) };
        let axis = axis as usize;
        let &[x, index, init, zero] = &self.operands(op)?[..] else { return Ok(None) };
        let shape = self.shape(x)?;
        let element = self.graph.ty(x).element;
        // The indices are the places, and the initial value is what anything is better than, or as good.
        let counts = matches!(self.graph.op(index), Op::Iota(dim) if *dim == axis);
        let kind = if greatest { ReduceKind::Max } else { ReduceKind::Min };
        let worst = element.and_then(|element| crate::fuse::lanes::neutral(kind, element));
        let starts = |value: Value, bytes: &[u8]| self.graph.literal(value).is_some_and(|it| *it.bytes == *bytes);
        let first = vec![0; self.graph.ty(zero).width()];
        if !counts || shape.dims[axis] == 0 || !worst.is_some_and(|worst| starts(init, &worst)) || !starts(zero, &first)
        {
            return Ok(None);
        }
        let index = self.shape(index)?.storage;
        let Some(kernel) = supported(ArgExtreme::prepare(&shape, axis, index, greatest))? else { return Ok(None) };
        self.prepared(op, kernel, vec![x], 100 + shape.elements() as u64)
    }

    fn reduce_by_program(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Value>>> {
        if let Some(results) = self.arg_extreme(op)? {
            return Ok(Some(results));
        }
        let mut inputs = self.operands(op)?;
        let n = inputs.len() / 2;
        let Some((program, captured)) = self.region_program(op, 0)? else { return Ok(None) };
        inputs.extend(captured);
        let shapes = self.shapes(&inputs[..n])?;
        let results = self.result_types(op)?;
        if shapes.iter().zip(&results).any(|(shape, ty)| ty.element.map(storage) != Some(shape.storage)) {
            return Ok(None);
        }
        let kernel = Reduce::prepare(&shapes, &sizes(op.i64s("dimensions")?), &program)?;
        let nanoseconds = 200 + shapes[0].elements() as u64 * program.body.len() as u64 / 4;
        self.prepared(op, kernel, inputs, nanoseconds)
    }

    fn reduce_window(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Value>>> {
        let mut inputs = self.operands(op)?;
        let n = inputs.len() / 2;
        let element = self.graph.ty(inputs[0]).element;
        let results = self.result_types(op)?;
        if (0..n).any(|index| results[index].element != self.graph.ty(inputs[index]).element) {
            return Ok(None);
        }
        let body = match pairwise(op, 0).as_deref() {
            Some([(_, operation)]) if n == 1 && reduce_kind(*operation, element).is_some() => {
                reduce_kind(*operation, element).map(WindowBody::Reduce)
            }
            _ => match self.region_program(op, 0)? {
                Some((program, captured)) => {
                    inputs.extend(captured);
                    Some(WindowBody::Program(program))
                }
                None => None,
            },
        };
        let Some(body) = body else { return Ok(None) };
        let shapes = self.shapes(&inputs[..n])?;
        let windows = windows(op, shapes[0].rank())?;
        let Some(kernel) = supported(ReduceWindow::prepare(&shapes, &windows, &body))? else { return Ok(None) };
        let window: usize = windows.iter().map(|window| window.size.min(8)).product();
        let nanoseconds = 200 + (results[0].len() * window) as u64;
        self.prepared(op, kernel, inputs, nanoseconds)
    }

    fn select_and_scatter(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Value>>> {
        let inputs = self.operands(op)?;
        let (operand, source) = (self.shape(inputs[0])?, self.shape(inputs[1])?);
        let element = self.graph.ty(inputs[0]).element;
        let select = match compares(op, 0) {
            Some(ComparisonDirection::Ge) => Select::Greatest,
            Some(ComparisonDirection::Le) => Select::Least,
            _ => match self.region_program(op, 0)? {
                Some((program, captured)) if captured.is_empty() => Select::Program(program),
                _ => return Ok(None),
            },
        };
        let scatter = match pairwise(op, 1).as_deref() {
            Some([(_, operation)]) if reduce_kind(*operation, element).is_some() => {
                reduce_kind(*operation, element).map(WindowBody::Reduce)
            }
            _ => match self.region_program(op, 1)? {
                Some((program, captured)) if captured.is_empty() => Some(WindowBody::Program(program)),
                _ => None,
            },
        };
        let Some(scatter) = scatter else { return Ok(None) };
        let windows = windows(op, operand.rank())?;
        let kernel = SelectAndScatter::prepare(&operand, &source, &windows, &select, &scatter);
        let Some(kernel) = supported(kernel)? else { return Ok(None) };
        let nanoseconds = 200 + 10 * operand.elements() as u64;
        self.prepared(op, kernel, inputs, nanoseconds)
    }
}

/// What is not supported by a kernel is left to the evaluator.
pub(super) fn supported<K>(kernel: std::result::Result<K, cpu_kernels::KernelError>) -> Result<Option<K>> {
    match kernel {
        Ok(kernel) => Ok(Some(kernel)),
        Err(cpu_kernels::KernelError::Unsupported { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A type as the kernels have it.
pub(crate) fn shape(ty: &ArrayType) -> Result<Shape> {
    let element = ty.element.ok_or_else(|| Error::invalid("a token where an array is wanted"))?;
    Ok(Shape::new(storage(element), &ty.dims))
}

/// The kind of combination that an operation is.
pub(super) fn reduce_kind(operation: BinaryOp, element: Option<ElementType>) -> Option<ReduceKind> {
    let bool = element == Some(ElementType::Bool);
    Some(match operation {
        BinaryOp::Add | BinaryOp::Max if bool => ReduceKind::Or,
        BinaryOp::Mul | BinaryOp::Min if bool => ReduceKind::And,
        BinaryOp::Add => ReduceKind::Sum,
        BinaryOp::Mul => ReduceKind::Product,
        BinaryOp::Min => ReduceKind::Min,
        BinaryOp::Max => ReduceKind::Max,
        BinaryOp::And => ReduceKind::And,
        BinaryOp::Or => ReduceKind::Or,
        BinaryOp::Xor => ReduceKind::Xor,
        _ => return None,
    })
}

/// The windows of `reduce_window` and `select_and_scatter`.
fn windows(op: OpRef<'_>, rank: usize) -> Result<Vec<WindowDimension>> {
    let list = |name: &str, default: i64| -> Result<Vec<i64>> {
        Ok(op.i64s_opt(name)?.map_or_else(|| vec![default; rank], <[i64]>::to_vec))
    };
    let (size, stride) = (list("window_dimensions", 1)?, list("window_strides", 1)?);
    let (base, dilation) = (list("base_dilations", 1)?, list("window_dilations", 1)?);
    let padding = op.padding("padding")?.unwrap_or_else(|| vec![(0, 0); rank]);
    let window = |d: usize| WindowDimension {
        size: size[d] as usize,
        stride: stride[d] as usize,
        padding: padding[d],
        base_dilation: base[d] as usize,
        window_dilation: dilation[d] as usize,
    };
    Ok((0..rank).map(window).collect())
}
