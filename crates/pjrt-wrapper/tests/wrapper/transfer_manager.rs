//! Buffers that are filled piece by piece.

use crate::support::{Session, session};
use pjrt_testkit::sys::PJRT_Buffer_Type;
use pjrt_testkit::{Code, HostArray, Layout, NamedValue, TransferManager, Value};
use std::sync::{Arc, mpsc};

const U8: PJRT_Buffer_Type = PJRT_Buffer_Type::U8;

fn manager(session: &Session, shapes: &[(PJRT_Buffer_Type, Vec<i64>)]) -> TransferManager {
    TransferManager::create(&session.client, shapes, &[], &session.memory(2)).unwrap()
}

#[test]
fn transfer_managers_fill_buffers_in_any_order() {
    let session = session();
    let manager = manager(&session, &[(U8, vec![2, 2]), (PJRT_Buffer_Type::F32, vec![])]);
    assert_eq!(
        (manager.buffer_count().unwrap(), manager.buffer_size(0).unwrap(), manager.buffer_size(1).unwrap()),
        (2, 4, 4)
    );
    assert_eq!(manager.device().unwrap().raw(), session.device(1).raw());
    let early = manager.retrieve_buffer(0).unwrap();
    assert_eq!((early.dimensions().unwrap(), early.memory().unwrap().raw()), (vec![2, 2], session.memory(2).raw()));
    manager.transfer_data(0, &[4], 3, false).unwrap();
    manager.transfer_data(0, &[], 4, false).unwrap();
    assert!(!early.ready_event().unwrap().is_ready().unwrap());
    manager.transfer_data(0, &[1, 2, 3], 0, true).unwrap();
    assert_eq!(early.to_host_vec::<u8>().unwrap(), [1, 2, 3, 4]);
    manager.transfer_literal(1, &HostArray::from_slice(&[2.5f32], &[])).unwrap();
    let late = manager.retrieve_buffer(1).unwrap();
    manager.destroy().unwrap();
    assert_eq!(late.to_host_vec::<f32>().unwrap(), [2.5]);
}

#[test]
fn transfer_managers_refuse_what_does_not_fit() {
    let session = session();
    let manager = manager(&session, &[(U8, vec![4])]);
    for (index, offset) in [(1, 0), (-1, 0), (0, 1), (0, -1), (0, i64::MAX)] {
        let error = manager.transfer_data(index, &[0; 4], offset, true).unwrap_err();
        assert_eq!(error.code, Code::INVALID_ARGUMENT, "{index} {offset}: {error}");
    }
    let error = manager.transfer_literal(0, &HostArray::from_slice(&[1u8, 2], &[2])).unwrap_err();
    assert!(error.message.contains("u8[2]") && error.message.contains("u8[4]"), "{error}");
    manager.retrieve_buffer(0).unwrap();
    assert_eq!(manager.retrieve_buffer(0).unwrap_err().code, Code::FAILED_PRECONDITION);
    manager.transfer_data(0, &[0; 4], 0, true).unwrap();
    assert_eq!(manager.transfer_data(0, &[0; 4], 0, true).unwrap_err().code, Code::FAILED_PRECONDITION);
    assert_eq!(manager.set_buffer_error(0, Code::ABORTED, "x").unwrap_err().code, Code::FAILED_PRECONDITION);
    let metadata = [NamedValue::new("a", Value::String("b".to_owned()))];
    manager.add_metadata(&metadata).unwrap();
    assert_eq!(
        manager.add_metadata(&[NamedValue::new("a", Value::Bool(true))]).unwrap_err().code,
        Code::INVALID_ARGUMENT
    );
}

#[test]
fn transfer_managers_end_what_is_never_filled() {
    let session = session();
    let manager = manager(&session, &[(U8, vec![4]), (U8, vec![4])]);
    let failed = manager.retrieve_buffer(0).unwrap();
    let forgotten = manager.retrieve_buffer(1).unwrap();
    manager.set_buffer_error(0, Code::ABORTED, "no data").unwrap();
    assert_eq!(failed.ready_event().unwrap().wait().unwrap_err().message, "no data");
    assert_eq!(manager.set_buffer_error(1, Code::OK, "").unwrap_err().code, Code::INVALID_ARGUMENT);
    let event = forgotten.ready_event().unwrap();
    manager.destroy().unwrap();
    assert_eq!(event.wait().unwrap_err().code, Code::FAILED_PRECONDITION);
}

