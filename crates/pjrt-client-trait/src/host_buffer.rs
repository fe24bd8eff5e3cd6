//! Host arrays on their way to a device, and how long their memory may be looked at.

use crate::{Result, Shape, Status};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Host memory that stays readable and unchanged as long as this object lives. Dropping the last reference
/// tells the framework's caller that it may have its memory back.
pub trait HostBytes: Send + Sync {
    /// The memory: dense, row-major, whole bytes per element.
    fn bytes(&self) -> &[u8];
}

/// Host memory of that many zeros.
///
/// # Errors
/// RESOURCE_EXHAUSTED when there is not so much: sizes come from callers, and running out of memory for one must
/// not end the process.
pub fn zeros(size: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let reserved = bytes.try_reserve_exact(size);
    reserved.map_err(|_| Status::resource_exhausted(format!("no host memory for {size} bytes")))?;
    bytes.resize(size, 0);
    Ok(bytes)
}

/// What the caller promised about its array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostBufferSemantics {
    /// Unchanged during the call only.
    ImmutableOnlyDuringCall,
    /// Unchanged until the transfer is complete.
    ImmutableUntilTransferCompletes,
    /// Unchanged for the life of the device buffer, which may alias it.
    ImmutableZeroCopy,
    /// Lent for the life of the device buffer, which may alias and overwrite it.
    MutableZeroCopy,
}

/// A host array to copy to a device. Whatever strides the caller's array had, it arrives here dense and
/// row-major.
pub struct HostBuffer<'a> {
    shape: Shape,
    bytes: Cow<'a, [u8]>,
    semantics: HostBufferSemantics,
    keep_alive: Option<Arc<dyn HostBytes>>,
}

impl<'a> HostBuffer<'a> {
    /// An array lent for the call. `bytes` must have exactly [`Shape::byte_size`] bytes.
    ///
    /// # Panics
    /// When it has not: a bug in the caller.
    pub fn new(shape: Shape, bytes: impl Into<Cow<'a, [u8]>>) -> Self {
        let bytes = bytes.into();
        assert_eq!(bytes.len(), shape.byte_size(), "host bytes of a {shape}");
        HostBuffer { shape, bytes, semantics: HostBufferSemantics::ImmutableOnlyDuringCall, keep_alive: None }
    }

    /// The same array whose memory may also be held beyond the call, as `semantics` allow.
    #[must_use]
    pub fn with_keep_alive(mut self, semantics: HostBufferSemantics, keep_alive: Arc<dyn HostBytes>) -> Self {
        self.semantics = semantics;
        self.keep_alive = Some(keep_alive);
        self
    }

    /// Element type and dimensions.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The array, dense and row-major, whole bytes per element. Readable during the call.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The array as an owned vector; copies only when the framework does not own it already.
    pub fn into_vec(self) -> Vec<u8> {
        self.bytes.into_owned()
    }

    /// What the caller promised; meaningful for what [`HostBuffer::keep_alive`] returns.
    pub fn semantics(&self) -> HostBufferSemantics {
        self.semantics
    }

    /// A hold on the caller's memory for a transfer that outlives the call, or for aliasing it if the
    /// [semantics](HostBuffer::semantics) say zero-copy. `None` when the memory is lent for the call only.
    pub fn keep_alive(&self) -> Option<Arc<dyn HostBytes>> {
        self.keep_alive.clone()
    }
}

impl fmt::Debug for HostBuffer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostBuffer").field("shape", &self.shape).field("semantics", &self.semantics).finish()
    }
}
