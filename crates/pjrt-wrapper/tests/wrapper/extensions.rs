//! The extensions: layouts, shardings, memory descriptions, FFI, and those of a backend's own.

use crate::support::{FIRST_EXTENSION, Session, call_extension, plugin, session};
use pjrt_testkit::sys::*;
use pjrt_testkit::{Code, Error, ExecuteContext};
use std::ffi::c_char;

/// Copies lent bytes.
///
/// # Safety
/// `data` is null or points to `size` bytes.
unsafe fn bytes(data: *const c_char, size: usize) -> Vec<u8> {
    if data.is_null() {
        return Vec::new();
    }
    // SAFETY: the contract of this function.
    unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) }.to_vec()
}

#[test]
fn extensions_are_found_in_the_chain_once_each() {
    let kinds: Vec<u32> = plugin().extensions().iter().map(|node| node.kind.0).collect();
    assert_eq!(kinds, [4, 19, 6, 5, FIRST_EXTENSION]);
}

fn text(session: &Session, layout: *mut PJRT_Layouts_MemoryLayout) -> String {
    let layouts = session.plugin.extension::<PJRT_Layouts_Extension>().unwrap();
    // SAFETY: a live layout; the deleter is called once.
    unsafe {
        let args =
            session.plugin.call(layouts.PJRT_Layouts_MemoryLayout_Serialize, "x", |args| args.layout = layout).unwrap();
        let text = bytes(args.serialized_bytes, args.serialized_bytes_size);
        args.serialized_layout_deleter.unwrap()(args.serialized_layout);
        String::from_utf8(text).unwrap()
    }
}

#[test]
fn extensions_layouts_are_those_of_buffers_programs_and_defaults() {
    let session = session();
    let (plugin, layouts) = (&session.plugin, session.plugin.extension::<PJRT_Layouts_Extension>().unwrap());
    let x = session.put(&[0.0f32; 6], &[2, 3]);
    let executable = session.compile("column_major f32[2,3]").executable().unwrap();
    let topology = session.client.topology().unwrap();
    let dims = [2i64, 3];
    let destroy = |layout| {
        // SAFETY: a layout of ours, live the first time and refused the second.
        unsafe { plugin.call(layouts.PJRT_Layouts_MemoryLayout_Destroy, "x", |args| args.layout = layout) }
    };
    // SAFETY: live handles.
    unsafe {
        let of_buffer = plugin.call(layouts.PJRT_Layouts_PJRT_Buffer_MemoryLayout, "x", |args| args.buffer = x.raw());
        let of_client = plugin.call(layouts.PJRT_Layouts_PJRT_Client_GetDefaultLayout, "x", |args| {
            args.client = session.client.raw();
            (args.type_, args.dims, args.num_dims) = (PJRT_Buffer_Type::F32, dims.as_ptr(), 2);
        });
        let of_topology = plugin.call(layouts.PJRT_Layouts_PJRT_Topology_GetDefaultLayout, "x", |args| {
            args.topology_description = topology.raw();
            (args.type_, args.dims, args.num_dims) = (PJRT_Buffer_Type::F32, dims.as_ptr(), 2);
        });
        for layout in [of_buffer.unwrap().layout, of_client.unwrap().layout, of_topology.unwrap().layout] {
            assert_eq!(text(&session, layout), "{1,0}");
            destroy(layout).unwrap();
            assert_eq!(destroy(layout).unwrap_err().code, Code::INVALID_ARGUMENT);
        }
        destroy(std::ptr::null_mut()).unwrap();
        let outputs = plugin
            .call(layouts.PJRT_Layouts_PJRT_Executable_GetOutputLayouts, "x", |args| args.executable = executable.raw())
            .unwrap();
        let parameters = plugin
            .call(layouts.PJRT_Layouts_PJRT_Executable_GetParameterLayouts, "x", |args| {
                args.executable = executable.raw()
            })
            .unwrap();
        assert_eq!((outputs.num_outputs, text(&session, *outputs.layouts).as_str()), (1, "{0,1}"));
        assert_eq!((parameters.num_parameters, text(&session, *parameters.layouts).as_str()), (1, "{1,0}"));
    }
    session.script.set(|script| &script.column_major, true);
    let y = session.put(&[0.0f32; 6], &[2, 3]);
    // SAFETY: a live buffer.
    let layout =
        unsafe { plugin.call(layouts.PJRT_Layouts_PJRT_Buffer_MemoryLayout, "x", |args| args.buffer = y.raw()) };
    let layout = layout.unwrap().layout;
    assert_eq!(text(&session, layout), "{0,1}");
    destroy(layout).unwrap();
}

