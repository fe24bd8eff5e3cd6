//! Reading an array by any strides into a dense one: the engine under all movement.
#![allow(unsafe_code, reason = "tasks write to different parts of one output")]

use bytemuck::Pod;
use cpu_runtime::Pool;

use crate::exchange::exchange_at;
use crate::layout::{advance, merge, unravel};
use crate::parallel::{Shared, ranges};

/// Side of the squares in which two dimensions are exchanged: their lines stay in the first cache.
const SQUARE: usize = 32;

/// How a dense array is read from another: sizes, and for each dimension the step in the source.
#[derive(Clone, Debug)]
pub(crate) struct Permutation {
    dims: Vec<usize>,
    steps: Vec<isize>,
    /// The element of the source that comes first.
    start: usize,
    /// The dimension along which the source is contiguous, if it is not the last.
    contiguous: Option<usize>,
    /// Elements that the source has at least.
    reach: usize,
}

impl Permutation {
    /// Element `index` of the result is element `start + Σ index[d] · steps[d]` of the source.
    pub(crate) fn new(dims: &[usize], steps: &[isize], start: usize) -> Permutation {
        let empty = dims.contains(&0);
        let ends = |negative: bool| -> usize {
            let far = dims.iter().zip(steps).filter(|(_, step)| (**step < 0) == negative);
            far.map(|(size, step)| (size.max(&1) - 1) * step.unsigned_abs()).sum()
        };
        assert!(empty || ends(true) <= start, "no element before the first is read");
        let reach = if empty { 0 } else { start + ends(false) + 1 };
        let (dims, [steps]) = merge(dims, [steps]);
        let contiguous = match steps.split_last() {
            Some((last, outer)) if *last != 1 => outer.iter().position(|step| *step == 1),
            _ => None,
        };
        Permutation { dims, steps, start, contiguous, reach }
    }

    /// Writes the whole result.
    pub(crate) fn run<T: Pod + Send + Sync>(&self, pool: &Pool, source: &[T], target: &mut [T]) {
        assert_eq!(self.dims.iter().product::<usize>(), target.len(), "the result's size");
        if target.is_empty() {
            return;
        }
        assert!(self.reach <= source.len(), "the source's size");
        let Some((&inner, outer)) = self.dims.split_last() else {
            target[0] = source[self.start];
            return;
        };
        let step = self.steps[outer.len()];
        if let Some(other) = self.contiguous {
            return self.exchange(pool, source, target, other, (inner, step));
        }
        let rows = target.len() / inner;
        let cost = (inner * size_of::<T>()) as u64 * 100 + 2_000;
        let out = Shared::new(target);
        ranges(pool, rows, cost, &|first, end| {
            let mut index = unravel(first, outer);
            for row in first..end {
                // SAFETY: every row is handed out once.
                let to = unsafe { out.part(row * inner, inner) };
                let from = self.offset(&index);
                match step {
                    1 => to.copy_from_slice(&source[from..from + inner]),
                    0 => to.fill(source[from]),
                    -1 => {
                        let from = &source[from + 1 - inner..from + 1];
                        to.iter_mut().zip(from.iter().rev()).for_each(|(to, from)| *to = *from);
                    }
                    _ if step > 0 => {
                        let from = source[from..].iter().step_by(step as usize);
                        to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
                    }
                    _ => {
                        let from = source[..from + 1].iter().rev().step_by(step.unsigned_abs());
                        to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
                    }
                }
                advance(&mut index, outer);
            }
        });
    }

    /// The source's position of the first element of a row.
    fn offset(&self, index: &[usize]) -> usize {
        let offset: isize = index.iter().zip(&self.steps).map(|(i, step)| *i as isize * step).sum();
        (self.start as isize + offset) as usize
    }

    /// The source is contiguous along the dimension `other`, the result along the last: square by square.
    fn exchange<T: Pod + Send + Sync>(
        &self,
        pool: &Pool,
        source: &[T],
        target: &mut [T],
        other: usize,
        (inner, step): (usize, isize),
    ) {
        let rank = self.dims.len();
        let height = self.dims[other];
        let pitch: usize = self.dims[other + 1..].iter().product();
        let rest: Vec<usize> =
            (0..rank - 1).map(|d| if d == other { height.div_ceil(SQUARE) } else { self.dims[d] }).collect();
        let strips: usize = rest.iter().product();
        let cost = (inner * SQUARE.min(height) * size_of::<T>()) as u64 * 150;
        let row_major = crate::layout::row_major(&self.dims);
        let out = Shared::new(target);
        ranges(pool, strips, cost, &|first, end| {
            let mut index = unravel(first, &rest);
            for _ in first..end {
                let top = index[other] * SQUARE;
                let rows = SQUARE.min(height - top);
                let mut place = index.clone();
                place[other] = top;
                let from = self.offset(&place);
                let to: usize = place.iter().zip(&row_major).map(|(i, stride)| i * stride).sum();
                // Through a buffer, because lines of a large array that lie above each other would not all fit the cache.
                let mut square = [source[0]; SQUARE * SQUARE];
                for left in (0..inner).step_by(SQUARE) {
                    let columns = SQUARE.min(inner - left);
                    for (c, line) in square.chunks_exact_mut(SQUARE).take(columns).enumerate() {
                        let from = (from as isize + (left + c) as isize * step) as usize;
                        line[..rows].copy_from_slice(&source[from..from + rows]);
                    }
                    let to = out.within(to + left, (rows - 1) * pitch + columns);
                    // SAFETY: the square has its lines, the result its rows, and strips are handed out once.
                    unsafe { exchange_at(to, pitch, square.as_ptr(), SQUARE, rows, columns) }
                }
                advance(&mut index, &rest);
            }
        });
    }
}
