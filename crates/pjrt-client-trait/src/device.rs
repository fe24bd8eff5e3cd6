//! Devices and their descriptions.

use crate::{MemoryId, NamedValue, Result, Status};

/// The job-wide id of a device, as it stands in device assignments. Not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeviceId(pub i32);

/// The static facts about a device; a topology has them without any client. Plain values, so that asking for
/// them cannot fail.
#[derive(Clone, Debug, PartialEq)]
pub struct PjrtDeviceDescription {
    /// Job-wide id.
    pub id: DeviceId,
    /// Rank of the process that owns the device.
    pub process_index: i32,
    /// What sort of device, in the vendor's words.
    pub kind: String,
    /// What users see when they print it, such as `MyDevice(id=0)`.
    pub to_string: String,
    /// What developers see.
    pub debug_string: String,
    /// Facts such as `coords` or `core_on_chip`. Only strings, integers and lists of integers.
    pub attributes: Vec<NamedValue>,
    /// The memory kinds such a device has, default first: (kind, kind id). Used where no client exists.
    pub memory_kinds: Vec<(String, i32)>,
}

impl PjrtDeviceDescription {
    /// A description with texts derived from kind and id, one memory kind `device`, and no attributes.
    pub fn new(id: DeviceId, process_index: i32, kind: &str) -> Self {
        PjrtDeviceDescription {
            id,
            process_index,
            kind: kind.to_owned(),
            to_string: format!("{kind}(id={})", id.0),
            debug_string: format!("{kind} {} of process {process_index}", id.0),
            attributes: Vec::new(),
            memory_kinds: vec![("device".to_owned(), 1)],
        }
    }
}

/// Memory counters of one device, in bytes unless said otherwise. `None` is "not known".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryStats {
    /// Allocated now.
    pub bytes_in_use: i64,
    /// Most that was allocated at one time.
    pub peak_bytes_in_use: Option<i64>,
    /// Allocations so far (a count).
    pub num_allocs: Option<i64>,
    /// The largest single allocation.
    pub largest_alloc_size: Option<i64>,
    /// What may be allocated at all.
    pub bytes_limit: Option<i64>,
    /// Held back from use.
    pub bytes_reserved: Option<i64>,
    /// Most that was held back.
    pub peak_bytes_reserved: Option<i64>,
    /// What may be held back.
    pub bytes_reservable_limit: Option<i64>,
    /// The largest block that is free.
    pub largest_free_block_bytes: Option<i64>,
    /// Allocated from the system by a pooling allocator.
    pub pool_bytes: Option<i64>,
    /// Most that was allocated from the system.
    pub peak_pool_bytes: Option<i64>,
    /// Most that was requested by allocations, before rounding.
    pub peak_allocated_bytes: Option<i64>,
}

/// A device of the job.
pub trait PjrtDevice: Send + Sync + 'static {
    /// The static facts.
    fn description(&self) -> &PjrtDeviceDescription;

    /// The memories that this device can use, default first. Not empty for an addressable device.
    fn memory_spaces(&self) -> &[MemoryId];

    /// Whether this process may command the device.
    fn is_addressable(&self) -> bool {
        true
    }

    /// The physical number of the device in its machine; −1 when there is none.
    fn local_hardware_id(&self) -> i32 {
        if self.is_addressable() { self.description().id.0 } else { -1 }
    }

    /// Attributes that change while the device runs, in addition to those of the description.
    fn runtime_attributes(&self) -> Vec<NamedValue> {
        Vec::new()
    }

    /// Memory counters. Cheap: frameworks ask before every compilation.
    ///
    /// # Errors
    /// UNIMPLEMENTED when the backend does not count.
    fn memory_stats(&self) -> Result<MemoryStats> {
        Err(Status::unimplemented("this backend keeps no memory statistics"))
    }

    /// Starts the peak counters afresh.
    ///
    /// # Errors
    /// UNIMPLEMENTED when the backend does not count.
    fn clear_memory_stats(&self) -> Result<()> {
        Err(Status::unimplemented("this backend keeps no memory statistics"))
    }

    /// Fails the unfinished execution with this launch id; false when there is none.
    ///
    /// # Errors
    /// UNIMPLEMENTED when the backend cannot.
    fn poison_execution(&self, launch_id: i32, error: Status) -> Result<bool> {
        _ = (launch_id, error);
        Err(Status::unimplemented("this backend cannot poison an execution"))
    }
}
