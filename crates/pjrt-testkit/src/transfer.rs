//! The asynchronous host-to-device transfer manager.

use std::ffi::c_void;

use pjrt_sys::{
    PJRT_AsyncHostToDeviceTransferManager, PJRT_Buffer_MemoryLayout, PJRT_Buffer_Type, PJRT_ShapeSpec, Struct as _,
};

use crate::array::HostArray;
use crate::buffer::Buffer;
use crate::client::Client;
use crate::device::Device;
use crate::error::{Code, Result};
use crate::event::Event;
use crate::layout::Layout;
use crate::memory::Memory;
use crate::named_value::NamedValue;
use crate::plugin::{Plugin, live_call, owned_handle};

/// A transfer manager, destroyed when dropped.
#[derive(Debug)]
pub struct TransferManager {
    client: Client,
    raw: *mut PJRT_AsyncHostToDeviceTransferManager,
}

owned_handle!(
    TransferManager,
    PJRT_AsyncHostToDeviceTransferManager,
    PJRT_AsyncHostToDeviceTransferManager_Destroy,
    transfer_manager
);

impl TransferManager {
    /// One pending buffer per shape; `layouts` is empty or has one entry per shape.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn create(
        client: &Client,
        shapes: &[(PJRT_Buffer_Type, Vec<i64>)],
        layouts: &[Option<Layout>],
        memory: &Memory,
    ) -> Result<Self> {
        let mut specs: Vec<PJRT_ShapeSpec> = shapes
            .iter()
            .map(|(element_type, dims)| PJRT_ShapeSpec {
                struct_size: PJRT_ShapeSpec::STRUCT_SIZE,
                dims: dims.as_ptr(),
                num_dims: dims.len(),
                element_type: *element_type,
                ..Default::default()
            })
            .collect();
        let mut raw_layouts: Vec<Option<PJRT_Buffer_MemoryLayout>> =
            layouts.iter().map(|layout| layout.as_ref().map(Layout::to_raw)).collect();
        let mut layout_pointers: Vec<*mut PJRT_Buffer_MemoryLayout> = raw_layouts
            .iter_mut()
            .map(|layout| layout.as_mut().map_or(std::ptr::null_mut(), |layout| &raw mut *layout))
            .collect();
        let args = live_call!(
            client.plugin(),
            PJRT_Client_CreateBuffersForAsyncHostToDevice {
                client: client.raw(),
                shape_specs: specs.as_mut_ptr(),
                num_shape_specs: specs.len(),
                device_layouts: layout_pointers.as_mut_ptr(),
                num_device_layouts: layout_pointers.len(),
                memory: memory.raw,
            }
        )?;
        Ok(Self { client: client.clone(), raw: args.transfer_manager })
    }

    pub(crate) fn plugin(&self) -> &Plugin {
        self.client.plugin()
    }

    /// Hands out a buffer, once per index.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn retrieve_buffer(&self, index: i32) -> Result<Buffer> {
        let args = live_call!(
            self.plugin(),
            PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer { transfer_manager: self.raw, buffer_index: index }
        )?;
        Ok(Buffer { client: self.client.clone(), raw: args.buffer_out })
    }

    /// Copies bytes in device layout and waits until they may be reused.
    ///
    /// # Errors
    ///
    /// The plugin's, or that of the transfer.
    pub fn transfer_data(&self, index: i32, bytes: &[u8], offset: i64, is_last: bool) -> Result<()> {
        let args = live_call!(
            self.plugin(),
            PJRT_AsyncHostToDeviceTransferManager_TransferData {
                transfer_manager: self.raw,
                buffer_index: index,
                data: bytes.as_ptr().cast::<c_void>(),
                offset: offset,
                transfer_size: bytes.len() as i64,
                is_last_transfer: is_last,
            }
        )?;
        self.event(args.done_with_h2d_transfer)?.wait()
    }

    /// Copies a whole dense array and waits until it may be reused.
    ///
    /// # Errors
    ///
    /// The plugin's, or that of the transfer.
    pub fn transfer_literal(&self, index: i32, array: &HostArray) -> Result<()> {
        let layout = Layout::row_major(array.dims.len());
        let mut raw_layout = layout.to_raw();
        let args = live_call!(
            self.plugin(),
            PJRT_AsyncHostToDeviceTransferManager_TransferLiteral {
                transfer_manager: self.raw,
                buffer_index: index,
                data: array.bytes.as_ptr().cast(),
                shape_dims: array.dims.as_ptr(),
                shape_num_dims: array.dims.len(),
                shape_element_type: array.element_type,
                shape_layout: &raw mut raw_layout,
            }
        )?;
        self.event(args.done_with_h2d_transfer)?.wait()
    }

    /// Makes a buffer an error.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn set_buffer_error(&self, index: i32, code: Code, message: &str) -> Result<()> {
        live_call!(
            self.plugin(),
            PJRT_AsyncHostToDeviceTransferManager_SetBufferError {
                transfer_manager: self.raw,
                buffer_index: index,
                error_code: code.0,
                error_message: message.as_ptr().cast(),
                error_message_size: message.len(),
            }
        )
        .map(|_| ())
    }

    /// Number of buffers.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn buffer_count(&self) -> Result<usize> {
        let args = live_call!(
            self.plugin(),
            PJRT_AsyncHostToDeviceTransferManager_BufferCount { transfer_manager: self.raw }
        )?;
        Ok(args.buffer_count)
    }

    /// Size of a buffer on the device, in bytes.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn buffer_size(&self, index: i32) -> Result<usize> {
        let args = live_call!(
            self.plugin(),
            PJRT_AsyncHostToDeviceTransferManager_BufferSize { transfer_manager: self.raw, buffer_index: index }
        )?;
        Ok(args.buffer_size)
    }

    /// Device.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn device(&self) -> Result<Device> {
        let args =
            live_call!(self.plugin(), PJRT_AsyncHostToDeviceTransferManager_Device { transfer_manager: self.raw })?;
        Ok(Device { client: self.client.clone(), raw: args.device_out })
    }

    /// Adds debugging hints.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn add_metadata(&self, metadata: &[NamedValue]) -> Result<()> {
        let metadata = NamedValue::to_raw_array(metadata);
        live_call!(
            self.plugin(),
            PJRT_AsyncHostToDeviceTransferManager_AddMetadata {
                transfer_manager: self.raw,
                transfer_metadata: metadata.as_ptr(),
                num_metadata: metadata.len(),
            }
        )
        .map(|_| ())
    }

    fn event(&self, raw: *mut pjrt_sys::PJRT_Event) -> Result<Event> {
        self.client.event(raw, "PJRT_AsyncHostToDeviceTransferManager transfer")
    }
}
