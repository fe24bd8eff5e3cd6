//! Invariant 9: strings and arrays handed out live exactly as long as the contract says, and nothing is left
//! behind.

use crate::support::{Session, bytes_held, plugin, session};
use pjrt_testkit::sys::*;
use pjrt_testkit::{Code, CompileOptions, ExecuteContext, ExecuteOptions, Topology, call};

/// Reads lent text.
///
/// # Safety
/// The pointer must point to `size` bytes.
unsafe fn text(data: *const std::ffi::c_char, size: usize) -> String {
    // SAFETY: the contract of this function.
    String::from_utf8(unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) }.to_vec()).unwrap()
}

#[test]
fn lifetimes_of_what_a_client_lends_are_those_of_the_client() {
    let session = session();
    let (plugin, client) = (&session.plugin, session.client.raw());
    let device = session.device(1);
    // SAFETY: live handles; what is lent is read while the client lives.
    unsafe {
        let first = call!(plugin, PJRT_Client_Devices { client: client }).unwrap();
        let names = call!(plugin, PJRT_Client_PlatformName { client: client }).unwrap();
        let memories = call!(plugin, PJRT_Client_AddressableMemories { client: client }).unwrap();
        let description = device.description().unwrap();
        let kind = call!(plugin, PJRT_DeviceDescription_Kind { device_description: description.raw() }).unwrap();
        let attributes =
            call!(plugin, PJRT_DeviceDescription_Attributes { device_description: description.raw() }).unwrap();
        for _ in 0..100 {
            session.compile("copy f32[2]").run(&[&session.put(&[1.0f32, 2.0], &[2])]).unwrap();
        }
        let again = call!(plugin, PJRT_Client_Devices { client: client }).unwrap();
        assert_eq!((first.devices, first.num_devices), (again.devices, again.num_devices), "a stable address");
        assert_eq!(text(names.platform_name, names.platform_name_size), "test");
        assert_eq!(text(kind.device_kind, kind.device_kind_size), "TestDevice");
        assert_eq!(memories.num_addressable_memories, 4);
        let coords = &*attributes.attributes;
        assert_eq!(text(coords.name, coords.name_size), "coords");
        assert_eq!((coords.type_, coords.value_size), (PJRT_NamedValue_Type::kInt64List, 2));
        assert_eq!(*coords.__bindgen_anon_1.int64_array_value, 1);
    }
}

#[test]
fn lifetimes_of_what_an_executable_lends_do_not_depend_on_the_loaded_one() {
    let session = session();
    let plugin = &session.plugin;
    let loaded = session.compile("two f32[2,3]");
    let executable = loaded.executable().unwrap();
    let other = loaded.executable().unwrap();
    assert_ne!(executable.raw(), other.raw(), "a new handle each time");
    loaded.destroy().unwrap();
    other.destroy().unwrap();
    let raw = executable.raw();
    let layouts = plugin.extension::<PJRT_Layouts_Extension>().unwrap();
    // SAFETY: a live executable; what it lends is read while it lives.
    unsafe {
        let name = call!(plugin, PJRT_Executable_Name { executable: raw }).unwrap();
        let dims = call!(plugin, PJRT_Executable_OutputDimensions { executable: raw }).unwrap();
        let types = call!(plugin, PJRT_Executable_OutputElementTypes { executable: raw }).unwrap();
        let kinds = call!(plugin, PJRT_Executable_OutputMemoryKinds { executable: raw }).unwrap();
        let print = call!(plugin, PJRT_Executable_Fingerprint { executable: raw }).unwrap();
        let lent = plugin
            .call(layouts.PJRT_Layouts_PJRT_Executable_GetOutputLayouts, "x", |args| args.executable = raw)
            .unwrap();
        let again = call!(plugin, PJRT_Executable_OutputMemoryKinds { executable: raw }).unwrap();
        assert_eq!(again.memory_kinds, kinds.memory_kinds, "computed once");
        assert_eq!(text(name.executable_name, name.executable_name_size), "jit_two");
        assert_eq!(std::slice::from_raw_parts(dims.dims, 4), [2, 3, 2, 3]);
        assert_eq!(std::slice::from_raw_parts(dims.dim_sizes, dims.num_outputs), [2, 2]);
        assert_eq!(std::slice::from_raw_parts(types.output_types, 2), [PJRT_Buffer_Type::F32; 2]);
        assert_eq!(text(*kinds.memory_kinds.add(1), *kinds.memory_kind_sizes.add(1)), "device");
        assert_eq!(print.executable_fingerprint_size, 32);
        let layout = *lent.layouts;
        let mut serialized =
            plugin.call(layouts.PJRT_Layouts_MemoryLayout_Serialize, "x", |args| args.layout = layout).unwrap();
        assert_eq!(text(serialized.serialized_bytes, serialized.serialized_bytes_size), "{1,0}");
        executable.destroy().unwrap();
        // The bytes are the holder's, and the layouts were the executable's.
        assert_eq!(text(serialized.serialized_bytes, serialized.serialized_bytes_size), "{1,0}");
        serialized.serialized_layout_deleter.take().unwrap()(serialized.serialized_layout);
        let dead = plugin.call(layouts.PJRT_Layouts_MemoryLayout_Serialize, "x", |args| args.layout = layout);
        assert_eq!(dead.unwrap_err().code, Code::INVALID_ARGUMENT);
    }
}

