//! `scatter`: combines slices of updates into an array at run-time indices, in their order.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;
use cpu_runtime::Pool;
use cpu_vir::exec::RowUpdate;
use cpu_vir::{Program, ReduceKind, Storage};

use super::single::SingleBlock;
use super::vectors::{BatchOffsets, Bounds, IndexVectors, OUTSIDE};
use crate::body::{Body, TILE, by_size, tile_bytes, tiles};
use crate::by_rows::UpdatesByRows;
use crate::element::{Visitor, is_defined, visit};
use crate::lanes::vectorized;
use crate::layout::{advance, check_axes, merge, row_major};
use crate::view::{numbers, numbers_mut, with_operands};
use crate::{KernelError, OpKernel, Shape, scratch};

const OP: &str = "scatter";

/// Index vectors whose places are computed at a time.
const CHUNK: usize = 512;

/// Dimension numbers of a scatter, as in StableHLO.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScatterDimensions {
    /// Dimensions of the updates that walk within a window.
    pub update_window_dims: Vec<usize>,
    /// Dimensions of the inputs, of window size 1, that the updates lack.
    pub inserted_window_dims: Vec<usize>,
    /// Dimensions of the inputs that are paired with dimensions of the indices.
    pub input_batching_dims: Vec<usize>,
    /// Their partners.
    pub scatter_indices_batching_dims: Vec<usize>,
    /// The dimension of the inputs that each component of an index vector is for.
    pub scatter_dims_to_operand_dims: Vec<usize>,
    /// The dimension of the indices that holds the components; their rank if each is one index by itself.
    pub index_vector_dim: usize,
}

/// What happens to a window that does not lie inside the inputs as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutOfBounds {
    /// It is dropped, as XLA does and JAX documents.
    DropWindow,
    /// Those of its elements that are outside are dropped, as the StableHLO specification has it.
    DropElement,
}

/// How an update combines with what is there.
#[derive(Clone, Debug)]
pub enum ScatterBody {
    /// It takes the place.
    Assign,
    /// By an operation, whose order of operands does not matter.
    Reduce(ReduceKind),
    /// By a loop program of one dimension: it reads the old values, then the updates, then captured scalars (stride
    /// 0), and writes the new values.
    Program(Program),
}

enum Combine {
    Assign,
    Reduce(ReduceKind),
    Body(Box<Body>),
}

/// Inputs: the inputs, the indices, the updates, and scalars that the body captures. Outputs: one for each input.
pub struct Scatter {
    shapes: Vec<Shape>,
    indices: Shape,
    updates: Vec<Shape>,
    vectors: IndexVectors,
    bounds: OutOfBounds,
    combine: Combine,
    /// Of the inputs.
    dims: Vec<usize>,
    strides: Vec<usize>,
    /// Stride and greatest start of each axis of the inputs.
    axes: Vec<(usize, i64)>,
    /// Size of a window along each axis of the inputs, and its stride in the updates.
    window: Vec<usize>,
    window_strides: Vec<usize>,
    /// Stride in the updates of each batch dimension.
    sources: BatchOffsets,
    /// A walk over a whole window: sizes, strides in the input and in the updates, then a run contiguous in both.
    walk: Vec<usize>,
    walk_input: Vec<isize>,
    walk_update: Vec<isize>,
    run: usize,
}

