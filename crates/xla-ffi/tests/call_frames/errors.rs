//! Errors: of handlers, and of the functions of the table when they are called wrongly.

use crate::guest::*;
use pjrt_client_trait::{Code, Status};
use std::ptr::null_mut;
use xla_ffi::{Attr, Attrs, RunContext, sys};

handler!(fails, 5, |frame| {
    // SAFETY: the test passes one scalar of 32 bits.
    let code = unsafe { *(**frame.attrs.attrs.cast::<*mut sys::XLA_FFI_Scalar>()).value.cast::<u32>() };
    error(frame, sys::XLA_FFI_Error_Code(code), &format!("code {code}: größer als 1"))
});

#[test]
fn code_and_message_come_back() {
    for number in 1..=17 {
        let attrs = Attrs::new([("code".to_owned(), Attr::from(number))]).unwrap();
        let site = site(bundle(fails), &[], &[], attrs).unwrap();
        let code = Code::from_number(number).unwrap_or(Code::Unknown);
        let wanted = Status::new(code, format!("code {number}: größer als 1"));
        assert_eq!(site.execute(&[], &mut [], &RunContext::default()), Err(wanted));
    }
}

handler!(calls_wrongly, 5, |frame| {
    let mut get = args::<sys::XLA_FFI_RunId_Get_Args>();
    let failed = call!(frame, XLA_FFI_RunId_Get, &raw mut get);
    let (code, message) = read_error(frame, failed);
    ensure!(frame, code == 3 && message.contains("XLA_FFI_RunId_Get") && message.contains("context is null"));

    get.struct_size = 8;
    let failed = call!(frame, XLA_FFI_RunId_Get, &raw mut get);
    let (code, message) = read_error(frame, failed);
    ensure!(frame, code == 3 && message.contains("8 bytes, fewer than 32"));

    let failed = call!(frame, XLA_FFI_Stream_Get, null_mut());
    let (code, message) = read_error(frame, failed);
    ensure!(frame, code == 3 && message.contains("XLA_FFI_Stream_Get_Args is null"));

    // A null message is an empty one, and destroying nothing is nothing.
    let mut create = args::<sys::XLA_FFI_Error_Create_Args>();
    create.errc = sys::XLA_FFI_Error_Code::ABORTED;
    let made = call!(frame, XLA_FFI_Error_Create, &raw mut create);
    ensure!(frame, read_error(frame, made) == (10, String::new()));
    let mut nothing = args::<sys::XLA_FFI_Error_Destroy_Args>();
    call!(frame, XLA_FFI_Error_Destroy, &raw mut nothing);
    call!(frame, XLA_FFI_Error_Destroy, null_mut());
    call!(frame, XLA_FFI_Error_GetDetails, null_mut());
    success()
});

#[test]
fn wrong_calls_of_the_table_are_errors() {
    run(calls_wrongly, &RunContext::default()).unwrap();
}

#[test]
fn the_table_is_complete_and_says_its_version() {
    // SAFETY: a static.
    let api = unsafe { &*xla_ffi::api() };
    assert_eq!(api.struct_size, size_of::<sys::XLA_FFI_Api>());
    assert_eq!((api.api_version.major_version, api.api_version.minor_version), (0, 5));
    let words = size_of::<sys::XLA_FFI_Api>() / size_of::<usize>();
    // SAFETY: the table is made of words from its version on, all initialised.
    let slots = unsafe { std::slice::from_raw_parts((&raw const *api).cast::<usize>(), words) };
    let first = std::mem::offset_of!(sys::XLA_FFI_Api, XLA_FFI_Error_Create) / size_of::<usize>();
    assert_eq!(slots[first..].iter().filter(|&&slot| slot != 0).count(), 20);
    assert_eq!(slots[first..].len(), 20);
}
