//! Streams, scratch memory, threads, and panics of the host's own code.

use crate::guest::*;
use pjrt_client_trait::{Code, Result, Status};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use xla_ffi::{MemoryBudget, RunContext, Task, ThreadPool, sys};

handler!(wants_a_stream, 5, |frame| {
    let mut get = args::<sys::XLA_FFI_Stream_Get_Args>();
    get.ctx = frame.ctx;
    call!(frame, XLA_FFI_Stream_Get, &raw mut get)
});

#[test]
fn there_are_no_streams() {
    let error = run(wants_a_stream, &RunContext::default()).unwrap_err();
    assert!(error.code == Code::Unimplemented && error.message.contains("no streams"), "{error}");
}

/// Allows 1000 bytes.
#[derive(Default)]
struct Budget {
    used: AtomicUsize,
    peak: AtomicUsize,
}

impl MemoryBudget for Budget {
    fn reserve(&self, bytes: usize) -> Result<()> {
        let used = self.used.fetch_add(bytes, Ordering::SeqCst) + bytes;
        if used > 1000 {
            self.release(bytes);
            return Err(Status::resource_exhausted(format!("{used} of 1000 bytes")));
        }
        self.peak.fetch_max(used, Ordering::SeqCst);
        Ok(())
    }

    fn release(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::SeqCst);
    }
}

fn allocate(frame: &sys::XLA_FFI_CallFrame, size: usize, alignment: usize) -> (Error, *mut u8) {
    let mut allocate = args::<sys::XLA_FFI_DeviceMemory_Allocate_Args>();
    (allocate.ctx, allocate.size, allocate.alignment) = (frame.ctx, size, alignment);
    (call!(frame, XLA_FFI_DeviceMemory_Allocate, &raw mut allocate), allocate.data.cast())
}

handler!(uses_scratch, 5, |frame| {
    let (failed, block) = allocate(frame, 600, 128);
    ensure!(frame, failed.is_null() && block.addr() % 128 == 0);
    // SAFETY: 600 bytes.
    unsafe { block.write_bytes(1, 600) };
    let mut free = args::<sys::XLA_FFI_DeviceMemory_Free_Args>();
    (free.ctx, free.size, free.data) = (frame.ctx, 600, block.cast());
    ensure!(frame, call!(frame, XLA_FFI_DeviceMemory_Free, &raw mut free).is_null());
    let again = call!(frame, XLA_FFI_DeviceMemory_Free, &raw mut free);
    ensure!(frame, read_error(frame, again).0 == 3);
    let (failed, _) = allocate(frame, 900, 1);
    ensure!(frame, failed.is_null());
    // Too much; what is allocated is freed by the host.
    allocate(frame, 101, 1).0
});

#[test]
fn scratch_memory_is_counted_and_freed() {
    let budget = Arc::new(Budget::default());
    let context = RunContext { memory: Some(budget.clone()), ..RunContext::default() };
    let error = run(uses_scratch, &context).unwrap_err();
    assert!(error.code == Code::ResourceExhausted && error.message.contains("1001 of 1000 bytes"), "{error}");
    assert_eq!((budget.peak.load(Ordering::SeqCst), budget.used.load(Ordering::SeqCst)), (900, 0));
}

unsafe extern "C" fn count(data: *mut std::ffi::c_void) {
    // SAFETY: the handler below passes a counter that outlives the task.
    unsafe { &*data.cast::<AtomicUsize>() }.fetch_add(1, Ordering::SeqCst);
}

handler!(schedules, 5, |frame| {
    let counter = AtomicUsize::new(0);
    let mut schedule = args::<sys::XLA_FFI_ThreadPool_Schedule_Args>();
    (schedule.ctx, schedule.data) = (frame.ctx, (&raw const counter).cast_mut().cast());
    schedule.task = Some(count);
    let failed = call!(frame, XLA_FFI_ThreadPool_Schedule, &raw mut schedule);
    if failed.is_null() {
        while counter.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
    }
    failed
});

struct Spawning;

impl ThreadPool for Spawning {
    fn schedule(&self, task: Task) {
        std::thread::spawn(move || task.run());
    }

    fn num_threads(&self) -> usize {
        1
    }
}

struct Panicking;

impl ThreadPool for Panicking {
    fn schedule(&self, _: Task) {
        panic!("no threads today");
    }

    fn num_threads(&self) -> usize {
        1
    }
}

#[test]
fn tasks_run_on_the_pool() {
    let with = |pool: Arc<dyn ThreadPool>| RunContext { thread_pool: Some(pool), ..RunContext::default() };
    run(schedules, &with(Arc::new(Spawning))).unwrap();
    let error = run(schedules, &RunContext::default()).unwrap_err();
    assert!(error.code == Code::Unavailable && error.message.contains("no thread pool"), "{error}");
}

#[test]
fn a_panic_becomes_an_error() {
    let context = RunContext { thread_pool: Some(Arc::new(Panicking)), ..RunContext::default() };
    let error = run(schedules, &context).unwrap_err();
    assert_eq!(error.code, Code::Internal);
    assert_eq!(error.message, "XLA_FFI_ThreadPool_Schedule: panic: no threads today");
}
