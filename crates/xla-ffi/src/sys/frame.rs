//! Call frames: what a handler is called with.

use super::{
    XLA_FFI_Api, XLA_FFI_ArgType, XLA_FFI_AttrType, XLA_FFI_ByteSpan, XLA_FFI_Error, XLA_FFI_ExecutionStage,
    XLA_FFI_Future, XLA_FFI_InvokeContext, XLA_FFI_RetType,
};
use std::ffi::c_void;

/// A handler: null is success, an error is the caller's to destroy.
pub type XLA_FFI_Handler = unsafe extern "C" fn(call_frame: *mut XLA_FFI_CallFrame) -> *mut XLA_FFI_Error;

structs! { FRAME:
    /// The arguments.
    header XLA_FFI_Args, last args {
        /// How many.
        size: i64,
        /// The kind of each.
        types: *mut XLA_FFI_ArgType,
        /// Each of them, to be read by its kind.
        args: *mut *mut c_void,
    }
    /// The results.
    header XLA_FFI_Rets, last rets {
        /// How many.
        size: i64,
        /// The kind of each.
        types: *mut XLA_FFI_RetType,
        /// Each of them, to be read by its kind.
        rets: *mut *mut c_void,
    }
    /// Attributes, sorted by name: handlers search for them by bisection.
    header XLA_FFI_Attrs, last attrs {
        /// How many.
        size: i64,
        /// The kind of each.
        types: *mut XLA_FFI_AttrType,
        /// The name of each.
        names: *mut *mut XLA_FFI_ByteSpan,
        /// Each of them, to be read by its kind.
        attrs: *mut *mut c_void,
    }
    /// All that a handler is called with. Handlers insist on `struct_size` being exactly `STRUCT_SIZE`.
    header XLA_FFI_CallFrame, last attrs {
        /// The host's functions.
        api: *const XLA_FFI_Api,
        /// The context that those functions are given back.
        ctx: *mut XLA_FFI_InvokeContext,
        /// The stage.
        stage: XLA_FFI_ExecutionStage,
        /// The arguments.
        args: XLA_FFI_Args,
        /// The results.
        rets: XLA_FFI_Rets,
        /// The attributes.
        attrs: XLA_FFI_Attrs,
        /// Out: set by a handler that finishes later.
        future: *mut XLA_FFI_Future,
    }
}
