//! Buffers from buffers, and raw bytes of buffers.

use crate::support::session;
use pjrt_client_trait::Status;
use pjrt_testkit::sys::PJRT_Buffer_Type;
use pjrt_testkit::{Code, Layout};

#[test]
fn copies_reach_every_memory() {
    let session = session();
    let x = session.put(&[1.0f32, 2.0], &[2]);
    for index in 0..4 {
        let memory = session.memory(index);
        let copy = x.copy_to_memory(&memory).unwrap();
        assert_eq!(copy.memory().unwrap().raw(), memory.raw());
        assert_eq!(copy.device().unwrap().raw(), session.device(index / 2).raw());
        assert_eq!(copy.to_host_vec::<f32>().unwrap(), [1.0, 2.0]);
    }
    for index in 0..2 {
        let device = session.device(index);
        let copy = x.copy_to_device(&device).unwrap();
        assert_eq!(copy.memory().unwrap().raw(), device.default_memory().unwrap().raw());
    }
    assert!(!x.is_deleted().unwrap());
}

#[test]
fn copies_of_pending_buffers_are_pending_and_outlive_their_source() {
    let session = session();
    session.script.set(|script| &script.pending_puts, true);
    let x = session.put_pending(&[1.0f32, 2.0], &[2]);
    let copy = x.copy_to_memory(&session.memory(3)).unwrap();
    session.script.set(|script| &script.pending_puts, false);
    assert_eq!((copy.memory().unwrap().raw(), copy.dimensions().unwrap()), (session.memory(3).raw(), vec![2]));
    assert!(!copy.ready_event().unwrap().is_ready().unwrap());
    let next = copy.copy_to_memory(&session.memory(0)).unwrap();
    x.destroy().unwrap();
    session.script.complete(&Ok(()));
    assert_eq!(next.to_host_vec::<f32>().unwrap(), [1.0, 2.0]);
    assert_eq!(copy.on_device_size().unwrap(), 8);
}

#[test]
fn copies_of_errors_are_errors() {
    let session = session();
    session.script.set(|script| &script.pending_puts, true);
    let x = session.put_pending(&[1.0f32, 2.0], &[2]);
    let early = x.copy_to_memory(&session.memory(3)).unwrap();
    session.script.complete(&Err(Status::data_loss("lost")));
    let late = x.copy_to_memory(&session.memory(3)).unwrap();
    for copy in [early, late] {
        assert_eq!(copy.ready_event().unwrap().wait().unwrap_err().code, Code::DATA_LOSS);
        assert_eq!(copy.dimensions().unwrap(), [2]);
        assert_eq!(copy.to_host_into(None, &mut [0; 8]).unwrap_err().code, Code::DATA_LOSS);
    }
}

#[test]
fn copies_that_are_waited_for_say_where_they_lie() {
    let session = session();
    session.script.set(|script| &script.column_major, true);
    session.script.set(|script| &script.pending_puts, true);
    let x = session.put_pending(&[0i32, 1, 2, 3, 4, 5], &[2, 3]);
    let copy = x.copy_to_memory(&session.memory(3)).unwrap();
    session.script.set(|script| &script.pending_puts, false);
    let promised = copy.memory_layout().unwrap();
    session.script.complete(&Ok(()));
    let at_once = x.copy_to_memory(&session.memory(3)).unwrap();
    assert_eq!(promised, at_once.memory_layout().unwrap());
    assert_eq!(copy.to_host(None).unwrap(), at_once.to_host(None).unwrap());
}

#[test]
fn copies_of_raw_ranges_stay_in_the_buffer() {
    let session = session();
    let x = session.put(&[1u8, 2, 3, 4], &[4]);
    assert_eq!(x.copy_raw_to_host(1, 2).unwrap(), [2, 3]);
    assert!(x.copy_raw_to_host(4, 0).unwrap().is_empty());
    for (offset, size) in [(3, 2), (-1, 2), (5, 0), (i64::MAX, 1)] {
        let error = x.copy_raw_to_host(offset, size).unwrap_err();
        assert_eq!(error.code, Code::INVALID_ARGUMENT, "{offset} {size}: {error}");
    }
    // SAFETY: the negative size and the null destination are to be refused.
    let (negative, null) = unsafe {
        let buffer = x.raw();
        (
            pjrt_testkit::call!(session.plugin, PJRT_Buffer_CopyRawToHost { buffer: buffer, transfer_size: -1 }),
            pjrt_testkit::call!(session.plugin, PJRT_Buffer_CopyRawToHost { buffer: buffer, transfer_size: 2 }),
        )
    };
    assert!(negative.unwrap_err().message.contains("-1"));
    assert!(null.unwrap_err().message.contains("null"));
}

