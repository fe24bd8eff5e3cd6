//! Life and death of a buffer, and its address.

use crate::backend::Backend;
use crate::caller::Caller;
use crate::handle;
use crate::state::buffer::BufferState;
use crate::state::event;
use pjrt_client_trait::{Event, PjrtBuffer, Result, Status};
use pjrt_sys as sys;
use std::sync::Arc;

fn get<B: Backend>(buffer: *const sys::PJRT_Buffer) -> Result<Arc<BufferState<B>>> {
    handle::get(buffer)
}

/// `PJRT_Buffer_Destroy`. A second one on the same handle is INVALID_ARGUMENT.
pub(crate) fn destroy<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Buffer_Destroy_Args) -> Result<()> {
    handle::destroy::<BufferState<B>, _>(args.buffer).map(drop)
}

/// `PJRT_Buffer_Delete`. Idempotent; never waits.
pub(crate) fn delete<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Buffer_Delete_Args) -> Result<()> {
    get::<B>(args.buffer)?.delete();
    Ok(())
}

/// `PJRT_Buffer_IsDeleted`.
pub(crate) fn is_deleted<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Buffer_IsDeleted_Args) -> Result<()> {
    args.is_deleted = get::<B>(args.buffer)?.is_deleted();
    Ok(())
}

/// `PJRT_Buffer_ReadyEvent`: of a deleted buffer, an event in error.
pub(crate) fn ready_event<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Buffer_ReadyEvent_Args) -> Result<()> {
    let ready = get::<B>(args.buffer)?.source().map_or_else(Event::failed, |source| source.ready_event());
    args.event = event::into_raw(ready);
    Ok(())
}

fn address<B: Backend>(buffer: &BufferState<B>) -> Result<u64> {
    let none = || {
        Status::unimplemented(format!(
            "backend {} gives no address for a buffer of shape {}; copy it to the host",
            B::NAME,
            buffer.shape
        ))
    };
    // What does not exist yet may be waiting for this very caller to fulfil it.
    let known = buffer.held_or_live()?.now()?.ok_or_else(none)?;
    match known.device_address() {
        // Where contents get their memory when they are computed; callers read them next, so they wait anyway.
        None if known.is_on_cpu() => {
            known.ready_event().wait()?;
            known.device_address().ok_or_else(none)
        }
        address => address.ok_or_else(none),
    }
}

/// `PJRT_Buffer_UnsafePointer`.
pub(crate) fn unsafe_pointer<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Buffer_UnsafePointer_Args) -> Result<()> {
    args.buffer_pointer = address(&*get::<B>(args.buffer)?)? as usize;
    Ok(())
}

/// `PJRT_Buffer_OpaqueDeviceMemoryDataPointer`.
pub(crate) fn opaque_pointer<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args,
) -> Result<()> {
    let address = address(&*get::<B>(args.buffer)?)?;
    args.device_memory_ptr = std::ptr::with_exposed_provenance_mut(address as usize);
    Ok(())
}

/// `PJRT_Buffer_IncreaseExternalReferenceCount`.
pub(crate) fn increase_external_reference_count<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Buffer_IncreaseExternalReferenceCount_Args,
) -> Result<()> {
    get::<B>(args.buffer)?.add_external_reference()
}

/// `PJRT_Buffer_DecreaseExternalReferenceCount`.
pub(crate) fn decrease_external_reference_count<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Buffer_DecreaseExternalReferenceCount_Args,
) -> Result<()> {
    get::<B>(args.buffer)?.drop_external_reference()
}
