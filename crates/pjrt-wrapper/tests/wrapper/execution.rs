//! Launches: devices, arguments, results, callbacks, contexts.

use crate::support::{Session, session};
use pjrt_testkit::sys::*;
use pjrt_testkit::{Buffer, Code, CompileOptions, Error, Event, ExecuteContext, ExecuteOptions, LoadedExecutable};
use std::ffi::c_void;
use std::sync::Mutex;

#[test]
fn execution_on_two_devices_runs_each_as_its_replica_and_partition() {
    let session = session();
    let spmd = session.compile_spmd("identify s32[2]");
    assert_eq!(spmd.addressable_device_logical_ids().unwrap(), [(0, 0), (0, 1)]);
    let devices: Vec<_> = spmd.addressable_devices().unwrap().iter().map(|device| device.raw()).collect();
    assert_eq!(devices, [session.device(0).raw(), session.device(1).raw()]);
    let results = spmd.execute(&[vec![], vec![]], &ExecuteOptions::default()).unwrap();
    results.wait().unwrap();
    let values: Vec<Vec<i32>> = results.outputs.iter().map(|list| list[0].to_host_vec().unwrap()).collect();
    assert_eq!(values, [[0, 0], [0, 1]]);

    let reversed =
        CompileOptions { num_replicas: 2, device_assignment: Some(vec![vec![1], vec![0]]), ..Default::default() };
    let replicas = session.client.compile(b"identify s32[2]", "mlir", &reversed.to_bytes()).unwrap();
    let results = replicas.execute(&[vec![], vec![]], &ExecuteOptions::default()).unwrap();
    let places: Vec<_> = results
        .outputs
        .iter()
        .map(|list| (list[0].device().unwrap().id().unwrap(), list[0].to_host_vec::<i32>().unwrap()))
        .collect();
    assert_eq!(places, [(1, vec![0, 0]), (0, vec![1, 0])]);
    let executable = replicas.executable().unwrap();
    assert_eq!((executable.num_replicas().unwrap(), executable.num_partitions().unwrap()), (2, 1));

    let error = spmd.execute(&[vec![]], &ExecuteOptions::default()).unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("2 devices"), "{error}");
    // On one of its devices it runs as what it is there.
    let second = session.device(1);
    let options = ExecuteOptions { execute_device: Some(&second), ..ExecuteOptions::default() };
    let results = spmd.execute(&[vec![]], &options).unwrap();
    assert_eq!(results.outputs[0][0].to_host_vec::<i32>().unwrap(), [0, 1]);
    let error = spmd.execute(&[vec![], vec![]], &options).unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("num_devices"), "{error}");
}

#[test]
fn execution_donates_on_each_device() {
    let session = session();
    let donate = session.compile_spmd("donate f32[2]");
    let x = [session.put_on(0, &[1.0f32, 2.0], &[2]), session.put_on(1, &[3.0f32, 4.0], &[2])];
    let results = donate.execute(&[vec![&x[0]], vec![&x[1]]], &ExecuteOptions::default()).unwrap();
    results.wait().unwrap();
    assert!(x.iter().all(|x| x.is_deleted().unwrap()));
    assert_eq!(session.script.seen().in_place, [true, true]);
    let y = &results.outputs;
    // An error with the second device gives back what was taken of the first.
    let error = donate.execute(&[vec![&y[0][0]], vec![&x[1]]], &ExecuteOptions::default()).unwrap_err();
    assert!(error.message.contains("donated"), "{error}");
    assert_eq!(y[0][0].to_host_vec::<f32>().unwrap(), [2.0, 3.0]);
    assert_eq!(y[1][0].to_host_vec::<f32>().unwrap(), [4.0, 5.0]);
}

#[test]
fn execution_of_portable_programs_goes_where_it_is_sent() {
    let session = session();
    let options = CompileOptions { portable: true, ..CompileOptions::default() }.to_bytes();
    let loaded = session.client.compile(b"add_one f32[2]", "mlir", &options).unwrap();
    for index in 0..2 {
        let device = session.device(index);
        let x = session.put_on(index, &[1.0f32, 2.0], &[2]);
        let options = ExecuteOptions { execute_device: Some(&device), ..ExecuteOptions::default() };
        let y = loaded.execute(&[vec![&x]], &options).unwrap().single().unwrap().remove(0);
        assert_eq!((y.device().unwrap().raw(), y.to_host_vec::<f32>().unwrap()), (device.raw(), vec![2.0, 3.0]));
    }
    let fixed = session.compile("add_one f32[2]");
    let device = session.device(1);
    let options = ExecuteOptions { execute_device: Some(&device), ..ExecuteOptions::default() };
    let error = fixed.execute(&[vec![&session.put(&[1.0f32, 2.0], &[2])]], &options).unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("not assigned to device 1"), "{error}");
}

