//! Invariant 8: the caller may change its array the moment we said it may, and whatever its strides are, its
//! elements arrive.

use crate::support::{Session, session};
use pjrt_testkit::sys::{PJRT_Buffer_Type, PJRT_Client_BufferFromHostBuffer_Args, PJRT_HostBufferSemantics};
use pjrt_testkit::{
    Buffer, Code, Error, Event, ExecuteOptions, FromHost, HostArray, HostSemantics, Layout, TransferManager,
};

fn put(session: &Session, array: &HostArray, semantics: u32) -> (Buffer, Event) {
    let device = session.device(0);
    let how = FromHost::to_device(&device).semantics(PJRT_HostBufferSemantics(semantics));
    // SAFETY: the tests keep the array until they are told that they need not.
    unsafe { session.client.buffer_from_host_with(array, &how) }.unwrap()
}

#[test]
fn host_buffer_semantics_without_aliasing_free_the_array_on_return() {
    let session = session();
    for semantics in 0..=3 {
        let mut array = HostArray::from_slice(&[1.0f32, 2.0, 3.0], &[3]);
        let (buffer, done) = put(&session, &array, semantics);
        assert!(done.is_ready().unwrap(), "{semantics}");
        done.wait().unwrap();
        array.bytes.fill(0xFF);
        drop(array);
        assert_eq!(buffer.to_host_vec::<f32>().unwrap(), [1.0, 2.0, 3.0], "{semantics}");
    }
}

#[test]
fn host_buffer_semantics_with_aliasing_hold_the_array_until_the_storage_goes() {
    let session = session();
    session.script.set(|script| &script.keep_zero_copy, true);
    session.script.set(|script| &script.on_cpu, true);
    for semantics in [2, 3] {
        let mut array = HostArray::from_slice(&[1.0f32, 2.0], &[2]);
        let (buffer, done) = put(&session, &array, semantics);
        assert_eq!(buffer.unsafe_pointer().unwrap(), array.bytes.as_ptr().addr(), "no copy was made");
        let reference = buffer.external_reference().unwrap();
        let pending = session.compile("copy f32[2]").execute(&[vec![&buffer]], &ExecuteOptions::default()).unwrap();
        assert!(!done.is_ready().unwrap());
        buffer.delete().unwrap();
        assert!(!done.is_ready().unwrap(), "an external reference is left");
        drop(reference);
        assert!(done.is_ready().unwrap());
        done.wait().unwrap();
        array.bytes.fill(0xFF);
        assert_eq!(pending.single().unwrap()[0].to_host_vec::<f32>().unwrap(), [1.0, 2.0]);
    }
    for semantics in [0, 1] {
        let array = HostArray::from_slice(&[1.0f32, 2.0], &[2]);
        let (buffer, done) = put(&session, &array, semantics);
        assert!(done.is_ready().unwrap(), "{semantics}");
        assert_ne!(buffer.unsafe_pointer().unwrap(), array.bytes.as_ptr().addr());
    }
}

#[test]
fn host_buffer_semantics_an_aliased_array_is_not_donated_in_place() {
    let session = session();
    session.script.set(|script| &script.keep_zero_copy, true);
    let array = HostArray::from_slice(&[1.0f32, 2.0], &[2]);
    let (buffer, done) = put(&session, &array, 2);
    let y = session.compile("donate f32[2]").run(&[&buffer]).unwrap().remove(0);
    assert_eq!(y.to_host_vec::<f32>().unwrap(), [2.0, 3.0]);
    assert_eq!(array, HostArray::from_slice(&[1.0f32, 2.0], &[2]), "the caller's array is as it was");
    done.wait().unwrap();
}

#[test]
fn host_buffer_semantics_the_done_event_fires_while_the_last_user_lets_go() {
    let session = session();
    session.script.set(|script| &script.keep_zero_copy, true);
    session.script.set(|script| &script.pending_puts, true);
    let array = HostArray::from_slice(&[1.0f32, 2.0], &[2]);
    let (buffer, done) = put(&session, &array, 2);
    let ready = buffer.ready_event().unwrap();
    let target = buffer.copy_raw_to_host_future(4, 4).unwrap();
    buffer.destroy().unwrap();
    done.on_ready(|outcome| outcome.unwrap()).unwrap();
    assert!(!done.is_ready().unwrap(), "a copy is waiting");
    session.script.complete(&Ok(()));
    ready.wait().unwrap();
    assert!(!done.is_ready().unwrap(), "its destination is not known yet");
    assert_eq!(target.copy().unwrap(), 2.0f32.to_le_bytes());
    assert!(done.is_ready().unwrap());
    assert_eq!(session.script.live(), 0);
}

