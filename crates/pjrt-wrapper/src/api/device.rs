//! `PJRT_DeviceDescription_*` and `PJRT_Device_*`.

use crate::backend::Backend;
use crate::call::catch_panic;
use crate::caller::Caller;
use crate::handle;
use crate::lent::LentNamedValues;
use crate::state::device::{DescriptionState, DeviceState, device_attributes};
use pjrt_client_trait::{PjrtDevice, Result, Status, Value};
use pjrt_sys as sys;
use std::sync::Arc;

fn description(description: *const sys::PJRT_DeviceDescription) -> Result<Arc<DescriptionState>> {
    handle::get(description)
}

fn device<B: Backend>(device: *const sys::PJRT_Device) -> Result<Arc<DeviceState<B>>> {
    handle::get(device)
}

/// `PJRT_DeviceDescription_Id`.
pub(crate) fn description_id(_: Caller<'_>, args: &mut sys::PJRT_DeviceDescription_Id_Args) -> Result<()> {
    args.id = description(args.device_description)?.facts.id.0;
    Ok(())
}

/// `PJRT_DeviceDescription_ProcessIndex`.
pub(crate) fn description_process_index(
    _: Caller<'_>,
    args: &mut sys::PJRT_DeviceDescription_ProcessIndex_Args,
) -> Result<()> {
    args.process_index = description(args.device_description)?.facts.process_index;
    Ok(())
}

/// `PJRT_DeviceDescription_Attributes`.
pub(crate) fn description_attributes(
    _: Caller<'_>,
    args: &mut sys::PJRT_DeviceDescription_Attributes_Args,
) -> Result<()> {
    let description = description(args.device_description)?;
    args.attributes = description.attributes.raw.as_ptr();
    args.num_attributes = description.attributes.raw.len();
    Ok(())
}

/// `PJRT_DeviceDescription_Kind`.
pub(crate) fn description_kind(_: Caller<'_>, args: &mut sys::PJRT_DeviceDescription_Kind_Args) -> Result<()> {
    let description = description(args.device_description)?;
    args.device_kind = description.facts.kind.as_ptr().cast();
    args.device_kind_size = description.facts.kind.len();
    Ok(())
}

/// `PJRT_DeviceDescription_DebugString`.
pub(crate) fn description_debug_string(
    _: Caller<'_>,
    args: &mut sys::PJRT_DeviceDescription_DebugString_Args,
) -> Result<()> {
    let description = description(args.device_description)?;
    args.debug_string = description.facts.debug_string.as_ptr().cast();
    args.debug_string_size = description.facts.debug_string.len();
    Ok(())
}

/// `PJRT_DeviceDescription_ToString`.
pub(crate) fn description_to_string(_: Caller<'_>, args: &mut sys::PJRT_DeviceDescription_ToString_Args) -> Result<()> {
    let description = description(args.device_description)?;
    args.to_string = description.facts.to_string.as_ptr().cast();
    args.to_string_size = description.facts.to_string.len();
    Ok(())
}

/// `PJRT_Device_GetDescription`.
pub(crate) fn get_description<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Device_GetDescription_Args,
) -> Result<()> {
    args.device_description = device::<B>(args.device)?.description.raw();
    Ok(())
}

/// `PJRT_Device_IsAddressable`.
pub(crate) fn is_addressable<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Device_IsAddressable_Args) -> Result<()> {
    args.is_addressable = device::<B>(args.device)?.is_addressable;
    Ok(())
}

/// `PJRT_Device_LocalHardwareId`.
pub(crate) fn local_hardware_id<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Device_LocalHardwareId_Args,
) -> Result<()> {
    args.local_hardware_id = device::<B>(args.device)?.local_hardware_id;
    Ok(())
}

/// `PJRT_Device_AddressableMemories`.
pub(crate) fn addressable_memories<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Device_AddressableMemories_Args,
) -> Result<()> {
    let device = device::<B>(args.device)?;
    args.memories = device.memories.as_ptr();
    args.num_memories = device.memories.len();
    Ok(())
}

/// `PJRT_Device_DefaultMemory`.
pub(crate) fn default_memory<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Device_DefaultMemory_Args) -> Result<()> {
    let device = device::<B>(args.device)?;
    let none = || Status::failed_precondition("a device of another process has no memory here");
    args.memory = device.memories.as_slice().first().copied().ok_or_else(none)?;
    Ok(())
}

