//! What handlers ask of their context, and futures.

use crate::error_object::ErrorObject;
use crate::future::Future;
use crate::invoke_context::InvokeContext;
use crate::sys;
use crate::type_registry::describe;
use pjrt_client_trait::{Result, Status};
use std::ptr::null_mut;

/// No attributes at all: the options of executions that were given none.
struct NoOptions(sys::XLA_FFI_Attrs);

// SAFETY: all pointers in it are null.
unsafe impl Sync for NoOptions {}

static NO_OPTIONS: NoOptions = NoOptions(sys::XLA_FFI_Attrs {
    struct_size: sys::XLA_FFI_Attrs::STRUCT_SIZE,
    extension_start: null_mut(),
    size: 0,
    types: null_mut(),
    names: null_mut(),
    attrs: null_mut(),
});

super::functions! {
    invoke_context_get = "XLA_FFI_InvokeContext_Get"(args: XLA_FFI_InvokeContext_Get_Args) {
        // SAFETY: contexts come from call frames and live as long as the call.
        let context = unsafe { InvokeContext::get(args.ctx) }?;
        // SAFETY: a number that the caller owns, or null.
        let type_id = unsafe { number(args.type_id) }?;
        let data = context.run.user_data.as_ref().and_then(|user_data| user_data.user_data(type_id));
        let missing = || Status::not_found(format!("this execution has no user data of type {}", describe(type_id)));
        args.data = std::ptr::with_exposed_provenance_mut(data.ok_or_else(missing)?.0);
        Ok(())
    }

    invoke_context_find_extension =
        "XLA_FFI_InvokeContext_FindExtension"(args: XLA_FFI_InvokeContext_FindExtension_Args) {
        // SAFETY: as above.
        args.extension = unsafe { InvokeContext::get(args.ctx) }?.run.extensions.find(args.extension_type);
        Ok(())
    }

    custom_options_get = "XLA_FFI_CustomOptions_Get"(args: XLA_FFI_CustomOptions_Get_Args) {
        // SAFETY: as above.
        let options = unsafe { InvokeContext::get(args.ctx) }?.run.custom_options.as_ref();
        args.attrs = options.map_or(&raw const NO_OPTIONS.0, |options| options.as_raw());
        Ok(())
    }

    run_id_get = "XLA_FFI_RunId_Get"(args: XLA_FFI_RunId_Get_Args) {
        // SAFETY: as above.
        let run_id = unsafe { InvokeContext::get(args.ctx) }?.run.run_id;
        args.run_id = run_id.ok_or_else(|| Status::failed_precondition("this call has no run id"))?;
        Ok(())
    }

    device_ordinal_get = "XLA_FFI_DeviceOrdinal_Get"(args: XLA_FFI_DeviceOrdinal_Get_Args) {
        // SAFETY: as above.
        let ordinal = unsafe { InvokeContext::get(args.ctx) }?.run.device_ordinal;
        args.device_ordinal = ordinal.ok_or_else(|| Status::failed_precondition("this call has no device"))?;
        Ok(())
    }

    future_create = "XLA_FFI_Future_Create"(args: XLA_FFI_Future_Create_Args) {
        args.future = Future::create();
        Ok(())
    }

    future_set_available = "XLA_FFI_Future_SetAvailable"(args: XLA_FFI_Future_SetAvailable_Args) {
        if args.future.is_null() {
            return Err(Status::invalid_argument("the future is null"));
        }
        // SAFETY: futures come from this table; the handler uses this one for the last time.
        unsafe { Future::complete(args.future, Ok(())) };
        Ok(())
    }

    future_set_error = "XLA_FFI_Future_SetError"(args: XLA_FFI_Future_SetError_Args) {
        if args.future.is_null() || args.error.is_null() {
            return Err(Status::invalid_argument("the future or its error is null"));
        }
        // SAFETY: errors come from this table, and the handler gives this one up.
        let status = unsafe { ErrorObject::from_raw(args.error) }.into_status();
        // SAFETY: futures come from this table; the handler uses this one for the last time.
        unsafe { Future::complete(args.future, Err(status)) };
        Ok(())
    }
}

/// # Safety
/// `type_id` is null or readable.
pub(super) unsafe fn number(type_id: *mut sys::XLA_FFI_TypeId) -> Result<i64> {
    // SAFETY: what the caller promises.
    match unsafe { type_id.as_ref() } {
        Some(id) if id.type_id != 0 => Ok(id.type_id),
        Some(_) => Err(Status::failed_precondition("a type is used that was not registered (its number is 0)")),
        None => Err(Status::invalid_argument("the type id is null")),
    }
}
