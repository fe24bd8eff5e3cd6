//! Versions, numbers, errors and the primitive values that call frames are made of.

use super::XLA_FFI_TypeId;
use std::ffi::{c_char, c_int, c_void};

/// The major version of the API declared here.
pub const XLA_FFI_API_MAJOR: c_int = 0;
/// The minor version of the API declared here.
pub const XLA_FFI_API_MINOR: c_int = 5;

/// Declares an open set of numbers as the C API has them: any number can arrive.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident = $number:literal,)* })*) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub u32);

        impl $name {
            $($(#[$value_doc])* pub const $value: $name = $name($number);)*
            /// Every name with its number, in the order of the C API.
            pub const NAMED: &'static [(&'static str, u32)] = &[$((stringify!($value), $number),)*];
        }
    )*};
}

numbers! {
    /// Canonical error codes, as in absl and gRPC.
    XLA_FFI_Error_Code {
        /// Success; no error object has it.
        OK = 0,
        /// The caller gave up.
        CANCELLED = 1,
        /// Nothing better is known.
        UNKNOWN = 2,
        /// The arguments are wrong whatever the state.
        INVALID_ARGUMENT = 3,
        /// Time ran out.
        DEADLINE_EXCEEDED = 4,
        /// Something named does not exist.
        NOT_FOUND = 5,
        /// Something to be created exists.
        ALREADY_EXISTS = 6,
        /// Not allowed.
        PERMISSION_DENIED = 7,
        /// A quota is used up.
        RESOURCE_EXHAUSTED = 8,
        /// The state does not allow the call.
        FAILED_PRECONDITION = 9,
        /// A conflict.
        ABORTED = 10,
        /// Past the valid range.
        OUT_OF_RANGE = 11,
        /// Not supported.
        UNIMPLEMENTED = 12,
        /// A broken invariant.
        INTERNAL = 13,
        /// Temporarily unavailable.
        UNAVAILABLE = 14,
        /// Data are lost.
        DATA_LOSS = 15,
        /// The caller is not identified.
        UNAUTHENTICATED = 16,
    }
    /// Element types, with the numbers of XLA's `PrimitiveType`.
    XLA_FFI_DataType {
        /// No type.
        INVALID = 0,
        /// Boolean, one byte.
        PRED = 1,
        /// Signed 1-bit integer.
        S1 = 30,
        /// Signed 2-bit integer.
        S2 = 26,
        /// Signed 4-bit integer.
        S4 = 21,
        /// Signed 8-bit integer.
        S8 = 2,
        /// Signed 16-bit integer.
        S16 = 3,
        /// Signed 32-bit integer.
        S32 = 4,
        /// Signed 64-bit integer.
        S64 = 5,
        /// Unsigned 1-bit integer.
        U1 = 31,
        /// Unsigned 2-bit integer.
        U2 = 27,
        /// Unsigned 4-bit integer.
        U4 = 22,
        /// Unsigned 8-bit integer.
        U8 = 6,
        /// Unsigned 16-bit integer.
        U16 = 7,
        /// Unsigned 32-bit integer.
        U32 = 8,
        /// Unsigned 64-bit integer.
        U64 = 9,
        /// IEEE binary16.
        F16 = 10,
        /// IEEE binary32.
        F32 = 11,
        /// IEEE binary64.
        F64 = 12,
        /// Brain float.
        BF16 = 16,
        /// Pair of `f32`.
        C64 = 15,
        /// Pair of `f64`.
        C128 = 18,
        /// Ordering of side effects, no data.
        TOKEN = 17,
        /// 8-bit float, 5 exponent bits.
        F8E5M2 = 19,
        /// 8-bit float, 3 exponent bits.
        F8E3M4 = 29,
        /// 8-bit float, 4 exponent bits, with infinities.
        F8E4M3 = 28,
        /// 8-bit float, 4 exponent bits, finite.
        F8E4M3FN = 20,
        /// 8-bit float, 4 exponent bits, bias 11.
        F8E4M3B11FNUZ = 23,
        /// 8-bit float, 5 exponent bits, one zero.
        F8E5M2FNUZ = 24,
        /// 8-bit float, 4 exponent bits, one zero.
        F8E4M3FNUZ = 25,
        /// 4-bit float.
        F4E2M1FN = 32,
        /// 8-bit exponent.
        F8E8M0FNU = 33,
    }
    /// Kinds of arguments.
    XLA_FFI_ArgType {
        /// A pointer to `XLA_FFI_Buffer`.
        BUFFER = 1,
    }
    /// Kinds of results.
    XLA_FFI_RetType {
        /// A pointer to `XLA_FFI_Buffer`.
        BUFFER = 1,
    }
    /// Kinds of attributes.
    XLA_FFI_AttrType {
        /// A pointer to `XLA_FFI_Array`.
        ARRAY = 1,
        /// A pointer to `XLA_FFI_Attrs`.
        DICTIONARY = 2,
        /// A pointer to `XLA_FFI_Scalar`.
        SCALAR = 3,
        /// A pointer to `XLA_FFI_ByteSpan`.
        STRING = 4,
    }
    /// When a handler is called.
    XLA_FFI_ExecutionStage {
        /// Once for each call in a program, when it is compiled.
        INSTANTIATE = 0,
        /// Before an execution: requests for resources.
        PREPARE = 1,
        /// Before an execution, with the resources granted.
        INITIALIZE = 2,
        /// The execution itself.
        EXECUTE = 3,
        /// Recording of a command buffer (devices with streams only).
        RECORD = 4,
    }
    /// Kinds of extensions that the API itself defines.
    XLA_FFI_InternalExtension_Type {
        /// A question for the handler's metadata in place of a call.
        METADATA = 1,
    }
}

