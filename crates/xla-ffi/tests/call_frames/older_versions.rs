//! Handlers compiled with older headers: arguments that had another form.

use crate::guest::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use xla_ffi::{Attrs, RunContext, register_type, sys};

static DELETED_BY_ARGUMENT: AtomicU64 = AtomicU64::new(0);
static DELETED_BY_TYPE: AtomicU64 = AtomicU64::new(0);

unsafe extern "C" fn delete_0_1(object: *mut c_void) {
    // SAFETY: a boxed number, deleted once.
    DELETED_BY_ARGUMENT.fetch_add(*unsafe { Box::from_raw(object.cast::<u64>()) }, Ordering::SeqCst);
}

unsafe extern "C" fn delete_0_2(object: *mut c_void) {
    // SAFETY: a boxed number, deleted once.
    DELETED_BY_TYPE.fetch_add(*unsafe { Box::from_raw(object.cast::<u64>()) }, Ordering::SeqCst);
}

handler!(instantiate_0_1, 1, |frame| {
    let mut id = sys::XLA_FFI_TypeId { type_id: 501 };
    let mut set = args::<sys::XLA_FFI_State_Set_Args_0_1>();
    (set.ctx, set.type_id) = (frame.ctx, &raw mut id);
    set.deleter = Some(delete_0_1);
    set.state = Box::into_raw(Box::new(11u64)).cast();
    call!(frame, XLA_FFI_State_Set, (&raw mut set).cast())
});

handler!(instantiate_0_2, 2, |frame| {
    let mut id = sys::XLA_FFI_TypeId { type_id: 502 };
    let mut set = args::<sys::XLA_FFI_State_Set_Args_0_2>();
    (set.ctx, set.type_id) = (frame.ctx, &raw mut id);
    set.state = Box::into_raw(Box::new(12u64)).cast();
    call!(frame, XLA_FFI_State_Set, (&raw mut set).cast())
});

fn state(frame: Frame<'_>, type_id: i64) -> Result<u64, Error> {
    let mut id = sys::XLA_FFI_TypeId { type_id };
    let mut get = args::<sys::XLA_FFI_State_Get_Args_0_2>();
    (get.ctx, get.type_id) = (frame.ctx, &raw mut id);
    let failed = call!(frame, XLA_FFI_State_Get, (&raw mut get).cast());
    // SAFETY: a boxed number.
    if failed.is_null() { Ok(unsafe { *get.state.cast::<u64>() }) } else { Err(failed) }
}

handler!(execute_0_1, 1, |frame| {
    ensure!(frame, state(frame, 501) == Ok(11));
    // Errors have a message only, and types no functions: the arguments end before them.
    let failed = error(frame, sys::XLA_FFI_Error_Code::ABORTED, "as before");
    let mut details = args::<sys::XLA_FFI_Error_GetDetails_Args>();
    details.struct_size = sys::XLA_FFI_Error_GetMessage_Args::STRUCT_SIZE;
    (details.error, details.errc) = (failed, sys::XLA_FFI_Error_Code(99));
    call!(frame, XLA_FFI_Error_GetDetails, &raw mut details);
    ensure!(frame, !details.message.is_null() && details.errc.0 == 99);
    ensure!(frame, read_error(frame, failed) == (10, "as before".to_owned()));

    let mut id = sys::XLA_FFI_TypeId { type_id: 0 };
    let mut register = args::<sys::XLA_FFI_Type_Register_Args>();
    register.name = sys::XLA_FFI_ByteSpan { ptr: c"old.Type".as_ptr(), len: 8 };
    register.type_id = &raw mut id;
    // What a caller of 0.1 has behind its arguments is anything; here, an address that nobody may read.
    register.type_info = std::ptr::without_provenance(8);
    ensure!(frame, call!(frame, XLA_FFI_Type_Register, &raw mut register).is_null());
    ensure!(frame, id.type_id > 0);
    success()
});

handler!(execute_0_2, 2, |frame| {
    ensure!(frame, state(frame, 502) == Ok(12));
    success()
});

#[test]
fn handlers_of_0_1_bring_their_deleters() {
    let both = sys::XLA_FFI_Handler_Bundle { instantiate: Some(instantiate_0_1), ..bundle(execute_0_1) };
    let site = site(both, &[], &[], Attrs::new([]).unwrap()).unwrap();
    assert_eq!(site.handler().version().minor, 1);
    site.execute(&[], &mut [], &RunContext::default()).unwrap();
    assert_eq!(DELETED_BY_ARGUMENT.load(Ordering::SeqCst), 0);
    drop(site);
    assert_eq!(DELETED_BY_ARGUMENT.load(Ordering::SeqCst), 11);
}

#[test]
fn handlers_of_0_2_register_them_with_the_type() {
    let info = pjrt_client_trait::FfiTypeInfo { deleter: delete_0_2 as *const () as usize, ..Default::default() };
    register_type("old.State", 502, info).unwrap();
    let both = sys::XLA_FFI_Handler_Bundle { instantiate: Some(instantiate_0_2), ..bundle(execute_0_2) };
    let site = site(both, &[], &[], Attrs::new([]).unwrap()).unwrap();
    site.execute(&[], &mut [], &RunContext::default()).unwrap();
    drop(site);
    assert_eq!(DELETED_BY_TYPE.load(Ordering::SeqCst), 12);
}
