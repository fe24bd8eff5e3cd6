//! `PJRT_Client_*`: identity, devices, memories.

use crate::backend::Backend;
use crate::caller::Caller;
use crate::handle;
use crate::state::client::ClientState;
use pjrt_client_trait::{DeviceId, PjrtClient, ProcessInfo, ProcessState, Result, Status};
use pjrt_sys as sys;
use std::sync::Arc;

/// The client behind a handle.
pub(crate) fn get<B: Backend>(client: *const sys::PJRT_Client) -> Result<Arc<ClientState<B>>> {
    handle::get(client)
}

/// `PJRT_Client_Destroy`. What still refers to the client keeps it alive.
pub(crate) fn destroy<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Client_Destroy_Args) -> Result<()> {
    handle::destroy::<ClientState<B>, _>(args.client).map(drop)
}

/// `PJRT_Client_PlatformName`.
pub(crate) fn platform_name<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Client_PlatformName_Args) -> Result<()> {
    let client = get::<B>(args.client)?;
    args.platform_name = client.platform_name.as_ptr().cast();
    args.platform_name_size = client.platform_name.len();
    Ok(())
}

/// `PJRT_Client_PlatformVersion`.
pub(crate) fn platform_version<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Client_PlatformVersion_Args,
) -> Result<()> {
    let client = get::<B>(args.client)?;
    args.platform_version = client.platform_version.as_ptr().cast();
    args.platform_version_size = client.platform_version.len();
    Ok(())
}

/// `PJRT_Client_ProcessIndex`.
pub(crate) fn process_index<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Client_ProcessIndex_Args) -> Result<()> {
    args.process_index = get::<B>(args.client)?.process_index;
    Ok(())
}

/// `PJRT_Client_TopologyDescription`: the client keeps the topology.
pub(crate) fn topology<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Client_TopologyDescription_Args) -> Result<()> {
    args.topology = get::<B>(args.client)?.topology();
    Ok(())
}

/// `PJRT_Client_Devices`.
pub(crate) fn devices<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Client_Devices_Args) -> Result<()> {
    let client = get::<B>(args.client)?;
    args.devices = client.devices.as_ptr();
    args.num_devices = client.devices.len();
    Ok(())
}

/// `PJRT_Client_AddressableDevices`.
pub(crate) fn addressable_devices<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Client_AddressableDevices_Args,
) -> Result<()> {
    let client = get::<B>(args.client)?;
    args.addressable_devices = client.addressable_devices.as_ptr();
    args.num_addressable_devices = client.addressable_devices.len();
    Ok(())
}

/// `PJRT_Client_LookupDevice`.
pub(crate) fn lookup_device<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Client_LookupDevice_Args) -> Result<()> {
    let client = get::<B>(args.client)?;
    args.device = client.device_handle(client.device(DeviceId(args.id))?);
    Ok(())
}

/// `PJRT_Client_LookupAddressableDevice`.
pub(crate) fn lookup_addressable_device<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Client_LookupAddressableDevice_Args,
) -> Result<()> {
    let client = get::<B>(args.client)?;
    let wanted = args.local_hardware_id;
    let mut devices = client.device_states().iter();
    let device = devices.find(|device| wanted >= 0 && device.is_addressable && device.local_hardware_id == wanted);
    let unknown = || Status::invalid_argument(format!("No matching device found for local_hardware_id {wanted}"));
    args.addressable_device = client.device_handle(device.ok_or_else(unknown)?);
    Ok(())
}

/// `PJRT_Client_AddressableMemories`.
pub(crate) fn addressable_memories<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Client_AddressableMemories_Args,
) -> Result<()> {
    let client = get::<B>(args.client)?;
    args.addressable_memories = client.memories.as_ptr();
    args.num_addressable_memories = client.memories.len();
    Ok(())
}

/// `PJRT_Client_DefaultDeviceAssignment`. The counts are checked before anything else.
pub(crate) fn default_device_assignment<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Client_DefaultDeviceAssignment_Args,
) -> Result<()> {
    let client = get::<B>(args.client)?;
    let (replicas, partitions) = (i64::from(args.num_replicas), i64::from(args.num_partitions));
    if replicas <= 0 || partitions <= 0 {
        return Err(Status::invalid_argument(format!(
            "num_replicas and num_partitions must be positive; they are {replicas} and {partitions}"
        )));
    }
    // Both fit in 31 bits, so the product fits in 62.
    let wanted = (replicas * partitions) as usize;
    if args.default_assignment_size < wanted {
        return Err(Status::failed_precondition(format!(
            "PJRT_Client_DefaultDeviceAssignment: default_assignment_size {} < num_replicas * num_partitions, {replicas} * \
             {partitions} = {wanted}",
            args.default_assignment_size
        )));
    }
    if args.default_assignment.is_null() {
        return Err(Status::invalid_argument("default_assignment is null"));
    }
    let assignment = client.default_device_assignment(replicas as usize, partitions as usize)?;
    for (index, (_, device)) in assignment.iter().enumerate() {
        // SAFETY: the assignment has the counts that were asked for, so `wanted` ids, and the caller says above that it
        // has room for as many; that it has is the C contract.
        unsafe { args.default_assignment.add(index).write(device.0) };
    }
    Ok(())
}

/// `PJRT_Client_UpdateGlobalProcessInfo`. Never fails for what the backend does with it: frameworks abort.
pub(crate) fn update_global_process_info<B: Backend>(
    c: Caller<'_>,
    args: &mut sys::PJRT_Client_UpdateGlobalProcessInfo_Args,
) -> Result<()> {
    let client = get::<B>(args.client)?;
    let mut processes = Vec::new();
    for raw in c.slice(args.process_infos, args.num_process_infos, "process_infos")? {
        let state = match raw.state.0 {
            1 => ProcessState::Disconnected,
            2 => ProcessState::Connected,
            3 => ProcessState::Error,
            _ => ProcessState::Unspecified,
        };
        let code = sys::PJRT_Error_Code(raw.error_code.cast_unsigned());
        processes.push(ProcessInfo {
            task_id: raw.task_id,
            incarnation_id: raw.incarnation_id,
            state,
            error: c.status(code, raw.error_message, raw.error_message_size)?,
        });
    }
    client.client.update_global_process_info(&processes);
    Ok(())
}

/// `PJRT_Client_DmaMap`.
pub(crate) fn dma_map<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Client_DmaMap_Args) -> Result<()> {
    get::<B>(args.client)?.client.dma_map(args.data.addr() as u64, args.size)
}

/// `PJRT_Client_DmaUnmap`.
pub(crate) fn dma_unmap<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Client_DmaUnmap_Args) -> Result<()> {
    get::<B>(args.client)?.client.dma_unmap(args.data.addr() as u64)
}
