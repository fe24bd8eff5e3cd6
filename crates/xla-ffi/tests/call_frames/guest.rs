//! The handlers' side: what XLA's C++ headers do for a handler, in a few functions.

use pjrt_client_trait::{ElementType, Result};
use std::ffi::CString;
use std::ptr::null_mut;
use std::sync::Arc;
use xla_ffi::sys::{self, SizedStruct};
use xla_ffi::{Attrs, BufferSpec, CallSite, Registry, RunContext};

pub type Frame<'a> = &'a mut sys::XLA_FFI_CallFrame;
pub type Error = *mut sys::XLA_FFI_Error;

/// Defines a handler of a given minor version, with a body that gets the frame.
macro_rules! handler {
    ($name:ident, $minor:expr, $body:expr) => {
        pub unsafe extern "C" fn $name(frame: *mut xla_ffi::sys::XLA_FFI_CallFrame) -> crate::guest::Error {
            // SAFETY: the host passes a frame that lives for the time of the call.
            let frame = unsafe { &mut *frame };
            if crate::guest::answers_metadata(frame, 0, $minor) {
                return std::ptr::null_mut();
            }
            let body: fn(crate::guest::Frame<'_>) -> crate::guest::Error = $body;
            body(frame)
        }
    };
}
pub(crate) use handler;

/// Fills in the metadata if that is what the frame asks for.
pub fn answers_metadata(frame: Frame<'_>, major: i32, minor: i32) -> bool {
    if frame.extension_start.is_null() {
        return false;
    }
    // SAFETY: the host's extension begins with the common base; of this type it is the metadata extension.
    unsafe {
        assert_eq!((*frame.extension_start).r#type, sys::XLA_FFI_InternalExtension_Type::METADATA);
        let extension = frame.extension_start.cast::<sys::XLA_FFI_Metadata_Extension>();
        assert_eq!((*extension).extension_base.struct_size, sys::XLA_FFI_Metadata_Extension::STRUCT_SIZE);
        let metadata = &mut *(*extension).metadata;
        assert_eq!(metadata.struct_size, sys::XLA_FFI_Metadata::STRUCT_SIZE);
        metadata.api_version.major_version = major;
        metadata.api_version.minor_version = minor;
        metadata.traits = 1;
    }
    true
}

/// Arguments of a function of the table with the size filled in and all else zero.
pub fn args<T: SizedStruct>() -> T {
    // SAFETY: all zero is valid for these structs: numbers, and pointers that may be null.
    let mut args: T = unsafe { std::mem::zeroed() };
    // SAFETY: the first field of such a struct is its size.
    unsafe { (&raw mut args).cast::<usize>().write(T::STRUCT_SIZE) };
    args
}

/// Calls a function of the table that the frame carries.
macro_rules! call {
    ($frame:expr, $function:ident, $args:expr) => {{
        // SAFETY: the table is the host's, complete, and the arguments are as the function wants them.
        unsafe { ((*$frame.api).$function.expect("the table is complete"))($args) }
    }};
}
pub(crate) use call;

/// Makes an error.
pub fn error(frame: &sys::XLA_FFI_CallFrame, code: sys::XLA_FFI_Error_Code, message: &str) -> Error {
    let message = CString::new(message).unwrap();
    let mut create = args::<sys::XLA_FFI_Error_Create_Args>();
    (create.message, create.errc) = (message.as_ptr(), code);
    call!(frame, XLA_FFI_Error_Create, &raw mut create)
}

/// Makes an INTERNAL error unless `condition` holds; for use in handlers, which must not panic.
macro_rules! ensure {
    ($frame:expr, $condition:expr) => {
        if !$condition {
            return crate::guest::error($frame, xla_ffi::sys::XLA_FFI_Error_Code::INTERNAL, stringify!($condition));
        }
    };
}
pub(crate) use ensure;

/// The code and the message of an error, which is destroyed.
pub fn read_error(frame: &sys::XLA_FFI_CallFrame, error: Error) -> (u32, String) {
    let mut details = args::<sys::XLA_FFI_Error_GetDetails_Args>();
    details.error = error;
    call!(frame, XLA_FFI_Error_GetDetails, &raw mut details);
    // SAFETY: a terminated text that lives as long as the error.
    let message = unsafe { std::ffi::CStr::from_ptr(details.message) }.to_str().unwrap().to_owned();
    let mut destroy = args::<sys::XLA_FFI_Error_Destroy_Args>();
    destroy.error = error;
    call!(frame, XLA_FFI_Error_Destroy, &raw mut destroy);
    (details.errc.0, message)
}

/// An argument.
pub fn argument(frame: &sys::XLA_FFI_CallFrame, index: usize) -> &sys::XLA_FFI_Buffer {
    assert!((index as i64) < frame.args.size);
    // SAFETY: there are `size` arguments, all buffers.
    unsafe { &*(*frame.args.args.add(index)).cast::<sys::XLA_FFI_Buffer>() }
}

/// A result.
pub fn result(frame: &sys::XLA_FFI_CallFrame, index: usize) -> &sys::XLA_FFI_Buffer {
    assert!((index as i64) < frame.rets.size);
    // SAFETY: there are `size` results, all buffers.
    unsafe { &*(*frame.rets.rets.add(index)).cast::<sys::XLA_FFI_Buffer>() }
}

/// The dimensions of a buffer.
pub fn dims(buffer: &sys::XLA_FFI_Buffer) -> &[i64] {
    // SAFETY: there are `rank` of them.
    unsafe { std::slice::from_raw_parts(buffer.dims, buffer.rank as usize) }
}

/// The elements of a buffer of `f32`.
#[allow(clippy::mut_from_ref, reason = "a buffer points at memory of its own; each test looks at one at a time")]
pub fn floats(buffer: &sys::XLA_FFI_Buffer) -> &mut [f32] {
    assert_eq!(buffer.dtype, sys::XLA_FFI_DataType::F32);
    let len = dims(buffer).iter().product::<i64>() as usize;
    // SAFETY: the host promises so many elements.
    unsafe { std::slice::from_raw_parts_mut(buffer.data.cast::<f32>(), len) }
}

/// A bundle with an execute function.
pub fn bundle(execute: sys::XLA_FFI_Handler) -> sys::XLA_FFI_Handler_Bundle {
    sys::XLA_FFI_Handler_Bundle {
        instantiate: None,
        prepare: None,
        initialize: None,
        execute: Some(execute),
        record: None,
    }
}

/// A call of `bundle` with arguments and results of `f32`.
pub fn site(
    bundle: sys::XLA_FFI_Handler_Bundle,
    arguments: &[&[i64]],
    results: &[&[i64]],
    attrs: Attrs,
) -> Result<Arc<CallSite>> {
    // SAFETY: handlers of this test.
    let handler = unsafe { Registry::new().register("test.target", "cpu", bundle, 0) }?;
    let specs = |shapes: &[&[i64]]| shapes.iter().map(|&dims| BufferSpec::new(ElementType::F32, dims)).collect();
    CallSite::instantiate(handler, specs(arguments), specs(results), attrs, &RunContext::default())
}

/// Runs a handler that takes nothing and returns nothing.
pub fn run(execute: sys::XLA_FFI_Handler, context: &RunContext) -> Result<()> {
    site(bundle(execute), &[], &[], Attrs::new([])?)?.execute(&[], &mut [], context)
}

/// The bytes of floats.
pub fn bytes(floats: &[f32]) -> &[u8] {
    // SAFETY: any four bytes of a float are bytes.
    unsafe { std::slice::from_raw_parts(floats.as_ptr().cast(), size_of_val(floats)) }
}

/// The bytes of floats, to write.
pub fn bytes_mut(floats: &mut [f32]) -> &mut [u8] {
    // SAFETY: any four bytes of a float are bytes, and the other way round.
    unsafe { std::slice::from_raw_parts_mut(floats.as_mut_ptr().cast(), size_of_val(floats)) }
}

/// Success.
pub fn success() -> Error {
    null_mut()
}
