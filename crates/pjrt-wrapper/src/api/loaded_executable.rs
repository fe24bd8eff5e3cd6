//! `PJRT_LoadedExecutable_*` except the launch itself.

use crate::backend::Backend;
use crate::caller::Caller;
use crate::handle;
use crate::lent::{delete_lent_bytes, lend_bytes};
use crate::state::loaded::LoadedState;
use pjrt_client_trait::{Result, Status};
use pjrt_sys as sys;
use std::sync::Arc;

/// The loaded executable behind a handle.
pub(crate) fn get<B: Backend>(executable: *const sys::PJRT_LoadedExecutable) -> Result<Arc<LoadedState<B>>> {
    handle::get(executable)
}

/// `PJRT_LoadedExecutable_Destroy`. Launches in flight survive it.
pub(crate) fn destroy<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_LoadedExecutable_Destroy_Args) -> Result<()> {
    handle::destroy::<LoadedState<B>, _>(args.executable).map(drop)
}

/// `PJRT_LoadedExecutable_GetExecutable`: a new handle each time, sharing ownership.
pub(crate) fn get_executable<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_LoadedExecutable_GetExecutable_Args,
) -> Result<()> {
    args.executable = handle::insert(get::<B>(args.loaded_executable)?.executable.clone());
    Ok(())
}

/// `PJRT_LoadedExecutable_AddressableDevices`.
pub(crate) fn addressable_devices<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_LoadedExecutable_AddressableDevices_Args,
) -> Result<()> {
    let loaded = get::<B>(args.executable)?;
    args.addressable_devices = loaded.device_handles.as_ptr();
    args.num_addressable_devices = loaded.device_handles.len();
    Ok(())
}

/// `PJRT_LoadedExecutable_AddressableDeviceLogicalIds`.
pub(crate) fn addressable_device_logical_ids<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args,
) -> Result<()> {
    let loaded = get::<B>(args.executable)?;
    args.addressable_device_logical_ids = loaded.logical_ids.as_ptr().cast_mut();
    args.num_addressable_device_logical_ids = loaded.logical_ids.len();
    Ok(())
}

/// `PJRT_LoadedExecutable_GetDeviceAssignment`. Empty for a portable executable; the deleter is never null.
pub(crate) fn device_assignment<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_LoadedExecutable_GetDeviceAssignment_Args,
) -> Result<()> {
    let loaded = get::<B>(args.executable)?;
    args.serialized_device_assignment_deleter = Some(delete_lent_bytes);
    if loaded.executable.origin.options.compile_portable_executable {
        args.serialized_bytes = std::ptr::null();
        args.serialized_bytes_size = 0;
        args.serialized_device_assignment = std::ptr::null_mut();
        return Ok(());
    }
    let bytes = lend_bytes(loaded.assignment.to_proto());
    args.serialized_bytes = bytes.data;
    args.serialized_bytes_size = bytes.size;
    args.serialized_device_assignment = bytes.holder.cast();
    Ok(())
}

/// `PJRT_LoadedExecutable_Delete`.
pub(crate) fn delete<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_LoadedExecutable_Delete_Args) -> Result<()> {
    get::<B>(args.executable)?.delete();
    Ok(())
}

/// `PJRT_LoadedExecutable_IsDeleted`.
pub(crate) fn is_deleted<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_LoadedExecutable_IsDeleted_Args,
) -> Result<()> {
    args.is_deleted = get::<B>(args.executable)?.is_deleted();
    Ok(())
}

/// `PJRT_LoadedExecutable_Fingerprint`: gone from the interface; the executable has it.
pub(crate) fn fingerprint<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_LoadedExecutable_Fingerprint_Args,
) -> Result<()> {
    get::<B>(args.executable)?;
    Err(Status::unimplemented(format!(
        "PJRT_LoadedExecutable_Fingerprint is deprecated and not supported by {}; use PJRT_Executable_Fingerprint",
        B::NAME
    )))
}
