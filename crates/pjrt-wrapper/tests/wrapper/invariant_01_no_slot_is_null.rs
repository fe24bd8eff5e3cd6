//! Invariant 1: no slot of the table is null, and what is not supported says so.

use crate::support::{plugin, session};
use pjrt_testkit::{Client, Code};

#[test]
fn no_slot_is_null_and_the_table_is_that_of_the_header() {
    let plugin = plugin();
    let slots = plugin.slots();
    assert_eq!(slots.len(), 138);
    for slot in slots {
        assert!(slot.in_table && slot.present, "{slot:?}");
    }
    assert_eq!(plugin.table_size(), 1144);
    assert_eq!(plugin.api_version(), (0, 114));
}

#[test]
fn no_slot_is_null_in_an_extension_either() {
    for node in plugin().extensions() {
        let Some(known) = node.known() else { continue };
        assert_eq!(node.struct_size, known.struct_size, "{}", node.name());
        // SAFETY: a node has as many bytes as it declares, and behind the base they are function pointers.
        let words = unsafe { std::slice::from_raw_parts(node.raw.cast::<usize>(), node.struct_size / 8) };
        assert!(words[3..].iter().all(|&word| word != 0), "{}", node.name());
    }
}

/// A backend that implements nothing but what the traits require.
mod least {
    use pjrt_client_trait::*;
    use std::sync::Arc;

    pub struct Least {
        device: [LeastDevice; 1],
        memories: [PjrtMemorySpace; 1],
        topology: StaticTopology<LeastExecutable>,
    }
    pub struct LeastDevice(PjrtDeviceDescription);
    pub struct LeastBuffer(Shape, MemoryId, Vec<u8>);
    pub struct LeastExecutable([Shape; 1]);
    pub struct LeastLoaded;

    pjrt_wrapper::pjrt_backend! {
        pub struct LeastPlugin;
        client: Least = Least::create,
        topology: |_: &str, _: ClientOptions| Err(Status::unimplemented("topologies by name")),
    }

    impl Least {
        fn create(_: ClientOptions) -> Result<Self> {
            let facts = PjrtDeviceDescription::new(DeviceId(0), 0, "Least");
            Ok(Least {
                device: [LeastDevice(facts.clone())],
                memories: [PjrtMemorySpace::new(0, "device", 1, DeviceId(0))],
                topology: StaticTopology::new("least", "1", vec![facts]),
            })
        }
    }

    impl PjrtClient for Least {
        type Device = LeastDevice;
        type Buffer = LeastBuffer;
        type Executable = LeastExecutable;
        type LoadedExecutable = LeastLoaded;
        type Topology = StaticTopology<LeastExecutable>;

        fn platform_name(&self) -> &str {
            "least"
        }
        fn platform_version(&self) -> &str {
            "1"
        }
        fn devices(&self) -> &[LeastDevice] {
            &self.device
        }
        fn memory_spaces(&self) -> &[PjrtMemorySpace] {
            &self.memories
        }
        fn topology(&self) -> &Self::Topology {
            &self.topology
        }
        fn buffer_from_host(
            &self,
            source: HostBuffer<'_>,
            memory: MemoryId,
            _: Option<&Layout>,
        ) -> Result<LeastBuffer> {
            Ok(LeastBuffer(source.shape().clone(), memory, source.into_vec()))
        }
        fn compile(&self, _: &Program<'_>, _: &CompileOptions) -> Result<LeastExecutable> {
            Ok(LeastExecutable([Shape::new(ElementType::U8, [2])?]))
        }
        fn load(&self, _: &Arc<LeastExecutable>, _: &DeviceAssignment) -> Result<LeastLoaded> {
            Ok(LeastLoaded)
        }
    }

    impl PjrtDevice for LeastDevice {
        fn description(&self) -> &PjrtDeviceDescription {
            &self.0
        }
        fn memory_spaces(&self) -> &[MemoryId] {
            &[MemoryId(0)]
        }
    }

    impl PjrtBuffer for LeastBuffer {
        fn shape(&self) -> &Shape {
            &self.0
        }
        fn memory_space(&self) -> MemoryId {
            self.1
        }
        fn copy_to_host(&self, dst: &mut [u8]) -> Result<()> {
            dst.copy_from_slice(&self.2);
            Ok(())
        }
    }

    impl PjrtExecutable for LeastExecutable {
        fn name(&self) -> &str {
            "least"
        }
        fn parameters(&self) -> &[Shape] {
            &self.0
        }
        fn outputs(&self) -> &[Shape] {
            &self.0
        }
    }

