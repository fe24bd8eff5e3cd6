//! Builds the whole `PJRT_Api` around an implementation of [`PjrtClient`](pjrt_client_trait::PjrtClient).
//!
//! What `CreateWrapperClient` and `CreatePjrtApi` are in XLA, [`pjrt_plugin`] is here: one invocation in a
//! backend generates every function of the table and the exported `GetPjrtApi`. This is the only crate in which
//! pointers of the PJRT C API are dereferenced; it knows no program format and no backend.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `table` | the list of all functions, and the static `PJRT_Api` |
//! | `call` | what happens around each of them: struct sizes, panics, the log |
//! | `caller` | reading what the C caller lends |
//! | `lent` | what is lent to the C caller |
//! | `handle` | the opaque handles, checked on every use |
//! | `error_object` | `PJRT_Error`, the one object that is passed by address together with memories |
//! | `state` | what is behind the handles |
//! | `api` | the functions, one file per group |
//! | `ext` | the extensions |
//!
//! # Invariant
//!
//! Every unsafe block rests on one sentence, "the C contract": a caller passes pointers that are what the header
//! says, for as long as the header says. Everything that can be checked beyond that is checked.

//! # Example
//!
//! A whole plugin, whose one device returns the argument of whatever program it is given:
//!
//! ```
//! use pjrt_wrapper::client_trait::*;
//! use std::sync::Arc;
//!
//! pjrt_wrapper::pjrt_plugin! {
//!     client: Echo = Echo::new,
//!     topology: |_: &str, _: ClientOptions| Err(Status::unimplemented("topologies without a client")),
//! }
//!
//! struct Echo {
//!     devices: [EchoDevice; 1],
//!     memory_spaces: [PjrtMemorySpace; 1],
//!     topology: StaticTopology<EchoProgram>,
//! }
//! struct EchoDevice(PjrtDeviceDescription);
//! struct EchoBuffer(Shape, Vec<u8>);
//! struct EchoProgram([Shape; 1]);
//! struct EchoLoaded;
//!
//! impl Echo {
//!     fn new(options: ClientOptions) -> Result<Self> {
//!         options.reject_unknown(&[])?;
//!         let device = PjrtDeviceDescription::new(DeviceId(0), 0, "echo");
//!         Ok(Echo {
//!             devices: [EchoDevice(device.clone())],
//!             memory_spaces: [PjrtMemorySpace::new(0, "device", 1, DeviceId(0))],
//!             topology: StaticTopology::new("echo", "1.0", vec![device]),
//!         })
//!     }
//! }
//!
//! impl PjrtClient for Echo {
//!     type Device = EchoDevice;
//!     type Buffer = EchoBuffer;
//!     type Executable = EchoProgram;
//!     type LoadedExecutable = EchoLoaded;
//!     type Topology = StaticTopology<EchoProgram>;
//!
//!     fn buffer_from_host(&self, source: HostBuffer<'_>, _: MemoryId, _: Option<&Layout>) -> Result<EchoBuffer> {
//!         Ok(EchoBuffer(source.shape().clone(), source.into_vec()))
//!     }
//!     fn compile(&self, _: &Program<'_>, _: &CompileOptions) -> Result<EchoProgram> {
//!         Ok(EchoProgram([Shape::new(ElementType::F32, [4])?]))
//!     }
//!     fn load(&self, _: &Arc<EchoProgram>, _: &DeviceAssignment) -> Result<EchoLoaded> {
//!         Ok(EchoLoaded)
//!     }
//!     // ... and what it consists of:
//!     # fn platform_name(&self) -> &str { "echo" }
//!     # fn platform_version(&self) -> &str { "1.0" }
//!     # fn devices(&self) -> &[EchoDevice] { &self.devices }
//!     # fn memory_spaces(&self) -> &[PjrtMemorySpace] { &self.memory_spaces }
//!     # fn topology(&self) -> &Self::Topology { &self.topology }
//! }
//!
//! impl PjrtLoadedExecutable for EchoLoaded {
//!     type Buffer = EchoBuffer;
//!
//!     fn execute(&self, launch: Launch<'_, EchoBuffer>) -> Result<Vec<DeviceOutputs<EchoBuffer>>> {
//!         let outputs = launch.devices.iter().map(|device| {
//!             let EchoBuffer(shape, bytes) = &**device.arguments[0].buffer();
//!             DeviceOutputs { outputs: vec![EchoBuffer(shape.clone(), bytes.clone())], done: Event::ready() }
//!         });
//!         Ok(outputs.collect())
//!     }
//! }
//!
//! # impl PjrtDevice for EchoDevice {
//! #     fn description(&self) -> &PjrtDeviceDescription { &self.0 }
//! #     fn memory_spaces(&self) -> &[MemoryId] { &[MemoryId(0)] }
//! # }
//! # impl PjrtBuffer for EchoBuffer {
//! #     fn shape(&self) -> &Shape { &self.0 }
//! #     fn memory_space(&self) -> MemoryId { MemoryId(0) }
//! #     fn copy_to_host(&self, dst: &mut [u8]) -> Result<()> { dst.copy_from_slice(&self.1); Ok(()) }
//! # }
//! # impl PjrtExecutable for EchoProgram {
//! #     fn name(&self) -> &str { "echo" }
//! #     fn parameters(&self) -> &[Shape] { &self.0 }
//! #     fn outputs(&self) -> &[Shape] { &self.0 }
//! # }
//! // What a framework finds in the library:
//! let api = pjrt_wrapper::get_api::<PjrtPlugin>();
//! assert_eq!(api, GetPjrtApi());
//! ```

mod api;
mod backend;
mod call;
mod caller;
mod error_object;
mod ext;
mod extension;
mod handle;
mod lent;
mod log;
mod serialized;
mod state;
mod table;

pub use backend::{ApiCell, Backend, TopologyOf, get_api};
pub use call::catch_panic;
pub use extension::CustomExtension;
pub use log::LOG_VARIABLE;
/// The vocabulary of backends, for the macros.
pub use pjrt_client_trait as client_trait;
/// The C ABI, for the macros and for tests that call the table.
pub use pjrt_sys as sys;