/// An error object; only the host knows what is in it.
#[repr(C)]
#[derive(Debug)]
pub struct XLA_FFI_Error {
    _opaque: [u8; 0],
}

structs! { VALUES:
    /// The base of extensions that the API itself defines.
    plain XLA_FFI_InternalExtension, last next {
        /// Size of the whole extension.
        struct_size: usize,
        /// Which extension it is.
        r#type: XLA_FFI_InternalExtension_Type,
        /// The next one, or null.
        next: *mut XLA_FFI_InternalExtension,
    }
    /// What an extension of the invoke context is.
    plain XLA_FFI_ExtensionId, last minor_version {
        /// Unique among the extensions of a context.
        extension_type: i64,
        /// Major version of the extension.
        major_version: i32,
        /// Minor version of the extension.
        minor_version: i32,
    }
    /// The base of extensions of the invoke context.
    plain XLA_FFI_Extension, last next {
        /// Size of the whole extension.
        struct_size: usize,
        /// Which extension it is.
        id: XLA_FFI_ExtensionId,
        /// The next one, or null.
        next: *const XLA_FFI_Extension,
    }
    /// A version of the API.
    header XLA_FFI_Api_Version, last minor_version {
        /// Changes break the ABI.
        major_version: c_int,
        /// Changes add to the ABI.
        minor_version: c_int,
    }
    /// A text or bytes, not terminated.
    plain XLA_FFI_ByteSpan, last len {
        /// The first byte.
        ptr: *const c_char,
        /// How many.
        len: usize,
    }
    /// A scalar attribute.
    plain XLA_FFI_Scalar, last value {
        /// Its type.
        dtype: XLA_FFI_DataType,
        /// Where it is.
        value: *mut c_void,
    }
    /// A one-dimensional array attribute.
    plain XLA_FFI_Array, last data {
        /// Type of an element.
        dtype: XLA_FFI_DataType,
        /// Number of elements.
        size: usize,
        /// The first element.
        data: *mut c_void,
    }
    /// An argument or a result.
    header XLA_FFI_Buffer, last dims {
        /// Type of an element.
        dtype: XLA_FFI_DataType,
        /// The first element.
        data: *mut c_void,
        /// Number of dimensions.
        rank: i64,
        /// Their sizes, outermost first.
        dims: *mut i64,
    }
    /// Arguments of `XLA_FFI_Error_Create`.
    header XLA_FFI_Error_Create_Args, last errc {
        /// A terminated text; copied.
        message: *const c_char,
        /// The code.
        errc: XLA_FFI_Error_Code,
    }
    /// Arguments of `XLA_FFI_Error_GetDetails`.
    header XLA_FFI_Error_GetDetails_Args, last errc {
        /// The error.
        error: *mut XLA_FFI_Error,
        /// Out: a terminated text that lives as long as the error.
        message: *const c_char,
        /// Out: the code.
        errc: XLA_FFI_Error_Code,
    }
    /// Arguments of `XLA_FFI_Error_Destroy`.
    header XLA_FFI_Error_Destroy_Args, last error {
        /// The error.
        error: *mut XLA_FFI_Error,
    }
    /// What a handler says about itself.
    plain XLA_FFI_Metadata, last traits {
        /// Size of this struct up to `traits`.
        struct_size: usize,
        /// Out: the version of the headers the handler was compiled with.
        api_version: XLA_FFI_Api_Version,
        /// Out: bits of the handler's traits.
        traits: u32,
        /// Out, since the late 0.1 versions: the type of the state that the handler creates, or 0.
        state_type_id: XLA_FFI_TypeId,
    }
    /// The extension of a call frame that asks for metadata.
    plain XLA_FFI_Metadata_Extension, last metadata {
        /// Its base.
        extension_base: XLA_FFI_InternalExtension,
        /// Where the handler writes.
        metadata: *mut XLA_FFI_Metadata,
    }
}