impl Scatter {
    /// `inputs` have one shape, `updates` another, with the same element types.
    ///
    /// # Errors
    /// When the dimension numbers contradict each other or the shapes, and when the body does not fit.
    pub fn prepare(
        inputs: &[Shape],
        indices: &Shape,
        updates: &[Shape],
        dims: &ScatterDimensions,
        body: &ScatterBody,
        bounds: OutOfBounds,
    ) -> Result<Scatter, KernelError> {
        let (Some(input), Some(update)) = (inputs.first(), updates.first()) else {
            return Err(KernelError::invalid(OP, "at least one input is needed"));
        };
        inputs.iter().chain(updates).try_for_each(|shape| shape.check(OP))?;
        let (rank, update_rank) = (input.rank(), update.rank());
        check_axes(OP, "update_window_dims", &dims.update_window_dims, update_rank)?;
        check_axes(OP, "inserted_window_dims", &dims.inserted_window_dims, rank)?;
        check_axes(OP, "input_batching_dims", &dims.input_batching_dims, rank)?;
        check_axes(OP, "scatter_dims_to_operand_dims", &dims.scatter_dims_to_operand_dims, rank)?;
        let batching = (dims.input_batching_dims.as_slice(), dims.scatter_indices_batching_dims.as_slice());
        let vectors =
            IndexVectors::new(OP, indices, dims.index_vector_dim, &dims.scatter_dims_to_operand_dims, batching)?;
        let gone = |axis: &usize| dims.inserted_window_dims.contains(axis) || batching.0.contains(axis);
        let window_axes: Vec<usize> = (0..rank).filter(|axis| !gone(axis)).collect();
        let scatter_dims: Vec<usize> = (0..update_rank).filter(|d| !dims.update_window_dims.contains(d)).collect();
        let fits = inputs.len() == updates.len()
            && inputs
                .iter()
                .zip(updates)
                .all(|(a, b)| a.dims == input.dims && b.dims == update.dims && a.storage == b.storage)
            && window_axes.len() == dims.update_window_dims.len()
            && scatter_dims.iter().map(|&d| update.dims[d]).eq(vectors.batch_dims.iter().copied());
        if !fits {
            let problem = format!("{dims:?} do not fit inputs {input}, indices {indices} and updates {update}");
            return Err(KernelError::invalid(OP, problem));
        }
        let storages: Vec<Storage> = inputs.iter().map(|shape| shape.storage).collect();
        let combine = match body {
            ScatterBody::Assign if inputs.len() == 1 => Combine::Assign,
            ScatterBody::Reduce(kind) if inputs.len() == 1 => {
                is_defined(OP, *kind, input)?;
                Combine::Reduce(*kind)
            }
            ScatterBody::Program(program) => {
                let arguments = [storages.as_slice(), &storages].concat();
                Combine::Body(Box::new(Body::prepare(OP, program, &arguments, &storages)?))
            }
            _ => return Err(KernelError::invalid(OP, "several inputs need a program as their body")),
        };
        let (strides, update_strides) = (row_major(&input.dims), row_major(&update.dims));
        let (mut window, mut window_strides) = (vec![1; rank], vec![0; rank]);
        for (&axis, &d) in window_axes.iter().zip(&dims.update_window_dims) {
            (window[axis], window_strides[axis]) = (update.dims[d], update_strides[d]);
        }
        let signed = |strides: &[usize]| strides.iter().map(|&s| s as isize).collect::<Vec<_>>();
        let (mut walk, [mut walk_input, mut walk_update]) =
            merge(&window, [&signed(&strides), &signed(&window_strides)]);
        let mut run = 1;
        if walk_input.last() == Some(&1) && walk_update.last() == Some(&1) {
            run = walk.pop().unwrap_or(1);
            walk_input.pop();
            walk_update.pop();
        }
        Ok(Scatter {
            shapes: inputs.to_vec(),
            indices: indices.clone(),
            updates: updates.to_vec(),
            sources: BatchOffsets::new(&vectors.batch_dims, scatter_dims.iter().map(|&d| update_strides[d]).collect()),
            axes: (0..rank).map(|a| (strides[a], input.dims[a] as i64 - window[a] as i64)).collect(),
            dims: input.dims.clone(),
            vectors,
            bounds,
            combine,
            strides,
            window,
            window_strides,
            walk,
            walk_input,
            walk_update,
            run,
        })
    }

    /// Adds `by[i]` to the i-th component of each index vector where it is negative, in the type of the indices: what
    /// makes −1 the last index.
    ///
    /// # Errors
    /// When there are not as many numbers as components, or the indices are of a type that wraps below a byte.
    pub fn wrapping(mut self, by: &[i64]) -> Result<Scatter, KernelError> {
        self.vectors.wrap(OP, by)?;
        Ok(self)
    }

