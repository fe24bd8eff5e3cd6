//! Registration, by Rust and by C, and the question for metadata.

use crate::guest::*;
use pjrt_client_trait::{Code, FfiHandler, FfiRegistry, FfiTypeInfo};
use std::ffi::c_void;
use xla_ffi::{Registry, RunContext, sys, type_id};

handler!(one, 5, |_| success());
handler!(other, 4, |_| success());
handler!(newer, 6, |_| success());
handler!(ancient, 0, |_| success());

unsafe extern "C" fn foreign(frame: *mut sys::XLA_FFI_CallFrame) -> Error {
    // SAFETY: the host passes a frame that lives for the time of the call.
    answers_metadata(unsafe { &mut *frame }, 1, 5);
    success()
}

unsafe extern "C" fn refuses(frame: *mut sys::XLA_FFI_CallFrame) -> Error {
    // SAFETY: as above.
    error(unsafe { &*frame }, sys::XLA_FFI_Error_Code::FAILED_PRECONDITION, "types first")
}

#[test]
fn handlers_are_found_by_target_and_platform() {
    let registry = Registry::new();
    // SAFETY: handlers of this test, here and below.
    let handler = unsafe { registry.register("a", "Host", bundle(one), 2) }.unwrap();
    assert_eq!((handler.target(), handler.platform(), handler.traits()), ("a", "Host", 3));
    assert_eq!((handler.version().to_string().as_str(), handler.state_type_id()), ("0.5", 0));
    assert_eq!(registry.handler("a", "CPU").unwrap().target(), "a");
    // SAFETY: as above.
    unsafe { registry.register("a", "cpu", bundle(one), 0) }.unwrap();
    // SAFETY: as above.
    let error = unsafe { registry.register("a", "cpu", bundle(other), 0) }.unwrap_err();
    assert_eq!(error.code, Code::AlreadyExists);
    // SAFETY: as above.
    unsafe { registry.register("a", "CUDA", bundle(other), 0) }.unwrap();
    let error = registry.handler("a", "rocm").unwrap_err();
    assert_eq!(error.code, Code::Unimplemented);
    assert!(error.message.contains("one for cpu, cuda") && error.message.contains("register_ffi_target"), "{error}");
    assert_eq!(registry.targets("host"), ["a"]);
    // SAFETY: as above.
    assert!(unsafe { registry.register("", "cpu", bundle(one), 0) }.is_err());
    let none = sys::XLA_FFI_Handler_Bundle { execute: None, ..bundle(one) };
    // SAFETY: as above.
    assert!(unsafe { registry.register("b", "cpu", none, 0) }.unwrap_err().message.contains("execute"));
}

#[test]
fn versions_that_are_not_served_are_refused() {
    for (handler, version) in [(newer as sys::XLA_FFI_Handler, "0.6"), (ancient, "0.0"), (foreign, "1.5")] {
        let both = sys::XLA_FFI_Handler_Bundle { instantiate: Some(handler), ..bundle(one) };
        for bundle in [bundle(handler), both] {
            // SAFETY: handlers of this test.
            let error = unsafe { Registry::new().register("mine", "cpu", bundle, 0) }.unwrap_err();
            assert_eq!(error.code, Code::FailedPrecondition);
            for part in ["\"mine\"", &format!("version {version} "), "0.1 to 0.5"] {
                assert!(error.message.contains(part), "{error}");
            }
        }
    }
    // SAFETY: as above.
    let error = unsafe { Registry::new().register("mine", "cpu", bundle(refuses), 0) }.unwrap_err();
    assert!(error.message.ends_with("execute function: types first"), "{error}");
}

#[test]
fn the_registry_is_what_the_wrapper_wants() {
    let registry: &dyn FfiRegistry = Registry::process();
    let handler = FfiHandler {
        target: "wrapper.target".into(),
        platform: "cpu".into(),
        address: (one as *const ()).expose_provenance(),
        traits: 0,
    };
    registry.register_handler(handler.clone()).unwrap();
    assert_eq!(Registry::process().handler("wrapper.target", "cpu").unwrap().traits(), 1);
    assert!(registry.register_handler(FfiHandler { address: 0, ..handler }).is_err());
    let id = registry.register_type("wrapper.Type", 0, FfiTypeInfo::default()).unwrap();
    assert_eq!(registry.register_type("wrapper.Type", id, FfiTypeInfo::default()), Ok(id));
}

fn span(text: &'static str) -> sys::XLA_FFI_ByteSpan {
    sys::XLA_FFI_ByteSpan { ptr: text.as_ptr().cast(), len: text.len() }
}

#[test]
fn libraries_register_handlers_with_the_table() {
    // SAFETY: a static.
    let api = unsafe { &*xla_ffi::api() };
    let mut register = args::<sys::XLA_FFI_Handler_Register_Args>();
    (register.name, register.platform, register.bundle) = (span("table.new"), span("Host"), bundle(one));
    // SAFETY: complete arguments.
    assert!(unsafe { (api.XLA_FFI_Handler_Register.unwrap())(&raw mut register) }.is_null());
    Registry::process().handler("table.new", "cpu").unwrap();

    // The form up to 0.3 is smaller.
    let mut old = args::<sys::XLA_FFI_Handler_Register_Args_0_3>();
    (old.name, old.platform) = (span("table.old"), span("Host"));
    old.bundle.execute = Some(one);
    old.traits = 8;
    // SAFETY: complete arguments, of the size that their first field says.
    assert!(unsafe { (api.XLA_FFI_Handler_Register.unwrap())((&raw mut old).cast()) }.is_null());
    assert_eq!(Registry::process().handler("table.old", "cpu").unwrap().traits(), 9);
}

unsafe extern "C" fn delete_nothing(_: *mut c_void) {}

handler!(registers_a_type, 5, |frame| {
    let mut id = sys::XLA_FFI_TypeId { type_id: 0 };
    let mut info = args::<sys::XLA_FFI_TypeInfo>();
    info.deleter = Some(delete_nothing);
    let mut register = args::<sys::XLA_FFI_Type_Register_Args>();
    (register.name, register.type_id, register.type_info) = (span("table.Type"), &raw mut id, &raw const info);
    let failed = call!(frame, XLA_FFI_Type_Register, &raw mut register);
    ensure!(frame, failed.is_null() && id.type_id > 0);
    // Another number than the type has.
    let mut id = sys::XLA_FFI_TypeId { type_id: id.type_id + 1 };
    register.type_id = &raw mut id;
    call!(frame, XLA_FFI_Type_Register, &raw mut register)
});

#[test]
fn handlers_register_types_with_the_table() {
    let error = run(registers_a_type, &RunContext::default()).unwrap_err();
    assert!(error.code == Code::InvalidArgument && error.message.contains("table.Type"), "{error}");
    assert!(type_id("table.Type").is_some());
}
