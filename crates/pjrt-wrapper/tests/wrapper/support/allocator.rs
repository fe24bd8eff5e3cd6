//! An allocator that counts, for each thread, what it is asked for.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
    static BYTES: Cell<isize> = const { Cell::new(0) };
}

fn note(count: usize, bytes: isize) {
    // A thread that is ending has no counters any more, and nobody who reads them.
    _ = COUNT.try_with(|cell| cell.set(cell.get() + count));
    _ = BYTES.try_with(|cell| cell.set(cell.get() + bytes));
}

// SAFETY: everything is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size() as isize);
        // SAFETY: the contract of this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, data: *mut u8, layout: Layout) {
        note(0, -(layout.size() as isize));
        // SAFETY: the contract of this function.
        unsafe { System.dealloc(data, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of this thread so far.
pub fn allocations() -> usize {
    COUNT.get()
}

/// Bytes that this thread allocated and did not free, or the other way round.
pub fn bytes_held() -> isize {
    BYTES.get()
}