    /// The window, if it is the only one and takes the place of what is there; it is dropped where it is not inside.
    pub fn single(&self) -> Option<SingleBlock> {
        let assigns = matches!(self.combine, Combine::Assign) && self.bounds == OutOfBounds::DropWindow;
        let walk = (&self.walk[..], &self.walk_input[..], &self.walk_update[..], self.run);
        let width = self.shapes[0].storage.size();
        assigns.then(|| SingleBlock::new(&self.vectors, &self.axes, walk, width)).flatten()
    }

    /// Shapes of the results: those of the inputs.
    pub fn results(&self) -> &[Shape] {
        &self.shapes
    }

    /// Combines the updates into `targets`, which hold the inputs: [`OpKernel::run`] without its copy.
    ///
    /// Operands are the indices, the updates, and the scalars that the body captures.
    ///
    /// # Errors
    /// As for [`OpKernel::run`].
    pub fn run_in_place(&self, operands: &[&[u8]], targets: &mut [&mut [u8]]) -> Result<(), KernelError> {
        let shapes: Vec<&Shape> = std::iter::once(&self.indices).chain(&self.updates).chain(self.captures()).collect();
        let results: Vec<&Shape> = self.shapes.iter().collect();
        with_operands((&shapes, operands), (&results, targets), |operands, targets| {
            let (indices, operands) = (operands[0], &operands[1..]);
            if self.updates[0].elements() == 0 || self.shapes[0].elements() == 0 {
                return Ok(());
            }
            match &self.combine {
                Combine::Body(body) => self.by_body(body, indices, operands, targets),
                _ => self.combine(self.vectors.len(), indices, operands[0], &mut *targets[0]),
            }
            Ok(())
        })
    }

    /// Combines the updates of the first index vectors of what is given, by an operation.
    fn combine(&self, count: usize, indices: &[u8], from: &[u8], to: &mut [u8]) {
        match &self.combine {
            Combine::Assign => by_size!(self.shapes[0].storage.size(), W => {
                self.in_order(count, indices, numbers_mut::<W>(to), numbers::<W>(from), |_, new| new);
            }),
            Combine::Reduce(kind) => {
                let task = InOrder { scatter: self, count, indices, to, from };
                visit(*kind, self.shapes[0].storage, task).expect("checked when the kernel was prepared");
            }
            Combine::Body(_) => unreachable!("a body has other operands"),
        }
    }

    /// How it works index vector by index vector: where those lie one after the other, so do their updates, and these
    /// combine by an operation.
    pub fn updates_by_rows(self: &Arc<Scatter>) -> Option<UpdatesByRows> {
        let (rows, updates) = (self.vectors.len(), &self.updates[0]);
        let index = self.vectors.row_bytes()?;
        let simple =
            !matches!(self.combine, Combine::Body(_)) && updates.elements() > 0 && self.shapes[0].elements() > 0;
        let dense = simple && self.sources.step == Some(updates.elements() / rows);
        let from = vec![(1, index), (2, updates.bytes() / rows.max(1))];
        dense.then(|| UpdatesByRows { work: self.clone(), rows, from })
    }

    fn captures(&self) -> &[Shape] {
        match &self.combine {
            Combine::Body(body) => body.captures(),
            _ => &[],
        }
    }

    /// Whether each window is one run, and so is all that lies inside of it.
    fn is_flat(&self) -> bool {
        self.walk.is_empty()
            && self.sources.step == Some(self.run)
            && (self.bounds == OutOfBounds::DropWindow || self.run == 1)
    }

