//! Buffers: metadata, reading back, copies, life and death.

use std::ffi::c_void;

use pjrt_sys::{
    PJRT_Buffer, PJRT_Buffer_CopyRawToHost_Args, PJRT_Buffer_CopyRawToHostFuture_Callback_Args,
    PJRT_Buffer_DonateWithControlDependency_Callback_Args, PJRT_Buffer_ToHostBuffer_Args, PJRT_Buffer_Type,
};

use crate::args::ArgsBuf;
use crate::array::{HostElement, elements};
use crate::client::Client;
use crate::device::Device;
use crate::error::{Code, Result};
use crate::event::Event;
use crate::layout::Layout;
use crate::memory::Memory;
use crate::plugin::{Plugin, live_call, owned_handle};

/// A buffer, destroyed when dropped.
#[derive(Debug)]
pub struct Buffer {
    pub(crate) client: Client,
    pub(crate) raw: *mut PJRT_Buffer,
}

owned_handle!(Buffer, PJRT_Buffer, PJRT_Buffer_Destroy, buffer);

/// A hold on the storage of a buffer, released when dropped.
#[derive(Debug)]
pub struct ExternalReference<'a> {
    buffer: &'a Buffer,
}

impl Drop for ExternalReference<'_> {
    fn drop(&mut self) {
        _ = self.buffer.decrease_external_reference_count();
    }
}

impl Buffer {
    /// Takes a buffer that a call returned.
    ///
    /// # Safety
    ///
    /// `raw` is a buffer of this client, and the caller owns it.
    #[must_use]
    pub unsafe fn from_raw(client: &Client, raw: *mut PJRT_Buffer) -> Self {
        Self { client: client.clone(), raw }
    }

