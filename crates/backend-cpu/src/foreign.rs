//! Memory of another library that a buffer shows in place (DLPack). The one place with unsafe code.

use crate::layout::Arrangement;
use pjrt_wrapper::client_trait::{ForeignBuffer, Layout, Result, Status};
use std::sync::Arc;

/// Memory of somebody else, who keeps it readable and unchanged as long as this lives.
pub(crate) struct ForeignMemory {
    owner: Arc<dyn ForeignBuffer>,
    length: usize,
}

impl ForeignMemory {
    /// # Errors
    /// INVALID_ARGUMENT when there is no memory where there should be some.
    pub(crate) fn new(owner: Arc<dyn ForeignBuffer>) -> Result<ForeignMemory> {
        let length = owner.shape().byte_size();
        if length > 0 && owner.address() == 0 {
            return Err(Status::invalid_argument(format!("a view of a {} at address 0", owner.shape())));
        }
        Ok(ForeignMemory { owner, length })
    }

    /// The bytes, in whatever order their layout says.
    pub(crate) fn bytes(&self) -> &[u8] {
        if self.length == 0 {
            return &[];
        }
        let start = std::ptr::with_exposed_provenance::<u8>(self.owner.address() as usize);
        // SAFETY: the device of this backend is the host, so a device address is one of this process. It is not null,
        // and by the contract of `PJRT_Client_CreateViewOfDeviceBuffer` the owner keeps an array of the stated shape
        // there, unchanged, until it is told that the view is gone: when `owner` is dropped.
        unsafe { std::slice::from_raw_parts(start, self.length) }
    }

    /// Whether its elements begin where such elements may begin.
    pub(crate) fn is_aligned(&self) -> bool {
        let width = self.owner.shape().element_type.byte_width().max(1);
        self.length == 0 || (self.owner.address() as usize).is_multiple_of(width)
    }

    /// The bytes in row-major order, if they are in another one.
    ///
    /// # Errors
    /// UNIMPLEMENTED for tiled layouts.
    pub(crate) fn in_row_major_order(&self, layout: &Layout) -> Result<Option<Vec<u8>>> {
        let arrangement = Arrangement::of(self.owner.shape(), Some(layout))?;
        Ok(arrangement.map(|arrangement| {
            let mut bytes = vec![0; self.length];
            arrangement.to_rows(self.bytes(), &mut bytes);
            bytes
        }))
    }
}
