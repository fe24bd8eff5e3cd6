//! The example backend, except that it panics where the environment variable `PANIC_IN` says, such as
//! `PjrtClient::compile`. `python/tests/test_panics.py` shows with it that a panic in any trait method becomes
//! an exception in Python that names it, and that the next call works.

#[path = "../src/buffer.rs"]
mod buffer;
#[path = "../src/client.rs"]
mod client;
#[path = "../src/device.rs"]
mod device;
#[path = "../src/executable.rs"]
mod executable;
#[path = "../src/memory.rs"]
mod memory;
#[path = "../src/program.rs"]
mod program;
#[allow(dead_code, reason = "the count of launches is for the example's own extension")]
#[path = "../src/queue.rs"]
mod queue;

use buffer::ExampleBuffer;
use client::ExampleClient;
use device::ExampleDevice;
use executable::{ExampleExecutable, ExampleLoadedExecutable};
use pjrt_wrapper::client_trait::*;
use std::sync::Arc;

const PLATFORM_NAME: &str = "rust_panicking";

/// Panics if it is this method's turn.
fn point(method: &str) {
    if std::env::var("PANIC_IN").is_ok_and(|wanted| wanted == method) {
        panic!("on purpose, in {method}");
    }
}

/// Methods that panic on purpose or else do what the inner object does.
macro_rules! delegate {
    ($trait_name:literal, $($name:ident(&self $(, $arg:ident: $ty:ty)*) -> $result:ty;)*) => {
        $(fn $name(&self $(, $arg: $ty)*) -> $result {
            point(concat!($trait_name, "::", stringify!($name)));
            self.0.$name($($arg),*)
        })*
    };
}

struct Device(Arc<[ExampleDevice]>, usize);
struct Buffer(Arc<ExampleBuffer>);
struct Executable(Arc<ExampleExecutable>);
struct Loaded(ExampleLoadedExecutable);

struct Client {
    inner: ExampleClient,
    devices: Vec<Device>,
    topology: StaticTopology<Executable>,
}

impl Client {
    fn new(options: ClientOptions) -> Result<Self> {
        point("client creator");
        let inner = ExampleClient::new(options)?;
        let devices: Vec<Device> = (0..inner.devices.len()).map(|index| Device(inner.devices.clone(), index)).collect();
        let descriptions = inner.devices.iter().map(|device| device.description().clone()).collect();
        let topology = StaticTopology::new(PLATFORM_NAME, client::VERSION, descriptions);
        Ok(Client { inner, devices, topology })
    }
}

fn create_topology(name: &str, options: ClientOptions) -> Result<StaticTopology<Executable>> {
    point("topology creator");
    let example = device::create_topology(name, options)?;
    Ok(StaticTopology::new(PLATFORM_NAME, client::VERSION, example.device_descriptions().to_vec()))
}

fn initialize() -> Result<()> {
    point("initializer");
    Ok(())
}

pjrt_wrapper::pjrt_plugin! {
    client: Client = Client::new,
    topology: create_topology,
    initializer: initialize,
    attributes: attributes,
}

fn attributes() -> Vec<NamedValue> {
    let version = stablehlo::CURRENT_VERSION;
    let numbers: Vec<i64> = vec![version.major.into(), version.minor.into(), version.patch.into()];
    vec![NamedValue::new("stablehlo_current_version", numbers)]
}

impl PjrtDevice for Device {
    fn description(&self) -> &PjrtDeviceDescription {
        point("PjrtDevice::description");
        self.0[self.1].description()
    }

    fn memory_spaces(&self) -> &[MemoryId] {
        point("PjrtDevice::memory_spaces");
        self.0[self.1].memory_spaces()
    }

    fn is_addressable(&self) -> bool {
        point("PjrtDevice::is_addressable");
        true
    }

    fn local_hardware_id(&self) -> i32 {
        point("PjrtDevice::local_hardware_id");
        self.0[self.1].local_hardware_id()
    }

    fn runtime_attributes(&self) -> Vec<NamedValue> {
        point("PjrtDevice::runtime_attributes");
        self.0[self.1].runtime_attributes()
    }

    fn memory_stats(&self) -> Result<MemoryStats> {
        point("PjrtDevice::memory_stats");
        self.0[self.1].memory_stats()
    }
}

