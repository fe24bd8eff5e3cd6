//! `PJRT_Client`: the backend's client, with everything that is lent of it at fixed addresses.
//!
//! The handle is one holder of this state; buffers and executables are others, so that nothing depends on the
//! order in which a framework destroys things, or on its destroying the client at all.

use crate::backend::Backend;
use crate::handle::{self, HandleType};
use crate::lent::LentArray;
use crate::state::device::{DescriptionHandle, DeviceState, device_attributes};
use crate::state::memory::{MemoryHandle, MemoryObject};
use crate::state::topology::TopologyState;
use pjrt_client_trait::{DeviceAssignment, DeviceId, MemoryId, PjrtClient, PjrtDevice, Result, Status};
use pjrt_sys as sys;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

pub(crate) struct ClientState<B: Backend> {
    pub(crate) client: B::Client,
    pub(crate) platform_name: String,
    pub(crate) platform_version: String,
    pub(crate) process_index: i32,
    pub(crate) devices: LentArray<*mut sys::PJRT_Device>,
    pub(crate) addressable_devices: LentArray<*mut sys::PJRT_Device>,
    by_id: HashMap<DeviceId, usize>,
    device_states: Vec<Arc<DeviceState<B>>>,
    memory_handles: Vec<MemoryHandle>,
    pub(crate) memories: LentArray<*mut sys::PJRT_Memory>,
    /// Handle of the client's own topology.
    topology: OnceLock<TopologyHandle<B>>,
}

impl<B: Backend> HandleType for ClientState<B> {
    const KIND: &'static str = "PJRT_Client";
}

/// The client's topology, whose handle lives as long as the client.
struct TopologyHandle<B: Backend>(*mut sys::PJRT_TopologyDescription, std::marker::PhantomData<fn() -> B>);

// SAFETY: a handle is a number; whatever it refers to is looked up under locks.
unsafe impl<B: Backend> Send for TopologyHandle<B> {}
// SAFETY: as above.
unsafe impl<B: Backend> Sync for TopologyHandle<B> {}

impl<B: Backend> Drop for TopologyHandle<B> {
    fn drop(&mut self) {
        _ = handle::remove::<TopologyState<B>, _>(self.0);
    }
}

impl<B: Backend> ClientState<B> {
    /// Takes a backend's client into service, after checking what the framework relies on.
    ///
    /// # Errors
    /// INTERNAL that tells the author of the backend what is wrong.
    pub(crate) fn new(client: B::Client) -> Result<Arc<Self>> {
        let broken = |what: String| Status::internal(format!("backend {}: {what}", B::NAME));
        let spaces = client.memory_spaces();
        let memory_handles: Vec<MemoryHandle> =
            spaces.iter().enumerate().map(|(index, facts)| MemoryHandle::new(index, facts.clone())).collect();
        let mut by_id = HashMap::new();
        let mut device_states = Vec::new();
        for (index, device) in client.devices().iter().enumerate() {
            let facts = device.description();
            if facts.id.0 < 0 || by_id.insert(facts.id, index).is_some() {
                return Err(broken(format!("device id {} is negative or occurs twice", facts.id.0)));
            }
            device_attributes(&facts.to_string, device.runtime_attributes())?;
            let memory_ids = device.memory_spaces().to_vec();
            if device.is_addressable() && memory_ids.is_empty() {
                return Err(broken(format!(
                    "device {} has no memory space; every addressable device needs one",
                    facts.to_string
                )));
            }
            if let Some(id) = memory_ids.iter().find(|id| id.0 >= memory_handles.len()) {
                return Err(broken(format!(
                    "device {} has memory {}, but there are {}",
                    facts.to_string,
                    id.0,
                    memory_handles.len()
                )));
            }
            device_states.push(Arc::new(DeviceState {
                client: OnceLock::new(),
                index,
                description: DescriptionHandle::new(facts)?,
                is_addressable: device.is_addressable(),
                local_hardware_id: device.local_hardware_id(),
                memories: LentArray::new(memory_ids.iter().map(|id| memory_handles[id.0].raw())),
                memory_ids,
            }));
        }
        if device_states.iter().all(|device| !device.is_addressable) {
            return Err(broken("the client has no addressable device".to_owned()));
        }
        if let Some(space) =
            spaces.iter().find(|space| space.kind_id == 0 || space.kind.is_empty() || space.devices.is_empty())
        {
            return Err(broken(format!("memory {} has no kind, kind id 0, or no device", space.debug_string)));
        }
        if let Some(space) = spaces.iter().find(|space| space.devices.iter().any(|id| !by_id.contains_key(id))) {
            return Err(broken(format!("memory {} names a device that does not exist", space.debug_string)));
        }
        let handles: Vec<*mut sys::PJRT_Device> =
            device_states.iter().map(|device| handle::insert(device.clone())).collect();
        let addressable =
            device_states.iter().filter(|device| device.is_addressable).map(|device| handles[device.index]);
        for memory in &memory_handles {
            let devices = memory.object().facts.devices.iter().map(|id| handles[by_id[id]]);
            _ = memory.object().devices.set(LentArray::new(devices));
        }
        let state = Arc::new(ClientState {
            platform_name: client.platform_name().to_owned(),
            platform_version: client.platform_version().to_owned(),
            process_index: client.process_index(),
            addressable_devices: LentArray::new(addressable),
            devices: LentArray::new(handles),
            by_id,
            device_states,
            memories: LentArray::new(memory_handles.iter().map(MemoryHandle::raw)),
            memory_handles,
            topology: OnceLock::new(),
            client,
        });
        for device in &state.device_states {
            _ = device.client.set(Arc::downgrade(&state));
        }
        let topology = handle::insert(Arc::new(TopologyState::of_client(&state)?));
        _ = state.topology.set(TopologyHandle(topology, std::marker::PhantomData));
        Ok(state)
    }

