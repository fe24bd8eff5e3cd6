//! The client: the root object of a backend.

use crate::{
    CompileOptions, DeviceAssignment, DeviceId, HostBuffer, Layout, MemoryId, PjrtBuffer, PjrtDevice, PjrtExecutable,
    PjrtLoadedExecutable, PjrtMemorySpace, PjrtTopologyDescription, Program, Result, Shape, Status, zeros,
};
use std::sync::Arc;

/// Device memory that belongs to somebody else and is lent for the life of a buffer. Dropping it tells the
/// owner.
pub trait ForeignBuffer: Send + Sync {
    /// Where it starts, as a device address.
    fn address(&self) -> u64;
    /// What is in it.
    fn shape(&self) -> &Shape;
    /// How the elements lie.
    fn layout(&self) -> &Layout;
}

/// What the framework knows about one process of the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessInfo {
    /// Rank.
    pub task_id: i32,
    /// Changes when the process is restarted.
    pub incarnation_id: u64,
    /// Whether it lives.
    pub state: ProcessState,
    /// Why it is in an error state, if it is.
    pub error: Option<Status>,
}

/// Whether a process of the job lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessState {
    /// Not known.
    Unspecified,
    /// Never seen, or gone in good order.
    Disconnected,
    /// Alive.
    Connected,
    /// Failed.
    Error,
}

/// A backend's client: owner of devices, memories, buffers and programs.
///
/// Several clients may exist in one process; nothing may depend on a client being dropped.
pub trait PjrtClient: Send + Sync + Sized + 'static {
    /// Its devices.
    type Device: PjrtDevice;
    /// Its buffers.
    type Buffer: PjrtBuffer;
    /// Its compiled programs.
    type Executable: PjrtExecutable;
    /// Its compiled programs, bound to devices.
    type LoadedExecutable: PjrtLoadedExecutable<Buffer = Self::Buffer>;
    /// Its topology; [`crate::StaticTopology`] serves unless the backend compiles ahead of time.
    type Topology: PjrtTopologyDescription<Executable = Self::Executable>;

    /// The name JAX shows and picks lowering rules by. Lower case, the same for every client.
    fn platform_name(&self) -> &str;

    /// Free text: versions of the backend and of what is below it.
    fn platform_version(&self) -> &str;

    /// All devices of the job, in a fixed order. Not empty; ids are unique and not negative.
    fn devices(&self) -> &[Self::Device];

    /// All memories of the addressable devices; a [`MemoryId`] is an index into this list.
    fn memory_spaces(&self) -> &[PjrtMemorySpace];

    /// The devices of the job as facts, without anything that runs.
    fn topology(&self) -> &Self::Topology;

    /// Makes a buffer in `memory` from a host array. `layout` is the wanted device layout, a valid one for the
    /// rank; `None` leaves the choice to the backend.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED, or UNIMPLEMENTED for an element type or layout that the device does not have.
    fn buffer_from_host(
        &self,
        source: HostBuffer<'_>,
        memory: MemoryId,
        layout: Option<&Layout>,
    ) -> Result<Self::Buffer>;

    /// Compiles a program. Called from several threads at once.
    ///
    /// # Errors
    /// What is wrong with the program, with op and source location.
    fn compile(&self, program: &Program<'_>, options: &CompileOptions) -> Result<Self::Executable>;

    /// Binds a compiled program to devices. All ids of the assignment are devices of this client.
    ///
    /// # Errors
    /// What the device reports.
    fn load(&self, executable: &Arc<Self::Executable>, assignment: &DeviceAssignment)
    -> Result<Self::LoadedExecutable>;

    /// Rank of this process.
    fn process_index(&self) -> i32 {
        0
    }

    /// Reads what [`PjrtExecutable::serialize`] wrote. The framework has checked that the bytes are undamaged
    /// and were written by this platform in this version.
    ///
    /// # Errors
    /// UNIMPLEMENTED unless the backend serializes executables itself.
    fn deserialize(&self, bytes: &[u8], options: &CompileOptions) -> Result<Self::Executable> {
        _ = (bytes, options);
        Err(Status::unimplemented("this backend does not serialize executables itself"))
    }

    /// The devices for a program of which the caller did not say where it runs: by default the first ones, in
    /// the order of [`PjrtClient::devices`].
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the client has too few devices.
    fn default_device_assignment(&self, replicas: usize, partitions: usize) -> Result<DeviceAssignment> {
        let wanted = replicas.saturating_mul(partitions);
        let ids: Vec<DeviceId> = self.devices().iter().map(|device| device.description().id).take(wanted).collect();
        if ids.len() < wanted {
            return Err(Status::invalid_argument(format!(
                "{replicas} replicas x {partitions} partitions need {wanted} devices; this client has {}",
                self.devices().len()
            )));
        }
        DeviceAssignment::new(replicas, partitions, ids)
    }

    /// The layout the backend gives an array when nobody asks for one.
    fn default_layout(&self, shape: &Shape) -> Layout {
        Layout::row_major(shape.rank())
    }

    /// Makes a buffer whose contents do not matter. By default it holds zeros.
    ///
    /// # Errors
    /// As [`PjrtClient::buffer_from_host`].
    fn uninitialized_buffer(&self, shape: &Shape, memory: MemoryId, layout: Option<&Layout>) -> Result<Self::Buffer> {
        self.buffer_from_host(HostBuffer::new(shape.clone(), zeros(shape.byte_size())?), memory, layout)
    }

    /// Copies a ready buffer to another memory. By default through the host.
    ///
    /// # Errors
    /// What the transfers report; by default UNIMPLEMENTED for dynamic dimensions, whose actual extents would be
    /// lost on the way.
    fn copy_to_memory(&self, source: &Arc<Self::Buffer>, memory: MemoryId) -> Result<Self::Buffer> {
        refuse_dynamic(&**source, "copy_to_memory")?;
        let mut bytes = zeros(source.shape().byte_size())?;
        source.copy_to_host(&mut bytes)?;
        self.buffer_from_host(HostBuffer::new(source.shape().clone(), bytes), memory, None)
    }

    /// Takes the storage of a ready buffer for another type of equal size in bytes. By default the bytes travel
    /// through the host.
    ///
    /// # Errors
    /// What the transfers report; by default UNIMPLEMENTED for dynamic dimensions, and for a layout that the
    /// backend would have to honour.
    fn bitcast(&self, source: &Arc<Self::Buffer>, shape: &Shape, layout: &Layout) -> Result<Self::Buffer> {
        refuse_dynamic(&**source, "bitcast")?;
        let mut bytes = zeros(source.on_device_size())?;
        source.copy_raw_to_host(0, &mut bytes)?;
        if !layout.is_row_major() || bytes.len() != shape.byte_size() {
            return Err(Status::unimplemented(format!("bitcast of a {} to {shape}{layout}", source.shape())));
        }
        self.buffer_from_host(HostBuffer::new(shape.clone(), bytes), source.memory_space(), None)
    }

    /// Makes a buffer that aliases device memory of somebody else.
    ///
    /// # Errors
    /// UNIMPLEMENTED unless the backend can.
    fn view_of_device_buffer(&self, foreign: Arc<dyn ForeignBuffer>, memory: MemoryId) -> Result<Self::Buffer> {
        _ = memory;
        Err(Status::unimplemented(format!(
            "a view of foreign device memory ({}): this backend owns all its memory; copy the array instead",
            foreign.shape()
        )))
    }

    /// Learns how the processes of the job are. By default ignored, which is right for one process.
    fn update_global_process_info(&self, processes: &[ProcessInfo]) {
        _ = processes;
    }

    /// Pins host memory for direct transfers.
    ///
    /// # Errors
    /// UNIMPLEMENTED unless the backend can.
    fn dma_map(&self, address: u64, size: usize) -> Result<()> {
        _ = (address, size);
        Err(Status::unimplemented("this backend does not pin host memory"))
    }

    /// Ends what [`PjrtClient::dma_map`] began.
    ///
    /// # Errors
    /// UNIMPLEMENTED unless the backend can.
    fn dma_unmap(&self, address: u64) -> Result<()> {
        _ = address;
        Err(Status::unimplemented("this backend does not pin host memory"))
    }
}

