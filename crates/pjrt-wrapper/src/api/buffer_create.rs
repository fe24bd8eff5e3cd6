//! Buffers from nothing and from foreign memory: uninitialised ones, errors, views.

use crate::api::client;
use crate::api::device::add_payloads;
use crate::backend::Backend;
use crate::caller::Caller;
use crate::handle;
use crate::state::buffer::{BufferState, Source};
use crate::state::client::ClientState;
use crate::state::deferred::BufferOf;
use pjrt_client_trait::{ForeignBuffer, Layout, MemoryId, PjrtBuffer, PjrtClient, Result, Shape, Status};
use pjrt_sys as sys;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Checks that the backend made what it was asked for.
///
/// # Errors
/// INTERNAL when the buffer has another shape or is in another memory.
pub(crate) fn made<B: Backend>(buffer: BufferOf<B>, wanted: &Shape, memory: MemoryId) -> Result<Arc<BufferOf<B>>> {
    if (buffer.shape(), buffer.memory_space()) == (wanted, memory) {
        return Ok(Arc::new(buffer));
    }
    Err(Status::internal(format!(
        "backend {}: made a {} in memory {} where a {wanted} in memory {} was asked for",
        B::NAME,
        buffer.shape(),
        buffer.memory_space().0,
        memory.0
    )))
}

/// Hands out a buffer of the backend.
///
/// # Errors
/// As [`made`].
pub(crate) fn hand_out<B: Backend>(
    client: &Arc<ClientState<B>>,
    buffer: BufferOf<B>,
    wanted: &Shape,
    memory: MemoryId,
) -> Result<*mut sys::PJRT_Buffer> {
    Ok(handle::insert(BufferState::<B>::direct(client, made::<B>(buffer, wanted, memory)?)?))
}

/// `PJRT_Client_CreateUninitializedBuffer`. Of device and memory, the device wins here.
pub(crate) fn uninitialized<B: Backend>(
    c: Caller<'_>,
    args: &mut sys::PJRT_Client_CreateUninitializedBuffer_Args,
) -> Result<()> {
    let client = client::get::<B>(args.client)?;
    let shape = c.shape(args.shape_element_type, args.shape_dims, args.shape_num_dims)?;
    let layout = c.layout(args.shape_layout, shape.rank())?;
    let memory = if args.device.is_null() { args.memory } else { std::ptr::null_mut() };
    let memory = client.placement(args.device, memory)?;
    let buffer = client.client.uninitialized_buffer(&shape, memory, layout.as_ref())?;
    args.buffer = hand_out(&client, buffer, &shape, memory)?;
    Ok(())
}

/// `PJRT_Client_CreateErrorBuffer`. It never holds data, so the backend has nothing to do with it.
pub(crate) fn error<B: Backend>(c: Caller<'_>, args: &mut sys::PJRT_Client_CreateErrorBuffer_Args) -> Result<()> {
    let client = client::get::<B>(args.client)?;
    let shape = c.shape(args.shape_element_type, args.shape_dims, args.shape_num_dims)?;
    let layout = c.layout(args.shape_layout, shape.rank())?;
    let memory = client.placement(std::ptr::null(), args.memory)?;
    let status = c.status(args.error_code, args.error_message, args.error_message_size)?;
    let mut status = status.ok_or_else(|| Status::invalid_argument("an error buffer cannot be made of OK"))?;
    add_payloads(c, &mut status, args.payload, args.num_payload)?;
    let layout = layout.unwrap_or_else(|| client.client.default_layout(&shape));
    let state = BufferState::<B>::placeholder(&client, shape, layout, memory, Source::Failed(status));
    args.buffer = handle::insert(state);
    Ok(())
}

/// Foreign device memory, lent until this is dropped.
struct View {
    address: *mut c_void,
    shape: Shape,
    layout: Layout,
    on_delete: Option<unsafe extern "C" fn(*mut c_void, *mut c_void)>,
    user_arg: *mut c_void,
    /// The owner is told of the end of a view that was made, and not of one that was refused.
    armed: AtomicBool,
}

// SAFETY: the owner lends the memory to whatever thread uses the buffer, and takes its callback on any thread.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}

impl ForeignBuffer for View {
    fn address(&self) -> u64 {
        self.address.addr() as u64
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl Drop for View {
    fn drop(&mut self) {
        if let (Some(on_delete), true) = (self.on_delete, self.armed.load(Ordering::Acquire)) {
            // SAFETY: this is the one call of the owner's callback, with what came with it.
            unsafe { on_delete(self.address, self.user_arg) };
        }
    }
}

/// `PJRT_Client_CreateViewOfDeviceBuffer`.
pub(crate) fn view<B: Backend>(c: Caller<'_>, args: &mut sys::PJRT_Client_CreateViewOfDeviceBuffer_Args) -> Result<()> {
    let client = client::get::<B>(args.client)?;
    let shape = c.shape(args.element_type, args.dims, args.num_dims)?;
    let layout = c.layout(args.layout, shape.rank())?.unwrap_or_else(|| client.client.default_layout(&shape));
    let memory = client.placement(args.device, args.memory)?;
    if args.device_buffer_ptr.is_null() && shape.byte_size() > 0 {
        return Err(Status::invalid_argument(format!("a view of a {shape} at null")));
    }
    if args.stream != 0 {
        return Err(Status::unimplemented(
            "a view of memory that another stream still writes; synchronise it first and pass 0",
        ));
    }
    let view = Arc::new(View {
        address: args.device_buffer_ptr,
        shape: shape.clone(),
        layout,
        on_delete: args.on_delete_callback,
        user_arg: args.on_delete_callback_arg,
        armed: AtomicBool::new(false),
    });
    let buffer = client.client.view_of_device_buffer(view.clone(), memory)?;
    args.buffer = hand_out(&client, buffer, &shape, memory)?;
    view.armed.store(true, Ordering::Release);
    Ok(())
}
