//! Windows combined by a program: all windows of a tile take their next element at the same time.
#![allow(unsafe_code, reason = "tasks write to different tiles of one output")]

use cpu_runtime::Pool;
use cpu_vir::Storage;

use super::WindowDimension;
use crate::body::{Body, TILE, by_size, tile_bytes, tiles};
use crate::layout::{advance, row_major, unravel};
use crate::parallel::{Shared, ranges};
use crate::scratch;
use crate::view::{numbers, numbers_mut};

/// The windows over an array.
pub(super) struct Windows {
    windows: Vec<WindowDimension>,
    dims: Vec<usize>,
    strides: Vec<usize>,
    output_dims: Vec<usize>,
    storages: Vec<Storage>,
    /// The axis along which windows are running ones: outer, size and inner of the array, and the direction.
    running: Option<(usize, usize, usize, bool)>,
}

impl Windows {
    pub(super) fn new(
        windows: &[WindowDimension],
        dims: &[usize],
        output_dims: &[usize],
        storages: &[Storage],
    ) -> Windows {
        let moving: Vec<usize> = (0..dims.len()).filter(|&d| windows[d] != WindowDimension::TRIVIAL).collect();
        let running = match moving.as_slice() {
            [d] => {
                let outer: usize = dims[..*d].iter().product();
                let (size, inner) = (dims[*d], dims[d + 1..].iter().product());
                let axis = super::axis::Axis { window: windows[*d], outer, size, windows: size, inner };
                axis.running().map(|forward| (outer, size, inner, forward))
            }
            _ => None,
        };
        Windows {
            windows: windows.to_vec(),
            dims: dims.to_vec(),
            strides: row_major(dims),
            output_dims: output_dims.to_vec(),
            storages: storages.to_vec(),
            running,
        }
    }

    /// The input element that element `within` of the window at `output` sees.
    pub(super) fn seen(&self, output: &[usize], within: &[usize]) -> Option<usize> {
        let mut at = 0;
        for (d, window) in self.windows.iter().enumerate() {
            at += window.input_index(output[d], within[d], self.dims[d])? * self.strides[d];
        }
        Some(at)
    }

    /// How many windows differ in the last dimensions only, which no window moves over, and how many dimensions there
    /// are before those.
    pub(super) fn lanes(&self) -> (usize, usize) {
        let unmoved = self.windows.iter().rev().take_while(|window| **window == WindowDimension::TRIVIAL).count();
        let moving = self.windows.len() - unmoved;
        (self.dims[moving..].iter().product(), moving)
    }

    /// For the first dimensions, each window and each of its elements: where the input element is that it sees.
    pub(super) fn taps(&self, dimensions: usize) -> Vec<Vec<Vec<Option<usize>>>> {
        let axis = |d: usize| {
            let (window, size, stride) = (&self.windows[d], self.dims[d], self.strides[d]);
            let place = |o: usize| (0..window.size).map(|k| Some(window.input_index(o, k, size)? * stride)).collect();
            (0..self.output_dims[d]).map(place).collect()
        };
        (0..dimensions).map(axis).collect()
    }

    pub(super) fn sizes(&self) -> Vec<usize> {
        self.windows.iter().map(|window| window.size).collect()
    }

    pub(super) fn output_dims(&self) -> &[usize] {
        &self.output_dims
    }

    /// Inputs are the arrays, the initial values and the captured scalars.
    pub(super) fn reduce(&self, pool: &Pool, body: &Body, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) {
        let count = self.storages.len();
        let (arrays, rest) = inputs.split_at(count);
        let (inits, captures) = rest.split_at(count);
        let size: usize = self.output_dims.iter().product();
        let window_sizes = self.sizes();
        if size == 0 {
            return;
        }
        if let Some((outer, length, inner, forward)) = self.running {
            return self.reduce_running(body, (outer, length, inner, forward), arrays, inits, captures, outputs);
        }
        let per_side = tile_bytes(&self.storages);
        let outs: Vec<Shared<'_, u8>> = outputs.iter_mut().map(|out| Shared::new(out)).collect();
        let tasks = size.div_ceil(TILE);
        let cost = window_sizes.iter().product::<usize>() as u64 * TILE as u64 * 3_000;
        ranges(pool, tasks, cost, &|start, end| {
            scratch::with(3 * per_side, |memory: &mut [u8]| {
                for tile in start..end {
                    let first = tile * TILE;
                    let lanes = TILE.min(size - first);
                    let mut results: Vec<&mut [u8]> = outs
                        .iter()
                        .zip(&self.storages)
                        // SAFETY: every tile is handed out once.
                        .map(|(out, storage)| unsafe { out.part(first * storage.size(), lanes * storage.size()) })
                        .collect();
                    for (result, (init, storage)) in results.iter_mut().zip(inits.iter().zip(&self.storages)) {
                        result.chunks_exact_mut(storage.size()).for_each(|to| to.copy_from_slice(init));
                    }
                    let mut places: Vec<Vec<usize>> = Vec::with_capacity(lanes);
                    let mut place = unravel(first, &self.output_dims);
                    for _ in 0..lanes {
                        places.push(place.clone());
                        advance(&mut place, &self.output_dims);
                    }
                    let mut within = vec![0; window_sizes.len()];
                    let mut more = !window_sizes.contains(&0);
                    while more {
                        let pairs: Vec<(usize, usize)> = places
                            .iter()
                            .enumerate()
                            .filter_map(|(lane, place)| Some((lane, self.seen(place, &within)?)))
                            .collect();
                        combine(body, &self.storages, memory, &pairs, arrays, captures, &mut results);
                        more = advance(&mut within, &window_sizes);
                    }
                }
            });
        });
    }