#[test]
fn copies_whose_destination_comes_later_hold_the_storage_until_then() {
    let session = session();
    let x = session.put(&[1u8, 2, 3, 4], &[4]);
    let target = x.copy_raw_to_host_future(1, 3).unwrap();
    let cancelled = x.copy_raw_to_host_future(0, 4).unwrap();
    let too_much = x.copy_raw_to_host_future(2, 3).unwrap();
    x.delete().unwrap();
    assert_eq!(session.script.live(), 1);
    assert_eq!(target.copy().unwrap(), [2, 3, 4]);
    let error = cancelled.cancel(Code::CANCELLED, "changed my mind").unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Code::CANCELLED, "changed my mind"));
    assert_eq!(too_much.copy().unwrap_err().code, Code::INVALID_ARGUMENT);
    assert_eq!(session.script.live(), 0);
}

#[test]
fn copies_into_uninitialised_buffers_and_views_need_a_place_that_exists() {
    let session = session();
    let (device, memory) = (session.device(1), session.memory(0));
    let ty = PJRT_Buffer_Type::F32;
    let both = session.client.uninitialized_buffer(ty, &[2], None, Some(&device), Some(&memory)).unwrap();
    assert_eq!(both.device().unwrap().raw(), device.raw(), "the device wins");
    both.ready_event().unwrap().wait().unwrap();
    assert_eq!(both.on_device_size().unwrap(), 8);
    let error = session.client.uninitialized_buffer(ty, &[2], None, None, None).unwrap_err();
    assert_eq!(error.code, Code::INVALID_ARGUMENT);
    let error = session.client.uninitialized_buffer(ty, &[1 << 30, 1 << 29], None, Some(&device), None).unwrap_err();
    assert_eq!(error.code, Code::RESOURCE_EXHAUSTED, "{error}");

    let (sender, receiver) = std::sync::mpsc::channel();
    let mut foreign = [1.0f32, 2.0];
    let data: *mut std::ffi::c_void = foreign.as_mut_ptr().cast();
    let told = sender.clone();
    // SAFETY: the array outlives the buffer.
    let view = unsafe {
        session.client.view_of_device_buffer(data, ty, &[2], &memory, Box::new(move || told.send(1).unwrap()))
    };
    let view = view.unwrap();
    session.script.set(|script| &script.on_cpu, true);
    let reference = view.external_reference().unwrap();
    assert_eq!(view.device_pointer().unwrap(), data);
    view.delete().unwrap();
    assert!(receiver.try_recv().is_err(), "somebody holds it");
    drop(reference);
    assert_eq!(receiver.try_recv(), Ok(1));
    drop(view);
    assert!(receiver.try_recv().is_err(), "once");

    // What was refused tells nobody of an end.
    session.script.set(|script| &script.wrong_shape, true);
    // SAFETY: as above; and null, which is refused.
    let (wrong, null) = unsafe {
        let told = [sender.clone(), sender.clone()].map(|sender| Box::new(move || sender.send(2).unwrap()));
        let [first, second] = told;
        (
            session.client.view_of_device_buffer(data, ty, &[2], &memory, second),
            session.client.view_of_device_buffer(std::ptr::null_mut(), ty, &[2], &memory, first),
        )
    };
    assert_eq!((wrong.unwrap_err().code, null.unwrap_err().code), (Code::INTERNAL, Code::INVALID_ARGUMENT));
    assert!(receiver.try_recv().is_err());
}

#[test]
fn copies_that_the_backend_makes_wrong_are_not_handed_out() {
    let session = session();
    let x = session.put(&[1.0f32, 2.0], &[2]);
    session.script.set(|script| &script.wrong_shape, true);
    let copy = x.copy_to_memory(&session.memory(1)).unwrap_err();
    let cast = x.bitcast(PJRT_Buffer_Type::S32, &[2], None).unwrap_err();
    for error in [copy, cast] {
        assert!(error.code == Code::INTERNAL && error.message.contains("[2,1]"), "{error}");
    }
    session.script.set(|script| &script.wrong_shape, false);
    assert_eq!((x.to_host_vec::<f32>().unwrap(), session.script.live()), (vec![1.0, 2.0], 1));
}

#[test]
fn copies_to_the_host_have_the_actual_extents_of_dynamic_dimensions() {
    let session = session();
    session.script.set(|script| &script.dynamic, true);
    let x = session.put(&[1u16, 2, 3, 4, 5, 6], &[3, 2]);
    assert_eq!((x.dimensions().unwrap(), x.unpadded_dimensions().unwrap()), (vec![3, 2], vec![2, 2]));
    assert_eq!((x.host_size().unwrap(), x.to_host_vec::<u16>().unwrap()), (8, vec![1, 2, 3, 4]));
    let column_major = Layout::Tiled { minor_to_major: vec![0, 1], tile_dims: Vec::new(), tile_dim_sizes: Vec::new() };
    let bytes = x.to_host(Some(&column_major)).unwrap();
    assert_eq!(bytes, [1, 0, 3, 0, 2, 0, 4, 0]);
    let error = x.to_host_into(None, &mut [0; 7]).unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("8 bytes"), "{error}");
    let nothing = session.put(&[1u16, 2], &[1, 2]);
    assert_eq!(nothing.to_host_vec::<u16>().unwrap(), []);
}
