//! `PJRT_Memory_*`.

use crate::caller::Caller;
use crate::lent::LentArray;
use crate::state::memory;
use pjrt_client_trait::Result;
use pjrt_sys as sys;

/// `PJRT_Memory_Id`.
pub(crate) fn id(_: Caller<'_>, args: &mut sys::PJRT_Memory_Id_Args) -> Result<()> {
    args.id = memory::get(args.memory)?.facts.id;
    Ok(())
}

/// `PJRT_Memory_Kind`.
pub(crate) fn kind(_: Caller<'_>, args: &mut sys::PJRT_Memory_Kind_Args) -> Result<()> {
    let memory = memory::get(args.memory)?;
    args.kind = memory.facts.kind.as_ptr().cast();
    args.kind_size = memory.facts.kind.len();
    Ok(())
}

/// `PJRT_Memory_Kind_Id`.
pub(crate) fn kind_id(_: Caller<'_>, args: &mut sys::PJRT_Memory_Kind_Id_Args) -> Result<()> {
    args.kind_id = memory::get(args.memory)?.facts.kind_id;
    Ok(())
}

/// `PJRT_Memory_DebugString`.
pub(crate) fn debug_string(_: Caller<'_>, args: &mut sys::PJRT_Memory_DebugString_Args) -> Result<()> {
    let memory = memory::get(args.memory)?;
    args.debug_string = memory.facts.debug_string.as_ptr().cast();
    args.debug_string_size = memory.facts.debug_string.len();
    Ok(())
}

/// `PJRT_Memory_ToString`.
pub(crate) fn to_string(_: Caller<'_>, args: &mut sys::PJRT_Memory_ToString_Args) -> Result<()> {
    let memory = memory::get(args.memory)?;
    args.to_string = memory.facts.to_string.as_ptr().cast();
    args.to_string_size = memory.facts.to_string.len();
    Ok(())
}

/// `PJRT_Memory_AddressableByDevices`.
pub(crate) fn addressable_by_devices(
    _: Caller<'_>,
    args: &mut sys::PJRT_Memory_AddressableByDevices_Args,
) -> Result<()> {
    let memory = memory::get(args.memory)?;
    args.devices = memory.devices.get().map_or(std::ptr::null(), LentArray::as_ptr);
    args.num_devices = memory.devices.get().map_or(0, LentArray::len);
    Ok(())
}
