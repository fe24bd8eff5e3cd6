//! Nodes of an extension chain.

use pjrt_sys::{EXTENSIONS, Extension, PJRT_Extension_Base, PJRT_Extension_Type, Struct};

use crate::plugin::Plugin;

/// A node of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtensionNode {
    /// Type number.
    pub kind: PJRT_Extension_Type,
    /// Size that the plugin declares, in bytes.
    pub struct_size: usize,
    /// The node itself.
    pub raw: *mut PJRT_Extension_Base,
}

impl ExtensionNode {
    /// Reads a chain; a chain that does not end after 1000 nodes is cut off there.
    ///
    /// # Safety
    ///
    /// `head` is null or the head of a valid chain.
    #[must_use]
    pub unsafe fn chain(head: *mut PJRT_Extension_Base) -> Vec<Self> {
        let mut nodes = Vec::new();
        let mut next = head;
        while !next.is_null() && nodes.len() < 1000 {
            // SAFETY: every node of a valid chain begins with this struct.
            let base = unsafe { &*next };
            nodes.push(Self { kind: base.type_, struct_size: base.struct_size, raw: next });
            next = base.next;
        }
        nodes
    }

    /// What we know about this type.
    #[must_use]
    pub fn known(&self) -> Option<&'static Extension> {
        EXTENSIONS.iter().find(|extension| extension.kind == self.kind)
    }

    /// Name of the type, or its number if we do not know it.
    #[must_use]
    pub fn name(&self) -> String {
        self.known().map_or_else(|| format!("type {}", self.kind.0), |known| known.name.to_owned())
    }
}

impl Plugin {
    /// The node of an extension, read as its newest known struct: members that the plugin's node is
    /// too short for are null. For instance `plugin.extension::<PJRT_Layouts_Extension>()`.
    #[must_use]
    pub fn extension<S: Struct>(&self) -> Option<S> {
        let known = EXTENSIONS.iter().find(|extension| extension.node == S::NAME)?;
        let node = self.extensions().into_iter().find(|node| node.kind == known.kind)?;
        // SAFETY: zero is a valid value of `S`; the node has as many bytes as it declares, and its type
        // number says that they are those of `S` as far as both go.
        unsafe {
            let mut value: S = std::mem::zeroed();
            let size = node.struct_size.min(size_of::<S>());
            std::ptr::copy_nonoverlapping(node.raw.cast::<u8>(), (&raw mut value).cast::<u8>(), size);
            Some(value)
        }
    }
}
