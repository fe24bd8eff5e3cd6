//! Running a kernel on several threads, by cutting its points.
#![allow(unsafe_code, reason = "several threads write to one output, at different elements")]

use std::sync::atomic::{AtomicBool, Ordering};

use super::{Kernel, RunError, check_lengths};

/// Whatever runs tasks side by side: the engine's thread pool.
pub trait Spread {
    /// Calls `task` with every number below `tasks`, on any threads, and returns when all are done.
    fn spread(&self, tasks: usize, task: &(dyn Fn(usize) + Sync));
}

/// Addresses of operands that the tasks of one run share.
pub(super) struct Shared(pub(super) Vec<*mut u8>);

// SAFETY: tasks only hand the addresses to `run_at` with different points, which write to different elements: the
// program was verified to have no two points with one element, and programs that run together to stay in their rows.
unsafe impl Sync for Shared {}

impl Kernel {
    /// Runs all points as `parts` tasks. The result does not depend on the number of parts.
    ///
    /// # Errors
    /// As for [`run`](Kernel::run).
    pub fn run_on(
        &self,
        pool: &impl Spread,
        parts: usize,
        inputs: &[&[u8]],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), RunError> {
        let parts = parts.min(self.points);
        if parts <= 1 {
            return self.run(inputs, outputs, 0..self.points);
        }
        check_lengths("input", &self.inputs, inputs.iter().map(|input| input.len()))?;
        check_lengths("output", &self.outputs, outputs.iter().map(|output| output.len()))?;
        let operands = self.positions.iter().map(|(written, index)| match written {
            true => outputs[*index].as_mut_ptr(),
            false => inputs[*index].as_ptr().cast_mut(),
        });
        let shared = Shared(operands.collect());
        // Whole cache lines for each thread as far as points are elements.
        let length = self.points.div_ceil(parts).next_multiple_of(64);
        let task = |part: usize| {
            let shared = &shared;
            let start = (part * length).min(self.points);
            let end = (start + length).min(self.points);
            // SAFETY: lengths were checked; the borrows of inputs and outputs outlive the pool's return; every part is
            // run once, and parts have no point in common.
            unsafe { self.run_at(&shared.0, start..end) }
        };
        spread_once(pool, parts, &task);
        Ok(())
    }
}

/// Calls `task` with every number below `parts`, each exactly once, whatever the pool does.
pub(super) fn spread_once(pool: &(impl Spread + ?Sized), parts: usize, task: &(dyn Fn(usize) + Sync)) {
    let begun: Vec<AtomicBool> = (0..parts).map(|_| AtomicBool::new(false)).collect();
    let once = |part: usize| {
        if begun.get(part).is_some_and(|begun| !begun.swap(true, Ordering::Relaxed)) {
            task(part);
        }
    };
    if parts > 1 {
        pool.spread(parts, &once);
    }
    (0..parts).for_each(once);
}
