//! `PJRT_AsyncHostToDeviceTransferManager_*`: buffers that are filled piece by piece.
//!
//! Pieces are collected in host memory; the last one makes the backend's buffer. So every backend that can make
//! a buffer from a host array has this, without knowing of it.

use crate::api::{buffer_create, client, host_array};
use crate::backend::Backend;
use crate::call::catch_panic;
use crate::caller::Caller;
use crate::handle::{self, HandleType};
use crate::state::buffer::{BufferState, Source};
use crate::state::client::ClientState;
use crate::state::deferred::{Deferred, Fulfil};
use crate::state::event;
use pjrt_client_trait::{Event, HostBuffer, Layout, MemoryId, PjrtClient, Result, Shape, Status, Value, zeros};
use pjrt_sys as sys;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One buffer of the batch.
struct Entry<B: Backend> {
    shape: Shape,
    layout: Layout,
    /// Until it is retrieved.
    buffer: Option<Arc<BufferState<B>>>,
    /// What has arrived, in `layout`.
    staged: Vec<u8>,
    /// Until the last piece or an error.
    fulfil: Option<Fulfil<B>>,
}

struct ManagerState<B: Backend> {
    client: Arc<ClientState<B>>,
    memory: MemoryId,
    entries: Vec<Mutex<Entry<B>>>,
}

impl<B: Backend> HandleType for ManagerState<B> {
    const KIND: &'static str = "PJRT_AsyncHostToDeviceTransferManager";
}

