//! The client of the test backend: two devices with two memories each.

use super::buffer::{Storage, TestBuffer};
use super::executable::{TestExecutable, TestLoaded};
use super::panics::point;
use super::script::Script;
use super::topology::TestTopology;
use pjrt_client_trait::{
    ClientOptions, CompileOptions, DeviceAssignment, DeviceId, Event, ForeignBuffer, HostBuffer, HostBufferSemantics,
    Layout, MemoryId, MemoryStats, NamedValue, PjrtClient, PjrtDevice, PjrtDeviceDescription, PjrtMemorySpace,
    ProcessInfo, Program, Result, Shape, Status,
};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

pub struct TestDevice {
    description: PjrtDeviceDescription,
    memories: Vec<MemoryId>,
    script: Arc<Script>,
}

pub struct TestClient {
    script: Arc<Script>,
    devices: Vec<TestDevice>,
    memories: Vec<PjrtMemorySpace>,
    topology: TestTopology,
    process_index: i32,
}

/// The facts about a device.
pub fn description(id: i32) -> PjrtDeviceDescription {
    let mut description = PjrtDeviceDescription::new(DeviceId(id), 0, "TestDevice");
    description.memory_kinds = vec![("device".to_owned(), 1), ("pinned_host".to_owned(), 2)];
    description.attributes =
        vec![NamedValue::new("coords", vec![i64::from(id), 0]), NamedValue::new("core_on_chip", 0)];
    description
}

impl TestClient {
    pub fn create(options: ClientOptions) -> Result<Self> {
        point("create_client");
        options.reject_unknown(&["script"])?;
        let script = Script::find(options.int("script", 0)?)?;
        let node = options.node_id()?;
        if let Some(store) = options.key_value_store() {
            store.put(&format!("node{node}"), format!("hello from {node}").as_bytes())?;
            assert_eq!(store.try_get("nobody").map_err(|status| status.code), Err(pjrt_client_trait::Code::NotFound));
            store.get("nobody", Duration::from_millis(2)).expect_err("nobody puts this key");
            script.seen().rendezvous = Some(store.get(&format!("node{node}"), Duration::from_secs(10))?);
        }
        let devices = [0, 1].map(|id| TestDevice {
            description: description(id),
            memories: vec![MemoryId(id as usize * 2), MemoryId(id as usize * 2 + 1)],
            script: script.clone(),
        });
        let memories = [0, 1].iter().flat_map(|&id| {
            [(0, "device", 1), (1, "pinned_host", 2)]
                .map(|(n, kind, kind_id)| PjrtMemorySpace::new(id * 2 + n, kind, kind_id, DeviceId(id)))
        });
        let flaw = *script.flaw.lock().expect("no panic under this lock");
        let mut client = TestClient {
            script,
            devices: devices.into(),
            memories: memories.collect(),
            topology: TestTopology::new(2),
            process_index: node as i32,
        };
        client.spoil(flaw);
        Ok(client)
    }

    /// Breaks one of the rules for clients.
    fn spoil(&mut self, flaw: &str) {
        match flaw {
            "" => {}
            "repeated id" => self.devices[1].description.id = DeviceId(0),
            "negative id" => self.devices[1].description.id = DeviceId(-1),
            "no memory" => self.devices[1].memories.clear(),
            "unknown memory" => self.devices[1].memories[0] = MemoryId(9),
            "float attribute" => self.devices[1].description.attributes.push(NamedValue::new("f", 1.0f32)),
            "no devices" => self.devices.clear(),
            "no kind" => self.memories[1].kind.clear(),
            "kind id zero" => self.memories[1].kind_id = 0,
            "memory of nobody" => self.memories[1].devices.clear(),
            "memory of a stranger" => self.memories[1].devices[0] = DeviceId(9),
            other => panic!("unknown flaw {other}"),
        }
    }

    fn make(&self, shape: &Shape, memory: MemoryId, storage: Storage, layout: Option<&Layout>) -> TestBuffer {
        let pending = self.script.pending_puts.load(Ordering::SeqCst);
        let ready = if pending { self.script.pending() } else { Event::ready() };
        let mut buffer = TestBuffer::new(shape.clone(), memory, storage, ready, &self.script);
        if let Some(layout) = layout {
            buffer.layout = layout.clone();
        }
        buffer
    }
}

impl PjrtClient for TestClient {
    type Device = TestDevice;
    type Buffer = TestBuffer;
    type Executable = TestExecutable;
    type LoadedExecutable = TestLoaded;
    type Topology = TestTopology;

    fn platform_name(&self) -> &str {
        point("client.platform_name");
        "test"
    }

    fn platform_version(&self) -> &str {
        point("client.platform_version");
        "test backend 1"
    }

    fn devices(&self) -> &[TestDevice] {
        point("client.devices");
        &self.devices
    }

    fn memory_spaces(&self) -> &[PjrtMemorySpace] {
        point("client.memory_spaces");
        &self.memories
    }

    fn topology(&self) -> &TestTopology {
        point("client.topology");
        &self.topology
    }

