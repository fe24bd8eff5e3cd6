//! Invariant 3: only the fields that the caller's struct has are read and written, whatever its version.

use crate::support::{Session, plugin, session};
use pjrt_testkit::sys::{
    API_FUNCTIONS, OLDEST_MINOR, PJRT_API_MINOR, PJRT_Error, PJRT_ExecuteOptions, PJRT_LoadedExecutable, STRUCTS,
    StructInfo,
};
use pjrt_testkit::{
    ArgsBuf, Caller, Code, CompileOptions, Error, ExecuteContext, ExecuteOptions, HostArray, Layout, Plugin,
};
use std::ffi::c_void;

type Function = unsafe extern "C" fn(*mut c_void) -> *mut PJRT_Error;

/// Every function that returns an error, with the struct it takes.
fn functions(plugin: &Plugin) -> Vec<(&'static str, Function, &'static StructInfo)> {
    let all =
        API_FUNCTIONS.iter().filter(|function| !["PJRT_Error_Destroy", "PJRT_Error_Message"].contains(&function.name));
    let all = all.map(|function| {
        // SAFETY: the offset is that of a function pointer in the table, which has no nulls.
        let pointer = unsafe { std::ptr::from_ref(plugin.api()).byte_add(function.offset).cast::<Function>().read() };
        let args = format!("{}_Args", function.name);
        let args =
            STRUCTS.iter().copied().flatten().find(|known| known.name == args).unwrap_or_else(|| panic!("{args}"));
        (function.name, pointer, args)
    });
    all.collect()
}

/// The size that the oldest caller we serve gives a struct.
fn oldest_size(args: &StructInfo) -> usize {
    let old = args.history.iter().rev().find(|release| release.minor <= OLDEST_MINOR);
    old.or(args.history.first()).map_or(0, |release| release.struct_size)
}

/// Memory for the Args of any function: the size, zeros, and canaries behind `len`.
fn block(struct_size: usize, len: usize) -> [u64; 64] {
    let mut block = [0xA5A5_A5A5_A5A5_A5A5; 64];
    let bytes = len.div_ceil(8);
    block[..bytes].fill(0);
    block[0] = struct_size as u64;
    block
}

fn run(plugin: &Plugin, name: &'static str, function: Function, block: &mut [u64; 64]) -> Result<(), Error> {
    // SAFETY: the block begins with its size and is longer than any Args; all pointers in it are null, or no
    // handles.
    unsafe { Error::take(plugin, function(block.as_mut_ptr().cast()), name) }
}

#[test]
fn struct_size_below_the_first_release_is_refused_by_every_function() {
    let plugin = plugin();
    let all = functions(&plugin);
    assert_eq!(all.len(), 136);
    for (name, function, args) in all {
        for size in [0, 8, oldest_size(args) - 1] {
            let mut block = block(size, 512);
            let before = block;
            let error = run(&plugin, name, function, &mut block).expect_err(name);
            assert_eq!(error.code, Code::INVALID_ARGUMENT, "{name}: {error}");
            for part in [args.name, &format!("got {size}"), &args.struct_size.unwrap_or(0).to_string(), "0.114"] {
                assert!(error.message.contains(part), "{name}: {error} lacks {part:?}");
            }
            assert_eq!(block, before, "{name} wrote although it refused");
        }
        // SAFETY: null is what is to be refused.
        let error = unsafe { Error::take(&plugin, function(std::ptr::null_mut()), name) }.expect_err(name);
        assert_eq!(error.code, Code::INVALID_ARGUMENT);
        assert!(error.message.contains(args.name), "{error}");
    }
}

