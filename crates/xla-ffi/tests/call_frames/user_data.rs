//! User data, run id, device, extensions: what an execution brings along.

use crate::guest::*;
use pjrt_client_trait::{Code, ExecuteContext, UserData, UserDataContext};
use std::sync::Arc;
use xla_ffi::{RunContext, sys};

handler!(finds_user_data, 5, |frame| {
    let mut id = sys::XLA_FFI_TypeId { type_id: 41 };
    let mut get = args::<sys::XLA_FFI_InvokeContext_Get_Args>();
    (get.ctx, get.type_id) = (frame.ctx, &raw mut id);
    let failed = call!(frame, XLA_FFI_InvokeContext_Get, &raw mut get);
    if !failed.is_null() {
        return failed;
    }
    // SAFETY: the test attached a number of 32 bits under this type.
    let found = unsafe { *get.data.cast::<u32>() };
    error(frame, sys::XLA_FFI_Error_Code::CANCELLED, &format!("found {found}"))
});

#[test]
fn user_data_are_found_by_type() {
    let number = 1234u32;
    let user_data = UserDataContext::default();
    user_data.add_user_data(41, UserData((&raw const number).expose_provenance())).unwrap();
    let context = RunContext { user_data: Some(Arc::new(user_data)), ..RunContext::default() };
    assert_eq!(run(finds_user_data, &context).unwrap_err().message, "found 1234");

    for user_data in [None, Some(Arc::new(UserDataContext::default()) as Arc<dyn ExecuteContext>)] {
        let error = run(finds_user_data, &RunContext { user_data, ..RunContext::default() }).unwrap_err();
        assert_eq!(error.code, Code::NotFound);
        assert!(error.message.contains("number 41"), "{error}");
    }
}

handler!(forgot_to_register, 5, |frame| {
    let mut id = sys::XLA_FFI_TypeId { type_id: 0 };
    let mut get = args::<sys::XLA_FFI_InvokeContext_Get_Args>();
    (get.ctx, get.type_id) = (frame.ctx, &raw mut id);
    call!(frame, XLA_FFI_InvokeContext_Get, &raw mut get)
});

#[test]
fn a_type_without_a_number_is_an_error() {
    let error = run(forgot_to_register, &RunContext::default()).unwrap_err();
    assert!(error.code == Code::FailedPrecondition && error.message.contains("not registered"), "{error}");
}

handler!(asks_where_it_runs, 5, |frame| {
    let mut run_id = args::<sys::XLA_FFI_RunId_Get_Args>();
    run_id.ctx = frame.ctx;
    let failed = call!(frame, XLA_FFI_RunId_Get, &raw mut run_id);
    if !failed.is_null() {
        return failed;
    }
    let mut device = args::<sys::XLA_FFI_DeviceOrdinal_Get_Args>();
    device.ctx = frame.ctx;
    let failed = call!(frame, XLA_FFI_DeviceOrdinal_Get, &raw mut device);
    if !failed.is_null() {
        return failed;
    }
    ensure!(frame, (run_id.run_id, device.device_ordinal) == (-5, 3));
    success()
});

#[test]
fn handlers_learn_run_and_device() {
    let context = RunContext { run_id: Some(-5), device_ordinal: Some(3), ..RunContext::default() };
    run(asks_where_it_runs, &context).unwrap();
    let error = run(asks_where_it_runs, &RunContext { device_ordinal: None, ..context }).unwrap_err();
    assert!(error.code == Code::FailedPrecondition && error.message.contains("no device"), "{error}");
    assert_eq!(run(asks_where_it_runs, &RunContext::default()).unwrap_err().code, Code::FailedPrecondition);
}

handler!(finds_extension, 5, |frame| {
    let mut find = args::<sys::XLA_FFI_InvokeContext_FindExtension_Args>();
    (find.ctx, find.extension_type) = (frame.ctx, 900);
    ensure!(frame, call!(frame, XLA_FFI_InvokeContext_FindExtension, &raw mut find).is_null());
    // SAFETY: null or the test's extension.
    let version = unsafe { find.extension.as_ref() }.map_or(0, |extension| extension.id.minor_version);
    error(frame, sys::XLA_FFI_Error_Code::CANCELLED, &format!("version {version}"))
});

#[test]
fn extensions_are_found_by_type() {
    let id = sys::XLA_FFI_ExtensionId { extension_type: 900, major_version: 0, minor_version: 7 };
    let extension =
        sys::XLA_FFI_Extension { struct_size: sys::XLA_FFI_Extension::STRUCT_SIZE, id, next: std::ptr::null() };
    let mut context = RunContext::default();
    assert_eq!(run(finds_extension, &context).unwrap_err().message, "version 0");
    // SAFETY: the extension outlives the call below.
    unsafe { context.extensions.push(&raw const extension) };
    assert_eq!(run(finds_extension, &context).unwrap_err().message, "version 7");
}
