//! `PJRT_TopologyDescription_*`.

use crate::backend::Backend;
use crate::caller::Caller;
use crate::handle;
use crate::lent::{delete_lent_bytes, lend_bytes};
use crate::serialized;
use crate::state::topology::TopologyState;
use pjrt_client_trait::{ClientOptions, PjrtTopologyDescription, Result, Status};
use pjrt_sys as sys;
use std::ffi::c_char;
use std::sync::Arc;

fn get<B: Backend>(topology: *const sys::PJRT_TopologyDescription) -> Result<Arc<TopologyState<B>>> {
    handle::get(topology)
}

/// `PJRT_TopologyDescription_Create`.
pub(crate) fn create<B: Backend>(c: Caller<'_>, args: &mut sys::PJRT_TopologyDescription_Create_Args) -> Result<()> {
    let name = c.text(args.topology_name, args.topology_name_size, "topology_name")?;
    let options = ClientOptions::new(c.named_values(args.create_options, args.num_options)?);
    let topology = B::create_topology(name, options)?;
    args.topology = handle::insert(Arc::new(TopologyState::<B>::owned(topology)?));
    Ok(())
}

/// `PJRT_TopologyDescription_Destroy`. The topology of a client goes with the client.
pub(crate) fn destroy<B: Backend>(_: Caller<'_>, args: &mut sys::PJRT_TopologyDescription_Destroy_Args) -> Result<()> {
    if args.topology.is_null() {
        return Ok(());
    }
    if !get::<B>(args.topology)?.is_owned_by_caller() {
        return Err(Status::invalid_argument(
            "this topology belongs to its client and is not to be destroyed by itself",
        ));
    }
    handle::remove::<TopologyState<B>, _>(args.topology).map(drop)
}

/// `PJRT_TopologyDescription_PlatformName`.
pub(crate) fn platform_name<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_TopologyDescription_PlatformName_Args,
) -> Result<()> {
    let topology = get::<B>(args.topology)?;
    args.platform_name = topology.platform_name.as_ptr().cast();
    args.platform_name_size = topology.platform_name.len();
    Ok(())
}

/// `PJRT_TopologyDescription_PlatformVersion`.
pub(crate) fn platform_version<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_TopologyDescription_PlatformVersion_Args,
) -> Result<()> {
    let topology = get::<B>(args.topology)?;
    args.platform_version = topology.platform_version.as_ptr().cast();
    args.platform_version_size = topology.platform_version.len();
    Ok(())
}

/// `PJRT_TopologyDescription_GetDeviceDescriptions`.
pub(crate) fn device_descriptions<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_TopologyDescription_GetDeviceDescriptions_Args,
) -> Result<()> {
    let topology = get::<B>(args.topology)?;
    args.descriptions = topology.description_handles.as_ptr();
    args.num_descriptions = topology.description_handles.len();
    Ok(())
}

/// `PJRT_TopologyDescription_Attributes`.
pub(crate) fn attributes<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_TopologyDescription_Attributes_Args,
) -> Result<()> {
    let topology = get::<B>(args.topology)?;
    args.attributes = topology.attributes.raw.as_ptr();
    args.num_attributes = topology.attributes.raw.len();
    Ok(())
}

/// `PJRT_TopologyDescription_Serialize`.
pub(crate) fn serialize<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_TopologyDescription_Serialize_Args,
) -> Result<()> {
    let topology = get::<B>(args.topology)?;
    let payload = topology.with_topology(PjrtTopologyDescription::serialize)?;
    let bytes = lend_bytes(serialized::write_topology(&topology.platform_name, &payload));
    args.serialized_bytes = bytes.data;
    args.serialized_bytes_size = bytes.size;
    args.serialized_topology = bytes.holder.cast();
    args.serialized_topology_deleter = Some(delete_lent_bytes);
    Ok(())
}

/// `PJRT_TopologyDescription_Deserialize`.
pub(crate) fn deserialize<B: Backend>(
    c: Caller<'_>,
    args: &mut sys::PJRT_TopologyDescription_Deserialize_Args,
) -> Result<()> {
    let bytes = c.bytes(args.serialized_topology, args.serialized_topology_size, "the serialized topology")?;
    let (platform, payload) = serialized::read_topology(bytes)?;
    let state = TopologyState::<B>::owned(B::deserialize_topology(&payload)?)?;
    if state.platform_name != platform {
        return Err(Status::invalid_argument(format!(
            "the topology was serialized by platform {platform}; this is {}",
            state.platform_name
        )));
    }
    args.topology = handle::insert(Arc::new(state));
    Ok(())
}

/// `PJRT_TopologyDescription_Fingerprint`: of platform and devices. Asked for before every compilation.
pub(crate) fn fingerprint<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_TopologyDescription_Fingerprint_Args,
) -> Result<()> {
    args.fingerprint = get::<B>(args.topology)?.fingerprint();
    Ok(())
}

/// `PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace`.
pub(crate) fn canonical_shape<B: Backend>(
    c: Caller<'_>,
    args: &mut sys::PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args,
) -> Result<()> {
    let topology = get::<B>(args.topology)?;
    if !topology.memory_kind_ids.as_slice().contains(&args.memory_space_kind_id) {
        return Err(Status::invalid_argument(format!(
            "there is no memory space of kind id {}; this topology has {:?}",
            args.memory_space_kind_id,
            topology.memory_kind_ids.as_slice()
        )));
    }
    let shape = c.shape(args.element_type, args.dims, args.num_dims)?;
    let layout = match c.layout(args.layout, shape.rank())? {
        Some(layout) => layout,
        None => topology.with_topology(|topology| Ok(topology.default_layout(&shape)))?,
    };
    // The deleter gets the byte pointer and no holder, so the bytes carry their length in front.
    let bytes = shape.to_proto(&layout);
    let mut block = Vec::with_capacity(LENGTH + bytes.len());
    block.extend_from_slice(&bytes.len().to_ne_bytes());
    block.extend_from_slice(&bytes);
    args.serialized_shape_size = bytes.len();
    let start = Box::into_raw(block.into_boxed_slice()).cast::<u8>();
    // SAFETY: the block begins with LENGTH bytes of length.
    args.serialized_shape = unsafe { start.add(LENGTH) }.cast();
    args.serialized_shape_deleter = Some(delete_shape);
    Ok(())
}

const LENGTH: usize = size_of::<usize>();

unsafe extern "C" fn delete_shape(bytes: *const c_char) {
    if bytes.is_null() {
        return;
    }
    // SAFETY: the bytes were made by `canonical_shape`, behind LENGTH bytes of length.
    let start = unsafe { bytes.cast::<u8>().cast_mut().sub(LENGTH) };
    // SAFETY: as above; the block has alignment 1.
    let length = unsafe { start.cast::<usize>().read_unaligned() };
    // SAFETY: the block was a boxed slice of that many bytes, and its deleter is called once.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, LENGTH + length)) });
}

/// `PJRT_TopologyDescription_GetMemorySpaceKindIds`.
pub(crate) fn memory_space_kind_ids<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_TopologyDescription_GetMemorySpaceKindIds_Args,
) -> Result<()> {
    let topology = get::<B>(args.topology)?;
    args.memory_space_kind_ids = topology.memory_kind_ids.as_ptr();
    args.num_memory_space_kind_ids = topology.memory_kind_ids.len();
    Ok(())
}