/// `PJRT_Device_MemoryStats`. Every flag is written: callers do not clear them.
pub(crate) fn memory_stats<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Device_MemoryStats_Args) -> Result<()> {
    let stats = device::<B>(args.device)?.with_device(PjrtDevice::memory_stats)?;
    args.bytes_in_use = stats.bytes_in_use;
    macro_rules! optional {
        ($($field:ident),*) => {
            paste::paste! { $(
                args.[<$field _is_set>] = stats.$field.is_some();
                args.$field = stats.$field.unwrap_or(0);
            )* }
        };
    }
    optional!(
        peak_bytes_in_use,
        num_allocs,
        largest_alloc_size,
        bytes_limit,
        bytes_reserved,
        peak_bytes_reserved,
        bytes_reservable_limit,
        largest_free_block_bytes,
        pool_bytes,
        peak_pool_bytes,
        peak_allocated_bytes
    );
    Ok(())
}

/// `PJRT_Device_ClearMemoryStats`.
pub(crate) fn clear_memory_stats<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Device_ClearMemoryStats_Args,
) -> Result<()> {
    device::<B>(args.device)?.with_device(PjrtDevice::clear_memory_stats)
}

/// `PJRT_Device_PoisonExecution`. Payloads must be text.
pub(crate) fn poison_execution<B: Backend>(
    c: Caller<'_>,
    args: &mut sys::PJRT_Device_PoisonExecution_Args,
) -> Result<()> {
    let device = device::<B>(args.device)?;
    let status = c.status(args.error_code, args.error_message, args.error_message_size)?;
    let mut status = status.ok_or_else(|| Status::invalid_argument("an execution cannot be poisoned with OK"))?;
    add_payloads(c, &mut status, args.payload, args.num_payload)?;
    args.poisoned = device.with_device(|device| device.poison_execution(args.launch_id, status))?;
    Ok(())
}

/// Adds named values to an error; all of them must be text.
pub(crate) fn add_payloads(
    c: Caller<'_>,
    status: &mut Status,
    payload: *const sys::PJRT_NamedValue,
    count: usize,
) -> Result<()> {
    for named in c.named_values(payload, count)? {
        match named.value {
            Value::String(text) => _ = status.payloads.insert(named.name, text.into_bytes()),
            other => {
                return Err(Status::invalid_argument(format!(
                    "error payload \"{}\" is a {}; payloads are strings",
                    named.name,
                    other.type_name()
                )));
            }
        }
    }
    Ok(())
}

/// `PJRT_Device_GetAttributes`: static and runtime attributes, owned by a holder.
pub(crate) fn get_attributes<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Device_GetAttributes_Args) -> Result<()> {
    let device = device::<B>(args.device)?;
    let description = description(device.description.raw())?;
    let mut all = description.facts.attributes.clone();
    // Frameworks abort when this fails, so where there are no runtime attributes there are the static ones.
    let runtime = catch_panic("PJRT_Device_GetAttributes", || {
        device.with_device(|device| device_attributes(&description.facts.to_string, device.runtime_attributes()))
    });
    match runtime {
        Ok(attributes) => all.extend(attributes),
        Err(status) => tracing::error!(target: "pjrt", "runtime attributes: {status}"),
    }
    let holder = Box::new(LentNamedValues::new(all));
    args.attributes = holder.raw.as_ptr();
    args.num_attributes = holder.raw.len();
    args.device_attributes = Box::into_raw(holder).cast();
    args.attributes_deleter = Some(delete_attributes);
    Ok(())
}

unsafe extern "C" fn delete_attributes(holder: *mut sys::PJRT_Device_Attributes) {
    if !holder.is_null() {
        // SAFETY: the holder was made by `get_attributes`, and its deleter is called once.
        drop(unsafe { Box::from_raw(holder.cast::<LentNamedValues>()) });
    }
}

/// `PJRT_Device_CreateAsyncTrackingEvent`: null, which callers take for "not supported".
pub(crate) fn create_async_tracking_event<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Device_CreateAsyncTrackingEvent_Args,
) -> Result<()> {
    device::<B>(args.device)?;
    args.event = std::ptr::null_mut();
    Ok(())
}

/// `PJRT_AsyncTrackingEvent_Destroy`. There are none but null.
pub(crate) fn destroy_async_tracking_event(
    _: Caller<'_>,
    args: &mut sys::PJRT_AsyncTrackingEvent_Destroy_Args,
) -> Result<()> {
    if args.event.is_null() {
        Ok(())
    } else {
        Err(Status::invalid_argument("not a PJRT_AsyncTrackingEvent of this plugin"))
    }
}
