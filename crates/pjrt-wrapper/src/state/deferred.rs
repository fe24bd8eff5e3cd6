//! Buffers whose backend object does not exist yet: aliases to be fulfilled, transfers that are not complete,
//! results of launches that wait for either.

use crate::backend::Backend;
use pjrt_client_trait::{Event, EventPromise, PjrtClient, Result, Status};
use std::sync::{Arc, OnceLock};

/// The buffer type of a backend.
pub(crate) type BufferOf<B> = <<B as Backend>::Client as PjrtClient>::Buffer;

/// A backend buffer that will be there when [`Deferred::event`] succeeds.
pub(crate) struct Deferred<B: Backend> {
    event: Event,
    cell: Arc<OnceLock<Arc<BufferOf<B>>>>,
}

impl<B: Backend> Clone for Deferred<B> {
    fn clone(&self) -> Self {
        Deferred { event: self.event.clone(), cell: self.cell.clone() }
    }
}

/// The end that provides the buffer. Dropped without one, it leaves an error.
pub(crate) struct Fulfil<B: Backend> {
    promise: EventPromise,
    cell: Arc<OnceLock<Arc<BufferOf<B>>>>,
}

impl<B: Backend> Deferred<B> {
    pub(crate) fn new() -> (Fulfil<B>, Self) {
        let (promise, event) = Event::pending();
        let cell = Arc::new(OnceLock::new());
        (Fulfil { promise, cell: cell.clone() }, Deferred { event, cell })
    }

    /// Succeeds when the backend buffer exists (its contents may still be pending).
    pub(crate) fn event(&self) -> &Event {
        &self.event
    }

    /// The backend buffer, once the event has succeeded.
    pub(crate) fn buffer(&self) -> Result<Arc<BufferOf<B>>> {
        self.cell.get().cloned().ok_or_else(|| Status::internal("a deferred buffer was asked for too early"))
    }
}

impl<B: Backend> Fulfil<B> {
    pub(crate) fn complete(self, outcome: Result<Arc<BufferOf<B>>>) {
        let Fulfil { promise, cell } = self;
        let outcome = outcome.map(|buffer| _ = cell.set(buffer));
        // Callbacks may donate the buffer, so this end does not hold it while they run.
        drop(cell);
        promise.complete(outcome);
    }
}