impl<B: Backend> ManagerState<B> {
    fn entry(&self, index: i32) -> Result<MutexGuard<'_, Entry<B>>> {
        let entry = usize::try_from(index).ok().and_then(|index| self.entries.get(index));
        let missing = || {
            Status::invalid_argument(format!(
                "buffer_index is {index}, but this transfer manager has {} buffers",
                self.entries.len()
            ))
        };
        Ok(entry.ok_or_else(missing)?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<B: Backend> Entry<B> {
    fn closed(&self) -> Status {
        Status::failed_precondition(format!("the transfer of this {} is complete already", self.shape))
    }
}

/// What is left to do when the last piece has arrived. Done without the lock of the entry, since callbacks that
/// wait for the buffer may ask the manager.
struct Completion<B: Backend> {
    fulfil: Fulfil<B>,
    shape: Shape,
    layout: Layout,
}

impl<B: Backend> Completion<B> {
    /// Closes an entry.
    fn of(entry: &mut Entry<B>) -> Result<Self> {
        let fulfil = entry.fulfil.take().ok_or_else(|| entry.closed())?;
        Ok(Completion { fulfil, shape: entry.shape.clone(), layout: entry.layout.clone() })
    }

    /// Makes the backend's buffer out of a dense row-major array.
    fn finish(self, name: &str, manager: &ManagerState<B>, dense: Result<Vec<u8>>) -> Result<()> {
        let Completion { fulfil, shape, layout } = self;
        let made = catch_panic(name, || {
            let layout = Some(&layout).filter(|layout| !layout.is_row_major());
            let source = HostBuffer::new(shape.clone(), dense?);
            let buffer = manager.client.client.buffer_from_host(source, manager.memory, layout)?;
            buffer_create::made::<B>(buffer, &shape, manager.memory)
        });
        let outcome = made.as_ref().map(drop).map_err(Clone::clone);
        fulfil.complete(made);
        outcome
    }
}

fn get<B: Backend>(manager: *const sys::PJRT_AsyncHostToDeviceTransferManager) -> Result<Arc<ManagerState<B>>> {
    handle::get(manager)
}

/// `PJRT_Client_CreateBuffersForAsyncHostToDevice`.
pub(crate) fn create<B: Backend>(
    c: Caller<'_>,
    args: &mut sys::PJRT_Client_CreateBuffersForAsyncHostToDevice_Args,
) -> Result<()> {
    let client = client::get::<B>(args.client)?;
    let memory = client.placement(std::ptr::null(), args.memory)?;
    let specs = c.slice(args.shape_specs, args.num_shape_specs, "shape_specs")?;
    let layouts = c.slice(args.device_layouts, args.num_device_layouts, "device_layouts")?;
    if !layouts.is_empty() && layouts.len() != specs.len() {
        return Err(Status::invalid_argument(format!("{} layouts for {} shapes", layouts.len(), specs.len())));
    }
    let mut entries = Vec::with_capacity(specs.len());
    for (index, spec) in specs.iter().enumerate() {
        let shape = c.shape(spec.element_type, spec.dims, spec.num_dims)?;
        let layout =
            c.layout(layouts.get(index).map_or(std::ptr::null(), |layout| layout.cast_const()), shape.rank())?;
        let layout = layout.unwrap_or_else(|| client.client.default_layout(&shape));
        if !layout.tiles.is_empty() {
            return Err(Status::unimplemented(format!(
                "an asynchronous transfer of a {shape} in tiled layout {layout}; transfer it row-major"
            )));
        }
        let (fulfil, deferred) = Deferred::<B>::new();
        let source = Source::Deferred(deferred);
        let buffer = BufferState::placeholder(&client, shape.clone(), layout.clone(), memory, source);
        let staged = zeros(shape.byte_size())?;
        entries.push(Mutex::new(Entry { shape, layout, buffer: Some(buffer), staged, fulfil: Some(fulfil) }));
    }
    args.transfer_manager = handle::insert(Arc::new(ManagerState { client, memory, entries }));
    Ok(())
}

/// `PJRT_AsyncHostToDeviceTransferManager_Destroy`. Buffers that were never filled turn to error.
pub(crate) fn destroy<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_AsyncHostToDeviceTransferManager_Destroy_Args,
) -> Result<()> {
    if let Some(manager) = handle::destroy::<ManagerState<B>, _>(args.transfer_manager)? {
        for entry in &manager.entries {
            let fulfil = entry.lock().unwrap_or_else(PoisonError::into_inner).fulfil.take();
            if let Some(fulfil) = fulfil {
                fulfil.complete(Err(Status::failed_precondition(
                    "the transfer manager was destroyed before the last transfer",
                )));
            }
        }
    }
    Ok(())
}

/// `PJRT_AsyncHostToDeviceTransferManager_TransferData`.
pub(crate) fn transfer_data<B: Backend>(
    c: Caller<'_>,
    args: &mut sys::PJRT_AsyncHostToDeviceTransferManager_TransferData_Args,
) -> Result<()> {
    let manager = get::<B>(args.transfer_manager)?;
    let mut entry = manager.entry(args.buffer_index)?;
    if entry.fulfil.is_none() {
        return Err(entry.closed());
    }
    let size = entry.staged.len();
    let range = (|| {
        let start = usize::try_from(args.offset).ok()?;
        let end = start.checked_add(usize::try_from(args.transfer_size).ok()?)?;
        (end <= size).then_some(start..end)
    })();
    let range = range.ok_or_else(|| {
        Status::invalid_argument(format!(
            "offset {} and transfer_size {} do not fit in the {size} bytes of a {}",
            args.offset, args.transfer_size, entry.shape
        ))
    })?;
    let piece = c.bytes(args.data, range.len(), "data")?;
    entry.staged[range].copy_from_slice(piece);
    if args.is_last_transfer {
        let staged = std::mem::take(&mut entry.staged);
        let completion = Completion::of(&mut entry)?;
        drop(entry);
        let dense = match completion.layout.is_row_major() {
            true => Ok(staged),
            false => host_array::read_in_layout(&staged, &completion.shape, &completion.layout),
        };
        completion.finish("PJRT_AsyncHostToDeviceTransferManager_TransferData", &manager, dense)?;
    }
    args.done_with_h2d_transfer = event::into_raw(Event::ready());
    Ok(())
}

/// `PJRT_AsyncHostToDeviceTransferManager_TransferLiteral`: the whole array in one go.
pub(crate) fn transfer_literal<B: Backend>(
    c: Caller<'_>,
    args: &mut sys::PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args,
) -> Result<()> {
    let manager = get::<B>(args.transfer_manager)?;
    let mut entry = manager.entry(args.buffer_index)?;
    let dense = if args.shape_element_type == sys::PJRT_Buffer_Type::TOKEN {
        // The other shape fields are unset for tokens, and there are no data.
        Vec::new()
    } else {
        let shape = c.shape(args.shape_element_type, args.shape_dims, args.shape_num_dims)?;
        if shape != entry.shape {
            return Err(Status::invalid_argument(format!(
                "a {shape} was transferred to a buffer of shape {}",
                entry.shape
            )));
        }
        let bytes = host_array::read(c, args.data.cast::<c_void>(), &shape, std::ptr::null(), 0)?;
        match c.layout(args.shape_layout, shape.rank())? {
            Some(layout) if !layout.tiles.is_empty() => {
                return Err(Status::invalid_argument("a tiled layout of host memory"));
            }
            Some(layout) if !layout.is_row_major() => host_array::read_in_layout(&bytes, &shape, &layout)?,
            _ => bytes.into_owned(),
        }
    };
    let completion = Completion::of(&mut entry)?;
    drop(entry);
    completion.finish("PJRT_AsyncHostToDeviceTransferManager_TransferLiteral", &manager, Ok(dense))?;
    args.done_with_h2d_transfer = event::into_raw(Event::ready());
    Ok(())
}

/// `PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer`: once for each buffer.
pub(crate) fn retrieve_buffer<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args,
) -> Result<()> {
    let manager = get::<B>(args.transfer_manager)?;
    let buffer = manager.entry(args.buffer_index)?.buffer.take();
    let buffer = buffer
        .ok_or_else(|| Status::failed_precondition(format!("buffer {} was retrieved before", args.buffer_index)))?;
    args.buffer_out = handle::insert(buffer);
    Ok(())
}