    /// Combines neighbours at growing distances: logarithmically many steps over all elements.
    fn reduce_running(
        &self,
        body: &Body,
        (outer, length, inner, forward): (usize, usize, usize, bool),
        arrays: &[&[u8]],
        inits: &[&[u8]],
        captures: &[&[u8]],
        outputs: &mut [&mut [u8]],
    ) {
        let per_side = tile_bytes(&self.storages);
        outputs.iter_mut().zip(arrays).for_each(|(to, from)| to.copy_from_slice(from));
        let line = length * inner;
        scratch::with(3 * per_side, |memory: &mut [u8]| {
            let (first, rest) = memory.split_at_mut(per_side);
            let (second, results) = rest.split_at_mut(per_side);
            let mut apply = |outputs: &mut [&mut [u8]], pairs: &[(Option<usize>, usize, usize)]| {
                // Of each pair: the earlier element or the initial value, the later one, and which is replaced.
                let (mut first, mut second) = (tiles(first, &self.storages), tiles(second, &self.storages));
                for (n, storage) in self.storages.iter().enumerate() {
                    by_size!(storage.size(), W => {
                        let source = numbers::<W>(outputs[n]);
                        let init: W = bytemuck::pod_read_unaligned(inits[n]);
                        let (first, second) = (numbers_mut::<W>(&mut *first[n]), numbers_mut::<W>(&mut *second[n]));
                        for (k, &(earlier, later, _)) in pairs.iter().enumerate() {
                            first[k] = earlier.map_or(init, |at| source[at]);
                            second[k] = source[later];
                        }
                    });
                }
                let arguments: Vec<&[u8]> =
                    first.iter().chain(&second).map(|tile| &**tile).chain(captures.iter().copied()).collect();
                let mut results = tiles(results, &self.storages);
                body.apply(pairs.len(), &arguments, &mut results);
                for (n, storage) in self.storages.iter().enumerate() {
                    by_size!(storage.size(), W => {
                        let (target, result) = (numbers_mut::<W>(&mut *outputs[n]), numbers::<W>(results[n]));
                        pairs.iter().zip(result).for_each(|(&(_, _, at), &value)| target[at] = value);
                    });
                }
            };
            let mut pairs = Vec::with_capacity(TILE);
            let mut distance = 1;
            while distance < length {
                for o in 0..outer {
                    // Elements are replaced only after all that use their old values: from the far end.
                    let reach = (length - distance) * inner;
                    for step in 0..reach {
                        let at = if forward { reach - 1 - step } else { step };
                        let (earlier, later) = (o * line + at, o * line + at + distance * inner);
                        pairs.push((Some(earlier), later, if forward { later } else { earlier }));
                        // A tile must not replace what it reads later in itself; all its reads come first.
                        if pairs.len() == TILE {
                            apply(outputs, &pairs);
                            pairs.clear();
                        }
                    }
                    apply(outputs, &pairs);
                    pairs.clear();
                }
                distance *= 2;
            }
            for start in (0..outer * line).step_by(TILE) {
                pairs.extend((start..(start + TILE).min(outer * line)).map(|at| (None, at, at)));
                apply(outputs, &pairs);
                pairs.clear();
            }
        });
    }
}

/// `results[lane] = body(results[lane], arrays[position])` for pairs (lane, position).
pub(super) fn combine(
    body: &Body,
    storages: &[Storage],
    memory: &mut [u8],
    pairs: &[(usize, usize)],
    arrays: &[&[u8]],
    captures: &[&[u8]],
    results: &mut [&mut [u8]],
) {
    if pairs.is_empty() {
        return;
    }
    let per_side = tile_bytes(storages);
    let (old, rest) = memory.split_at_mut(per_side);
    let (next, new) = rest.split_at_mut(per_side);
    let (mut old, mut next) = (tiles(old, storages), tiles(next, storages));
    for (n, storage) in storages.iter().enumerate() {
        by_size!(storage.size(), W => {
            let (result, array) = (numbers::<W>(results[n]), numbers::<W>(arrays[n]));
            let (old, next) = (numbers_mut::<W>(&mut *old[n]), numbers_mut::<W>(&mut *next[n]));
            for (k, &(lane, at)) in pairs.iter().enumerate() {
                (old[k], next[k]) = (result[lane], array[at]);
            }
        });
    }
    let arguments: Vec<&[u8]> = old.iter().chain(&next).map(|tile| &**tile).chain(captures.iter().copied()).collect();
    let mut new = tiles(new, storages);
    body.apply(pairs.len(), &arguments, &mut new);
    for (n, storage) in storages.iter().enumerate() {
        by_size!(storage.size(), W => {
            let (result, new) = (numbers_mut::<W>(&mut *results[n]), numbers::<W>(new[n]));
            pairs.iter().zip(new).for_each(|(&(lane, _), &value)| result[lane] = value);
        });
    }
}
