//! The FFI extension (5): types, user data and handlers of XLA's typed FFI, for backends with custom calls.

use crate::api::execute_context;
use crate::backend::Backend;
use crate::caller::Caller;
use pjrt_client_trait::{FfiHandler, FfiRegistry, FfiTypeInfo, Result, Status, UserData};
use pjrt_sys as sys;

pub(crate) fn node<B: Backend>(next: *mut sys::PJRT_Extension_Base) -> *mut sys::PJRT_Extension_Base {
    let size = <sys::PJRT_FFI_Extension as sys::Struct>::STRUCT_SIZE;
    super::leak(sys::PJRT_FFI_Extension {
        base: super::base(size, sys::PJRT_Extension_Type::FFI, next),
        type_register: Some(type_register::<B>),
        user_data_add: Some(user_data_add),
        register_handler: Some(register_handler::<B>),
    })
}

fn registry<B: Backend>() -> Result<&'static dyn FfiRegistry> {
    B::ffi_registry().ok_or_else(|| Status::unimplemented(format!("backend {} has no custom calls", B::NAME)))
}

super::extension_functions! {
    type_register<B>(PJRT_FFI_Type_Register_Args) => register_type::<B>;
    user_data_add(PJRT_FFI_UserData_Add_Args) => |_, args| {
        let null = || Status::invalid_argument("PJRT FFI extension requires execute context to be not nullptr");
        let context = execute_context::get(args.context)?.ok_or_else(null)?;
        context.add_user_data(args.user_data.type_id, UserData(args.user_data.data.addr()))
    };
    register_handler<B>(PJRT_FFI_Register_Handler_Args) => |c, args| {
        if args.handler.is_null() {
            return Err(Status::invalid_argument("PJRT FFI extension requires a handler that is not null"));
        }
        registry::<B>()?.register_handler(FfiHandler {
            target: c.text(args.target_name, args.target_name_size, "target_name")?.to_owned(),
            platform: c.text(args.platform_name, args.platform_name_size, "platform_name")?.to_owned(),
            address: args.handler.addr(),
            traits: args.traits.0,
        })
    };
}

fn register_type<B: Backend>(c: Caller<'_>, args: &mut sys::PJRT_FFI_Type_Register_Args) -> Result<()> {
    let name = c.text(args.type_name, args.type_name_size, "type_name")?;
    let info = c.record(args.type_info.cast_const()).map_or_else(FfiTypeInfo::default, |info| FfiTypeInfo {
        deleter: info.deleter.map_or(0, |function| function as usize),
        serialize: info.serialize.map_or(0, |function| function as usize),
        deserialize: info.deserialize.map_or(0, |function| function as usize),
    });
    args.type_id = registry::<B>()?.register_type(name, args.type_id, info)?;
    Ok(())
}
