//! Error objects: create, read, destroy.

use super::{checked, guard};
use crate::error_object::ErrorObject;
use crate::sys;
use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Unlike its siblings this returns the error that was asked for.
pub(super) unsafe extern "C" fn error_create(args: *mut sys::XLA_FFI_Error_Create_Args) -> *mut sys::XLA_FFI_Error {
    let mut created = std::ptr::null_mut();
    let failed = guard("XLA_FFI_Error_Create", || {
        // SAFETY: by the contract of the C API the caller passes such a struct for the time of the call.
        let args = unsafe { checked(args) }?;
        let message = if args.message.is_null() {
            c"".to_owned()
        } else {
            // SAFETY: not null, so it is a terminated text.
            unsafe { CStr::from_ptr(args.message) }.to_owned()
        };
        created = ErrorObject { code: args.errc, message }.into_raw();
        Ok(())
    });
    if failed.is_null() { created } else { failed }
}

/// Serves the smaller arguments of 0.3 and before as well, which have no code.
pub(super) unsafe extern "C" fn error_get_details(args: *mut sys::XLA_FFI_Error_GetDetails_Args) {
    // A failure cannot be reported here; a null argument leaves everything as it is.
    _ = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: by the contract of the C API the caller passes such a struct for the time of the call.
        let Ok(old) = (unsafe { checked(args.cast::<sys::XLA_FFI_Error_GetMessage_Args>()) }) else { return };
        if old.error.is_null() {
            return;
        }
        // SAFETY: errors come from the functions of this table, and live until they are destroyed.
        let error = unsafe { ErrorObject::get(old.error) };
        old.message = error.message.as_ptr();
        // SAFETY: as above.
        if let Ok(new) = unsafe { checked(args) } {
            new.errc = error.code;
        }
    }));
}

pub(super) unsafe extern "C" fn error_destroy(args: *mut sys::XLA_FFI_Error_Destroy_Args) {
    _ = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: by the contract of the C API the caller passes such a struct for the time of the call.
        let Ok(args) = (unsafe { checked(args) }) else { return };
        if !args.error.is_null() {
            // SAFETY: errors come from the functions of this table; the caller gives this one up.
            drop(unsafe { ErrorObject::from_raw(args.error) });
        }
    }));
}