    /// The client.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn plugin(&self) -> &Plugin {
        self.client.plugin()
    }

    /// Element type.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn element_type(&self) -> Result<PJRT_Buffer_Type> {
        Ok(live_call!(self.plugin(), PJRT_Buffer_ElementType { buffer: self.raw })?.type_)
    }

    /// Dimensions.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn dimensions(&self) -> Result<Vec<i64>> {
        let args = live_call!(self.plugin(), PJRT_Buffer_Dimensions { buffer: self.raw })?;
        // SAFETY: an array of this length with the lifetime of the buffer.
        Ok(unsafe { crate::plugin::copied(args.dims, args.num_dims) })
    }

    /// Dimensions without padding.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn unpadded_dimensions(&self) -> Result<Vec<i64>> {
        let args = live_call!(self.plugin(), PJRT_Buffer_UnpaddedDimensions { buffer: self.raw })?;
        // SAFETY: an array of this length with the lifetime of the buffer.
        Ok(unsafe { crate::plugin::copied(args.unpadded_dims, args.num_dims) })
    }

    /// Which dimensions are dynamic.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn dynamic_dimension_indices(&self) -> Result<Vec<usize>> {
        let args = live_call!(self.plugin(), PJRT_Buffer_DynamicDimensionIndices { buffer: self.raw })?;
        // SAFETY: an array of this length with the lifetime of the buffer.
        Ok(unsafe { crate::plugin::copied(args.dynamic_dim_indices, args.num_dynamic_dims) })
    }

    /// Layout on the device.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn memory_layout(&self) -> Result<Layout> {
        let args = live_call!(self.plugin(), PJRT_Buffer_GetMemoryLayout { buffer: self.raw })?;
        // SAFETY: the arrays have the lifetime of the buffer.
        Ok(unsafe { Layout::read(&args.layout) })
    }

    /// Size of the storage in bytes.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn on_device_size(&self) -> Result<usize> {
        Ok(live_call!(self.plugin(), PJRT_Buffer_OnDeviceSizeInBytes { buffer: self.raw })?.on_device_size_in_bytes)
    }

    /// Device.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn device(&self) -> Result<Device> {
        let args = live_call!(self.plugin(), PJRT_Buffer_Device { buffer: self.raw })?;
        Ok(Device { client: self.client.clone(), raw: args.device })
    }

    /// Memory.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn memory(&self) -> Result<Memory> {
        let args = live_call!(self.plugin(), PJRT_Buffer_Memory { buffer: self.raw })?;
        Ok(Memory { client: self.client.clone(), raw: args.memory })
    }

    /// Whether the host can read the storage.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn is_on_cpu(&self) -> Result<bool> {
        Ok(live_call!(self.plugin(), PJRT_Buffer_IsOnCpu { buffer: self.raw })?.is_on_cpu)
    }

    /// Whether it was deleted, donated or consumed.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn is_deleted(&self) -> Result<bool> {
        Ok(live_call!(self.plugin(), PJRT_Buffer_IsDeleted { buffer: self.raw })?.is_deleted)
    }

    /// Drops the data, not the handle.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn delete(&self) -> Result<()> {
        live_call!(self.plugin(), PJRT_Buffer_Delete { buffer: self.raw }).map(|_| ())
    }

    /// A new event for when the data are there.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn ready_event(&self) -> Result<Event> {
        let args = live_call!(self.plugin(), PJRT_Buffer_ReadyEvent { buffer: self.raw })?;
        self.client.event(args.event, "PJRT_Buffer_ReadyEvent")
    }

    /// Size that [`Self::to_host`] needs, in bytes.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn host_size(&self) -> Result<usize> {
        Ok(live_call!(self.plugin(), PJRT_Buffer_ToHostBuffer { src: self.raw })?.dst_size)
    }

    /// Copies to the host and waits; `layout` is that of the copy, none the device's.
    ///
    /// # Errors
    ///
    /// The plugin's, or that of the copy.
    pub fn to_host(&self, layout: Option<&Layout>) -> Result<Vec<u8>> {
        let size = self.host_size()?;
        let mut bytes = vec![0xEE_u8; size];
        self.to_host_into(layout, &mut bytes)?;
        Ok(bytes)
    }

    /// Copies to a destination of the given length and waits.
    ///
    /// # Errors
    ///
    /// The plugin's, or that of the copy.
    pub fn to_host_into(&self, layout: Option<&Layout>, bytes: &mut [u8]) -> Result<()> {
        const NAME: &str = "PJRT_Buffer_ToHostBuffer";
        let mut raw_layout = layout.map(Layout::to_raw);
        // Frameworks pass a place even for arrays without elements.
        let mut nothing = 0_u64;
        let place: *mut c_void = if bytes.is_empty() { (&raw mut nothing).cast() } else { bytes.as_mut_ptr().cast() };
        let fill = |args: &mut PJRT_Buffer_ToHostBuffer_Args| {
            args.src = self.raw;
            args.host_layout = raw_layout.as_mut().map_or(std::ptr::null_mut(), |layout| &raw mut *layout);
            args.dst = place;
            args.dst_size = bytes.len();
        };
        // SAFETY: the destination outlives the copy, which is waited for.
        let args = unsafe { self.plugin().call(self.plugin().api().PJRT_Buffer_ToHostBuffer, NAME, fill)? };
        self.client.event(args.event, NAME)?.wait()
    }

    /// Copies to the host, row-major, as elements.
    ///
    /// # Errors
    ///
    /// As [`Self::to_host`].
    ///
    /// # Panics
    ///
    /// When the buffer has another element type.
    pub fn to_host_vec<T: HostElement>(&self) -> Result<Vec<T>> {
        assert_eq!(self.element_type()?, T::TYPE, "element type of the buffer");
        let layout = Layout::row_major(self.dimensions()?.len());
        Ok(elements(&self.to_host(Some(&layout))?))
    }

    /// Copies a range of the bytes on the device and waits.
    ///
    /// # Errors
    ///
    /// The plugin's, or that of the copy.
    pub fn copy_raw_to_host(&self, offset: i64, size: usize) -> Result<Vec<u8>> {
        const NAME: &str = "PJRT_Buffer_CopyRawToHost";
        let mut bytes = vec![0xEE_u8; size];
        let fill = |args: &mut PJRT_Buffer_CopyRawToHost_Args| {
            args.buffer = self.raw;
            args.dst = bytes.as_mut_ptr().cast();
            args.offset = offset;
            args.transfer_size = size as i64;
        };
        // SAFETY: the destination outlives the copy, which is waited for.
        let args = unsafe { self.plugin().call(self.plugin().api().PJRT_Buffer_CopyRawToHost, NAME, fill)? };
        self.client.event(args.event, NAME)?.wait()?;
        Ok(bytes)
    }

    /// Announces a copy of a range of the bytes, whose destination comes later.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn copy_raw_to_host_future(&self, offset: i64, size: usize) -> Result<RawCopyTarget> {
        const NAME: &str = "PJRT_Buffer_CopyRawToHostFuture";
        let args = live_call!(
            self.plugin(),
            PJRT_Buffer_CopyRawToHostFuture { buffer: self.raw, offset: offset, transfer_size: size as i64 }
        )?;
        Ok(RawCopyTarget {
            client: self.client.clone(),
            event: self.client.event(args.event, NAME)?,
            callback_data: args.callback_data,
            callback: args.future_ready_callback,
            size,
        })
    }

    /// Copies to the default memory of a device.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn copy_to_device(&self, device: &Device) -> Result<Self> {
        let args = live_call!(self.plugin(), PJRT_Buffer_CopyToDevice { buffer: self.raw, dst_device: device.raw })?;
        Ok(Self { client: self.client.clone(), raw: args.dst_buffer })
    }

    /// Copies to another memory.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn copy_to_memory(&self, memory: &Memory) -> Result<Self> {
        let args = live_call!(self.plugin(), PJRT_Buffer_CopyToMemory { buffer: self.raw, dst_memory: memory.raw })?;
        Ok(Self { client: memory.client.clone(), raw: args.dst_buffer })
    }

    /// Reads the same bytes as another type and shape; consumes the data of this one.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn bitcast(&self, element_type: PJRT_Buffer_Type, dims: &[i64], layout: Option<&Layout>) -> Result<Self> {
        let mut layout = layout.map(Layout::to_raw);
        let args = live_call!(
            self.plugin(),
            PJRT_Buffer_Bitcast {
                buffer: self.raw,
                element_type: element_type,
                dims: dims.as_ptr(),
                num_dims: dims.len(),
                device_layout: layout.as_mut().map_or(std::ptr::null_mut(), |layout| &raw mut *layout),
            }
        )?;
        Ok(Self { client: self.client.clone(), raw: args.out_buffer })
    }

    /// Consumes the data; the result is ready once `dependency` is known, which is told at once.
    ///
    /// # Errors
    ///
    /// The plugin's.
    ///
    /// # Panics
    ///
    /// When the plugin returns no callback.
    pub fn donate_with_control_dependency(&self, dependency: std::result::Result<(), (Code, &str)>) -> Result<Self> {
        const NAME: &str = "PJRT_Buffer_DonateWithControlDependency callback";
        let args = live_call!(self.plugin(), PJRT_Buffer_DonateWithControlDependency { buffer: self.raw })?;
        let callback = args.dependency_ready_callback.expect("dependency_ready_callback is never null");
        let (code, message) = dependency.err().unwrap_or((Code::OK, ""));
        let mut callback_args: ArgsBuf<_> =
            self.plugin().arguments(NAME, |a: &mut PJRT_Buffer_DonateWithControlDependency_Callback_Args| {
                a.callback_data = args.callback_data;
                a.error_code = code.0;
                a.error_message = message.as_ptr().cast();
                a.error_message_size = message.len();
            })?;
        // SAFETY: called once, with the data that came with it.
        unsafe { callback(callback_args.as_mut_ptr()) };
        callback_args.check(NAME);
        Ok(Self { client: self.client.clone(), raw: args.out_buffer })
    }

    /// Address without promises.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn unsafe_pointer(&self) -> Result<usize> {
        Ok(live_call!(self.plugin(), PJRT_Buffer_UnsafePointer { buffer: self.raw })?.buffer_pointer)
    }

    /// Address of the storage.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn device_pointer(&self) -> Result<*mut c_void> {
        let args = live_call!(self.plugin(), PJRT_Buffer_OpaqueDeviceMemoryDataPointer { buffer: self.raw })?;
        Ok(args.device_memory_ptr)
    }

    /// Holds the storage in place until the result is dropped.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn external_reference(&self) -> Result<ExternalReference<'_>> {
        live_call!(self.plugin(), PJRT_Buffer_IncreaseExternalReferenceCount { buffer: self.raw })?;
        Ok(ExternalReference { buffer: self })
    }

    /// Releases one hold, which there need not be.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn decrease_external_reference_count(&self) -> Result<()> {
        live_call!(self.plugin(), PJRT_Buffer_DecreaseExternalReferenceCount { buffer: self.raw }).map(|_| ())
    }
}

