//! Every way to make a buffer.

use std::ffi::c_void;

use pjrt_sys::{
    PJRT_Buffer_Type, PJRT_Client_BufferFromHostBuffer_Args, PJRT_Client_CreateViewOfDeviceBuffer_Args, PJRT_Device,
    PJRT_FulfillAliasBufferCallback, PJRT_Memory,
};

use crate::array::{HostArray, HostSemantics};
use crate::buffer::Buffer;
use crate::client::Client;
use crate::device::Device;
use crate::error::{Code, Result};
use crate::event::Event;
use crate::layout::Layout;
use crate::memory::Memory;
use crate::named_value::NamedValue;
use crate::plugin::live_call;

/// How to upload a host array.
#[derive(Debug, Clone)]
pub struct FromHost<'a> {
    /// Semantics of the host memory.
    pub semantics: HostSemantics,
    /// Device; its default memory is used.
    pub device: Option<&'a Device>,
    /// Memory; wins over the device.
    pub memory: Option<&'a Memory>,
    /// Layout on the device.
    pub layout: Option<Layout>,
}

impl<'a> FromHost<'a> {
    /// To a device, reading the array during the call only.
    #[must_use]
    pub fn to_device(device: &'a Device) -> Self {
        let semantics = HostSemantics::kImmutableOnlyDuringCall;
        Self { semantics, device: Some(device), memory: None, layout: None }
    }

    /// To a memory, reading the array during the call only.
    #[must_use]
    pub fn to_memory(memory: &'a Memory) -> Self {
        let semantics = HostSemantics::kImmutableOnlyDuringCall;
        Self { semantics, device: None, memory: Some(memory), layout: None }
    }

    /// With other semantics.
    #[must_use]
    pub fn semantics(mut self, semantics: HostSemantics) -> Self {
        self.semantics = semantics;
        self
    }
}

impl Client {
    /// Uploads an array, which may be changed or freed afterwards.
    ///
    /// # Errors
    ///
    /// The plugin's, or that of the transfer.
    pub fn buffer_from_host(&self, array: &HostArray, device: &Device) -> Result<Buffer> {
        // SAFETY: with these semantics the array is read during the call only.
        let (buffer, done) = unsafe { self.buffer_from_host_with(array, &FromHost::to_device(device))? };
        done.wait()?;
        Ok(buffer)
    }

    /// Uploads an array; also returns the event after which its memory may be touched.
    ///
    /// # Errors
    ///
    /// The plugin's.
    ///
    /// # Safety
    ///
    /// `array` is neither changed nor freed before the event is ready, as far as the semantics ask for it.
    pub unsafe fn buffer_from_host_with(&self, array: &HostArray, how: &FromHost<'_>) -> Result<(Buffer, Event)> {
        const NAME: &str = "PJRT_Client_BufferFromHostBuffer";
        let mut layout = how.layout.as_ref().map(Layout::to_raw);
        let fill = |args: &mut PJRT_Client_BufferFromHostBuffer_Args| {
            args.client = self.raw();
            args.data = array.bytes.as_ptr().wrapping_add(array.start).cast();
            args.type_ = array.element_type;
            args.dims = array.dims.as_ptr();
            args.num_dims = array.dims.len();
            if let Some(strides) = &array.byte_strides {
                args.byte_strides = strides.as_ptr();
                args.num_byte_strides = strides.len();
            }
            args.host_buffer_semantics = how.semantics;
            args.device = how.device.map_or(std::ptr::null_mut(), |device| device.raw);
            args.memory = how.memory.map_or(std::ptr::null_mut(), |memory| memory.raw);
            args.device_layout = layout.as_mut().map_or(std::ptr::null_mut(), |layout| &raw mut *layout);
        };
        // SAFETY: everything is borrowed for the call, the data for as long as the caller promises.
        let args = unsafe { self.plugin().call(self.plugin().api().PJRT_Client_BufferFromHostBuffer, NAME, fill)? };
        let buffer = Buffer { client: self.clone(), raw: args.buffer };
        Ok((buffer, self.event(args.done_with_host_buffer, NAME)?))
    }

