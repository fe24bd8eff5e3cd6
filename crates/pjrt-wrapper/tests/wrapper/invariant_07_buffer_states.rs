//! Invariant 7: a buffer is live, donated or deleted; its data can be had while it is live, and no handle is
//! believed that was destroyed.

use crate::support::{Session, session};
use pjrt_client_trait::Status;
use pjrt_testkit::sys::{PJRT_Buffer, PJRT_Buffer_Type};
use pjrt_testkit::{Buffer, Code, Error, ExecuteOptions, TransferManager};

fn values(buffer: &Buffer) -> Vec<f32> {
    buffer.to_host_vec().unwrap()
}

fn in_place(session: &Session) -> Vec<bool> {
    std::mem::take(&mut session.script.seen().in_place)
}

/// Every operation on the data of a buffer.
fn data_operations(session: &Session, buffer: &Buffer) -> Vec<(&'static str, Result<(), Error>)> {
    let add_one = session.compile("add_one f32[2]");
    let donate = session.compile("donate f32[2]");
    vec![
        ("to_host", buffer.to_host_into(None, &mut [0; 8])),
        ("copy_raw", buffer.copy_raw_to_host(0, 4).map(drop)),
        ("copy_raw_future", buffer.copy_raw_to_host_future(0, 4).map(|target| drop(target.copy()))),
        ("copy_to_memory", buffer.copy_to_memory(&session.memory(1)).map(drop)),
        ("copy_to_device", buffer.copy_to_device(&session.device(1)).map(drop)),
        ("external_reference", buffer.external_reference().map(drop)),
        ("pointer", buffer.device_pointer().map(drop)),
        ("unsafe_pointer", buffer.unsafe_pointer().map(drop)),
        ("size", buffer.on_device_size().map(drop)),
        ("execute", add_one.run(&[buffer]).map(drop)),
        ("donate", donate.run(&[buffer]).map(drop)),
        ("bitcast", buffer.bitcast(PJRT_Buffer_Type::S32, &[2], None).map(drop)),
        ("control", buffer.donate_with_control_dependency(Ok(())).map(drop)),
        ("ready", buffer.ready_event().and_then(|event| event.wait())),
    ]
}

#[test]
fn buffer_states_data_are_gone_after_deletion_and_donation() {
    let session = session();
    session.script.set(|script| &script.on_cpu, true);
    let deleted = session.put(&[1.0f32, 2.0], &[2]);
    deleted.delete().unwrap();
    let donated = session.put(&[1.0f32, 2.0], &[2]);
    let y = session.compile("donate f32[2]").run(&[&donated]).unwrap().remove(0);
    assert_eq!(values(&y), [2.0, 3.0]);
    for (how, buffer) in [("deleted", &deleted), ("donated", &donated)] {
        assert!(buffer.is_deleted().unwrap());
        for (operation, outcome) in data_operations(&session, buffer) {
            let error = outcome.expect_err(operation);
            assert_eq!(error.code, Code::INVALID_ARGUMENT, "{operation}: {error}");
            assert!(error.message.contains(how), "{operation}: {error} does not say {how}");
        }
        assert_eq!((buffer.dimensions().unwrap(), buffer.host_size().unwrap()), (vec![2], 8));
    }
    assert_eq!(session.script.live(), 1, "only the result has storage");
}

#[test]
fn buffer_states_delete_is_idempotent_and_a_second_destroy_is_caught() {
    let session = session();
    let x = session.put(&[1.0f32, 2.0], &[2]);
    let raw = x.raw();
    for _ in 0..3 {
        x.delete().unwrap();
    }
    x.destroy().unwrap();
    // Others are made in between, so that whatever the handle named is in use again.
    let others: Vec<Buffer> = (0..50).map(|n| session.put(&[n as f32], &[1])).collect();
    for outcome in uses_of_a_dead_handle(&session, raw) {
        let error = outcome.unwrap_err();
        assert_eq!(error.code, Code::INVALID_ARGUMENT, "{error}");
        assert!(error.message.contains("destroyed"), "{error}");
    }
    assert!(others.iter().enumerate().all(|(n, other)| values(other) == [n as f32]));
    drop(others);
    assert_eq!(session.script.live(), 0);
}

