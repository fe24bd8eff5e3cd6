//! Devices, their descriptions, and topologies, which are descriptions only.

use crate::PLATFORM_NAME;
use crate::executable::ExampleExecutable;
use crate::memory::DeviceMemory;
use crate::queue::Queue;
use pjrt_wrapper::client_trait::{
    ClientOptions, DeviceId, MemoryId, MemoryStats, PjrtDevice, PjrtDeviceDescription, Result, StaticTopology, Status,
};
use std::sync::Arc;

/// One simulated accelerator.
pub(crate) struct ExampleDevice {
    description: PjrtDeviceDescription,
    memory_spaces: [MemoryId; 1],
    pub(crate) memory: Arc<DeviceMemory>,
    pub(crate) queue: Queue,
}

impl ExampleDevice {
    pub(crate) fn new(id: i32, memory_limit: usize) -> Result<Self> {
        let queue = Queue::new(id).map_err(|error| Status::resource_exhausted(format!("device {id}: {error}")))?;
        let memory = DeviceMemory::new(memory_limit);
        Ok(ExampleDevice { description: describe(id), memory_spaces: [MemoryId(id as usize)], memory, queue })
    }
}

impl PjrtDevice for ExampleDevice {
    fn description(&self) -> &PjrtDeviceDescription {
        &self.description
    }

    fn memory_spaces(&self) -> &[MemoryId] {
        &self.memory_spaces
    }

    fn memory_stats(&self) -> Result<MemoryStats> {
        Ok(self.memory.stats())
    }

    fn clear_memory_stats(&self) -> Result<()> {
        self.memory.clear_peak();
        Ok(())
    }
}

fn describe(id: i32) -> PjrtDeviceDescription {
    PjrtDeviceDescription {
        to_string: format!("RustExampleDevice(id={id})"),
        ..PjrtDeviceDescription::new(DeviceId(id), 0, "simulated accelerator")
    }
}

/// The devices that the options ask for: `devices`, 2 by default.
pub(crate) fn device_count(options: &ClientOptions) -> Result<i32> {
    match options.int("devices", 2)? {
        count @ 1..=64 => Ok(count as i32),
        count => Err(Status::invalid_argument(format!("option devices is {count}; 1 to 64 can be simulated"))),
    }
}

pub(crate) fn topology(count: i32) -> StaticTopology<ExampleExecutable> {
    let descriptions = (0..count).map(describe).collect();
    StaticTopology::new(PLATFORM_NAME, crate::client::VERSION, descriptions).with_compiler(ExampleExecutable::compile)
}

/// A topology without a client, by options; its name does not matter.
pub(crate) fn create_topology(_name: &str, options: ClientOptions) -> Result<StaticTopology<ExampleExecutable>> {
    options.reject_unknown(&["devices"])?;
    Ok(topology(device_count(&options)?))
}
