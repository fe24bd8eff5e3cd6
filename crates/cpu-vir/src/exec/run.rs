//! Running a kernel over a range of its points.
//!
//! **Invariant:** every address handed to a loop is within an operand, because [`verify`](crate::verify()) bounds what
//! terms reach and [`Kernel::run`] bounds what operands have, or within a slot of the scratch memory.
#![allow(unsafe_code, reason = "hands tiles of operands and of scratch memory to the loops")]

use std::cell::RefCell;
use std::ops::Range;

use super::fold::Pairs;
use super::index::Count;
use super::isa::LANES;
use super::layout::{Mode, Space};
use super::machine::{Folded, Machine, Now};
use super::prepare::{BLOCK, Column, Fold, Load, Step, Store};
use super::walk::{advance, is_one_run, position, walk};
use super::{Kernel, RunError, check_lengths, memory};

/// A line of scratch memory.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Line(#[allow(dead_code, reason = "only its bytes are used")] [u8; 64]);

impl Default for Line {
    fn default() -> Line {
        Line([0; 64])
    }
}

/// The first byte of scratch memory that has so many at least; it grows and stays.
pub(super) fn grown(lines: &mut Vec<Line>, bytes: usize) -> *mut u8 {
    let count = bytes.div_ceil(size_of::<Line>());
    if lines.len() < count {
        lines.resize(count, Line::default());
    }
    lines.as_mut_ptr().cast()
}

/// What a thread needs to run kernels; kept, so that running allocates nothing once it has grown.
#[derive(Default)]
struct Scratch {
    lines: Vec<Line>,
    /// The tile of each value.
    tiles: Vec<*mut u8>,
    /// First byte of each operand.
    operands: Vec<*mut u8>,
    place: Place,
}

/// Where among its points a kernel is.
#[derive(Default)]
pub(super) struct Place {
    /// The first point of the tile.
    pub(super) at: Vec<usize>,
    pub(super) spare: Vec<usize>,
    reduced_at: Vec<usize>,
    results_at: Vec<usize>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Kernel {
    /// Runs a range of points. Inputs and outputs are the bytes of the operands of each role, in the program's order.
    ///
    /// # Errors
    /// When there are too few operands, bytes or points.
    pub fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], range: Range<usize>) -> Result<(), RunError> {
        check_lengths("input", &self.inputs, inputs.iter().map(|input| input.len()))?;
        check_lengths("output", &self.outputs, outputs.iter().map(|output| output.len()))?;
        self.check_range(&range)?;
        self.with_scratch(range, |operands| {
            operands.extend(self.positions.iter().map(|(written, index)| match written {
                true => outputs[*index].as_mut_ptr(),
                false => inputs[*index].as_ptr().cast_mut(),
            }));
        });
        Ok(())
    }

    /// Runs a range of points of operands given by address; `operands` are in the program's order.
    ///
    /// # Safety
    /// Each operand is valid for what the points of the range touch, which is within what
    /// [`input_bytes`](Kernel::input_bytes) and [`output_bytes`](Kernel::output_bytes) say, for writes if it is an output,
    /// and no output overlaps another operand. Other threads write to them only by running other points of the same
    /// kernel, or of kernels that keep to other rows. The range is valid.
    pub(super) unsafe fn run_at(&self, operands: &[*mut u8], range: Range<usize>) {
        self.with_scratch(range, |list| list.extend_from_slice(operands));
    }

    fn with_scratch(&self, range: Range<usize>, operands: impl FnOnce(&mut Vec<*mut u8>)) {
        if range.is_empty() {
            return;
        }
        SCRATCH.with_borrow_mut(|scratch| {
            let base = grown(&mut scratch.lines, self.scratch);
            scratch.operands.clear();
            operands(&mut scratch.operands);
            scratch.tiles.clear();
            scratch.tiles.extend(self.registers.iter().map(|slot| base.wrapping_add(*slot)));
            let mut frame = Frame {
                kernel: self,
                machine: &mut Now,
                registers: &self.registers,
                base,
                tiles: &mut scratch.tiles,
                operands: &scratch.operands,
                place: &mut scratch.place,
            };
            frame.run(range);
        });
    }
}