    /// A buffer with undefined contents.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn uninitialized_buffer(
        &self,
        element_type: PJRT_Buffer_Type,
        dims: &[i64],
        layout: Option<&Layout>,
        device: Option<&Device>,
        memory: Option<&Memory>,
    ) -> Result<Buffer> {
        let mut layout = layout.map(Layout::to_raw);
        let args = live_call!(
            self.plugin(),
            PJRT_Client_CreateUninitializedBuffer {
                client: self.raw(),
                shape_dims: dims.as_ptr(),
                shape_num_dims: dims.len(),
                shape_element_type: element_type,
                shape_layout: layout.as_mut().map_or(std::ptr::null_mut(), |layout| &raw mut *layout),
                device: device.map_or(std::ptr::null_mut::<PJRT_Device>(), |device| device.raw),
                memory: memory.map_or(std::ptr::null_mut::<PJRT_Memory>(), |memory| memory.raw),
            }
        )?;
        Ok(Buffer { client: self.clone(), raw: args.buffer })
    }

    /// A buffer that is an error.
    ///
    /// # Errors
    ///
    /// The plugin's, as opposed to the one asked for.
    pub fn error_buffer(
        &self,
        code: Code,
        message: &str,
        payloads: &[NamedValue],
        element_type: PJRT_Buffer_Type,
        dims: &[i64],
        memory: &Memory,
    ) -> Result<Buffer> {
        let payloads = NamedValue::to_raw_array(payloads);
        let args = live_call!(
            self.plugin(),
            PJRT_Client_CreateErrorBuffer {
                client: self.raw(),
                error_code: code.0,
                error_message: message.as_ptr().cast(),
                error_message_size: message.len(),
                shape_dims: dims.as_ptr(),
                shape_num_dims: dims.len(),
                shape_element_type: element_type,
                memory: memory.raw,
                payload: payloads.as_ptr(),
                num_payload: payloads.len(),
            }
        )?;
        Ok(Buffer { client: self.clone(), raw: args.buffer })
    }

    /// A placeholder, and what binds it. Some plugins need a layout to know its size.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn alias_buffer(
        &self,
        element_type: PJRT_Buffer_Type,
        dims: &[i64],
        layout: Option<&Layout>,
        memory: &Memory,
    ) -> Result<(Buffer, AliasFulfillment)> {
        let mut layout = layout.map(Layout::to_raw);
        let args = live_call!(
            self.plugin(),
            PJRT_Client_CreateAliasBuffer {
                client: self.raw(),
                memory: memory.raw,
                shape_dims: dims.as_ptr(),
                shape_num_dims: dims.len(),
                shape_element_type: element_type,
                shape_layout: layout.as_mut().map_or(std::ptr::null_mut(), |layout| &raw mut *layout),
            }
        )?;
        let buffer = Buffer { client: self.clone(), raw: args.alias_buffer };
        Ok((buffer, AliasFulfillment { client: self.clone(), raw: args.fulfill_alias_buffer_cb }))
    }

    /// A buffer over memory that somebody else owns; `on_delete` runs when the plugin is done with it.
    ///
    /// # Errors
    ///
    /// The plugin's; `on_delete` then never runs.
    ///
    /// # Safety
    ///
    /// `data` points to memory that holds the array and stays valid until `on_delete` runs.
    pub unsafe fn view_of_device_buffer(
        &self,
        data: *mut c_void,
        element_type: PJRT_Buffer_Type,
        dims: &[i64],
        memory: &Memory,
        on_delete: Box<dyn FnOnce() + Send>,
    ) -> Result<Buffer> {
        const NAME: &str = "PJRT_Client_CreateViewOfDeviceBuffer";
        let on_delete = Box::into_raw(Box::new(on_delete));
        let layout = Layout::row_major(dims.len());
        let mut raw_layout = layout.to_raw();
        let devices = memory.addressable_by_devices()?;
        let fill = |args: &mut PJRT_Client_CreateViewOfDeviceBuffer_Args| {
            args.client = self.raw();
            args.device_buffer_ptr = data;
            args.dims = dims.as_ptr();
            args.num_dims = dims.len();
            args.element_type = element_type;
            args.layout = &raw mut raw_layout;
            args.device = devices.first().map_or(std::ptr::null_mut(), |device| device.raw);
            args.memory = memory.raw;
            args.on_delete_callback = Some(run_on_delete);
            args.on_delete_callback_arg = on_delete.cast();
        };
        // SAFETY: the memory is as the caller promises; the rest is borrowed for the call.
        let outcome =
            unsafe { self.plugin().call(self.plugin().api().PJRT_Client_CreateViewOfDeviceBuffer, NAME, fill) };
        match outcome {
            Ok(args) => Ok(Buffer { client: self.clone(), raw: args.buffer }),
            Err(error) => {
                // SAFETY: the plugin refused, so that nobody else has the callback.
                drop(unsafe { Box::from_raw(on_delete) });
                Err(error)
            }
        }
    }
}

/// The callback in C; it takes the closure back.
unsafe extern "C" fn run_on_delete(_data: *mut c_void, user_arg: *mut c_void) {
    // SAFETY: the plugin calls this once, with the pointer from `view_of_device_buffer`.
    let on_delete = unsafe { Box::from_raw(user_arg.cast::<Box<dyn FnOnce() + Send>>()) };
    on_delete();
}

/// Binds a placeholder, once.
#[derive(Debug)]
pub struct AliasFulfillment {
    client: Client,
    raw: *mut PJRT_FulfillAliasBufferCallback,
}

// SAFETY: a handle may be used from any thread by the contract of the C API.
unsafe impl Send for AliasFulfillment {}

impl AliasFulfillment {
    /// Binds it to a buffer.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn fulfill(self, buffer: &Buffer) -> Result<()> {
        live_call!(
            self.client.plugin(),
            PJRT_Client_FulfillAliasBuffer {
                client: self.client.raw(),
                buffer: buffer.raw,
                status_code: Code::OK.0,
                fulfill_alias_buffer_cb: self.raw,
            }
        )
        .map(|_| ())
    }

    /// Binds it to an error.
    ///
    /// # Errors
    ///
    /// The plugin's. Some plugins return the very error that they were given; that is no failure.
    pub fn fail(self, code: Code, message: &str) -> Result<()> {
        let outcome = live_call!(
            self.client.plugin(),
            PJRT_Client_FulfillAliasBuffer {
                client: self.client.raw(),
                status_code: code.0,
                error_message: message.as_ptr().cast(),
                error_message_size: message.len(),
                fulfill_alias_buffer_cb: self.raw,
            }
        );
        match outcome {
            Err(error) if error.code != code || error.message != message => Err(error),
            _ => Ok(()),
        }
    }
}