#[test]
fn extensions_shardings_are_protos_or_not_known() {
    let session = session();
    let shardings = session.plugin.extension::<PJRT_Shardings_Extension>().unwrap();
    for (program, known) in [("sharded f32[2]", true), ("copy f32[2]", false)] {
        let executable = session.compile_spmd(program).executable().unwrap();
        // SAFETY: a live executable, whose arrays are read while it lives.
        unsafe {
            let raw = executable.raw();
            let outputs = session
                .plugin
                .call(shardings.PJRT_Shardings_PJRT_Executable_OutputShardings, "x", |args| args.executable = raw)
                .unwrap();
            let parameters = session
                .plugin
                .call(shardings.PJRT_Shardings_PJRT_Executable_ParameterShardings, "x", |args| args.executable = raw)
                .unwrap();
            if known {
                assert_eq!((outputs.num_outputs, parameters.num_parameters), (1, 1));
                let tiled = [0x08, 3, 0x1a, 2, 2, 1, 0x22, 2, 0, 1];
                assert_eq!(bytes(*outputs.shardings, *outputs.sharding_sizes), tiled);
                assert_eq!(*parameters.sharding_sizes, 0, "replicated is the empty message");
            } else {
                assert_eq!((outputs.num_outputs, outputs.shardings.is_null()), (0, true));
                assert_eq!((parameters.num_parameters, parameters.shardings.is_null()), (0, true));
            }
        }
    }
}

#[test]
fn extensions_memory_descriptions_belong_to_descriptions_with_and_without_a_client() {
    let session = session();
    let memories = session.plugin.extension::<PJRT_MemoryDescriptions_Extension>().unwrap();
    let topology = pjrt_testkit::Topology::create(&session.plugin, "2x1", &[]).unwrap();
    let descriptions = [session.device(0).description().unwrap(), topology.device_descriptions().unwrap().remove(1)];
    for description in descriptions {
        // SAFETY: a live description.
        unsafe {
            let all = session
                .plugin
                .call(memories.PJRT_DeviceDescription_MemoryDescriptions, "x", |args| {
                    args.device_description = description.raw();
                })
                .unwrap();
            assert_eq!((all.num_memory_descriptions, all.default_memory_index), (2, 0));
            let kinds = std::slice::from_raw_parts(all.memory_descriptions, 2).iter().map(|&description| {
                let args = session
                    .plugin
                    .call(memories.PJRT_MemoryDescription_Kind, "x", |args| {
                        args.memory_description = description.cast()
                    })
                    .unwrap();
                (bytes(args.kind, args.kind_size), args.kind_id)
            });
            assert_eq!(kinds.collect::<Vec<_>>(), [(b"device".to_vec(), 1), (b"pinned_host".to_vec(), 2)]);
        }
    }
}

fn register_type(session: &Session, name: &str, id: i64) -> Result<i64, Error> {
    let ffi = session.plugin.extension::<PJRT_FFI_Extension>().unwrap();
    // SAFETY: the name outlives the call; type info may be null.
    unsafe {
        session.plugin.call(ffi.type_register, "x", |args| {
            (args.type_name, args.type_name_size, args.type_id) = (name.as_ptr().cast(), name.len(), id);
        })
    }
    .map(|args| args.type_id)
}

#[test]
fn extensions_ffi_registers_types_handlers_and_user_data() {
    let session = session();
    let ffi = session.plugin.extension::<PJRT_FFI_Extension>().unwrap();
    assert_eq!(register_type(&session, "known", 0).unwrap(), 7);
    assert_eq!(register_type(&session, "known", 7).unwrap(), 7);
    assert_eq!(register_type(&session, "known", 8).unwrap_err().code, Code::INVALID_ARGUMENT);
    let handler = |target: &str, address: usize| {
        // SAFETY: the names outlive the call; the address is only kept.
        unsafe {
            session.plugin.call(ffi.register_handler, "x", |args| {
                (args.target_name, args.target_name_size) = (target.as_ptr().cast(), target.len());
                (args.platform_name, args.platform_name_size) = (c"test".as_ptr(), 4);
                args.handler = std::ptr::without_provenance_mut(address);
            })
        }
    };
    handler("my_call", 64).unwrap();
    assert_eq!(handler("my_call", 64).unwrap_err().code, Code::ALREADY_EXISTS);
    assert_eq!(handler("other", 0).unwrap_err().code, Code::INVALID_ARGUMENT);
    assert_eq!(handler("my\u{0}call", 64).map(drop), Ok(()), "names have a length");

    let context = ExecuteContext::create(&session.client).unwrap();
    let add = |context: *mut PJRT_ExecuteContext, type_id| {
        // SAFETY: a live context, or null, which is refused.
        unsafe {
            session.plugin.call(ffi.user_data_add, "x", |args| {
                args.context = context;
                args.user_data.type_id = type_id;
                args.user_data.data = std::ptr::without_provenance_mut(4096);
            })
        }
    };
    add(context.raw(), 7).unwrap();
    assert_eq!(add(context.raw(), 7).unwrap_err().code, Code::ALREADY_EXISTS);
    assert_eq!(add(std::ptr::null_mut(), 7).unwrap_err().code, Code::INVALID_ARGUMENT);
    let options = pjrt_testkit::ExecuteOptions { context: Some(&context), ..Default::default() };
    session.compile("constant u8[1]").execute(&[vec![]], &options).unwrap();
    assert_eq!(session.script.seen().user_data, Some(Some(4096)));
}

#[test]
fn extensions_of_a_backends_own_are_called_by_method() {
    let session = session();
    let call = |method: &str, input: &[u8]| call_extension(&session.plugin, FIRST_EXTENSION, method, input);
    assert_eq!(call("reverse", b"abc").unwrap(), b"cba");
    assert!(call("reverse", b"").unwrap().is_empty());
    let error = call("sort", b"abc").unwrap_err();
    assert!(error.code == Code::UNIMPLEMENTED && error.message.contains("sort"), "{error}");
}
