//! Registration of handlers and types, in the newest form and in older ones.

use super::{XLA_FFI_ByteSpan, XLA_FFI_Handler};
use std::ffi::c_void;

structs! { REGISTRATION:
    /// The number of a type of user data or state, unique in a process; 0 is unknown.
    plain XLA_FFI_TypeId, last type_id {
        /// The number.
        type_id: i64,
    }
    /// Functions of a type, since 0.2. Late 0.1 versions have the deleter alone, without the header.
    header XLA_FFI_TypeInfo, last deleter {
        /// Deletes an instance.
        deleter: Option<unsafe extern "C" fn(object: *mut c_void)>,
    }
    /// A handler for each stage.
    plain XLA_FFI_Handler_Bundle, last record {
        /// Optional.
        instantiate: Option<XLA_FFI_Handler>,
        /// Optional.
        prepare: Option<XLA_FFI_Handler>,
        /// Optional.
        initialize: Option<XLA_FFI_Handler>,
        /// Required.
        execute: Option<XLA_FFI_Handler>,
        /// Optional, since 0.4.
        record: Option<XLA_FFI_Handler>,
    }
    /// Arguments of `XLA_FFI_Handler_Register`.
    header XLA_FFI_Handler_Register_Args, last traits {
        /// The name programs call it by.
        name: XLA_FFI_ByteSpan,
        /// The platform it is for.
        platform: XLA_FFI_ByteSpan,
        /// The handlers.
        bundle: XLA_FFI_Handler_Bundle,
        /// Bits of traits.
        traits: u32,
    }
    /// Arguments of `XLA_FFI_Type_Register`. Up to 0.1 the last field is absent, with the same `STRUCT_SIZE`.
    header XLA_FFI_Type_Register_Args, last type_id {
        /// The name of the type.
        name: XLA_FFI_ByteSpan,
        /// In: 0 or the number it must have. Out: its number.
        type_id: *mut XLA_FFI_TypeId,
        /// Its functions; since 0.2.
        type_info: *const XLA_FFI_TypeInfo,
    }
}

structs! { _OLDER:
    /// The bundle up to 0.3.
    plain XLA_FFI_Handler_Bundle_0_3, last execute {
        /// Optional.
        instantiate: Option<XLA_FFI_Handler>,
        /// Optional.
        prepare: Option<XLA_FFI_Handler>,
        /// Optional.
        initialize: Option<XLA_FFI_Handler>,
        /// Required.
        execute: Option<XLA_FFI_Handler>,
    }
    /// Arguments of `XLA_FFI_Handler_Register` up to 0.3.
    header XLA_FFI_Handler_Register_Args_0_3, last traits {
        /// The name programs call it by.
        name: XLA_FFI_ByteSpan,
        /// The platform it is for.
        platform: XLA_FFI_ByteSpan,
        /// The handlers.
        bundle: XLA_FFI_Handler_Bundle_0_3,
        /// Bits of traits.
        traits: u32,
    }
    /// Arguments of `XLA_FFI_Error_GetMessage` up to 0.3, in the slot of `XLA_FFI_Error_GetDetails`.
    header XLA_FFI_Error_GetMessage_Args, last message {
        /// The error.
        error: *mut super::XLA_FFI_Error,
        /// Out: a terminated text that lives as long as the error.
        message: *const std::ffi::c_char,
    }
    /// Arguments of `XLA_FFI_State_Set` up to 0.1. As large as the newest form, so only the version tells.
    header XLA_FFI_State_Set_Args_0_1, last deleter {
        /// The context of the call.
        ctx: *mut super::XLA_FFI_InvokeContext,
        /// The type.
        type_id: *mut XLA_FFI_TypeId,
        /// The state.
        state: *mut c_void,
        /// Deletes it.
        deleter: Option<unsafe extern "C" fn(object: *mut c_void)>,
    }
    /// Arguments of `XLA_FFI_State_Set` in 0.2.
    header XLA_FFI_State_Set_Args_0_2, last state {
        /// The context of the call.
        ctx: *mut super::XLA_FFI_InvokeContext,
        /// The type.
        type_id: *mut XLA_FFI_TypeId,
        /// The state.
        state: *mut c_void,
    }
    /// Arguments of `XLA_FFI_State_Get` up to 0.2.
    header XLA_FFI_State_Get_Args_0_2, last state {
        /// The context of the call.
        ctx: *mut super::XLA_FFI_InvokeContext,
        /// The type.
        type_id: *mut XLA_FFI_TypeId,
        /// Out: the state.
        state: *mut c_void,
    }
}
