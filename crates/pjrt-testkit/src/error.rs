//! Errors of the C API as values: code, message, payloads, read out as frameworks read them.

use std::ffi::{c_char, c_void};
use std::fmt;

use pjrt_sys::{PJRT_Error, PJRT_Error_Code};

use crate::plugin::Plugin;

/// Status code: a [`PJRT_Error_Code`] that prints its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code(pub PJRT_Error_Code);

/// What every fallible function of this crate returns.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message} ({function})")]
pub struct Error {
    /// Status code.
    pub code: Code,
    /// Text.
    pub message: String,
    /// Payloads in the order of the visit.
    pub payloads: Vec<(String, Vec<u8>)>,
    /// The function that returned it.
    pub function: &'static str,
}

impl Error {
    /// An error of this crate and not of the plugin: the call could not be made.
    pub(crate) fn local(code: PJRT_Error_Code, function: &'static str, message: String) -> Self {
        Self { code: Code(code), message, payloads: Vec::new(), function }
    }

    /// Whether the plugin says that it does not support this.
    #[must_use]
    pub fn is_unimplemented(&self) -> bool {
        self.code == Code::UNIMPLEMENTED
    }

    /// Reads an error and destroys it; null is success.
    ///
    /// # Safety
    ///
    /// `error` is null or an error that the caller owns, of a plugin whose table is `plugin`'s.
    pub unsafe fn take(plugin: &Plugin, error: *mut PJRT_Error, function: &'static str) -> Result<()> {
        if error.is_null() {
            return Ok(());
        }
        let code = plugin.infallible(
            plugin.api().PJRT_Error_GetCode,
            "PJRT_Error_GetCode",
            |args: &mut pjrt_sys::PJRT_Error_GetCode_Args| args.error = error,
        );
        let message = plugin.call_void(
            plugin.api().PJRT_Error_Message,
            "PJRT_Error_Message",
            |args: &mut pjrt_sys::PJRT_Error_Message_Args| args.error = error,
        );
        // SAFETY: the message lives as long as the error, which is destroyed below.
        let text = unsafe { crate::plugin::text(message.message, message.message_size) };
        let mut payloads: Vec<(String, Vec<u8>)> = Vec::new();
        let table_reaches = plugin.table_covers("PJRT_Error_ForEachPayload");
        if table_reaches && plugin.caller().minor().is_none_or(|minor| minor >= 99) {
            plugin.infallible(
                plugin.api().PJRT_Error_ForEachPayload,
                "PJRT_Error_ForEachPayload",
                |args: &mut pjrt_sys::PJRT_Error_ForEachPayload_Args| {
                    args.error = error;
                    args.visitor = Some(collect);
                    args.user_arg = (&raw mut payloads).cast();
                },
            );
        }
        plugin.call_void(
            plugin.api().PJRT_Error_Destroy,
            "PJRT_Error_Destroy",
            |args: &mut pjrt_sys::PJRT_Error_Destroy_Args| args.error = error,
        );
        Err(Self { code: Code(code.code), message: text, payloads, function })
    }
}

/// Visitor of payloads: `user_arg` is the list to append to.
unsafe extern "C" fn collect(
    key: *const c_char,
    key_size: usize,
    value: *const c_char,
    value_size: usize,
    user_arg: *mut c_void,
) {
    // SAFETY: `user_arg` is the list in `take`, which waits for the visit to end; key and value are
    // lent for this call.
    unsafe {
        let payloads = &mut *user_arg.cast::<Vec<(String, Vec<u8>)>>();
        payloads.push((crate::plugin::text(key, key_size), crate::plugin::bytes(value, value_size)));
    }
}

macro_rules! codes {
    ($($name:ident),*) => {
        impl Code {
            $(#[doc = concat!("`", stringify!($name), "`.")]
            pub const $name: Self = Self(PJRT_Error_Code::$name);)*
        }

        impl fmt::Display for Code {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match *self {
                    $(Self::$name => f.write_str(stringify!($name)),)*
                    Self(other) => write!(f, "code {}", other.0),
                }
            }
        }
    };
}

codes!(
    OK,
    CANCELLED,
    UNKNOWN,
    INVALID_ARGUMENT,
    DEADLINE_EXCEEDED,
    NOT_FOUND,
    ALREADY_EXISTS,
    PERMISSION_DENIED,
    RESOURCE_EXHAUSTED,
    FAILED_PRECONDITION,
    ABORTED,
    OUT_OF_RANGE,
    UNIMPLEMENTED,
    INTERNAL,
    UNAVAILABLE,
    DATA_LOSS,
    UNAUTHENTICATED
);

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