#[test]
fn host_buffer_semantics_after_an_error_nobody_holds_the_array() {
    let session = session();
    session.script.set(|script| &script.keep_zero_copy, true);
    session.script.set(|script| &script.wrong_shape, true);
    let array = HostArray::from_slice(&[1.0f32], &[1]);
    let device = session.device(0);
    let how = FromHost::to_device(&device).semantics(HostSemantics::kImmutableZeroCopy);
    // SAFETY: the array outlives the call.
    let error = unsafe { session.client.buffer_from_host_with(&array, &how) }.unwrap_err();
    assert_eq!(error.code, Code::INTERNAL);
    assert!(error.message.contains("f32[1,1]") && error.message.contains("f32[1]"), "{error}");
    assert_eq!(session.script.live(), 0);
}

#[test]
fn host_buffer_semantics_strides_of_every_kind_arrive_dense() {
    let session = session();
    let storage = HostArray::from_slice(&[0i32, 1, 2, 3, 4, 5], &[2, 3]);
    /// What, first byte, dimensions, byte strides, expected elements.
    type Case = (&'static str, usize, &'static [i64], &'static [i64], &'static [i32]);
    let cases: [Case; 9] = [
        ("dense", 0, &[2, 3], &[12, 4], &[0, 1, 2, 3, 4, 5]),
        ("transposed", 0, &[3, 2], &[4, 12], &[0, 3, 1, 4, 2, 5]),
        ("reversed", 20, &[2, 3], &[-12, -4], &[5, 4, 3, 2, 1, 0]),
        ("one axis reversed", 8, &[2, 3], &[12, -4], &[2, 1, 0, 5, 4, 3]),
        ("every second", 0, &[3], &[8], &[0, 2, 4]),
        ("broadcast", 4, &[2, 3], &[0, 4], &[1, 2, 3, 1, 2, 3]),
        ("all of one", 20, &[2, 2], &[0, 0], &[5, 5, 5, 5]),
        ("scalar", 8, &[], &[], &[2]),
        ("single elements", 0, &[3, 1, 1], &[8, i64::MAX, i64::MIN], &[0, 2, 4]),
    ];
    for semantics in 0..=3 {
        for (what, start, dims, strides, expected) in cases {
            let array = storage.clone().strided(start, dims, strides);
            let (buffer, done) = put(&session, &array, semantics);
            done.wait().unwrap();
            assert_eq!(buffer.to_host_vec::<i32>().unwrap(), expected, "{what}");
            assert_eq!(buffer.dimensions().unwrap(), dims, "{what}");
        }
    }
}

#[test]
fn host_buffer_semantics_strided_arrays_are_free_at_once_even_if_the_backend_aliases() {
    let session = session();
    session.script.set(|script| &script.keep_zero_copy, true);
    let mut array = HostArray::from_slice(&[1i32, 2, 3, 4], &[4]).strided(12, &[4], &[-4]);
    let (buffer, done) = put(&session, &array, 2);
    assert!(done.is_ready().unwrap());
    array.bytes.fill(0);
    assert_eq!(buffer.to_host_vec::<i32>().unwrap(), [4, 3, 2, 1]);
}

#[test]
fn host_buffer_semantics_empty_arrays_need_no_memory() {
    let session = session();
    session.script.set(|script| &script.keep_zero_copy, true);
    for strides in [None, Some(vec![0, 0]), Some(vec![12, 4])] {
        let array =
            HostArray { byte_strides: strides, ..HostArray::from_bytes(Vec::new(), PJRT_Buffer_Type::F32, &[0, 3]) };
        let (buffer, done) = put(&session, &array, 2);
        assert!(done.is_ready().unwrap());
        assert!(buffer.to_host_vec::<f32>().unwrap().is_empty());
        let y = session.compile("donate f32[0,3]").run(&[&buffer]).unwrap().remove(0);
        assert_eq!((y.dimensions().unwrap(), y.host_size().unwrap()), (vec![0, 3], 0));
    }
}

