//! The function table that handlers get: every function checks the size of its arguments, turns errors into error
//! objects, and lets no panic out.

pub(crate) mod current_call;
mod errors;
mod invoke;
mod registration;
mod resources;
mod states;

use crate::error_object::ErrorObject;
use crate::sys::{self, SizedStruct};
use pjrt_client_trait::{Result, Status};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{null, null_mut};

/// The table. A static: nobody owns it. A backend can lend it to libraries that register handlers
/// themselves, and types if they were compiled for 0.2 or later (before that the arguments are shorter without saying).
pub fn api() -> *const sys::XLA_FFI_Api {
    &raw const API
}

static API: sys::XLA_FFI_Api = sys::XLA_FFI_Api {
    struct_size: sys::XLA_FFI_Api::STRUCT_SIZE,
    extension_start: null_mut(),
    api_version: sys::XLA_FFI_Api_Version {
        struct_size: sys::XLA_FFI_Api_Version::STRUCT_SIZE,
        extension_start: null_mut(),
        major_version: sys::XLA_FFI_API_MAJOR,
        minor_version: sys::XLA_FFI_API_MINOR,
    },
    internal_api: null(),
    XLA_FFI_Error_Create: Some(errors::error_create),
    XLA_FFI_Error_GetDetails: Some(errors::error_get_details),
    XLA_FFI_Error_Destroy: Some(errors::error_destroy),
    XLA_FFI_Handler_Register: Some(registration::handler_register),
    XLA_FFI_Stream_Get: Some(resources::stream_get),
    XLA_FFI_Type_Register: Some(registration::type_register),
    XLA_FFI_InvokeContext_Get: Some(invoke::invoke_context_get),
    XLA_FFI_State_Set: Some(states::state_set),
    XLA_FFI_State_Get: Some(states::state_get),
    XLA_FFI_DeviceMemory_Allocate: Some(resources::device_memory_allocate),
    XLA_FFI_DeviceMemory_Free: Some(resources::device_memory_free),
    XLA_FFI_ThreadPool_Schedule: Some(resources::thread_pool_schedule),
    XLA_FFI_ThreadPool_NumThreads: Some(resources::thread_pool_num_threads),
    XLA_FFI_Future_Create: Some(invoke::future_create),
    XLA_FFI_Future_SetAvailable: Some(invoke::future_set_available),
    XLA_FFI_Future_SetError: Some(invoke::future_set_error),
    XLA_FFI_RunId_Get: Some(invoke::run_id_get),
    XLA_FFI_DeviceOrdinal_Get: Some(invoke::device_ordinal_get),
    XLA_FFI_InvokeContext_FindExtension: Some(invoke::invoke_context_find_extension),
    XLA_FFI_CustomOptions_Get: Some(invoke::custom_options_get),
};

/// Runs the body of a function of the table; its error, or its panic, becomes an error object.
fn guard(name: &str, body: impl FnOnce() -> Result<()>) -> *mut sys::XLA_FFI_Error {
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no text");
        Err(Status::internal(format!("panic: {text}")))
    });
    match outcome {
        Ok(()) => null_mut(),
        Err(status) => ErrorObject::from(status.context(name)).into_raw(),
    }
}

/// The arguments of a function of the table, if they have the size of this form of them.
///
/// # Safety
/// `args` is null or points at a struct that begins with its size, whose fields up to that size are those of `T`, that
/// has the room of a whole `T` if the size is at least that of `T`, and that nobody else uses for `'a`.
unsafe fn checked<'a, T: SizedStruct>(args: *mut T) -> Result<&'a mut T> {
    if args.is_null() {
        return Err(Status::invalid_argument(format!("{} is null", T::NAME)));
    }
    // SAFETY: not null, so it begins with its size.
    let size = unsafe { args.cast::<usize>().read() };
    if size < T::STRUCT_SIZE {
        return Err(Status::invalid_argument(format!("{} has {size} bytes, fewer than {}", T::NAME, T::STRUCT_SIZE)));
    }
    // SAFETY: large enough, and otherwise what the caller promises.
    Ok(unsafe { &mut *args })
}

/// Functions of the table that can fail: name in C, arguments in their newest form, body.
macro_rules! functions {
    ($($function:ident = $name:literal($args:ident: $type:ident) $body:block)*) => {$(
        pub(super) unsafe extern "C" fn $function(args: *mut $crate::sys::$type) -> *mut $crate::sys::XLA_FFI_Error {
            $crate::api::guard($name, || {
                // SAFETY: by the contract of the C API the caller passes such a struct for the time of the call.
                let $args = unsafe { $crate::api::checked(args) }?;
                $body
            })
        }
    )*};
}
use functions;
