//! Registration of handlers and types by libraries that were given the table.

use super::current_call::CurrentCall;
use super::{checked, guard};
use crate::registry::Registry;
use crate::sys;
use crate::type_registry::register_type;
use pjrt_client_trait::{FfiTypeInfo, Result, Status};

/// Serves the smaller bundle of 0.3 and before as well.
pub(super) unsafe extern "C" fn handler_register(
    args: *mut sys::XLA_FFI_Handler_Register_Args,
) -> *mut sys::XLA_FFI_Error {
    guard("XLA_FFI_Handler_Register", || {
        // SAFETY: by the contract of the C API the caller passes such a struct for the time of the call.
        let old = unsafe { checked(args.cast::<sys::XLA_FFI_Handler_Register_Args_0_3>()) }?;
        let (name, platform) = (old.name, old.platform);
        let (bundle, traits) = if old.struct_size >= sys::XLA_FFI_Handler_Register_Args::STRUCT_SIZE {
            // SAFETY: as above, in its newest form.
            let new = unsafe { checked(args) }?;
            (new.bundle, new.traits)
        } else {
            let sys::XLA_FFI_Handler_Bundle_0_3 { instantiate, prepare, initialize, execute } = old.bundle;
            (sys::XLA_FFI_Handler_Bundle { instantiate, prepare, initialize, execute, record: None }, old.traits)
        };
        // SAFETY: spans of the caller, valid for the time of the call.
        let (name, platform) = unsafe { (text(name, "name")?, text(platform, "platform")?) };
        // SAFETY: what this function of the C API is for: the caller says that these are handlers.
        unsafe { Registry::process().register(name, platform, bundle, traits) }.map(|_| ())
    })
}

super::functions! {
    type_register = "XLA_FFI_Type_Register"(args: XLA_FFI_Type_Register_Args) {
        // SAFETY: the span is the caller's, valid for the time of the call.
        let name = unsafe { text(args.name, "name") }?;
        // SAFETY: null or a number that the caller owns.
        let type_id = unsafe { args.type_id.as_mut() };
        let type_id = type_id.ok_or_else(|| Status::invalid_argument("the type id is null"))?;
        // Up to 0.1 the arguments end before this field, without another size.
        let has_info = CurrentCall::version().minor >= 2;
        let info = if has_info && !args.type_info.is_null() {
            // SAFETY: not null, so it is the caller's, valid for the time of the call.
            let info = unsafe { checked(args.type_info.cast_mut()) }?;
            FfiTypeInfo { deleter: info.deleter.map_or(0, |function| function as usize), ..FfiTypeInfo::default() }
        } else {
            FfiTypeInfo::default()
        };
        type_id.type_id = register_type(name, type_id.type_id, info)?;
        Ok(())
    }
}

/// # Safety
/// The span's bytes are readable for `'a`.
unsafe fn text<'a>(span: sys::XLA_FFI_ByteSpan, what: &str) -> Result<&'a str> {
    if span.len == 0 {
        return Ok("");
    }
    if span.ptr.is_null() {
        return Err(Status::invalid_argument(format!("the {what} is null")));
    }
    // SAFETY: not null, and readable as the caller promises.
    let bytes = unsafe { std::slice::from_raw_parts(span.ptr.cast::<u8>(), span.len) };
    std::str::from_utf8(bytes).map_err(|_| Status::invalid_argument(format!("the {what} is not UTF-8")))
}
