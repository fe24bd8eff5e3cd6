//! Extensions of a backend's own: a safe function behind a node of the extension chain.
//!
//! The node and its one function are the same for every such extension, so a caller needs to know only the
//! layout below; what the bytes mean is between the backend and its callers.

use pjrt_client_trait::Result;

/// What a custom extension does: (method, input bytes) to output bytes.
pub type CustomMethod = fn(&str, &[u8]) -> Result<Vec<u8>>;

/// An extension that a backend publishes in the chain of its `PJRT_Api`.
#[derive(Clone, Copy, Debug)]
pub struct CustomExtension {
    /// The type number of the node. Use one that no official extension has; from
    /// [`CustomExtension::FIRST_TYPE`] on is a good place.
    pub extension_type: u32,
    /// What callers get.
    pub call: CustomMethod,
}

impl CustomExtension {
    /// Numbers from here on are far from those that official extensions use (0 to 24).
    pub const FIRST_TYPE: u32 = 0x5253_0000;
}