#[test]
fn transfer_managers_take_pieces_in_the_layout_of_the_device() {
    let session = session();
    let memory = session.memory(0);
    let column_major = Layout::Tiled { minor_to_major: vec![0, 1], tile_dims: vec![], tile_dim_sizes: vec![] };
    let shapes = [(U8, vec![2, 3]), (U8, vec![2, 3])];
    let layouts = [Some(column_major.clone()), None];
    let manager = TransferManager::create(&session.client, &shapes, &layouts, &memory).unwrap();
    for index in 0..2 {
        manager.transfer_data(index, &[0, 1, 2, 3, 4, 5], 0, true).unwrap();
    }
    let first = manager.retrieve_buffer(0).unwrap();
    assert_eq!(first.memory_layout().unwrap(), column_major);
    assert_eq!(first.to_host_vec::<u8>().unwrap(), [0, 2, 4, 1, 3, 5]);
    assert_eq!(manager.retrieve_buffer(1).unwrap().to_host_vec::<u8>().unwrap(), [0, 1, 2, 3, 4, 5]);
    let tiled = Layout::Tiled { minor_to_major: vec![1, 0], tile_dims: vec![2, 2], tile_dim_sizes: vec![2] };
    for (bad, code) in [(tiled, Code::UNIMPLEMENTED), (Layout::Strides(vec![3, 1]), Code::INVALID_ARGUMENT)] {
        let error = TransferManager::create(&session.client, &shapes[..1], &[Some(bad)], &memory).unwrap_err();
        assert_eq!(error.code, code, "{error}");
    }
    let error = TransferManager::create(&session.client, &shapes, &layouts[..1], &memory).unwrap_err();
    assert!(error.message.contains("1 layouts for 2 shapes"), "{error}");
    let huge = [(U8, vec![1 << 31, 1 << 30])];
    let error = TransferManager::create(&session.client, &huge, &[], &memory).unwrap_err();
    assert_eq!(error.code, Code::RESOURCE_EXHAUSTED, "{error}");
}

#[test]
fn transfer_managers_hold_no_lock_while_they_call_back() {
    let session = session();
    let manager = Arc::new(manager(&session, &[(U8, vec![2]), (U8, vec![2])]));
    for index in 0..2 {
        let buffer = manager.retrieve_buffer(index).unwrap();
        let (sender, receiver) = mpsc::channel();
        let inner = Arc::clone(&manager);
        let ask = move |outcome: pjrt_testkit::Result<()>| {
            outcome.unwrap();
            sender.send((inner.buffer_size(index).unwrap(), inner.retrieve_buffer(index).is_err())).unwrap();
        };
        buffer.ready_event().unwrap().on_ready(ask).unwrap();
        // On a thread of its own, so that a deadlock is a failure and not a hang.
        let worker = Arc::clone(&manager);
        std::thread::spawn(move || match index {
            0 => worker.transfer_data(0, &[1, 2], 0, true).unwrap(),
            _ => worker.transfer_literal(1, &HostArray::from_slice(&[1u8, 2], &[2])).unwrap(),
        });
        let answer = receiver.recv_timeout(std::time::Duration::from_secs(20));
        assert_eq!(answer, Ok((2, true)), "the callback may ask the manager");
    }
}

#[test]
fn transfer_managers_pass_on_what_the_backend_says() {
    let session = session();
    session.script.set(|script| &script.wrong_shape, true);
    let manager = manager(&session, &[(U8, vec![2])]);
    let buffer = manager.retrieve_buffer(0).unwrap();
    let error = manager.transfer_data(0, &[1, 2], 0, true).unwrap_err();
    assert_eq!(error.code, Code::INTERNAL, "{error}");
    assert_eq!(buffer.ready_event().unwrap().wait().unwrap_err().code, Code::INTERNAL);
}
