//! Products. Their kernel reads operands by strides, and either of them may come first, so what only permutes dimensions
//! before a product or behind it is left out where the product can do it; and bfloat16 that somebody made `f32` for a
//! product, which changes no number, is multiplied as it was.

use super::Importer;
use super::kernels::sizes;
use crate::array_type::ArrayType;
use crate::error::Result;
use crate::fuse::lanes::storage;
use crate::graph::{MapOp, Op, Value};
use crate::kernel::Prepared;
use cpu_kernels::{DotDimensions, DotGeneral};
use stablehlo::ElementType;
use stablehlo::ir::{OpCode, OpRef};
use std::sync::Arc;

/// A product in the graph.
#[derive(Clone)]
pub(super) struct Product {
    operands: [Value; 2],
    dims: DotDimensions,
}

impl Product {
    /// Dimensions of the result that are batching, free of lhs, and free of rhs.
    fn parts(&self, rank_of: impl Fn(Value) -> usize) -> [usize; 3] {
        let batch = self.dims.lhs_batching.len();
        [
            batch,
            rank_of(self.operands[0]) - batch - self.dims.lhs_contracting.len(),
            rank_of(self.operands[1]) - batch - self.dims.rhs_contracting.len(),
        ]
    }

    /// The same sums with the operands in the other order.
    fn swapped(self) -> Product {
        let [lhs, rhs] = self.operands;
        let DotDimensions { lhs_batching, rhs_batching, lhs_contracting, rhs_contracting } = self.dims;
        let dims = DotDimensions {
            lhs_batching: rhs_batching,
            rhs_batching: lhs_batching,
            lhs_contracting: rhs_contracting,
            rhs_contracting: lhs_contracting,
        };
        Product { operands: [rhs, lhs], dims }
    }
}

impl<'m> Importer<'m> {
    /// The result of a product; `None` when it is none, or one that the kernel does not know.
    pub(super) fn dot(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Value>>> {
        if !matches!(op.code(), OpCode::DotGeneral | OpCode::Dot) {
            return Ok(None);
        }
        let [lhs, rhs] = self.operands(op)?[..] else { return Ok(None) };
        let dims = match op.code() {
            OpCode::Dot => DotDimensions {
                lhs_contracting: vec![self.graph.ty(lhs).dims.len() - 1],
                rhs_contracting: vec![0],
                ..DotDimensions::default()
            },
            _ => {
                // Other precisions than those of the operands are rounded to by the evaluator.
                if op.dot_algorithm()?.is_some() {
                    return Ok(None);
                }
                let numbers = op.dot_dimension_numbers()?;
                DotDimensions {
                    lhs_batching: sizes(&numbers.lhs_batching_dimensions),
                    rhs_batching: sizes(&numbers.rhs_batching_dimensions),
                    lhs_contracting: sizes(&numbers.lhs_contracting_dimensions),
                    rhs_contracting: sizes(&numbers.rhs_contracting_dimensions),
                }
            }
        };
        let result = self.result_type(op, 0)?;
        let mut product = Product { operands: [lhs, rhs], dims };
        self.untransposed(&mut product);
        if self.as_bfloat16(&mut product) {
            self.untransposed(&mut product);
        }
        Ok(self.product(product, result)?.map(|value| vec![value]))
    }

    /// A product that gives what a transposition makes of another one's result, if only that uses it.
    pub(super) fn transposed_product(
        &mut self,
        op: OpRef<'m>,
        x: Value,
        order: &[usize],
        ty: &Arc<ArrayType>,
    ) -> Result<Option<Value>> {
        let Some(product) = self.products.get(&x).cloned() else { return Ok(None) };
        let [batch, lhs, rhs] = product.parts(|value| self.graph.ty(value).dims.len());
        let swapped = (0..batch).chain(batch + lhs..batch + lhs + rhs).chain(batch..batch + lhs);
        let mut used_once = || self.users().get(&op.operands()[0]).is_some_and(|users| users.len() == 1);
        if !order.iter().copied().eq(swapped) || !used_once() {
            return Ok(None);
        }
        self.product(product.swapped(), ty.clone())
    }

    fn product(&mut self, product: Product, result: Arc<ArrayType>) -> Result<Option<Value>> {
        let Some(element) = result.element else { return Ok(None) };
        let [lhs, rhs] = product.operands.map(|operand| self.shape(operand));
        let (lhs, rhs) = (lhs?, rhs?);
        let contracted: usize = product.dims.lhs_contracting.iter().map(|&d| lhs.dims[d]).product();
        let kernel = DotGeneral::prepare(&lhs, &rhs, &product.dims, storage(element))?;
        let nanoseconds = kernel.picoseconds() / 1000;
        let flops = 2.0 * result.len() as f64 * contracted as f64;
        let kernel = Prepared { name: "dot_general", kernel, nanoseconds, flops };
        let value = self.kernel(Arc::new(kernel), product.operands.to_vec(), &[result], false)[0];
        self.products.insert(value, product);
        Ok(Some(value))
    }

    /// Takes the operands of transpositions in their place, if the free dimensions stay in order.
    fn untransposed(&self, product: &mut Product) {
        let DotDimensions { lhs_batching, rhs_batching, lhs_contracting, rhs_contracting } = &mut product.dims;
        let sides = [[lhs_batching, lhs_contracting], [rhs_batching, rhs_contracting]];
        for (operand, paired) in product.operands.iter_mut().zip(sides) {
            let Op::Transpose(order) = self.graph.op(*operand) else { continue };
            let free = order.iter().enumerate().filter(|(dim, _)| paired.iter().all(|paired| !paired.contains(dim)));
            if free.map(|(_, &source)| source).is_sorted() {
                paired.into_iter().flatten().for_each(|dim| *dim = order[*dim]);
                *operand = self.graph.inputs(*operand)[0];
            }
        }
    }

    /// Takes the bfloat16 that both operands were made of, if they were.
    fn as_bfloat16(&self, product: &mut Product) -> bool {
        let narrow = |value: Value| {
            let graph = &self.graph;
            let source = *graph.inputs(value).first()?;
            let widened = matches!(graph.op(value), Op::Map(MapOp::Convert))
                && graph.ty(value).element == Some(ElementType::F32)
                && graph.ty(source).element == Some(ElementType::BF16);
            widened.then_some(source)
        };
        let [Some(lhs), Some(rhs)] = product.operands.map(narrow) else { return false };
        product.operands = [lhs, rhs];
        true
    }
}
