//! The host half of XLA's typed FFI: compiled custom-call handlers (jaxlib's LAPACK kernels, libraries that users
//! register with `jax.ffi`, jaxlib's Python callback) run on a backend written in Rust.
//!
//! | step | with |
//! | --- | --- |
//! | learn of handlers and types | [`Registry`], which is a [`pjrt_client_trait::FfiRegistry`] |
//! | compile a custom call | [`CallSite::instantiate`] with [`BufferSpec`]s and [`Attrs`] |
//! | run it | [`CallSite::execute`] on slices, or [`CallSite::start`] on pointers |
//! | say where it runs | [`RunContext`]: user data, device, run, [`ThreadPool`], [`MemoryBudget`] |
//!
//! Handlers of API 0.1 to 0.5 are served, which is those of jaxlib 0.4.38 and later. Errors of handlers come back as
//! [`pjrt_client_trait::Status`]; a panic of ours never reaches a handler, it becomes an INTERNAL error.
//!
//! ```
//! use pjrt_client_trait::ElementType;
//! use xla_ffi::{Attr, Attrs, BufferSpec, CallSite, Registry, RunContext, sys};
//!
//! // What a C++ library would bring along: a handler that adds `step` to a byte.
//! unsafe extern "C" fn add(frame: *mut sys::XLA_FFI_CallFrame) -> *mut sys::XLA_FFI_Error {
//!     // SAFETY: the host's frame is valid for the call, and has the shape that is instantiated below.
//!     unsafe {
//!         let frame = &*frame;
//!         if !frame.extension_start.is_null() {
//!             let question = frame.extension_start.cast::<sys::XLA_FFI_Metadata_Extension>();
//!             (*(*question).metadata).api_version.minor_version = sys::XLA_FFI_API_MINOR;
//!             return std::ptr::null_mut();
//!         }
//!         let input = &**frame.args.args.cast::<*const sys::XLA_FFI_Buffer>();
//!         let output = &**frame.rets.rets.cast::<*const sys::XLA_FFI_Buffer>();
//!         let step = &**frame.attrs.attrs.cast::<*const sys::XLA_FFI_Scalar>();
//!         *output.data.cast::<u8>() = *input.data.cast::<u8>() + *step.value.cast::<u8>();
//!     }
//!     std::ptr::null_mut()
//! }
//!
//! # fn main() -> pjrt_client_trait::Result<()> {
//! let bundle = sys::XLA_FFI_Handler_Bundle {
//!     instantiate: None,
//!     prepare: None,
//!     initialize: None,
//!     execute: Some(add),
//!     record: None,
//! };
//! let registry = Registry::new();
//! // SAFETY: `add` is a handler and is never unloaded.
//! unsafe { registry.register("add", "cpu", bundle, 0) }?;
//!
//! let byte = || vec![BufferSpec::new(ElementType::U8, [])];
//! let attrs = Attrs::new([("step".to_owned(), Attr::from(2u8))])?;
//! let context = RunContext::default();
//! let site = CallSite::instantiate(registry.handler("add", "cpu")?, byte(), byte(), attrs, &context)?;
//! let mut sum = [0];
//! site.execute(&[&[40]], &mut [&mut sum], &context)?;
//! assert_eq!(sum, [42]);
//! # Ok(())
//! # }
//! ```
//!
//! This crate knows no program format and no PJRT C API: a backend translates the `backend_config` of a custom call
//! into [`Attr`]s, and the wrapper passes registrations on.

mod api;
mod attr;
mod attrs;
mod buffer_spec;
mod call_site;
mod error_object;
mod frame;
mod future;
mod handler;
mod invoke_context;
mod kept;
mod metadata;
mod registry;
mod run_context;
mod scratch;
mod state;
pub mod sys;
mod thread_pool;
mod type_registry;

pub use api::api;
pub use attr::{Array, Attr, Scalar};
pub use attrs::Attrs;
pub use buffer_spec::{BufferSpec, data_type, element_type};
pub use call_site::CallSite;
pub use handler::{Handler, HandlerVersion};
pub use registry::Registry;
pub use run_context::{Extensions, RunContext};
pub use scratch::MemoryBudget;
pub use thread_pool::{Task, ThreadPool};
pub use type_registry::{register_type, type_id};
