//! `reduce` of several operands by a program.
//!
//! Lanes are kept points, or where there are few of them, segments of the reduced elements of each. All lanes take
//! their next element at the same time; segments are joined in their order. Elements are never exchanged, so the body
//! need only be associative; the initial value comes in once, first.
#![allow(unsafe_code, reason = "tasks write to different points of one output")]

use cpu_runtime::Pool;
use cpu_vir::{Program, Storage};

use crate::body::{Body, TILE, by_size, tile_bytes, tiles};
use crate::layout::{check_axes, merge, row_major, unravel};
use crate::parallel::{Shared, ranges};
use crate::view::{numbers, numbers_mut, with_operands};
use crate::{KernelError, OpKernel, Shape, scratch};

const OP: &str = "reduce";

/// Inputs: arrays of one shape, then a scalar initial value for each, then scalars that the body captures. Outputs: one
/// for each array, of the dimensions that are kept.
pub struct Reduce {
    inputs: Vec<Shape>,
    scalars: Vec<Shape>,
    results: Vec<Shape>,
    storages: Vec<Storage>,
    body: Body,
    /// Sizes and strides of the kept dimensions and of the reduced ones.
    kept: (Vec<usize>, Vec<usize>),
    reduced: (Vec<usize>, Vec<usize>),
    points: usize,
    depth: usize,
    /// Segments of a point's elements, and elements of a segment.
    segments: usize,
    segment: usize,
}

impl Reduce {
    /// The body is a loop program of one dimension: it reads the values so far of every input, then the next values,
    /// then captured scalars (stride 0), and writes new values.
    ///
    /// # Errors
    /// When shapes differ, dimensions are out of range, or the body does not fit the element types.
    pub fn prepare(inputs: &[Shape], dimensions: &[usize], body: &Program) -> Result<Reduce, KernelError> {
        let first = inputs.first().ok_or_else(|| KernelError::invalid(OP, "at least one input is needed"))?;
        first.check(OP)?;
        if inputs.iter().any(|shape| shape.dims != first.dims) {
            return Err(KernelError::invalid(OP, "inputs of one shape are needed"));
        }
        check_axes(OP, "dimensions", dimensions, first.rank())?;
        let storages: Vec<Storage> = inputs.iter().map(|shape| shape.storage).collect();
        let body = Body::prepare(OP, body, &[storages.as_slice(), &storages].concat(), &storages)?;
        let strides = row_major(&first.dims);
        let axes = |reduced: bool| (0..first.rank()).filter(move |a| dimensions.contains(a) == reduced);
        let walk = |reduced: bool| -> (Vec<usize>, Vec<usize>) {
            let sizes: Vec<usize> = axes(reduced).map(|a| first.dims[a]).collect();
            let steps: Vec<isize> = axes(reduced).map(|a| strides[a] as isize).collect();
            let (sizes, [steps]) = merge(&sizes, [&steps]);
            (sizes, steps.iter().map(|&s| s as usize).collect())
        };
        let (kept, reduced) = (walk(false), walk(true));
        let kept_dims: Vec<usize> = axes(false).map(|a| first.dims[a]).collect();
        let (points, depth): (usize, usize) = (kept_dims.iter().product(), axes(true).map(|a| first.dims[a]).product());
        // Lanes enough for a tile, but segments long enough to be worth joining.
        let few = if points >= TILE / 2 { 1 } else { TILE / points.max(1) };
        // Elements that lie together are read together.
        let wanted = if reduced.1 == [1] { TILE } else { few }.min(depth / 8).max(1);
        let segment = depth.div_ceil(wanted).max(1);
        let mut scalars: Vec<Shape> = storages.iter().map(|storage| Shape::new(*storage, &[])).collect();
        scalars.extend_from_slice(body.captures());
        Ok(Reduce {
            results: storages.iter().map(|storage| Shape::new(*storage, &kept_dims)).collect(),
            inputs: inputs.to_vec(),
            scalars,
            storages,
            body,
            kept,
            reduced,
            points,
            depth,
            segments: depth.div_ceil(segment).max(1),
            segment,
        })
    }

    /// Shapes of the results.
    pub fn results(&self) -> &[Shape] {
        &self.results
    }

