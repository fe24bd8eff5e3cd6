//! `PJRT_Error_*`. Errors may be of anybody: each is read through the function table at its start.
//!
//! The two void functions cannot report anything, so what is wrong with their Args goes to the log.

use crate::call::catch_panic;
use crate::caller::{Caller, read_struct};
use crate::error_object;
use pjrt_client_trait::{Result, Status};
use pjrt_sys as sys;

fn live<'a>(error: *const sys::PJRT_Error) -> Result<&'a sys::PJRT_Error_FunctionTable> {
    if error.is_null() {
        return Err(Status::invalid_argument("a PJRT_Error is null where one is needed"));
    }
    // SAFETY: not null; that it is a live error is the C contract.
    Ok(unsafe { error_object::table(error) })
}

fn missing(what: &str) -> Status {
    Status::internal(format!("this PJRT_Error's function table has no {what}"))
}

/// `PJRT_Error_Destroy`.
pub(crate) unsafe extern "C" fn destroy(args: *mut sys::PJRT_Error_Destroy_Args) {
    let outcome = catch_panic("PJRT_Error_Destroy", || {
        // SAFETY: that the pointer is null or points to Args of the stated size is the C contract.
        let (args, _) = unsafe { read_struct(args) }?;
        if args.error.is_null() {
            return Ok(());
        }
        let destroy = live(args.error)?.destroy.ok_or_else(|| missing("destroy"))?;
        // SAFETY: the caller owns the error and gives it up.
        unsafe { destroy(args.error) };
        Ok(())
    });
    if let Err(status) = outcome {
        tracing::error!(target: "pjrt", "PJRT_Error_Destroy: {status}");
    }
}

/// `PJRT_Error_Message`.
pub(crate) unsafe extern "C" fn message(args: *mut sys::PJRT_Error_Message_Args) {
    let outcome = catch_panic("PJRT_Error_Message", || {
        // SAFETY: that the pointer is null or points to Args of the stated size is the C contract.
        let (mut local, writable) = unsafe { read_struct(args) }?;
        let message = live(local.error)?.message.ok_or_else(|| missing("message"))?;
        // SAFETY: the error is live, and both places are ours.
        unsafe { message(local.error, &raw mut local.message, &raw mut local.message_size) };
        // SAFETY: the caller's struct has `writable` bytes, by its own word.
        unsafe { std::ptr::copy_nonoverlapping((&raw const local).cast::<u8>(), args.cast::<u8>(), writable) };
        Ok(())
    });
    if let Err(status) = outcome {
        tracing::error!(target: "pjrt", "PJRT_Error_Message: {status}");
    }
}

/// `PJRT_Error_GetCode`.
pub(crate) fn get_code(_: Caller<'_>, args: &mut sys::PJRT_Error_GetCode_Args) -> Result<()> {
    let get_code = live(args.error)?.get_code.ok_or_else(|| missing("get_code"))?;
    // SAFETY: the error is live.
    args.code = unsafe { get_code(args.error) };
    Ok(())
}

/// `PJRT_Error_ForEachPayload`.
pub(crate) fn for_each_payload(_: Caller<'_>, args: &mut sys::PJRT_Error_ForEachPayload_Args) -> Result<()> {
    if args.visitor.is_none() {
        return Err(Status::invalid_argument("PJRT_Error_ForEachPayload: the visitor is null"));
    }
    let for_each = live(args.error)?.for_each_payload.ok_or_else(|| missing("for_each_payload"))?;
    // SAFETY: the error is live, and the visitor is the caller's.
    unsafe { for_each(args.error, args.visitor, args.user_arg) };
    Ok(())
}
