//! Data in buffers: types, strides, semantics, reading back, raw copies.

use pjrt_sys::PJRT_Buffer_Type as Type;

use super::{Check, Subject, Trouble, Verdict, ensure, ensure_code, ensure_eq, ensure_error};
use crate::array::{HostArray, HostSemantics};
use crate::buffer_creation::FromHost;
use crate::error::Code;
use crate::layout::Layout;
use crate::transfer::TransferManager;

pub(super) const CHECKS: &[Check] = &[
    Check::required("every_element_type_comes_back_as_it_was", element_types),
    Check::required("strided_arrays_come_back_dense", strides),
    Check::required("scalars_and_empty_arrays_work", scalars_and_empty),
    Check::required("metadata_are_those_of_the_array", metadata),
    Check::required("the_array_may_change_after_the_call", changed_after_call),
    Check::required("the_array_may_change_once_it_is_done_with", changed_when_done),
    Check::required("reading_back_checks_the_destination", destination),
    Check::required("reading_back_honours_the_layout_asked_for", host_layout),
    Check::required("an_unknown_layout_kind_is_refused", unknown_layout),
    Check::optional("raw_bytes_can_be_copied", raw_copy),
    Check::optional("raw_bytes_can_be_copied_later", raw_copy_later),
    Check::required("buffers_can_be_copied_to_every_memory", copy_to_memory),
    Check::optional("buffers_can_be_copied_to_every_device", copy_to_device),
    Check::optional("a_transfer_manager_fills_its_buffers", transfer_manager),
    Check::optional("a_transfer_manager_takes_whole_arrays", transfer_literal),
    Check::optional("a_transfer_manager_can_fail_a_buffer", transfer_error),
];

fn element_types(subject: &Subject) -> Verdict {
    // Bytes per element in host memory; patterns that are valid in every type.
    let types = [
        ("PRED", Type::PRED, 1),
        ("S8", Type::S8, 1),
        ("S16", Type::S16, 2),
        ("S32", Type::S32, 4),
        ("S64", Type::S64, 8),
        ("U8", Type::U8, 1),
        ("U16", Type::U16, 2),
        ("U32", Type::U32, 4),
        ("U64", Type::U64, 8),
        ("F16", Type::F16, 2),
        ("BF16", Type::BF16, 2),
        ("F32", Type::F32, 4),
        ("F64", Type::F64, 8),
        ("C64", Type::C64, 8),
        ("C128", Type::C128, 16),
        ("S4", Type::S4, 1),
        ("U4", Type::U4, 1),
    ];
    let device = subject.device()?;
    let mut refused = Vec::new();
    for (name, element_type, width) in types {
        let narrow = [Type::PRED, Type::S4, Type::U4].contains(&element_type);
        let bytes: Vec<u8> =
            (0..6 * width).map(|i| if narrow { (i % 2) as u8 } else { (i * 37 % 251) as u8 }).collect();
        let array = HostArray::from_bytes(bytes.clone(), element_type, &[2, 3]);
        match subject.client.buffer_from_host(&array, &device) {
            Ok(buffer) => {
                ensure_eq(&buffer.element_type()?, &element_type, name)?;
                ensure_eq(&buffer.to_host(Some(&Layout::row_major(2)))?, &bytes, name)?;
            }
            Err(error) if error.is_unimplemented() => refused.push(name),
            Err(error) => return Err(Trouble::Failed(format!("{name}: {error}"))),
        }
    }
    if refused.is_empty() { Ok(()) } else { Err(Trouble::Unsupported(format!("element types {}", refused.join(", ")))) }
}

fn strides(subject: &Subject) -> Verdict {
    let device = subject.device()?;
    let base = HostArray::from_slice(&[0_i32, 1, 2, 3, 4, 5], &[2, 3]);
    for (what, array, expected) in [
        ("transposed", base.clone().strided(0, &[3, 2], &[4, 12]), vec![0, 3, 1, 4, 2, 5]),
        ("reversed", base.clone().strided(20, &[6], &[-4]), vec![5, 4, 3, 2, 1, 0]),
        ("broadcast", base.clone().strided(4, &[2, 2], &[0, 4]), vec![1, 2, 1, 2]),
        ("every other", base.clone().strided(0, &[3], &[8]), vec![0, 2, 4]),
        ("odd stride of a dimension of one", base.clone().strided(0, &[1, 3], &[1000, 4]), vec![0, 1, 2]),
    ] {
        let buffer = subject.client.buffer_from_host(&array, &device)?;
        ensure_eq(&buffer.to_host_vec::<i32>()?, &expected, what)?;
    }
    Ok(())
}

