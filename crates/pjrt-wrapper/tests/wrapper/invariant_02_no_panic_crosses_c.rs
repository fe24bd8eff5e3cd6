//! Invariant 2: no panic crosses C. It becomes INTERNAL with the function and the panic's text, and the next
//! call works.

use crate::support::{FIRST_EXTENSION, Session, panic_in, plugin, session};
use pjrt_client_trait::{ClientOptions, Status};
use pjrt_testkit::sys::{PJRT_Buffer_Type, PJRT_FFI_Extension};
use pjrt_testkit::{
    Client, Code, CompileOptions, ExecuteContext, ExecuteOptions, Layout, Plugin, Result, Topology, TransferManager,
};

/// Runs an action that passes a point: first panicking there, then not.
fn check(point: &'static str, function: &str, mut action: impl FnMut() -> Result<()>) {
    let (outcome, panicked) = panic_in(point, &mut action);
    assert!(panicked, "{point}: {function} does not get there");
    let error = outcome.expect_err(point);
    assert_eq!(error.code, Code::INTERNAL, "{point}: {error}");
    assert!(error.message.contains(&format!("asked to panic in {point}")), "{point}: {error}");
    assert!(error.message.contains(function), "{point}: {error} does not name {function}");
    action().unwrap_or_else(|error| panic!("{point}: the next call fails: {error}"));
}

#[test]
fn no_panic_crosses_c_from_creators() {
    let plugin = plugin();
    let points = [
        "create_client",
        "client.platform_name",
        "client.platform_version",
        "client.process_index",
        "client.devices",
        "client.memory_spaces",
        "client.topology",
        "device.description",
        "device.memory_spaces",
        "device.is_addressable",
        "device.local_hardware_id",
        "device.runtime_attributes",
        "topology.platform_name",
        "topology.platform_version",
        "topology.device_descriptions",
        "topology.attributes",
    ];
    for point in points {
        check(point, "PJRT_Client_Create", || Client::create(&plugin, &[]).map(drop));
    }
    check("initialize", "PJRT_Plugin_Initialize", || plugin.initialize());
    let session = session();
    check("create_execute_context", "PJRT_ExecuteContext_Create", || ExecuteContext::create(&session.client).map(drop));
}

#[test]
fn no_panic_crosses_c_from_topologies() {
    let plugin = plugin();
    let create = || Topology::create(&plugin, "4x1", &[]);
    check("create_topology", "PJRT_TopologyDescription_Create", || create().map(drop));
    let topology = create().unwrap();
    check("topology.serialize", "PJRT_TopologyDescription_Serialize", || topology.serialize().map(drop));
    let bytes = topology.serialize().unwrap();
    check("deserialize_topology", "PJRT_TopologyDescription_Deserialize", || {
        Topology::deserialize(&plugin, &bytes).map(drop)
    });
    check("topology.default_layout", "PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace", || {
        topology.canonical_shape(1, PJRT_Buffer_Type::F32, &[2]).map(drop)
    });
    for point in ["topology.compile", "executable.parameters", "executable.outputs", "executable.donated_parameters"] {
        check(point, "PJRT_Compile", || topology.compile(b"copy f32[2]", "mlir", &[], None).map(drop));
    }
}

