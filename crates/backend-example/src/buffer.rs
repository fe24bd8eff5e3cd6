//! Buffers: an array in the memory of a device, now or when the device has got there.

use crate::memory::Allocation;
use pjrt_wrapper::client_trait::{Event, EventPromise, MemoryId, PjrtBuffer, Result, Shape, Status};
use stablehlo::eval::Tensor;
use std::sync::{Arc, OnceLock};

pub(crate) struct ExampleBuffer {
    shape: Shape,
    memory: MemoryId,
    contents: Arc<OnceLock<Allocation>>,
    ready: Event,
}

/// The device's end of a buffer whose contents are still to come.
pub(crate) struct Fill {
    contents: Arc<OnceLock<Allocation>>,
    promise: EventPromise,
}

impl Fill {
    pub(crate) fn complete(self, outcome: Result<Allocation>) {
        let outcome = outcome.map(|allocation| _ = self.contents.set(allocation));
        self.promise.complete(outcome);
    }
}

impl ExampleBuffer {
    pub(crate) fn filled(shape: Shape, memory: MemoryId, allocation: Allocation) -> Self {
        ExampleBuffer { shape, memory, contents: Arc::new(OnceLock::from(allocation)), ready: Event::ready() }
    }

    pub(crate) fn pending(shape: Shape, memory: MemoryId) -> (Fill, Self) {
        let (promise, ready) = Event::pending();
        let contents = Arc::new(OnceLock::new());
        (Fill { contents: contents.clone(), promise }, ExampleBuffer { shape, memory, contents, ready })
    }

    /// The array, for the device itself. Waits for the contents.
    pub(crate) fn tensor(&self) -> Result<Tensor> {
        self.ready.wait()?;
        let missing = || Status::internal("a buffer is ready and has no contents");
        Ok(self.contents.get().ok_or_else(missing)?.tensor().clone())
    }
}

impl PjrtBuffer for ExampleBuffer {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn memory_space(&self) -> MemoryId {
        self.memory
    }

    fn ready_event(&self) -> Event {
        self.ready.clone()
    }

    fn copy_to_host(&self, dst: &mut [u8]) -> Result<()> {
        dst.copy_from_slice(self.tensor()?.bytes());
        Ok(())
    }
}