#[test]
fn host_buffer_semantics_narrow_elements_take_whole_bytes() {
    let session = session();
    for (ty, count) in [(PJRT_Buffer_Type::S4, 3), (PJRT_Buffer_Type::PRED, 2), (PJRT_Buffer_Type::U2, 4)] {
        let array = HostArray::from_bytes((0..count as u8).rev().collect(), ty, &[count]);
        let reversed = array.clone().strided(count as usize - 1, &[count], &[-1]);
        assert_eq!(put(&session, &array, 0).0.to_host(None).unwrap(), array.bytes);
        assert_eq!(put(&session, &reversed, 0).0.to_host(None).unwrap(), (0..count as u8).collect::<Vec<_>>());
    }
    // The bits above an element are nobody's, and come back as zeros.
    let minus_three = HostArray::from_bytes(vec![0xfd], PJRT_Buffer_Type::S4, &[1]);
    assert_eq!(put(&session, &minus_three, 0).0.to_host(None).unwrap(), [0x0d]);
}

fn refused(session: &Session, fill: impl FnOnce(&mut PJRT_Client_BufferFromHostBuffer_Args)) -> Error {
    let device = session.device(0);
    let dims = [2i64, 2];
    let data = [0f32; 4];
    let function = session.plugin.api().PJRT_Client_BufferFromHostBuffer;
    // SAFETY: what the tests change is to be refused before it is looked at.
    let outcome = unsafe {
        session.plugin.call(function, "PJRT_Client_BufferFromHostBuffer", |args| {
            args.client = session.client.raw();
            args.device = device.raw();
            args.data = data.as_ptr().cast();
            args.type_ = PJRT_Buffer_Type::F32;
            args.dims = dims.as_ptr();
            args.num_dims = 2;
            fill(args);
        })
    };
    outcome.unwrap_err()
}

#[test]
fn host_buffer_semantics_nonsense_is_refused_with_a_reason() {
    let session = session();
    let strides = [4i64, 4, 4];
    let overflowing = [i64::MAX / 2, 8];
    let negative = [-1i64, 2];
    let huge = [i64::MAX, 2];
    let broadcast = [1i64 << 30, 1 << 30];
    let zeros = [0i64, 0];
    type Fill<'a> = Box<dyn FnOnce(&mut PJRT_Client_BufferFromHostBuffer_Args) + 'a>;
    let cases: Vec<(&str, Fill<'_>)> = vec![
        ("null, but its count is 16", Box::new(|args| args.data = std::ptr::null())),
        ("null, but its count is 2", Box::new(|args| args.dims = std::ptr::null())),
        ("PJRT_Buffer_Type", Box::new(|args| args.type_ = PJRT_Buffer_Type(99))),
        ("PJRT_Buffer_Type", Box::new(|args| args.type_ = PJRT_Buffer_Type::INVALID)),
        ("negative dimension", Box::new(|args| args.dims = negative.as_ptr())),
        ("more bytes than can be addressed", Box::new(|args| args.dims = huge.as_ptr())),
        ("PJRT_HostBufferSemantics", Box::new(|args| args.host_buffer_semantics = PJRT_HostBufferSemantics(4))),
        ("neither a device nor a memory", Box::new(|args| args.device = std::ptr::null_mut())),
        (
            "3 byte strides",
            Box::new(|args| {
                args.byte_strides = strides.as_ptr();
                args.num_byte_strides = 3;
            }),
        ),
        (
            "0 byte strides",
            Box::new(|args| {
                args.byte_strides = strides.as_ptr();
                args.num_byte_strides = 0;
            }),
        ),
        (
            "overflow",
            Box::new(|args| {
                args.dims = broadcast.as_ptr();
                args.byte_strides = overflowing.as_ptr();
                args.num_byte_strides = 2;
            }),
        ),
        (
            "no host memory",
            Box::new(|args| {
                args.dims = broadcast.as_ptr();
                args.byte_strides = zeros.as_ptr();
                args.num_byte_strides = 2;
            }),
        ),
    ];
    for (text, fill) in cases {
        let error = refused(&session, fill);
        let code = if text == "no host memory" { Code::RESOURCE_EXHAUSTED } else { Code::INVALID_ARGUMENT };
        assert_eq!(error.code, code, "{text}: {error}");
        assert!(error.message.contains(text), "{text}: {error}");
    }
    assert_eq!(session.script.live(), 0);
}

