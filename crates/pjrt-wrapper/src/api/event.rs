//! `PJRT_Event_*`.

use crate::caller::Caller;
use crate::error_object;
use crate::state::event;
use pjrt_client_trait::{Result, Status};
use pjrt_sys as sys;
use std::ffi::c_void;

/// `PJRT_Event_Destroy`.
pub(crate) fn destroy(_: Caller<'_>, args: &mut sys::PJRT_Event_Destroy_Args) -> Result<()> {
    event::destroy(args.event)
}

/// `PJRT_Event_IsReady`.
pub(crate) fn is_ready(_: Caller<'_>, args: &mut sys::PJRT_Event_IsReady_Args) -> Result<()> {
    args.is_ready = event::get(args.event)?.is_ready();
    Ok(())
}

/// `PJRT_Event_Error`: the outcome itself is what is returned.
pub(crate) fn error(_: Caller<'_>, args: &mut sys::PJRT_Event_Error_Args) -> Result<()> {
    let pending = || Status::failed_precondition("PJRT_Event_Error: the event is still pending; wait for it first");
    event::get(args.event)?.outcome().ok_or_else(pending)?
}

/// `PJRT_Event_Await`: the outcome itself is what is returned.
pub(crate) fn wait(_: Caller<'_>, args: &mut sys::PJRT_Event_Await_Args) -> Result<()> {
    event::get(args.event)?.wait()
}

/// The argument of a framework's callback, which it may use on any thread.
struct UserArg(*mut c_void);

// SAFETY: the header says that the callback may run on any thread, so its argument may go there.
unsafe impl Send for UserArg {}

impl UserArg {
    fn get(self) -> *mut c_void {
        self.0
    }
}

/// `PJRT_Event_OnReady`. The callback may destroy the event; nothing here looks at the handle after it ran.
pub(crate) fn on_ready(_: Caller<'_>, args: &mut sys::PJRT_Event_OnReady_Args) -> Result<()> {
    let event = event::get(args.event)?;
    let callback = args.callback.ok_or_else(|| Status::invalid_argument("PJRT_Event_OnReady: the callback is null"))?;
    let user_arg = UserArg(args.user_arg);
    event.on_ready(move |outcome| {
        let error = outcome.err().map_or(std::ptr::null_mut(), error_object::into_raw);
        // SAFETY: this is the one call of the framework's callback, with the argument that came with it; the
        // error is the callback's.
        unsafe { callback(error, user_arg.get()) };
    });
    Ok(())
}

/// `PJRT_Event_Create`.
pub(crate) fn create(_: Caller<'_>, args: &mut sys::PJRT_Event_Create_Args) -> Result<()> {
    args.event = event::create();
    Ok(())
}

/// `PJRT_Event_Set`.
pub(crate) fn set(c: Caller<'_>, args: &mut sys::PJRT_Event_Set_Args) -> Result<()> {
    let status = c.status(args.error_code, args.error_message, args.error_message_size)?;
    event::set(args.event, status.map_or(Ok(()), Err))
}
