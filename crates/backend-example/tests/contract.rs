//! The example through the C table, as a framework sees it.

use backend_example::GetPjrtApi;
use pjrt_testkit::conformance;
use pjrt_testkit::{Client, Code, CompileOptions, HostArray, NamedValue, Plugin, Value};
use std::ffi::{c_char, c_void};

fn plugin() -> Plugin {
    // SAFETY: the table of a plugin in this binary lives as long as the process.
    unsafe { Plugin::from_api(GetPjrtApi()) }
}

#[test]
fn the_contract_is_kept() {
    let report = conformance::run(&plugin());
    assert!(report.is_conforming(), "{report}");
    assert!(report.counts().0 > 80, "{report}");
}

#[test]
fn options_are_checked_by_name_type_and_range() {
    let plugin = plugin();
    let int = |name: &str, value| vec![NamedValue::new(name, Value::Int64(value))];
    let client = Client::create(&plugin, &int("devices", 3)).unwrap();
    assert_eq!(client.devices().unwrap().len(), 3);
    for (options, says) in [
        (int("device", 3), "this backend knows: devices, memory_limit"),
        (int("devices", 0), "1 to 64"),
        (int("memory_limit", -1), "not negative"),
    ] {
        let error = Client::create(&plugin, &options).expect_err("refused");
        assert_eq!(error.code, Code::INVALID_ARGUMENT);
        assert!(error.message.contains(says), "{}", error.message);
    }
}

#[test]
fn memory_that_does_not_fit_is_refused_with_the_counters() {
    let limit = NamedValue::new("memory_limit", Value::Int64(100));
    let client = Client::create(&plugin(), &[limit]).unwrap();
    let device = &client.addressable_devices().unwrap()[0];
    let held = client.buffer_from_host(&HostArray::from_slice(&[0u8; 60], &[60]), device).unwrap();
    let error = client.buffer_from_host(&HostArray::from_slice(&[0u8; 60], &[60]), device).expect_err("refused");
    assert_eq!(error.code, Code::RESOURCE_EXHAUSTED);
    assert!(error.message.contains("60 of 100 are in use"), "{}", error.message);
    drop(held);
    client.buffer_from_host(&HostArray::from_slice(&[0u8; 60], &[60]), device).expect("there is room again");
}

#[test]
fn bad_programs_are_refused_and_the_next_call_works() {
    let client = Client::create(&plugin(), &[]).unwrap();
    let options = CompileOptions::on_device(0).to_bytes();
    for code in [&b""[..], b"ML\xefR", b"ML\xefR\x0dStableHLO_v1.0.0\0garbage", &[0xff; 300]] {
        let error = client.compile(code, "mlir", &options).expect_err("refused");
        assert_eq!(error.code, Code::INVALID_ARGUMENT, "{}", error.message);
    }
    assert!(client.compile(b"", "hlo", &options).is_err());
    assert_eq!(client.devices().unwrap().len(), 2);
}

/// A node of a custom extension, as far as callers may look.
#[repr(C)]
struct Node {
    base: pjrt_testkit::sys::PJRT_Extension_Base,
    call: unsafe extern "C" fn(*const Node, *mut CallArgs) -> *mut pjrt_testkit::sys::PJRT_Error,
}

#[repr(C)]
struct CallArgs {
    struct_size: usize,
    method: *const c_char,
    method_size: usize,
    input: *const c_char,
    input_size: usize,
    output: *const c_char,
    output_size: usize,
    holder: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut c_void)>,
}

#[test]
fn the_extension_of_its_own_counts_launches() {
    let plugin = plugin();
    let first_type = 0x5253_0000;
    let found = plugin.extensions().into_iter().find(|node| node.kind.0 == first_type).expect("published");
    assert_eq!(found.struct_size, size_of::<Node>());
    let node = found.raw.cast::<Node>();
    let mut args = CallArgs {
        struct_size: size_of::<CallArgs>(),
        method: c"launches".as_ptr(),
        method_size: 8,
        input: std::ptr::null(),
        input_size: 0,
        output: std::ptr::null(),
        output_size: 0,
        holder: std::ptr::null_mut(),
        deleter: None,
    };
    // SAFETY: the node is of this type, as its number says, and lives for ever; the Args are as documented.
    let error = unsafe { ((*node).call)(node, &raw mut args) };
    assert!(error.is_null());
    // SAFETY: the output lives until the deleter is called.
    let output = unsafe { std::slice::from_raw_parts(args.output.cast::<u8>(), args.output_size) };
    std::str::from_utf8(output).unwrap().parse::<u64>().expect("a count");
    // SAFETY: called once, with the holder it came with.
    unsafe { (args.deleter.expect("set"))(args.holder) };
}