    /// Positions of the elements `depth` of the reduced dimensions, relative to their point.
    fn within(&self, depth: usize) -> usize {
        let (sizes, strides) = &self.reduced;
        match strides.as_slice() {
            [] => 0,
            [stride] => depth * stride,
            _ => unravel(depth, sizes).iter().zip(strides).map(|(i, s)| i * s).sum(),
        }
    }

    /// Reduces the lanes of some points to one value each: the first old values.
    fn reduce_points(
        &self,
        points: std::ops::Range<usize>,
        arrays: &[&[u8]],
        captures: &[&[u8]],
        sides: &mut Sides<'_>,
    ) {
        let count = points.len();
        let lanes: Vec<(usize, usize)> =
            points.flat_map(|point| (0..self.segments).map(move |segment| (point, segment))).collect();
        let bases: Vec<usize> = lanes
            .iter()
            .map(|&(point, _)| unravel(point, &self.kept.0).iter().zip(&self.kept.1).map(|(i, s)| i * s).sum())
            .collect();
        let mut places: Vec<usize> = Vec::with_capacity(lanes.len());
        for step in 0..self.segment {
            // The last segment of a point may be shorter; lanes of full ones come first in no order, so list them.
            places.clear();
            let mut active = Vec::new();
            let all_full = self.segments * self.segment == self.depth || step < self.depth % self.segment;
            for (lane, &(_, segment)) in lanes.iter().enumerate() {
                let depth = segment * self.segment + step;
                if depth < self.depth {
                    places.push(bases[lane] + self.within(depth));
                    if !all_full {
                        active.push(lane);
                    }
                }
            }
            if step == 0 {
                sides.load(Side::Old, arrays, &places);
            } else if all_full {
                sides.load(Side::Next, arrays, &places);
                sides.apply(&self.body, places.len(), captures);
            } else {
                sides.load(Side::Next, arrays, &places);
                sides.apply_to(&self.body, &active, captures);
            }
        }
        // Neighbouring segments, until one is left of each point.
        let mut segments = self.segments;
        while segments > 1 {
            let pairs = segments / 2;
            let joined = segments.div_ceil(2);
            sides.join(&self.body, count, segments, pairs, captures);
            segments = joined;
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Old,
    Next,
}

/// Tiles of values so far, next values and new values, for every operand.
struct Sides<'a> {
    storages: &'a [Storage],
    old: Vec<&'a mut [u8]>,
    next: Vec<&'a mut [u8]>,
    new: Vec<&'a mut [u8]>,
}

impl<'a> Sides<'a> {
    fn new(memory: &'a mut [u8], storages: &'a [Storage]) -> Sides<'a> {
        let per_side = tile_bytes(storages);
        let (old, rest) = memory.split_at_mut(per_side);
        let (next, new) = rest.split_at_mut(per_side);
        Sides { storages, old: tiles(old, storages), next: tiles(next, storages), new: tiles(new, storages) }
    }

    fn load(&mut self, side: Side, arrays: &[&[u8]], places: &[usize]) {
        let tiles = if side == Side::Old { &mut self.old } else { &mut self.next };
        for ((storage, array), tile) in self.storages.iter().zip(arrays).zip(tiles) {
            by_size!(storage.size(), W => {
                let array = numbers::<W>(array);
                numbers_mut::<W>(tile).iter_mut().zip(places).for_each(|(to, &at)| *to = array[at]);
            });
        }
    }

    /// The first lanes: old values become those of the body.
    fn apply(&mut self, body: &Body, count: usize, captures: &[&[u8]]) {
        let arguments: Vec<&[u8]> =
            self.old.iter().chain(&self.next).map(|tile| &**tile).chain(captures.iter().copied()).collect();
        body.apply(count, &arguments, &mut self.new);
        std::mem::swap(&mut self.old, &mut self.new);
    }