    /// Combines one update after the other.
    fn in_order<T: Copy>(
        &self,
        count: usize,
        indices: &[u8],
        to: &mut [T],
        from: &[T],
        combine: impl Fn(T, T) -> T + Copy,
    ) {
        if !self.is_flat() {
            return self.windows(count, indices, |input, update, run| {
                let pairs = to[input..input + run].iter_mut().zip(&from[update..update + run]);
                pairs.for_each(|(old, new)| *old = combine(*old, *new));
            });
        }
        let run = self.run;
        self.chunks(count, indices, |vectors, places| {
            let from = &from[vectors.start * run..];
            // What is outside is so for the slice too.
            vectorized(|| match run {
                1 => places.iter().zip(from).for_each(|(&place, new)| {
                    if let Some(old) = to.get_mut(place) {
                        *old = combine(*old, *new);
                    }
                }),
                _ => places.iter().zip(from.chunks_exact(run)).for_each(|(&place, new)| {
                    if let Some(old) = to.get_mut(place..).and_then(|to| to.get_mut(..run)) {
                        old.iter_mut().zip(new).for_each(|(old, new)| *old = combine(*old, *new));
                    }
                }),
            });
        });
    }

    /// Calls `each(vectors, places)` with where the windows of some of `count` index vectors begin, or [`OUTSIDE`].
    fn chunks(&self, count: usize, indices: &[u8], mut each: impl FnMut(Range<usize>, &[usize])) {
        scratch::with(CHUNK, |places: &mut [usize]| {
            for first in (0..count).step_by(CHUNK) {
                let chunk = first..(first + CHUNK).min(count);
                let places = &mut places[..chunk.len()];
                self.vectors.offsets(indices, chunk.clone(), &self.axes, Bounds::Drop, places);
                each(chunk, places);
            }
        });
    }

    /// Calls `run(input, update, length)` for every run of elements that combine, in order of the updates.
    fn windows(&self, count: usize, indices: &[u8], mut run: impl FnMut(usize, usize, usize)) {
        let mut index = vec![0; self.walk.len()];
        scratch::with(CHUNK, |sources: &mut [usize]| {
            self.chunks(count, indices, |chunk, targets| {
                self.sources.write(chunk.clone(), &mut sources[..chunk.len()]);
                for (vector, (&target, &source)) in chunk.zip(targets.iter().zip(sources.iter())) {
                    if target == OUTSIDE {
                        if self.bounds == OutOfBounds::DropElement {
                            self.clipped(source, &self.vectors.start(indices, vector, self.dims.len()), &mut run);
                        }
                    } else if self.walk.is_empty() {
                        run(target, source, self.run);
                    } else {
                        index.fill(0);
                        loop {
                            let offset =
                                |steps: &[isize]| index.iter().zip(steps).map(|(i, s)| i * *s as usize).sum::<usize>();
                            run(target + offset(&self.walk_input), source + offset(&self.walk_update), self.run);
                            if !advance(&mut index, &self.walk) {
                                break;
                            }
                        }
                    }
                }
            });
        });
    }

    /// The elements of a window that lie inside, one by one.
    fn clipped(&self, source: usize, start: &[i64], run: &mut dyn FnMut(usize, usize, usize)) {
        let rank = self.dims.len();
        // From which to before which element of the window, along each axis.
        let (mut first, mut sizes) = (vec![0usize; rank], vec![0usize; rank]);
        for axis in 0..rank {
            let low = start[axis].saturating_neg().clamp(0, self.window[axis] as i64);
            let high = (self.dims[axis] as i64).saturating_sub(start[axis]).clamp(0, self.window[axis] as i64);
            if low >= high {
                return;
            }
            (first[axis], sizes[axis]) = (low as usize, (high - low) as usize);
        }
        let mut index = vec![0; rank];
        loop {
            let (mut input, mut update) = (0, source);
            for axis in 0..rank {
                let within = first[axis] + index[axis];
                // Not negative, because `within` is at least −start.
                input += (start[axis] + within as i64) as usize * self.strides[axis];
                update += within * self.window_strides[axis];
            }
            run(input, update, 1);
            if !advance(&mut index, &sizes) {
                return;
            }
        }
    }

