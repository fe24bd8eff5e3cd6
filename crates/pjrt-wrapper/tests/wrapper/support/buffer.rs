//! Buffers of the test backend.

use super::panics::point;
use super::script::Script;
use pjrt_client_trait::{
    ElementType, Event, ForeignBuffer, HostBytes, Layout, MemoryId, PjrtBuffer, Result, Shape, Status,
};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Where the bytes of a buffer are, row-major.
pub enum Storage {
    /// In the buffer.
    Own(Vec<u8>),
    /// In the caller's array.
    Lent(Arc<dyn HostBytes>),
    /// In memory that this backend does not read.
    Foreign(Arc<dyn ForeignBuffer>),
}

pub struct TestBuffer {
    pub shape: Shape,
    pub memory: MemoryId,
    pub layout: Layout,
    pub ready: Event,
    pub storage: Storage,
    pub script: Arc<Script>,
}

impl TestBuffer {
    pub fn new(shape: Shape, memory: MemoryId, storage: Storage, ready: Event, script: &Arc<Script>) -> Self {
        script.live_buffers.fetch_add(1, Ordering::SeqCst);
        let shape = match script.wrong_shape.load(Ordering::SeqCst) {
            true => Shape::new(shape.element_type, [shape.dims, vec![1]].concat()).expect("as large as before"),
            false => shape,
        };
        let layout = script.default_layout(shape.rank());
        TestBuffer { shape, memory, layout, ready, storage, script: script.clone() }
    }

    /// The bytes, where the backend can see them.
    pub fn bytes(&self) -> Result<&[u8]> {
        match &self.storage {
            Storage::Own(bytes) => Ok(bytes),
            Storage::Lent(bytes) => Ok(bytes.bytes()),
            Storage::Foreign(_) => Err(Status::unimplemented("this backend does not read foreign memory")),
        }
    }

    /// The bytes for overwriting: those of the buffer itself if it owns them, else a copy.
    pub fn take_bytes(&mut self) -> Result<Vec<u8>> {
        match &mut self.storage {
            Storage::Own(bytes) => Ok(std::mem::take(bytes)),
            _ => self.bytes().map(<[u8]>::to_vec),
        }
    }
}

impl Script {
    pub fn default_layout(&self, rank: usize) -> Layout {
        match self.column_major.load(Ordering::SeqCst) {
            true => Layout { minor_to_major: (0..rank as i64).collect(), tiles: Vec::new() },
            false => Layout::row_major(rank),
        }
    }
}

impl Drop for TestBuffer {
    fn drop(&mut self) {
        self.script.live_buffers.fetch_sub(1, Ordering::SeqCst);
        if !std::thread::panicking() {
            point("buffer.drop");
        }
    }
}

impl PjrtBuffer for TestBuffer {
    fn shape(&self) -> &Shape {
        point("buffer.shape");
        &self.shape
    }

    fn memory_space(&self) -> MemoryId {
        point("buffer.memory_space");
        self.memory
    }

    fn copy_to_host(&self, dst: &mut [u8]) -> Result<()> {
        point("buffer.copy_to_host");
        assert_eq!(self.ready.outcome(), Some(Ok(())), "only ready buffers are copied");
        let bytes = self.bytes()?;
        assert_eq!(bytes.len(), dst.len(), "the destination is as large as the array");
        dst.copy_from_slice(bytes);
        Ok(())
    }

    fn ready_event(&self) -> Event {
        point("buffer.ready_event");
        self.ready.clone()
    }

    fn layout(&self) -> Layout {
        point("buffer.layout");
        self.layout.clone()
    }

    fn on_device_size(&self) -> usize {
        point("buffer.on_device_size");
        self.shape.byte_size()
    }

    fn is_on_cpu(&self) -> bool {
        point("buffer.is_on_cpu");
        self.script.on_cpu.load(Ordering::SeqCst)
    }

    fn device_address(&self) -> Option<u64> {
        point("buffer.device_address");
        match &self.storage {
            Storage::Foreign(foreign) => Some(foreign.address()),
            _ if !self.is_on_cpu() => None,
            _ => self.bytes().ok().map(|bytes| bytes.as_ptr().expose_provenance() as u64),
        }
    }

    fn copy_raw_to_host(&self, offset: usize, dst: &mut [u8]) -> Result<()> {
        point("buffer.copy_raw_to_host");
        assert_eq!(self.ready.outcome(), Some(Ok(())), "only ready buffers are copied");
        dst.copy_from_slice(&self.bytes()?[offset..offset + dst.len()]);
        Ok(())
    }

    fn dynamic_dimensions(&self) -> Vec<usize> {
        point("buffer.dynamic_dimensions");
        if self.script.dynamic.load(Ordering::SeqCst) { vec![0] } else { Vec::new() }
    }

    fn logical_dimensions(&self) -> Result<Vec<i64>> {
        point("buffer.logical_dimensions");
        let mut dims = self.shape.dims.clone();
        if self.script.dynamic.load(Ordering::SeqCst) {
            dims[0] -= 1;
        }
        Ok(dims)
    }
}

/// Adds one to every element.
pub fn add_one(ty: ElementType, bytes: &mut [u8]) -> Result<()> {
    match ty {
        ElementType::F32 => {
            for element in bytes.chunks_exact_mut(4) {
                let value = f32::from_le_bytes([element[0], element[1], element[2], element[3]]) + 1.0;
                element.copy_from_slice(&value.to_le_bytes());
            }
        }
        ElementType::S32 => {
            for element in bytes.chunks_exact_mut(4) {
                let value = i32::from_le_bytes([element[0], element[1], element[2], element[3]]).wrapping_add(1);
                element.copy_from_slice(&value.to_le_bytes());
            }
        }
        ElementType::U8 => bytes.iter_mut().for_each(|element| *element = element.wrapping_add(1)),
        other => return Err(Status::unimplemented(format!("add_one of {other}; only f32, s32 and u8"))),
    }
    Ok(())
}
