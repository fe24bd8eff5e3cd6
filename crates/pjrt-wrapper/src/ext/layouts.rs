//! The layouts extension (4): default layouts, and those of buffers and executables, as XLA's layout text.

use crate::backend::Backend;
use crate::caller::Caller;
use crate::handle::{self, HandleType};
use crate::lent::{LentArray, delete_lent_bytes, lend_bytes};
use crate::state::buffer::BufferState;
use crate::state::client::ClientState;
use crate::state::executable::ExecutableState;
use crate::state::topology::TopologyState;
use pjrt_client_trait::{Layout, PjrtClient, PjrtExecutable, PjrtTopologyDescription, Result};
use pjrt_sys as sys;
use std::sync::{Arc, OnceLock};

/// What is behind a `PJRT_Layouts_MemoryLayout`.
struct LayoutState(Layout);

impl HandleType for LayoutState {
    const KIND: &'static str = "PJRT_Layouts_MemoryLayout";
}

fn insert(layout: Layout) -> *mut sys::PJRT_Layouts_MemoryLayout {
    handle::insert(Arc::new(LayoutState(layout)))
}

/// Layout handles that belong to an executable.
#[derive(Default)]
pub(crate) struct ExecutableLayouts {
    outputs: OnceLock<LentArray<*mut sys::PJRT_Layouts_MemoryLayout>>,
    parameters: OnceLock<LentArray<*mut sys::PJRT_Layouts_MemoryLayout>>,
}

impl Drop for ExecutableLayouts {
    fn drop(&mut self) {
        for lent in [&self.outputs, &self.parameters].into_iter().filter_map(OnceLock::get) {
            for &layout in lent.as_slice() {
                // Nobody else removes these, so they are there.
                _ = handle::remove::<LayoutState, _>(layout);
            }
        }
    }
}

pub(crate) fn node<B: Backend>(next: *mut sys::PJRT_Extension_Base) -> *mut sys::PJRT_Extension_Base {
    let size = <sys::PJRT_Layouts_Extension as sys::Struct>::STRUCT_SIZE;
    super::leak(sys::PJRT_Layouts_Extension {
        base: super::base(size, sys::PJRT_Extension_Type::Layouts, next),
        PJRT_Layouts_MemoryLayout_Destroy: Some(destroy),
        PJRT_Layouts_MemoryLayout_Serialize: Some(serialize),
        PJRT_Layouts_PJRT_Client_GetDefaultLayout: Some(client_default_layout::<B>),
        PJRT_Layouts_PJRT_Buffer_MemoryLayout: Some(buffer_layout::<B>),
        PJRT_Layouts_PJRT_Topology_GetDefaultLayout: Some(topology_default_layout::<B>),
        PJRT_Layouts_PJRT_Executable_GetOutputLayouts: Some(output_layouts::<B>),
        PJRT_Layouts_PJRT_Executable_GetParameterLayouts: Some(parameter_layouts::<B>),
    })
}

super::extension_functions! {
    destroy(PJRT_Layouts_MemoryLayout_Destroy_Args) => |_, args| {
        handle::destroy::<LayoutState, _>(args.layout).map(drop)
    };
    serialize(PJRT_Layouts_MemoryLayout_Serialize_Args) => |_, args| {
        let bytes = lend_bytes(handle::get::<LayoutState, _>(args.layout)?.0.to_string().into_bytes());
        args.serialized_bytes = bytes.data;
        args.serialized_bytes_size = bytes.size;
        args.serialized_layout = bytes.holder.cast();
        args.serialized_layout_deleter = Some(delete_lent_bytes);
        Ok(())
    };
    client_default_layout<B>(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args) => |c, args| {
        let client = handle::get::<ClientState<B>, _>(args.client)?;
        args.layout = insert(client.client.default_layout(&c.shape(args.type_, args.dims, args.num_dims)?));
        Ok(())
    };
    topology_default_layout<B>(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args) => |c, args| {
        let topology = handle::get::<TopologyState<B>, _>(args.topology_description)?;
        let shape = c.shape(args.type_, args.dims, args.num_dims)?;
        args.layout = insert(topology.with_topology(|topology| Ok(topology.default_layout(&shape)))?);
        Ok(())
    };
    buffer_layout<B>(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args) => |_, args| {
        args.layout = insert(handle::get::<BufferState<B>, _>(args.buffer)?.layout.clone());
        Ok(())
    };
    output_layouts<B>(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args) => outputs::<B>;
    parameter_layouts<B>(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args) => parameters::<B>;
}

fn outputs<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args,
) -> Result<()> {
    let state = handle::get::<ExecutableState<B>, _>(args.executable)?;
    let lent = state.lent_layouts.outputs.get_or_init(|| {
        let executable = &state.executable;
        let layouts = ExecutableState::<B>::layouts_or_row_major(executable.output_layouts(), executable.outputs());
        LentArray::new(layouts.into_iter().map(insert))
    });
    args.num_outputs = lent.len();
    args.layouts = lent.as_ptr().cast_mut();
    Ok(())
}

fn parameters<B: Backend>(
    _: Caller<'_>,
    args: &mut sys::PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args,
) -> Result<()> {
    let state = handle::get::<ExecutableState<B>, _>(args.executable)?;
    let lent = state.lent_layouts.parameters.get_or_init(|| {
        let executable = &state.executable;
        let layouts =
            ExecutableState::<B>::layouts_or_row_major(executable.parameter_layouts(), executable.parameters());
        LentArray::new(layouts.into_iter().map(insert))
    });
    args.num_parameters = lent.len();
    args.layouts = lent.as_ptr().cast_mut();
    Ok(())
}
