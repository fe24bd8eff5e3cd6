//! What a handler can ask of its context while it runs.

use super::{XLA_FFI_Attrs, XLA_FFI_Error, XLA_FFI_ExecutionStage, XLA_FFI_Extension, XLA_FFI_TypeId};
use std::ffi::c_void;

/// The context of one call; only the host knows what is in it.
#[repr(C)]
#[derive(Debug)]
pub struct XLA_FFI_InvokeContext {
    _opaque: [u8; 0],
}

/// The end of work that goes on after its handler has returned; only the host knows what is in it.
#[repr(C)]
#[derive(Debug)]
pub struct XLA_FFI_Future {
    _opaque: [u8; 0],
}

/// A task for the thread pool.
pub type XLA_FFI_Task = unsafe extern "C" fn(data: *mut c_void);

structs! { INVOKE:
    /// Arguments of `XLA_FFI_Future_Create`. The result is not counted in its size.
    header XLA_FFI_Future_Create_Args, last extension_start {
        /// Out: the future.
        future: *mut XLA_FFI_Future,
    }
    /// Arguments of `XLA_FFI_Future_SetAvailable`.
    header XLA_FFI_Future_SetAvailable_Args, last future {
        /// The future, for the last time.
        future: *mut XLA_FFI_Future,
    }
    /// Arguments of `XLA_FFI_Future_SetError`.
    header XLA_FFI_Future_SetError_Args, last error {
        /// The future, for the last time.
        future: *mut XLA_FFI_Future,
        /// The error; it now belongs to the host.
        error: *mut XLA_FFI_Error,
    }
    /// Arguments of `XLA_FFI_InvokeContext_FindExtension`.
    header XLA_FFI_InvokeContext_FindExtension_Args, last extension {
        /// The context.
        ctx: *mut XLA_FFI_InvokeContext,
        /// Which extension.
        extension_type: i64,
        /// Out: the extension, or null.
        extension: *const XLA_FFI_Extension,
    }
    /// Arguments of `XLA_FFI_InvokeContext_Get`.
    header XLA_FFI_InvokeContext_Get_Args, last data {
        /// The context.
        ctx: *mut XLA_FFI_InvokeContext,
        /// The type of the user data.
        type_id: *mut XLA_FFI_TypeId,
        /// Out: the user data.
        data: *mut c_void,
    }
    /// Arguments of `XLA_FFI_CustomOptions_Get`.
    header XLA_FFI_CustomOptions_Get_Args, last attrs {
        /// The context.
        ctx: *mut XLA_FFI_InvokeContext,
        /// Out: the options.
        attrs: *const XLA_FFI_Attrs,
    }
    /// Arguments of `XLA_FFI_State_Set`.
    header XLA_FFI_State_Set_Args, last state {
        /// The context.
        ctx: *mut XLA_FFI_InvokeContext,
        /// The stage that makes the state.
        stage: XLA_FFI_ExecutionStage,
        /// Its type.
        type_id: *mut XLA_FFI_TypeId,
        /// The state; it now belongs to the host.
        state: *mut c_void,
    }
    /// Arguments of `XLA_FFI_State_Get`.
    header XLA_FFI_State_Get_Args, last state {
        /// The context.
        ctx: *mut XLA_FFI_InvokeContext,
        /// The stage that made the state.
        stage: XLA_FFI_ExecutionStage,
        /// Its type.
        type_id: *mut XLA_FFI_TypeId,
        /// Out: the state.
        state: *mut c_void,
    }
    /// Arguments of `XLA_FFI_Stream_Get`.
    header XLA_FFI_Stream_Get_Args, last stream {
        /// The context.
        ctx: *mut XLA_FFI_InvokeContext,
        /// Out: the stream.
        stream: *mut c_void,
    }
    /// Arguments of `XLA_FFI_DeviceMemory_Allocate`.
    header XLA_FFI_DeviceMemory_Allocate_Args, last data {
        /// The context.
        ctx: *mut XLA_FFI_InvokeContext,
        /// Bytes.
        size: usize,
        /// Alignment in bytes.
        alignment: usize,
        /// Out: the block.
        data: *mut c_void,
    }
    /// Arguments of `XLA_FFI_DeviceMemory_Free`.
    header XLA_FFI_DeviceMemory_Free_Args, last data {
        /// The context.
        ctx: *mut XLA_FFI_InvokeContext,
        /// Bytes, as allocated.
        size: usize,
        /// The block.
        data: *mut c_void,
    }
    /// Arguments of `XLA_FFI_ThreadPool_Schedule`.
    header XLA_FFI_ThreadPool_Schedule_Args, last data {
        /// The context.
        ctx: *mut XLA_FFI_InvokeContext,
        /// The task.
        task: Option<XLA_FFI_Task>,
        /// What it is called with.
        data: *mut c_void,
    }
    /// Arguments of `XLA_FFI_ThreadPool_NumThreads`.
    header XLA_FFI_ThreadPool_NumThreads_Args, last num_threads {
        /// The context.
        ctx: *mut XLA_FFI_InvokeContext,
        /// Where the number goes.
        num_threads: *mut i64,
    }
    /// Arguments of `XLA_FFI_RunId_Get`.
    header XLA_FFI_RunId_Get_Args, last run_id {
        /// The context.
        ctx: *mut XLA_FFI_InvokeContext,
        /// Out: the number of the logical execution.
        run_id: i64,
    }
    /// Arguments of `XLA_FFI_DeviceOrdinal_Get`.
    header XLA_FFI_DeviceOrdinal_Get_Args, last device_ordinal {
        /// The context.
        ctx: *mut XLA_FFI_InvokeContext,
        /// Out: the device's ordinal.
        device_ordinal: i32,
    }
}
