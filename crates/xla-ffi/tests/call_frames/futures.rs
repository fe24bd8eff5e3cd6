//! Handlers that finish later.

use crate::guest::*;
use pjrt_client_trait::Code;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use xla_ffi::{Attrs, RunContext, Task, ThreadPool, sys};

/// Runs tasks on a thread of its own, when it is told to.
#[derive(Default)]
struct Held(Mutex<Vec<Task>>);

impl ThreadPool for Held {
    fn schedule(&self, task: Task) {
        self.0.lock().unwrap().push(task);
    }

    fn num_threads(&self) -> usize {
        3
    }
}

impl Held {
    fn run_all(&self) {
        let tasks = std::mem::take(&mut *self.0.lock().unwrap());
        std::thread::spawn(move || tasks.into_iter().for_each(Task::run)).join().unwrap();
    }
}

/// What the task needs: all of it belongs to the host until the future is complete.
struct Work {
    frame: *mut sys::XLA_FFI_CallFrame,
    future: *mut sys::XLA_FFI_Future,
}

unsafe extern "C" fn finish(data: *mut std::ffi::c_void) {
    // SAFETY: scheduled once, with a boxed `Work`.
    let Work { frame, future } = *unsafe { Box::from_raw(data.cast::<Work>()) };
    // SAFETY: the host keeps frame, context and buffers until the future is complete.
    let frame = unsafe { &mut *frame };
    let value = floats(argument(frame, 0))[0];
    let mut allocate = args::<sys::XLA_FFI_DeviceMemory_Allocate_Args>();
    (allocate.ctx, allocate.size, allocate.alignment) = (frame.ctx, 100, 8);
    assert!(call!(frame, XLA_FFI_DeviceMemory_Allocate, &raw mut allocate).is_null(), "the context is alive");
    if value < 0.0 {
        let mut done = args::<sys::XLA_FFI_Future_SetError_Args>();
        done.future = future;
        done.error = error(frame, sys::XLA_FFI_Error_Code::DATA_LOSS, "negative");
        assert!(call!(frame, XLA_FFI_Future_SetError, &raw mut done).is_null());
        return;
    }
    floats(result(frame, 0))[0] = value + 1.0;
    let mut done = args::<sys::XLA_FFI_Future_SetAvailable_Args>();
    done.future = future;
    assert!(call!(frame, XLA_FFI_Future_SetAvailable, &raw mut done).is_null());
}

fn schedule(frame: Frame<'_>) -> Error {
    let mut create = args::<sys::XLA_FFI_Future_Create_Args>();
    ensure!(frame, call!(frame, XLA_FFI_Future_Create, &raw mut create).is_null());
    let mut threads = 0;
    let mut count = args::<sys::XLA_FFI_ThreadPool_NumThreads_Args>();
    (count.ctx, count.num_threads) = (frame.ctx, &raw mut threads);
    ensure!(frame, call!(frame, XLA_FFI_ThreadPool_NumThreads, &raw mut count).is_null());
    ensure!(frame, threads == 3);
    let work = Box::new(Work { frame: &raw mut *frame, future: create.future });
    let mut schedule = args::<sys::XLA_FFI_ThreadPool_Schedule_Args>();
    (schedule.ctx, schedule.data) = (frame.ctx, Box::into_raw(work).cast());
    schedule.task = Some(finish);
    ensure!(frame, call!(frame, XLA_FFI_ThreadPool_Schedule, &raw mut schedule).is_null());
    frame.future = create.future;
    success()
}

handler!(later, 5, schedule);

#[test]
fn the_event_waits_for_the_future() {
    let pool = Arc::new(Held::default());
    let context = RunContext { thread_pool: Some(pool.clone()), ..RunContext::default() };
    let site = site(bundle(later), &[&[1]], &[&[1]], Attrs::new([]).unwrap()).unwrap();
    for (input, outcome) in [(41.0f32, Ok(())), (-1.0, Err(Code::DataLoss)), (1.0, Ok(()))] {
        let (argument, mut result) = ([input], [0.0f32]);
        let arguments = [argument.as_ptr().cast::<u8>()];
        let results = [result.as_mut_ptr().cast::<u8>()];
        // SAFETY: both outlive the event.
        let event = unsafe { site.start(&arguments, &results, &context) };
        assert!(!event.is_ready());
        pool.run_all();
        assert_eq!(event.wait().map_err(|status| status.code), outcome);
        assert_eq!(result[0], if input < 0.0 { 0.0 } else { input + 1.0 });
    }
}

#[test]
fn the_call_outlives_its_handles() {
    let pool = Arc::new(Held::default());
    let context = RunContext { thread_pool: Some(pool.clone()), ..RunContext::default() };
    let site = site(bundle(later), &[&[1]], &[&[1]], Attrs::new([]).unwrap()).unwrap();
    let (argument, mut result) = ([1.0f32], [0.0f32]);
    let (arguments, results) = ([argument.as_ptr().cast::<u8>()], [result.as_mut_ptr().cast::<u8>()]);
    // SAFETY: both outlive the work, which is done below.
    let event = unsafe { site.start(&arguments, &results, &context) };
    let (sender, receiver) = mpsc::channel();
    event.on_ready(move |outcome| sender.send(outcome).unwrap());
    drop((event, site, context));
    pool.run_all();
    receiver.recv().unwrap().unwrap();
    assert_eq!(result, [2.0]);
}

#[test]
fn a_panic_of_those_who_wait_is_not_the_handlers() {
    let pool = Arc::new(Held::default());
    let context = RunContext { thread_pool: Some(pool.clone()), ..RunContext::default() };
    let site = site(bundle(later), &[&[1]], &[&[1]], Attrs::new([]).unwrap()).unwrap();
    let (argument, mut result) = ([1.0f32], [0.0f32]);
    let (arguments, results) = ([argument.as_ptr().cast::<u8>()], [result.as_mut_ptr().cast::<u8>()]);
    // SAFETY: both outlive the work, which is done below.
    let event = unsafe { site.start(&arguments, &results, &context) };
    event.on_ready(|_| panic!("on purpose"));
    // The task itself checks that completing the future has not failed.
    pool.run_all();
    assert_eq!((event.wait(), result), (Ok(()), [2.0]));
}

/// Runs tasks at once.
struct Inline;

impl ThreadPool for Inline {
    fn schedule(&self, task: Task) {
        task.run();
    }

    fn num_threads(&self) -> usize {
        3
    }
}

#[test]
fn a_future_may_be_complete_before_the_handler_returns() {
    let context = RunContext { thread_pool: Some(Arc::new(Inline)), ..RunContext::default() };
    let site = site(bundle(later), &[&[1]], &[&[1]], Attrs::new([]).unwrap()).unwrap();
    let mut result = [0.0f32];
    site.execute(&[bytes(&[4.0])], &mut [bytes_mut(&mut result)], &context).unwrap();
    assert_eq!(result, [5.0]);
    let error = site.execute(&[bytes(&[-4.0])], &mut [bytes_mut(&mut result)], &context).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Code::DataLoss, "negative"));
}
