//! Stages and states: made by one stage, found by later ones, deleted once.

use crate::guest::*;
use pjrt_client_trait::{Code, FfiTypeInfo};
use std::ffi::c_void;
use std::sync::Mutex;
use xla_ffi::sys::{self, XLA_FFI_ExecutionStage as Stage};
use xla_ffi::{Attrs, RunContext, register_type};

/// Deleted states, by what they held. Tests use values of their own.
static DELETED: Mutex<Vec<u64>> = Mutex::new(Vec::new());

pub unsafe extern "C" fn delete(object: *mut c_void) {
    // SAFETY: states of these tests are boxed numbers, deleted once.
    let value = unsafe { Box::from_raw(object.cast::<u64>()) };
    DELETED.lock().unwrap().push(*value);
}

fn deletions(value: u64) -> usize {
    DELETED.lock().unwrap().iter().filter(|&&deleted| deleted == value).count()
}

fn state_type() -> i64 {
    let info = FfiTypeInfo { deleter: delete as *const () as usize, ..FfiTypeInfo::default() };
    register_type("tests.State", 0, info).unwrap()
}

fn set(frame: Frame<'_>, stage: Stage, value: u64) -> Error {
    let mut id = sys::XLA_FFI_TypeId { type_id: state_type() };
    let mut set = args::<sys::XLA_FFI_State_Set_Args>();
    (set.ctx, set.stage, set.type_id) = (frame.ctx, stage, &raw mut id);
    set.state = Box::into_raw(Box::new(value)).cast();
    let failed = call!(frame, XLA_FFI_State_Set, &raw mut set);
    if !failed.is_null() {
        // SAFETY: a state that was refused is still ours.
        drop(unsafe { Box::from_raw(set.state.cast::<u64>()) });
    }
    failed
}

fn get(frame: Frame<'_>, stage: Stage) -> Result<u64, Error> {
    let mut id = sys::XLA_FFI_TypeId { type_id: state_type() };
    let mut get = args::<sys::XLA_FFI_State_Get_Args>();
    (get.ctx, get.stage, get.type_id) = (frame.ctx, stage, &raw mut id);
    let failed = call!(frame, XLA_FFI_State_Get, &raw mut get);
    // SAFETY: a boxed number.
    if failed.is_null() { Ok(unsafe { *get.state.cast::<u64>() }) } else { Err(failed) }
}

handler!(instantiate, 5, |frame| {
    ensure!(frame, frame.stage == Stage::INSTANTIATE && frame.args.size == 0);
    let mut allocate = args::<sys::XLA_FFI_DeviceMemory_Allocate_Args>();
    (allocate.ctx, allocate.size, allocate.alignment) = (frame.ctx, 8, 8);
    let refused = call!(frame, XLA_FFI_DeviceMemory_Allocate, &raw mut allocate);
    ensure!(frame, !refused.is_null());
    ensure!(frame, read_error(frame, refused).0 == 9);
    set(frame, Stage::INSTANTIATE, 1001)
});

handler!(prepare, 5, |frame| {
    ensure!(frame, frame.stage == Stage::PREPARE);
    let instantiated = match get(frame, Stage::INSTANTIATE) {
        Ok(value) => value,
        Err(failed) => return failed,
    };
    set(frame, Stage::PREPARE, instantiated + 1)
});

handler!(initialize, 5, |frame| {
    ensure!(frame, frame.stage == Stage::INITIALIZE);
    let prepared = match get(frame, Stage::PREPARE) {
        Ok(value) => value,
        Err(failed) => return failed,
    };
    set(frame, Stage::INITIALIZE, prepared + 1)
});

handler!(execute, 5, |frame| {
    ensure!(frame, frame.stage == Stage::EXECUTE);
    ensure!(frame, get(frame, Stage::INSTANTIATE) == Ok(1001));
    ensure!(frame, get(frame, Stage::PREPARE) == Ok(1002));
    ensure!(frame, get(frame, Stage::INITIALIZE) == Ok(1003));
    let refused = set(frame, Stage::EXECUTE, 1004);
    ensure!(frame, !refused.is_null());
    ensure!(frame, read_error(frame, refused).1.contains("has no state"));
    let refused = set(frame, Stage::PREPARE, 1004);
    ensure!(frame, !refused.is_null());
    ensure!(frame, read_error(frame, refused).1.contains("prepare cannot be set in stage execute"));
    success()
});

#[test]
fn states_live_as_long_as_their_stage_says() {
    let bundle = sys::XLA_FFI_Handler_Bundle {
        instantiate: Some(instantiate),
        prepare: Some(prepare),
        initialize: Some(initialize),
        execute: Some(execute),
        record: None,
    };
    let site = site(bundle, &[], &[], Attrs::new([]).unwrap()).unwrap();
    for round in 1..=3 {
        site.execute(&[], &mut [], &RunContext::default()).unwrap();
        assert_eq!([1001, 1002, 1003, 1004].map(deletions), [0, round, round, 0]);
    }
    drop(site);
    assert_eq!([1001, 1002, 1003, 1004].map(deletions), [1, 3, 3, 0]);
}

handler!(sets_twice, 5, |frame| {
    let first = set(frame, Stage::INSTANTIATE, 2001);
    ensure!(frame, first.is_null());
    set(frame, Stage::INSTANTIATE, 2002)
});

handler!(wants_a_state, 5, |frame| get(frame, Stage::INSTANTIATE).err().unwrap_or(success()));

#[test]
fn a_stage_has_one_state_and_keeps_it_on_errors() {
    let both = sys::XLA_FFI_Handler_Bundle { instantiate: Some(sets_twice), ..bundle(execute) };
    let error = site(both, &[], &[], Attrs::new([]).unwrap()).unwrap_err();
    assert!(error.code == Code::AlreadyExists && error.message.contains("tests.State"), "{error}");
    assert_eq!([2001, 2002].map(deletions), [1, 0], "the first is deleted with the call, the second is refused");

    let error = run(wants_a_state, &RunContext::default()).unwrap_err();
    assert!(error.code == Code::NotFound && error.message.contains("instantiate state of type tests.State"), "{error}");
}

handler!(unknown_type, 5, |frame| {
    let mut id = sys::XLA_FFI_TypeId { type_id: 987_654 };
    let mut set = args::<sys::XLA_FFI_State_Set_Args>();
    (set.ctx, set.stage, set.type_id) = (frame.ctx, Stage::INSTANTIATE, &raw mut id);
    call!(frame, XLA_FFI_State_Set, &raw mut set)
});

#[test]
fn a_state_without_a_deleter_is_refused() {
    let both = sys::XLA_FFI_Handler_Bundle { instantiate: Some(unknown_type), ..bundle(execute) };
    let error = site(both, &[], &[], Attrs::new([]).unwrap()).unwrap_err();
    assert!(error.message.contains("987654") && error.message.contains("register_ffi_type"), "{error}");
}

#[test]
fn an_error_of_an_early_stage_stops_the_call() {
    // Without an instantiate function there is no state for `prepare` to find.
    let both = sys::XLA_FFI_Handler_Bundle { prepare: Some(prepare), ..bundle(execute) };
    let site = site(both, &[], &[], Attrs::new([]).unwrap()).unwrap();
    assert_eq!(site.execute(&[], &mut [], &RunContext::default()).unwrap_err().code, Code::NotFound);
}
