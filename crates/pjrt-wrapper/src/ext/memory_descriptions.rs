//! The memory descriptions extension (6): memory kinds of a device that nobody has to own.

use crate::handle;
use crate::state::device::{DescriptionState, MemoryKindState};
use pjrt_sys as sys;

pub(crate) fn node(next: *mut sys::PJRT_Extension_Base) -> *mut sys::PJRT_Extension_Base {
    let size = <sys::PJRT_MemoryDescriptions_Extension as sys::Struct>::STRUCT_SIZE;
    super::leak(sys::PJRT_MemoryDescriptions_Extension {
        base: super::base(size, sys::PJRT_Extension_Type::MemoryDescriptions, next),
        PJRT_DeviceDescription_MemoryDescriptions: Some(memory_descriptions),
        PJRT_MemoryDescription_Kind: Some(kind),
    })
}

super::extension_functions! {
    memory_descriptions(PJRT_DeviceDescription_MemoryDescriptions_Args) => |_, args| {
        let description = handle::get::<DescriptionState, _>(args.device_description)?;
        args.memory_descriptions = description.memory_kinds.as_ptr();
        args.num_memory_descriptions = description.memory_kinds.len();
        args.default_memory_index = if description.memory_kinds.len() == 0 { usize::MAX } else { 0 };
        Ok(())
    };
    kind(PJRT_MemoryDescription_Kind_Args) => |_, args| {
        let kind = handle::get::<MemoryKindState, _>(args.memory_description)?;
        args.kind = kind.kind.as_ptr().cast();
        args.kind_size = kind.kind.len();
        args.kind_id = kind.kind_id;
        Ok(())
    };
}
