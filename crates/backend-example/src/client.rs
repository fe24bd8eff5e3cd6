//! The client: what the framework asks for first, and where everything begins.

use crate::PLATFORM_NAME;
use crate::buffer::ExampleBuffer;
use crate::device::{self, ExampleDevice};
use crate::executable::{ExampleExecutable, ExampleLoadedExecutable};
use crate::program;
use pjrt_wrapper::client_trait::{
    ClientOptions, CompileOptions, DeviceAssignment, DeviceId, HostBuffer, Layout, MemoryId, PjrtClient,
    PjrtMemorySpace, Program, Result, StaticTopology, Status,
};
use stablehlo::eval::Tensor;
use std::sync::Arc;

/// What users see as platform version.
pub(crate) const VERSION: &str = concat!("backend-example ", env!("CARGO_PKG_VERSION"));

pub(crate) struct ExampleClient {
    pub(crate) devices: Arc<[ExampleDevice]>,
    memory_spaces: Vec<PjrtMemorySpace>,
    topology: StaticTopology<ExampleExecutable>,
}

impl ExampleClient {
    pub(crate) fn new(options: ClientOptions) -> Result<Self> {
        options.reject_unknown(&["devices", "memory_limit"])?;
        let count = device::device_count(&options)?;
        let limit = usize::try_from(options.int("memory_limit", 1 << 30)?)
            .map_err(|_| Status::invalid_argument("option memory_limit is a number of bytes, not negative"))?;
        Ok(ExampleClient {
            devices: (0..count).map(|id| ExampleDevice::new(id, limit)).collect::<Result<_>>()?,
            memory_spaces: (0..count).map(|id| PjrtMemorySpace::new(id, "device", 1, DeviceId(id))).collect(),
            topology: device::topology(count),
        })
    }
}

impl PjrtClient for ExampleClient {
    type Device = ExampleDevice;
    type Buffer = ExampleBuffer;
    type Executable = ExampleExecutable;
    type LoadedExecutable = ExampleLoadedExecutable;
    type Topology = StaticTopology<ExampleExecutable>;

    fn platform_name(&self) -> &str {
        PLATFORM_NAME
    }

    fn platform_version(&self) -> &str {
        VERSION
    }

    fn devices(&self) -> &[ExampleDevice] {
        &self.devices
    }

    fn memory_spaces(&self) -> &[PjrtMemorySpace] {
        &self.memory_spaces
    }

    fn topology(&self) -> &Self::Topology {
        &self.topology
    }

    fn buffer_from_host(
        &self,
        source: HostBuffer<'_>,
        memory: MemoryId,
        layout: Option<&Layout>,
    ) -> Result<ExampleBuffer> {
        let shape = source.shape().clone();
        if let Some(layout) = layout.filter(|layout| !layout.is_row_major()) {
            return Err(Status::unimplemented(format!("{shape} in layout {layout}; device memory is row-major")));
        }
        // The copy to the device.
        let dims: Vec<usize> = shape.dims.iter().map(|&dim| dim as usize).collect();
        let tensor = Tensor::from_bytes(program::to_stablehlo(shape.element_type)?, &dims, source.bytes());
        let tensor = tensor.map_err(|error| Status::invalid_argument(error.to_string()))?;
        Ok(ExampleBuffer::filled(shape, memory, self.devices[memory.0].memory.store(tensor)?))
    }

    fn compile(&self, program: &Program<'_>, options: &CompileOptions) -> Result<ExampleExecutable> {
        ExampleExecutable::compile(program, options)
    }

    fn load(&self, executable: &Arc<ExampleExecutable>, _: &DeviceAssignment) -> Result<ExampleLoadedExecutable> {
        Ok(ExampleLoadedExecutable::new(executable.clone(), self.devices.clone()))
    }
}
