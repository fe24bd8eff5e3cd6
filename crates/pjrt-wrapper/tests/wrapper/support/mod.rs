//! A backend for the tests of the wrapper, and the first steps of a session with it.
//!
//! The backend is written in safe Rust against the traits alone, as an author would. What it does is scripted:
//! a test holds the [`Script`] of its client and turns behaviours on, completes what is pending, and reads what
//! the backend saw. Programs are a few words (see `program`), so that a test shows what it runs.
#![allow(dead_code, unused_imports, reason = "every test binary uses a part of this module")]

mod allocator;
mod buffer;
mod client;
mod executable;
mod panics;
mod process;
mod program;
mod script;
mod session;
mod topology;

pub use allocator::{allocations, bytes_held};
pub use buffer::TestBuffer;
pub use client::TestClient;
pub use panics::panic_in;
pub use process::{in_child_process, is_child};
pub use script::{Script, Seen};
pub use session::{Session, call_extension, plugin, session};
pub use topology::{FIRST_EXTENSION, TestTopology};

use pjrt_client_trait::{ExecuteContext, NamedValue, Result, UserDataContext};
use std::sync::Arc;

pjrt_wrapper::pjrt_backend! {
    pub struct TestPlugin;
    client: TestClient = TestClient::create,
    topology: topology::create,
    execute_context: create_context,
    initializer: initialize,
    attributes: attributes,
    extensions: topology::extensions,
    ffi_registry: topology::ffi_registry,
    deserialize_topology: topology::deserialize,
}

fn create_context() -> Result<Arc<dyn ExecuteContext>> {
    panics::point("create_execute_context");
    Ok(Arc::new(UserDataContext::default()))
}

fn initialize() -> Result<()> {
    panics::point("initialize");
    Ok(())
}

fn attributes() -> Vec<NamedValue> {
    vec![
        NamedValue::new("stablehlo_current_version", vec![1, 2, 3]),
        NamedValue::new("stablehlo_minimum_version", vec![0, 9, 0]),
    ]
}