#[test]
fn no_panic_crosses_c_from_the_client() {
    let session = session();
    let client = &session.client;
    for point in
        ["client.buffer_from_host", "buffer.shape", "buffer.memory_space", "buffer.layout", "buffer.dynamic_dimensions"]
    {
        check(point, "PJRT_Client_BufferFromHostBuffer", || {
            let array = pjrt_testkit::HostArray::from_slice(&[1.0f32], &[1]);
            client.buffer_from_host(&array, &session.device(0)).map(drop)
        });
    }
    for point in ["client.compile", "client.load", "executable.name"] {
        check(point, "PJRT_Client_Compile", || session.try_compile("copy f32[2]").map(drop));
    }
    let own = session.compile("serializable f32[2]").executable().unwrap().serialize().unwrap();
    check("client.deserialize", "PJRT_Executable_DeserializeAndLoad", || {
        client.deserialize_and_load(&own, None).map(drop)
    });
    check("client.default_device_assignment", "PJRT_Client_DefaultDeviceAssignment", || {
        client.default_device_assignment(1, 2, 2).map(drop)
    });
    let memory = &session.memory(1);
    check("client.default_layout", "PJRT_Client_CreateErrorBuffer", || {
        client.error_buffer(Code::ABORTED, "x", &[], PJRT_Buffer_Type::F32, &[2], memory).map(drop)
    });
    check("client.update_global_process_info", "PJRT_Client_UpdateGlobalProcessInfo", || {
        client.update_global_process_info(&[])
    });
    let mut bytes = [0u64; 2];
    let data = bytes.as_mut_ptr().cast();
    check("client.dma_map", "PJRT_Client_DmaMap", || {
        // SAFETY: the memory is there.
        unsafe {
            pjrt_testkit::call!(session.plugin, PJRT_Client_DmaMap { client: client.raw(), data: data, size: 16 })
        }
        .map(drop)
    });
    check("client.dma_unmap", "PJRT_Client_DmaUnmap", || {
        // SAFETY: a live client.
        unsafe { pjrt_testkit::call!(session.plugin, PJRT_Client_DmaUnmap { client: client.raw(), data: data }) }
            .map(drop)
    });
    let mut foreign = [0.0f32; 2];
    check("client.view_of_device_buffer", "PJRT_Client_CreateViewOfDeviceBuffer", || {
        let data = foreign.as_mut_ptr().cast();
        // SAFETY: the array outlives the buffer.
        unsafe { client.view_of_device_buffer(data, PJRT_Buffer_Type::F32, &[2], memory, Box::new(|| ())) }.map(drop)
    });
}

#[test]
fn no_panic_crosses_c_from_devices() {
    let session = session();
    let device = session.device(1);
    // Frameworks abort when this one fails, so the attributes that do not change are the answer.
    let (attributes, panicked) = panic_in("device.runtime_attributes", || device.attributes().unwrap());
    let unchanging = device.description().unwrap().attributes().unwrap();
    assert!(panicked && attributes == unchanging, "{attributes:?}");
    assert!(device.attributes().unwrap().len() > unchanging.len(), "the next call has them all");
    check("device.memory_stats", "PJRT_Device_MemoryStats", || device.memory_stats().map(drop));
    check("device.clear_memory_stats", "PJRT_Device_ClearMemoryStats", || device.clear_memory_stats());
    check("device.poison_execution", "PJRT_Device_PoisonExecution", || {
        device.poison_execution(5, Code::ABORTED, "x").map(drop)
    });
}

