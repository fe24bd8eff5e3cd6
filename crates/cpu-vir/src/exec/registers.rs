//! Where the values of a body live: a slot of the scratch memory for each, shared by values whose lives do not meet.

use crate::exec::isa::LANES;

/// Bytes of the scratch memory are counted in lines of this size.
pub(super) const LINE: usize = 64;

/// Hands out slots of a tile of lanes of 1, 2, 4 or 8 bytes.
#[derive(Default)]
pub(super) struct Slots {
    free: [Vec<usize>; 4],
    end: usize,
}

impl Slots {
    /// The byte offset of a slot for lanes of `size` bytes.
    pub(super) fn take(&mut self, size: usize) -> usize {
        if let Some(slot) = self.free[size.trailing_zeros() as usize].pop() {
            return slot;
        }
        self.fresh(size)
    }

    /// A slot that no value of a body ever has, for what lives on while bodies run again and again.
    pub(super) fn fresh(&mut self, size: usize) -> usize {
        let slot = self.end;
        self.end += (LANES * size).next_multiple_of(LINE);
        slot
    }

    /// Gives a slot back.
    pub(super) fn give(&mut self, slot: usize, size: usize) {
        self.free[size.trailing_zeros() as usize].push(slot);
    }

    /// Bytes needed for all of them.
    pub(super) fn bytes(&self) -> usize {
        self.end
    }
}
