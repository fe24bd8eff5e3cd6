//! Programs in, executables out, and executables as bytes.

use crate::support::session;
use pjrt_testkit::sys::{PJRT_Executable, PJRT_Executable_OptimizedProgram_Args, PJRT_Program};
use pjrt_testkit::{Code, CompileOptions, Error, OptionOverride, Topology, call};

fn options() -> Vec<u8> {
    CompileOptions::on_device(0).to_bytes()
}

#[test]
fn programs_with_bad_options_are_refused_before_their_format_is_looked_at() {
    let session = session();
    let good = CompileOptions::spmd(&[0, 1]).to_bytes();
    let mut refused = 0;
    for cut in 1..good.len() {
        // A cut in front of a field leaves a whole message, which may be a contradiction or not.
        if let Err(error) = session.client.compile(b"copy f32[2]", "mlir", &good[..cut]) {
            assert_eq!(error.code, Code::INVALID_ARGUMENT, "cut at {cut}: {error}");
            refused += 1;
        }
    }
    assert!(refused > good.len() / 2, "{refused} of {}", good.len());
    for garbage in [&b"invalid compile options"[..], &[0xFF; 20], &[0x1a, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]] {
        let error = session.client.compile(b"copy f32[2]", "no format", garbage).unwrap_err();
        assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("compile options"), "{error}");
    }
    assert!(session.script.seen().compiled.as_ref().is_none_or(|(_, options)| options.num_partitions <= 2));
}

#[test]
fn programs_of_unknown_formats_are_refused_by_name_even_without_code() {
    let session = session();
    for format in ["unknown", "MLIR", "", "hlo_with_config", "\u{fffd}"] {
        let error = session.client.compile(b"", format, &options()).unwrap_err();
        assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains(&format!("\"{format}\"")), "{error}");
    }
    // With a null pointer and size 0, as conformance tests send it; and with a null pointer and a size.
    for (format, size, text) in [(c"nothing", 0, "\"nothing\""), (c"mlir", 5, "null"), (c"mlir", 0, "no shape")] {
        let mut program = session
            .plugin
            .arguments("x", |program: &mut PJRT_Program| {
                program.format = format.as_ptr();
                program.format_size = format.count_bytes();
                program.code_size = size;
            })
            .unwrap();
        let place = program.as_mut_ptr();
        // SAFETY: the program is whole but for its null code.
        let error =
            unsafe { call!(session.plugin, PJRT_Client_Compile { client: session.client.raw(), program: place }) };
        let error = error.unwrap_err();
        assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains(text), "{error}");
    }
    let error = session.client.compile(b"x", "hlo", &options()).unwrap_err();
    assert!(error.code == Code::UNIMPLEMENTED && error.message.contains("hlo"), "{error}");
    let error = session.try_compile("copy f32[2").unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("copy f32[2"), "the backend's own words");
}

#[test]
fn programs_reach_the_backend_with_their_options() {
    let session = session();
    let wanted = CompileOptions {
        overrides: vec![
            ("fast".to_owned(), OptionOverride::Bool(true)),
            ("level".to_owned(), OptionOverride::Int(-3)),
            ("name".to_owned(), OptionOverride::String("x".to_owned())),
            ("ratio".to_owned(), OptionOverride::Double(0.5)),
        ],
        ..CompileOptions::spmd(&[1, 0])
    };
    let bytes = wanted.to_bytes();
    let loaded = session.client.compile(b"copy f32[2]", "mlir", &bytes).unwrap();
    let (code, seen) = session.script.seen().compiled.take().unwrap();
    assert_eq!(code, b"copy f32[2]");
    assert_eq!((seen.num_replicas, seen.num_partitions, seen.use_shardy_partitioner), (1, 2, true));
    use pjrt_client_trait::OptionOverride as Value;
    let overrides: Vec<_> = seen.overrides.into_iter().collect();
    assert_eq!(
        overrides,
        [
            ("fast".to_owned(), Value::Bool(true)),
            ("level".to_owned(), Value::Int(-3)),
            ("name".to_owned(), Value::String("x".to_owned())),
            ("ratio".to_owned(), Value::Double(0.5)),
        ]
    );
    assert_eq!(loaded.executable().unwrap().compile_options().unwrap(), bytes);
    let ids: Vec<i32> = loaded.addressable_devices().unwrap().iter().map(|device| device.id().unwrap()).collect();
    assert_eq!(ids, [1, 0]);
}

#[test]
fn programs_need_devices_that_exist() {
    let session = session();
    let compile = |options: CompileOptions| session.client.compile(b"copy f32[2]", "mlir", &options.to_bytes());
    let error = compile(CompileOptions::on_device(7)).unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains('7'), "{error}");
    let twice = compile(CompileOptions::spmd(&[1, 1])).unwrap_err();
    assert!(twice.message.contains("twice"), "{twice}");
    let many = compile(CompileOptions { num_partitions: 3, ..CompileOptions::default() }).unwrap_err();
    assert!(many.code == Code::INVALID_ARGUMENT && many.message.contains("this client has 2"), "{many}");
    let torn = compile(CompileOptions { num_replicas: 2, ..CompileOptions::spmd(&[0, 1]) }).unwrap_err();
    assert_eq!(torn.code, Code::INVALID_ARGUMENT, "{torn}");
    for count in [-1, i64::MAX] {
        let error = compile(CompileOptions { num_replicas: count, ..CompileOptions::default() }).unwrap_err();
        assert_eq!(error.code, Code::INVALID_ARGUMENT, "{error}");
    }
    assert_eq!(compile(CompileOptions::default()).unwrap().addressable_devices().unwrap().len(), 1);
}