fn scalars_and_empty(subject: &Subject) -> Verdict {
    let device = subject.device()?;
    let scalar = subject.client.buffer_from_host(&HostArray::from_slice(&[7_i64], &[]), &device)?;
    ensure_eq(&scalar.dimensions()?, &vec![], "dimensions of a scalar")?;
    ensure_eq(&scalar.to_host_vec::<i64>()?, &vec![7], "a scalar")?;
    for array in [
        HostArray::from_slice::<f32>(&[], &[0]),
        HostArray::from_slice::<f32>(&[], &[0, 3]).strided(0, &[0, 3], &[0, 0]),
        HostArray::from_slice::<f32>(&[], &[2, 0, 3]),
    ] {
        let buffer = subject.client.buffer_from_host(&array, &device)?;
        ensure_eq(&buffer.dimensions()?, &array.dims, "dimensions of an empty array")?;
        ensure_eq(&buffer.to_host_vec::<f32>()?, &vec![], "an empty array")?;
        buffer.ready_event()?.wait()?;
    }
    Ok(())
}

fn metadata(subject: &Subject) -> Verdict {
    let device = subject.device()?;
    let array = HostArray::from_slice(&[1.0_f32; 6], &[2, 3]);
    let buffer = subject.client.buffer_from_host(&array, &device)?;
    ensure_eq(&buffer.element_type()?, &Type::F32, "element type")?;
    ensure_eq(&buffer.dimensions()?, &vec![2, 3], "dimensions")?;
    ensure_eq(&buffer.unpadded_dimensions()?, &vec![2, 3], "unpadded dimensions")?;
    ensure_eq(&buffer.dynamic_dimension_indices()?, &vec![], "dynamic dimensions")?;
    ensure(buffer.on_device_size()? > 0, || "no bytes on the device".to_owned())?;
    ensure(buffer.device()? == device, || "another device".to_owned())?;
    ensure(buffer.memory()? == device.default_memory()?, || "not in the default memory".to_owned())?;
    buffer.is_on_cpu()?;
    for memory in device.addressable_memories()? {
        // SAFETY: with these semantics the array is read during the call only.
        let uploaded = unsafe { subject.client.buffer_from_host_with(&array, &FromHost::to_memory(&memory)) };
        let (buffer, done) = match uploaded {
            Err(error) if error.is_unimplemented() => continue,
            other => other?,
        };
        done.wait()?;
        ensure(buffer.memory()? == memory, || format!("not in the memory {:?}", memory.kind().ok()))?;
        ensure_eq(&buffer.to_host_vec::<f32>()?, &vec![1.0; 6], "data")?;
    }
    Ok(())
}

fn changed_after_call(subject: &Subject) -> Verdict {
    let device = subject.device()?;
    let data: Vec<i32> = (0..4096).collect();
    let mut array = HostArray::from_slice(&data, &[4096]);
    // SAFETY: with these semantics the array is read during the call only.
    let (buffer, done) = unsafe { subject.client.buffer_from_host_with(&array, &FromHost::to_device(&device))? };
    array.bytes.fill(0xFF);
    ensure(done.is_ready()?, || "not done with the array although the call has returned".to_owned())?;
    ensure_eq(&buffer.to_host_vec::<i32>()?, &data, "data")
}

