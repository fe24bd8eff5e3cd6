//! Memory spaces: what buffers live in.

use crate::DeviceId;

/// The index of a memory space in [`crate::PjrtClient::memory_spaces`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemoryId(pub usize);

/// One memory, attached to one or more devices. Plain facts, so that asking for them cannot fail.
#[derive(Clone, Debug, PartialEq)]
pub struct PjrtMemorySpace {
    /// Unique among the memories of the client.
    pub id: i32,
    /// `device`, `pinned_host`, `unpinned_host`, or a name of the backend's own.
    pub kind: String,
    /// Identifies the kind across the devices of the client; not zero.
    pub kind_id: i32,
    /// The devices that can use this memory, by global id. Not empty.
    pub devices: Vec<DeviceId>,
    /// What users see when they print it.
    pub to_string: String,
    /// What developers see.
    pub debug_string: String,
}

impl PjrtMemorySpace {
    /// A memory of one device, with texts derived from id and kind.
    pub fn new(id: i32, kind: &str, kind_id: i32, device: DeviceId) -> Self {
        PjrtMemorySpace {
            id,
            kind: kind.to_owned(),
            kind_id,
            devices: vec![device],
            to_string: format!("{kind}:{id}"),
            debug_string: format!("memory space {id} (kind {kind}) of device {}", device.0),
        }
    }
}
