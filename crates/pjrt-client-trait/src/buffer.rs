//! Device buffers.

use crate::{Event, Layout, MemoryId, Result, Shape, Status, zeros};

/// An array on a device. Dropping it frees its storage.
///
/// Whether a buffer is live, donated or deleted is the framework's business: a backend sees live ones only,
/// shared as `Arc`s. Whoever still needs the storage (an execution, a copy, a reader of the raw pointer) holds
/// a clone, so a deleted buffer's storage goes when the last of them is done.
pub trait PjrtBuffer: Send + Sync + 'static {
    /// Element type and dimensions. Known from the start, also while the contents are pending.
    fn shape(&self) -> &Shape;

    /// Where the buffer lives.
    fn memory_space(&self) -> MemoryId;

    /// Copies the array to `dst`, dense and row-major, whole bytes per element; `dst` has exactly
    /// [`Shape::byte_size`] bytes, also when dimensions are dynamic: the framework hands out the leading part of
    /// [`PjrtBuffer::logical_dimensions`] and ignores what is after it. Called only once [`PjrtBuffer::ready_event`] has succeeded.
    ///
    /// # Errors
    /// What the transfer reports.
    fn copy_to_host(&self, dst: &mut [u8]) -> Result<()>;

    /// Ready when the contents are, with the error of the computation if it failed.
    fn ready_event(&self) -> Event {
        Event::ready()
    }

    /// How the elements lie in device memory.
    fn layout(&self) -> Layout {
        Layout::row_major(self.shape().rank())
    }

    /// Bytes of device storage.
    fn on_device_size(&self) -> usize {
        self.shape().byte_size()
    }

    /// Whether the storage is host memory in [`PjrtBuffer::layout`] that the caller may read through
    /// [`PjrtBuffer::device_address`] once the buffer is ready.
    fn is_on_cpu(&self) -> bool {
        false
    }

    /// The address of the storage on the device, stable while the buffer lives; `None` if there is no such
    /// thing, or if pending contents have none yet: then the framework waits for them when the buffer
    /// [is on the CPU](PjrtBuffer::is_on_cpu), and asks again.
    fn device_address(&self) -> Option<u64> {
        None
    }

    /// Copies `dst.len()` bytes of the device representation, from `offset` on. The range has been checked
    /// against [`PjrtBuffer::on_device_size`]; the buffer is ready.
    ///
    /// The default serves every backend whose device representation is the host's.
    ///
    /// # Errors
    /// What the transfer reports; UNIMPLEMENTED when the representations differ.
    fn copy_raw_to_host(&self, offset: usize, dst: &mut [u8]) -> Result<()> {
        if !self.layout().is_row_major() || self.on_device_size() != self.shape().byte_size() {
            return Err(Status::unimplemented(format!(
                "raw copies of a {} in layout {}: this backend does not expose its device representation",
                self.shape(),
                self.layout()
            )));
        }
        let mut whole = zeros(self.shape().byte_size())?;
        self.copy_to_host(&mut whole)?;
        dst.copy_from_slice(&whole[offset..offset + dst.len()]);
        Ok(())
    }

    /// The dimensions whose extent is dynamic, in ascending order.
    fn dynamic_dimensions(&self) -> Vec<usize> {
        Vec::new()
    }

    /// The actual extents where dimensions are dynamic; the shape's otherwise. None is above the
    /// shape's. May block for the contents.
    ///
    /// # Errors
    /// What the computation reports.
    fn logical_dimensions(&self) -> Result<Vec<i64>> {
        Ok(self.shape().dims.clone())
    }
}
