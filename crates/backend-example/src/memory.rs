//! The memory of one device: a budget, and arrays that count against it while they live.

use pjrt_wrapper::client_trait::{MemoryStats, Result, Status};
use stablehlo::eval::Tensor;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is in use, and the most that ever was.
#[derive(Default)]
struct Usage {
    now: usize,
    peak: usize,
    allocations: usize,
    largest: usize,
}

/// The memory of one device.
pub(crate) struct DeviceMemory {
    limit: usize,
    usage: Mutex<Usage>,
}

/// An array in device memory, which is freed when this is dropped.
pub(crate) struct Allocation {
    tensor: Tensor,
    bytes: usize,
    memory: Arc<DeviceMemory>,
}

impl DeviceMemory {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(DeviceMemory { limit, usage: Mutex::default() })
    }

    fn usage(&self) -> MutexGuard<'_, Usage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts an array into device memory.
    pub(crate) fn store(self: &Arc<Self>, tensor: Tensor) -> Result<Allocation> {
        let bytes = tensor.bytes().len();
        let mut usage = self.usage();
        if usage.now + bytes > self.limit {
            return Err(Status::resource_exhausted(format!(
                "{bytes} bytes do not fit: {} of {} are in use (peak {}); option memory_limit sets the size",
                usage.now, self.limit, usage.peak
            )));
        }
        usage.now += bytes;
        usage.peak = usage.peak.max(usage.now);
        usage.largest = usage.largest.max(bytes);
        usage.allocations += 1;
        Ok(Allocation { tensor, bytes, memory: self.clone() })
    }

    pub(crate) fn stats(&self) -> MemoryStats {
        let usage = self.usage();
        MemoryStats {
            bytes_in_use: usage.now as i64,
            peak_bytes_in_use: Some(usage.peak as i64),
            num_allocs: Some(usage.allocations as i64),
            largest_alloc_size: Some(usage.largest as i64),
            bytes_limit: Some(self.limit as i64),
            ..MemoryStats::default()
        }
    }

    pub(crate) fn clear_peak(&self) {
        let mut usage = self.usage();
        usage.peak = usage.now;
    }
}

impl Allocation {
    pub(crate) fn tensor(&self) -> &Tensor {
        &self.tensor
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        self.memory.usage().now -= self.bytes;
    }
}
