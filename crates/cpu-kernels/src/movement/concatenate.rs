//! `concatenate`.
#![allow(unsafe_code, reason = "tasks write to different parts of one output")]

use cpu_runtime::Pool;

use crate::parallel::{Shared, ranges};
use crate::view::with_operands;
use crate::{KernelError, OpKernel, Shape};

const OP: &str = "concatenate";

/// Inputs: arrays that differ in one dimension at most. Output: all of them, one after the other along it.
pub struct Concatenate {
    inputs: Vec<Shape>,
    result: Shape,
    /// Rows that are contiguous in every array, and bytes of each input's row.
    outer: usize,
    runs: Vec<usize>,
}

impl Concatenate {
    /// # Errors
    /// When there is no input, shapes do not fit together, or the dimension is out of range.
    pub fn prepare(inputs: &[Shape], dimension: usize) -> Result<Concatenate, KernelError> {
        let first = inputs.first().ok_or_else(|| KernelError::invalid(OP, "at least one input is needed"))?;
        let mut dims = first.dims.clone();
        let fits = |shape: &Shape| {
            shape.storage == first.storage
                && shape.rank() == first.rank()
                && (0..first.rank()).all(|d| d == dimension || shape.dims[d] == first.dims[d])
        };
        if dimension >= first.rank() || !inputs.iter().all(fits) {
            let problem = format!("{} inputs like {first} along dimension {dimension}", inputs.len());
            return Err(KernelError::invalid(OP, problem));
        }
        let total = inputs.iter().try_fold(0usize, |sum, shape| sum.checked_add(shape.dims[dimension]));
        dims[dimension] = total.ok_or_else(|| KernelError::invalid(OP, "the result does not fit in memory"))?;
        let result = Shape::new(first.storage, &dims);
        result.check(OP)?;
        let inner: usize = dims[dimension + 1..].iter().product::<usize>() * first.storage.size();
        Ok(Concatenate {
            outer: dims[..dimension].iter().product(),
            runs: inputs.iter().map(|shape| shape.dims[dimension] * inner).collect(),
            inputs: inputs.to_vec(),
            result,
        })
    }

    /// The shape of the result.
    pub fn result(&self) -> &Shape {
        &self.result
    }
}

impl OpKernel for Concatenate {
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        let shapes: Vec<&Shape> = self.inputs.iter().collect();
        with_operands((&shapes, inputs), (&[&self.result], outputs), |inputs, outputs| {
            let row: usize = self.runs.iter().sum();
            if row == 0 {
                return Ok(());
            }
            let out = Shared::new(&mut *outputs[0]);
            // Pieces of rows, so that one long row is work for several threads too.
            const PIECE: usize = 1 << 18;
            let pieces = row.div_ceil(PIECE);
            ranges(pool, self.outer * pieces, row.min(PIECE) as u64 * 100 + 2_000, &|start, end| {
                for task in start..end {
                    let (outer, piece) = (task / pieces, task % pieces);
                    let (from, to) = (piece * PIECE, ((piece + 1) * PIECE).min(row));
                    let mut at = 0;
                    for (input, &run) in inputs.iter().zip(&self.runs) {
                        let (low, high) = (from.max(at), to.min(at + run));
                        if low < high {
                            let source = &input[outer * run + low - at..outer * run + high - at];
                            // SAFETY: every piece is handed out once, and inputs have parts of their own in it.
                            unsafe { out.part(outer * row + low, high - low) }.copy_from_slice(source);
                        }
                        at += run;
                    }
                }
            });
            Ok(())
        })
    }
}
