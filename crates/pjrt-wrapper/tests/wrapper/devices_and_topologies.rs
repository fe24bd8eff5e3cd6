//! Devices beyond what must not fail, assignments, topologies, and what a job tells its clients.

use crate::support::{Session, session};
use pjrt_client_trait::ProcessState;
use pjrt_testkit::sys::{PJRT_Buffer_Type, PJRT_NamedValue, PJRT_ProcessInfo, PJRT_ProcessState};
use pjrt_testkit::{Code, Error, NamedValue, Topology, Value, call};

#[test]
fn devices_are_found_by_id_and_by_hardware_id() {
    let session = session();
    let devices = session.client.devices().unwrap();
    for (index, device) in devices.iter().enumerate() {
        assert_eq!(session.client.lookup_device(index as i32).unwrap().raw(), device.raw());
        assert_eq!(session.client.lookup_addressable_device(index as i32).unwrap().raw(), device.raw());
    }
    for id in [-1, 2, i32::MAX, i32::MIN] {
        for error in
            [session.client.lookup_device(id), session.client.lookup_addressable_device(id)].map(Result::unwrap_err)
        {
            assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains(&id.to_string()), "{error}");
        }
    }
}

#[test]
fn devices_of_an_assignment_are_checked_in_64_bits() {
    let session = session();
    assert_eq!(session.client.default_device_assignment(1, 2, 2).unwrap(), [0, 1]);
    assert_eq!(session.client.default_device_assignment(2, 1, 5).unwrap(), [0, 1, i32::MIN, i32::MIN, i32::MIN]);
    for (replicas, partitions, capacity, code, text) in [
        (0, 1, 9, Code::INVALID_ARGUMENT, "positive"),
        (1, -1, 9, Code::INVALID_ARGUMENT, "positive"),
        (2, 2, 3, Code::FAILED_PRECONDITION, "default_assignment_size 3 < num_replicas * num_partitions, 2 * 2 = 4"),
        (65536, 65537, 65536, Code::FAILED_PRECONDITION, "65536 * 65537 = 4295032832"),
        (i32::MAX, i32::MAX, 4, Code::FAILED_PRECONDITION, "4611686014132420609"),
    ] {
        let error = session.client.default_device_assignment(replicas, partitions, capacity).unwrap_err();
        assert!(error.code == code && error.message.contains(text), "{error}");
    }
    // SAFETY: the null array is to be refused.
    let error = unsafe {
        call!(
            session.plugin,
            PJRT_Client_DefaultDeviceAssignment {
                client: session.client.raw(),
                num_replicas: 1,
                num_partitions: 1,
                default_assignment_size: 1,
            }
        )
    };
    assert_eq!(error.unwrap_err().code, Code::INVALID_ARGUMENT);
}

#[test]
fn devices_that_a_backend_assigns_are_as_many_as_were_asked_for() {
    let session = session();
    session.script.set(|script| &script.wide_assignment, true);
    let errors = [
        session.client.default_device_assignment(1, 1, 1).unwrap_err(),
        session.client.compile(b"copy u8[1]", "mlir", &[]).map(drop).unwrap_err(),
    ];
    for error in errors {
        assert!(error.code == Code::INTERNAL && error.message.contains("gave 2 x 1"), "{error}");
    }
}

#[test]
fn devices_write_every_flag_of_their_statistics() {
    let session = session();
    let device = session.device(0);
    // SAFETY: a live device; the flags begin as garbage, as frameworks leave them.
    let args = unsafe {
        session
            .plugin
            .call(session.plugin.api().PJRT_Device_MemoryStats, "PJRT_Device_MemoryStats", |args| {
                let device = device.raw();
                std::ptr::from_mut(args).cast::<u8>().write_bytes(0x01, size_of_val(args));
                args.extension_start = std::ptr::null_mut();
                args.device = device;
            })
            .unwrap()
    };
    assert_eq!((args.bytes_in_use, args.bytes_limit_is_set, args.bytes_limit), (100, true, 1000));
    assert!(!args.peak_bytes_in_use_is_set && !args.num_allocs_is_set && !args.largest_alloc_size_is_set);
    assert!(!args.bytes_reserved_is_set && !args.peak_bytes_reserved_is_set && !args.bytes_reservable_limit_is_set);
    assert!(!args.largest_free_block_bytes_is_set && !args.pool_bytes_is_set && !args.peak_pool_bytes_is_set);
    assert!(!args.peak_allocated_bytes_is_set);
    device.clear_memory_stats().unwrap();
}

