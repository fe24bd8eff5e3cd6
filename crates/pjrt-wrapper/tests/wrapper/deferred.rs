//! Buffers that do not exist yet or never will: aliases, errors, and launches that wait for them.

use crate::support::{Session, session};
use pjrt_client_trait::Status;
use pjrt_testkit::sys::PJRT_Buffer_Type;
use pjrt_testkit::{AliasFulfillment, Buffer, Code, ExecuteOptions, Layout, NamedValue, Value};

const F32: PJRT_Buffer_Type = PJRT_Buffer_Type::F32;

fn alias(session: &Session) -> (Buffer, AliasFulfillment) {
    session.client.alias_buffer(F32, &[2], None, &session.memory(0)).unwrap()
}

#[test]
fn deferred_buffers_become_what_fulfils_them() {
    let session = session();
    session.script.set(|script| &script.on_cpu, true);
    let (alias, fulfillment) = alias(&session);
    let event = alias.ready_event().unwrap();
    assert!(!event.is_ready().unwrap() && !alias.is_on_cpu().unwrap());
    assert_eq!(alias.device_pointer().unwrap_err().code, Code::UNIMPLEMENTED);
    let x = session.put(&[1.0f32, 2.0], &[2]);
    fulfillment.fulfill(&x).unwrap();
    event.wait().unwrap();
    assert!(alias.is_on_cpu().unwrap());
    assert_eq!(alias.unsafe_pointer().unwrap(), x.unsafe_pointer().unwrap(), "they share storage");
    x.destroy().unwrap();
    assert_eq!(alias.to_host_vec::<f32>().unwrap(), [1.0, 2.0]);
    assert_eq!(session.script.live(), 1);
}

#[test]
fn deferred_buffers_may_be_fulfilled_by_pending_and_by_deferred_ones() {
    let session = session();
    let (first, first_fulfillment) = alias(&session);
    let (second, second_fulfillment) = alias(&session);
    second_fulfillment.fulfill(&first).unwrap();
    session.script.set(|script| &script.pending_puts, true);
    let x = session.put_pending(&[1.0f32, 2.0], &[2]);
    first_fulfillment.fulfill(&x).unwrap();
    assert!(!second.ready_event().unwrap().is_ready().unwrap());
    session.script.complete(&Ok(()));
    assert_eq!(second.to_host_vec::<f32>().unwrap(), [1.0, 2.0]);
}

#[test]
fn deferred_buffers_fail_with_what_they_are_told() {
    let session = session();
    let (alias, fulfillment) = alias(&session);
    let copy = alias.copy_to_memory(&session.memory(2)).unwrap();
    fulfillment.fail(Code::UNAVAILABLE, "gone").unwrap();
    for buffer in [&alias, &copy] {
        let error = buffer.ready_event().unwrap().wait().unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (Code::UNAVAILABLE, "gone"));
    }
    let error = alias.on_device_size().unwrap_err();
    assert_eq!(error.code, Code::UNAVAILABLE);
}

#[test]
fn deferred_buffers_are_fulfilled_once_by_what_they_promised() {
    let session = session();
    let wrong = [session.put(&[1.0f32], &[1]), session.put(&[1i32, 2], &[2]), session.put_on(1, &[1.0f32, 2.0], &[2])];
    for wrong in &wrong {
        let (alias, fulfillment) = alias(&session);
        let error = fulfillment.fulfill(wrong).unwrap_err();
        assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("cannot fulfil"), "{error}");
        assert_eq!(
            alias.ready_event().unwrap().wait().unwrap_err().code,
            Code::INVALID_ARGUMENT,
            "used up all the same"
        );
    }
    let layout = Layout::Tiled { minor_to_major: vec![0, 1], tile_dims: vec![], tile_dim_sizes: vec![] };
    let memory = session.memory(0);
    let (_, fulfillment) = session.client.alias_buffer(F32, &[2, 1], Some(&layout), &memory).unwrap();
    let error = fulfillment.fulfill(&session.put(&[1.0f32, 2.0], &[2, 1])).unwrap_err();
    assert!(error.message.contains("{1,0}") && error.message.contains("{0,1}"), "{error}");
    let (own, fulfillment) = alias(&session);
    let error = fulfillment.fulfill(&own).unwrap_err();
    assert!(error.message.contains("itself"), "{error}");
}

#[test]
fn deferred_buffers_are_told_apart_from_misuse_of_their_handle() {
    let session = session();
    // SAFETY: live handles of the client; the fulfilment handle is used up by the first call, and null is
    // refused.
    unsafe {
        let memory = session.memory(0);
        let dims = [2i64];
        let made = pjrt_testkit::call!(
            session.plugin,
            PJRT_Client_CreateAliasBuffer {
                client: session.client.raw(),
                memory: memory.raw(),
                shape_dims: dims.as_ptr(),
                shape_num_dims: 1,
                shape_element_type: F32,
            }
        )
        .unwrap();
        let alias = Buffer::from_raw(&session.client, made.alias_buffer);
        let fulfil = |handle| {
            pjrt_testkit::call!(
                session.plugin,
                PJRT_Client_FulfillAliasBuffer { client: session.client.raw(), fulfill_alias_buffer_cb: handle }
            )
        };
        let error = fulfil(made.fulfill_alias_buffer_cb).unwrap_err();
        assert_eq!(error.code, Code::INVALID_ARGUMENT, "OK without a buffer: {error}");
        assert!(alias.ready_event().unwrap().wait().is_err());
        assert_eq!(fulfil(made.fulfill_alias_buffer_cb).unwrap_err().code, Code::INVALID_ARGUMENT);
        assert_eq!(fulfil(std::ptr::null_mut()).unwrap_err().code, Code::INVALID_ARGUMENT);
    }
}