#[test]
fn execution_with_no_results_or_no_arguments() {
    let session = session();
    let x = session.put(&[1.0f32], &[1]);
    let nothing = session.compile("nothing f32[1]");
    assert_eq!(nothing.executable().unwrap().num_outputs().unwrap(), 0);
    assert!(nothing.executable().unwrap().output_dimensions().unwrap().is_empty());
    assert!(nothing.run(&[&x]).unwrap().is_empty());
    let constant = session.compile("constant u8[3]");
    assert_eq!(constant.run(&[]).unwrap()[0].to_host_vec::<u8>().unwrap(), [7, 7, 7]);
    // With no arguments the inner pointers may be anything; with no results, too.
    let garbage = std::ptr::without_provenance::<*mut PJRT_Buffer>(0x7fff_dead_bee8);
    let (arguments, mut out) = ([garbage], [std::ptr::null_mut()]);
    let outputs = [out.as_mut_ptr()];
    raw(&session, &constant, |args| {
        args.argument_lists = arguments.as_ptr();
        args.output_lists = outputs.as_ptr();
    })
    .unwrap();
    // SAFETY: the plugin returned the buffer to us.
    drop(unsafe { Buffer::from_raw(&session.client, out[0]) });
    let x = [x.raw()];
    let (arguments, outputs) = ([x.as_ptr()], [garbage.cast_mut()]);
    raw(&session, &nothing, |args| {
        args.argument_lists = arguments.as_ptr();
        args.num_args = 1;
        args.output_lists = outputs.as_ptr();
    })
    .unwrap();
}

/// A launch on one device without events.
fn raw(
    session: &Session,
    loaded: &LoadedExecutable,
    fill: impl FnOnce(&mut PJRT_LoadedExecutable_Execute_Args),
) -> Result<(), Error> {
    with_options(session, loaded, |_| (), fill)
}

fn with_options(
    session: &Session,
    loaded: &LoadedExecutable,
    options: impl FnOnce(&mut PJRT_ExecuteOptions),
    fill: impl FnOnce(&mut PJRT_LoadedExecutable_Execute_Args),
) -> Result<(), Error> {
    let mut raw = session.plugin.arguments("options", |raw: &mut PJRT_ExecuteOptions| options(raw))?;
    let function = session.plugin.api().PJRT_LoadedExecutable_Execute;
    // SAFETY: what the tests pass is as the header says, or null where that is to be refused.
    unsafe {
        session.plugin.call(function, "PJRT_LoadedExecutable_Execute", |args| {
            args.executable = loaded.raw();
            args.options = raw.as_mut_ptr();
            args.num_devices = 1;
            fill(args);
        })
    }
    .map(drop)
}

