//! Gathers: elements at computed indices one by one, or whole rows of them where the indices are the same along a row.
//!
//! **Invariant:** indices are clamped before they become addresses, so that they reach what was verified and no more.
#![allow(unsafe_code, reason = "reads operands at computed addresses")]

use super::index::{Count, OffsetFn};
use super::layout::Space;
use super::machine::Machine;
use super::memory::{self, GatherFn, LoadFn};
use super::prepare::Register;
use super::run::{Frame, Place};
use super::stage::Terms;
use super::walk::{Run, is_one_run, position, walk};
use crate::program::{Inst, Program, Role};

pub(super) struct Gather {
    pub(super) register: Register,
    pub(super) operand: usize,
    pub(super) term: usize,
    pub(super) function: GatherFn,
    /// Where byte offsets are put together.
    pub(super) offsets: usize,
    pub(super) count: Count,
    pub(super) indices: Vec<GatherStep>,
    /// When the indices are the same along a row: how the row is loaded.
    pub(super) row: Option<RowLoad>,
}

/// What one index adds.
pub(super) struct GatherStep {
    pub(super) register: Register,
    /// The highest valid one.
    pub(super) most: i64,
    /// Bytes from one to the next.
    pub(super) stride: i64,
    pub(super) function: OffsetFn,
}

/// How elements of a row are loaded from where it begins.
pub(super) struct RowLoad {
    pub(super) function: LoadFn,
    /// Bytes of a lane.
    pub(super) size: usize,
    /// When a contiguous run in memory is a tile already.
    pub(super) direct: bool,
}

/// From how many elements on a row is loaded as one: below that, to look where it begins costs more than to gather it.
const LEAST_ROW: usize = 8;

/// For each value, whether it is gathered, and by whole rows, since its indices are the same along the last axis of the
/// lanes. Where such rows are is a matter of their indices, so their terms are walked row by row.
pub(super) fn gathers_rows(program: &Program, terms: &Terms, lanes: &mut Space) -> Vec<bool> {
    let mut by_rows = vec![false; program.body.len()];
    let gathers = program.body.iter().any(|inst| matches!(inst, Inst::Gather { .. }));
    if !gathers || lanes.sizes.last().is_none_or(|row| *row < LEAST_ROW) {
        return by_rows;
    }
    let mut same: Vec<bool> = Vec::with_capacity(program.body.len());
    for (at, inst) in program.body.iter().enumerate() {
        let mut arguments = true;
        inst.for_each_argument(|argument| arguments &= same[argument.index()]);
        let own = terms.of[at].is_none_or(|term| {
            let term = &lanes.terms[term];
            term.bounds.is_none() && term.strides.last() == Some(&0)
        });
        let changes = matches!(inst, Inst::Load { access, .. }
            if program.operands[access.operand.index()].role == Role::Output);
        same.push(arguments && own && !changes);
        if let (Inst::Gather { .. }, true, false, Some(term)) = (inst, arguments, own, terms.of[at]) {
            by_rows[at] = true;
            lanes.terms[term].linear = false;
        }
    }
    by_rows
}

impl<M: Machine> Frame<'_, M> {
    pub(super) fn gather(&mut self, gather: &Gather, lanes: usize, reduced: Option<&Space>) {
        let shift = self.shift(gather.term, reduced).unwrap_or(0);
        if let Some(row) = gather.row.as_ref().filter(|_| M::AT_ONCE) {
            return self.gather_rows(gather, row, lanes, shift);
        }
        let offsets = self.slot(gather.offsets);
        self.count(offsets, gather.term, gather.count, lanes, shift);
        for GatherStep { register, most, stride, function } in &gather.indices {
            let index = self.tiles[*register as usize];
            // SAFETY: the slot of offsets has LANES lanes of i64 and belongs to this step alone; an index has as many.
            unsafe { self.machine.offset(*function, offsets, index, *most, *stride, lanes) }
        }
        let (to, operand) = (self.tiles[gather.register as usize], self.operands[gather.operand]);
        // SAFETY: clamped indices reach what was verified and no more.
        unsafe { self.machine.gather(gather.function, to, operand, offsets, lanes) }
    }

    /// Loads rows from where the indices of their first lanes say.
    fn gather_rows(&mut self, gather: &Gather, row: &RowLoad, lanes: usize, shift: i64) {
        let space = &self.kernel.lanes;
        let term = &space.terms[gather.term];
        let register = gather.register as usize;
        let slot = self.slot(self.registers[register]);
        let operand = self.operands[gather.operand];
        let stride = term.strides[term.strides.len() - 1];
        let tiles = &*self.tiles;
        let begin = |run: &Run| {
            let moved = gather.indices.iter().map(|GatherStep { register, most, stride, .. }| {
                let lane = tiles[*register as usize].wrapping_add(run.lane * size_of::<i64>());
                // SAFETY: an index has as many lanes of i64 as the tile.
                let index = unsafe { memory::bits(lane, size_of::<i64>()) } as i64;
                index.clamp(0, *most).wrapping_mul(*stride)
            });
            operand.wrapping_offset(moved.fold(run.position, i64::wrapping_add) as isize)
        };
        let contiguous = row.direct && stride == row.size as i64;
        if contiguous && is_one_run(&space.sizes, term, &self.place.at, lanes) {
            let position = position(term, &self.place.at) + shift;
            let from = begin(&Run { lane: 0, length: lanes, position, inside: true });
            // Read only: no instruction has a gather for its result.
            self.tiles[register] = from;
            return;
        }
        let Place { at, spare, .. } = &mut *self.place;
        let machine = &mut *self.machine;
        walk(&space.sizes, term, at, lanes, shift, spare, |run| {
            let dst = slot.wrapping_add(run.lane * row.size);
            // SAFETY: the lanes are within the slot; clamped indices reach what was verified and no more.
            unsafe { machine.load(row.function, dst, begin(&run), stride as isize, run.length) }
        });
        self.tiles[register] = slot;
    }
}
