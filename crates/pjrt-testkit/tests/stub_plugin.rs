//! The kit against a table made here, with functions that behave and functions that do not: what it
//! reads must be what they wrote, and what they must not do must be noticed.

use pjrt_testkit::sys::{
    PJRT_Api, PJRT_Api_Version, PJRT_Error, PJRT_Error_Code, PJRT_Error_Destroy_Args, PJRT_Error_ForEachPayload_Args,
    PJRT_Error_GetCode_Args, PJRT_Error_Message_Args, PJRT_Extension_Base, PJRT_Extension_Type, PJRT_NamedValue,
    PJRT_NamedValue_Type, PJRT_Plugin_Attributes_Args, PJRT_Plugin_Initialize_Args, Struct,
};
use pjrt_testkit::{Caller, Code, Plugin, Value, conformance};

/// What the stub's errors point to: the handle is a leaked box of this.
struct StubError {
    code: PJRT_Error_Code,
    text: &'static str,
}

fn fail(code: PJRT_Error_Code, text: &'static str) -> *mut PJRT_Error {
    Box::into_raw(Box::new(StubError { code, text })).cast()
}

unsafe extern "C" fn error_destroy(args: *mut PJRT_Error_Destroy_Args) {
    // SAFETY: errors of this stub are boxes made by `fail`; null is accepted.
    unsafe {
        if !(*args).error.is_null() {
            drop(Box::from_raw((*args).error.cast::<StubError>()));
        }
    }
}

unsafe extern "C" fn error_message(args: *mut PJRT_Error_Message_Args) {
    // SAFETY: as in `error_destroy`.
    unsafe {
        let error = &*(*args).error.cast::<StubError>();
        (*args).message = error.text.as_ptr().cast();
        (*args).message_size = error.text.len();
    }
}

unsafe extern "C" fn error_code(args: *mut PJRT_Error_GetCode_Args) -> *mut PJRT_Error {
    // SAFETY: as in `error_destroy`.
    unsafe { (*args).code = (*(*args).error.cast::<StubError>()).code };
    std::ptr::null_mut()
}

unsafe extern "C" fn error_payloads(args: *mut PJRT_Error_ForEachPayload_Args) -> *mut PJRT_Error {
    // SAFETY: the visitor is not null in these tests; texts are static.
    unsafe {
        let visit = (*args).visitor.expect("a visitor");
        visit(c"where".as_ptr(), 5, c"here".as_ptr(), 4, (*args).user_arg);
    }
    std::ptr::null_mut()
}

unsafe extern "C" fn initialize_fails(_: *mut PJRT_Plugin_Initialize_Args) -> *mut PJRT_Error {
    fail(PJRT_Error_Code::FAILED_PRECONDITION, "not today")
}

/// Writes its outputs; for callers that declare 24 bytes too, as the contract of that time asks.
unsafe extern "C" fn attributes(args: *mut PJRT_Plugin_Attributes_Args) -> *mut PJRT_Error {
    // SAFETY: the caller's struct has these fields whatever it declares; the array is leaked.
    unsafe {
        assert!((*args).struct_size >= PJRT_Plugin_Attributes_Args::MIN_SIZE);
        let mut value = PJRT_NamedValue {
            struct_size: PJRT_NamedValue::STRUCT_SIZE,
            name: c"answer".as_ptr(),
            name_size: 6,
            type_: PJRT_NamedValue_Type::kInt64,
            value_size: 1,
            ..Default::default()
        };
        value.__bindgen_anon_1.int64_value = 42;
        (*args).attributes = Box::leak(Box::new(value));
        (*args).num_attributes = 1;
    }
    std::ptr::null_mut()
}

/// Writes one byte more than the caller's struct has.
unsafe extern "C" fn attributes_too_long(args: *mut PJRT_Plugin_Attributes_Args) -> *mut PJRT_Error {
    // SAFETY: the kit keeps canary bytes behind the struct, so that this stays within its allocation.
    unsafe { args.cast::<u8>().add(PJRT_Plugin_Attributes_Args::STRUCT_SIZE).write(1) };
    std::ptr::null_mut()
}

/// A table with the error functions; leaked, for tables are static.
fn plugin(minor: i32, fill: impl FnOnce(&mut PJRT_Api)) -> Plugin {
    let mut api = PJRT_Api {
        struct_size: PJRT_Api::STRUCT_SIZE,
        pjrt_api_version: PJRT_Api_Version {
            struct_size: PJRT_Api_Version::STRUCT_SIZE,
            minor_version: minor,
            ..Default::default()
        },
        PJRT_Error_Destroy: Some(error_destroy),
        PJRT_Error_Message: Some(error_message),
        PJRT_Error_GetCode: Some(error_code),
        PJRT_Error_ForEachPayload: Some(error_payloads),
        ..Default::default()
    };
    fill(&mut api);
    // SAFETY: the table is leaked and does not change.
    unsafe { Plugin::from_api(Box::leak(Box::new(api))) }
}

