//! Where a backend with custom calls learns of their handlers and of the types of user data.

use crate::Result;

/// A type of user data: addresses of its functions; 0 where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FfiTypeInfo {
    /// Deletes an instance.
    pub deleter: usize,
    /// Serializes an instance.
    pub serialize: usize,
    /// Deserializes an instance.
    pub deserialize: usize,
}

/// A custom-call handler in XLA's typed FFI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FfiHandler {
    /// The name programs call it by.
    pub target: String,
    /// The platform it is for.
    pub platform: String,
    /// The address of the handler function, not 0.
    pub address: usize,
    /// XLA's handler traits, as bits.
    pub traits: u32,
}

/// The registry behind the FFI extension, one for the process. A backend that has one offers typed custom calls.
pub trait FfiRegistry: Send + Sync {
    /// Registers a type by name. With `type_id` 0 an id is assigned; otherwise it is checked against what is
    /// known. Returns the id.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the name is known under another id.
    fn register_type(&self, name: &str, type_id: i64, info: FfiTypeInfo) -> Result<i64>;

    /// Registers a handler.
    ///
    /// # Errors
    /// ALREADY_EXISTS when the target has another handler.
    fn register_handler(&self, handler: FfiHandler) -> Result<()>;
}
