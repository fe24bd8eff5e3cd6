//! The extensions, and the chain they form. Each node is at the newest layout known, with every member set.

pub(crate) mod custom;
pub(crate) mod ffi;
pub(crate) mod layouts;
pub(crate) mod memory_descriptions;
pub(crate) mod shardings;

use crate::backend::Backend;
use crate::call::catch_panic;
use pjrt_sys as sys;

/// Builds the chain of a backend; it lives as long as the process.
pub(crate) fn chain<B: Backend>() -> *mut sys::PJRT_Extension_Base {
    // A panic must not cross GetPjrtApi: what a backend cannot list is left out.
    let or_none = |status| tracing::error!(target: "pjrt", "{}: {status}; left out", B::NAME);
    let extensions = catch_panic("extensions", || Ok(B::extensions())).map_err(or_none).unwrap_or_default();
    let has_registry = catch_panic("ffi_registry", || Ok(B::ffi_registry().is_some())).map_err(or_none);
    let mut next = std::ptr::null_mut();
    for extension in extensions {
        next = custom::node(extension, next);
    }
    if has_registry.unwrap_or_default() {
        next = ffi::node::<B>(next);
    }
    next = memory_descriptions::node(next);
    next = shardings::node::<B>(next);
    layouts::node::<B>(next)
}

/// The start of a node.
pub(crate) fn base(
    struct_size: usize,
    kind: sys::PJRT_Extension_Type,
    next: *mut sys::PJRT_Extension_Base,
) -> sys::PJRT_Extension_Base {
    sys::PJRT_Extension_Base { struct_size, type_: kind, next }
}

/// Leaves a node in memory for good.
pub(crate) fn leak<T>(node: T) -> *mut sys::PJRT_Extension_Base {
    Box::into_raw(Box::new(node)).cast()
}

/// The function that takes these Args: `PJRT_X` for `PJRT_X_Args`.
pub(crate) const fn function_name(args: &'static str) -> &'static str {
    args.split_at(args.len() - "_Args".len()).0
}

/// Defines the C functions of an extension: `name(Args) => implementation`, generic over the backend or not. In
/// messages and in the log each is called what its Args are called after.
macro_rules! extension_functions {
    ($($(#[$doc:meta])* $c_name:ident $(<$backend:ident>)? ($args:ident) => $implementation:expr;)*) => {
        $($(#[$doc])*
        unsafe extern "C" fn $c_name $(<$backend: crate::backend::Backend>)? (
            args: *mut pjrt_sys::$args,
        ) -> *mut pjrt_sys::PJRT_Error {
            // SAFETY: that the pointer is null or points to Args of the stated size, ours for the call, is the C
            // contract.
            unsafe { crate::call::call(const { $crate::ext::function_name(stringify!($args)) }, args, $implementation) }
        })*
    };
}
pub(crate) use extension_functions;