    /// The client's topology, owned by the client.
    pub(crate) fn topology(&self) -> *mut sys::PJRT_TopologyDescription {
        self.topology.get().map_or(std::ptr::null_mut(), |topology| topology.0)
    }

    /// The device of this id.
    ///
    /// # Errors
    /// INVALID_ARGUMENT that names the id.
    pub(crate) fn device(&self, id: DeviceId) -> Result<&Arc<DeviceState<B>>> {
        let index = self.by_id.get(&id);
        let unknown = || Status::invalid_argument(format!("No matching device found for device_id {}", id.0));
        Ok(&self.device_states[*index.ok_or_else(unknown)?])
    }

    /// The devices for a program of which the caller did not say where it runs.
    ///
    /// # Errors
    /// What the backend reports; INTERNAL when it has chosen for other counts than it was asked for.
    pub(crate) fn default_device_assignment(&self, replicas: usize, partitions: usize) -> Result<DeviceAssignment> {
        let assignment = self.client.default_device_assignment(replicas, partitions)?;
        if (assignment.replicas(), assignment.partitions()) == (replicas, partitions) {
            return Ok(assignment);
        }
        Err(Status::internal(format!(
            "backend {}: default_device_assignment was asked for {replicas} replicas x {partitions} partitions and gave \
             {} x {}",
            B::NAME,
            assignment.replicas(),
            assignment.partitions()
        )))
    }

    /// All devices.
    pub(crate) fn device_states(&self) -> &[Arc<DeviceState<B>>] {
        &self.device_states
    }

    /// The handle of a device.
    pub(crate) fn device_handle(&self, device: &DeviceState<B>) -> *mut sys::PJRT_Device {
        self.devices.as_slice()[device.index]
    }

    /// A memory of this client.
    pub(crate) fn memory(&self, id: MemoryId) -> Result<&MemoryHandle> {
        let missing = || Status::internal(format!("backend {}: there is no memory {}", B::NAME, id.0));
        self.memory_handles.get(id.0).ok_or_else(missing)
    }

    /// Whether `memory` belongs to this client.
    pub(crate) fn owns(&self, memory: &Arc<MemoryObject>) -> bool {
        self.memory_handles.get(memory.index).is_some_and(|handle| Arc::ptr_eq(handle.object(), memory))
    }

    /// Where a buffer is to be made: the memory if one was given, else the default memory of the device.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when neither was given, or they are of another client.
    pub(crate) fn placement(
        &self,
        device: *const sys::PJRT_Device,
        memory: *const sys::PJRT_Memory,
    ) -> Result<MemoryId> {
        if !memory.is_null() {
            let memory = crate::state::memory::get(memory)?;
            if !self.owns(&memory) {
                return Err(Status::invalid_argument(format!(
                    "memory {} belongs to another client",
                    memory.facts.to_string
                )));
            }
            return Ok(MemoryId(memory.index));
        }
        if device.is_null() {
            return Err(Status::invalid_argument("neither a device nor a memory was given for the new buffer"));
        }
        let device = handle::get::<DeviceState<B>, _>(device)?;
        let same = self.device_states.get(device.index).is_some_and(|own| Arc::ptr_eq(own, &device));
        match device.memory_ids.first() {
            Some(&memory) if same => Ok(memory),
            Some(_) => Err(Status::invalid_argument("the device belongs to another client")),
            None => {
                Err(Status::invalid_argument("the device is not addressable by this process: it has no memory here"))
            }
        }
    }

    /// The handle of the device that a buffer in this memory belongs to: the first one that can use it.
    pub(crate) fn device_of_memory(&self, memory: MemoryId) -> Result<*mut sys::PJRT_Device> {
        let object = self.memory(memory)?.object();
        let devices = object.devices.get().map(LentArray::as_slice).unwrap_or_default();
        devices.first().copied().ok_or_else(|| Status::internal("a memory without devices"))
    }
}

impl<B: Backend> Drop for ClientState<B> {
    fn drop(&mut self) {
        for &device in self.devices.as_slice() {
            _ = handle::remove::<DeviceState<B>, _>(device);
        }
    }
}
