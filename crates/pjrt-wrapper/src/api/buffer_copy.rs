//! Buffers from buffers: copies to other memories, bitcasts, control dependencies.

use crate::api::buffer_create::made;
use crate::api::client;
use crate::backend::Backend;
use crate::call::catch_panic;
use crate::caller::{Caller, read_struct};
use crate::handle;
use crate::state::buffer::{BufferState, Source};
use crate::state::client::ClientState;
use crate::state::deferred::{BufferOf, Deferred, Fulfil};
use crate::state::device::DeviceState;
use crate::state::memory;
use pjrt_client_trait::{Layout, MemoryId, PjrtBuffer, PjrtClient, Result, Status};
use pjrt_sys as sys;
use std::sync::Arc;

/// Copies to a memory: at once if the source is ready, else when it is.
fn copy<B: Backend>(name: &'static str, buffer: &BufferState<B>, memory: MemoryId) -> Result<*mut sys::PJRT_Buffer> {
    let source = buffer.source()?;
    let client = buffer.client.clone();
    let (fulfil, deferred) = Deferred::<B>::new();
    let layout = client.client.default_layout(&buffer.shape);
    let copier = client.clone();
    source.when_ready(move |outcome| {
        let copy =
            |ready: Arc<BufferOf<B>>| made::<B>(copier.client.copy_to_memory(&ready, memory)?, ready.shape(), memory);
        fulfil.complete(outcome.and_then(|ready| catch_panic(name, || copy(ready))));
    });
    let source = match deferred.event().outcome() {
        None => Source::Deferred(deferred),
        Some(Ok(())) => return Ok(handle::insert(BufferState::direct(&client, deferred.buffer()?)?)),
        Some(Err(status)) => match buffer.source()?.ready_event().outcome() {
            // The source is an error, and so is its copy.
            Some(Err(_)) => Source::Failed(status),
            _ => return Err(status),
        },
    };
    Ok(handle::insert(BufferState::placeholder(&client, buffer.shape.clone(), layout, memory, source)))
}

/// A memory of the buffer's own client.
fn own_memory<B: Backend>(client: &ClientState<B>, memory: *const sys::PJRT_Memory) -> Result<MemoryId> {
    let object = memory::get(memory)?;
    if client.owns(&object) {
        return Ok(MemoryId(object.index));
    }
    Err(Status::unimplemented(format!(
        "a copy to memory {} of another client; copy through the host",
        object.facts.to_string
    )))
}

/// `PJRT_Buffer_CopyToMemory`.
pub(crate) fn copy_to_memory<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Buffer_CopyToMemory_Args) -> Result<()> {
    let buffer = handle::get::<BufferState<B>, _>(args.buffer)?;
    let memory = own_memory(&buffer.client, args.dst_memory)?;
    args.dst_buffer = copy("PJRT_Buffer_CopyToMemory", &buffer, memory)?;
    Ok(())
}

/// `PJRT_Buffer_CopyToDevice`: to the default memory of the device.
pub(crate) fn copy_to_device<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Buffer_CopyToDevice_Args) -> Result<()> {
    let buffer = handle::get::<BufferState<B>, _>(args.buffer)?;
    handle::get::<DeviceState<B>, _>(args.dst_device)?;
    let memory = buffer.client.placement(args.dst_device, std::ptr::null())?;
    args.dst_buffer = copy("PJRT_Buffer_CopyToDevice", &buffer, memory)?;
    Ok(())
}

