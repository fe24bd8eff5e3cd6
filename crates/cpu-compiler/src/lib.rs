//! The compiler of the CPU engine: StableHLO programs become executable plans, and plans run.
//!
//! Knows nothing of PJRT, devices, clients or the ABI of custom-call handlers: the embedder hands in bytes, a thread
//! pool, a memory budget and what to do for custom calls.

#![forbid(unsafe_code)]

mod array_type;
mod custom_call;
mod dump;
mod error;
mod executable;
mod fold;
mod fuse;
mod graph;
mod import;
mod kernel;
mod plan;
mod run;

pub use array_type::ArrayType;
pub use custom_call::{CustomCall, CustomCalls, NoCustomCalls};
pub use error::{Error, ErrorKind, Result};
pub use executable::{Argument, Cost, Executable, Launch, MemoryUse, Options};
pub use import::foreign_op;
// The instruction sets that a setting names.
pub use cpu_vir::exec::{ISA_VARIABLE, Isa};