/// Functions that need no handle, or accept that it is null.
const WITHOUT_HANDLE: &[&str] = &[
    "PJRT_Plugin_Initialize",
    "PJRT_Plugin_Attributes",
    "PJRT_Event_Create",
    "PJRT_ExecuteContext_Create",
    "PJRT_Client_Create",
    "PJRT_AsyncTrackingEvent_Destroy",
    "PJRT_Event_Destroy",
    "PJRT_Client_Destroy",
    "PJRT_Executable_Destroy",
    "PJRT_LoadedExecutable_Destroy",
    "PJRT_Buffer_Destroy",
    "PJRT_CopyToDeviceStream_Destroy",
    "PJRT_TopologyDescription_Destroy",
    "PJRT_ExecuteContext_Destroy",
    "PJRT_AsyncHostToDeviceTransferManager_Destroy",
];

#[test]
fn struct_size_of_the_oldest_and_of_newer_callers_bounds_what_is_written_by_every_function() {
    let plugin = plugin();
    for (name, function, args) in functions(&plugin) {
        let newest = args.struct_size.unwrap_or(0);
        let sizes = args.history.iter().filter(|release| release.struct_size >= oldest_size(args));
        let sizes = sizes.map(|release| (release.struct_size, release.len)).chain([(newest + 16, newest + 16)]);
        for (size, len) in sizes {
            let mut block = block(size, len);
            let before = block;
            let outcome = run(&plugin, name, function, &mut block);
            // SAFETY: the words are plain memory.
            let bytes = unsafe { std::slice::from_raw_parts(block.as_ptr().cast::<u8>(), 512) };
            assert!(bytes[len.next_multiple_of(8)..].iter().all(|&byte| byte == 0xA5), "{name} with {size} bytes");
            match outcome {
                Ok(()) => assert!(WITHOUT_HANDLE.contains(&name), "{name} takes null handles"),
                Err(error) => {
                    assert!(!WITHOUT_HANDLE.contains(&name), "{name}: {error}");
                    let code = if name == "PJRT_TopologyDescription_Create" {
                        Code::NOT_FOUND
                    } else {
                        Code::INVALID_ARGUMENT
                    };
                    assert_eq!(error.code, code, "{name}: {error}");
                    assert_eq!(block, before, "{name} failed and wrote");
                }
            }
        }
    }
}

#[test]
fn struct_size_is_right_and_the_handle_is_garbage() {
    let plugin = plugin();
    let outputs_first = |name: &str| {
        ["PJRT_Plugin_Initialize", "PJRT_Plugin_Attributes", "PJRT_Event_Create", "PJRT_ExecuteContext_Create"]
            .contains(&name)
    };
    for (name, function, args) in functions(&plugin) {
        // Errors are addresses, and the two creators take no handle.
        if name.starts_with("PJRT_Error_") || outputs_first(name) || name == "PJRT_Client_Create" {
            continue;
        }
        if ["PJRT_TopologyDescription_Create", "PJRT_TopologyDescription_Deserialize"].contains(&name) {
            continue;
        }
        for garbage in [1u64, 8, 0x7fff_dead_bee8, u64::MAX] {
            let size = args.struct_size.unwrap_or(0);
            let mut block = block(size, size);
            block[2] = garbage;
            let before = block;
            let error = run(&plugin, name, function, &mut block).expect_err(name);
            assert_eq!(error.code, Code::INVALID_ARGUMENT, "{name}: {error}");
            assert_eq!(block, before, "{name} failed and wrote");
        }
    }
}

