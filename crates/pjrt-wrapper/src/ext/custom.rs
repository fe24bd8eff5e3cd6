//! Nodes of a backend's own extensions.

use crate::caller::Caller;
use crate::extension::{CustomExtension, CustomMethod};
use crate::lent::{delete_lent_bytes, lend_bytes};
use pjrt_client_trait::Result;
use pjrt_sys as sys;
use std::ffi::{c_char, c_void};

/// A node: the base, one function, and what tells the function which extension it is.
#[repr(C)]
struct Node {
    base: sys::PJRT_Extension_Base,
    call: unsafe extern "C" fn(*const Node, *mut CallArgs) -> *mut sys::PJRT_Error,
    method: CustomMethod,
}

/// Arguments of the function of a custom extension.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct CallArgs {
    struct_size: usize,
    /// in
    method: *const c_char,
    /// in
    method_size: usize,
    /// in
    input: *const c_char,
    /// in
    input_size: usize,
    /// out: lives until the deleter is called with the holder
    output: *const c_char,
    /// out
    output_size: usize,
    /// out
    holder: *mut c_void,
    /// out
    deleter: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// Bytes of a node that a caller may look at: the base and the function.
const NODE_SIZE: usize = std::mem::offset_of!(Node, method);

pub(crate) fn node(extension: CustomExtension, next: *mut sys::PJRT_Extension_Base) -> *mut sys::PJRT_Extension_Base {
    let kind = sys::PJRT_Extension_Type(extension.extension_type);
    super::leak(Node { base: super::base(NODE_SIZE, kind, next), call, method: extension.call })
}

unsafe extern "C" fn call(node: *const Node, args: *mut CallArgs) -> *mut sys::PJRT_Error {
    let outcome = crate::call::catch_panic("custom extension", || run(node, args));
    outcome.err().map_or(std::ptr::null_mut(), crate::error_object::into_raw)
}

fn run(node: *const Node, args: *mut CallArgs) -> Result<()> {
    let invalid = pjrt_client_trait::Status::invalid_argument;
    if node.is_null() || args.is_null() {
        return Err(invalid("custom extension: the node or the arguments are null"));
    }
    // SAFETY: not null; every version of the Args begins with its size.
    if unsafe { (*args).struct_size } < size_of::<CallArgs>() {
        return Err(invalid("custom extension: the arguments are smaller than the first version of the struct"));
    }
    // SAFETY: not null; nodes live for ever, and callers pass the one they took the function from.
    let method = unsafe { (*node).method };
    // SAFETY: not null, and large enough by its own word.
    let mut local = unsafe { *args };
    // SAFETY: the pointers in the Args are the caller's for the call.
    let caller = unsafe { Caller::new() };
    let name = caller.text(local.method, local.method_size, "the method of a custom extension")?;
    let output = lend_bytes(method(name, caller.bytes(local.input, local.input_size, "input")?)?);
    (local.output, local.output_size, local.holder) = (output.data, output.size, output.holder);
    local.deleter = Some(delete_lent_bytes);
    // SAFETY: as above; the Args are ours for the call.
    unsafe { *args = local };
    Ok(())
}
