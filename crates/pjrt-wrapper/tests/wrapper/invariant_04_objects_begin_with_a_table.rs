//! Invariant 4: errors and memories begin with a function table, and errors of others are read through theirs.

use crate::support::session;
use pjrt_testkit::sys::{PJRT_Error, PJRT_Error_Code, PJRT_Error_FunctionTable, PJRT_Memory, Struct};
use pjrt_testkit::{Code, Error, NamedValue, Value};
use std::ffi::{c_char, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An error that our plugin made, with a payload.
fn error_of_ours() -> *mut PJRT_Error {
    let session = session();
    let memory = session.memory(0);
    let payload = [NamedValue::new("key", Value::String("value".to_owned()))];
    let ty = pjrt_testkit::sys::PJRT_Buffer_Type::F32;
    let buffer = session.client.error_buffer(Code::ABORTED, "broken", &payload, ty, &[2], &memory).unwrap();
    let event = buffer.ready_event().unwrap();
    let mut args =
        session.plugin.arguments("x", |args: &mut pjrt_testkit::sys::PJRT_Event_Error_Args| args.event = event.raw());
    let function = session.plugin.api().PJRT_Event_Error.unwrap();
    // SAFETY: the event is live.
    let error = unsafe { function(args.as_mut().unwrap().as_mut_ptr()) };
    assert!(!error.is_null());
    error
}

#[test]
fn objects_begin_with_a_table_errors_can_be_read_without_an_api() {
    let error = error_of_ours();
    // SAFETY: since 0.107 an error begins with its table; it is destroyed once.
    unsafe {
        let table = &*(*error).vtable;
        assert_eq!(table.struct_size, PJRT_Error_FunctionTable::STRUCT_SIZE);
        assert_eq!((table.struct_size, table.instance_size), (56, 8));
        assert_eq!(table.get_code.unwrap()(error), PJRT_Error_Code::ABORTED);
        let (mut text, mut size) = (std::ptr::null(), 0);
        table.message.unwrap()(error, &raw mut text, &raw mut size);
        assert_eq!(std::slice::from_raw_parts(text.cast::<u8>(), size), b"broken");
        let mut seen: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        table.for_each_payload.unwrap()(error, Some(collect), (&raw mut seen).cast());
        assert_eq!(seen, [(b"key".to_vec(), b"value".to_vec())]);
        table.destroy.unwrap()(error);
    }
}

unsafe extern "C" fn collect(
    key: *const c_char,
    key_size: usize,
    value: *const c_char,
    size: usize,
    list: *mut c_void,
) {
    // SAFETY: the test passes its list; key and value are lent.
    unsafe {
        let bytes = |data: *const c_char, size| std::slice::from_raw_parts(data.cast::<u8>(), size).to_vec();
        (*list.cast::<Vec<(Vec<u8>, Vec<u8>)>>()).push((bytes(key, key_size), bytes(value, size)));
    }
}

/// An error that somebody else made.
#[repr(C)]
struct Foreign {
    base: PJRT_Error,
    destroyed: AtomicUsize,
}

unsafe extern "C" fn foreign_destroy(error: *mut PJRT_Error) {
    // SAFETY: the table is only in the error of the test below, which is alive.
    unsafe { (*error.cast::<Foreign>()).destroyed.fetch_add(1, Ordering::SeqCst) };
}

unsafe extern "C" fn foreign_message(_: *const PJRT_Error, text: *mut *const c_char, size: *mut usize) {
    // SAFETY: the caller passes two places.
    unsafe {
        text.write(c"from afar".as_ptr());
        size.write(9);
    }
}

unsafe extern "C" fn foreign_code(_: *const PJRT_Error) -> PJRT_Error_Code {
    PJRT_Error_Code::DATA_LOSS
}

unsafe extern "C" fn foreign_payloads(
    _: *const PJRT_Error,
    visitor: pjrt_testkit::sys::PJRT_Error_PayloadVisitor,
    user_arg: *mut c_void,
) {
    // SAFETY: the visitor is the caller's.
    unsafe { visitor.unwrap()(c"k".as_ptr(), 1, c"v".as_ptr(), 1, user_arg) };
}

#[test]
fn objects_begin_with_a_table_errors_of_others_are_read_through_it() {
    let session = session();
    let table = PJRT_Error_FunctionTable {
        struct_size: PJRT_Error_FunctionTable::STRUCT_SIZE,
        extension_start: std::ptr::null_mut(),
        instance_size: size_of::<PJRT_Error>(),
        destroy: Some(foreign_destroy),
        message: Some(foreign_message),
        get_code: Some(foreign_code),
        for_each_payload: Some(foreign_payloads),
    };
    let mut foreign = Foreign { base: PJRT_Error { vtable: &raw const table }, destroyed: AtomicUsize::new(0) };
    // SAFETY: a live error; its destruction only counts.
    let read = unsafe { Error::take(&session.plugin, (&raw mut foreign).cast(), "x") }.unwrap_err();
    assert_eq!((read.code, read.message.as_str()), (Code::DATA_LOSS, "from afar"));
    assert_eq!(read.payloads, [("k".to_owned(), b"v".to_vec())]);
    assert_eq!(foreign.destroyed.load(Ordering::SeqCst), 1);
}

static DESTROYED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

unsafe extern "C" fn destroy_data(data: *mut c_void) {
    DESTROYED.lock().unwrap().push(data.addr());
}

fn data(number: usize) -> *mut c_void {
    std::ptr::without_provenance_mut(number)
}

#[test]
fn objects_begin_with_a_table_memories_keep_data_of_the_framework() {
    let session = session();
    let memory = session.memory(1).raw();
    // SAFETY: since 0.105 a memory begins with its table; the client is alive until the drop below.
    let (get, set) = unsafe {
        let table = &*(*memory).vtable;
        assert_eq!((table.struct_size, table.instance_struct_size), (40, size_of::<PJRT_Memory>()));
        (table.get_user_data.unwrap(), table.set_user_data.unwrap())
    };
    let keys = [0u8; 2];
    let key = |index: usize| keys[index..].as_ptr().cast::<c_void>();
    let destroyed = || std::mem::take(&mut *DESTROYED.lock().unwrap());
    // SAFETY: as above; the data are numbers.
    unsafe {
        assert!(get(memory, key(0)).is_null());
        set(memory, key(0), data(10), Some(destroy_data));
        set(memory, key(1), data(20), Some(destroy_data));
        assert_eq!((get(memory, key(0)).addr(), get(memory, key(1)).addr()), (10, 20));
        set(memory, key(0), data(11), Some(destroy_data));
        assert_eq!((destroyed(), get(memory, key(0)).addr()), (vec![10], 11));
        set(memory, key(1), std::ptr::null_mut(), None);
        assert_eq!((destroyed(), get(memory, key(1)).is_null()), (vec![20], true));
        set(memory, key(1), data(30), None);
    }
    let address = memory.expose_provenance();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let key = key(0).addr();
            scope.spawn(move || {
                let memory = std::ptr::with_exposed_provenance_mut(address);
                for _ in 0..1000 {
                    // SAFETY: as above; any thread may ask.
                    assert_eq!(unsafe { get(memory, std::ptr::without_provenance(key)) }.addr(), 11);
                }
            });
        }
    });
    // Another memory has nothing of this.
    // SAFETY: a live memory.
    assert!(unsafe { get(session.memory(0).raw(), key(0)) }.is_null());
    drop(session);
    assert_eq!(destroyed(), [11], "the rest goes with the memory");
}

#[test]
fn objects_begin_with_a_table_a_refused_payload_is_named() {
    let session = session();
    let memory = session.memory(0);
    let payload = [NamedValue::new("number", Value::Int64(1))];
    let ty = pjrt_testkit::sys::PJRT_Buffer_Type::F32;
    let error = session.client.error_buffer(Code::ABORTED, "x", &payload, ty, &[], &memory).unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("number"), "{error}");
}
