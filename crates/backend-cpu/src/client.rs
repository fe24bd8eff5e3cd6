//! The client: what the framework asks for first, and where everything begins.

use crate::buffer::{CpuBuffer, Storage};
use crate::device::{self, CpuDevice};
use crate::executable::CpuExecutable;
use crate::foreign::ForeignMemory;
use crate::launch::CpuLoadedExecutable;
use crate::layout::Arrangement;
use crate::settings::Settings;
use crate::{PLATFORM, VERSION};
use cpu_runtime::{Block, Pool};
use pjrt_wrapper::client_trait::{
    CompileOptions, DeviceAssignment, ForeignBuffer, HostBuffer, Layout, MemoryId, PjrtBuffer, PjrtClient,
    PjrtMemorySpace, Program, Result, Shape, StaticTopology, Status,
};
use std::sync::Arc;

/// What all launches of a client share.
pub(crate) struct Machine {
    pub(crate) devices: Vec<CpuDevice>,
    pub(crate) pool: Pool,
}

pub(crate) struct CpuClient {
    machine: Arc<Machine>,
    memory_spaces: Vec<PjrtMemorySpace>,
    topology: StaticTopology<CpuExecutable>,
}

impl CpuClient {
    pub(crate) fn new(options: pjrt_wrapper::client_trait::ClientOptions) -> Result<Self> {
        let settings = Settings::read(&options, |variable| std::env::var(variable).ok())?;
        let devices = (0..settings.devices).map(|id| CpuDevice::new(id, settings.memory_limit)).collect();
        Ok(CpuClient {
            machine: Arc::new(Machine { devices, pool: Pool::new(settings.threads) }),
            memory_spaces: device::memory_spaces(settings.devices),
            topology: device::topology(settings.devices),
        })
    }

    /// A block of `length` bytes that counts for the device of `memory`.
    fn allocate(&self, length: usize, memory: MemoryId) -> Result<Block> {
        let budget = &self.machine.devices[device::device_of(memory)].budget;
        budget.allocate(length).map_err(|error| Status::resource_exhausted(format!("{error}{MEMORY_HINT}")))
    }

    /// A block with these contents.
    fn copy(&self, bytes: &[u8], memory: MemoryId) -> Result<Block> {
        let mut block = self.allocate(bytes.len(), memory)?;
        block.bytes_mut().copy_from_slice(bytes);
        Ok(block)
    }
}

/// What users can do about memory that is too small.
pub(crate) const MEMORY_HINT: &str = "; the client option memory_limit or RUST_CPU_MEMORY_LIMIT sets the limit";

impl PjrtClient for CpuClient {
    type Device = CpuDevice;
    type Buffer = CpuBuffer;
    type Executable = CpuExecutable;
    type LoadedExecutable = CpuLoadedExecutable;
    type Topology = StaticTopology<CpuExecutable>;

    fn platform_name(&self) -> &str {
        PLATFORM
    }

    fn platform_version(&self) -> &str {
        VERSION
    }

    fn devices(&self) -> &[CpuDevice] {
        &self.machine.devices
    }

    fn memory_spaces(&self) -> &[PjrtMemorySpace] {
        &self.memory_spaces
    }

    fn topology(&self) -> &Self::Topology {
        &self.topology
    }

    fn buffer_from_host(&self, source: HostBuffer<'_>, memory: MemoryId, layout: Option<&Layout>) -> Result<CpuBuffer> {
        let shape = source.shape().clone();
        let arrangement = Arrangement::of(&shape, layout)?;
        let storage = match (arrangement, Storage::lent(&source)) {
            (Some(arrangement), _) => {
                let mut block = self.allocate(shape.byte_size(), memory)?;
                arrangement.arrange(source.bytes(), block.bytes_mut());
                Storage::Own(block)
            }
            (None, Some(storage)) => storage,
            (None, None) => Storage::Own(self.copy(source.bytes(), memory)?),
        };
        Ok(CpuBuffer::filled(shape, memory, storage).in_layout(layout.cloned()))
    }

    fn uninitialized_buffer(&self, shape: &Shape, memory: MemoryId, layout: Option<&Layout>) -> Result<CpuBuffer> {
        Arrangement::of(shape, layout)?;
        let block = self.allocate(shape.byte_size(), memory)?;
        Ok(CpuBuffer::filled(shape.clone(), memory, Storage::Own(block)).in_layout(layout.cloned()))
    }

    fn copy_to_memory(&self, source: &Arc<CpuBuffer>, memory: MemoryId) -> Result<CpuBuffer> {
        let block = self.copy(source.bytes()?, memory)?;
        Ok(CpuBuffer::filled(source.shape_of().clone(), memory, Storage::Own(block)).in_layout(Some(source.layout())))
    }

    fn bitcast(&self, source: &Arc<CpuBuffer>, shape: &Shape, layout: &Layout) -> Result<CpuBuffer> {
        Arrangement::of(shape, Some(layout))?;
        let bytes = source.bytes()?;
        if bytes.len() != shape.byte_size() {
            let (from, to) = (bytes.len(), shape.byte_size());
            return Err(Status::invalid_argument(format!("a bitcast from {from} bytes to {shape}, which has {to}")));
        }
        let cast = CpuBuffer::filled(shape.clone(), source.memory(), Storage::Shared(source.clone()));
        Ok(cast.in_layout(Some(layout.clone())))
    }

    fn view_of_device_buffer(&self, foreign: Arc<dyn ForeignBuffer>, memory: MemoryId) -> Result<CpuBuffer> {
        let shape = foreign.shape().clone();
        let layout = foreign.layout().clone();
        let foreign = ForeignMemory::new(foreign)?;
        let storage = match foreign.in_row_major_order(&layout)? {
            // Ours are row-major, so arrays in another order are copied into that.
            Some(bytes) => Storage::Own(self.copy(&bytes, memory)?),
            None if foreign.is_aligned() => Storage::Foreign(Arc::new(foreign)),
            None => Storage::Own(self.copy(foreign.bytes(), memory)?),
        };
        Ok(CpuBuffer::filled(shape, memory, storage))
    }

    fn compile(&self, program: &Program<'_>, options: &CompileOptions) -> Result<CpuExecutable> {
        CpuExecutable::compile(program, options)
    }

    fn load(&self, executable: &Arc<CpuExecutable>, _: &DeviceAssignment) -> Result<CpuLoadedExecutable> {
        Ok(CpuLoadedExecutable::new(executable.clone(), self.machine.clone()))
    }

    fn dma_map(&self, _address: u64, _size: usize) -> Result<()> {
        // The device is the host: all of its memory is as close as pinned memory is elsewhere.
        Ok(())
    }

    fn dma_unmap(&self, _address: u64) -> Result<()> {
        Ok(())
    }
}
