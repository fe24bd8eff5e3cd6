//! Buffers: an array in memory, now or when the program that computes it gets there.
//!
//! Arrays are dense, whole bytes per element, and row-major unless somebody asked for another order of dimensions, which is
//! also how hosts have them: whoever holds a buffer may read its memory in place.

use crate::foreign::ForeignMemory;
use crate::layout::Arrangement;
use cpu_runtime::{ALIGNMENT, Block};
use pjrt_wrapper::client_trait::{
    Event, EventPromise, HostBuffer, HostBufferSemantics, HostBytes, Layout, MemoryId, PjrtBuffer, Result, Shape,
    Status,
};
use std::sync::{Arc, OnceLock};

/// Where the bytes of an array are.
pub(crate) enum Storage {
    /// In a block of ours, which the program that is given it may overwrite.
    Own(Block),
    /// In memory of the host that was lent without a copy.
    Host(Arc<dyn HostBytes>),
    /// In memory of another library.
    Foreign(Arc<ForeignMemory>),
    /// In another buffer, whose bytes this one reads as something else.
    Shared(Arc<CpuBuffer>),
}

impl Storage {
    /// The caller's memory itself, where it was lent for the life of the buffer and begins where blocks may begin.
    /// Small arrays are copied: that costs less than keeping track of the loan.
    pub(crate) fn lent(source: &HostBuffer<'_>) -> Option<Storage> {
        const WORTH_IT: usize = 4096;
        let zero_copy =
            matches!(source.semantics(), HostBufferSemantics::ImmutableZeroCopy | HostBufferSemantics::MutableZeroCopy);
        let keep_alive = source.keep_alive().filter(|_| zero_copy)?;
        let bytes = keep_alive.bytes();
        let fits = bytes.len() == source.shape().byte_size()
            && bytes.len() >= WORTH_IT
            && bytes.as_ptr().addr().is_multiple_of(ALIGNMENT);
        fits.then_some(Storage::Host(keep_alive))
    }

    /// The bytes.
    pub(crate) fn bytes(&self) -> Result<&[u8]> {
        match self {
            Storage::Own(block) => Ok(block.bytes()),
            Storage::Host(bytes) => Ok(bytes.bytes()),
            Storage::Foreign(memory) => Ok(memory.bytes()),
            Storage::Shared(buffer) => buffer.bytes(),
        }
    }
}

/// An array.
pub(crate) struct CpuBuffer {
    shape: Shape,
    /// `None` is row-major.
    layout: Option<Layout>,
    memory: MemoryId,
    contents: Arc<OnceLock<Storage>>,
    ready: Event,
}

/// The writing end of a buffer whose contents are still to come.
pub(crate) struct Fill {
    contents: Arc<OnceLock<Storage>>,
    promise: EventPromise,
}

impl Fill {
    pub(crate) fn complete(self, outcome: Result<Storage>) {
        let Fill { contents, promise } = self;
        let outcome = outcome.map(|storage| _ = contents.set(storage));
        // Before anybody learns of it, so that the buffer is the only holder and can be donated.
        drop(contents);
        promise.complete(outcome);
    }
}

impl CpuBuffer {
    pub(crate) fn filled(shape: Shape, memory: MemoryId, storage: Storage) -> Self {
        CpuBuffer { shape, layout: None, memory, contents: Arc::new(OnceLock::from(storage)), ready: Event::ready() }
    }

    pub(crate) fn pending(shape: Shape, memory: MemoryId) -> (Fill, Self) {
        let (promise, ready) = Event::pending();
        let contents = Arc::new(OnceLock::new());
        (Fill { contents: contents.clone(), promise }, CpuBuffer { shape, layout: None, memory, contents, ready })
    }

    /// What will never have contents.
    pub(crate) fn failed(shape: Shape, memory: MemoryId, status: Status) -> Self {
        CpuBuffer { shape, layout: None, memory, contents: Arc::new(OnceLock::new()), ready: Event::failed(status) }
    }

    /// The same with its contents in another layout.
    pub(crate) fn in_layout(self, layout: Option<Layout>) -> Self {
        CpuBuffer { layout: layout.filter(|layout| !layout.is_row_major()), ..self }
    }

    /// How the elements lie in memory, if not in row-major order.
    pub(crate) fn arrangement(&self) -> Result<Option<Arrangement>> {
        Arrangement::of(&self.shape, self.layout.as_ref())
    }

    pub(crate) fn shape_of(&self) -> &Shape {
        &self.shape
    }

    pub(crate) fn memory(&self) -> MemoryId {
        self.memory
    }

    /// The bytes of a buffer that is ready.
    pub(crate) fn bytes(&self) -> Result<&[u8]> {
        match self.contents.get() {
            Some(storage) => storage.bytes(),
            None => {
                self.ready.wait()?;
                let missing = || Status::internal("a buffer is ready and has no contents");
                self.contents.get().ok_or_else(missing)?.bytes()
            }
        }
    }

    /// The block itself, of a buffer that nobody else holds; otherwise the buffer.
    pub(crate) fn into_block(buffer: Arc<CpuBuffer>) -> std::result::Result<Block, Arc<CpuBuffer>> {
        let buffer = Arc::try_unwrap(buffer)?;
        let CpuBuffer { shape, layout, memory, contents, ready } = buffer;
        let rebuilt = |contents| Arc::new(CpuBuffer { shape, layout, memory, contents, ready });
        match Arc::try_unwrap(contents).map(OnceLock::into_inner) {
            Ok(Some(Storage::Own(block))) => Ok(block),
            Ok(Some(storage)) => Err(rebuilt(Arc::new(OnceLock::from(storage)))),
            Ok(None) => Err(rebuilt(Arc::new(OnceLock::new()))),
            Err(contents) => Err(rebuilt(contents)),
        }
    }
}

impl PjrtBuffer for CpuBuffer {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn memory_space(&self) -> MemoryId {
        self.memory
    }

    fn ready_event(&self) -> Event {
        self.ready.clone()
    }

    fn layout(&self) -> Layout {
        self.layout.clone().unwrap_or_else(|| Layout::row_major(self.shape.rank()))
    }

    fn copy_to_host(&self, dst: &mut [u8]) -> Result<()> {
        let bytes = self.bytes()?;
        match self.arrangement()? {
            Some(arrangement) => arrangement.to_rows(bytes, dst),
            None => dst.copy_from_slice(bytes),
        }
        Ok(())
    }

    fn copy_raw_to_host(&self, offset: usize, dst: &mut [u8]) -> Result<()> {
        dst.copy_from_slice(&self.bytes()?[offset..offset + dst.len()]);
        Ok(())
    }

    fn is_on_cpu(&self) -> bool {
        true
    }

    fn device_address(&self) -> Option<u64> {
        let storage = self.contents.get()?;
        let bytes = storage.bytes().ok()?;
        Some(bytes.as_ptr().addr() as u64)
    }
}