fn uses_of_a_dead_handle(session: &Session, buffer: *mut PJRT_Buffer) -> Vec<Result<(), Error>> {
    let plugin = &session.plugin;
    // SAFETY: the handle is dead, which is to be found out.
    unsafe {
        vec![
            pjrt_testkit::call!(plugin, PJRT_Buffer_Destroy { buffer: buffer }).map(drop),
            pjrt_testkit::call!(plugin, PJRT_Buffer_Delete { buffer: buffer }).map(drop),
            pjrt_testkit::call!(plugin, PJRT_Buffer_IsDeleted { buffer: buffer }).map(drop),
            pjrt_testkit::call!(plugin, PJRT_Buffer_Dimensions { buffer: buffer }).map(drop),
            pjrt_testkit::call!(plugin, PJRT_Buffer_ToHostBuffer { src: buffer }).map(drop),
        ]
    }
}

#[test]
fn buffer_states_a_handle_of_another_kind_is_told_apart() {
    let session = session();
    let loaded = session.compile("copy f32[2]");
    let x = session.put(&[1.0f32], &[1]);
    // SAFETY: live handles, of the wrong kind, which is to be found out.
    let (as_buffer, as_client) = unsafe {
        (
            pjrt_testkit::call!(session.plugin, PJRT_Buffer_IsDeleted { buffer: loaded.raw().cast() }),
            pjrt_testkit::call!(session.plugin, PJRT_Client_Devices { client: x.raw().cast() }),
        )
    };
    assert!(as_buffer.unwrap_err().message.contains("is a PJRT_LoadedExecutable"));
    assert!(as_client.unwrap_err().message.contains("is a PJRT_Buffer"));
}

#[test]
fn buffer_states_the_same_buffer_is_donated_once() {
    let session = session();
    let x = session.put(&[1.0f32, 2.0], &[2]);
    for program in ["donate_first f32[2]", "donate_both f32[2]"] {
        let error = session.compile(program).run(&[&x, &x]).unwrap_err();
        assert_eq!(error.code, Code::INVALID_ARGUMENT, "{error}");
        assert!(error.message.contains("donated") && error.message.contains("argument 1"), "{error}");
        assert_eq!((x.is_deleted().unwrap(), values(&x)), (false, vec![1.0, 2.0]));
    }
    let y = session.put(&[5.0f32, 6.0], &[2]);
    session.compile("donate_first f32[2]").run(&[&x, &y]).unwrap();
    assert_eq!((x.is_deleted().unwrap(), y.is_deleted().unwrap()), (true, false));
    let error = session.compile("donate_both f32[2]").run(&[&y, &x]).unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("argument 1"), "{error}");
    assert_eq!(values(&y), [5.0, 6.0], "what was taken for a launch that did not happen is given back");
}

#[test]
fn buffer_states_a_failed_launch_gives_back_what_it_did_not_take() {
    let session = session();
    let x = session.put(&[1.0f32, 2.0], &[2]);
    let error = session.compile("fail f32[2]").run(&[&x]).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Code::RESOURCE_EXHAUSTED, "this program fails"));
    session.script.set(|script| &script.fail_launches, true);
    let donate = session.compile("donate f32[2]");
    assert_eq!(donate.run(&[&x]).unwrap_err().code, Code::UNAVAILABLE);
    session.script.set(|script| &script.fail_launches, false);
    assert_eq!(values(&x), [1.0, 2.0]);
    donate.run(&[&x]).unwrap();
    assert_eq!(in_place(&session), [true], "nobody kept a hold on it");
    // What the backend had taken before it failed is gone.
    let y = session.put(&[1.0f32, 2.0], &[2]);
    session.compile("fail_after_take f32[2]").run(&[&y]).unwrap_err();
    assert!(y.is_deleted().unwrap());
}

