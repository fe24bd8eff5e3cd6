//! The smallest complete backend, and the template for one of your own: a simulated accelerator.
//!
//! It has devices with memory of their own (nothing on the host ever points into it), a queue for each device
//! that runs programs one after another, and a "compiler" that is StableHLO's reference evaluator. Replace
//! `memory`, `queue` and `program` by your chip's; `client`, `device`, `buffer` and `executable` show what the
//! framework asks for, and nothing more.
#![forbid(unsafe_code)]

mod buffer;
mod client;
mod device;
mod executable;
mod memory;
mod program;
mod queue;

use client::ExampleClient;
use pjrt_wrapper::CustomExtension;
use pjrt_wrapper::client_trait::{NamedValue, Result, Status};

pjrt_wrapper::pjrt_plugin! {
    client: ExampleClient = ExampleClient::new,
    topology: device::create_topology,
    attributes: attributes,
    extensions: extensions,
}

/// The name that JAX shows and that users write into `JAX_PLATFORMS`.
const PLATFORM_NAME: &str = "rust_example";

/// What frameworks may send: they write programs for the newest version named here.
fn attributes() -> Vec<NamedValue> {
    let version = |version: stablehlo::Version| vec![version.major.into(), version.minor.into(), version.patch.into()];
    vec![
        NamedValue::new("stablehlo_current_version", version(stablehlo::CURRENT_VERSION)),
        NamedValue::new("stablehlo_minimum_version", version(stablehlo::MINIMUM_VERSION)),
    ]
}

/// An extension of our own: how often anything was launched in this process, as decimal text.
fn extensions() -> Vec<CustomExtension> {
    vec![CustomExtension { extension_type: CustomExtension::FIRST_TYPE, call: answer }]
}

fn answer(method: &str, _input: &[u8]) -> Result<Vec<u8>> {
    match method {
        "launches" => Ok(queue::launches().to_string().into_bytes()),
        _ => Err(Status::invalid_argument(format!("this extension has one method, launches; not {method:?}"))),
    }
}
