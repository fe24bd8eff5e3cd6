//! Blocks of aligned memory: where buffers and intermediate values live.

use crate::block_cache;
use crate::budget::Budget;
use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

/// Every block begins at a multiple of this many bytes: a cache line, and enough for any vector register.
pub const ALIGNMENT: usize = 64;

/// From this capacity on, blocks are aligned to huge pages and the kernel is asked for some.
const HUGE: usize = 2 << 20;

/// Raw memory of a certain capacity, initialised, owned by whoever holds this.
pub(crate) struct Raw {
    start: NonNull<u8>,
    capacity: usize,
}

// SAFETY: a `Raw` is the only owner of its memory.
unsafe impl Send for Raw {}

impl Raw {
    fn layout(capacity: usize) -> Option<Layout> {
        let alignment = if capacity >= HUGE { HUGE } else { ALIGNMENT };
        Layout::from_size_align(capacity, alignment).ok().filter(|layout| layout.size() > 0)
    }

    /// New memory; `None` when the system has none.
    pub(crate) fn allocate(capacity: usize) -> Option<Raw> {
        let layout = Raw::layout(capacity)?;
        // SAFETY: the layout has a size that is not zero.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        if capacity >= HUGE {
            // SAFETY: the range was just allocated; advice changes no contents. Refused advice costs speed only.
            unsafe { libc::madvise(start.as_ptr().cast(), capacity, libc::MADV_HUGEPAGE) };
        }
        // Rust has no bytes that are allocated and have no value, so they get one. It is the price of the first
        // use only: the cache hands blocks on as they are.
        // SAFETY: the range was just allocated.
        unsafe { start.as_ptr().write_bytes(0, capacity) };
        Some(Raw { start, capacity })
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        if let Some(layout) = Raw::layout(self.capacity) {
            // SAFETY: allocated with this layout, and nobody else has it.
            unsafe { dealloc(self.start.as_ptr(), layout) };
        }
    }
}

/// Aligned memory that counts against a [`Budget`] and goes back to a cache when dropped. Its contents are what
/// the previous user left, never uninitialised.
pub struct Block {
    raw: Option<Raw>,
    length: usize,
    budget: Budget,
}

// SAFETY: shared access to a block only reads; see `bytes`.
unsafe impl Sync for Block {}

impl Block {
    pub(crate) fn new(raw: Option<Raw>, length: usize, budget: Budget) -> Block {
        debug_assert!(raw.as_ref().map_or(0, Raw::capacity) >= length);
        Block { raw, length, budget }
    }

    /// Bytes in the block.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The contents.
    pub fn bytes(&self) -> &[u8] {
        match &self.raw {
            None => &[],
            // SAFETY: `length` initialised bytes are there as long as the block is, and writing needs `&mut`.
            Some(raw) => unsafe { std::slice::from_raw_parts(raw.start.as_ptr(), self.length) },
        }
    }

    /// The contents, to write.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        match &self.raw {
            None => &mut [],
            // SAFETY: as for `bytes`, and the block is borrowed exclusively.
            Some(raw) => unsafe { std::slice::from_raw_parts_mut(raw.start.as_ptr(), self.length) },
        }
    }

    /// The address of the first byte; dangling but aligned for an empty block.
    pub fn address(&self) -> usize {
        self.raw.as_ref().map_or(ALIGNMENT, |raw| raw.start.as_ptr().addr())
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.budget.release(self.length);
        if let Some(raw) = self.raw.take() {
            block_cache::give_back(raw);
        }
    }
}

impl std::fmt::Debug for Block {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Block").field("length", &self.length).finish_non_exhaustive()
    }
}
