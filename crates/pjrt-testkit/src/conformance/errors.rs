//! Errors: codes, texts, function tables, errors made by somebody else, and failing calls.

use std::ffi::{c_char, c_void};

use pjrt_sys::{
    PJRT_Client_Compile_Args, PJRT_Client_LookupDevice_Args, PJRT_Client_PlatformName_Args, PJRT_Error,
    PJRT_Error_Code, PJRT_Error_FunctionTable, PJRT_Error_PayloadVisitor, PJRT_LoadedExecutable, PJRT_Program,
    Struct as _,
};

use super::{Check, Subject, Trouble, Verdict, ensure, ensure_code, ensure_eq};
use crate::args::ArgsBuf;
use crate::error::{Code, Error};
use crate::plugin::live_call;

pub(super) const CHECKS: &[Check] = &[
    Check::required("an_error_has_code_and_text", code_and_text),
    Check::required("an_error_begins_with_its_function_table", function_table),
    Check::required("errors_made_by_somebody_else_are_read_through_their_table", foreign_error),
    Check::required("destroying_null_is_fine", destroy_null),
    Check::required("a_failing_call_leaves_its_outputs_alone", outputs_untouched),
    Check::required("a_size_below_every_release_is_refused", too_small),
    Check::required("a_null_payload_visitor_is_refused", null_visitor),
];

/// An error as it comes out of the table, to be destroyed by the caller.
fn raw_error(subject: &Subject) -> Result<*mut PJRT_Error, Trouble> {
    let plugin = subject.plugin();
    let mut args = plugin.arguments("PJRT_Client_LookupDevice", |args: &mut PJRT_Client_LookupDevice_Args| {
        args.client = subject.client.raw();
        args.id = -1;
    })?;
    let lookup = plugin.api().PJRT_Client_LookupDevice.ok_or_else(|| Trouble::Failed("null slot".to_owned()))?;
    // SAFETY: the arguments are whole and the client is alive.
    let error = unsafe { lookup(args.as_mut_ptr()) };
    if error.is_null() { Err(Trouble::Failed("looking up device -1 succeeded".to_owned())) } else { Ok(error) }
}

fn code_and_text(subject: &Subject) -> Verdict {
    ensure_code(subject.client.lookup_device(-1), Code::INVALID_ARGUMENT, "looking up device -1")
}

fn function_table(subject: &Subject) -> Verdict {
    if subject.plugin().api_version().1 < 107 {
        return Ok(());
    }
    let error = raw_error(subject)?;
    // SAFETY: from 0.107 on an error begins with this pointer.
    let table = unsafe { (*error).vtable.as_ref() };
    let verdict = (|| {
        let table = table.ok_or_else(|| Trouble::Failed("the table of an error is null".to_owned()))?;
        ensure(table.struct_size >= PJRT_Error_FunctionTable::STRUCT_SIZE, || {
            format!("the table of an error declares {} bytes", table.struct_size)
        })?;
        let (mut text, mut size) = (std::ptr::null(), 0);
        // SAFETY: the error is alive, and the functions are those of its own table.
        let code = unsafe {
            table.message.ok_or_else(|| Trouble::Failed("message is null".to_owned()))?(
                error,
                &raw mut text,
                &raw mut size,
            );
            table.get_code.ok_or_else(|| Trouble::Failed("get_code is null".to_owned()))?(error)
        };
        ensure_eq(&Code(code), &Code::INVALID_ARGUMENT, "code through the table")?;
        ensure(!text.is_null() && size > 0, || "no text through the table".to_owned())?;
        ensure(table.for_each_payload.is_some() && table.destroy.is_some(), || "a function is null".to_owned())
    })();
    // SAFETY: the error is ours, and is not used afterwards.
    _ = unsafe { Error::take(subject.plugin(), error, "PJRT_Client_LookupDevice") };
    verdict
}

/// An error of this test: it begins with a table, as every error does.
#[repr(C)]
struct ForeignError {
    head: PJRT_Error,
    destroyed: *mut bool,
}

const FOREIGN_TEXT: &str = "made by the test";

unsafe extern "C" fn foreign_destroy(error: *mut PJRT_Error) {
    // SAFETY: only errors of `foreign_error` have this table.
    unsafe {
        let error = Box::from_raw(error.cast::<ForeignError>());
        *error.destroyed = true;
    }
}

unsafe extern "C" fn foreign_message(_: *const PJRT_Error, text: *mut *const c_char, size: *mut usize) {
    // SAFETY: the caller passes places to write to.
    unsafe {
        *text = FOREIGN_TEXT.as_ptr().cast();
        *size = FOREIGN_TEXT.len();
    }
}

unsafe extern "C" fn foreign_code(_: *const PJRT_Error) -> PJRT_Error_Code {
    PJRT_Error_Code::DATA_LOSS
}

unsafe extern "C" fn foreign_payloads(_: *const PJRT_Error, visitor: PJRT_Error_PayloadVisitor, user_arg: *mut c_void) {
    if let Some(visitor) = visitor {
        // SAFETY: the texts are static, the argument is the visitor's own.
        unsafe { visitor(c"key".as_ptr(), 3, c"value".as_ptr(), 5, user_arg) };
    }
}