#[test]
fn no_panic_crosses_c_from_buffers() {
    let session = session();
    session.script.set(|script| &script.on_cpu, true);
    let x = session.put(&[1.0f32, 2.0], &[2]);
    // Frameworks abort when this one fails, so the panic is the answer to whoever wants the data next.
    let broken = session.put(&[1.0f32, 2.0], &[2]);
    let (on_cpu, panicked) = panic_in("buffer.is_on_cpu", || broken.is_on_cpu().unwrap());
    assert!(panicked && !on_cpu);
    let error = broken.to_host(None).unwrap_err();
    assert!(error.code == Code::INTERNAL && error.message.contains("asked to panic in buffer.is_on_cpu"), "{error}");
    assert!(error.message.contains("PJRT_Buffer_IsOnCpu"), "{error}");
    assert!(x.is_on_cpu().unwrap(), "other buffers are as they were");
    check("buffer.device_address", "PJRT_Buffer_UnsafePointer", || x.unsafe_pointer().map(drop));
    check("buffer.device_address", "PJRT_Buffer_OpaqueDeviceMemoryDataPointer", || x.device_pointer().map(drop));
    check("buffer.ready_event", "PJRT_Buffer_ReadyEvent", || x.ready_event()?.wait());
    check("buffer.on_device_size", "PJRT_Buffer_OnDeviceSizeInBytes", || x.on_device_size().map(drop));
    check("buffer.copy_to_host", "PJRT_Buffer_ToHostBuffer", || x.to_host(None).map(drop));
    check("buffer.ready_event", "the backend panicked", || x.to_host(None).map(drop));
    check("buffer.copy_raw_to_host", "PJRT_Buffer_CopyRawToHost", || x.copy_raw_to_host(0, 4).map(drop));
    check("buffer.copy_raw_to_host", "PJRT_Buffer_CopyRawToHostFuture", || {
        x.copy_raw_to_host_future(0, 4)?.copy().map(drop)
    });
    check("client.copy_to_memory", "PJRT_Buffer_CopyToMemory", || x.copy_to_memory(&session.memory(3)).map(drop));
    check("client.copy_to_memory", "PJRT_Buffer_CopyToDevice", || x.copy_to_device(&session.device(1)).map(drop));
    // The source of the failed attempt is live again, so that the second attempt finds it.
    check("client.bitcast", "PJRT_Buffer_Bitcast", || x.bitcast(PJRT_Buffer_Type::S32, &[2], None).map(drop));
    session.script.set(|script| &script.dynamic, true);
    let dynamic = session.put(&[1.0f32, 2.0], &[2]);
    check("buffer.logical_dimensions", "PJRT_Buffer_UnpaddedDimensions", || dynamic.unpadded_dimensions().map(drop));
    let dynamic = session.put(&[1.0f32, 2.0], &[2]);
    check("buffer.logical_dimensions", "PJRT_Buffer_ToHostBuffer", || dynamic.to_host(None).map(drop));
    check("buffer.drop", "PJRT_Buffer_Destroy", || session.put(&[1.0f32], &[1]).destroy());
    check("buffer.drop", "PJRT_Buffer_Delete", || session.put(&[1.0f32], &[1]).delete());
}

#[test]
fn no_panic_crosses_c_from_executables() {
    let session = session();
    let loaded = session.compile("serializable f32[2]");
    // What is computed once is computed again after a panic.
    let executable = loaded.executable().unwrap();
    check("executable.size_of_generated_code", "PJRT_Executable_SizeOfGeneratedCodeInBytes", || {
        executable.size_of_generated_code().map(drop)
    });
    check("executable.output_memory_kinds", "PJRT_Executable_OutputMemoryKinds", || {
        executable.output_memory_kinds().map(drop)
    });
    check("executable.parameter_memory_kinds", "PJRT_Executable_ParameterMemoryKinds", || {
        executable.parameter_memory_kinds().map(drop)
    });
    check("executable.cost_analysis", "PJRT_Executable_GetCostAnalysis", || executable.cost_analysis().map(drop));
    check("executable.compiled_memory_stats", "PJRT_Executable_GetCompiledMemoryStats", || {
        executable.compiled_memory_stats().map(drop)
    });
    check("executable.optimized_program", "PJRT_Executable_OptimizedProgram", || {
        executable.optimized_program().map(drop)
    });
    check("executable.serialize", "PJRT_Executable_Serialize", || executable.serialize().map(drop));
    check("executable.fingerprint", "PJRT_Executable_Fingerprint", || executable.fingerprint().map(drop));
    let x = session.put(&[1.0f32, 2.0], &[2]);
    check("loaded.execute", "PJRT_LoadedExecutable_Execute", || loaded.run(&[&x]).map(drop));
    let donate = session.compile("donate f32[2]");
    check("loaded.execute", "PJRT_LoadedExecutable_Execute", || donate.run(&[&x]).map(drop));
}

