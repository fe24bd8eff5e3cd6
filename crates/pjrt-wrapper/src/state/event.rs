//! `PJRT_Event`: a handle on an [`Event`].
//!
//! An event that has succeeded when it is handed out is one and the same constant for everybody, so it costs
//! nothing to make and to destroy.

use crate::handle::{self, HandleType};
use pjrt_client_trait::{Event, EventPromise, Result, Status};
use pjrt_sys::PJRT_Event;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) struct EventState {
    event: Event,
    /// Only in events that the framework made and will complete.
    promise: Mutex<Option<EventPromise>>,
}

impl HandleType for EventState {
    const KIND: &'static str = "PJRT_Event";
}

/// No handle of the table has these low bits.
const READY: usize = 0b0110;

fn is_ready_constant(event: *const PJRT_Event) -> bool {
    event.addr() == READY
}

/// A handle that the caller owns.
pub(crate) fn into_raw(event: Event) -> *mut PJRT_Event {
    match event.outcome() {
        Some(Ok(())) => std::ptr::without_provenance_mut(READY),
        _ => handle::insert(Arc::new(EventState { event, promise: Mutex::new(None) })),
    }
}

/// A pending event for the framework to complete.
pub(crate) fn create() -> *mut PJRT_Event {
    let (promise, event) = Event::pending();
    handle::insert(Arc::new(EventState { event, promise: Mutex::new(Some(promise)) }))
}

/// The event behind a handle.
pub(crate) fn get(event: *const PJRT_Event) -> Result<Event> {
    if is_ready_constant(event) {
        return Ok(Event::ready());
    }
    Ok(handle::get::<EventState, _>(event)?.event.clone())
}

/// Completes an event made by [`create`].
///
/// # Errors
/// FAILED_PRECONDITION when it is complete already, or was not made to be completed by the framework.
pub(crate) fn set(event: *const PJRT_Event, outcome: Result<()>) -> Result<()> {
    let refused =
        || Status::failed_precondition("this PJRT_Event is complete already, or not the framework's to complete");
    if is_ready_constant(event) {
        return Err(refused());
    }
    let state = handle::get::<EventState, _>(event)?;
    let promise = state.promise.lock().unwrap_or_else(PoisonError::into_inner).take();
    promise.ok_or_else(refused)?.complete(outcome);
    Ok(())
}

/// Ends a handle; what hangs on the event stays.
pub(crate) fn destroy(event: *const PJRT_Event) -> Result<()> {
    if is_ready_constant(event) {
        return Ok(());
    }
    handle::destroy::<EventState, _>(event).map(drop)
}
