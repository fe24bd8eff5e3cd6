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
