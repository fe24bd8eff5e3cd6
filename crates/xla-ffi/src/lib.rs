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
