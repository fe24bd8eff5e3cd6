//! What a buffer is and where it lives. Readable in every state of the buffer.

use crate::backend::Backend;
use crate::call::catch_panic;
use crate::caller::Caller;
use crate::handle;
use crate::state::buffer::BufferState;
use pjrt_client_trait::{PjrtBuffer, Result};
use pjrt_sys as sys;
use std::sync::Arc;

fn get<B: Backend>(buffer: *const sys::PJRT_Buffer) -> Result<Arc<BufferState<B>>> {
    handle::get(buffer)
}

/// `PJRT_Buffer_ElementType`.
pub(crate) fn element_type<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Buffer_ElementType_Args) -> Result<()> {
    args.type_ = sys::PJRT_Buffer_Type(get::<B>(args.buffer)?.shape.element_type as u32);
    Ok(())
}

/// `PJRT_Buffer_Dimensions`.
pub(crate) fn dimensions<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Buffer_Dimensions_Args) -> Result<()> {
    let buffer = get::<B>(args.buffer)?;
    args.dims = buffer.shape.dims.as_ptr();
    args.num_dims = buffer.shape.dims.len();
    Ok(())
}

/// `PJRT_Buffer_UnpaddedDimensions`: the actual extents of dynamic dimensions, asked of the device once.
pub(crate) fn unpadded_dimensions<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Buffer_UnpaddedDimensions_Args,
) -> Result<()> {
    let buffer = get::<B>(args.buffer)?;
    let dims = buffer.logical_dimensions()?;
    args.unpadded_dims = dims.as_ptr();
    args.num_dims = dims.len();
    Ok(())
}

/// `PJRT_Buffer_DynamicDimensionIndices`.
pub(crate) fn dynamic_dimension_indices<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Buffer_DynamicDimensionIndices_Args,
) -> Result<()> {
    let buffer = get::<B>(args.buffer)?;
    args.dynamic_dim_indices = buffer.dynamic_dimensions.as_ptr();
    args.num_dynamic_dims = buffer.dynamic_dimensions.len();
    Ok(())
}

/// `PJRT_Buffer_GetMemoryLayout`.
pub(crate) fn memory_layout<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Buffer_GetMemoryLayout_Args) -> Result<()> {
    let buffer = get::<B>(args.buffer)?;
    let lent = buffer.lent_layout();
    let tiled = sys::PJRT_Buffer_MemoryLayout_Tiled {
        struct_size: <sys::PJRT_Buffer_MemoryLayout_Tiled as sys::Struct>::STRUCT_SIZE,
        minor_to_major: lent.minor_to_major.as_ptr(),
        minor_to_major_size: lent.minor_to_major.len(),
        tile_dims: lent.tile_dims.as_ptr(),
        tile_dim_sizes: lent.tile_ranks.as_ptr(),
        num_tiles: lent.tile_ranks.len(),
        ..Default::default()
    };
    args.layout.struct_size = <sys::PJRT_Buffer_MemoryLayout as sys::Struct>::STRUCT_SIZE;
    args.layout.type_ = sys::PJRT_Buffer_MemoryLayout_Type::Tiled;
    args.layout.__bindgen_anon_1.tiled = tiled;
    Ok(())
}

/// `PJRT_Buffer_OnDeviceSizeInBytes`: nothing once the storage is gone.
pub(crate) fn on_device_size<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Buffer_OnDeviceSizeInBytes_Args,
) -> Result<()> {
    let buffer = get::<B>(args.buffer)?;
    args.on_device_size_in_bytes = match buffer.source()?.now()? {
        Some(known) => known.on_device_size(),
        None => buffer.shape.byte_size(),
    };
    Ok(())
}

/// `PJRT_Buffer_Device`.
pub(crate) fn device<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Buffer_Device_Args) -> Result<()> {
    let buffer = get::<B>(args.buffer)?;
    args.device = buffer.client.device_of_memory(buffer.memory)?;
    Ok(())
}

/// `PJRT_Buffer_Memory`.
pub(crate) fn memory<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Buffer_Memory_Args) -> Result<()> {
    let buffer = get::<B>(args.buffer)?;
    args.memory = buffer.client.memory(buffer.memory)?.raw();
    Ok(())
}

/// `PJRT_Buffer_IsOnCpu`. Frameworks abort when it fails, so a buffer without storage is not on the CPU, and the
/// panic of a backend is reported by whatever wants the data next.
pub(crate) fn is_on_cpu<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_Buffer_IsOnCpu_Args) -> Result<()> {
    let buffer = get::<B>(args.buffer)?;
    let known = buffer.source().ok().and_then(|source| source.now().ok().flatten());
    args.is_on_cpu = match catch_panic("PJRT_Buffer_IsOnCpu", || Ok(known.is_some_and(|known| known.is_on_cpu()))) {
        Ok(is_on_cpu) => is_on_cpu,
        Err(status) => {
            buffer.break_with(status);
            false
        }
    };
    Ok(())
}
