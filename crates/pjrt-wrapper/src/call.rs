//! What happens around every function of the table: struct sizes, panics, the log.
//!
//! Args are copied in, the implementation works on the copy, and outputs are copied back only when it succeeded:
//! so an older caller's shorter struct is neither read nor written past its end, a field it does not have reads
//! as zero, and after an error its output fields are as it left them.

use crate::caller::{Caller, read_struct};
use crate::{error_object, log};
use pjrt_client_trait::{Result, Status};
use pjrt_sys as sys;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Runs one API call; the result is null or an error that the caller owns.
///
/// # Safety
/// `args` must be null or point to a struct that is as its `struct_size` and the header say, lent for the call
/// and not used by another thread meanwhile.
pub(crate) unsafe fn call<A: sys::Struct>(
    name: &'static str,
    args: *mut A,
    body: impl FnOnce(Caller<'_>, &mut A) -> Result<()>,
) -> *mut sys::PJRT_Error {
    let started = log::calls_are_logged().then(Instant::now);
    let outcome = catch_panic(name, || {
        // SAFETY: the contract of this function.
        let (mut local, writable) = unsafe { read_struct(args) }?;
        log::arguments(name, &local);
        // SAFETY: the pointers in the Args are the caller's, and it promised what the header says.
        body(unsafe { Caller::new() }, &mut local)?;
        // SAFETY: the caller's struct has `writable` bytes, by its own word, and they are ours for the call.
        unsafe { std::ptr::copy_nonoverlapping((&raw const local).cast::<u8>(), args.cast::<u8>(), writable) };
        log::arguments("results", &local);
        Ok(())
    });
    if let Some(started) = started {
        log::result(name, &outcome, started.elapsed());
    }
    match outcome {
        Ok(()) => std::ptr::null_mut(),
        Err(status) => error_object::into_raw(status),
    }
}

/// Runs `body`; a panic in it becomes an INTERNAL error with its text. Every API call is inside one of these; a
/// backend needs it on threads of its own.
///
/// # Errors
/// What `body` returns, or INTERNAL.
pub fn catch_panic<T>(name: &str, body: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        Err(Status::internal(format!("{name}: the backend panicked: {}", panic_text(panic.as_ref()))))
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("(a panic without text)")
}