#[test]
fn buffer_states_donated_storage_is_reused_in_place_unless_somebody_reads_it() {
    let session = session();
    session.script.set(|script| &script.on_cpu, true);
    let donate = session.compile("donate f32[2]");
    let x = session.put(&[1.0f32, 2.0], &[2]);
    let before = x.unsafe_pointer().unwrap();
    let y = donate.run(&[&x]).unwrap().remove(0);
    assert_eq!((in_place(&session), y.unsafe_pointer().unwrap()), (vec![true], before));

    let held = y.external_reference().unwrap();
    let z = donate.run(&[&y]).unwrap().remove(0);
    assert_eq!(in_place(&session), [false]);
    assert_ne!(z.unsafe_pointer().unwrap(), before);
    assert_eq!(y.device_pointer().unwrap().addr(), before, "the holder still gets the address");
    // SAFETY: the storage is held.
    let seen = unsafe { std::slice::from_raw_parts(y.device_pointer().unwrap().cast::<f32>(), 2) };
    assert_eq!((seen, values(&z).as_slice()), (&[2.0, 3.0][..], &[3.0, 4.0][..]));
    assert_eq!(session.script.live(), 2);
    drop(held);
    assert_eq!(session.script.live(), 1);
    assert_eq!(y.decrease_external_reference_count().unwrap_err().code, Code::INVALID_ARGUMENT);

    // Two buffers that share storage.
    let memory = session.memory(0);
    let (alias, fulfillment) = session.client.alias_buffer(PJRT_Buffer_Type::F32, &[2], None, &memory).unwrap();
    fulfillment.fulfill(&z).unwrap();
    let w = donate.run(&[&z]).unwrap().remove(0);
    assert_eq!((in_place(&session), values(&alias), values(&w)), (vec![false], vec![3.0, 4.0], vec![4.0, 5.0]));

    // A copy to the host that is still waiting.
    session.script.set(|script| &script.pending_puts, true);
    let pending = session.put_pending(&[7.0f32, 8.0], &[2]);
    let target = pending.copy_raw_to_host_future(0, 8).unwrap();
    let running = donate.execute(&[vec![&pending]], &ExecuteOptions::default()).unwrap();
    assert_eq!((in_place(&session), pending.is_deleted().unwrap()), (vec![false], true));
    session.script.complete(&Ok(()));
    assert_eq!(target.copy().unwrap(), [7.0f32.to_le_bytes(), 8.0f32.to_le_bytes()].concat());
    assert_eq!(values(&running.single().unwrap()[0]), [8.0, 9.0]);
}

#[test]
fn buffer_states_external_references_hold_storage_after_deletion() {
    let session = session();
    session.script.set(|script| &script.on_cpu, true);
    let x = session.put(&[1.0f32, 2.0], &[2]);
    assert_eq!(x.decrease_external_reference_count().unwrap_err().code, Code::INVALID_ARGUMENT);
    let first = x.external_reference().unwrap();
    let second = x.external_reference().unwrap();
    let address = x.device_pointer().unwrap();
    x.delete().unwrap();
    assert!(x.is_deleted().unwrap());
    drop(first);
    assert_eq!((session.script.live(), x.device_pointer().unwrap()), (1, address));
    // SAFETY: the storage is held.
    assert_eq!(unsafe { std::slice::from_raw_parts(address.cast::<f32>(), 2) }, [1.0, 2.0]);
    assert!(x.external_reference().is_err(), "a deleted buffer gives out no new holds");
    drop(second);
    assert_eq!(session.script.live(), 0);
    assert_eq!(x.device_pointer().unwrap_err().code, Code::INVALID_ARGUMENT);
}

#[test]
fn buffer_states_a_veto_keeps_the_argument() {
    let session = session();
    let both = session.compile("donate_both f32[2]");
    let x = session.put(&[1.0f32, 2.0], &[2]);
    let y = session.put(&[5.0f32, 6.0], &[2]);
    let options = ExecuteOptions { non_donatable_input_indices: vec![1, -1, 77], ..ExecuteOptions::default() };
    both.execute(&[vec![&x, &y]], &options).unwrap().wait().unwrap();
    assert_eq!((x.is_deleted().unwrap(), y.is_deleted().unwrap()), (true, false));
    assert_eq!(session.script.seen().donated, [true, false]);
    let options = ExecuteOptions { non_donatable_input_indices: vec![0, 1], ..ExecuteOptions::default() };
    both.execute(&[vec![&y, &y]], &options).unwrap().wait().unwrap();
    assert_eq!(values(&y), [5.0, 6.0], "nothing is donated, so it may be passed twice");
}

