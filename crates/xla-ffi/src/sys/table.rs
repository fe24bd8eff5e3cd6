//! The table of the host's functions that every call frame carries.

use super::*;
use std::ffi::c_void;

/// A function of the table that can fail.
pub type Fallible<T> = Option<unsafe extern "C" fn(args: *mut T) -> *mut XLA_FFI_Error>;
/// A function of the table that cannot.
pub type Infallible<T> = Option<unsafe extern "C" fn(args: *mut T)>;

structs! { TABLE:
    /// The host's functions.
    header XLA_FFI_Api, last XLA_FFI_CustomOptions_Get {
        /// The version of this table.
        api_version: XLA_FFI_Api_Version,
        /// Functions between XLA and code compiled with it; null elsewhere.
        internal_api: *const c_void,
        /// Makes an error.
        XLA_FFI_Error_Create: Option<unsafe extern "C" fn(args: *mut XLA_FFI_Error_Create_Args) -> *mut XLA_FFI_Error>,
        /// Reads an error. Up to 0.3 `XLA_FFI_Error_GetMessage`, with smaller arguments.
        XLA_FFI_Error_GetDetails: Infallible<XLA_FFI_Error_GetDetails_Args>,
        /// Frees an error.
        XLA_FFI_Error_Destroy: Infallible<XLA_FFI_Error_Destroy_Args>,
        /// Registers a handler.
        XLA_FFI_Handler_Register: Fallible<XLA_FFI_Handler_Register_Args>,
        /// The stream of the device.
        XLA_FFI_Stream_Get: Fallible<XLA_FFI_Stream_Get_Args>,
        /// Registers a type. Up to 0.1 `XLA_FFI_TypeId_Register`.
        XLA_FFI_Type_Register: Fallible<XLA_FFI_Type_Register_Args>,
        /// User data. Up to 0.3 `XLA_FFI_ExecutionContext_Get`.
        XLA_FFI_InvokeContext_Get: Fallible<XLA_FFI_InvokeContext_Get_Args>,
        /// Gives the host a state to keep.
        XLA_FFI_State_Set: Fallible<XLA_FFI_State_Set_Args>,
        /// The state that an earlier stage made.
        XLA_FFI_State_Get: Fallible<XLA_FFI_State_Get_Args>,
        /// Scratch memory.
        XLA_FFI_DeviceMemory_Allocate: Fallible<XLA_FFI_DeviceMemory_Allocate_Args>,
        /// Gives scratch memory back.
        XLA_FFI_DeviceMemory_Free: Fallible<XLA_FFI_DeviceMemory_Free_Args>,
        /// Runs a task on the host's threads.
        XLA_FFI_ThreadPool_Schedule: Fallible<XLA_FFI_ThreadPool_Schedule_Args>,
        /// How many threads there are.
        XLA_FFI_ThreadPool_NumThreads: Fallible<XLA_FFI_ThreadPool_NumThreads_Args>,
        /// Makes a future.
        XLA_FFI_Future_Create: Fallible<XLA_FFI_Future_Create_Args>,
        /// Completes a future.
        XLA_FFI_Future_SetAvailable: Fallible<XLA_FFI_Future_SetAvailable_Args>,
        /// Completes a future with an error.
        XLA_FFI_Future_SetError: Fallible<XLA_FFI_Future_SetError_Args>,
        /// The logical execution. Since a late 0.1.
        XLA_FFI_RunId_Get: Fallible<XLA_FFI_RunId_Get_Args>,
        /// The device. Since a late 0.1.
        XLA_FFI_DeviceOrdinal_Get: Fallible<XLA_FFI_DeviceOrdinal_Get_Args>,
        /// An extension of the context. Since 0.4.
        XLA_FFI_InvokeContext_FindExtension: Fallible<XLA_FFI_InvokeContext_FindExtension_Args>,
        /// Options of the execution. Since 0.5.
        XLA_FFI_CustomOptions_Get: Fallible<XLA_FFI_CustomOptions_Get_Args>,
    }
}

// SAFETY: the table holds function addresses, numbers, and pointers that are null.
unsafe impl Sync for XLA_FFI_Api {}