/// Lanes of a tile that begins at `from` of a row: as even a part of the row as fits, several rows where they are short.
pub(super) fn tile_lanes(space: &Space, from: usize, left: usize) -> usize {
    let row = space.sizes[space.sizes.len() - 1];
    if row < LANES / 2 {
        return left.min(LANES);
    }
    let rest = row - from;
    // Whole vectors, so that none is left over that goes lane by lane.
    left.min(rest.div_ceil(rest.div_ceil(LANES)).next_multiple_of(64)).min(rest)
}

/// One run of a kernel: what comes after what, and where.
pub(super) struct Frame<'a, M> {
    pub(super) kernel: &'a Kernel,
    pub(super) machine: &'a mut M,
    /// Where each value's own tile is in the scratch memory.
    pub(super) registers: &'a [usize],
    /// The scratch memory.
    pub(super) base: *mut u8,
    /// Where each value's tile is now.
    pub(super) tiles: &'a mut Vec<*mut u8>,
    /// First byte of each operand.
    pub(super) operands: &'a [*mut u8],
    pub(super) place: &'a mut Place,
}

impl<M: Machine> Frame<'_, M> {
    pub(super) fn run(&mut self, range: Range<usize>) {
        let kernel = self.kernel;
        if kernel.reduced_points > 0 {
            // Values that are the same everywhere fill their whole tile.
            kernel.lanes.coordinates(range.start, &mut self.place.at);
            self.place.at.fill(0);
            let lanes = LANES.min(range.len().saturating_mul(kernel.reduced_points));
            for step in &kernel.run {
                self.step(step, lanes);
            }
        }
        match kernel.mode {
            Mode::Map => self.map(range),
            Mode::Along => self.along(range),
            Mode::Across => self.across(range),
        }
    }

    pub(super) fn slot(&self, offset: usize) -> *mut u8 {
        self.base.wrapping_add(offset)
    }

    fn lanes(&self, left: usize) -> usize {
        tile_lanes(&self.kernel.lanes, self.place.at[self.place.at.len() - 1], left)
    }

    fn map(&mut self, range: Range<usize>) {
        let kernel = self.kernel;
        let mut point = range.start;
        while point < range.end {
            kernel.lanes.coordinates(point, &mut self.place.at);
            let lanes = self.lanes(range.end - point);
            self.aim_stores(lanes);
            self.tile_steps(lanes);
            point += lanes;
        }
    }

    fn tile_steps(&mut self, lanes: usize) {
        let kernel = self.kernel;
        for step in &kernel.row {
            self.step(step, 1);
        }
        for step in &kernel.tile {
            self.step(step, lanes);
        }
    }

    /// Lets values that are stored contiguously be computed where they go.
    fn aim_stores(&mut self, lanes: usize) {
        let kernel = self.kernel;
        for step in &kernel.tile {
            let Step::Store(store) = step else { continue };
            if store.direct {
                let register = store.register as usize;
                let term = &kernel.lanes.terms[store.term];
                let whole = is_one_run(&kernel.lanes.sizes, term, &self.place.at, lanes);
                let contiguous = term.strides.last() == Some(&(store.size as i64)) || lanes == 1;
                self.tiles[register] = match whole && contiguous {
                    true => self.operands[store.operand].wrapping_offset(position(term, &self.place.at) as isize),
                    false => self.slot(self.registers[register]),
                };
            }
        }
    }

    fn step(&mut self, step: &Step, lanes: usize) {
        self.step_at(step, lanes, None);
    }

    /// `reduced`: the reduced space, when its point counts.
    fn step_at(&mut self, step: &Step, lanes: usize, reduced: Option<&Space>) {
        match step {
            Step::Compute { function, one_lane, register, arguments: [a, b, c], immediate } => {
                let tile = |register: &u32| self.tiles[*register as usize];
                let (to, from) = (tile(register), [tile(a), tile(b), tile(c)]);
                // SAFETY: slots have LANES lanes of the widest use; pointers into operands were checked for this many.
                // A result's slot is none of its arguments' (registers), nor are operands of different roles.
                unsafe {
                    match one_lane {
                        Some(one_lane) if lanes == 1 => self.machine.one_lane(*one_lane, to, from),
                        _ => self.machine.compute(*function, to, from, lanes, *immediate),
                    }
                }
            }
            Step::Fill { register, bits, size } => {
                // SAFETY: a slot has LANES lanes.
                unsafe { self.machine.fill(self.tiles[*register as usize], *bits, *size, lanes) }
            }
            Step::Load(load) => self.load(load, lanes, reduced),
            Step::Spread { register, from, size } => {
                assert!(M::AT_ONCE, "a kernel that is written down has no rows of tiles");
                // SAFETY: the value is in its first lane, at an address that is meant; a slot has LANES lanes.
                unsafe {
                    let bits = memory::bits(self.tiles[*from as usize], *size);
                    self.machine.fill(self.tiles[*register as usize], bits, *size, lanes);
                }
            }
            Step::Index { register, term, count } => {
                let shift = self.shift(*term, reduced).unwrap_or(0);
                self.count(self.tiles[*register as usize], *term, *count, lanes, shift);
            }
            Step::Gather(gather) => self.gather(gather, lanes, reduced),
            Step::Store(store) => self.store(store, lanes),
        }
    }

    /// What the reduced point adds to a term; `None` when it is outside of the term's bounds.
    pub(super) fn shift(&self, term: usize, reduced: Option<&Space>) -> Option<i64> {
        let Some(space) = reduced else { return Some(0) };
        let term = &space.terms[term];
        if let Some(bounds) = &term.bounds {
            let inside = |((low, high), at): (&(usize, usize), &usize)| low <= at && at < high;
            if !bounds.iter().zip(self.place.reduced_at.iter()).all(inside) {
                return None;
            }
        }
        Some(position(term, &self.place.reduced_at) - term.offset)
    }

    fn load(&mut self, load: &Load, lanes: usize, reduced: Option<&Space>) {
        let space = &self.kernel.lanes;
        let term = &space.terms[load.term];
        let register = load.register as usize;
        let slot = self.slot(self.registers[register]);
        let operand = self.operands[load.operand];
        let Some(shift) = self.shift(load.term, reduced) else {
            self.tiles[register] = slot;
            // SAFETY: a slot has LANES lanes.
            return unsafe { self.machine.fill(slot, load.fill, load.size, lanes) };
        };
        let stride = term.strides[term.strides.len() - 1];
        let contiguous = load.direct && (stride == load.size as i64 || lanes == 1);
        if contiguous && is_one_run(&space.sizes, term, &self.place.at, lanes) {
            // Read only: no instruction has a load for its result.
            self.tiles[register] = operand.wrapping_offset((position(term, &self.place.at) + shift) as isize);
            return;
        }
        self.tiles[register] = slot;
        // A value that is the same everywhere may be wanted for more lanes than there are points.
        if term.bounds.is_none() && term.strides.iter().all(|stride| *stride == 0) {
            let at = operand.wrapping_offset((term.offset + shift) as isize);
            // SAFETY: the one element is within the operand, the slot has LANES lanes.
            return unsafe { self.machine.load(load.function, slot, at, 0, lanes) };
        }
        let last = space.sizes.len() - 1;
        let row = space.sizes[last];
        if term.bounds.is_none() && row < lanes && term.strides[..last].iter().all(|stride| *stride == 0) {
            let first = operand.wrapping_offset((term.offset + shift) as isize);
            return self.repeat(load, slot, (first, stride as isize), row, lanes);
        }
        let Place { at, spare, .. } = &mut *self.place;
        walk(&space.sizes, term, at, lanes, shift, spare, |run| {
            let dst = slot.wrapping_add(run.lane * load.size);
            match run.inside {
                // SAFETY: the lanes are within the slot; the run is within the operand.
                true => unsafe {
                    let src = operand.wrapping_offset(run.position as isize);
                    self.machine.load(load.function, dst, src, stride as isize, run.length);
                },
                // SAFETY: the lanes are within the slot.
                false => unsafe { self.machine.fill(dst, load.fill, load.size, run.length) },
            }
        });
    }

    /// Fills a tile with one row again and again, from where in the row the tile begins.
    fn repeat(&mut self, load: &Load, slot: *mut u8, (first, stride): (*mut u8, isize), row: usize, lanes: usize) {
        let from = self.place.at[self.place.at.len() - 1];
        let lane = |lane: usize| slot.wrapping_add(lane * load.size);
        // SAFETY: the row is within the operand; all lanes are within the slot, and those copied are written before
        // and lie before their copies.
        unsafe {
            let middle = first.wrapping_offset(from as isize * stride);
            self.machine.load(load.function, slot, middle, stride, row - from);
            self.machine.load(load.function, lane(row - from), first, stride, from);
            let mut filled = row;
            while filled < lanes {
                let count = filled.min(lanes - filled);
                self.machine.copy(lane(filled), slot, count * load.size);
                filled += count;
            }
        }
    }

    /// Writes a term's value at every lane.
    pub(super) fn count(&mut self, to: *mut u8, term: usize, count: Count, lanes: usize, shift: i64) {
        let space = &self.kernel.lanes;
        let term = &space.terms[term];
        let Count { function, size } = count;
        if term.strides.iter().all(|stride| *stride == 0) {
            // SAFETY: the slot has LANES lanes.
            return unsafe { self.machine.count(function, to, term.offset + shift, 0, lanes) };
        }
        let stride = term.strides[term.strides.len() - 1];
        let Place { at, spare, .. } = &mut *self.place;
        walk(&space.sizes, term, at, lanes, shift, spare, |run| {
            let to = to.wrapping_add(run.lane * size);
            // SAFETY: the lanes are within the slot.
            unsafe { self.machine.count(function, to, run.position, stride, run.length) }
        });
    }

    fn store(&mut self, store: &Store, lanes: usize) {
        let kernel = self.kernel;
        let register = store.register as usize;
        let src = self.tiles[register];
        if store.direct && src != self.slot(self.registers[register]) {
            return;
        }
        let operand = self.operands[store.operand];
        let same = if store.same { store.size } else { 0 };
        self.write(&kernel.lanes, store.term, operand, (src, store.size), (store.function, same), lanes);
    }

    /// Writes a tile through a term of the space that `at` is in.
    fn write(
        &mut self,
        space: &Space,
        term: usize,
        operand: *mut u8,
        (src, size): (*mut u8, usize),
        (function, same): (memory::StoreFn, usize),
        lanes: usize,
    ) {
        let term = &space.terms[term];
        let stride = term.strides[term.strides.len() - 1] as isize;
        let Place { at, spare, results_at, .. } = &mut *self.place;
        let at = if std::ptr::eq(space, &self.kernel.results) { results_at } else { at };
        walk(&space.sizes, term, at, lanes, 0, spare, |run| {
            let dst = operand.wrapping_offset(run.position as isize);
            let src = src.wrapping_add(run.lane * size);
            // SAFETY: the run is within the operand, which is an output; the lanes are within the tile.
            unsafe { self.machine.store(function, dst, stride, src, run.length, same) }
        });
    }

    fn along(&mut self, range: Range<usize>) {
        let kernel = self.kernel;
        let length = kernel.reduced_points;
        let rows = if kernel.whole_rows { LANES } else { LANES.checked_div(length).unwrap_or(LANES).max(1) };
        let mut point = range.start;
        while point < range.end {
            let rows = rows.min(range.end - point);
            if length == 0 {
                for fold in &kernel.folds {
                    // SAFETY: the slot of results has LANES lanes.
                    unsafe { self.machine.fill(self.slot(fold.results), fold.folded.init, fold.folded.size, rows) }
                }
            } else if kernel.whole_rows {
                for row in 0..rows {
                    kernel.lanes.coordinates((point + row) * length, &mut self.place.at);
                    for step in &kernel.tile {
                        let Step::Load(load) = step else { continue };
                        let from = position(&kernel.lanes.terms[load.term], &self.place.at);
                        self.tiles[load.register as usize] = self.operands[load.operand].wrapping_offset(from as isize);
                    }
                    self.fold_row(row, 0);
                }
            } else if length <= LANES {
                self.row_tile(point * length, rows * length);
                for row in 0..rows {
                    self.fold_row(row, row * length);
                }
            } else {
                self.long_row(point);
            }
            kernel.results.coordinates(point, &mut self.place.results_at);
            for fold in &kernel.folds {
                let src = (self.slot(fold.results), fold.folded.size);
                self.write(&kernel.results, fold.term, self.operands[fold.operand], src, (fold.store, 0), rows);
            }
            point += rows;
        }
    }

    /// Combines the row that begins at a lane of the tiles.
    fn fold_row(&mut self, row: usize, lane: usize) {
        let kernel = self.kernel;
        for fold in &kernel.folds {
            let size = fold.folded.size;
            let src = self.tiles[fold.register as usize].wrapping_add(lane * size);
            let to = self.slot(fold.results).wrapping_add(row * size);
            // SAFETY: the row is within the tile, or lies as a whole in its operand; the slot of results has LANES lanes.
            unsafe { self.machine.fold(fold.folded, to, src, kernel.reduced_points) }
        }
    }

    fn row_tile(&mut self, first: usize, lanes: usize) {
        let kernel = self.kernel;
        kernel.lanes.coordinates(first, &mut self.place.at);
        self.tile_steps(lanes);
    }

    /// A row of more than a tile: tiles are folded, and their results paired like the digits of a binary counter.
    fn long_row(&mut self, point: usize) {
        assert!(M::AT_ONCE, "the rows of a kernel that is written down are shorter than a tile");
        let kernel = self.kernel;
        let length = kernel.reduced_points;
        let tiles = length.div_ceil(LANES);
        for folds in kernel.folds.chunks(4) {
            let mut pairs: [Pairs; 4] = Default::default();
            for tile in 0..tiles {
                let first = tile * LANES;
                let lanes = LANES.min(length - first);
                self.row_tile(point * length + first, lanes);
                for (fold, pairs) in folds.iter().zip(&mut pairs) {
                    // SAFETY: the tile has this many lanes, and its address is meant.
                    let sum = unsafe { (fold.folded.function)(self.tiles[fold.register as usize], lanes) };
                    pairs.add(sum, fold.folded.combine);
                }
            }
            for (fold, pairs) in folds.iter().zip(&pairs) {
                let Folded { combine, init, size, .. } = fold.folded;
                let sum = pairs.sum(combine).map_or(init, |sum| combine(init, sum));
                // SAFETY: the slot of results has LANES lanes.
                unsafe { self.machine.fill(self.slot(fold.results), sum, size, 1) }
            }
        }
    }

    fn across(&mut self, range: Range<usize>) {
        let kernel = self.kernel;
        let mut point = range.start;
        while point < range.end {
            kernel.lanes.coordinates(point, &mut self.place.at);
            let lanes = self.lanes(range.end - point);
            if kernel.reduced_points > 0 {
                for step in &kernel.tile {
                    self.step(step, lanes);
                }
            }
            if let Some(columns) = &kernel.columns
                && M::AT_ONCE
            {
                self.columns(columns, lanes);
                point += lanes;
                continue;
            }
            self.place.reduced_at.clear();
            self.place.reduced_at.resize(kernel.reduced.sizes.len(), 0);
            for reduced in 0..kernel.reduced_points {
                for step in &kernel.reduced_steps {
                    self.step_at(step, lanes, Some(&kernel.reduced));
                }
                for fold in &kernel.folds {
                    self.accumulate(fold, reduced, lanes);
                }
                advance(&kernel.reduced.sizes, &mut self.place.reduced_at);
            }
            for fold in &kernel.folds {
                self.finish(fold, lanes);
            }
            point += lanes;
        }
    }

    /// All folds of a tile, by rows of memory.
    fn columns(&mut self, columns: &[Column], lanes: usize) {
        let kernel = self.kernel;
        for (fold, column) in kernel.folds.iter().zip(columns) {
            let (slot, operand) = (self.slot(fold.running[0]), self.operands[column.operand]);
            let term = &kernel.lanes.terms[column.term];
            for first in (0..kernel.reduced_points).step_by(BLOCK) {
                let rows = BLOCK.min(kernel.reduced_points - first);
                let shift = first as i64 * column.stride;
                let Place { at, spare, .. } = &mut *self.place;
                walk(&kernel.lanes.sizes, term, at, lanes, shift, spare, |run| {
                    let from = operand.wrapping_offset(run.position as isize);
                    let to = slot.wrapping_add(run.lane * fold.folded.size);
                    // SAFETY: the run of each of these points is within the operand; the lanes are within the slot,
                    // which is scratch memory and so overlaps no operand.
                    unsafe { (column.function)(to, from, column.stride as isize, rows, run.length) }
                });
                self.keep(fold, first / BLOCK, fold.running, lanes);
            }
            self.finish(fold, lanes);
        }
    }

    /// # Safety
    /// `dst`, `a` and `b` are slots; `dst` is neither of the others.
    unsafe fn combine(&mut self, fold: &Fold, dst: usize, a: usize, b: usize, lanes: usize) {
        let (dst, a, b) = (self.slot(dst), self.slot(a), self.slot(b));
        // SAFETY: slots have LANES lanes of the reduction's type.
        unsafe { self.machine.compute(fold.combine_tiles, dst, [a, b, a], lanes, 0) }
    }

    /// Adds the tile of one reduced point. Which running slot holds the sum follows from the point's number.
    fn accumulate(&mut self, fold: &Fold, reduced: usize, lanes: usize) {
        let within = reduced % BLOCK;
        let (sum, other) = (fold.running[within % 2], fold.running[(within + 1) % 2]);
        let value = self.tiles[fold.register as usize];
        // SAFETY: the value's tile is no running slot; the running slots are two.
        unsafe {
            if within == 0 {
                self.machine.copy(self.slot(sum), value, lanes * fold.folded.size);
            } else {
                let from = [self.slot(other), value, value];
                self.machine.compute(fold.combine_tiles, self.slot(sum), from, lanes, 0);
            }
        }
        if within + 1 < BLOCK && reduced + 1 < self.kernel.reduced_points {
            return;
        }
        self.keep(fold, reduced / BLOCK, [sum, other], lanes);
    }

    /// Pairs the sum of a block with those of the blocks before it.
    fn keep(&mut self, fold: &Fold, block: usize, [mut sum, mut other]: [usize; 2], lanes: usize) {
        let mut level = 0;
        while block >> level & 1 == 1 {
            // SAFETY: levels and running slots are all different.
            unsafe { self.combine(fold, other, fold.levels[level], sum, lanes) };
            std::mem::swap(&mut sum, &mut other);
            level += 1;
        }
        // SAFETY: a level's slot is not a running one.
        unsafe {
            self.machine.copy(self.slot(fold.levels[level]), self.slot(sum), lanes * fold.folded.size);
        }
    }

    fn finish(&mut self, fold: &Fold, lanes: usize) {
        let kernel = self.kernel;
        let blocks = kernel.reduced_points.div_ceil(BLOCK);
        let [mut free, mut spare] = fold.running;
        // SAFETY: the slot of results has LANES lanes.
        unsafe { self.machine.fill(self.slot(fold.results), fold.folded.init, fold.folded.size, lanes) }
        let mut held = (0..fold.levels.len()).filter(|level| blocks >> level & 1 == 1).map(|l| fold.levels[l]);
        let mut result = fold.results;
        if let Some(mut sum) = held.next() {
            for level in held {
                // SAFETY: the running slots are free by now, and `free` is not the one that holds the sum.
                unsafe { self.combine(fold, free, level, sum, lanes) };
                sum = free;
                std::mem::swap(&mut free, &mut spare);
            }
            // SAFETY: as before.
            unsafe { self.combine(fold, free, fold.results, sum, lanes) };
            result = free;
        }
        let src = (self.slot(result), fold.folded.size);
        self.write(&kernel.lanes, fold.term, self.operands[fold.operand], src, (fold.store, 0), lanes);
    }
}