#[test]
fn deferred_error_buffers_pass_their_error_on() {
    let session = session();
    let memory = session.memory(0);
    let payload = [NamedValue::new("why", Value::String("because".to_owned()))];
    let x = session.client.error_buffer(Code::DATA_LOSS, "bad sector", &payload, F32, &[2], &memory).unwrap();
    let error = x.ready_event().unwrap().wait().unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Code::DATA_LOSS, "bad sector"));
    assert_eq!(error.payloads, [("why".to_owned(), b"because".to_vec())]);
    assert_eq!(x.to_host_into(None, &mut [0; 8]).unwrap_err().code, Code::DATA_LOSS);

    let donate = session.compile("donate_first f32[2]");
    let y = session.put(&[1.0f32, 2.0], &[2]);
    let results = donate.execute(&[vec![&y, &x]], &ExecuteOptions::default()).unwrap();
    let error = results.wait().unwrap_err();
    assert_eq!((error.code, error.payloads.len()), (Code::DATA_LOSS, 1));
    let output = &results.outputs[0][0];
    assert_eq!(output.ready_event().unwrap().wait().unwrap_err().code, Code::DATA_LOSS);
    assert_eq!(output.dimensions().unwrap(), [2]);
    assert_eq!(y.to_host_vec::<f32>().unwrap(), [1.0, 2.0], "nothing ran");
    let next = session.compile("two f32[2]").execute(&[vec![output]], &ExecuteOptions::default()).unwrap();
    assert!(next.outputs[0].iter().all(|output| output.ready_event().unwrap().wait().is_err()));
    let ok = session.client.error_buffer(Code::OK, "", &[], F32, &[2], &memory).unwrap_err();
    assert_eq!(ok.code, Code::INVALID_ARGUMENT);
    x.delete().unwrap();
    assert!(x.is_deleted().unwrap());
}

#[test]
fn deferred_launches_run_when_the_last_argument_exists() {
    let session = session();
    let program = session.compile("donate_both f32[2]");
    let (a, fulfil_a) = alias(&session);
    let (b, fulfil_b) = alias(&session);
    let running = program.execute(&[vec![&a, &b]], &ExecuteOptions::default()).unwrap();
    let next =
        session.compile("two f32[2]").execute(&[vec![&running.outputs[0][0]]], &ExecuteOptions::default()).unwrap();
    fulfil_b.fulfill(&session.put(&[5.0f32, 6.0], &[2])).unwrap();
    assert!(!running.complete[0].is_ready().unwrap() && session.script.seen().in_place.is_empty());
    fulfil_a.fulfill(&session.put(&[1.0f32, 2.0], &[2])).unwrap();
    running.wait().unwrap();
    let outputs = next.single().unwrap();
    assert_eq!(outputs[0].to_host_vec::<f32>().unwrap(), [2.0, 3.0]);
    assert_eq!(outputs[1].to_host_vec::<f32>().unwrap(), [3.0, 4.0]);
}

#[test]
fn deferred_results_say_beforehand_what_they_will_be() {
    let session = session();
    for (program, memory, layout) in [
        ("copy f32[2,1]", 0, Layout::row_major(2)),
        ("to_pinned f32[2,1]", 1, Layout::row_major(2)),
        (
            "column_major f32[2,1]",
            0,
            Layout::Tiled { minor_to_major: vec![0, 1], tile_dims: vec![], tile_dim_sizes: vec![] },
        ),
    ] {
        let memory_of_alias = session.memory(0);
        let (alias, fulfillment) = session.client.alias_buffer(F32, &[2, 1], None, &memory_of_alias).unwrap();
        let loaded = session.compile(program);
        let running = loaded.execute(&[vec![&alias]], &ExecuteOptions::default()).unwrap();
        let facts = |buffer: &Buffer| (buffer.memory().unwrap().raw(), buffer.memory_layout().unwrap());
        let promised = facts(&running.outputs[0][0]);
        assert_eq!(promised, (session.memory(memory).raw(), layout), "{program}");
        let x = session.put(&[1.0f32, 2.0], &[2, 1]);
        fulfillment.fulfill(&x).unwrap();
        running.wait().unwrap();
        assert_eq!(facts(&loaded.run(&[&x]).unwrap()[0]), promised, "{program}");
    }
}

#[test]
fn deferred_failures_of_the_backend_reach_outputs_and_event() {
    let session = session();
    let x = session.put(&[1.0f32, 2.0], &[2]);
    let results = session.compile("fail_later f32[2]").execute(&[vec![&x]], &ExecuteOptions::default()).unwrap();
    assert_eq!(results.wait().unwrap_err().code, Code::DATA_LOSS);
    assert_eq!(results.outputs[0][0].to_host_into(None, &mut [0; 8]).unwrap_err().code, Code::DATA_LOSS);
    let results = session.compile("pending f32[2]").execute(&[vec![&x]], &ExecuteOptions::default()).unwrap();
    assert!(!results.complete[0].is_ready().unwrap());
    session.script.complete(&Err(Status::unavailable("unplugged")));
    assert_eq!(results.wait().unwrap_err().message, "unplugged");
    assert_eq!(results.outputs[0][0].ready_event().unwrap().wait().unwrap_err().message, "unplugged");
}
