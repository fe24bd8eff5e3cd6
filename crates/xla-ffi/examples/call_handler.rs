//! A library with one C function that runs a compiled handler on arrays of the caller: what a backend does for a
//! custom call, from registration to results, callable from Python with `ctypes` (`tests/jaxlib/caller.py`).

use pjrt_client_trait::{ExecuteContext, FfiTypeInfo, Result, Status, UserData, UserDataContext};
use std::ffi::{CStr, c_char};
use std::sync::Arc;
use xla_ffi::{Array, Attr, Attrs, BufferSpec, CallSite, Registry, RunContext, Scalar, register_type, sys};

/// An array of the caller.
#[repr(C)]
pub struct CBuffer {
    /// The first element.
    data: *mut u8,
    /// Sizes of the dimensions.
    dims: *const i64,
    /// How many dimensions.
    rank: usize,
    /// The FFI's number of the element type.
    data_type: u32,
}

/// An attribute of the caller.
#[repr(C)]
pub struct CAttr {
    /// A terminated name.
    name: *const c_char,
    /// The FFI's number of the kind: array, scalar or string.
    kind: u32,
    /// The FFI's number of the element type; unused for strings.
    data_type: u32,
    /// The bytes.
    data: *const u8,
    /// How many bytes.
    size: usize,
}

/// One call.
#[repr(C)]
pub struct CCall {
    /// The name to register the handler by, terminated.
    target: *const c_char,
    /// Addresses of the functions for instantiate, prepare, initialize and execute; 0 where there is none.
    functions: [usize; 4],
    /// The arguments.
    arguments: *const CBuffer,
    /// How many.
    num_arguments: usize,
    /// The results.
    results: *const CBuffer,
    /// How many.
    num_results: usize,
    /// The attributes.
    attrs: *const CAttr,
    /// How many.
    num_attrs: usize,
    /// Type of user data; 0 for none.
    user_data_type: i64,
    /// The user data.
    user_data: usize,
    /// Address of the function that deletes states of the type that the handler makes; 0 for none.
    state_deleter: usize,
    /// Where an error's message goes, terminated and cut to size.
    message: *mut c_char,
    /// Room for it.
    message_size: usize,
    /// Out: the minor version of the API that the handler was compiled with.
    minor_version: i32,
}

/// Registers, instantiates and executes. Returns 0, or the code of the error whose message is in the struct.
///
/// # Safety
/// All pointers of the struct are valid for as many elements as it says, texts are terminated, functions are handlers
/// of XLA's typed FFI, arrays are dense, row-major and aligned, and no result overlaps anything else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn call_handler(call: *mut CCall) -> i32 {
    // SAFETY: what the caller promises.
    let call = unsafe { &mut *call };
    // SAFETY: as above.
    let Err(status) = (unsafe { run(call) }) else { return 0 };
    if call.message_size > 0 {
        let bytes = status.message.as_bytes();
        let length = bytes.len().min(call.message_size - 1);
        // SAFETY: there is room for `length` bytes and a zero.
        unsafe {
            call.message.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), length);
            call.message.add(length).write(0);
        }
    }
    status.code as i32
}

