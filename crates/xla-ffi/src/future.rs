//! `XLA_FFI_Future`: the end of a handler's work that goes on after the handler has returned.
//!
//! Two owners: the handler, until it sets an outcome, and the host, until the handler has returned the future to it.

use crate::sys;
use pjrt_client_trait::{Event, EventPromise, Result};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// What an `XLA_FFI_Future` pointer of ours points at.
pub(crate) struct Future {
    event: Event,
    pending: Mutex<Option<Pending>>,
}

struct Pending {
    promise: EventPromise,
    // What the handler goes on using: frame, context, attributes.
    in_use: Option<Box<dyn Any + Send>>,
}

impl Future {
    /// A pending future; the pointer stands for both owners.
    pub(crate) fn create() -> *mut sys::XLA_FFI_Future {
        let (promise, event) = Event::pending();
        let future = Arc::new(Future { event, pending: Mutex::new(Some(Pending { promise, in_use: None })) });
        let handler = Arc::into_raw(future.clone());
        let host = Arc::into_raw(future);
        debug_assert_eq!(handler, host);
        host.cast_mut().cast()
    }

    /// The handler's last use of the future.
    ///
    /// # Safety
    /// The pointer came from [`Future::create`], and the handler has not set an outcome before.
    pub(crate) unsafe fn complete(future: *mut sys::XLA_FFI_Future, outcome: Result<()>) {
        // SAFETY: the handler's share, given up here once, as the caller promises.
        let future = unsafe { Arc::from_raw(future.cast_const().cast::<Future>()) };
        let pending = future.pending.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Pending { promise, in_use }) = pending {
            // Scratch memory and states go before anybody learns that the call is done.
            drop(in_use);
            // Whoever waits runs here, on the handler's thread. Its panic is none of the handler's failures, and C++
            // handlers end the process when this step fails; the panic hook has had its say.
            _ = catch_unwind(AssertUnwindSafe(|| promise.complete(outcome)));
        }
    }

    /// The host's share: the event of the outcome. `in_use` lives until then.
    ///
    /// # Safety
    /// The pointer came from [`Future::create`], and the host has not taken it before.
    pub(crate) unsafe fn take(future: *mut sys::XLA_FFI_Future, in_use: Box<dyn Any + Send>) -> Event {
        // SAFETY: the host's share, given up here once, as the caller promises.
        let future = unsafe { Arc::from_raw(future.cast_const().cast::<Future>()) };
        if let Some(pending) = &mut *future.pending.lock().unwrap_or_else(PoisonError::into_inner) {
            pending.in_use = Some(in_use);
        }
        future.event.clone()
    }
}
