//! A compiling backend for CPUs, as a plugin: a drop-in for XLA's.
//!
//! It registers as `rust_cpu`, and its client reports the platform `cpu`, so that frameworks emit for it what they emit
//! for CPUs. What compiles and runs programs is in `cpu-compiler`, threads and memory are in `cpu-runtime`, handlers of
//! custom calls in `xla-ffi`; this crate says to PJRT what those are.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `settings` | client options and environment variables |
//! | `client`, `device` | devices, their memories, the topology |
//! | `buffer`, `foreign` | arrays: blocks of our own, and memory of the host or of somebody else |
//! | `signature` | what a program's `main` says about arguments and results |
//! | `sharding` | how arrays are spread over the devices of a program |
//! | `executable`, `launch`, `queue` | programs: compiled, launched inline or on a thread of the device |
//! | `shown` | programs as frameworks see them |
//! | `engine` | the compiler, and the reference evaluator for what it leaves out |
//! | `poison` | launches that somebody else wants to fail |
//! | `xla_options` | options of XLA's compiler: checked, and without effect |
//! | `custom_calls` | calls of handlers that were registered for the platform |
//!
//! Unsafe code is confined to `foreign`.

mod buffer;
mod client;
mod completion;
mod custom_calls;
mod device;
mod engine;
mod executable;
mod foreign;
mod launch;
mod layout;
mod poison;
mod queue;
mod settings;
mod sharding;
mod shown;
mod signature;
mod xla_options;

use client::CpuClient;
use pjrt_wrapper::CustomExtension;
use pjrt_wrapper::client_trait::{FfiRegistry, NamedValue, Result, Status};

pjrt_wrapper::pjrt_plugin! {
    client: CpuClient = CpuClient::new,
    topology: device::create_topology,
    attributes: attributes,
    extensions: extensions,
    ffi_registry: ffi_registry,
    deserialize_topology: device::read_topology,
}

/// The platform that the client reports, and that handlers of custom calls are registered for.
const PLATFORM: &str = "cpu";

/// What users see as platform version.
const VERSION: &str = concat!("backend-cpu ", env!("CARGO_PKG_VERSION"));

/// What frameworks may send: they write programs for the newest version named here.
fn attributes() -> Vec<NamedValue> {
    let version = |version: stablehlo::Version| vec![version.major.into(), version.minor.into(), version.patch.into()];
    vec![
        NamedValue::new("stablehlo_current_version", version(stablehlo::CURRENT_VERSION)),
        NamedValue::new("stablehlo_minimum_version", version(stablehlo::MINIMUM_VERSION)),
    ]
}

fn ffi_registry() -> Option<&'static dyn FfiRegistry> {
    Some(xla_ffi::Registry::process())
}

/// An extension of our own, for what the FFI extension has no room for: handlers with several stages.
fn extensions() -> Vec<CustomExtension> {
    vec![CustomExtension { extension_type: CustomExtension::FIRST_TYPE + 1, call: answer }]
}

fn answer(method: &str, input: &[u8]) -> Result<Vec<u8>> {
    match method {
        "register_handler" => custom_calls::register(input).map(|()| Vec::new()),
        _ => Err(Status::invalid_argument(format!("this extension has one method, register_handler; not {method:?}"))),
    }
}