#[test]
fn execution_refuses_wrong_arguments_by_name() {
    let session = session();
    let loaded = session.compile("add_one f32[2]");
    let x = session.put(&[1.0f32, 2.0], &[2]);
    let cases = [(vec![], "takes 1 arguments, but 0"), (vec![&x, &x], "takes 1 arguments, but 2")];
    for (arguments, text) in cases {
        let error = loaded.run(&arguments).unwrap_err();
        assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains(text), "{error}");
    }
    let wrong = [
        (session.put(&[1.0f32], &[1]), "must be a f32[2], but a f32[1]"),
        (session.put(&[1i32, 2], &[2]), "must be a f32[2], but a s32[2]"),
        (session.put_on(1, &[1.0f32, 2.0], &[2]), "which device 0 cannot use"),
    ];
    for (argument, text) in &wrong {
        let error = loaded.run(&[argument]).unwrap_err();
        assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains(text), "{error}");
        assert!(error.message.contains("argument 0 of program jit_add_one"), "{error}");
    }
    let null = [std::ptr::null_mut()];
    let (lists, none) = ([null.as_ptr()], [std::ptr::null()]);
    let mut out = [std::ptr::null_mut()];
    let (outputs, no_outputs) = ([out.as_mut_ptr()], [std::ptr::null_mut()]);
    type Fill<'a> = Box<dyn FnOnce(&mut PJRT_LoadedExecutable_Execute_Args) + 'a>;
    let cases: Vec<(&str, Fill<'_>)> = vec![
        (
            "a PJRT_Buffer is null",
            Box::new(|args| {
                (args.argument_lists, args.num_args) = (lists.as_ptr(), 1);
                args.output_lists = outputs.as_ptr();
            }),
        ),
        (
            "argument_lists is null",
            Box::new(|args| {
                args.num_args = 1;
                args.output_lists = outputs.as_ptr();
            }),
        ),
        (
            "inner array of argument_lists is null",
            Box::new(|args| {
                (args.argument_lists, args.num_args) = (none.as_ptr(), 1);
                args.output_lists = outputs.as_ptr();
            }),
        ),
        ("output_lists is null", Box::new(|args| (args.argument_lists, args.num_args) = (lists.as_ptr(), 1))),
        (
            "inner array of output_lists is null",
            Box::new(|args| {
                (args.argument_lists, args.num_args) = (lists.as_ptr(), 1);
                args.output_lists = no_outputs.as_ptr();
            }),
        ),
        ("launched on 3", Box::new(|args| args.num_devices = 3)),
        ("launched on 0", Box::new(|args| args.num_devices = 0)),
    ];
    for (text, fill) in cases {
        let error = raw(&session, &loaded, fill).unwrap_err();
        assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains(text), "{text}: {error}");
    }
    assert!(out[0].is_null());
    let indices = with_options(
        &session,
        &loaded,
        |options| options.num_non_donatable_input_indices = 1,
        |args| {
            (args.argument_lists, args.num_args) = (lists.as_ptr(), 1);
            args.output_lists = outputs.as_ptr();
        },
    );
    assert!(indices.unwrap_err().message.contains("non_donatable_input_indices is null"));
}

#[test]
fn execution_results_are_checked_before_they_are_handed_out() {
    let session = session();
    let x = session.put(&[1.0f32, 2.0], &[2]);
    for (program, text) in [
        ("wrong_count f32[2]", "has 1 results, but returned 0"),
        ("wrong_result f32[2]", "result 0 of program jit_wrong_result is a s8[1] and not a f32[2]"),
        ("wrong_devices f32[2]", "ran on 1 devices and returned results of 0"),
    ] {
        let error = session.compile(program).run(&[&x]).unwrap_err();
        assert!(error.code == Code::INTERNAL && error.message.contains(text), "{error}");
    }
    let error = session.try_compile("wrong_donation f32[2]").unwrap_err();
    assert!(error.code == Code::INTERNAL && error.message.contains("donated parameters [3]"), "{error}");
    assert_eq!(session.script.live(), 1);
}

#[test]
fn execution_options_reach_the_backend() {
    let session = session();
    let loaded = session.compile("constant u8[1]");
    let context = ExecuteContext::create(&session.client).unwrap();
    let options = ExecuteOptions {
        launch_id: i32::MIN,
        call_location: Some(c"file.py:3".into()),
        context: Some(&context),
        without_events: true,
        ..ExecuteOptions::default()
    };
    let execution = loaded.execute(&[vec![]], &options).unwrap();
    assert!(execution.complete.is_empty());
    let seen = session.script.seen();
    assert_eq!(
        (seen.launch_id, seen.call_location.as_deref(), seen.user_data),
        (i32::MIN, Some("file.py:3"), Some(None))
    );
    assert!(seen.row_major);
    drop(seen);
    loaded
        .execute(&[vec![]], &ExecuteOptions { call_location: Some(c"".into()), ..ExecuteOptions::default() })
        .unwrap();
    let seen = session.script.seen();
    assert_eq!((seen.launch_id, seen.call_location.as_deref(), seen.user_data), (0, None, None));
}

/// Replica, operand and bytes of one value of a tapped output.
type Tapped = (i64, i64, Option<Vec<u8>>);

/// What callbacks of a launch saw.
#[derive(Default)]
struct Heard {
    sent: Mutex<Vec<(Vec<u8>, usize, bool)>>,
    tapped: Mutex<Vec<Tapped>>,
    events: Mutex<Vec<(bool, Result<(), Error>)>>,
    deleted: Mutex<usize>,
    session: Option<Session>,
}

