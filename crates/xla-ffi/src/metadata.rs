//! The question that every handler answers in place of a call: which version of the API it was compiled with, which
//! traits it has, which state it makes.

use crate::api::api;
use crate::error_object::ErrorObject;
use crate::handler::HandlerVersion;
use crate::sys;
use pjrt_client_trait::{Result, Status};
use std::mem::zeroed;
use std::ptr::null_mut;

/// What a handler says about itself.
pub(crate) struct Metadata {
    pub(crate) version: HandlerVersion,
    pub(crate) traits: u32,
    pub(crate) state_type_id: i64,
}

/// Asks a handler.
///
/// # Safety
/// `handler` is a handler of XLA's typed FFI.
pub(crate) unsafe fn query(handler: sys::XLA_FFI_Handler) -> Result<Metadata> {
    let mut metadata = sys::XLA_FFI_Metadata {
        struct_size: sys::XLA_FFI_Metadata::STRUCT_SIZE,
        api_version: sys::XLA_FFI_Api_Version {
            struct_size: sys::XLA_FFI_Api_Version::STRUCT_SIZE,
            extension_start: null_mut(),
            major_version: 0,
            minor_version: 0,
        },
        traits: 0,
        state_type_id: sys::XLA_FFI_TypeId { type_id: 0 },
    };
    let mut extension = sys::XLA_FFI_Metadata_Extension {
        extension_base: sys::XLA_FFI_InternalExtension {
            struct_size: sys::XLA_FFI_Metadata_Extension::STRUCT_SIZE,
            r#type: sys::XLA_FFI_InternalExtension_Type::METADATA,
            next: null_mut(),
        },
        metadata: &raw mut metadata,
    };
    // SAFETY: all zero is valid: numbers, and pointers that may be null.
    let mut frame: sys::XLA_FFI_CallFrame = unsafe { zeroed() };
    frame.struct_size = sys::XLA_FFI_CallFrame::STRUCT_SIZE;
    frame.extension_start = (&raw mut extension).cast();
    frame.api = api();
    frame.stage = sys::XLA_FFI_ExecutionStage::EXECUTE;
    frame.args.struct_size = sys::XLA_FFI_Args::STRUCT_SIZE;
    frame.rets.struct_size = sys::XLA_FFI_Rets::STRUCT_SIZE;
    frame.attrs.struct_size = sys::XLA_FFI_Attrs::STRUCT_SIZE;
    // SAFETY: a handler, as the caller promises; with this extension it writes the metadata, which live here, and
    // does nothing else.
    let error = unsafe { handler(&raw mut frame) };
    if !error.is_null() {
        // SAFETY: a handler makes its errors with the table in its frame, which is ours, and gives them up.
        return Err(unsafe { ErrorObject::from_raw(error) }.into_status());
    }
    let version =
        HandlerVersion { major: metadata.api_version.major_version, minor: metadata.api_version.minor_version };
    check(version)?;
    Ok(Metadata { version, traits: metadata.traits, state_type_id: metadata.state_type_id.type_id })
}

fn check(version: HandlerVersion) -> Result<()> {
    let ours = HandlerVersion { major: sys::XLA_FFI_API_MAJOR, minor: sys::XLA_FFI_API_MINOR };
    if version.major == ours.major && (HandlerVersion::OLDEST_MINOR..=ours.minor).contains(&version.minor) {
        return Ok(());
    }
    Err(Status::failed_precondition(format!(
        "it was compiled for version {version} of XLA's typed FFI; this backend serves {}.{} to {ours}: compile it with \
         the headers of a jaxlib in between, or use a newer backend",
        ours.major,
        HandlerVersion::OLDEST_MINOR,
    )))
}