    impl PjrtLoadedExecutable for LeastLoaded {
        type Buffer = LeastBuffer;

        fn execute(&self, launch: Launch<'_, LeastBuffer>) -> Result<Vec<DeviceOutputs<LeastBuffer>>> {
            let outputs = launch.devices.iter().map(|device| {
                let buffer = device.arguments[0].buffer();
                let copy = LeastBuffer(buffer.0.clone(), buffer.1, buffer.2.clone());
                DeviceOutputs { outputs: vec![copy], done: Event::ready() }
            });
            Ok(outputs.collect())
        }
    }
}

#[test]
fn no_slot_is_null_for_a_backend_of_required_methods_and_the_rest_is_unimplemented_or_derived() {
    // SAFETY: the table of a backend is static.
    let plugin = unsafe { pjrt_testkit::Plugin::from_api(pjrt_wrapper::get_api::<least::LeastPlugin>()) };
    assert!(plugin.slots().iter().all(|slot| slot.present));
    let client = Client::create(&plugin, &[]).unwrap();
    let device = &client.devices().unwrap()[0];
    let memory = &device.default_memory().unwrap();
    let unimplemented = |what: &str, error: pjrt_testkit::Error| {
        assert_eq!(error.code, Code::UNIMPLEMENTED, "{what}: {error}");
        assert!(!error.message.is_empty());
    };
    unimplemented("memory stats", device.memory_stats().unwrap_err());
    unimplemented("clear", device.clear_memory_stats().unwrap_err());
    unimplemented("poison", device.poison_execution(1, Code::INTERNAL, "x").unwrap_err());
    assert!(!device.async_tracking_event("x").unwrap(), "null and success");

    assert_eq!(client.default_device_assignment(1, 1, 1).unwrap(), [0]);
    let error = client.default_device_assignment(2, 1, 2).unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("this client has 1"), "{error}");

    let x = client.buffer_from_host(&pjrt_testkit::HostArray::from_slice(&[1u8, 2], &[2]), device).unwrap();
    unimplemented("pointer", x.unsafe_pointer().unwrap_err());
    assert_eq!(x.copy_to_memory(memory).unwrap().to_host_vec::<u8>().unwrap(), [1, 2]);
    assert_eq!(x.copy_raw_to_host(1, 1).unwrap(), [2]);
    let zeros = client.uninitialized_buffer(pjrt_testkit::sys::PJRT_Buffer_Type::U8, &[3], None, Some(device), None);
    assert_eq!(zeros.unwrap().to_host_vec::<u8>().unwrap(), [0; 3]);

    let loaded = client.compile(b"", "mlir", &[]).unwrap();
    assert_eq!(loaded.run(&[&x]).unwrap()[0].to_host_vec::<u8>().unwrap(), [1, 2]);
    let executable = loaded.executable().unwrap();
    unimplemented("cost", executable.cost_analysis().unwrap_err());
    unimplemented("memory", executable.compiled_memory_stats().unwrap_err());
    unimplemented("optimized", executable.optimized_program().unwrap_err());
    assert_eq!(executable.size_of_generated_code().unwrap(), -1);
    assert_eq!(executable.output_memory_kinds().unwrap(), ["device"]);
    assert_eq!(executable.fingerprint().unwrap().len(), 32);
    let again = client.deserialize_and_load(&executable.serialize().unwrap(), None).unwrap();
    assert_eq!(again.run(&[&x]).unwrap()[0].to_host_vec::<u8>().unwrap(), [1, 2]);

    let topology = client.topology().unwrap();
    unimplemented("serialize", topology.serialize().unwrap_err());
    unimplemented("aot", topology.compile(b"", "mlir", &[], None).unwrap_err());
    unimplemented("by name", pjrt_testkit::Topology::create(&plugin, "4x1", &[]).unwrap_err());
}

#[test]
fn no_slot_is_null_and_a_deprecated_function_names_itself_and_the_backend() {
    let session = session();
    let loaded = session.compile("copy f32[2]");
    // SAFETY: a live handle.
    let error =
        unsafe { pjrt_testkit::call!(session.plugin, PJRT_LoadedExecutable_Fingerprint { executable: loaded.raw() }) };
    let error = error.unwrap_err();
    assert_eq!(error.code, Code::UNIMPLEMENTED);
    assert!(error.message.contains("PJRT_LoadedExecutable_Fingerprint") && error.message.contains("pjrt-wrapper"));
}