impl PjrtBuffer for Buffer {
    delegate! { "PjrtBuffer",
        shape(&self) -> &Shape;
        memory_space(&self) -> MemoryId;
        copy_to_host(&self, dst: &mut [u8]) -> Result<()>;
        ready_event(&self) -> Event;
        layout(&self) -> Layout;
        on_device_size(&self) -> usize;
        is_on_cpu(&self) -> bool;
        device_address(&self) -> Option<u64>;
        dynamic_dimensions(&self) -> Vec<usize>;
    }
}

impl PjrtExecutable for Executable {
    delegate! { "PjrtExecutable",
        name(&self) -> &str;
        parameters(&self) -> &[Shape];
        outputs(&self) -> &[Shape];
        donated_parameters(&self) -> &[usize];
        output_memory_kinds(&self) -> Option<Vec<String>>;
        parameter_layouts(&self) -> Option<Vec<Layout>>;
        output_layouts(&self) -> Option<Vec<Layout>>;
        output_shardings(&self) -> Option<Vec<OpSharding>>;
        size_of_generated_code(&self) -> i64;
        cost_analysis(&self) -> Result<Vec<NamedValue>>;
        compiled_memory_stats(&self) -> Result<CompiledMemoryStats>;
        optimized_program(&self) -> Result<OptimizedProgram>;
        serialize(&self) -> Result<Vec<u8>>;
        fingerprint(&self) -> Result<Vec<u8>>;
    }
}

impl PjrtLoadedExecutable for Loaded {
    type Buffer = Buffer;

    fn execute(&self, launch: Launch<'_, Buffer>) -> Result<Vec<DeviceOutputs<Buffer>>> {
        point("PjrtLoadedExecutable::execute");
        let borrow = |device: &DeviceLaunch<Buffer>| DeviceLaunch {
            device: device.device,
            logical_id: device.logical_id,
            arguments: device
                .arguments
                .iter()
                .map(|argument| Argument::borrowed(argument.buffer().0.clone()))
                .collect(),
        };
        let mut devices: Vec<_> = launch.devices.iter().map(borrow).collect();
        let results = self.0.execute(Launch { devices: &mut devices, options: launch.options })?;
        let wrap = |results: DeviceOutputs<ExampleBuffer>| DeviceOutputs {
            outputs: results.outputs.into_iter().map(|buffer| Buffer(Arc::new(buffer))).collect(),
            done: results.done,
        };
        Ok(results.into_iter().map(wrap).collect())
    }
}

impl PjrtClient for Client {
    type Device = Device;
    type Buffer = Buffer;
    type Executable = Executable;
    type LoadedExecutable = Loaded;
    type Topology = StaticTopology<Executable>;

    fn platform_name(&self) -> &str {
        point("PjrtClient::platform_name");
        PLATFORM_NAME
    }

    fn platform_version(&self) -> &str {
        point("PjrtClient::platform_version");
        self.inner.platform_version()
    }

    fn devices(&self) -> &[Device] {
        point("PjrtClient::devices");
        &self.devices
    }

    fn memory_spaces(&self) -> &[PjrtMemorySpace] {
        point("PjrtClient::memory_spaces");
        self.inner.memory_spaces()
    }

    fn topology(&self) -> &Self::Topology {
        point("PjrtClient::topology");
        &self.topology
    }

    fn buffer_from_host(&self, source: HostBuffer<'_>, memory: MemoryId, layout: Option<&Layout>) -> Result<Buffer> {
        point("PjrtClient::buffer_from_host");
        self.inner.buffer_from_host(source, memory, layout).map(Arc::new).map(Buffer)
    }

    fn compile(&self, program: &Program<'_>, options: &CompileOptions) -> Result<Executable> {
        point("PjrtClient::compile");
        self.inner.compile(program, options).map(Arc::new).map(Executable)
    }

    fn load(&self, executable: &Arc<Executable>, assignment: &DeviceAssignment) -> Result<Loaded> {
        point("PjrtClient::load");
        self.inner.load(&executable.0, assignment).map(Loaded)
    }

    fn process_index(&self) -> i32 {
        point("PjrtClient::process_index");
        self.inner.process_index()
    }

    fn default_layout(&self, shape: &Shape) -> Layout {
        point("PjrtClient::default_layout");
        self.inner.default_layout(shape)
    }

    fn copy_to_memory(&self, source: &Arc<Buffer>, memory: MemoryId) -> Result<Buffer> {
        point("PjrtClient::copy_to_memory");
        self.inner.copy_to_memory(&source.0, memory).map(Arc::new).map(Buffer)
    }
}
