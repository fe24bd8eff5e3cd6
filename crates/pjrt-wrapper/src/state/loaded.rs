//! `PJRT_LoadedExecutable`: a program bound to devices.

use crate::backend::Backend;
use crate::handle::HandleType;
use crate::lent::LentArray;
use crate::state::client::ClientState;
use crate::state::executable::ExecutableState;
use pjrt_client_trait::{DeviceAssignment, DeviceId, LogicalId, PjrtClient, Result, Status};
use pjrt_sys as sys;
use std::sync::{Arc, Mutex, PoisonError};

/// The loaded executable type of a backend.
pub(crate) type LoadedOf<B> = <<B as Backend>::Client as PjrtClient>::LoadedExecutable;

pub(crate) struct LoadedState<B: Backend> {
    pub(crate) client: Arc<ClientState<B>>,
    pub(crate) executable: Arc<ExecutableState<B>>,
    loaded: Mutex<Option<Arc<LoadedOf<B>>>>,
    pub(crate) assignment: DeviceAssignment,
    /// The devices that this process commands, with their places, in the order of the assignment.
    pub(crate) addressable: Vec<(LogicalId, DeviceId)>,
    pub(crate) device_handles: LentArray<*mut sys::PJRT_Device>,
    pub(crate) logical_ids: LentArray<sys::PJRT_LogicalDeviceIds>,
}

impl<B: Backend> HandleType for LoadedState<B> {
    const KIND: &'static str = "PJRT_LoadedExecutable";
}

impl<B: Backend> LoadedState<B> {
    /// Loads an executable onto the devices that its options name, or onto the backend's default ones.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for devices that do not exist, or none of which is addressable.
    pub(crate) fn new(client: &Arc<ClientState<B>>, executable: Arc<ExecutableState<B>>) -> Result<Arc<Self>> {
        let options = &executable.origin.options;
        let assignment = match &options.device_assignment {
            Some(assignment) => assignment.clone(),
            None if options.num_replicas == 1 && options.num_partitions == 1 && options.device_ordinal >= 0 => {
                let id = i32::try_from(options.device_ordinal).unwrap_or(i32::MAX);
                DeviceAssignment::new(1, 1, vec![DeviceId(id)])?
            }
            None => client.default_device_assignment(options.num_replicas, options.num_partitions)?,
        };
        let mut addressable = Vec::new();
        let mut handles = Vec::new();
        for (place, id) in assignment.iter() {
            let device = client.device(id)?;
            if device.is_addressable {
                addressable.push((place, id));
                handles.push(client.device_handle(device));
            }
        }
        if addressable.is_empty() {
            return Err(Status::invalid_argument(format!(
                "none of the devices of program {} can be commanded by this process",
                executable.name
            )));
        }
        let loaded = client.client.load(&executable.executable, &assignment)?;
        Ok(Arc::new(LoadedState {
            client: client.clone(),
            executable,
            loaded: Mutex::new(Some(Arc::new(loaded))),
            device_handles: LentArray::new(handles),
            logical_ids: LentArray::new(
                addressable.iter().map(|(place, _)| sys::PJRT_LogicalDeviceIds {
                    replica: place.replica,
                    partition: place.partition,
                }),
            ),
            addressable,
            assignment,
        }))
    }

    /// The backend's object.
    ///
    /// # Errors
    /// FAILED_PRECONDITION after [`Self::delete`].
    pub(crate) fn loaded(&self) -> Result<Arc<LoadedOf<B>>> {
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner).clone();
        loaded.ok_or_else(|| {
            Status::failed_precondition(format!(
                "executable {} was deleted; it can no longer run",
                self.executable.name
            ))
        })
    }

    /// Drops the program from the devices; launches in flight keep it until they are done.
    pub(crate) fn delete(&self) {
        let previous = self.loaded.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(previous);
    }

    pub(crate) fn is_deleted(&self) -> bool {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}