fn foreign_error(subject: &Subject) -> Verdict {
    if subject.plugin().api_version().1 < 107 {
        return Ok(());
    }
    let table = PJRT_Error_FunctionTable {
        struct_size: PJRT_Error_FunctionTable::STRUCT_SIZE,
        instance_size: size_of::<PJRT_Error>(),
        destroy: Some(foreign_destroy),
        message: Some(foreign_message),
        get_code: Some(foreign_code),
        for_each_payload: Some(foreign_payloads),
        ..Default::default()
    };
    let mut destroyed = false;
    let head = PJRT_Error { vtable: &raw const table };
    let error = Box::into_raw(Box::new(ForeignError { head, destroyed: &raw mut destroyed }));
    // SAFETY: the error begins with a table, as the contract asks; `take` destroys it.
    let taken = unsafe { Error::take(subject.plugin(), error.cast(), "foreign") };
    let error = taken.err().ok_or_else(|| Trouble::Failed("an error was taken for success".to_owned()))?;
    ensure_eq(&error.code, &Code::DATA_LOSS, "code")?;
    ensure_eq(&error.message.as_str(), &FOREIGN_TEXT, "text")?;
    ensure_eq(&error.payloads, &vec![("key".to_owned(), b"value".to_vec())], "payloads")?;
    ensure(destroyed, || "the error was not destroyed through its table".to_owned())
}

fn destroy_null(subject: &Subject) -> Verdict {
    let plugin = subject.plugin();
    plugin.call_void(
        plugin.api().PJRT_Error_Destroy,
        "PJRT_Error_Destroy",
        |_: &mut pjrt_sys::PJRT_Error_Destroy_Args| {},
    );
    live_call!(plugin, PJRT_Event_Destroy {})?;
    live_call!(plugin, PJRT_Buffer_Destroy {})?;
    live_call!(plugin, PJRT_LoadedExecutable_Destroy {})?;
    live_call!(plugin, PJRT_Executable_Destroy {})?;
    live_call!(plugin, PJRT_ExecuteContext_Destroy {})?;
    live_call!(plugin, PJRT_TopologyDescription_Destroy {})?;
    live_call!(plugin, PJRT_Client_Destroy {})?;
    Ok(())
}

fn outputs_untouched(subject: &Subject) -> Verdict {
    const NAME: &str = "PJRT_Client_Compile";
    let plugin = subject.plugin();
    let untouched = std::ptr::dangling_mut::<u64>().cast::<PJRT_LoadedExecutable>();
    let mut program = plugin.arguments(NAME, |program: &mut PJRT_Program| {
        program.format = c"no such format".as_ptr();
        program.format_size = 14;
    })?;
    let mut args = plugin.arguments(NAME, |args: &mut PJRT_Client_Compile_Args| {
        args.client = subject.client.raw();
        args.program = program.as_mut_ptr();
        args.executable = untouched;
    })?;
    let compile = plugin.api().PJRT_Client_Compile.ok_or_else(|| Trouble::Failed("null slot".to_owned()))?;
    // SAFETY: the arguments are whole and the client is alive.
    let error = unsafe { compile(args.as_mut_ptr()) };
    args.check(NAME);
    // SAFETY: the error is ours.
    let outcome = unsafe { Error::take(plugin, error, NAME) };
    ensure_code(outcome, Code::INVALID_ARGUMENT, "compiling an unknown format")?;
    ensure_eq(&args.value().executable, &untouched, "the executable of a failed compilation")
}

fn too_small(subject: &Subject) -> Verdict {
    let plugin = subject.plugin();
    let value = PJRT_Client_PlatformName_Args { client: subject.client.raw(), ..Default::default() };
    let get = plugin.api().PJRT_Client_PlatformName.ok_or_else(|| Trouble::Failed("null slot".to_owned()))?;
    for size in [0, 16, PJRT_Client_PlatformName_Args::MIN_SIZE - 1] {
        let mut args = ArgsBuf::new(plugin.caller(), value).ok_or_else(|| Trouble::Failed("no struct".to_owned()))?;
        args.declare(size);
        // SAFETY: the struct is whole although it declares less; the client is alive.
        let error = unsafe { get(args.as_mut_ptr()) };
        // SAFETY: the error is ours.
        let outcome = unsafe { Error::take(plugin, error, "PJRT_Client_PlatformName") };
        ensure_code(outcome, Code::INVALID_ARGUMENT, &format!("a struct of {size} bytes"))?;
    }
    Ok(())
}

fn null_visitor(subject: &Subject) -> Verdict {
    if subject.plugin().api_version().1 < 99 {
        return Ok(());
    }
    let error = raw_error(subject)?;
    let outcome = live_call!(subject.plugin(), PJRT_Error_ForEachPayload { error: error });
    // SAFETY: the error is ours, and is not used afterwards.
    _ = unsafe { Error::take(subject.plugin(), error, "PJRT_Client_LookupDevice") };
    ensure_code(outcome, Code::INVALID_ARGUMENT, "a null visitor")
}