/// A copy that waits for its destination. Exactly one of its two functions must be called.
#[derive(Debug)]
pub struct RawCopyTarget {
    client: Client,
    event: Event,
    callback_data: *mut c_void,
    callback: Option<unsafe extern "C" fn(*mut PJRT_Buffer_CopyRawToHostFuture_Callback_Args)>,
    size: usize,
}

impl RawCopyTarget {
    /// Supplies the destination, waits and returns the bytes.
    ///
    /// # Errors
    ///
    /// That of the copy.
    pub fn copy(self) -> Result<Vec<u8>> {
        let mut bytes = vec![0xEE_u8; self.size];
        self.tell(Code::OK, "", bytes.as_mut_ptr().cast())?;
        self.event.wait()?;
        Ok(bytes)
    }

    /// Says that there will be no destination; the event then has this error.
    ///
    /// # Errors
    ///
    /// The one given, unless the plugin loses it.
    pub fn cancel(self, code: Code, message: &str) -> Result<()> {
        self.tell(code, message, std::ptr::null_mut())?;
        self.event.wait()
    }

    fn tell(&self, code: Code, message: &str, dst: *mut c_void) -> Result<()> {
        const NAME: &str = "PJRT_Buffer_CopyRawToHostFuture callback";
        let mut args =
            self.client.plugin().arguments(NAME, |args: &mut PJRT_Buffer_CopyRawToHostFuture_Callback_Args| {
                args.callback_data = self.callback_data;
                args.error_code = code.0;
                args.error_message = message.as_ptr().cast();
                args.error_message_size = message.len();
                args.dst = dst;
            })?;
        let callback = self.callback.expect("future_ready_callback is never null");
        // SAFETY: called once, since both callers consume `self`; the destination outlives the copy.
        unsafe { callback(args.as_mut_ptr()) };
        args.check(NAME);
        Ok(())
    }
}
