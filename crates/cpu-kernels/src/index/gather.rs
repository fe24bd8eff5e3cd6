//! `gather`: copies the slice at each index vector, moved so that it lies inside.
#![allow(unsafe_code, reason = "tasks write to different parts of one output")]

use std::ops::Range;
use std::sync::Arc;

use cpu_runtime::Pool;
use cpu_vir::exec::{RowFunction, RowWork, Spread};

use super::single::SingleBlock;
use super::vectors::{BatchOffsets, Bounds, IndexVectors};
use crate::body::by_size;
use crate::by_rows::ByRows;
use crate::layout::{advance, check_axes, merge, row_major};
use crate::parallel::{Shared, ranges};
use crate::shape::count;
use crate::view::{numbers, numbers_mut, with_operands};
use crate::{KernelError, OpKernel, Shape, scratch};

const OP: &str = "gather";

/// Index vectors whose places are computed at a time.
const CHUNK: usize = 512;

/// Dimension numbers of a gather, as in StableHLO.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GatherDimensions {
    /// Dimensions of the result that walk within a slice.
    pub offset_dims: Vec<usize>,
    /// Dimensions of the operand, of slice size 1, that the result lacks.
    pub collapsed_slice_dims: Vec<usize>,
    /// Dimensions of the operand that are paired with dimensions of the indices.
    pub operand_batching_dims: Vec<usize>,
    /// Their partners.
    pub start_indices_batching_dims: Vec<usize>,
    /// The dimension of the operand that each component of an index vector is for.
    pub start_index_map: Vec<usize>,
    /// The dimension of the indices that holds the components; their rank if each is one index by itself.
    pub index_vector_dim: usize,
    /// Sizes of a slice, one per dimension of the operand.
    pub slice_sizes: Vec<usize>,
}

/// Inputs: the operand and the start indices. Output: the slices.
pub struct Gather {
    operand: Shape,
    indices: Shape,
    result: Shape,
    vectors: IndexVectors,
    /// Stride and greatest start of each axis of the operand.
    axes: Vec<(usize, i64)>,
    /// Stride in the result of each batch dimension.
    targets: BatchOffsets,
    slice: Slice,
}

/// A walk over a slice: sizes, steps in the operand, steps in the result; then a run that is contiguous in both.
struct Slice {
    dims: Vec<usize>,
    from: Vec<isize>,
    to: Vec<isize>,
    run: usize,
}