#[test]
fn no_panic_crosses_c_from_extensions() {
    use pjrt_testkit::sys::*;
    let session = session();
    let plugin = &session.plugin;
    let executable = session.compile("sharded f32[2]").executable().unwrap();
    let layouts = plugin.extension::<PJRT_Layouts_Extension>().unwrap();
    let shardings = plugin.extension::<PJRT_Shardings_Extension>().unwrap();
    let raw = executable.raw();
    // SAFETY: live handles.
    unsafe {
        check("executable.output_layouts", "PJRT_Layouts_PJRT_Executable_GetOutputLayouts", || {
            plugin
                .call(layouts.PJRT_Layouts_PJRT_Executable_GetOutputLayouts, "x", |args| args.executable = raw)
                .map(drop)
        });
        check("executable.parameter_layouts", "PJRT_Layouts_PJRT_Executable_GetParameterLayouts", || {
            plugin
                .call(layouts.PJRT_Layouts_PJRT_Executable_GetParameterLayouts, "x", |args| args.executable = raw)
                .map(drop)
        });
        check("executable.output_shardings", "PJRT_Shardings_PJRT_Executable_OutputShardings", || {
            plugin
                .call(shardings.PJRT_Shardings_PJRT_Executable_OutputShardings, "x", |args| args.executable = raw)
                .map(drop)
        });
        check("executable.parameter_shardings", "PJRT_Shardings_PJRT_Executable_ParameterShardings", || {
            plugin
                .call(shardings.PJRT_Shardings_PJRT_Executable_ParameterShardings, "x", |args| args.executable = raw)
                .map(drop)
        });
        check("client.default_layout", "PJRT_Layouts_PJRT_Client_GetDefaultLayout", || {
            plugin
                .call(layouts.PJRT_Layouts_PJRT_Client_GetDefaultLayout, "x", |args| {
                    args.client = session.client.raw();
                    args.type_ = PJRT_Buffer_Type::F32;
                })
                .map(drop)
        });
        let ffi = plugin.extension::<PJRT_FFI_Extension>().unwrap();
        check("ffi.register_type", "PJRT_FFI_Type_Register", || {
            plugin
                .call(ffi.type_register, "x", |args| {
                    args.type_name = c"known".as_ptr();
                    args.type_name_size = 5;
                })
                .map(drop)
        });
        check("ffi.register_handler", "PJRT_FFI_Register_Handler", || {
            plugin
                .call(ffi.register_handler, "x", |args| {
                    args.target_name = c"panics".as_ptr();
                    args.target_name_size = 6;
                    args.handler = std::ptr::without_provenance_mut(64);
                })
                .map(drop)
        });
    }
    check("extension.call", "custom extension", || {
        crate::support::call_extension(plugin, FIRST_EXTENSION, "reverse", b"abc").map(drop)
    });
}