    /// As `apply`, but the next values belong to these lanes.
    fn apply_to(&mut self, body: &Body, lanes: &[usize], captures: &[&[u8]]) {
        // Old values move together, and back afterwards.
        let saved: Vec<Vec<u8>> = self.old.iter().map(|tile| tile.to_vec()).collect();
        for (storage, tile) in self.storages.iter().zip(&mut self.old) {
            by_size!(storage.size(), W => {
                let tile = numbers_mut::<W>(tile);
                // Lanes ascend, so none is overwritten before it is read.
                lanes.iter().enumerate().for_each(|(k, &lane)| tile[k] = tile[lane]);
            });
        }
        self.apply(body, lanes.len(), captures);
        for ((storage, tile), saved) in self.storages.iter().zip(&mut self.old).zip(saved) {
            let size = storage.size();
            let results = tile.to_vec();
            tile.copy_from_slice(&saved);
            for (k, &lane) in lanes.iter().enumerate() {
                tile[lane * size..][..size].copy_from_slice(&results[k * size..][..size]);
            }
        }
    }

    /// Joins neighbouring segments of each point: `segments` values a point become half as many, an odd last one stays.
    fn join(&mut self, body: &Body, points: usize, segments: usize, pairs: usize, captures: &[&[u8]]) {
        let saved: Vec<Vec<u8>> = self.old.iter().map(|tile| tile.to_vec()).collect();
        for (n, storage) in self.storages.iter().enumerate() {
            let size = storage.size();
            for point in 0..points {
                for pair in 0..pairs {
                    let (from, to) = ((point * segments + 2 * pair) * size, (point * pairs + pair) * size);
                    self.old[n][to..to + size].copy_from_slice(&saved[n][from..from + size]);
                    self.next[n][to..to + size].copy_from_slice(&saved[n][from + size..from + 2 * size]);
                }
            }
        }
        self.apply(body, points * pairs, captures);
        let joined = segments.div_ceil(2);
        for (n, storage) in self.storages.iter().enumerate() {
            let size = storage.size();
            let results = self.old[n].to_vec();
            for point in 0..points {
                for pair in 0..pairs {
                    let (from, to) = ((point * pairs + pair) * size, (point * joined + pair) * size);
                    self.old[n][to..to + size].copy_from_slice(&results[from..from + size]);
                }
                if joined > pairs {
                    let (from, to) = ((point * segments + 2 * pairs) * size, (point * joined + pairs) * size);
                    self.old[n][to..to + size].copy_from_slice(&saved[n][from..from + size]);
                }
            }
        }
    }
}

impl OpKernel for Reduce {
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        let shapes: Vec<&Shape> = self.inputs.iter().chain(&self.scalars).collect();
        let results: Vec<&Shape> = self.results.iter().collect();
        with_operands((&shapes, inputs), (&results, outputs), |inputs, outputs| {
            let operands = self.storages.len();
            let (arrays, rest) = inputs.split_at(operands);
            let (inits, captures) = rest.split_at(operands);
            let outs: Vec<Shared<'_, u8>> = outputs.iter_mut().map(|out| Shared::new(out)).collect();
            let per_tile = (TILE / self.segments).max(1);
            let cost = (per_tile * self.depth.max(1)) as u64 * 3_000 * operands as u64;
            ranges(pool, self.points.div_ceil(per_tile), cost, &|start, end| {
                scratch::with(3 * tile_bytes(&self.storages), |memory: &mut [u8]| {
                    for tile in start..end {
                        let first = tile * per_tile;
                        let points = first..(first + per_tile).min(self.points);
                        let count = points.len();
                        let mut sides = Sides::new(memory, &self.storages);
                        if self.depth > 0 {
                            self.reduce_points(points, arrays, captures, &mut sides);
                            std::mem::swap(&mut sides.old, &mut sides.next);
                        }
                        for ((storage, init), tile) in self.storages.iter().zip(inits).zip(&mut sides.old) {
                            tile.chunks_exact_mut(storage.size()).take(count).for_each(|to| to.copy_from_slice(init));
                        }
                        if self.depth > 0 {
                            sides.apply(&self.body, count, captures);
                        }
                        for ((storage, out), tile) in self.storages.iter().zip(&outs).zip(&sides.old) {
                            let size = storage.size();
                            // SAFETY: every tile of points is handed out once.
                            let out = unsafe { out.part(first * size, count * size) };
                            out.copy_from_slice(&tile[..count * size]);
                        }
                    }
                });
            });
            Ok(())
        })
    }
}
