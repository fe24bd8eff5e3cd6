//! The shardings extension (19): how arguments and results of a program are laid over its devices.

use crate::backend::Backend;
use crate::handle;
use crate::state::executable::ExecutableState;
use pjrt_sys as sys;

pub(crate) fn node<B: Backend>(next: *mut sys::PJRT_Extension_Base) -> *mut sys::PJRT_Extension_Base {
    let size = <sys::PJRT_Shardings_Extension as sys::Struct>::STRUCT_SIZE;
    super::leak(sys::PJRT_Shardings_Extension {
        base: super::base(size, sys::PJRT_Extension_Type::Shardings, next),
        PJRT_Shardings_PJRT_Executable_ParameterShardings: Some(parameter_shardings::<B>),
        PJRT_Shardings_PJRT_Executable_OutputShardings: Some(output_shardings::<B>),
    })
}

super::extension_functions! {
    parameter_shardings<B>(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args) => |_, args| {
        let executable = handle::get::<ExecutableState<B>, _>(args.executable)?;
        let shardings = executable.parameter_shardings();
        args.num_parameters = shardings.map_or(0, |lent| lent.sizes.len());
        args.shardings = shardings.map_or(std::ptr::null(), |lent| lent.pointers.as_ptr());
        args.sharding_sizes = shardings.map_or(std::ptr::null(), |lent| lent.sizes.as_ptr());
        Ok(())
    };
    output_shardings<B>(PJRT_Shardings_PJRT_Executable_OutputShardings_Args) => |_, args| {
        let executable = handle::get::<ExecutableState<B>, _>(args.executable)?;
        let shardings = executable.output_shardings();
        args.num_outputs = shardings.map_or(0, |lent| lent.sizes.len());
        args.shardings = shardings.map_or(std::ptr::null(), |lent| lent.pointers.as_ptr());
        args.sharding_sizes = shardings.map_or(std::ptr::null(), |lent| lent.sizes.as_ptr());
        Ok(())
    };
}
