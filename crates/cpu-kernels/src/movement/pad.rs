//! `pad`: edges and gaps filled with one value; negative edges remove elements.

use cpu_runtime::Pool;

use crate::body::by_size;
use crate::layout::{advance, row_major};
use crate::view::{numbers, numbers_mut, with_operands};
use crate::{KernelError, OpKernel, Shape, parallel};

const OP: &str = "pad";

/// Padding of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PadDimension {
    /// Elements before the first; negative removes.
    pub low: i64,
    /// Elements after the last; negative removes.
    pub high: i64,
    /// Elements between neighbours.
    pub interior: usize,
}

/// Inputs: an array and a scalar. Output: the array with the scalar around and between its elements.
pub struct Pad {
    operand: Shape,
    scalar: Shape,
    result: Shape,
    /// For each dimension: the first element that is kept, how many are, where the first goes, and the step.
    kept: Vec<(usize, usize, usize, usize)>,
}

impl Pad {
    /// # Errors
    /// When there is not one padding for each dimension, or sizes become negative or too large.
    pub fn prepare(operand: &Shape, padding: &[PadDimension]) -> Result<Pad, KernelError> {
        operand.check(OP)?;
        let invalid = || KernelError::invalid(OP, format!("{padding:?} do not pad {operand}"));
        if padding.len() != operand.rank() {
            return Err(invalid());
        }
        let mut dims = Vec::new();
        let mut kept = Vec::new();
        for (p, &size) in padding.iter().zip(&operand.dims) {
            let step = i64::try_from(p.interior).ok().and_then(|i| i.checked_add(1)).ok_or_else(invalid)?;
            let size = size as i64;
            let spread = if size == 0 { Some(0) } else { (size - 1).checked_mul(step).and_then(|s| s.checked_add(1)) };
            let spread = spread.and_then(|s| s.checked_add(p.low)?.checked_add(p.high)).ok_or_else(invalid)?;
            dims.push(usize::try_from(spread).map_err(|_| invalid())?);
            // Element k goes to low + k · step; those that land inside are kept.
            let first = if p.low < 0 { (-p.low) / step + i64::from(-p.low % step != 0) } else { 0 }.min(size);
            let room = spread - p.low;
            let end = if room <= 0 { 0 } else { ((room - 1) / step + 1).min(size) }.max(first);
            let target = if first == end { 0 } else { p.low + first * step };
            kept.push((first as usize, (end - first) as usize, target as usize, step as usize));
        }
        let result = Shape::new(operand.storage, &dims);
        result.check(OP)?;
        Ok(Pad { scalar: Shape::new(operand.storage, &[]), operand: operand.clone(), result, kept })
    }

    /// The shape of the result.
    pub fn result(&self) -> &Shape {
        &self.result
    }

    fn place<T: Copy + Send + Sync>(&self, pool: &Pool, from: &[T], value: T, to: &mut [T]) {
        parallel::rows(pool, to, 1, size_of::<T>() as u64 * 60, &|_, to| to.fill(value));
        if self.kept.iter().any(|kept| kept.1 == 0) {
            return;
        }
        let (sources, targets) = (row_major(&self.operand.dims), row_major(&self.result.dims));
        let rank = self.kept.len();
        let outer: Vec<usize> = self.kept[..rank.saturating_sub(1)].iter().map(|kept| kept.1).collect();
        let (first, count, target, step) = self.kept.last().copied().unwrap_or((0, 1, 0, 1));
        let mut index = vec![0; outer.len()];
        loop {
            let (mut source, mut at) = (first, target);
            for (d, i) in index.iter().enumerate() {
                let (first, _, target, step) = self.kept[d];
                source += (first + i) * sources[d];
                at += (target + i * step) * targets[d];
            }
            let from = &from[source..source + count];
            if step == 1 {
                to[at..at + count].copy_from_slice(from);
            } else {
                to[at..].iter_mut().step_by(step).zip(from).for_each(|(to, from)| *to = *from);
            }
            if !advance(&mut index, &outer) {
                return;
            }
        }
    }
}

impl OpKernel for Pad {
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        with_operands((&[&self.operand, &self.scalar], inputs), (&[&self.result], outputs), |inputs, outputs| {
            by_size!(self.operand.storage.size(), W => {
                let value: W = bytemuck::pod_read_unaligned(inputs[1]);
                self.place(pool, numbers::<W>(inputs[0]), value, numbers_mut::<W>(&mut *outputs[0]));
            });
            Ok(())
        })
    }
}