unsafe extern "C" fn on_send(
    chunk: *mut PJRT_Chunk,
    make_error: *mut PJRT_CallbackError,
    total: usize,
    done: bool,
    user_arg: *mut c_void,
) -> *mut PJRT_Error {
    // SAFETY: the test passes its state; the chunk is ours and its deleter is called once.
    unsafe {
        let heard = &*user_arg.cast::<Heard>();
        let bytes = std::slice::from_raw_parts((*chunk).data.cast::<u8>(), (*chunk).size).to_vec();
        (*chunk).deleter.unwrap()((*chunk).data, (*chunk).deleter_arg);
        let mut sent = heard.sent.lock().unwrap();
        sent.push((bytes, total, done));
        if sent.len() == 1 {
            return std::ptr::null_mut();
        }
        (*make_error).unwrap()(PJRT_Error_Code::UNAVAILABLE, c"busy".as_ptr(), 4)
    }
}

unsafe extern "C" fn delete_counted(data: *mut c_void, user_arg: *mut c_void) {
    // SAFETY: the test passes its state, and the data came from a leaked box of this size.
    unsafe {
        *(*user_arg.cast::<Heard>()).deleted.lock().unwrap() += 1;
        drop(Box::from_raw(data.cast::<[u8; 8]>()));
    }
}

unsafe extern "C" fn on_recv(stream: *mut PJRT_CopyToDeviceStream, user_arg: *mut c_void) {
    // SAFETY: the test passes its state; the stream is ours until it is destroyed.
    unsafe {
        let heard = &*user_arg.cast::<Heard>();
        let session = heard.session.as_ref().unwrap();
        let plugin = &session.plugin;
        let total = pjrt_testkit::call!(plugin, PJRT_CopyToDeviceStream_TotalBytes { stream: stream }).unwrap();
        let granule = pjrt_testkit::call!(plugin, PJRT_CopyToDeviceStream_GranuleSize { stream: stream }).unwrap();
        assert_eq!((total.total_bytes, granule.granule_size_in_bytes), (8, 4));
        for size in [3, 8, 4] {
            let data = Box::into_raw(Box::new([9u8; 8])).cast();
            let mut chunk = PJRT_Chunk { data, size, deleter: Some(delete_counted), deleter_arg: user_arg };
            let added =
                pjrt_testkit::call!(plugin, PJRT_CopyToDeviceStream_AddChunk { stream: stream, chunk: &raw mut chunk });
            let event = Event::from_raw(&session.client, added.unwrap().transfer_complete);
            heard.events.lock().unwrap().push((size == 8, event.wait()));
        }
        let current = pjrt_testkit::call!(plugin, PJRT_CopyToDeviceStream_CurrentBytes { stream: stream }).unwrap();
        assert_eq!(current.current_bytes, 8);
        pjrt_testkit::call!(plugin, PJRT_CopyToDeviceStream_Destroy { stream: stream }).unwrap();
        // The chunk is the plugin's even when there is no stream any more.
        let data = Box::into_raw(Box::new([9u8; 8])).cast();
        let mut chunk = PJRT_Chunk { data, size: 8, deleter: Some(delete_counted), deleter_arg: user_arg };
        let late =
            pjrt_testkit::call!(plugin, PJRT_CopyToDeviceStream_AddChunk { stream: stream, chunk: &raw mut chunk });
        assert_eq!(late.unwrap_err().code, Code::INVALID_ARGUMENT);
        let null = pjrt_testkit::call!(plugin, PJRT_CopyToDeviceStream_AddChunk { stream: stream });
        assert_eq!(null.unwrap_err().code, Code::INVALID_ARGUMENT);
    }
}

unsafe extern "C" fn on_output(
    replica: i64,
    _partition: i64,
    data: *const c_void,
    dims: *const i64,
    rank: usize,
    ty: PJRT_Buffer_Type,
    operand: i64,
    user_arg: *mut c_void,
) {
    // SAFETY: the test passes its state; data and dims are lent.
    unsafe {
        let heard = &*user_arg.cast::<Heard>();
        let bytes = (!data.is_null()).then(|| {
            assert_eq!((std::slice::from_raw_parts(dims, rank), ty), (&[8i64][..], PJRT_Buffer_Type::U8));
            std::slice::from_raw_parts(data.cast::<u8>(), 8).to_vec()
        });
        assert_eq!(bytes.is_none(), ty == PJRT_Buffer_Type::INVALID);
        heard.tapped.lock().unwrap().push((replica, operand, bytes));
    }
}

