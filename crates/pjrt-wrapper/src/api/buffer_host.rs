//! Between host memory and buffers: `PJRT_Client_BufferFromHostBuffer`, `PJRT_Buffer_ToHostBuffer`, raw copies.

use crate::api::buffer_create::hand_out;
use crate::api::{client, host_array};
use crate::backend::Backend;
use crate::call::catch_panic;
use crate::caller::Caller;
use crate::handle;
use crate::state::buffer::BufferState;
use crate::state::deferred::BufferOf;
use crate::state::event;
use pjrt_client_trait::{
    Event, EventPromise, HostBuffer, HostBufferSemantics, HostBytes, Layout, PjrtBuffer, PjrtClient, Result, Shape,
    Status, zeros,
};
use pjrt_sys as sys;
use std::borrow::Cow;
use std::ffi::c_void;
use std::sync::Arc;

/// The caller's array, held beyond the call. The end of the last hold is the "done" of the caller.
struct Lent {
    data: *const u8,
    size: usize,
    done: Option<EventPromise>,
}

// SAFETY: the caller promised not to change the memory until it is told that we are done with it.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

impl HostBytes for Lent {
    fn bytes(&self) -> &[u8] {
        // SAFETY: `size` bytes were readable when the caller lent them, and it keeps them so until `done`.
        unsafe { std::slice::from_raw_parts(self.data, self.size) }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(done) = self.done.take() {
            done.complete(Ok(()));
        }
    }
}

fn semantics(number: sys::PJRT_HostBufferSemantics) -> Result<HostBufferSemantics> {
    match number.0 {
        0 => Ok(HostBufferSemantics::ImmutableOnlyDuringCall),
        1 => Ok(HostBufferSemantics::ImmutableUntilTransferCompletes),
        2 => Ok(HostBufferSemantics::ImmutableZeroCopy),
        3 => Ok(HostBufferSemantics::MutableZeroCopy),
        other => Err(Status::invalid_argument(format!("{other} is not the number of a PJRT_HostBufferSemantics"))),
    }
}

/// `PJRT_Client_BufferFromHostBuffer`.
pub(crate) fn from_host<B: Backend>(
    c: Caller<'_>,
    args: &mut sys::PJRT_Client_BufferFromHostBuffer_Args,
) -> Result<()> {
    let client = client::get::<B>(args.client)?;
    let shape = c.shape(args.type_, args.dims, args.num_dims)?;
    let layout = c.layout(args.device_layout, shape.rank())?;
    let semantics = semantics(args.host_buffer_semantics)?;
    let memory = client.placement(args.device, args.memory)?;
    let bytes = host_array::read(c, args.data, &shape, args.byte_strides, args.num_byte_strides)?;
    // A copy that was made to undo strides is ours, and the caller's own array is not needed any more.
    let lendable = matches!(bytes, Cow::Borrowed(bytes) if !bytes.is_empty());
    let mut source = HostBuffer::new(shape.clone(), bytes);
    let mut done = Event::ready();
    if lendable && semantics != HostBufferSemantics::ImmutableOnlyDuringCall {
        let (promise, event) = Event::pending();
        let lent = Lent { data: args.data.cast(), size: shape.byte_size(), done: Some(promise) };
        source = source.with_keep_alive(semantics, Arc::new(lent));
        done = event;
    }
    let buffer = client.client.buffer_from_host(source, memory, layout.as_ref())?;
    args.buffer = hand_out(&client, buffer, &shape, memory)?;
    args.done_with_host_buffer = event::into_raw(done);
    Ok(())
}

/// Memory of the caller that is written when the contents are ready.
pub(crate) struct Destination {
    data: *mut u8,
    size: usize,
}

// SAFETY: the caller lends the memory to whatever thread completes the copy, until its event is ready.
unsafe impl Send for Destination {}

impl Destination {
    /// # Errors
    /// INVALID_ARGUMENT when there is something to write, but nowhere to.
    pub(crate) fn new(data: *mut c_void, size: usize) -> Result<Self> {
        if data.is_null() && size > 0 {
            return Err(Status::invalid_argument(format!("{size} bytes are to be written to null")));
        }
        Ok(Destination { data: data.cast(), size })
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        if self.size == 0 {
            return &mut [];
        }
        // SAFETY: not null; that the caller's memory has `size` bytes for us alone until the event is ready is
        // the C contract.
        unsafe { std::slice::from_raw_parts_mut(self.data, self.size) }
    }
}

/// `PJRT_Buffer_ToHostBuffer`. With a null destination it answers the size. Of dynamic dimensions only what is in
/// use is copied.
pub(crate) fn to_host<B: Backend>(c: Caller<'_>, args: &mut sys::PJRT_Buffer_ToHostBuffer_Args) -> Result<()> {
    let buffer = handle::get::<BufferState<B>, _>(args.src)?;
    let bounds = buffer.shape.clone();
    let shape = Shape { element_type: bounds.element_type, dims: buffer.logical_dimensions()?.to_vec() };
    let layout = match c.layout(args.host_layout, shape.rank())? {
        Some(layout) if !layout.tiles.is_empty() => {
            return Err(Status::invalid_argument(
                "a tiled layout of host memory; only an order of dimensions is accepted",
            ));
        }
        Some(layout) => layout,
        // The order of the device, without its tiles.
        None => Layout { minor_to_major: buffer.layout.minor_to_major.clone(), tiles: Vec::new() },
    };
    let size = shape.byte_size();
    if args.dst.is_null() && size > 0 {
        args.dst_size = size;
        args.event = std::ptr::null_mut();
        return Ok(());
    }
    let source = buffer.source()?;
    if args.dst_size < size {
        return Err(Status::invalid_argument(format!(
            "a {shape} needs {size} bytes of host memory, but there are {}",
            args.dst_size
        )));
    }
    let mut destination = Destination::new(args.dst, size)?;
    let (promise, done) = Event::pending();
    source.when_ready(move |outcome| {
        let mut copy = |buffer: &BufferOf<B>| {
            if layout.is_row_major() && shape == bounds {
                buffer.copy_to_host(destination.bytes())?;
            } else {
                let mut dense = zeros(bounds.byte_size())?;
                buffer.copy_to_host(&mut dense)?;
                if shape != bounds {
                    dense = host_array::without_padding(&dense, &bounds, &shape)?;
                }
                host_array::write_in_layout(&dense, &shape, &layout, destination.bytes());
            }
            host_array::clear_bits_above(shape.element_type, destination.bytes());
            Ok(())
        };
        promise.complete(outcome.and_then(|buffer| catch_panic("PJRT_Buffer_ToHostBuffer", || copy(&buffer))));
    });
    args.event = event::into_raw(done);
    Ok(())
}