fn changed_when_done(subject: &Subject) -> Verdict {
    let device = subject.device()?;
    let data: Vec<i32> = (0..4096).collect();
    for semantics in [HostSemantics::kImmutableUntilTransferCompletes, HostSemantics::kImmutableZeroCopy] {
        let mut array = HostArray::from_slice(&data, &[4096]);
        let how = FromHost::to_device(&device).semantics(semantics);
        // SAFETY: the array is left alone until the event is ready.
        let (buffer, done) = unsafe { subject.client.buffer_from_host_with(&array, &how)? };
        buffer.ready_event()?.wait()?;
        ensure_eq(&buffer.to_host_vec::<i32>()?, &data, "data")?;
        if semantics == HostSemantics::kImmutableZeroCopy {
            // An alias is done with only when the buffer is gone.
            if done.is_ready()? {
                array.bytes.fill(0xFF);
                ensure_eq(&buffer.to_host_vec::<i32>()?, &data, "data after the array changed")?;
            }
            drop(buffer);
            done.wait()?;
        } else {
            done.wait()?;
            array.bytes.fill(0xFF);
            ensure_eq(&buffer.to_host_vec::<i32>()?, &data, "data after the array changed")?;
        }
    }
    Ok(())
}

fn destination(subject: &Subject) -> Verdict {
    let array = HostArray::from_slice(&[1_i32, 2, 3], &[3]);
    let buffer = subject.client.buffer_from_host(&array, &subject.device()?)?;
    ensure_eq(&buffer.host_size()?, &12, "size asked for")?;
    let mut small = [0; 8];
    ensure_code(buffer.to_host_into(None, &mut small), Code::INVALID_ARGUMENT, "a destination too small")?;
    ensure_eq(&small, &[0; 8], "a destination too small")?;
    let mut large = [0xEE; 16];
    buffer.to_host_into(None, &mut large)?;
    ensure_eq(&large[12..].to_vec(), &vec![0xEE; 4], "bytes behind the data")
}

fn host_layout(subject: &Subject) -> Verdict {
    let array = HostArray::from_slice(&[0_i32, 1, 2, 3, 4, 5], &[2, 3]);
    let buffer = subject.client.buffer_from_host(&array, &subject.device()?)?;
    let column_major = Layout::Tiled { minor_to_major: vec![0, 1], tile_dims: Vec::new(), tile_dim_sizes: Vec::new() };
    let bytes = buffer.to_host(Some(&column_major))?;
    ensure_eq(&crate::array::elements::<i32>(&bytes), &vec![0, 3, 1, 4, 2, 5], "column-major")
}

fn unknown_layout(subject: &Subject) -> Verdict {
    let array = HostArray::from_slice(&[1_i32, 2, 3], &[3]);
    let device = subject.device()?;
    let how = FromHost { layout: Some(Layout::Unknown(99)), ..FromHost::to_device(&device) };
    // SAFETY: with these semantics the array is read during the call only.
    let outcome = unsafe { subject.client.buffer_from_host_with(&array, &how) };
    ensure_code(outcome, Code::INVALID_ARGUMENT, "layout kind 99")
}

fn raw_copy(subject: &Subject) -> Verdict {
    let array = HostArray::from_slice(&[1_i32, 2, 3, 4], &[4]);
    let buffer = subject.client.buffer_from_host(&array, &subject.device()?)?;
    let size = buffer.on_device_size()?;
    ensure_eq(&buffer.copy_raw_to_host(0, size)?.len(), &size, "bytes")?;
    if size == 16 {
        ensure_eq(&buffer.copy_raw_to_host(4, 8)?, &array.bytes[4..12].to_vec(), "a range")?;
    }
    ensure_error(buffer.copy_raw_to_host(0, size + 1), "copying past the end")?;
    ensure_error(buffer.copy_raw_to_host(-1, 1), "copying from before the start")
}

fn raw_copy_later(subject: &Subject) -> Verdict {
    let array = HostArray::from_slice(&[1_i32, 2, 3, 4], &[4]);
    let buffer = subject.client.buffer_from_host(&array, &subject.device()?)?;
    let size = buffer.on_device_size()?;
    let target = buffer.copy_raw_to_host_future(0, size)?;
    let cancelled = buffer.copy_raw_to_host_future(0, size)?;
    let now = buffer.copy_raw_to_host(0, size)?;
    buffer.delete()?;
    ensure_eq(&target.copy()?, &now, "a copy whose destination came after deletion")?;
    ensure_error(cancelled.cancel(Code::CANCELLED, "no place"), "a copy without destination")
}