impl Gather {
    /// # Errors
    /// When the dimension numbers contradict each other or the shapes.
    pub fn prepare(operand: &Shape, indices: &Shape, dims: &GatherDimensions) -> Result<Gather, KernelError> {
        operand.check(OP)?;
        let rank = operand.rank();
        check_axes(OP, "collapsed_slice_dims", &dims.collapsed_slice_dims, rank)?;
        check_axes(OP, "operand_batching_dims", &dims.operand_batching_dims, rank)?;
        check_axes(OP, "start_index_map", &dims.start_index_map, rank)?;
        let batching = (dims.operand_batching_dims.as_slice(), dims.start_indices_batching_dims.as_slice());
        let vectors = IndexVectors::new(OP, indices, dims.index_vector_dim, &dims.start_index_map, batching)?;
        let gone = |axis: &usize| dims.collapsed_slice_dims.contains(axis) || batching.0.contains(axis);
        let kept: Vec<usize> = (0..rank).filter(|axis| !gone(axis)).collect();
        let result_rank = vectors.batch_dims.len() + kept.len();
        check_axes(OP, "offset_dims", &dims.offset_dims, result_rank)?;
        let sizes = &dims.slice_sizes;
        let fits = sizes.len() == rank
            && (0..rank).all(|axis| sizes[axis] <= operand.dims[axis])
            && (0..rank).filter(gone).all(|axis| sizes[axis] <= 1)
            && dims.offset_dims.len() == kept.len();
        if !fits {
            return Err(KernelError::invalid(
                OP,
                format!("{dims:?} do not fit operand {operand} and indices {indices}"),
            ));
        }
        let batch_at: Vec<usize> = (0..result_rank).filter(|d| !dims.offset_dims.contains(d)).collect();
        let mut result_dims = vec![0; result_rank];
        batch_at.iter().zip(&vectors.batch_dims).for_each(|(&d, &size)| result_dims[d] = size);
        dims.offset_dims.iter().zip(&kept).for_each(|(&d, &axis)| result_dims[d] = sizes[axis]);
        // A collapsed dimension of slice size 0 leaves nothing to take.
        if (0..rank).filter(gone).any(|axis| sizes[axis] == 0) && count(&result_dims) != Some(0) {
            return Err(KernelError::invalid(OP, format!("{dims:?} take nothing from {operand}")));
        }
        let result = Shape::new(operand.storage, &result_dims);
        result.check(OP)?;
        let (strides, result_strides) = (row_major(&operand.dims), row_major(&result_dims));
        let slice_dims: Vec<usize> = kept.iter().map(|&axis| sizes[axis]).collect();
        let from: Vec<isize> = kept.iter().map(|&axis| strides[axis] as isize).collect();
        let to: Vec<isize> = dims.offset_dims.iter().map(|&d| result_strides[d] as isize).collect();
        let (mut slice_dims, [mut from, mut to]) = merge(&slice_dims, [&from, &to]);
        let mut run = 1;
        if from.last() == Some(&1) && to.last() == Some(&1) {
            run = slice_dims.pop().unwrap_or(1);
            from.pop();
            to.pop();
        }
        Ok(Gather {
            axes: (0..rank).map(|a| (strides[a], operand.dims[a] as i64 - sizes[a] as i64)).collect(),
            targets: BatchOffsets::new(&vectors.batch_dims, batch_at.iter().map(|&d| result_strides[d]).collect()),
            slice: Slice { dims: slice_dims, from, to, run },
            operand: operand.clone(),
            indices: indices.clone(),
            result,
            vectors,
        })
    }

    /// The shape of the result.
    pub fn result(&self) -> &Shape {
        &self.result
    }

    /// The slice, if it is the only one.
    pub fn single(&self) -> Option<SingleBlock> {
        let Slice { dims, from, to, run } = &self.slice;
        SingleBlock::new(&self.vectors, &self.axes, (dims, from, to, *run), self.operand.storage.size())
    }

    /// How many elements are side by side in the operand and in the result.
    pub fn run_length(&self) -> usize {
        self.slice.run
    }

    /// Adds `by[i]` to the i-th component of each index vector where it is negative, in the type of the indices: what
    /// makes −1 the last index.
    ///
    /// # Errors
    /// When there are not as many numbers as components, or the indices are of a type that wraps below a byte.
    pub fn wrapping(mut self, by: &[i64]) -> Result<Gather, KernelError> {
        self.vectors.wrap(OP, by)?;
        Ok(self)
    }

    fn copy<W: bytemuck::Pod + Send + Sync>(&self, pool: &Pool, operand: &[W], indices: &[u8], out: &mut [W]) {
        if out.is_empty() {
            return;
        }
        let slice = out.len() / self.vectors.len();
        let runs = slice / self.slice.run;
        let cost = 2_000 + runs as u64 * 1_500 + (slice * size_of::<W>()) as u64 * 120;
        let out = Shared::new(out);
        ranges(pool, self.vectors.len(), cost, &|start, end| {
            self.copy_range(start..end, slice, operand, indices, &out)
        });
    }

    /// Copies the slices of some index vectors, each of so many elements.
    fn copy_range<W: bytemuck::Pod>(
        &self,
        range: Range<usize>,
        slice: usize,
        operand: &[W],
        indices: &[u8],
        out: &Shared<'_, W>,
    ) {
        // One run for each vector, one after the other.
        let flat = slice == self.slice.run && self.targets.step == Some(slice);
        scratch::with(2 * CHUNK, |places: &mut [usize]| {
            let (starts, targets) = places.split_at_mut(CHUNK);
            for first in range.clone().step_by(CHUNK) {
                let chunk = first..(first + CHUNK).min(range.end);
                let starts = &mut starts[..chunk.len()];
                self.vectors.offsets(indices, chunk.clone(), &self.axes, Bounds::Clamp, starts);
                if flat {
                    // SAFETY: index vectors have slices of their own in the result, and each is visited by one task.
                    let out = unsafe { out.part(chunk.start * slice, chunk.len() * slice) };
                    copy_runs(operand, starts, slice, out);
                    continue;
                }
                self.targets.write(chunk.clone(), targets);
                self.copy_slices(operand, starts, &targets[..chunk.len()], out);
            }
        });
    }