const RAW: &str = "PJRT_Buffer_CopyRawToHost";
const RAW_FUTURE: &str = "PJRT_Buffer_CopyRawToHostFuture callback";

/// Checks a range of bytes of the device representation.
fn raw_range(offset: i64, size: i64) -> Result<(usize, usize)> {
    match (usize::try_from(offset), usize::try_from(size)) {
        (Ok(offset), Ok(size)) if offset.checked_add(size).is_some() => Ok((offset, size)),
        _ => Err(Status::invalid_argument(format!("offset {offset} and transfer_size {size} are no range of bytes"))),
    }
}

/// Checks that a range of bytes lies in the device representation of a buffer.
fn check_range<P: PjrtBuffer>(name: &str, buffer: &P, offset: usize, size: usize) -> Result<()> {
    let (end, there) = (offset + size, catch_panic(name, || Ok(buffer.on_device_size()))?);
    if end <= there {
        return Ok(());
    }
    Err(Status::invalid_argument(format!(
        "bytes {offset} to {end} were asked for, but the buffer has {there} on the device"
    )))
}

/// Copies a range of a ready buffer.
fn copy_range<P: PjrtBuffer>(name: &str, buffer: &P, offset: usize, destination: &mut Destination) -> Result<()> {
    check_range(name, buffer, offset, destination.size)?;
    catch_panic(name, || buffer.copy_raw_to_host(offset, destination.bytes()))
}

/// `PJRT_Buffer_CopyRawToHost`.
pub(crate) fn copy_raw<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Buffer_CopyRawToHost_Args) -> Result<()> {
    let buffer = handle::get::<BufferState<B>, _>(args.buffer)?;
    let (offset, size) = raw_range(args.offset, args.transfer_size)?;
    let source = buffer.source()?;
    if let Some(known) = source.now().ok().flatten() {
        // What can be known now is an error now, and not one of the event.
        check_range(RAW, &*known, offset, size)?;
    }
    let mut destination = Destination::new(args.dst, size)?;
    let (promise, done) = Event::pending();
    source.when_ready(move |outcome| {
        promise.complete(outcome.and_then(|buffer| copy_range(RAW, &*buffer, offset, &mut destination)));
    });
    args.event = event::into_raw(done);
    Ok(())
}

/// A raw copy whose destination is not known yet. Holds the storage until then.
struct FutureCopy<B: Backend> {
    source: crate::state::buffer::Source<B>,
    offset: usize,
    size: usize,
    promise: EventPromise,
}

/// `PJRT_Buffer_CopyRawToHostFuture`.
pub(crate) fn copy_raw_future<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Buffer_CopyRawToHostFuture_Args,
) -> Result<()> {
    let buffer = handle::get::<BufferState<B>, _>(args.buffer)?;
    let (offset, size) = raw_range(args.offset, args.transfer_size)?;
    let source = buffer.source()?;
    let (promise, done) = Event::pending();
    args.callback_data = Box::into_raw(Box::new(FutureCopy { source, offset, size, promise })).cast();
    args.future_ready_callback = Some(destination_known::<B>);
    args.event = event::into_raw(done);
    Ok(())
}

unsafe extern "C" fn destination_known<B: Backend>(args: *mut sys::PJRT_Buffer_CopyRawToHostFuture_Callback_Args) {
    let outcome = catch_panic(RAW_FUTURE, || {
        // SAFETY: that the pointer is null or points to Args of the stated size is the C contract.
        let (args, _) = unsafe { crate::caller::read_struct(args) }?;
        if args.callback_data.is_null() {
            return Err(Status::invalid_argument("callback_data is null"));
        }
        // SAFETY: the data were made by `copy_raw_future`, and the caller calls this exactly once.
        let copy = unsafe { Box::from_raw(args.callback_data.cast::<FutureCopy<B>>()) };
        // SAFETY: the pointers in the Args are the caller's for the call.
        let caller = unsafe { Caller::new() };
        let failed = caller.status(args.error_code, args.error_message, args.error_message_size)?;
        let FutureCopy { source, offset, size, promise } = *copy;
        if let Some(status) = failed {
            promise.complete(Err(status));
            return Ok(());
        }
        match Destination::new(args.dst, size) {
            Err(status) => promise.complete(Err(status)),
            Ok(mut destination) => source.when_ready(move |outcome| {
                promise.complete(outcome.and_then(|buffer| copy_range(RAW_FUTURE, &*buffer, offset, &mut destination)));
            }),
        }
        Ok(())
    });
    if let Err(status) = outcome {
        tracing::error!(target: "pjrt", "{status}");
    }
}