#[test]
fn execution_callbacks_send_receive_and_tap() {
    let session = session();
    let x = session.put(&[1u8, 2, 3, 4, 5, 6, 7, 8], &[8]);
    let inputs = [x.raw()];
    let lists = [inputs.as_ptr()];
    let heard = Heard { session: Some(crate::support::session()), ..Heard::default() };
    let user_arg = (&raw const heard).cast_mut().cast();
    let run = |program: &str, options: &dyn Fn(&mut PJRT_ExecuteOptions)| {
        let loaded = session.compile(program);
        let mut out = [std::ptr::null_mut()];
        let outputs = [out.as_mut_ptr()];
        let outcome = with_options(&session, &loaded, options, |args| {
            (args.argument_lists, args.num_args, args.output_lists) = (lists.as_ptr(), 1, outputs.as_ptr());
        });
        if outcome.is_ok() {
            // SAFETY: the plugin returned the buffer to us.
            drop(unsafe { Buffer::from_raw(&session.client, out[0]) });
        }
        outcome
    };
    let mut send = [PJRT_SendCallbackInfo { channel_id: 5, user_arg, send_callback: Some(on_send) }];
    let mut send_lists = [send.as_mut_ptr()];
    let send_lists = send_lists.as_mut_ptr();
    for _ in 0..2 {
        run("send u8[8]", &|options| (options.send_callbacks, options.num_send_ops) = (send_lists, 1)).unwrap();
    }
    assert_eq!(*heard.sent.lock().unwrap(), vec![(vec![1, 2, 3, 4, 5, 6, 7, 8], 8, true); 2]);
    {
        let seen = session.script.seen();
        let refused = seen.sent[1].as_ref().unwrap_err();
        assert_eq!((seen.sent[0].is_ok(), refused.message.as_str()), (true, "busy"));
        assert_eq!(refused.code, pjrt_client_trait::Code::Unavailable);
    }
    let mut recv = [PJRT_RecvCallbackInfo { channel_id: 5, user_arg, recv_callback: Some(on_recv) }];
    let mut recv_lists = [recv.as_mut_ptr()];
    let recv_lists = recv_lists.as_mut_ptr();
    run("recv u8[8]", &|options| (options.recv_callbacks, options.num_recv_ops) = (recv_lists, 1)).unwrap();
    for (fits, outcome) in heard.events.lock().unwrap().iter() {
        assert_eq!(outcome.is_ok(), *fits, "refusals arrive through the event");
    }
    assert_eq!((session.script.seen().received.as_slice(), *heard.deleted.lock().unwrap()), (&[9u8; 8][..], 4));

    let mut taps =
        [PJRT_HloOutputCallbackInfo { callback_id: 7, num_operands: 2, user_arg, callback: Some(on_output) }];
    let taps = taps.as_mut_ptr();
    run("tap u8[8]", &|options| (options.hlo_output_callbacks, options.num_hlo_output_callbacks) = (taps, 1)).unwrap();
    assert_eq!(*heard.tapped.lock().unwrap(), [(0, 0, Some(vec![1, 2, 3, 4, 5, 6, 7, 8])), (0, 1, None), (0, 7, None)]);

    let mut null = [PJRT_SendCallbackInfo { channel_id: 5, user_arg, send_callback: None }];
    let mut null_lists = [null.as_mut_ptr()];
    let null_lists = null_lists.as_mut_ptr();
    let error =
        run("send u8[8]", &|options| (options.send_callbacks, options.num_send_ops) = (null_lists, 1)).unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("send callback 5"), "{error}");
    let error = run("send u8[8]", &|options| options.num_send_ops = 1).unwrap_err();
    assert!(error.message.contains("send_callbacks is null"), "{error}");
}

#[test]
fn execution_on_one_device_takes_no_send_and_recv_callbacks() {
    let session = session();
    let loaded = session.compile("constant u8[1]");
    let device = session.device(0);
    let error =
        with_options(&session, &loaded, |options| options.num_send_ops = 1, |args| args.execute_device = device.raw());
    assert_eq!(error.unwrap_err().code, Code::UNIMPLEMENTED);
}
