//! A client of the PJRT C API in Rust: loads any plugin and checks its contract.
//!
//! Three layers:
//!
//! - [`Plugin`] loads a shared library (ours, XLA's, libtpu) or takes the table of a plugin in the
//!   same binary, and makes single calls: [`Plugin::call`] and the [`call!`] macro fill `struct_size`
//!   as a framework of a chosen version would ([`Caller`]), keep canary bytes behind every struct and
//!   check them afterwards;
//! - a safe API over it: [`Client`], [`Device`], [`Memory`], [`Buffer`], [`Event`],
//!   [`LoadedExecutable`], [`Topology`]. Objects are destroyed when dropped, children before their
//!   client; every object gives away its raw pointer for tests that break rules on purpose;
//! - [`conformance`], the list of checks that a backend author runs.
//!
//! It must not know any backend, nor the wrapper: all it sees is the table.
//!
//! ```no_run
//! use pjrt_testkit::{Client, CompileOptions, HostArray, Plugin};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let plugin = Plugin::load("libbackend_example.so".as_ref())?;
//! let client = Client::create(&plugin, &[])?;
//! let device = &client.addressable_devices()?[0];
//! let x = client.buffer_from_host(&HostArray::from_slice(&[1.0_f32, 2.0], &[2]), device)?;
//! assert_eq!(x.to_host_vec::<f32>()?, [1.0, 2.0]);
//! # Ok(())
//! # }
//! ```

pub use pjrt_sys as sys;

mod args;
mod array;
mod buffer;
mod buffer_creation;
mod client;
mod compile_options;
pub mod conformance;
mod device;
mod error;
mod event;
mod executable;
mod execute;
mod extension;
mod key_value;
mod layout;
mod library;
mod memory;
mod named_value;
mod plugin;
mod topology;
mod transfer;

pub use args::{ArgsBuf, Caller};
pub use array::{HostArray, HostElement, HostSemantics};
pub use buffer::{Buffer, ExternalReference, RawCopyTarget};
pub use buffer_creation::{AliasFulfillment, FromHost};
pub use client::{Client, ClientBuilder};
pub use compile_options::{CompileOptions, OptionOverride};
pub use device::{Device, DeviceDescription, MemoryStats};
pub use error::{Code, Error, Result};
pub use event::Event;
pub use executable::{CompiledMemoryStats, Executable, LoadedExecutable, ProgramFormat};
pub use execute::{ExecuteContext, ExecuteOptions, Execution};
pub use extension::ExtensionNode;
pub use key_value::KeyValueStore;
pub use layout::Layout;
pub use library::LoadError;
pub use memory::Memory;
pub use named_value::{NamedValue, Value};
pub use plugin::{Plugin, Slot};
pub use topology::Topology;
pub use transfer::TransferManager;
