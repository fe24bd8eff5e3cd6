//! `PJRT_Device` and `PJRT_DeviceDescription`.

use crate::backend::Backend;
use crate::handle::{self, HandleType};
use crate::lent::{LentArray, LentNamedValues};
use crate::state::client::ClientState;
use pjrt_client_trait::{MemoryId, PjrtClient, PjrtDeviceDescription, Result, Status, Value};
use pjrt_sys as sys;
use std::sync::{Arc, OnceLock, Weak};

/// A description with what is lent of it. Belongs to a device or to a topology.
pub(crate) struct DescriptionState {
    pub(crate) facts: PjrtDeviceDescription,
    pub(crate) attributes: LentNamedValues,
    /// Handles of the memory kinds, for the memory descriptions extension.
    pub(crate) memory_kinds: LentArray<*const sys::PJRT_MemoryDescription>,
}

impl HandleType for DescriptionState {
    const KIND: &'static str = "PJRT_DeviceDescription";
}

/// One memory kind of a device description.
pub(crate) struct MemoryKindState {
    pub(crate) kind: String,
    pub(crate) kind_id: i32,
}

impl HandleType for MemoryKindState {
    const KIND: &'static str = "PJRT_MemoryDescription";
}

/// A description's handle, ended when this is dropped.
pub(crate) struct DescriptionHandle(*mut sys::PJRT_DeviceDescription);

// SAFETY: a handle is a number; whatever it refers to is looked up under locks.
unsafe impl Send for DescriptionHandle {}
// SAFETY: as above.
unsafe impl Sync for DescriptionHandle {}

impl DescriptionHandle {
    pub(crate) fn new(facts: &PjrtDeviceDescription) -> Result<Self> {
        let kinds = facts.memory_kinds.iter().map(|(kind, kind_id)| {
            let state = MemoryKindState { kind: kind.clone(), kind_id: *kind_id };
            handle::insert::<_, sys::PJRT_MemoryDescription>(Arc::new(state)).cast_const()
        });
        let state = DescriptionState {
            facts: facts.clone(),
            attributes: LentNamedValues::new(device_attributes(&facts.to_string, facts.attributes.clone())?),
            memory_kinds: LentArray::new(kinds),
        };
        Ok(DescriptionHandle(handle::insert(Arc::new(state))))
    }

    pub(crate) fn raw(&self) -> *mut sys::PJRT_DeviceDescription {
        self.0
    }
}

impl Drop for DescriptionHandle {
    fn drop(&mut self) {
        // Nobody else removes the handle, so this finds it.
        if let Ok(state) = handle::remove::<DescriptionState, _>(self.0) {
            for &kind in state.memory_kinds.as_slice() {
                _ = handle::remove::<MemoryKindState, _>(kind);
            }
        }
    }
}

/// Device attributes may not be floats or bools: frameworks abort on those.
pub(crate) fn device_attributes(
    device: &str,
    attributes: Vec<pjrt_client_trait::NamedValue>,
) -> Result<Vec<pjrt_client_trait::NamedValue>> {
    match attributes.iter().find(|named| matches!(named.value, Value::Float(_) | Value::Bool(_))) {
        None => Ok(attributes),
        Some(named) => Err(Status::internal(format!(
            "attribute \"{}\" of device {device} is a {}; device attributes are strings, integers or lists of integers",
            named.name,
            named.value.type_name()
        ))),
    }
}

/// A device of a client.
pub(crate) struct DeviceState<B: Backend> {
    /// Set when the client is complete.
    pub(crate) client: OnceLock<Weak<ClientState<B>>>,
    /// Position in [`PjrtClient::devices`].
    pub(crate) index: usize,
    pub(crate) description: DescriptionHandle,
    pub(crate) is_addressable: bool,
    pub(crate) local_hardware_id: i32,
    pub(crate) memory_ids: Vec<MemoryId>,
    pub(crate) memories: LentArray<*mut sys::PJRT_Memory>,
}

impl<B: Backend> HandleType for DeviceState<B> {
    const KIND: &'static str = "PJRT_Device";
}

impl<B: Backend> DeviceState<B> {
    /// The client of the device.
    pub(crate) fn client(&self) -> Result<Arc<ClientState<B>>> {
        let gone = || Status::failed_precondition("the client of this device was destroyed");
        self.client.get().and_then(Weak::upgrade).ok_or_else(gone)
    }

    /// Runs something on the backend's device.
    pub(crate) fn with_device<R>(
        &self,
        action: impl FnOnce(&<B::Client as PjrtClient>::Device) -> Result<R>,
    ) -> Result<R> {
        let client = self.client()?;
        action(&client.client.devices()[self.index])
    }
}