/// What waits for a buffer gets the panic as the outcome of its own event; the thread that completes the buffer
/// sees nothing of it, and whoever waits behind is served.
#[test]
fn no_panic_crosses_c_into_the_thread_that_completes_a_buffer() {
    let session = session();
    session.script.set(|script| &script.pending_puts, true);
    let loaded = session.compile("donate f32[2]");
    type Start = fn(&Session, &pjrt_testkit::Buffer) -> pjrt_testkit::Event;
    let cases: [(&'static str, Start); 4] = [
        ("client.copy_to_memory", |session, x| x.copy_to_memory(&session.memory(2)).unwrap().ready_event().unwrap()),
        ("client.bitcast", |_, x| x.bitcast(PJRT_Buffer_Type::S32, &[2], None).unwrap().ready_event().unwrap()),
        ("buffer.copy_to_host", |session, x| to_host_event(session, x)),
        ("buffer.copy_raw_to_host", |session, x| raw_event(session, x)),
    ];
    for (point, start) in cases {
        let x = session.put_pending(&[1.0f32, 2.0], &[2]);
        let event = start(&session, &x);
        let behind = (!x.is_deleted().unwrap()).then(|| x.ready_event().unwrap());
        let ((), panicked) = panic_in(point, || session.script.complete(&Ok(())));
        assert!(panicked, "{point}");
        let error = event.wait().unwrap_err();
        assert_eq!(error.code, Code::INTERNAL, "{point}: {error}");
        assert!(error.message.contains(&format!("asked to panic in {point}")), "{point}: {error}");
        if let Some(behind) = behind {
            behind.wait().unwrap();
        }
    }

    // A launch that waits for an alias runs on the thread that fulfils it.
    session.script.set(|script| &script.pending_puts, false);
    let memory = &session.memory(0);
    let (alias, fulfillment) = session.client.alias_buffer(PJRT_Buffer_Type::F32, &[2], None, memory).unwrap();
    let running = loaded.execute(&[vec![&alias]], &ExecuteOptions::default()).unwrap();
    let real = session.put(&[1.0f32, 2.0], &[2]);
    let (outcome, panicked) = panic_in("loaded.execute", || fulfillment.fulfill(&real));
    assert!(panicked);
    outcome.unwrap();
    let error = running.wait().unwrap_err();
    assert!(error.message.contains("asked to panic in loaded.execute"), "{error}");
    assert_eq!(running.outputs[0][0].ready_event().unwrap().wait().unwrap_err().code, Code::INTERNAL);
}

static PLACE: std::sync::Mutex<[u8; 8]> = std::sync::Mutex::new([0; 8]);

fn to_host_event(session: &Session, x: &pjrt_testkit::Buffer) -> pjrt_testkit::Event {
    let dst = PLACE.lock().unwrap().as_mut_ptr().cast();
    // SAFETY: the place is static, and this test alone uses it.
    unsafe {
        let args =
            pjrt_testkit::call!(session.plugin, PJRT_Buffer_ToHostBuffer { src: x.raw(), dst: dst, dst_size: 8 });
        pjrt_testkit::Event::from_raw(&session.client, args.unwrap().event)
    }
}

fn raw_event(session: &Session, x: &pjrt_testkit::Buffer) -> pjrt_testkit::Event {
    let dst = PLACE.lock().unwrap().as_mut_ptr().cast();
    // SAFETY: the place is static, and this test alone uses it.
    unsafe {
        let args = pjrt_testkit::call!(
            session.plugin,
            PJRT_Buffer_CopyRawToHost { buffer: x.raw(), dst: dst, transfer_size: 8 }
        );
        pjrt_testkit::Event::from_raw(&session.client, args.unwrap().event)
    }
}

#[test]
fn no_panic_crosses_c_from_a_transfer_manager() {
    let session = session();
    let memory = &session.memory(0);
    let shapes = [(PJRT_Buffer_Type::F32, vec![1])];
    let manager = || TransferManager::create(&session.client, &shapes, &[], memory);
    check("client.default_layout", "PJRT_Client_CreateBuffersForAsyncHostToDevice", || manager().map(drop));
    check("client.buffer_from_host", "PJRT_AsyncHostToDeviceTransferManager_TransferData", || {
        manager()?.transfer_data(0, &[0; 4], 0, true)
    });
}

mod broken {
    //! Backends whose lists panic.
    use super::{ClientOptions, Status};
    use crate::support::TestClient;

    pjrt_wrapper::pjrt_backend! {
        pub struct PanickingLists;
        client: TestClient = TestClient::create,
        topology: |_: &str, _: ClientOptions| Err(Status::unimplemented("none")),
        attributes: || panic!("no attributes today"),
        extensions: || panic!("no extensions today"),
        ffi_registry: || panic!("no registry today"),
    }
}

#[test]
fn no_panic_crosses_c_while_the_table_is_built() {
    // SAFETY: the table of a backend is static.
    let plugin = unsafe { Plugin::from_api(pjrt_wrapper::get_api::<broken::PanickingLists>()) };
    let kinds: Vec<u32> = plugin.extensions().iter().map(|node| node.kind.0).collect();
    assert!(!kinds.contains(&FIRST_EXTENSION) && kinds.len() == 3, "the extensions that do not panic: {kinds:?}");
    assert!(plugin.extension::<PJRT_FFI_Extension>().is_none());
    let names: Vec<String> = plugin.attributes().unwrap().into_iter().map(|named| named.name).collect();
    assert_eq!(names, ["xla_version"]);
    let client = Client::create(&plugin, &[]).unwrap();
    let loaded = client.compile(b"constant u8[2]", "mlir", &CompileOptions::default().to_bytes()).unwrap();
    assert_eq!(loaded.run(&[]).unwrap()[0].to_host(Some(&Layout::row_major(1))).unwrap(), [7, 7]);
}
