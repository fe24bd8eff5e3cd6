//! Devices, their memories, and topologies, which are descriptions only.
//!
//! All devices are the same cores and the same memory. Each has three memory kinds, as XLA's have; they differ by name.

use crate::completion::Completions;
use crate::executable::CpuExecutable;
use crate::poison::Poisons;
use crate::queue::Queue;
use crate::settings::Settings;
use crate::{PLATFORM, VERSION};
use cpu_runtime::Budget;
use pjrt_wrapper::client_trait::{
    ClientOptions, DeviceId, MemoryId, MemoryStats, PjrtDevice, PjrtDeviceDescription, PjrtMemorySpace, Result,
    StaticTopology, Status,
};

/// Kinds of memory, default first, and their numbers.
pub(crate) const MEMORY_KINDS: [(&str, i32); 3] = [("device", 1), ("pinned_host", 2), ("unpinned_host", 3)];

/// A share of the machine.
pub(crate) struct CpuDevice {
    description: PjrtDeviceDescription,
    memory_spaces: [MemoryId; MEMORY_KINDS.len()],
    /// Counts what lives in any of the memories.
    pub(crate) budget: Budget,
    /// Runs programs that take their time.
    pub(crate) queue: Queue,
    /// In which order launches are said to be complete.
    pub(crate) completions: Completions,
    /// Launches under way that can be made to fail.
    pub(crate) poisons: Poisons,
}

impl CpuDevice {
    pub(crate) fn new(id: i32, memory_limit: usize) -> CpuDevice {
        CpuDevice {
            description: describe(id),
            memory_spaces: std::array::from_fn(|kind| memory_id(id, kind)),
            budget: Budget::new(memory_limit),
            queue: Queue::new(id),
            completions: Completions::default(),
            poisons: Poisons::default(),
        }
    }
}

/// The memory of a kind (an index into [`MEMORY_KINDS`]) of a device.
pub(crate) fn memory_id(device: i32, kind: usize) -> MemoryId {
    MemoryId(device as usize * MEMORY_KINDS.len() + kind)
}

/// The device that a memory belongs to, as an index.
pub(crate) fn device_of(memory: MemoryId) -> usize {
    memory.0 / MEMORY_KINDS.len()
}

/// The memories of `devices` devices, in the order of [`memory_id`].
pub(crate) fn memory_spaces(devices: i32) -> Vec<PjrtMemorySpace> {
    let of_device = |device: i32| {
        MEMORY_KINDS.iter().enumerate().map(move |(index, &(kind, kind_id))| {
            let id = memory_id(device, index).0 as i32;
            let space = PjrtMemorySpace::new(id, kind, kind_id, DeviceId(device));
            let name = match kind {
                "device" => "CpuDeviceMemory",
                "pinned_host" => "PinnedHostMemory",
                _ => "UnpinnedHostMemorySpace",
            };
            let debug_string = format!("{name}(id={id}, process_index=0, client={PLATFORM})");
            PjrtMemorySpace { to_string: format!("{}_{id}", name_in_capitals(kind)), debug_string, ..space }
        })
    };
    (0..devices).flat_map(of_device).collect()
}

fn name_in_capitals(kind: &str) -> String {
    if kind == "device" { "CPU_DEVICE".to_owned() } else { kind.to_ascii_uppercase() }
}

impl PjrtDevice for CpuDevice {
    fn description(&self) -> &PjrtDeviceDescription {
        &self.description
    }

    fn memory_spaces(&self) -> &[MemoryId] {
        &self.memory_spaces
    }

    fn memory_stats(&self) -> Result<MemoryStats> {
        let usage = self.budget.usage();
        let bytes = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        Ok(MemoryStats {
            bytes_in_use: bytes(usage.bytes_in_use),
            peak_bytes_in_use: Some(bytes(usage.peak)),
            num_allocs: Some(bytes(usage.allocations)),
            largest_alloc_size: Some(bytes(usage.largest)),
            bytes_limit: Some(bytes(usage.limit)),
            ..MemoryStats::default()
        })
    }

    fn clear_memory_stats(&self) -> Result<()> {
        self.budget.clear_peak();
        Ok(())
    }

    fn poison_execution(&self, launch_id: i32, error: Status) -> Result<bool> {
        Ok(self.poisons.poison(launch_id, &error))
    }
}

fn describe(id: i32) -> PjrtDeviceDescription {
    PjrtDeviceDescription {
        to_string: format!("CpuDevice(id={id})"),
        debug_string: format!("{PLATFORM}:{id}"),
        memory_kinds: MEMORY_KINDS.iter().map(|&(kind, id)| (kind.to_owned(), id)).collect(),
        ..PjrtDeviceDescription::new(DeviceId(id), 0, PLATFORM)
    }
}

/// The topology of so many devices.
pub(crate) fn topology(devices: i32) -> StaticTopology<CpuExecutable> {
    StaticTopology::new(PLATFORM, VERSION, (0..devices).map(describe).collect())
        .with_compiler(CpuExecutable::compile)
        .with_serialized(devices.to_string().into_bytes())
}

/// The topology that [`topology`] serialized: its number of devices.
pub(crate) fn read_topology(bytes: &[u8]) -> Result<StaticTopology<CpuExecutable>> {
    let devices = std::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok()).filter(|&devices| devices > 0);
    let devices = devices.ok_or_else(|| Status::invalid_argument("a serialized topology is a number of devices"))?;
    Ok(topology(devices))
}

/// A topology without a client, by options; its name does not matter.
pub(crate) fn create_topology(_name: &str, options: ClientOptions) -> Result<StaticTopology<CpuExecutable>> {
    let settings = Settings::read(&options, |variable| std::env::var(variable).ok())?;
    Ok(topology(settings.devices))
}
