//! `PJRT_Error`: a function table, then our status. Errors of others are read through their own tables.

use crate::lent::Constant;
use pjrt_client_trait::{Code, Status};
use pjrt_sys as sys;
use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::mem::offset_of;

/// What a `PJRT_Error` of ours really is.
#[repr(C)]
struct ErrorObject {
    base: sys::PJRT_Error,
    status: Status,
}

const _: () = assert!(offset_of!(ErrorObject, base) == 0);

static TABLE: Constant<sys::PJRT_Error_FunctionTable> = Constant(sys::PJRT_Error_FunctionTable {
    struct_size: <sys::PJRT_Error_FunctionTable as sys::Struct>::STRUCT_SIZE,
    extension_start: std::ptr::null_mut(),
    instance_size: size_of::<sys::PJRT_Error>(),
    destroy: Some(destroy),
    message: Some(message),
    get_code: Some(get_code),
    for_each_payload: Some(for_each_payload),
});

/// Hands an error to the caller, who owns it.
pub(crate) fn into_raw(status: Status) -> *mut sys::PJRT_Error {
    Box::into_raw(Box::new(ErrorObject { base: sys::PJRT_Error { vtable: &raw const TABLE.0 }, status })).cast()
}

unsafe extern "C" fn destroy(error: *mut sys::PJRT_Error) {
    // SAFETY: this table is only in objects made by `into_raw`, and the owner destroys each once.
    drop(unsafe { Box::from_raw(error.cast::<ErrorObject>()) });
}

/// # Safety
/// `error` must be a live error made by [`into_raw`].
unsafe fn status_of<'a>(error: *const sys::PJRT_Error) -> &'a Status {
    // SAFETY: the contract of this function.
    unsafe { &(*error.cast::<ErrorObject>()).status }
}

unsafe extern "C" fn message(error: *const sys::PJRT_Error, text: *mut *const c_char, size: *mut usize) {
    // SAFETY: this table is only in objects made by `into_raw`.
    let status = unsafe { status_of(error) };
    // SAFETY: the caller passes two places to write to.
    unsafe { text.write(status.message.as_ptr().cast()) };
    // SAFETY: as above.
    unsafe { size.write(status.message.len()) };
}

unsafe extern "C" fn get_code(error: *const sys::PJRT_Error) -> sys::PJRT_Error_Code {
    // SAFETY: this table is only in objects made by `into_raw`.
    sys::PJRT_Error_Code(unsafe { status_of(error) }.code as u32)
}

unsafe extern "C" fn for_each_payload(
    error: *const sys::PJRT_Error,
    visitor: sys::PJRT_Error_PayloadVisitor,
    user_arg: *mut c_void,
) {
    let Some(visitor) = visitor else { return };
    // SAFETY: this table is only in objects made by `into_raw`.
    for (key, value) in &unsafe { status_of(error) }.payloads {
        // SAFETY: the visitor is the caller's and gets what the header says.
        unsafe { visitor(key.as_ptr().cast(), key.len(), value.as_ptr().cast(), value.len(), user_arg) };
    }
}

/// The function table of any error.
///
/// # Safety
/// `error` must be a live `PJRT_Error` of anybody, made by version 0.107 or later of the API.
pub(crate) unsafe fn table<'a>(error: *const sys::PJRT_Error) -> &'a sys::PJRT_Error_FunctionTable {
    // SAFETY: since 0.107 every error begins with a pointer to its table, which lives as long as its maker.
    unsafe { &*(*error).vtable }
}

/// # Safety
/// `data` must be null, or point to `size` bytes that live and stay as they are for `'a`.
unsafe fn bytes<'a>(data: *const c_char, size: usize) -> &'a [u8] {
    if data.is_null() {
        return &[];
    }
    // SAFETY: not null; the rest is the contract of this function.
    unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) }
}

/// A payload visitor that adds to the map behind `payloads`.
unsafe extern "C" fn keep_payload(
    key: *const c_char,
    key_size: usize,
    value: *const c_char,
    value_size: usize,
    payloads: *mut c_void,
) {
    // SAFETY: `take` is the only user of this visitor, and passes a map that is its alone for the visit.
    let payloads = unsafe { &mut *payloads.cast::<BTreeMap<String, Vec<u8>>>() };
    // SAFETY: key and value are the error's for the visit.
    let (key, value) = unsafe { (bytes(key, key_size), bytes(value, value_size)) };
    payloads.insert(String::from_utf8_lossy(key).into_owned(), value.to_vec());
}

/// Takes over an error that a callback of the framework returned; `Ok` for null.
///
/// # Safety
/// `error` must be null or a live error that the caller owns and gives away.
pub(crate) unsafe fn take(error: *mut sys::PJRT_Error) -> Result<(), Status> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: live, by contract.
    let table = unsafe { table(error) };
    let code = table.get_code.map_or(Code::Unknown, |get_code| {
        // SAFETY: live, by contract; the function is of the error's own table.
        Code::from_number(unsafe { get_code(error) }.0).unwrap_or(Code::Unknown)
    });
    let (mut text, mut size) = (std::ptr::null(), 0);
    if let Some(message) = table.message {
        // SAFETY: live, by contract; both places are ours.
        unsafe { message(error, &raw mut text, &raw mut size) };
    }
    // SAFETY: the message lives as long as the error.
    let mut status = Status::new(code, String::from_utf8_lossy(unsafe { bytes(text, size) }));
    if let Some(for_each_payload) = table.for_each_payload {
        let payloads = (&raw mut status.payloads).cast();
        // SAFETY: live, by contract; the visitor gets the map that it expects, and nobody else uses it meanwhile.
        unsafe { for_each_payload(error, Some(keep_payload), payloads) };
    }
    if let Some(destroy) = table.destroy {
        // SAFETY: owned, by contract, and not used after.
        unsafe { destroy(error) };
    }
    Err(status)
}

/// The `PJRT_CallbackError` that frameworks make errors with: our representation, their text.
pub(crate) unsafe extern "C" fn callback_error(
    code: sys::PJRT_Error_Code,
    message: *const c_char,
    message_size: usize,
) -> *mut sys::PJRT_Error {
    // SAFETY: the caller lends `message_size` bytes.
    let text = String::from_utf8_lossy(unsafe { bytes(message, message_size) });
    into_raw(Status::new(Code::from_number(code.0).unwrap_or(Code::Unknown), text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_taken_over_is_the_error_that_was_made() {
        let made = Status::unavailable("busy").with_payload("retry", *b"later\0").with_payload("", Vec::new());
        // SAFETY: a live error of which we are the only owner.
        assert_eq!(unsafe { take(into_raw(made.clone())) }, Err(made));
        // SAFETY: null is no error.
        assert_eq!(unsafe { take(std::ptr::null_mut()) }, Ok(()));
    }
}