#[test]
fn an_error_is_read_with_its_payloads() {
    let plugin = plugin(114, |api| api.PJRT_Plugin_Initialize = Some(initialize_fails));
    let error = plugin.initialize().expect_err("it fails");
    assert_eq!(error.code, Code::FAILED_PRECONDITION);
    assert_eq!(error.message, "not today");
    assert_eq!(error.payloads, [("where".to_owned(), b"here".to_vec())]);
    assert_eq!(error.to_string(), "FAILED_PRECONDITION: not today (PJRT_Plugin_Initialize)");
}

#[test]
fn payloads_are_not_asked_of_a_table_that_is_too_short() {
    let plugin = plugin(90, |api| {
        api.struct_size = std::mem::offset_of!(PJRT_Api, PJRT_Error_ForEachPayload);
        api.PJRT_Plugin_Initialize = Some(initialize_fails);
    });
    assert!(plugin.initialize().expect_err("it fails").payloads.is_empty());
    let slots = plugin.slots();
    let slot = slots.iter().find(|slot| slot.name == "PJRT_Error_ForEachPayload").expect("known");
    assert!(!slot.in_table && !slot.present);
}

#[test]
fn a_null_slot_is_an_error_and_not_a_crash() {
    let error = plugin(114, |_| {}).initialize().expect_err("null");
    assert!(error.is_unimplemented());
}

#[test]
fn attributes_are_read_by_callers_of_every_age() {
    let plugin = plugin(114, |api| api.PJRT_Plugin_Attributes = Some(attributes));
    for caller in [Caller::current(), Caller::at_minor(57), Caller::at_minor(71), Caller::newer_by(32)] {
        let read = plugin.called_by(caller).attributes().expect("succeeds");
        assert_eq!((read[0].name.as_str(), &read[0].value), ("answer", &Value::Int64(42)), "{caller:?}");
    }
}

#[test]
#[should_panic(expected = "the plugin wrote to byte 32 of PJRT_Plugin_Attributes_Args")]
fn writing_behind_the_struct_is_noticed() {
    _ = plugin(114, |api| api.PJRT_Plugin_Attributes = Some(attributes_too_long)).attributes();
}

#[test]
fn the_extension_chain_is_walked() {
    let node = |kind, next: *mut PJRT_Extension_Base| {
        let base = PJRT_Extension_Base { struct_size: 24, type_: kind, next };
        std::ptr::from_mut(Box::leak(Box::new(base)))
    };
    let unknown = node(PJRT_Extension_Type(900), std::ptr::null_mut());
    let head = node(PJRT_Extension_Type::Layouts, unknown);
    let plugin = plugin(114, |api| api.extension_start = head);
    let names: Vec<_> = plugin.extensions().iter().map(|node| node.name()).collect();
    assert_eq!(names, ["Layouts", "type 900"]);
    let layouts = plugin.extension::<pjrt_testkit::sys::PJRT_Layouts_Extension>().expect("published");
    assert!(layouts.PJRT_Layouts_MemoryLayout_Destroy.is_none(), "beyond the end of the short node");
}

#[test]
fn a_plugin_without_client_does_not_conform() {
    unsafe extern "C" fn initialize(_: *mut PJRT_Plugin_Initialize_Args) -> *mut PJRT_Error {
        std::ptr::null_mut()
    }
    let plugin = plugin(114, |api| api.PJRT_Plugin_Initialize = Some(initialize));
    let report = conformance::run(&plugin);
    assert!(!report.is_conforming());
    assert!(report.to_string().contains("FAIL         initialize_and_create_a_client"), "{report}");
}

#[test]
fn names_of_checks_are_unique() {
    let names = conformance::names();
    let distinct: std::collections::BTreeSet<_> = names.iter().collect();
    assert_eq!(distinct.len(), names.len());
}

/// Types that the compiler must accept: handles cross threads.
#[test]
fn handles_may_cross_threads() {
    fn check<T: Send + Sync>() {}
    check::<Plugin>();
    check::<pjrt_testkit::Client>();
    check::<pjrt_testkit::Buffer>();
    check::<pjrt_testkit::LoadedExecutable>();
}