/// The life of an application, called by a framework of some version.
fn whole_session(caller: Caller) {
    let plugin = plugin().called_by(caller);
    let has = |minor: u16| caller.minor().is_none_or(|own| own >= minor);
    plugin.initialize().unwrap();
    assert!(plugin.attributes().unwrap().len() >= 3);
    let session = Session::new(&plugin);
    let client = &session.client;
    assert_eq!((client.platform_name().unwrap().as_str(), client.process_index().unwrap()), ("test", 0));
    let devices = client.devices().unwrap();
    assert_eq!(devices.len(), 2);
    for (index, device) in devices.iter().enumerate() {
        let description = device.description().unwrap();
        assert_eq!(description.id().unwrap(), index as i32);
        assert_eq!(description.attributes().unwrap().len(), 2);
        assert!(device.is_addressable().unwrap() && device.local_hardware_id().unwrap() == index as i32);
        assert_eq!(device.memory_stats().unwrap().bytes_in_use, 100);
        assert_eq!(device.addressable_memories().unwrap().len(), 2);
        assert_eq!(device.default_memory().unwrap().kind().unwrap(), "device");
        if has(92) {
            assert_eq!(device.attributes().unwrap().len(), 3);
        }
    }
    let x = session.put(&[1.0f32, 2.0, 3.0], &[3]);
    assert_eq!((x.dimensions().unwrap(), x.is_deleted().unwrap(), x.is_on_cpu().unwrap()), (vec![3], false, false));
    assert_eq!(x.on_device_size().unwrap(), 12);
    assert_eq!(x.memory_layout().unwrap(), Layout::row_major(1));
    x.ready_event().unwrap().wait().unwrap();

    let context = has(60).then(|| ExecuteContext::create(client).unwrap());
    let loaded = session.compile("add_one f32[3]");
    let options = ExecuteOptions {
        launch_id: -5,
        context: context.as_ref(),
        call_location: Some(c"here".into()),
        ..ExecuteOptions::default()
    };
    let y = loaded.execute(&[vec![&x]], &options).unwrap().single().unwrap().remove(0);
    assert_eq!(y.to_host_vec::<f32>().unwrap(), [2.0, 3.0, 4.0]);
    {
        let seen = session.script.seen();
        assert_eq!((seen.launch_id, seen.row_major), (-5, true));
        assert_eq!(seen.call_location.as_deref(), has(76).then_some("here"));
    }
    let executable = loaded.executable().unwrap();
    assert_eq!(executable.output_dimensions().unwrap(), [[3]]);
    assert_eq!(executable.output_element_types().unwrap().len(), 1);
    assert_eq!(executable.optimized_program().unwrap().0, "mlir");
    let stats = executable.compiled_memory_stats().unwrap();
    assert_eq!((stats.arguments, stats.outputs), (1, 2));
    let bytes = executable.serialize().unwrap();
    let again = client.deserialize_and_load(&bytes, None).unwrap();
    assert_eq!(again.run(&[&y]).unwrap()[0].to_host_vec::<f32>().unwrap(), [3.0, 4.0, 5.0]);
    let error = session.try_compile("nonsense f32[3]").unwrap_err();
    assert_eq!(error.code, Code::INVALID_ARGUMENT);
    x.delete().unwrap();
    assert!(x.is_deleted().unwrap());
    loaded.delete().unwrap();
    for outcome in [x.destroy(), y.destroy(), executable.destroy(), loaded.destroy(), again.destroy()] {
        outcome.unwrap();
    }
    assert_eq!(session.script.live(), 0);
}

#[test]
fn struct_size_of_every_version_serves_a_whole_session() {
    for minor in OLDEST_MINOR..=PJRT_API_MINOR as u16 {
        println!("0.{minor}");
        whole_session(Caller::at_minor(minor));
    }
}

#[test]
fn struct_size_of_newer_frameworks_serves_a_whole_session() {
    for extra in [8, 16, 64] {
        whole_session(Caller::newer_by(extra));
    }
    whole_session(Caller::current());
}

