//! Life and death of buffers: deletion, external references, errors, aliases, views.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pjrt_sys::PJRT_Buffer_Type as Type;

use super::{Check, Subject, Verdict, ensure, ensure_code, ensure_eq, ensure_error};
use crate::array::HostArray;
use crate::buffer::Buffer;
use crate::error::Code;
use crate::layout::Layout;

pub(super) const CHECKS: &[Check] = &[
    Check::required("a_deleted_buffer_keeps_its_metadata_and_loses_its_data", delete),
    Check::required("deleting_twice_is_fine", delete_twice),
    Check::required("external_references_are_counted", external_references),
    Check::required("an_external_reference_outlives_deletion", reference_outlives_deletion),
    Check::required("an_uninitialized_buffer_is_complete", uninitialized),
    Check::optional("an_error_buffer_is_its_error", error_buffer),
    Check::optional("an_alias_becomes_the_buffer_it_is_bound_to", alias_bound),
    Check::optional("an_alias_becomes_the_error_it_is_bound_to", alias_failed),
    Check::optional("a_bitcast_keeps_the_bytes_and_consumes_the_source", bitcast),
    Check::optional("donating_with_a_dependency_consumes_the_source", control_dependency),
    Check::optional("a_view_lets_go_of_its_memory_once", view),
    Check::required("buffers_may_be_used_from_many_threads", threads),
];

fn upload(subject: &Subject) -> Result<Buffer, super::Trouble> {
    let array = HostArray::from_slice(&[1.0_f32, 2.0, 3.0, 4.0], &[4]);
    Ok(subject.client.buffer_from_host(&array, &subject.device()?)?)
}

fn delete(subject: &Subject) -> Verdict {
    let buffer = upload(subject)?;
    ensure(!buffer.is_deleted()?, || "deleted from the start".to_owned())?;
    buffer.delete()?;
    ensure(buffer.is_deleted()?, || "not deleted".to_owned())?;
    ensure_eq(&buffer.element_type()?, &Type::F32, "element type")?;
    ensure_eq(&buffer.dimensions()?, &vec![4], "dimensions")?;
    ensure(buffer.device()? == subject.device()?, || "another device".to_owned())?;
    ensure(buffer.memory()? == subject.device()?.default_memory()?, || "another memory".to_owned())?;
    buffer.is_on_cpu()?;
    let mut bytes = [0_u8; 16];
    ensure_error(buffer.to_host_into(None, &mut bytes), "reading a deleted buffer")?;
    ensure_error(buffer.ready_event().and_then(|event| event.wait()), "waiting for a deleted buffer")?;
    ensure_error(
        buffer.copy_to_memory(&subject.device()?.default_memory()?).and_then(|copy| copy.ready_event()?.wait()),
        "copying a deleted buffer",
    )?;
    Ok(buffer.destroy()?)
}

fn delete_twice(subject: &Subject) -> Verdict {
    let buffer = upload(subject)?;
    buffer.delete()?;
    buffer.delete()?;
    Ok(buffer.destroy()?)
}

fn external_references(subject: &Subject) -> Verdict {
    let buffer = upload(subject)?;
    ensure_code(buffer.decrease_external_reference_count(), Code::INVALID_ARGUMENT, "releasing nothing")?;
    // Only a host-readable buffer needs an address; asking for it takes no reference.
    match buffer.device_pointer() {
        Err(error) if error.is_unimplemented() && !buffer.is_on_cpu()? => {}
        address => {
            let address = address?;
            ensure(!address.is_null(), || "the address is null".to_owned())?;
            ensure_eq(&buffer.device_pointer()?, &address, "address")?;
        }
    }
    let one = buffer.external_reference()?;
    let two = buffer.external_reference()?;
    drop(one);
    drop(two);
    ensure_code(buffer.decrease_external_reference_count(), Code::INVALID_ARGUMENT, "releasing once too often")
}

fn reference_outlives_deletion(subject: &Subject) -> Verdict {
    let buffer = upload(subject)?;
    let reference = buffer.external_reference()?;
    let address = if buffer.is_on_cpu()? { Some(buffer.device_pointer()?) } else { None };
    buffer.delete()?;
    ensure(buffer.is_deleted()?, || "not deleted".to_owned())?;
    if let Some(address) = address {
        // SAFETY: the reference holds the storage, which the host can read.
        let data = unsafe { std::slice::from_raw_parts(address.cast::<f32>(), 4) };
        ensure_eq(&data.to_vec(), &vec![1.0, 2.0, 3.0, 4.0], "data under a reference")?;
    }
    drop(reference);
    Ok(())
}

fn uninitialized(subject: &Subject) -> Verdict {
    let device = subject.device()?;
    let memory = device.default_memory()?;
    let layout = Layout::row_major(2);
    for (device, memory) in [(Some(&device), None), (None, Some(&memory))] {
        let buffer = subject.client.uninitialized_buffer(Type::F32, &[2, 3], Some(&layout), device, memory)?;
        ensure_eq(&buffer.dimensions()?, &vec![2, 3], "dimensions")?;
        buffer.ready_event()?.wait()?;
        ensure(buffer.on_device_size()? > 0, || "no bytes on the device".to_owned())?;
        ensure_eq(&buffer.to_host(None)?.len(), &24, "bytes")?;
    }
    Ok(())
}