    /// Applies a body to as many updates at a time as go to different places.
    fn by_body(&self, body: &Body, indices: &[u8], operands: &[&[u8]], targets: &mut [&mut [u8]]) {
        let storages: Vec<Storage> = self.shapes.iter().map(|shape| shape.storage).collect();
        let (updates, captures) = operands.split_at(self.updates.len());
        let per_side = tile_bytes(&storages);
        scratch::with(3 * per_side, |memory: &mut [u8]| {
            let (old, rest) = memory.split_at_mut(per_side);
            let (new, results) = rest.split_at_mut(per_side);
            let mut pending = Pending::default();
            let mut flush = |pending: &mut Pending| {
                let count = pending.pairs.len();
                let (mut old, mut new) = (tiles(old, &storages), tiles(new, &storages));
                for (i, storage) in storages.iter().enumerate() {
                    by_size!(storage.size(), W => {
                        let (target, update) = (numbers::<W>(targets[i]), numbers::<W>(updates[i]));
                        let (old, new) = (numbers_mut::<W>(&mut *old[i]), numbers_mut::<W>(&mut *new[i]));
                        for (k, &(at, from)) in pending.pairs.iter().enumerate() {
                            (old[k], new[k]) = (target[at], update[from]);
                        }
                    });
                }
                let arguments: Vec<&[u8]> =
                    old.iter().chain(&new).map(|tile| &**tile).chain(captures.iter().copied()).collect();
                let mut results = tiles(results, &storages);
                body.apply(count, &arguments, &mut results);
                for (i, storage) in storages.iter().enumerate() {
                    by_size!(storage.size(), W => {
                        let (target, result) = (numbers_mut::<W>(&mut *targets[i]), numbers::<W>(results[i]));
                        pending.pairs.iter().zip(result).for_each(|(&(at, _), &value)| target[at] = value);
                    });
                }
                pending.clear();
            };
            self.windows(self.vectors.len(), indices, |input, update, run| {
                for i in 0..run {
                    if pending.pairs.len() == TILE || pending.has(input + i) {
                        flush(&mut pending);
                    }
                    pending.add(input + i, update + i);
                }
            });
            flush(&mut pending);
        });
    }
}

/// Updates that wait to be combined, all for different places.
struct Pending {
    /// Place in the input, place in the updates.
    pairs: Vec<(usize, usize)>,
    /// An open-addressed table of places, plus one; 0 where there is none.
    table: Vec<usize>,
}

impl Default for Pending {
    fn default() -> Pending {
        Pending { pairs: Vec::with_capacity(TILE), table: vec![0; 4 * TILE] }
    }
}

impl Pending {
    fn slot(&self, place: usize) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = place.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20 & mask;
        while self.table[slot] != 0 && self.table[slot] != place + 1 {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn has(&self, place: usize) -> bool {
        self.table[self.slot(place)] != 0
    }

    fn add(&mut self, place: usize, update: usize) {
        let slot = self.slot(place);
        self.table[slot] = place + 1;
        self.pairs.push((place, update));
    }

    fn clear(&mut self) {
        self.pairs.clear();
        self.table.fill(0);
    }
}

/// By some of its rows.
impl RowUpdate for Scatter {
    fn update(&self, rows: usize, from: &[&[u8]], target: &mut [u8]) {
        self.combine(rows, from[0], from[1], target);
    }
}

struct InOrder<'a> {
    scatter: &'a Scatter,
    count: usize,
    indices: &'a [u8],
    to: &'a mut [u8],
    from: &'a [u8],
}

impl Visitor for InOrder<'_> {
    type Output = ();

    fn visit<T: Pod + Send + Sync>(self, combine: impl Fn(T, T) -> T + Copy + Send + Sync) {
        self.scatter.in_order(self.count, self.indices, numbers_mut::<T>(self.to), numbers::<T>(self.from), combine);
    }
}

impl OpKernel for Scatter {
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        let wanted = 2 * self.shapes.len() + 1 + self.captures().len();
        if inputs.len() != wanted {
            return Err(KernelError::Count { role: "input", wanted, given: inputs.len() });
        }
        let (initial, operands) = inputs.split_at(self.shapes.len());
        let shapes: Vec<&Shape> = self.shapes.iter().collect();
        with_operands((&shapes, initial), (&shapes, outputs), |initial, outputs| {
            for (from, to) in initial.iter().zip(outputs.iter_mut()) {
                crate::parallel::copy(pool, from, to);
            }
            self.run_in_place(operands, outputs)
        })
    }
}