/// Refuses what would turn a buffer with dynamic dimensions into one without.
fn refuse_dynamic<B: PjrtBuffer>(source: &B, method: &str) -> Result<()> {
    let dynamic = source.dynamic_dimensions();
    if dynamic.is_empty() {
        return Ok(());
    }
    Err(Status::unimplemented(format!(
        "{method} of a {} whose dimensions {dynamic:?} are dynamic: the default of this method would lose their actual \
         extents; the backend has to implement it",
        source.shape()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, ElementType};

    struct Ragged(Shape, Vec<usize>);

    impl PjrtBuffer for Ragged {
        fn shape(&self) -> &Shape {
            &self.0
        }
        fn memory_space(&self) -> MemoryId {
            MemoryId(0)
        }
        fn copy_to_host(&self, _: &mut [u8]) -> Result<()> {
            Ok(())
        }
        fn dynamic_dimensions(&self) -> Vec<usize> {
            self.1.clone()
        }
    }

    #[test]
    fn what_loses_extents_is_refused_by_name() {
        let shape = Shape::new(ElementType::F32, [2, 3]).unwrap();
        assert_eq!(refuse_dynamic(&Ragged(shape.clone(), vec![]), "bitcast"), Ok(()));
        let error = refuse_dynamic(&Ragged(shape, vec![1]), "bitcast").unwrap_err();
        assert_eq!(error.code, Code::Unimplemented);
        assert!(error.message.contains("bitcast of a f32[2,3] whose dimensions [1]"), "{error}");
    }
}