#[test]
fn lifetimes_of_serialized_bytes_end_with_their_deleter() {
    let session = session();
    let plugin = &session.plugin;
    let loaded = session.compile("copy f32[2]");
    let executable = loaded.executable().unwrap();
    // SAFETY: live handles; each deleter is called once, and the bytes are read before.
    unsafe {
        let bytes = call!(plugin, PJRT_Executable_Serialize { executable: executable.raw() }).unwrap();
        let options = call!(plugin, PJRT_Executable_GetCompileOptions { executable: executable.raw() }).unwrap();
        let assignment = call!(plugin, PJRT_LoadedExecutable_GetDeviceAssignment { executable: loaded.raw() }).unwrap();
        executable.destroy().unwrap();
        loaded.destroy().unwrap();
        let copy =
            std::slice::from_raw_parts(bytes.serialized_bytes.cast::<u8>(), bytes.serialized_bytes_size).to_vec();
        bytes.serialized_executable_deleter.unwrap()(bytes.serialized_executable);
        let sent = CompileOptions::on_device(0).to_bytes();
        assert_eq!(
            std::slice::from_raw_parts(options.serialized_bytes.cast::<u8>(), options.serialized_bytes_size),
            sent
        );
        options.serialized_compile_options_deleter.unwrap()(options.serialized_compile_options);
        let known = [0x08u8, 0x01, 0x10, 0x01, 0x1a, 0x03, 0x0a, 0x01, 0x00];
        assert_eq!(
            std::slice::from_raw_parts(assignment.serialized_bytes.cast::<u8>(), assignment.serialized_bytes_size),
            known
        );
        assignment.serialized_device_assignment_deleter.unwrap()(assignment.serialized_device_assignment);
        let x = session.put(&[1.0f32, 2.0], &[2]);
        session.client.deserialize_and_load(&copy, None).unwrap().run(&[&x]).unwrap();
    }
}

#[test]
fn lifetimes_of_a_portable_assignment_are_empty_but_can_be_deleted() {
    let session = session();
    let options = CompileOptions { portable: true, ..CompileOptions::default() }.to_bytes();
    let loaded = session.client.compile(b"copy f32[2]", "mlir", &options).unwrap();
    // SAFETY: a live handle; the deleter is called once.
    unsafe {
        let args =
            call!(session.plugin, PJRT_LoadedExecutable_GetDeviceAssignment { executable: loaded.raw() }).unwrap();
        assert_eq!((args.serialized_bytes_size, args.serialized_device_assignment.is_null()), (0, true));
        args.serialized_device_assignment_deleter.unwrap()(args.serialized_device_assignment);
    }
}

#[test]
fn lifetimes_of_topologies_are_the_callers_or_the_clients() {
    let session = session();
    let plugin = &session.plugin;
    // SAFETY: the client's topology is not to be destroyed, which is what is tried.
    unsafe {
        let args = call!(plugin, PJRT_Client_TopologyDescription { client: session.client.raw() }).unwrap();
        let error = call!(plugin, PJRT_TopologyDescription_Destroy { topology: args.topology }).unwrap_err();
        assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("client"), "{error}");
        let again = call!(plugin, PJRT_Client_TopologyDescription { client: session.client.raw() }).unwrap();
        assert_eq!(again.topology, args.topology);
        let own = Topology::create(plugin, "2x1", &[]).unwrap();
        let descriptions =
            call!(plugin, PJRT_TopologyDescription_GetDeviceDescriptions { topology: own.raw() }).unwrap();
        let description = *descriptions.descriptions;
        drop(own);
        let error = call!(plugin, PJRT_DeviceDescription_Id { device_description: description }).unwrap_err();
        assert_eq!(error.code, Code::INVALID_ARGUMENT, "descriptions go with their topology");
        let raw = args.topology;
        drop(session);
        let error = call!(crate::support::plugin(), PJRT_TopologyDescription_PlatformName { topology: raw });
        assert_eq!(error.unwrap_err().code, Code::INVALID_ARGUMENT);
    }
}