    /// How it works index vector by index vector: where those lie one after the other, and so do their slices.
    pub fn by_rows(self: &Arc<Gather>) -> Option<ByRows> {
        let (rows, bytes) = (self.vectors.len(), self.result.bytes());
        let index = self.vectors.row_bytes()?;
        let dense = rows > 0 && bytes > 0 && self.targets.step == Some(self.result.elements() / rows);
        dense.then(|| ByRows { work: self.clone(), rows, least: 1, from: (1, index), whole: 0, to: bytes / rows })
    }

    fn copy_slices<W: Copy>(&self, operand: &[W], starts: &[usize], targets: &[usize], out: &Shared<'_, W>) {
        let Slice { dims, from, to, run } = &self.slice;
        let mut index = vec![0; dims.len()];
        loop {
            let offset = |steps: &[isize]| index.iter().zip(steps).map(|(i, step)| i * *step as usize).sum::<usize>();
            let (from, to) = (offset(from), offset(to));
            if *run == 1 {
                for (&start, &target) in starts.iter().zip(targets) {
                    // SAFETY: index vectors have slices of their own in the result, and each is visited by one task.
                    unsafe { out.part(target + to, 1)[0] = operand[start + from] };
                }
            } else {
                for (&start, &target) in starts.iter().zip(targets) {
                    let source = &operand[start + from..start + from + run];
                    // SAFETY: as above.
                    unsafe { out.part(target + to, *run).copy_from_slice(source) };
                }
            }
            if !advance(&mut index, dims) {
                return;
            }
        }
    }
}

/// Copies a run from each place to the next part of `out`.
fn copy_runs<W: Copy>(operand: &[W], starts: &[usize], run: usize, out: &mut [W]) {
    /// Runs of a known length are a few moves instead of a call.
    fn known<W: Copy, const N: usize>(operand: &[W], starts: &[usize], out: &mut [W]) {
        for (to, &start) in out.as_chunks_mut::<N>().0.iter_mut().zip(starts) {
            *to = *operand[start..].first_chunk::<N>().expect("clamped places are inside");
        }
    }
    match run {
        1 => known::<W, 1>(operand, starts, out),
        2 => known::<W, 2>(operand, starts, out),
        3 => known::<W, 3>(operand, starts, out),
        4 => known::<W, 4>(operand, starts, out),
        8 => known::<W, 8>(operand, starts, out),
        16 => known::<W, 16>(operand, starts, out),
        _ => {
            for (to, &start) in out.chunks_exact_mut(run).zip(starts) {
                to.copy_from_slice(&operand[start..][..run]);
            }
        }
    }
}

/// Of some of its rows.
impl RowWork for Gather {
    fn with_whole(&self, _: &dyn Spread, whole: &[u8], body: &mut dyn FnMut(&RowFunction<'_>)) {
        let slice = self.result.elements() / self.vectors.len();
        by_size!(self.operand.storage.size(), W => {
            let operand = numbers::<W>(whole);
            body(&|from, to| {
                let to = numbers_mut::<W>(to);
                let rows = to.len() / slice;
                self.copy_range(0..rows, slice, operand, from, &Shared::new(to));
            });
        });
    }
}

impl OpKernel for Gather {
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        with_operands((&[&self.operand, &self.indices], inputs), (&[&self.result], outputs), |inputs, outputs| {
            by_size!(self.operand.storage.size(), W => {
                self.copy::<W>(pool, numbers(inputs[0]), inputs[1], numbers_mut(&mut *outputs[0]));
            });
            Ok(())
        })
    }
}
