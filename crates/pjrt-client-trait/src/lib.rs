//! The safe vocabulary of a PJRT backend: the traits an author implements and the values they speak in.
//!
//! Mirrors `xla::PjRtClient` and its siblings. A minimal backend implements about a dozen methods:
//!
//! | trait | required |
//! | --- | --- |
//! | [`PjrtClient`] | `platform_name`, `platform_version`, `devices`, `memory_spaces`, `topology`, `buffer_from_host`, `compile`, `load` |
//! | [`PjrtDevice`] | `description`, `memory_spaces` |
//! | [`PjrtBuffer`] | `shape`, `memory_space`, `copy_to_host` |
//! | [`PjrtExecutable`] | `name`, `parameters`, `outputs` |
//! | [`PjrtLoadedExecutable`] | `execute` |
//!
//! Everything else has a default that is derived from those, or that says [`Code::Unimplemented`]; nothing
//! defaults to a lie. The division of labour is the opposite of a raw hardware layer: **the framework
//! validates, the backend may assume**. By the time a method here runs, handles are live, shapes and types of
//! arguments match the executable, donated buffers are held by nobody else, and host memory is readable.
//!
//! A device whose memory is the host's has buffers like this one:
//!
//! ```
//! use pjrt_client_trait::{ElementType, MemoryId, PjrtBuffer, Result, Shape};
//!
//! struct HostMemory {
//!     shape: Shape,
//!     bytes: Vec<u8>,
//! }
//!
//! impl PjrtBuffer for HostMemory {
//!     fn shape(&self) -> &Shape {
//!         &self.shape
//!     }
//!     fn memory_space(&self) -> MemoryId {
//!         MemoryId(0)
//!     }
//!     fn copy_to_host(&self, dst: &mut [u8]) -> Result<()> {
//!         dst.copy_from_slice(&self.bytes);
//!         Ok(())
//!     }
//! }
//!
//! let buffer = HostMemory { shape: Shape::new(ElementType::U8, [2, 2])?, bytes: vec![1, 2, 3, 4] };
//! // The rest is derived: copies of a part, for instance.
//! let mut second_row = [0; 2];
//! buffer.copy_raw_to_host(2, &mut second_row)?;
//! assert_eq!(second_row, [3, 4]);
//! assert_eq!(buffer.ready_event().outcome(), Some(Ok(())));
//! # Ok::<(), pjrt_client_trait::Status>(())
//! ```
//!
//! This crate knows no C, no program format and no threads of its own.
#![forbid(unsafe_code)]

mod buffer;
mod client;
mod client_options;
mod compile_options;
mod device;
mod device_assignment;
mod element_type;
mod event;
mod executable;
mod execute;
mod execute_context;
mod ffi_registry;
mod host_buffer;
mod key_value_store;
mod layout;
mod memory_space;
mod named_value;
mod program;
mod proto;
mod shape;
mod sharding;
mod status;
mod topology;
mod transfer;

pub use buffer::PjrtBuffer;
pub use client::{ForeignBuffer, PjrtClient, ProcessInfo, ProcessState};
pub use client_options::ClientOptions;
pub use compile_options::{CompileOptions, OptionOverride};
pub use device::{DeviceId, MemoryStats, PjrtDevice, PjrtDeviceDescription};
pub use device_assignment::{DeviceAssignment, LogicalId};
pub use element_type::ElementType;
pub use event::{Event, EventPromise};
pub use executable::{CompiledMemoryStats, OptimizedProgram, PjrtExecutable};
pub use execute::{Argument, DeviceLaunch, DeviceOutputs, ExecuteOptions, Launch, PjrtLoadedExecutable};
pub use execute_context::{ExecuteContext, UserData, UserDataContext};
pub use ffi_registry::{FfiHandler, FfiRegistry, FfiTypeInfo};
pub use host_buffer::{HostBuffer, HostBufferSemantics, HostBytes, zeros};
pub use key_value_store::KeyValueStore;
pub use layout::{Layout, Tile};
pub use memory_space::{MemoryId, PjrtMemorySpace};
pub use named_value::{NamedValue, Value};
pub use program::{Program, ProgramFormat};
pub use shape::Shape;
pub use sharding::OpSharding;
pub use status::{Code, Result, Status};
pub use topology::{PjrtTopologyDescription, StaticTopology};
pub use transfer::{
    Chunk, CopyToDeviceStream, HloOutput, HloOutputCallback, HloOutputTap, RecvCallback, SendCallback,
    TransferCallbacks,
};