#[test]
fn struct_size_of_options_decides_which_of_them_are_read() {
    let session = session();
    let loaded = session.compile("constant u8[1]");
    for (size, tasks, row_major) in [(72, false, true), (88, false, true), (112, true, true), (144, true, false)] {
        let ids = [3];
        let incarnations = [9];
        let options = PJRT_ExecuteOptions {
            launch_id: 1,
            num_tasks: 1,
            task_ids: ids.as_ptr().cast_mut(),
            incarnation_ids: incarnations.as_ptr().cast_mut(),
            call_location: c"x".as_ptr(),
            ..Default::default()
        };
        let mut options = ArgsBuf::new(Caller::current(), options).unwrap();
        options.declare(size);
        execute(&session, loaded.raw(), options.as_mut_ptr()).unwrap();
        let seen = session.script.seen();
        assert_eq!(seen.tasks.as_slice(), if tasks { &[(3, 9)][..] } else { &[] }, "{size}");
        assert_eq!((seen.row_major, seen.call_location.is_some()), (row_major, size >= 88), "{size}");
    }
    let mut options = ArgsBuf::new(Caller::current(), PJRT_ExecuteOptions::default()).unwrap();
    options.declare(64);
    let error = execute(&session, loaded.raw(), options.as_mut_ptr()).unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("PJRT_ExecuteOptions"), "{error}");
    let error = execute(&session, loaded.raw(), std::ptr::null_mut()).unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("PJRT_ExecuteOptions"), "{error}");
}

fn execute(
    session: &Session,
    executable: *mut PJRT_LoadedExecutable,
    options: *mut PJRT_ExecuteOptions,
) -> Result<(), Error> {
    let mut outputs = [std::ptr::null_mut()];
    let outputs_of_devices = [outputs.as_mut_ptr()];
    // SAFETY: one device, no arguments, one output.
    let outcome = unsafe {
        pjrt_testkit::call!(
            session.plugin,
            PJRT_LoadedExecutable_Execute {
                executable: executable,
                options: options,
                num_devices: 1,
                output_lists: outputs_of_devices.as_ptr(),
            }
        )
    };
    if outcome.is_ok() {
        // SAFETY: the plugin returned the buffer to us.
        drop(unsafe { pjrt_testkit::Buffer::from_raw(&session.client, outputs[0]) });
    }
    outcome.map(drop)
}

#[test]
fn struct_size_aside_outputs_stay_untouched_when_a_call_fails() {
    let session = session();
    let untouched = std::ptr::dangling_mut::<u64>();
    let array = HostArray::from_slice(&[1.0f32], &[1]);
    let mut args = session
        .plugin
        .arguments("x", |args: &mut pjrt_testkit::sys::PJRT_Client_BufferFromHostBuffer_Args| {
            args.client = session.client.raw();
            args.data = array.bytes.as_ptr().cast();
            args.buffer = untouched.cast();
            args.done_with_host_buffer = untouched.cast();
        })
        .unwrap();
    let function = session.plugin.api().PJRT_Client_BufferFromHostBuffer.unwrap();
    // SAFETY: the Args are whole; there is no device, so that the call fails.
    let error = unsafe { Error::take(&session.plugin, function(args.as_mut_ptr()), "x") };
    assert_eq!(error.unwrap_err().code, Code::INVALID_ARGUMENT);
    let after = args.value();
    assert_eq!((after.buffer, after.done_with_host_buffer), (untouched.cast(), untouched.cast()));

    let options = CompileOptions::default().to_bytes();
    let mut program = session
        .plugin
        .arguments("x", |program: &mut pjrt_testkit::sys::PJRT_Program| {
            program.format = c"mlir".as_ptr();
            program.format_size = 4;
        })
        .unwrap();
    let mut args = session
        .plugin
        .arguments("x", |args: &mut pjrt_testkit::sys::PJRT_Client_Compile_Args| {
            args.client = session.client.raw();
            args.program = program.as_mut_ptr();
            args.compile_options = options.as_ptr().cast();
            args.compile_options_size = options.len();
            args.executable = untouched.cast();
        })
        .unwrap();
    let function = session.plugin.api().PJRT_Client_Compile.unwrap();
    // SAFETY: the Args are whole; the program is empty, so that the call fails.
    let error = unsafe { Error::take(&session.plugin, function(args.as_mut_ptr()), "x") };
    assert_eq!(error.unwrap_err().code, Code::INVALID_ARGUMENT);
    assert_eq!(args.value().executable, untouched.cast());
}