#[test]
fn lifetimes_of_execute_contexts_reach_to_the_end_of_the_launch() {
    let session = session();
    let memory = session.memory(0);
    let loaded = session.compile("copy f32[2]");
    let context = ExecuteContext::create(&session.client).unwrap();
    let ffi = session.plugin.extension::<PJRT_FFI_Extension>().unwrap();
    let mut datum = 5u8;
    let data = (&raw mut datum).cast::<std::ffi::c_void>();
    // SAFETY: a live context.
    unsafe {
        session
            .plugin
            .call(ffi.user_data_add, "x", |args| {
                args.context = context.raw();
                args.user_data.type_id = 7;
                args.user_data.data = data;
            })
            .unwrap()
    };
    let (alias, fulfillment) = session.client.alias_buffer(PJRT_Buffer_Type::F32, &[2], None, &memory).unwrap();
    let options = ExecuteOptions { context: Some(&context), ..ExecuteOptions::default() };
    let running = loaded.execute(&[vec![&alias]], &options).unwrap();
    context.destroy().unwrap();
    loaded.destroy().unwrap();
    fulfillment.fulfill(&session.put(&[1.0f32, 2.0], &[2])).unwrap();
    assert_eq!(running.single().unwrap()[0].to_host_vec::<f32>().unwrap(), [1.0, 2.0]);
    assert_eq!(session.script.seen().user_data, Some(Some(data.addr())));
}

/// All sorts of objects, made and destroyed on this thread.
fn one_of_each(session: &Session) {
    let x = session.put(&[1.0f32, 2.0], &[2]);
    let loaded = session.compile("donate f32[2]");
    let y = loaded.run(&[&x]).unwrap().remove(0);
    y.copy_to_memory(&session.memory(1)).unwrap().to_host(None).unwrap();
    y.ready_event().unwrap().on_ready(drop).unwrap();
    y.bitcast(PJRT_Buffer_Type::S32, &[2], None).unwrap();
    let executable = loaded.executable().unwrap();
    executable.serialize().unwrap();
    executable.cost_analysis().unwrap();
    executable.optimized_program().unwrap();
    executable.output_memory_kinds().unwrap();
    let memory = session.memory(0);
    let (alias, fulfillment) = session.client.alias_buffer(PJRT_Buffer_Type::F32, &[2], None, &memory).unwrap();
    let running = session.compile("add_one f32[2]").execute(&[vec![&alias]], &ExecuteOptions::default()).unwrap();
    fulfillment.fulfill(&session.put(&[1.0f32, 2.0], &[2])).unwrap();
    running.wait().unwrap();
    session.device(0).attributes().unwrap();
    let topology = Topology::create(&session.plugin, "2x1", &[]).unwrap();
    topology.serialize().unwrap();
    topology.canonical_shape(1, PJRT_Buffer_Type::F32, &[2]).unwrap();
    session.try_compile("nonsense f32[2]").unwrap_err();
    loaded.run(&[]).unwrap_err();
    let layouts = session.plugin.extension::<PJRT_Layouts_Extension>().unwrap();
    // SAFETY: live handles; the layouts are the executable's.
    unsafe {
        let get = layouts.PJRT_Layouts_PJRT_Executable_GetOutputLayouts;
        session.plugin.call(get, "x", |args| args.executable = executable.raw()).unwrap();
    }
}

#[test]
fn lifetimes_end_without_leaving_memory_behind() {
    let session = session();
    for _ in 0..20 {
        one_of_each(&session);
    }
    let before = bytes_held();
    for _ in 0..200 {
        one_of_each(&session);
    }
    let grown = bytes_held() - before;
    assert!(grown < 200 * 8, "{grown} bytes are left of 200 rounds");
    assert_eq!(session.script.live(), 0);
}

#[test]
fn lifetimes_of_whole_clients_leave_no_memory_behind() {
    let plugin = plugin();
    let client = || {
        let client = pjrt_testkit::Client::create(&plugin, &[]).unwrap();
        client.topology().unwrap().device_descriptions().unwrap();
    };
    (0..20).for_each(|_| client());
    let before = bytes_held();
    (0..200).for_each(|_| client());
    let grown = bytes_held() - before;
    assert!(grown < 200 * 8, "{grown} bytes are left of 200 clients");
}
