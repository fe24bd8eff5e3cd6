//! Work on several threads: cutting outputs into pieces that no two tasks share.
#![allow(unsafe_code, reason = "tasks write to different parts of one output")]

use std::marker::PhantomData;

use cpu_runtime::Pool;

/// Work below this is not handed to others.
const SERIAL: u64 = 10_000_000;

/// Work that is worth a task of its own.
const TASK: u64 = 20_000_000;

/// Whatever hands out tasks to threads.
pub(crate) trait Runs {
    /// Calls `task` with every number below `tasks`, each once, and returns when all are done.
    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync));
}

impl Runs for Pool {
    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        Pool::run(self, tasks, task);
    }
}

/// Calls `task` with every number below `tasks`; on several threads if the whole takes long enough, by an estimate in
/// picoseconds.
pub(crate) fn spread(pool: &impl Runs, tasks: usize, picoseconds: u64, task: &(dyn Fn(usize) + Sync)) {
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

/// Cuts `items` into runs and calls `task(start, end)` for each, on several threads if that pays.
pub(crate) fn ranges(pool: &impl Runs, items: usize, picoseconds_each: u64, task: &(dyn Fn(usize, usize) + Sync)) {
    if items == 0 {
        return;
    }
    let grain = grain(items, picoseconds_each);
    let total = picoseconds_each.saturating_mul(items as u64);
    spread(pool, items.div_ceil(grain), total, &|index| {
        let start = index * grain;
        task(start, (start + grain).min(items));
    });
}

/// An output that several tasks write to.
pub(crate) struct Shared<'a, T> {
    start: *mut T,
    length: usize,
    owner: PhantomData<&'a mut [T]>,
}

// SAFETY: access goes through `part` and `within`, whose callers see to it that tasks touch different elements.
unsafe impl<T: Send> Sync for Shared<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    pub(crate) fn new(slice: &'a mut [T]) -> Shared<'a, T> {
        Shared { start: slice.as_mut_ptr(), length: slice.len(), owner: PhantomData }
    }

    /// The elements `start..start + length`. Panics when they are not all there.
    ///
    /// # Safety
    /// No one else has any of these elements while the result is in use.
    #[allow(clippy::mut_from_ref, reason = "the contract is that of the caller")]
    pub(crate) unsafe fn part(&self, start: usize, length: usize) -> &mut [T] {
        assert!(start <= self.length && length <= self.length - start, "a part of the output");
        // SAFETY: in bounds of a slice that is borrowed exclusively for 'a; disjointness is the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(start), length) }
    }

    /// The address of the element `start`. Panics unless `length` elements are there.
    pub(crate) fn within(&self, start: usize, length: usize) -> *mut T {
        assert!(start <= self.length && length <= self.length - start, "a part of the output");
        self.start.wrapping_add(start)
    }
}

/// Cuts rows of `row` elements into runs and calls `task(first_row, elements)` for each run.
pub(crate) fn rows<T: Send>(
    pool: &Pool,
    output: &mut [T],
    row: usize,
    picoseconds_each: u64,
    task: &(dyn Fn(usize, &mut [T]) + Sync),
) {
    if output.is_empty() || row == 0 {
        return;
    }
    let count = output.len() / row;
    let shared = Shared::new(output);
    ranges(pool, count, picoseconds_each, &|start, end| {
        // SAFETY: runs of rows do not overlap, and each is handed out once.
        task(start, unsafe { shared.part(start * row, (end - start) * row) });
    });
}

/// Copies bytes, on several threads if they are many.
pub(crate) fn copy(pool: &Pool, from: &[u8], to: &mut [u8]) {
    const PIECE: usize = 1 << 18;
    let whole = to.len() / PIECE * PIECE;
    let (body, tail) = to.split_at_mut(whole);
    // 10 billion bytes a second.
    rows(pool, body, PIECE, PIECE as u64 * 100, &|piece, to| {
        to.copy_from_slice(&from[piece * PIECE..piece * PIECE + to.len()]);
    });
    tail.copy_from_slice(&from[whole..]);
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