fn error_buffer(subject: &Subject) -> Verdict {
    let memory = subject.device()?.default_memory()?;
    let buffer = subject.client.error_buffer(Code::DATA_LOSS, "bad news", &[], Type::F32, &[4], &memory)?;
    ensure_eq(&buffer.dimensions()?, &vec![4], "dimensions")?;
    let outcome = buffer.ready_event()?.wait();
    ensure(outcome.as_ref().is_err_and(|error| error.message.contains("bad news")), || format!("{outcome:?}"))?;
    ensure_code(outcome, Code::DATA_LOSS, "the ready event")?;
    ensure_error(buffer.to_host(None), "reading an error buffer")
}

fn alias_bound(subject: &Subject) -> Verdict {
    let memory = subject.device()?.default_memory()?;
    let (alias, fulfillment) = subject.client.alias_buffer(Type::F32, &[4], Some(&Layout::row_major(1)), &memory)?;
    ensure_eq(&alias.dimensions()?, &vec![4], "dimensions")?;
    ensure(!alias.ready_event()?.is_ready()?, || "ready before it is bound".to_owned())?;
    let buffer = upload(subject)?;
    fulfillment.fulfill(&buffer)?;
    drop(buffer);
    alias.ready_event()?.wait()?;
    ensure_eq(&alias.to_host_vec::<f32>()?, &vec![1.0, 2.0, 3.0, 4.0], "data")
}

fn alias_failed(subject: &Subject) -> Verdict {
    let memory = subject.device()?.default_memory()?;
    let (alias, fulfillment) = subject.client.alias_buffer(Type::F32, &[4], Some(&Layout::row_major(1)), &memory)?;
    fulfillment.fail(Code::ABORTED, "nothing came")?;
    ensure_code(alias.ready_event()?.wait(), Code::ABORTED, "the ready event")
}

fn bitcast(subject: &Subject) -> Verdict {
    let buffer = upload(subject)?;
    let cast = buffer.bitcast(Type::S32, &[2, 2], None)?;
    ensure(buffer.is_deleted()?, || "the source is still there".to_owned())?;
    let expected: Vec<i32> = [1.0_f32, 2.0, 3.0, 4.0].map(|x| x.to_bits().cast_signed()).to_vec();
    ensure_eq(&cast.to_host_vec::<i32>()?, &expected, "bits")?;
    ensure_error(cast.bitcast(Type::S32, &[5], None), "a bitcast to another size")
}

fn control_dependency(subject: &Subject) -> Verdict {
    let buffer = upload(subject)?;
    let result = buffer.donate_with_control_dependency(Ok(()))?;
    ensure(buffer.is_deleted()?, || "the source is still there".to_owned())?;
    ensure_eq(&result.to_host_vec::<f32>()?, &vec![1.0, 2.0, 3.0, 4.0], "data")?;
    let failed = result.donate_with_control_dependency(Err((Code::ABORTED, "dependency failed")))?;
    ensure_code(failed.ready_event()?.wait(), Code::ABORTED, "the ready event")
}

fn view(subject: &Subject) -> Verdict {
    let source = upload(subject)?;
    let memory = source.memory()?;
    let reference = source.external_reference()?;
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    let on_delete = Box::new(move || _ = counter.fetch_add(1, Ordering::SeqCst));
    // SAFETY: the memory belongs to `source` and is held by the reference until after the check.
    let view =
        unsafe { subject.client.view_of_device_buffer(source.device_pointer()?, Type::F32, &[4], &memory, on_delete)? };
    ensure_eq(&view.to_host_vec::<f32>()?, &vec![1.0, 2.0, 3.0, 4.0], "data")?;
    ensure_eq(&calls.load(Ordering::SeqCst), &0, "calls of on_delete while the view lives")?;
    drop(view);
    for _ in 0..2000 {
        if calls.load(Ordering::SeqCst) > 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    ensure_eq(&calls.load(Ordering::SeqCst), &1, "calls of on_delete")?;
    drop(reference);
    Ok(())
}

fn threads(subject: &Subject) -> Verdict {
    let shared = upload(subject)?;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|worker| {
                let shared = &shared;
                scope.spawn(move || -> Verdict {
                    for round in 0..20 {
                        let own = upload(subject)?;
                        ensure_eq(&own.to_host_vec::<f32>()?, &vec![1.0, 2.0, 3.0, 4.0], "own data")?;
                        shared.ready_event()?.wait()?;
                        ensure_eq(&shared.to_host_vec::<f32>()?.len(), &4, "shared data")?;
                        if (worker + round) % 2 == 0 {
                            own.delete()?;
                            ensure(own.is_deleted()?, || "not deleted".to_owned())?;
                        }
                    }
                    Ok(())
                })
            })
            .collect();
        workers
            .into_iter()
            .try_for_each(|w| w.join().unwrap_or_else(|_| Err(super::Trouble::Failed("a thread panicked".to_owned()))))
    })
}
