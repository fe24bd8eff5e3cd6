//! `XLA_FFI_Error`: a code and a terminated message behind an opaque pointer.

use crate::sys;
use pjrt_client_trait::{Code, Status};
use std::ffi::CString;

/// What an `XLA_FFI_Error` pointer of ours points at.
pub(crate) struct ErrorObject {
    pub(crate) code: sys::XLA_FFI_Error_Code,
    pub(crate) message: CString,
}

impl ErrorObject {
    /// A new error object, owned by whoever holds the pointer.
    pub(crate) fn into_raw(self) -> *mut sys::XLA_FFI_Error {
        Box::into_raw(Box::new(self)).cast()
    }

    /// The object behind a pointer.
    ///
    /// # Safety
    /// The pointer came from [`ErrorObject::into_raw`] and was not freed.
    pub(crate) unsafe fn get<'a>(error: *mut sys::XLA_FFI_Error) -> &'a ErrorObject {
        // SAFETY: what the caller promises.
        unsafe { &*error.cast::<ErrorObject>() }
    }

    /// Takes the object back; the pointer is dead afterwards.
    ///
    /// # Safety
    /// The pointer came from [`ErrorObject::into_raw`], was not freed, and is given up by the caller.
    pub(crate) unsafe fn from_raw(error: *mut sys::XLA_FFI_Error) -> ErrorObject {
        // SAFETY: what the caller promises.
        *unsafe { Box::from_raw(error.cast::<ErrorObject>()) }
    }

    /// The error as a status. A code outside the canonical range is UNKNOWN.
    pub(crate) fn into_status(self) -> Status {
        let code = Code::from_number(self.code.0).unwrap_or(Code::Unknown);
        Status::new(code, self.message.to_string_lossy())
    }
}

impl From<Status> for ErrorObject {
    fn from(status: Status) -> Self {
        // The C form ends at a zero byte; a message that holds one is shown with it replaced.
        let message = CString::new(status.message.replace('\0', "\u{fffd}")).unwrap_or_default();
        ErrorObject { code: sys::XLA_FFI_Error_Code(status.code as u32), message }
    }
}