/// # Safety
/// As for `call_handler`.
unsafe fn run(call: &mut CCall) -> Result<()> {
    // SAFETY: terminated, as the caller promises.
    let target = unsafe { text(call.target)? };
    let [instantiate, prepare, initialize, execute] = call.functions.map(|address| {
        let address = std::ptr::with_exposed_provenance::<()>(address);
        // SAFETY: null is `None`; everything else is a handler, as the caller promises.
        unsafe { std::mem::transmute::<*const (), Option<sys::XLA_FFI_Handler>>(address) }
    });
    let bundle = sys::XLA_FFI_Handler_Bundle { instantiate, prepare, initialize, execute, record: None };
    // SAFETY: as above; Python does not unload libraries.
    let handler = unsafe { Registry::process().register(target, "cpu", bundle, 0) }?;
    call.minor_version = handler.version().minor;
    if call.state_deleter != 0 && handler.state_type_id() != 0 {
        let info = FfiTypeInfo { deleter: call.state_deleter, ..FfiTypeInfo::default() };
        register_type(&format!("state of {target}"), handler.state_type_id(), info)?;
    }

    // SAFETY: as many as the struct says, as the caller promises.
    let (arguments, results, attrs) = unsafe {
        (
            slice(call.arguments, call.num_arguments),
            slice(call.results, call.num_results),
            slice(call.attrs, call.num_attrs),
        )
    };
    // SAFETY: as above.
    let attrs = attrs.iter().map(|attr| unsafe { attribute(attr) }).collect::<Result<Vec<_>>>()?;
    // SAFETY: as above.
    let specs = |buffers: &[CBuffer]| buffers.iter().map(|buffer| unsafe { spec(buffer) }).collect::<Result<Vec<_>>>();
    let user_data = UserDataContext::default();
    if call.user_data_type != 0 {
        user_data.add_user_data(call.user_data_type, UserData(call.user_data))?;
    }
    let context = RunContext {
        user_data: Some(Arc::new(user_data)),
        run_id: Some(1),
        device_ordinal: Some(0),
        ..RunContext::default()
    };
    let site = CallSite::instantiate(handler, specs(arguments)?, specs(results)?, Attrs::new(attrs)?, &context)?;
    let arguments: Vec<*const u8> = arguments.iter().map(|buffer| buffer.data.cast_const()).collect();
    let results: Vec<*mut u8> = results.iter().map(|buffer| buffer.data).collect();
    // SAFETY: the arrays fit their shapes and do not overlap, as the caller promises, and outlive the wait.
    unsafe { site.start(&arguments, &results, &context) }.wait()
}

/// # Safety
/// The dimensions are readable.
unsafe fn spec(buffer: &CBuffer) -> Result<BufferSpec> {
    let element_type = xla_ffi::element_type(sys::XLA_FFI_DataType(buffer.data_type))
        .ok_or_else(|| Status::invalid_argument(format!("there is no element type {}", buffer.data_type)))?;
    // SAFETY: what the caller promises.
    Ok(BufferSpec::new(element_type, unsafe { slice(buffer.dims, buffer.rank) }))
}

/// # Safety
/// The name is terminated, the bytes are readable.
unsafe fn attribute(attr: &CAttr) -> Result<(String, Attr)> {
    // SAFETY: what the caller promises.
    let (name, bytes) = unsafe { (text(attr.name)?.to_owned(), slice(attr.data, attr.size)) };
    let element_type = || {
        xla_ffi::element_type(sys::XLA_FFI_DataType(attr.data_type))
            .ok_or_else(|| Status::invalid_argument(format!("attribute {name:?}: no element type {}", attr.data_type)))
    };
    let value = match sys::XLA_FFI_AttrType(attr.kind) {
        sys::XLA_FFI_AttrType::SCALAR => Attr::Scalar(Scalar::new(element_type()?, bytes)?),
        sys::XLA_FFI_AttrType::ARRAY => Attr::Array(Array::new(element_type()?, bytes.to_vec())?),
        sys::XLA_FFI_AttrType::STRING => Attr::String(bytes.to_vec()),
        other => return Err(Status::invalid_argument(format!("attribute {name:?} is of kind {}", other.0))),
    };
    Ok((name, value))
}

/// # Safety
/// There are `len` elements at `first`, for as long as the result is used.
unsafe fn slice<'a, T>(first: *const T, len: usize) -> &'a [T] {
    if len == 0 {
        return &[];
    }
    // SAFETY: what the caller promises.
    unsafe { std::slice::from_raw_parts(first, len) }
}

/// # Safety
/// The text is terminated and outlives the result.
unsafe fn text<'a>(text: *const c_char) -> Result<&'a str> {
    // SAFETY: what the caller promises.
    unsafe { CStr::from_ptr(text) }.to_str().map_err(|_| Status::invalid_argument("a text is not UTF-8"))
}