#[test]
fn buffer_states_a_donation_that_waits_is_taken_at_once_and_given_back_if_nothing_runs() {
    let session = session();
    let memory = session.memory(0);
    let donate = session.compile("donate f32[2]");
    let first = session.compile("donate_first f32[2]");
    let x = session.put(&[1.0f32, 2.0], &[2]);
    let (alias, fulfillment) = session.client.alias_buffer(PJRT_Buffer_Type::F32, &[2], None, &memory).unwrap();
    let running = first.execute(&[vec![&x, &alias]], &ExecuteOptions::default()).unwrap();
    assert!(x.is_deleted().unwrap());
    assert_eq!(donate.run(&[&x]).unwrap_err().code, Code::INVALID_ARGUMENT, "a double donation");
    fulfillment.fail(Code::ABORTED, "never came").unwrap();
    let error = running.wait().unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Code::ABORTED, "never came"));
    assert_eq!(running.outputs[0][0].ready_event().unwrap().wait().unwrap_err().code, Code::ABORTED);
    assert_eq!(values(&x), [1.0, 2.0], "nothing ran, so nothing is consumed");

    // A launch that fails when its turn comes.
    let (alias, fulfillment) = session.client.alias_buffer(PJRT_Buffer_Type::F32, &[2], None, &memory).unwrap();
    let running = first.execute(&[vec![&x, &alias]], &ExecuteOptions::default()).unwrap();
    session.script.set(|script| &script.fail_launches, true);
    fulfillment.fulfill(&session.put(&[9.0f32, 9.0], &[2])).unwrap();
    assert_eq!(running.wait().unwrap_err().code, Code::UNAVAILABLE);
    assert_eq!(values(&x), [1.0, 2.0]);
}

#[test]
fn buffer_states_a_chain_of_waiting_donations_runs_in_place() {
    let session = session();
    let memory = session.memory(0);
    let manager = TransferManager::create(&session.client, &[(PJRT_Buffer_Type::F32, vec![2])], &[], &memory).unwrap();
    let x = manager.retrieve_buffer(0).unwrap();
    let donate = session.compile("donate f32[2]");
    let y = donate.execute(&[vec![&x]], &ExecuteOptions::default()).unwrap().outputs.remove(0).remove(0);
    let z = donate.execute(&[vec![&y]], &ExecuteOptions::default()).unwrap().outputs.remove(0).remove(0);
    assert_eq!((x.is_deleted().unwrap(), y.is_deleted().unwrap(), z.is_deleted().unwrap()), (true, true, false));
    assert!(in_place(&session).is_empty() && session.script.live() == 0);
    manager.transfer_data(0, &[1.0f32.to_le_bytes(), 2.0f32.to_le_bytes()].concat(), 0, true).unwrap();
    assert_eq!(values(&z), [3.0, 4.0]);
    assert_eq!((in_place(&session), session.script.live()), (vec![true, true], 1));
}

#[test]
fn buffer_states_bitcast_and_control_dependency_consume_their_source() {
    let session = session();
    let x = session.put(&[1.0f32, 2.0], &[2]);
    let error = x.bitcast(PJRT_Buffer_Type::F32, &[3], None).unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("12 bytes"), "{error}");
    assert!(!x.is_deleted().unwrap());
    let bits = x.bitcast(PJRT_Buffer_Type::S32, &[1, 2], None).unwrap();
    assert_eq!(bits.to_host_vec::<i32>().unwrap(), [1.0f32.to_bits() as i32, 2.0f32.to_bits() as i32]);
    assert_eq!((bits.dimensions().unwrap(), x.is_deleted().unwrap()), (vec![1, 2], true));
    let back = bits.bitcast(PJRT_Buffer_Type::F32, &[2], None).unwrap();

    let after = back.donate_with_control_dependency(Ok(())).unwrap();
    assert_eq!((back.is_deleted().unwrap(), values(&after)), (true, vec![1.0, 2.0]));
    let failed = after.donate_with_control_dependency(Err((Code::CANCELLED, "not today"))).unwrap();
    let error = failed.ready_event().unwrap().wait().unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Code::CANCELLED, "not today"));
    assert!(after.is_deleted().unwrap());
    assert_eq!(session.script.live(), 0);
    // A source that fails passes its error on.
    session.script.set(|script| &script.pending_puts, true);
    let pending = session.put_pending(&[1.0f32], &[1]);
    let after = pending.donate_with_control_dependency(Ok(())).unwrap();
    assert!(!after.ready_event().unwrap().is_ready().unwrap());
    session.script.complete(&Err(Status::data_loss("lost")));
    assert_eq!(after.ready_event().unwrap().wait().unwrap_err().code, Code::DATA_LOSS);
}
