//! `transpose` and `reverse`.

use cpu_runtime::Pool;

use super::Permutation;
use crate::body::by_size;
use crate::layout::{check_axes, row_major};
use crate::view::{numbers, numbers_mut, with_operands};
use crate::{KernelError, OpKernel, Shape};

/// Input: an array. Output: the same elements with the dimensions in another order.
pub struct Transpose {
    operand: Shape,
    result: Shape,
    permutation: Permutation,
}

impl Transpose {
    /// Dimension `d` of the result is dimension `permutation[d]` of the operand.
    ///
    /// # Errors
    /// When it is no permutation of the dimensions.
    pub fn prepare(operand: &Shape, permutation: &[usize]) -> Result<Transpose, KernelError> {
        const OP: &str = "transpose";
        operand.check(OP)?;
        check_axes(OP, "permutation", permutation, operand.rank())?;
        if permutation.len() != operand.rank() {
            return Err(KernelError::invalid(OP, format!("permutation {permutation:?} of {operand}")));
        }
        let strides = row_major(&operand.dims);
        let dims: Vec<usize> = permutation.iter().map(|&a| operand.dims[a]).collect();
        let steps: Vec<isize> = permutation.iter().map(|&a| strides[a] as isize).collect();
        Ok(Transpose {
            permutation: Permutation::new(&dims, &steps, 0),
            result: Shape::new(operand.storage, &dims),
            operand: operand.clone(),
        })
    }

    /// The shape of the result.
    pub fn result(&self) -> &Shape {
        &self.result
    }
}

impl OpKernel for Transpose {
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        with_operands((&[&self.operand], inputs), (&[&self.result], outputs), |inputs, outputs| {
            by_size!(self.operand.storage.size(), W => {
                self.permutation.run(pool, numbers::<W>(inputs[0]), numbers_mut::<W>(&mut *outputs[0]));
            });
            Ok(())
        })
    }
}

/// Input: an array. Output: the same with the order of elements along some dimensions turned round.
pub struct Reverse {
    operand: Shape,
    permutation: Permutation,
}

impl Reverse {
    /// # Errors
    /// When the dimensions are not distinct or out of range.
    pub fn prepare(operand: &Shape, dimensions: &[usize]) -> Result<Reverse, KernelError> {
        const OP: &str = "reverse";
        operand.check(OP)?;
        check_axes(OP, "dimensions", dimensions, operand.rank())?;
        let strides = row_major(&operand.dims);
        let turned = |a: usize| dimensions.contains(&a);
        let step = |a: usize| if turned(a) { -(strides[a] as isize) } else { strides[a] as isize };
        let start =
            (0..operand.rank()).filter(|&a| turned(a)).map(|a| operand.dims[a].max(1).wrapping_sub(1) * strides[a]);
        let steps: Vec<isize> = (0..operand.rank()).map(step).collect();
        let start = if operand.elements() == 0 { 0 } else { start.sum() };
        Ok(Reverse { permutation: Permutation::new(&operand.dims, &steps, start), operand: operand.clone() })
    }
}

impl OpKernel for Reverse {
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        with_operands((&[&self.operand], inputs), (&[&self.operand], outputs), |inputs, outputs| {
            by_size!(self.operand.storage.size(), W => {
                self.permutation.run(pool, numbers::<W>(inputs[0]), numbers_mut::<W>(&mut *outputs[0]));
            });
            Ok(())
        })
    }
}
