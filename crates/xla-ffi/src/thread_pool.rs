//! The backend's threads as handlers see them.

use crate::sys::XLA_FFI_Task;
use std::ffi::c_void;

/// Threads that handlers may schedule tasks on.
pub trait ThreadPool: Send + Sync {
    /// Runs a task, on any thread, now or later. Every task must run exactly once; a handler may wait for its tasks,
    /// so a pool whose threads are all busy with handlers has to run them on the thread that calls.
    fn schedule(&self, task: Task);

    /// How many threads there are, at least 1.
    fn num_threads(&self) -> usize;
}

/// A task of a handler.
#[must_use = "a task that does not run leaves its handler waiting"]
#[derive(Debug)]
pub struct Task {
    task: XLA_FFI_Task,
    data: *mut c_void,
}

// SAFETY: whoever schedules a task says by that that its data may be used on any thread.
unsafe impl Send for Task {}

impl Task {
    /// # Safety
    /// `task` may be called once with `data`, on any thread.
    pub(crate) unsafe fn new(task: XLA_FFI_Task, data: *mut c_void) -> Self {
        Task { task, data }
    }

    /// Runs the task.
    pub fn run(self) {
        // SAFETY: promised to `Task::new`; `self` is consumed, so this is the only call.
        unsafe { (self.task)(self.data) }
    }
}