fn copy_to_memory(subject: &Subject) -> Verdict {
    let device = subject.device()?;
    let buffer = subject.client.buffer_from_host(&HostArray::from_slice(&[1.5_f32, 2.5], &[2]), &device)?;
    let mut copied = 0;
    for memory in subject.client.addressable_memories()? {
        let copy = match buffer.copy_to_memory(&memory) {
            Err(error) if error.is_unimplemented() => continue,
            other => other?,
        };
        copied += 1;
        ensure(copy.memory()? == memory, || "the copy is elsewhere".to_owned())?;
        ensure_eq(&copy.to_host_vec::<f32>()?, &vec![1.5, 2.5], "the copy")?;
        ensure(!buffer.is_deleted()?, || "the source is gone".to_owned())?;
    }
    ensure(copied > 0, || "no memory takes a copy".to_owned())
}

fn copy_to_device(subject: &Subject) -> Verdict {
    let buffer = subject.client.buffer_from_host(&HostArray::from_slice(&[1_u8, 2], &[2]), &subject.device()?)?;
    for device in subject.client.addressable_devices()? {
        if device == buffer.device()? {
            continue;
        }
        let copy = buffer.copy_to_device(&device)?;
        ensure(copy.device()? == device, || "the copy is elsewhere".to_owned())?;
        ensure_eq(&copy.to_host_vec::<u8>()?, &vec![1, 2], "the copy")?;
    }
    Ok(())
}

fn transfer_manager(subject: &Subject) -> Verdict {
    let memory = subject.device()?.default_memory()?;
    let shapes = [(Type::F32, vec![2, 2]), (Type::S32, vec![3])];
    let manager = TransferManager::create(&subject.client, &shapes, &[], &memory)?;
    ensure_eq(&manager.buffer_count()?, &2, "buffers")?;
    ensure(manager.device()? == subject.device()?, || "another device".to_owned())?;
    let first = manager.retrieve_buffer(0)?;
    ensure(!first.ready_event()?.is_ready()?, || "ready before it was filled".to_owned())?;
    let data = HostArray::from_slice(&[1.0_f32, 2.0, 3.0, 4.0], &[2, 2]);
    ensure_eq(&manager.buffer_size(0)?, &first.on_device_size()?, "size")?;
    manager.transfer_data(0, &data.bytes[8..], 8, false)?;
    manager.transfer_data(0, &data.bytes[..8], 0, true)?;
    first.ready_event()?.wait()?;
    ensure_eq(&first.to_host_vec::<f32>()?, &vec![1.0, 2.0, 3.0, 4.0], "first buffer")?;
    let second = HostArray::from_slice(&[7_i32, 8, 9], &[3]);
    manager.transfer_data(1, &second.bytes, 0, true)?;
    let buffer = manager.retrieve_buffer(1)?;
    drop(manager);
    ensure_eq(&buffer.to_host_vec::<i32>()?, &vec![7, 8, 9], "second buffer")
}

fn transfer_literal(subject: &Subject) -> Verdict {
    let memory = subject.device()?.default_memory()?;
    let manager = TransferManager::create(&subject.client, &[(Type::S32, vec![3])], &[], &memory)?;
    let buffer = manager.retrieve_buffer(0)?;
    manager.transfer_literal(0, &HostArray::from_slice(&[7_i32, 8, 9], &[3]))?;
    ensure_eq(&buffer.to_host_vec::<i32>()?, &vec![7, 8, 9], "data")
}

fn transfer_error(subject: &Subject) -> Verdict {
    let memory = subject.device()?.default_memory()?;
    let manager = TransferManager::create(&subject.client, &[(Type::S32, vec![3])], &[], &memory)?;
    let buffer = manager.retrieve_buffer(0)?;
    manager.set_buffer_error(0, Code::DATA_LOSS, "lost on the way")?;
    let outcome = buffer.ready_event()?.wait();
    ensure_code(outcome, Code::DATA_LOSS, "the ready event of a failed transfer")
}