/// `PJRT_AsyncHostToDeviceTransferManager_Device`.
pub(crate) fn device<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_AsyncHostToDeviceTransferManager_Device_Args,
) -> Result<()> {
    let manager = get::<B>(args.transfer_manager)?;
    args.device_out = manager.client.device_of_memory(manager.memory)?;
    Ok(())
}

/// `PJRT_AsyncHostToDeviceTransferManager_BufferCount`.
pub(crate) fn buffer_count<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args,
) -> Result<()> {
    args.buffer_count = get::<B>(args.transfer_manager)?.entries.len();
    Ok(())
}

/// `PJRT_AsyncHostToDeviceTransferManager_BufferSize`.
pub(crate) fn buffer_size<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args,
) -> Result<()> {
    args.buffer_size = get::<B>(args.transfer_manager)?.entry(args.buffer_index)?.shape.byte_size();
    Ok(())
}

/// `PJRT_AsyncHostToDeviceTransferManager_SetBufferError`.
pub(crate) fn set_buffer_error<B: Backend>(
    c: Caller<'_>,
    args: &mut sys::PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args,
) -> Result<()> {
    let manager = get::<B>(args.transfer_manager)?;
    let status = c.status(args.error_code, args.error_message, args.error_message_size)?;
    let status = status.ok_or_else(|| Status::invalid_argument("a buffer's error cannot be OK"))?;
    let fulfil = {
        let mut entry = manager.entry(args.buffer_index)?;
        entry.fulfil.take().ok_or_else(|| entry.closed())?
    };
    fulfil.complete(Err(status));
    Ok(())
}

/// `PJRT_AsyncHostToDeviceTransferManager_AddMetadata`: hints for debugging, which go to the log.
pub(crate) fn add_metadata<B: Backend>(
    c: Caller<'_>,
    args: &mut sys::PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args,
) -> Result<()> {
    get::<B>(args.transfer_manager)?;
    for named in c.named_values(args.transfer_metadata, args.num_metadata)? {
        let Value::String(text) = &named.value else {
            return Err(Status::invalid_argument(format!(
                "transfer metadata \"{}\" is a {}; metadata are strings",
                named.name,
                named.value.type_name()
            )));
        };
        tracing::debug!(target: "pjrt", "transfer metadata {}: {text}", named.name);
    }
    Ok(())
}
