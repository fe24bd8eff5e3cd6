//! Work on several threads: cutting outputs into pieces that no two tasks share.
#![allow(unsafe_code, reason = "tasks write to different parts of one output")]

use std::marker::PhantomData;

use cpu_runtime::Pool;

/// Work below this is not handed to others.
const SERIAL: u64 = 10_000_000;

/// Work that is worth a task of its own.
const TASK: u64 = 20_000_000;

/// Calls `task` with every number below `tasks`; on several threads if the whole takes long enough, by an estimate in
/// picoseconds.
pub(crate) fn spread(pool: &Pool, tasks: usize, picoseconds: u64, task: &(dyn Fn(usize) + Sync)) {
    if picoseconds < SERIAL {
        (0..tasks).for_each(task);
    } else {
        pool.run(tasks, task);
    }
}

/// How many of `items` one task takes, by the picoseconds that one item costs. Depends on the data alone.
pub(crate) fn grain(items: usize, picoseconds_each: u64) -> usize {
    let wanted = (TASK / picoseconds_each.max(1)).max(1);
    usize::try_from(wanted).unwrap_or(usize::MAX).clamp(1, items.max(1))
}

/// An output that several tasks write to.
pub(crate) struct Shared<'a, T> {
    start: *mut T,
    length: usize,
    owner: PhantomData<&'a mut [T]>,
}

// SAFETY: access goes through `within`, whose callers see to it that tasks touch different elements.
unsafe impl<T: Send> Sync for Shared<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    pub(crate) fn new(slice: &'a mut [T]) -> Shared<'a, T> {
        Shared { start: slice.as_mut_ptr(), length: slice.len(), owner: PhantomData }
    }

    /// The address of the element `start`. Panics unless `length` elements are there.
    pub(crate) fn within(&self, start: usize, length: usize) -> *mut T {
        assert!(start <= self.length && length <= self.length - start, "a part of the output");
        self.start.wrapping_add(start)
    }
}

/// The pool as what spreads the points of a loop program.
pub(crate) struct OnPool<'a>(pub(crate) &'a Pool);

impl cpu_vir::exec::Spread for OnPool<'_> {
    fn spread(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        self.0.run(tasks, task);
    }
}

/// Runs a loop program over all its points, on several threads if that pays.
pub(crate) fn run_program(
    pool: &Pool,
    kernel: &cpu_vir::Kernel,
    picoseconds: u64,
    inputs: &[&[u8]],
    outputs: &mut [&mut [u8]],
) -> Result<(), cpu_vir::RunError> {
    let parts = if picoseconds < SERIAL { 1 } else { (picoseconds / TASK + 1).min(1 << 12) as usize };
    kernel.run_on(&OnPool(pool), parts, inputs, outputs)
}