    fn buffer_from_host(
        &self,
        source: HostBuffer<'_>,
        memory: MemoryId,
        layout: Option<&Layout>,
    ) -> Result<TestBuffer> {
        point("client.buffer_from_host");
        let shape = source.shape().clone();
        let zero_copy =
            matches!(source.semantics(), HostBufferSemantics::ImmutableZeroCopy | HostBufferSemantics::MutableZeroCopy);
        let keep = zero_copy && self.script.keep_zero_copy.load(Ordering::SeqCst);
        let storage = match source.keep_alive().filter(|_| keep) {
            Some(lent) => Storage::Lent(lent),
            None => Storage::Own(source.into_vec()),
        };
        Ok(self.make(&shape, memory, storage, layout))
    }

    fn compile(&self, program: &Program<'_>, options: &CompileOptions) -> Result<TestExecutable> {
        point("client.compile");
        let code = program.mlir()?;
        self.script.seen().compiled = Some((code.to_vec(), options.clone()));
        TestExecutable::compile(code)
    }

    fn load(&self, executable: &Arc<TestExecutable>, _: &DeviceAssignment) -> Result<TestLoaded> {
        point("client.load");
        Ok(TestLoaded { executable: executable.clone(), script: self.script.clone() })
    }

    fn default_device_assignment(&self, replicas: usize, partitions: usize) -> Result<DeviceAssignment> {
        point("client.default_device_assignment");
        let wide = self.script.wide_assignment.load(Ordering::SeqCst);
        let replicas = if wide { 2 } else { replicas };
        if replicas * partitions > self.devices.len() {
            return Err(Status::invalid_argument(format!("this client has {}", self.devices.len())));
        }
        let ids = (0..(replicas * partitions) as i32).map(DeviceId).collect();
        DeviceAssignment::new(replicas, partitions, ids)
    }

    fn process_index(&self) -> i32 {
        point("client.process_index");
        self.process_index
    }

    fn deserialize(&self, bytes: &[u8], _: &CompileOptions) -> Result<TestExecutable> {
        point("client.deserialize");
        let code =
            bytes.strip_prefix(b"own bytes:").ok_or_else(|| Status::data_loss("not the test backend's bytes"))?;
        TestExecutable::compile(code)
    }

    fn default_layout(&self, shape: &Shape) -> Layout {
        point("client.default_layout");
        self.script.default_layout(shape.rank())
    }

    fn bitcast(&self, source: &Arc<TestBuffer>, shape: &Shape, layout: &Layout) -> Result<TestBuffer> {
        point("client.bitcast");
        Ok(self.make(shape, source.memory, Storage::Own(source.bytes()?.to_vec()), Some(layout)))
    }

    fn copy_to_memory(&self, source: &Arc<TestBuffer>, memory: MemoryId) -> Result<TestBuffer> {
        point("client.copy_to_memory");
        Ok(self.make(&source.shape, memory, Storage::Own(source.bytes()?.to_vec()), None))
    }

    fn view_of_device_buffer(&self, foreign: Arc<dyn ForeignBuffer>, memory: MemoryId) -> Result<TestBuffer> {
        point("client.view_of_device_buffer");
        let (shape, layout) = (foreign.shape().clone(), foreign.layout().clone());
        Ok(self.make(&shape, memory, Storage::Foreign(foreign), Some(&layout)))
    }

    fn update_global_process_info(&self, processes: &[ProcessInfo]) {
        point("client.update_global_process_info");
        self.script.seen().processes = processes.to_vec();
    }

    fn dma_map(&self, address: u64, size: usize) -> Result<()> {
        point("client.dma_map");
        self.script.seen().pinned.insert(address, size);
        Ok(())
    }

    fn dma_unmap(&self, address: u64) -> Result<()> {
        point("client.dma_unmap");
        let removed = self.script.seen().pinned.remove(&address);
        removed.map(drop).ok_or_else(|| Status::not_found("not pinned"))
    }
}

impl PjrtDevice for TestDevice {
    fn description(&self) -> &PjrtDeviceDescription {
        point("device.description");
        &self.description
    }

    fn memory_spaces(&self) -> &[MemoryId] {
        point("device.memory_spaces");
        &self.memories
    }

    fn is_addressable(&self) -> bool {
        point("device.is_addressable");
        true
    }

    fn local_hardware_id(&self) -> i32 {
        point("device.local_hardware_id");
        self.description.id.0
    }

    fn runtime_attributes(&self) -> Vec<NamedValue> {
        point("device.runtime_attributes");
        vec![NamedValue::new("temperature", 40)]
    }

    fn memory_stats(&self) -> Result<MemoryStats> {
        point("device.memory_stats");
        Ok(MemoryStats { bytes_in_use: 100, bytes_limit: Some(1000), ..MemoryStats::default() })
    }

    fn clear_memory_stats(&self) -> Result<()> {
        point("device.clear_memory_stats");
        Ok(())
    }

    fn poison_execution(&self, launch_id: i32, error: Status) -> Result<bool> {
        point("device.poison_execution");
        self.script.seen().poisoned = Some((launch_id, error));
        Ok(launch_id == -3)
    }
}
