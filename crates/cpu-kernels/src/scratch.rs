//! Working memory of a call, kept by the thread for the next one.

use std::cell::RefCell;

use bytemuck::{Pod, Zeroable};

/// A cache line, so that the memory begins at one.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C, align(64))]
struct Line([u64; 8]);

/// Beyond this a thread keeps nothing: the memory of a large product is not needed for long.
const KEPT: usize = 64 << 20;

thread_local! {
    /// What is free on this thread, smallest first. Calls nest, so there may be several.
    static FREE: RefCell<Vec<Vec<Line>>> = const { RefCell::new(Vec::new()) };
}

/// Calls `body` with so many numbers, whose values are those of whoever had them before.
pub(crate) fn with<T: Pod, R>(length: usize, body: impl FnOnce(&mut [T]) -> R) -> R {
    let bytes = length.checked_mul(size_of::<T>()).expect("operands fit in memory, and so does what they need");
    let lines = bytes.div_ceil(size_of::<Line>());
    let mut memory = FREE.with_borrow_mut(|free| {
        let fits = free.iter().position(|memory| memory.len() >= lines);
        fits.map(|at| free.remove(at)).unwrap_or_else(|| free.pop().unwrap_or_default())
    });
    if memory.len() < lines {
        memory = vec![Line::zeroed(); lines];
    }
    let result = body(&mut bytemuck::cast_slice_mut::<Line, T>(&mut memory)[..length]);
    FREE.with_borrow_mut(|free| {
        let kept: usize = free.iter().map(|memory| memory.len() * size_of::<Line>()).sum();
        if kept + memory.len() * size_of::<Line>() <= KEPT {
            let at = free.partition_point(|other| other.len() < memory.len());
            free.insert(at, memory);
        }
    });
    result
}
