//! What executions use: streams (there are none on a host), scratch memory, threads.

use crate::invoke_context::InvokeContext;
use crate::thread_pool::{Task, ThreadPool};
use pjrt_client_trait::{Result, Status};

super::functions! {
    stream_get = "XLA_FFI_Stream_Get"(args: XLA_FFI_Stream_Get_Args) {
        args.stream = std::ptr::null_mut();
        Err(Status::unimplemented("this platform has no streams: handlers run on host threads and host memory"))
    }

    device_memory_allocate = "XLA_FFI_DeviceMemory_Allocate"(args: XLA_FFI_DeviceMemory_Allocate_Args) {
        // SAFETY: contexts come from call frames and live as long as the call.
        args.data = unsafe { InvokeContext::get(args.ctx) }?.scratch()?.allocate(args.size, args.alignment)?;
        Ok(())
    }

    device_memory_free = "XLA_FFI_DeviceMemory_Free"(args: XLA_FFI_DeviceMemory_Free_Args) {
        // SAFETY: as above.
        unsafe { InvokeContext::get(args.ctx) }?.scratch()?.free(args.data, args.size)
    }

    thread_pool_schedule = "XLA_FFI_ThreadPool_Schedule"(args: XLA_FFI_ThreadPool_Schedule_Args) {
        // SAFETY: as above.
        let pool = pool(unsafe { InvokeContext::get(args.ctx) }?)?;
        let task = args.task.ok_or_else(|| Status::invalid_argument("the task is null"))?;
        // SAFETY: that is what scheduling says: the task may be called once, on any thread.
        pool.schedule(unsafe { Task::new(task, args.data) });
        Ok(())
    }

    thread_pool_num_threads = "XLA_FFI_ThreadPool_NumThreads"(args: XLA_FFI_ThreadPool_NumThreads_Args) {
        // SAFETY: as above.
        let pool = pool(unsafe { InvokeContext::get(args.ctx) }?)?;
        // SAFETY: null or a number that the caller owns.
        let count = unsafe { args.num_threads.as_mut() };
        *count.ok_or_else(|| Status::invalid_argument("the number is null"))? = pool.num_threads() as i64;
        Ok(())
    }
}

fn pool(context: &InvokeContext) -> Result<&dyn ThreadPool> {
    let pool = context.run.thread_pool.as_deref();
    pool.ok_or_else(|| Status::unavailable("this execution has no thread pool; run tasks on the calling thread"))
}