#[test]
fn programs_that_want_their_shardings_chosen_are_refused() {
    let session = session();
    // executable_build_options { num_partitions: 2, use_auto_spmd_partitioning: true }
    let error = session.client.compile(b"copy f32[2]", "mlir", &[0x1a, 4, 0x28, 2, 0x38, 1]).unwrap_err();
    assert!(error.code == Code::UNIMPLEMENTED && error.message.contains("in_shardings"), "{error}");
}

#[test]
fn a_program_with_its_options_is_compiled_where_an_executable_is_expected() {
    let session = session();
    let program = b"ML\xEFR, and nothing that the test backend knows";
    let stand_in = |options: &[u8]| {
        let size = (options.len() as u64).to_le_bytes();
        [b"PJRT-RSP", &size[..], options, program].concat()
    };
    let compiled = |bytes: &[u8], options: Option<&[u8]>| {
        let error = session.client.deserialize_and_load(bytes, options);
        assert_eq!(error.unwrap_err().code, Code::INVALID_ARGUMENT, "as from a compilation");
        let (code, options) = session.script.seen().compiled.take()?;
        assert_eq!(code, program);
        Some(options)
    };
    let on_device = |number| CompileOptions::on_device(number).to_bytes();
    let device = |options: Option<pjrt_wrapper::client_trait::CompileOptions>| {
        options.unwrap().device_assignment.unwrap().iter().map(|(_, device)| device.0).collect::<Vec<i32>>()
    };
    assert_eq!(device(compiled(&stand_in(&on_device(1)), None)), [1]);
    // Options that are given replace those inside; where there are none, they are the default ones.
    assert_eq!(device(compiled(&stand_in(&on_device(0)), Some(&on_device(1)))), [1]);
    assert_eq!(device(compiled(&stand_in(b""), Some(&on_device(1)))), [1]);
    assert_eq!(compiled(&stand_in(b""), None), Some(pjrt_wrapper::client_trait::CompileOptions::default()));
    for torn in [&b"PJRT-RSP"[..], b"PJRT-RSP\x03\0\0\0\0\0\0\0ab", b"PJRT-RSP\xff\xff\xff\xff\xff\xff\xff\xffab"] {
        assert_eq!(compiled(torn, None), None);
    }
    assert_eq!(compiled(&stand_in(b"nonsense"), None), None);
    assert!(session.client.deserialize_and_load(program, None).unwrap_err().message.contains("no serialized"));
}

#[test]
fn programs_serialize_as_their_source_or_as_the_backends_own_bytes() {
    let session = session();
    let x = session.put(&[1.0f32, 2.0], &[2]);
    for (program, own, result) in [("add_one f32[2]", false, [2.0, 3.0]), ("serializable f32[2]", true, [1.0, 2.0])] {
        let executable = session.compile(program).executable().unwrap();
        let bytes = executable.serialize().unwrap();
        assert_eq!(bytes.windows(10).any(|window| window == b"own bytes:"), own);
        let loaded = session.client.deserialize_and_load(&bytes, None).unwrap();
        assert_eq!(loaded.run(&[&x]).unwrap()[0].to_host_vec::<f32>().unwrap(), result);
        assert_eq!(loaded.executable().unwrap().compile_options().unwrap(), options());
        let again = loaded.executable().unwrap();
        assert_eq!(again.name().unwrap(), executable.name().unwrap());
        // Options that are given replace those inside.
        let moved =
            session.client.deserialize_and_load(&bytes, Some(&CompileOptions::on_device(1).to_bytes())).unwrap();
        assert_eq!(moved.addressable_devices().unwrap()[0].id().unwrap(), 1);
        let error = session.client.deserialize_and_load(&bytes, Some(b"nonsense")).unwrap_err();
        assert_eq!(error.code, Code::INVALID_ARGUMENT);
        for position in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[position] ^= 0x10;
            assert!(session.client.deserialize_and_load(&damaged, None).is_err(), "byte {position}");
            assert!(session.client.deserialize_and_load(&bytes[..position], None).is_err(), "cut at {position}");
        }
    }
    let error = session.client.deserialize_and_load(b"", None).unwrap_err();
    assert_eq!(error.code, Code::INVALID_ARGUMENT, "{error}");
}

