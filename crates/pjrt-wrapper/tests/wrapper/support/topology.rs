//! What the test backend has beside its client: topologies, an FFI registry, an extension of its own.

use super::client::description;
use super::executable::TestExecutable;
use super::panics::point;
use pjrt_client_trait::{
    ClientOptions, CompileOptions, FfiHandler, FfiRegistry, FfiTypeInfo, Layout, NamedValue, PjrtDeviceDescription,
    PjrtTopologyDescription, Program, Result, Shape, Status,
};
use pjrt_wrapper::CustomExtension;
use std::sync::Mutex;

/// The type number of the backend's own extension.
pub const FIRST_EXTENSION: u32 = CustomExtension::FIRST_TYPE;

pub struct TestTopology {
    devices: Vec<PjrtDeviceDescription>,
    attributes: Vec<NamedValue>,
}

impl TestTopology {
    pub fn new(count: i32) -> Self {
        TestTopology {
            devices: (0..count).map(description).collect(),
            attributes: vec![NamedValue::new("wrap", true), NamedValue::new("scale", 1.5f32)],
        }
    }
}

/// `<count>x1`.
pub fn create(name: &str, options: ClientOptions) -> Result<TestTopology> {
    point("create_topology");
    options.reject_unknown(&[])?;
    let count = name.strip_suffix("x1").and_then(|count| count.parse().ok());
    count.map(TestTopology::new).ok_or_else(|| Status::not_found(format!("topology \"{name}\"; try 4x1")))
}

pub fn deserialize(bytes: &[u8]) -> Result<TestTopology> {
    point("deserialize_topology");
    create(std::str::from_utf8(bytes).unwrap_or_default(), ClientOptions::default())
}

impl PjrtTopologyDescription for TestTopology {
    type Executable = TestExecutable;

    fn platform_name(&self) -> &str {
        point("topology.platform_name");
        "test"
    }

    fn platform_version(&self) -> &str {
        point("topology.platform_version");
        "test backend 1"
    }

    fn device_descriptions(&self) -> &[PjrtDeviceDescription] {
        point("topology.device_descriptions");
        &self.devices
    }

    fn attributes(&self) -> &[NamedValue] {
        point("topology.attributes");
        &self.attributes
    }

    fn default_layout(&self, shape: &Shape) -> Layout {
        point("topology.default_layout");
        Layout::row_major(shape.rank())
    }

    fn compile(&self, program: &Program<'_>, _: &CompileOptions) -> Result<TestExecutable> {
        point("topology.compile");
        TestExecutable::compile(program.mlir()?)
    }

    fn serialize(&self) -> Result<Vec<u8>> {
        point("topology.serialize");
        Ok(format!("{}x1", self.devices.len()).into_bytes())
    }
}

/// A registry that knows its first type and every handler that was registered.
pub struct Registry {
    handlers: Mutex<Vec<FfiHandler>>,
}

static REGISTRY: Registry = Registry { handlers: Mutex::new(Vec::new()) };

pub fn ffi_registry() -> Option<&'static dyn FfiRegistry> {
    Some(&REGISTRY)
}

impl FfiRegistry for Registry {
    fn register_type(&self, name: &str, type_id: i64, _: FfiTypeInfo) -> Result<i64> {
        point("ffi.register_type");
        match (name, type_id) {
            ("known", 0 | 7) => Ok(7),
            _ => Err(Status::invalid_argument(format!("type {name} is not {type_id}"))),
        }
    }

    fn register_handler(&self, handler: FfiHandler) -> Result<()> {
        point("ffi.register_handler");
        let mut handlers = self.handlers.lock().expect("no panic under this lock");
        if handlers.iter().any(|known| known.target == handler.target) {
            return Err(Status::already_exists(format!("handler {} is registered", handler.target)));
        }
        handlers.push(handler);
        Ok(())
    }
}

pub fn extensions() -> Vec<CustomExtension> {
    vec![CustomExtension { extension_type: FIRST_EXTENSION, call: reverse }]
}

fn reverse(method: &str, input: &[u8]) -> Result<Vec<u8>> {
    point("extension.call");
    match method {
        "reverse" => Ok(input.iter().rev().copied().collect()),
        other => Err(Status::unimplemented(format!("method {other}; there is only reverse"))),
    }
}