#[test]
fn host_buffer_semantics_reading_back_needs_room_and_honours_the_layout() {
    let session = session();
    let x = session.put(&[0i32, 1, 2, 3, 4, 5], &[2, 3]);
    assert_eq!(x.host_size().unwrap(), 24);
    let error = x.to_host_into(None, &mut [0; 23]).unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("24") && error.message.contains("23"));
    let mut roomy = [0xAAu8; 30];
    x.to_host_into(None, &mut roomy).unwrap();
    assert_eq!(roomy[24..], [0xAA; 6]);
    let column_major = layout(&[0, 1], &[], &[]);
    let bytes = x.to_host(Some(&column_major)).unwrap();
    let expected: Vec<u8> = [0i32, 3, 1, 4, 2, 5].iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!(bytes, expected);
    // Without a layout it is that of the device.
    session.script.set(|script| &script.column_major, true);
    let y = session.put(&[0i32, 1, 2, 3, 4, 5], &[2, 3]);
    assert_eq!((y.memory_layout().unwrap(), y.to_host(None).unwrap()), (column_major, expected));
    assert_eq!(y.to_host_vec::<i32>().unwrap(), [0, 1, 2, 3, 4, 5]);
    for (bad, text) in [
        (layout(&[1, 0], &[8, 128], &[2]), "tiled"),
        (layout(&[1, 1], &[], &[]), "permutation"),
        (layout(&[0], &[], &[]), "permutation"),
        (Layout::Strides(vec![12, 4]), "strides"),
        (Layout::Unknown(7), "unknown kind"),
    ] {
        let error = x.to_host_into(Some(&bad), &mut [0; 24]).unwrap_err();
        assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains(text), "{error}");
    }
}

fn layout(minor_to_major: &[i64], tile_dims: &[i64], tile_dim_sizes: &[usize]) -> Layout {
    Layout::Tiled {
        minor_to_major: minor_to_major.to_vec(),
        tile_dims: tile_dims.to_vec(),
        tile_dim_sizes: tile_dim_sizes.to_vec(),
    }
}

#[test]
fn host_buffer_semantics_a_copy_to_the_host_outlives_its_source() {
    let session = session();
    session.script.set(|script| &script.pending_puts, true);
    let x = session.put_pending(&[1.0f32, 2.0], &[2]);
    let mut place = [0f32; 2];
    let dst = place.as_mut_ptr();
    // SAFETY: the destination outlives the copy.
    let args = unsafe {
        pjrt_testkit::call!(session.plugin, PJRT_Buffer_ToHostBuffer { src: x.raw(), dst: dst.cast(), dst_size: 8 })
    };
    // SAFETY: the event is ours.
    let event = unsafe { Event::from_raw(&session.client, args.unwrap().event) };
    x.delete().unwrap();
    x.destroy().unwrap();
    assert!(!event.is_ready().unwrap());
    session.script.complete(&Ok(()));
    event.wait().unwrap();
    // SAFETY: as above.
    assert_eq!(unsafe { [dst.read(), dst.add(1).read()] }, [1.0, 2.0]);
}

#[test]
fn host_buffer_semantics_of_pieces_let_go_of_each_piece() {
    let session = session();
    let memory = session.memory(0);
    let manager = TransferManager::create(&session.client, &[(PJRT_Buffer_Type::U8, vec![4])], &[], &memory).unwrap();
    for (offset, piece) in [(2, [3u8, 4]), (0, [1, 2])] {
        let mut piece = piece.to_vec();
        manager.transfer_data(0, &piece, offset, offset == 0).unwrap();
        piece.fill(0xFF);
    }
    assert_eq!(manager.retrieve_buffer(0).unwrap().to_host_vec::<u8>().unwrap(), [1, 2, 3, 4]);
}