/// `PJRT_Buffer_Bitcast`: the source is consumed, unless it fails.
pub(crate) fn bitcast<B: Backend>(c: Caller<'_>, args: &mut sys::PJRT_Buffer_Bitcast_Args) -> Result<()> {
    let buffer = handle::get::<BufferState<B>, _>(args.buffer)?;
    let shape = c.shape(args.element_type, args.dims, args.num_dims)?;
    let layout = c.layout(args.device_layout, shape.rank())?.unwrap_or_else(|| Layout::row_major(shape.rank()));
    if shape.byte_size() != buffer.shape.byte_size() {
        return Err(Status::invalid_argument(format!(
            "a {} ({} bytes) cannot be bitcast to a {shape} ({} bytes)",
            buffer.shape,
            buffer.shape.byte_size(),
            shape.byte_size()
        )));
    }
    let client = buffer.client.clone();
    let source = buffer.donate()?;
    let (fulfil, deferred) = Deferred::<B>::new();
    let (caster, wanted, wanted_layout, memory) = (client.clone(), shape.clone(), layout.clone(), buffer.memory);
    source.when_ready(move |outcome| {
        let cast = |ready| made::<B>(caster.client.bitcast(&ready, &wanted, &wanted_layout)?, &wanted, memory);
        fulfil.complete(outcome.and_then(|ready| catch_panic("PJRT_Buffer_Bitcast", || cast(ready))));
    });
    let state = match deferred.event().outcome() {
        Some(Ok(())) => BufferState::direct(&client, deferred.buffer()?)?,
        Some(Err(status)) => {
            buffer.restore(source);
            return Err(status);
        }
        None => BufferState::placeholder(&client, shape, layout, buffer.memory, Source::Deferred(deferred)),
    };
    args.out_buffer = handle::insert(state);
    Ok(())
}

/// A donation that waits for something outside.
struct Dependency<B: Backend> {
    source: Source<B>,
    fulfil: Fulfil<B>,
}

/// `PJRT_Buffer_DonateWithControlDependency`.
pub(crate) fn donate_with_control_dependency<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Buffer_DonateWithControlDependency_Args,
) -> Result<()> {
    let buffer = handle::get::<BufferState<B>, _>(args.buffer)?;
    let source = buffer.donate()?;
    let (fulfil, deferred) = Deferred::<B>::new();
    let out = BufferState::placeholder(
        &buffer.client,
        buffer.shape.clone(),
        buffer.layout.clone(),
        buffer.memory,
        Source::Deferred(deferred),
    );
    args.callback_data = Box::into_raw(Box::new(Dependency { source, fulfil })).cast();
    args.dependency_ready_callback = Some(dependency_ready::<B>);
    args.out_buffer = handle::insert(out);
    Ok(())
}

unsafe extern "C" fn dependency_ready<B: Backend>(
    args: *mut sys::PJRT_Buffer_DonateWithControlDependency_Callback_Args,
) {
    let outcome = catch_panic("PJRT_Buffer_DonateWithControlDependency callback", || {
        // SAFETY: that the pointer is null or points to Args of the stated size is the C contract.
        let (args, _) = unsafe { read_struct(args) }?;
        if args.callback_data.is_null() {
            return Err(Status::invalid_argument("callback_data is null"));
        }
        // SAFETY: the data were made by `donate_with_control_dependency`, and the caller calls this once.
        let dependency = unsafe { Box::from_raw(args.callback_data.cast::<Dependency<B>>()) };
        let Dependency { source, fulfil } = *dependency;
        // SAFETY: the pointers in the Args are the caller's for the call.
        let caller = unsafe { Caller::new() };
        match caller.status(args.error_code, args.error_message, args.error_message_size) {
            Ok(None) => source.when_ready(move |outcome| fulfil.complete(outcome)),
            Ok(Some(status)) | Err(status) => fulfil.complete(Err(status)),
        }
        Ok(())
    });
    if let Err(status) = outcome {
        tracing::error!(target: "pjrt", "{status}");
    }
}

/// Checks that a buffer belongs to a client.
pub(crate) fn of_client<B: Backend>(
    client: *const sys::PJRT_Client,
    buffer: &BufferState<B>,
) -> Result<Arc<ClientState<B>>> {
    let client = client::get::<B>(client)?;
    if Arc::ptr_eq(&client, &buffer.client) {
        return Ok(client);
    }
    Err(Status::invalid_argument(format!("the buffer of shape {} belongs to another client", buffer.shape)))
}