#[test]
fn programs_have_fingerprints_that_depend_on_program_and_options() {
    let session = session();
    let print = |program: &str, options: CompileOptions| {
        let loaded = session.client.compile(program.as_bytes(), "mlir", &options.to_bytes()).unwrap();
        loaded.executable().unwrap().fingerprint().unwrap()
    };
    let base = print("copy f32[2]", CompileOptions::on_device(0));
    assert_eq!(print("copy f32[2]", CompileOptions::on_device(0)), base);
    assert_ne!(print("copy f32[3]", CompileOptions::on_device(0)), base);
    assert_ne!(print("copy f32[2]", CompileOptions::on_device(1)), base);
    assert_eq!(print("serializable f32[2]", CompileOptions::on_device(0)), b"own fingerprint");
}

fn optimized(
    session: &crate::support::Session,
    executable: *mut PJRT_Executable,
    program: *mut PJRT_Program,
) -> Result<(), Error> {
    let function = session.plugin.api().PJRT_Executable_OptimizedProgram;
    let fill =
        |args: &mut PJRT_Executable_OptimizedProgram_Args| (args.executable, args.program) = (executable, program);
    // SAFETY: a live executable; the program has the room it says.
    unsafe { session.plugin.call(function, "PJRT_Executable_OptimizedProgram", fill) }.map(drop)
}

#[test]
fn programs_are_shown_in_two_calls() {
    let session = session();
    let executable = session.compile("copy f32[2]").executable().unwrap();
    assert_eq!(executable.optimized_program().unwrap(), ("mlir".to_owned(), b"optimized copy".to_vec()));
    let mut program =
        session.plugin.arguments("x", |program: &mut PJRT_Program| program.code_size = usize::MAX).unwrap();
    optimized(&session, executable.raw(), program.as_mut_ptr()).unwrap();
    assert_eq!(program.value().code_size, 14, "whatever was there before");
    let mut room = [0u8; 16];
    // SAFETY: the struct is ours.
    unsafe { (*program.as_mut_ptr()).code = room.as_mut_ptr().cast() };
    // SAFETY: as above.
    unsafe { (*program.as_mut_ptr()).code_size = 13 };
    let error = optimized(&session, executable.raw(), program.as_mut_ptr()).unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("14") && error.message.contains("13"));
    assert_eq!(room, [0; 16]);
    // SAFETY: as above.
    unsafe { (*program.as_mut_ptr()).code_size = 16 };
    optimized(&session, executable.raw(), program.as_mut_ptr()).unwrap();
    assert_eq!(&room, b"optimized copy\0\0");
    assert_eq!(optimized(&session, executable.raw(), std::ptr::null_mut()).unwrap_err().code, Code::INVALID_ARGUMENT);
}

#[test]
fn programs_are_compiled_ahead_of_time_and_loaded_later() {
    let session = session();
    let x = session.put(&[1.0f32, 2.0], &[2]);
    let own = session.client.topology().unwrap();
    let created = Topology::create(&session.plugin, "2x1", &[]).unwrap();
    for (topology, client) in [(&own, None), (&created, None), (&own, Some(&session.client))] {
        let executable = topology.compile(b"add_one f32[2]", "mlir", &options(), client).unwrap();
        assert_eq!(executable.name().unwrap(), "jit_add_one");
        assert_eq!(executable.output_memory_kinds().unwrap(), ["device"]);
        assert_eq!(executable.fingerprint().unwrap().len(), 32);
        let loaded = session.client.load(&executable, &[]).unwrap();
        assert_eq!(loaded.run(&[&x]).unwrap()[0].to_host_vec::<f32>().unwrap(), [2.0, 3.0]);
        let moved = session.client.load(&executable, &CompileOptions::on_device(1).to_bytes()).unwrap();
        assert_eq!(moved.addressable_devices().unwrap()[0].id().unwrap(), 1);
        let bytes = executable.serialize().unwrap();
        executable.destroy().unwrap();
        assert_eq!(loaded.run(&[&x]).unwrap().len(), 1);
        session.client.deserialize_and_load(&bytes, None).unwrap().run(&[&x]).unwrap();
    }
    // What a loaded executable gives can be loaded as well.
    let again = session.client.load(&session.compile("add_one f32[2]").executable().unwrap(), &[]).unwrap();
    again.run(&[&x]).unwrap();
    let error = own.compile(b"copy f32[2]", "mlir", b"nonsense", None).unwrap_err();
    assert_eq!(error.code, Code::INVALID_ARGUMENT);
}

#[test]
fn programs_answer_for_what_they_are() {
    let session = session();
    let executable = session.compile("two f32[2,3]").executable().unwrap();
    assert_eq!((executable.num_outputs().unwrap(), executable.size_of_generated_code().unwrap()), (2, 42));
    assert_eq!(executable.output_dimensions().unwrap(), [[2, 3], [2, 3]]);
    assert_eq!(executable.parameter_memory_kinds().unwrap(), ["device"]);
    let cost = executable.cost_analysis().unwrap();
    assert_eq!((cost[0].name.as_str(), &cost[0].value), ("flops", &pjrt_testkit::Value::Float(2.5)));
    let pinned = session.compile("to_pinned f32[2]");
    assert_eq!(pinned.executable().unwrap().output_memory_kinds().unwrap(), ["pinned_host"]);
    let y = pinned.run(&[&session.put(&[1.0f32, 2.0], &[2])]).unwrap().remove(0);
    assert_eq!(y.memory().unwrap().raw(), session.memory(1).raw());
}