#[test]
fn devices_poison_launches_with_the_error_they_are_given() {
    let session = session();
    let device = session.device(0);
    assert!(device.poison_execution(-3, Code::ABORTED, "poison").unwrap());
    assert!(!device.poison_execution(4, Code::ABORTED, "poison").unwrap());
    let (id, status) = session.script.seen().poisoned.take().unwrap();
    assert_eq!((id, status.code, status.message.as_str()), (4, pjrt_client_trait::Code::Aborted, "poison"));
    assert_eq!(device.poison_execution(4, Code::OK, "").unwrap_err().code, Code::INVALID_ARGUMENT);
    let poison = |payload: &[PJRT_NamedValue]| {
        // SAFETY: a live device, and payloads that outlive the call.
        unsafe {
            call!(
                session.plugin,
                PJRT_Device_PoisonExecution {
                    device: device.raw(),
                    launch_id: 1,
                    error_code: Code::ABORTED.0,
                    payload: payload.as_ptr(),
                    num_payload: payload.len(),
                }
            )
        }
        .map(drop)
    };
    let values = [NamedValue::new("a", Value::String("b".to_owned())), NamedValue::new("c", Value::Float(1.0))];
    let raw = NamedValue::to_raw_array(&values);
    poison(&raw[..1]).unwrap();
    assert_eq!(session.script.seen().poisoned.take().unwrap().1.payloads["a"], b"b");
    let error = poison(&raw).unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("\"c\""), "{error}");
    // SAFETY: null is fine, and anything else is no such event.
    unsafe {
        call!(session.plugin, PJRT_AsyncTrackingEvent_Destroy {}).unwrap();
        let garbage = std::ptr::without_provenance_mut(64);
        let error = call!(session.plugin, PJRT_AsyncTrackingEvent_Destroy { event: garbage }).unwrap_err();
        assert_eq!(error.code, Code::INVALID_ARGUMENT);
    }
}

#[test]
fn devices_share_a_client_that_is_told_of_its_peers() {
    let session = session();
    let info = |task_id, state, code: u32, message: &'static std::ffi::CStr| PJRT_ProcessInfo {
        task_id,
        incarnation_id: 77,
        state: PJRT_ProcessState(state),
        error_code: code as i32,
        error_message: message.as_ptr(),
        error_message_size: message.count_bytes(),
        ..Default::default()
    };
    let all = [info(0, 2, 0, c""), info(1, 3, 14, c"lost"), info(2, 55, 0, c"")];
    session.client.update_global_process_info(&all).unwrap();
    let seen = std::mem::take(&mut session.script.seen().processes);
    assert_eq!((seen[0].state, seen[0].error.is_none(), seen[0].incarnation_id), (ProcessState::Connected, true, 77));
    assert_eq!((seen[1].state, seen[1].error.as_ref().unwrap().message.as_str()), (ProcessState::Error, "lost"));
    assert_eq!(seen[2].state, ProcessState::Unspecified);
    let mut pinned = [0u8; 16];
    let data = pinned.as_mut_ptr();
    // SAFETY: the memory is there.
    let map = |unmap: bool| unsafe {
        let client = session.client.raw();
        match unmap {
            false => {
                call!(session.plugin, PJRT_Client_DmaMap { client: client, data: data.cast(), size: 16 }).map(drop)
            }
            true => call!(session.plugin, PJRT_Client_DmaUnmap { client: client, data: data.cast() }).map(drop),
        }
    };
    map(false).unwrap();
    assert_eq!(session.script.seen().pinned.get(&(data.addr() as u64)), Some(&16));
    map(true).unwrap();
    assert_eq!(map(true).unwrap_err().code, Code::NOT_FOUND);
}

fn create(session: &Session, name: &str) -> Result<Topology, Error> {
    Topology::create(&session.plugin, name, &[])
}

#[test]
fn topologies_come_by_name_and_as_bytes() {
    let session = session();
    let four = create(&session, "4x1").unwrap();
    assert_eq!((four.platform_name().unwrap().as_str(), four.device_descriptions().unwrap().len()), ("test", 4));
    assert_eq!(four.platform_version().unwrap(), "test backend 1");
    let attributes = four.attributes().unwrap();
    assert_eq!((&attributes[0].value, &attributes[1].value), (&Value::Bool(true), &Value::Float(1.5)));
    assert_eq!(create(&session, "ring").unwrap_err().code, Code::NOT_FOUND);
    let option = [NamedValue::new("shape", Value::Int64(1))];
    let error = Topology::create(&session.plugin, "4x1", &option).unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("shape"), "{error}");

    let bytes = four.serialize().unwrap();
    let copy = Topology::deserialize(&session.plugin, &bytes).unwrap();
    assert_eq!(copy.fingerprint().unwrap(), four.fingerprint().unwrap());
    assert_eq!(copy.device_descriptions().unwrap()[3].to_text().unwrap(), "TestDevice(id=3)");
    for position in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[position] ^= 1;
        assert!(Topology::deserialize(&session.plugin, &damaged).is_err(), "byte {position}");
        assert!(Topology::deserialize(&session.plugin, &bytes[..position]).is_err(), "cut at {position}");
    }
    let own = session.client.topology().unwrap();
    assert_ne!(own.fingerprint().unwrap(), four.fingerprint().unwrap());
    assert_eq!(own.fingerprint().unwrap(), create(&session, "2x1").unwrap().fingerprint().unwrap());
    assert!(own.serialize().is_ok());
}

#[test]
fn topologies_make_canonical_shapes_for_their_memories() {
    let session = session();
    let topology = session.client.topology().unwrap();
    assert_eq!(topology.memory_space_kind_ids().unwrap(), [1, 2]);
    let expected = [0x10, 11, 0x1a, 2, 2, 3, 0x2a, 4, 0x0a, 2, 1, 0, 0x32, 2, 0, 0];
    for kind in [1, 2] {
        assert_eq!(topology.canonical_shape(kind, PJRT_Buffer_Type::F32, &[2, 3]).unwrap(), expected);
    }
    for (kind, dims) in [(3, &[2][..]), (0, &[2]), (1, &[-2]), (1, &[i64::MAX, 9])] {
        let error = topology.canonical_shape(kind, PJRT_Buffer_Type::F32, dims).unwrap_err();
        assert_eq!(error.code, Code::INVALID_ARGUMENT, "{error}");
    }
}
