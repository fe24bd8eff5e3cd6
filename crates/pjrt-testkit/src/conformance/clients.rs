//! Clients, devices, memories, topologies.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Check, Subject, Trouble, Verdict, ensure, ensure_code, ensure_eq};
use crate::error::Code;
use crate::named_value::Value;
use crate::topology::Topology;

pub(super) const CHECKS: &[Check] = &[
    Check::required("the_client_names_its_platform", platform),
    Check::required("devices_are_there_and_their_ids_unique", devices),
    Check::required("handles_stay_the_same", identity),
    Check::required("devices_are_found_by_id", lookup),
    Check::required("unknown_ids_are_refused", unknown_ids),
    Check::required("descriptions_answer_everything", descriptions),
    Check::required("attributes_of_devices_have_allowed_types", device_attributes),
    Check::required("every_device_has_memories_and_a_default", memories),
    Check::required("memories_carry_user_data", memory_user_data),
    Check::required("the_default_device_assignment_checks_its_arguments", default_assignment),
    Check::optional("memory_counters_are_sane", memory_stats),
    Check::optional("an_async_tracking_event_can_be_made", tracking),
    Check::optional("poisoning_nothing_reports_nothing", poison_nothing),
    Check::required("process_information_is_taken", process_info),
    Check::required("two_clients_live_side_by_side", two_clients),
    Check::optional("the_topology_of_the_client_describes_its_devices", client_topology),
    Check::optional("a_topology_survives_serialization", topology_round_trip),
];

fn platform(subject: &Subject) -> Verdict {
    let name = subject.client.platform_name()?;
    ensure(!name.is_empty(), || "the name is empty".to_owned())?;
    subject.client.platform_version()?;
    ensure_eq(&subject.client.process_index()?, &0, "process index")
}

fn devices(subject: &Subject) -> Verdict {
    let all = subject.client.devices()?;
    let addressable = subject.client.addressable_devices()?;
    ensure(!all.is_empty() && !addressable.is_empty(), || "no devices".to_owned())?;
    let mut ids = BTreeSet::new();
    for device in &all {
        let id = device.id()?;
        ensure(id >= 0 && ids.insert(id), || format!("id {id} is negative or there twice"))?;
        let here = addressable.contains(device);
        ensure_eq(&device.is_addressable()?, &here, &format!("device {id} is addressable"))?;
    }
    ensure(addressable.iter().all(|device| all.contains(device)), || {
        "an addressable device is not among all devices".to_owned()
    })
}

fn identity(subject: &Subject) -> Verdict {
    let client = &subject.client;
    ensure(client.devices()? == client.devices()?, || "devices differ from call to call".to_owned())?;
    ensure(client.addressable_memories()? == client.addressable_memories()?, || {
        "memories differ from call to call".to_owned()
    })
}

fn lookup(subject: &Subject) -> Verdict {
    for device in subject.client.devices()? {
        ensure(subject.client.lookup_device(device.id()?)? == device, || "another device was found".to_owned())?;
    }
    for device in subject.client.addressable_devices()? {
        let id = device.local_hardware_id()?;
        if id >= 0 {
            let found = subject.client.lookup_addressable_device(id)?;
            ensure(found == device, || format!("hardware id {id} finds another device"))?;
        }
    }
    Ok(())
}

fn unknown_ids(subject: &Subject) -> Verdict {
    let mut largest = -1;
    for device in subject.client.devices()? {
        largest = largest.max(device.id()?);
    }
    for id in [-1, largest + 1, i32::MAX] {
        ensure_code(subject.client.lookup_device(id), Code::INVALID_ARGUMENT, &format!("device {id}"))?;
    }
    ensure_code(subject.client.lookup_addressable_device(-1), Code::INVALID_ARGUMENT, "hardware id -1")
}

fn descriptions(subject: &Subject) -> Verdict {
    for device in subject.client.devices()? {
        let description = device.description()?;
        description.process_index()?;
        for (what, text) in [
            ("kind", description.kind()?),
            ("debug string", description.debug_string()?),
            ("text", description.to_text()?),
        ] {
            ensure(!text.is_empty(), || format!("the {what} of device {:?} is empty", description.id().ok()))?;
        }
        device.local_hardware_id()?;
    }
    Ok(())
}

fn device_attributes(subject: &Subject) -> Verdict {
    for device in subject.client.devices()? {
        let mut attributes = device.description()?.attributes()?;
        if subject.plugin().api_version().1 >= 92 {
            attributes.extend(device.attributes()?);
        }
        for attribute in attributes {
            let allowed = matches!(attribute.value, Value::String(_) | Value::Int64(_) | Value::Int64List(_));
            ensure(allowed, || format!("{attribute:?}: frameworks abort over this type"))?;
        }
    }
    Ok(())
}

fn memories(subject: &Subject) -> Verdict {
    let all = subject.client.addressable_memories()?;
    ensure(!all.is_empty(), || "the client has no memories".to_owned())?;
    for device in subject.client.addressable_devices()? {
        let own = device.addressable_memories()?;
        ensure(own.contains(&device.default_memory()?), || "the default memory is not attached".to_owned())?;
        for memory in own {
            ensure(all.contains(&memory), || "a memory is not among those of the client".to_owned())?;
            ensure(memory.addressable_by_devices()?.contains(&device), || {
                "a memory does not name the device it is attached to".to_owned()
            })?;
        }
    }
    for memory in all {
        for text in [memory.kind()?, memory.debug_string()?, memory.to_text()?] {
            ensure(!text.is_empty(), || "a text of a memory is empty".to_owned())?;
        }
        memory.id()?;
        memory.kind_id()?;
    }
    Ok(())
}

static DESTROYED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn count_destroyed(_: *mut c_void) {
    DESTROYED.fetch_add(1, Ordering::SeqCst);
}

fn memory_user_data(subject: &Subject) -> Verdict {
    if subject.plugin().api_version().1 < 105 {
        return Ok(());
    }
    let client = subject.another_client()?;
    let memory = client.addressable_memories()?.remove(0);
    ensure(memory.function_table().is_some(), || "the function table is null".to_owned())?;
    let data = |n: usize| n as *mut c_void;
    let before = DESTROYED.load(Ordering::SeqCst);
    let destroyed = || DESTROYED.load(Ordering::SeqCst) - before;
    // SAFETY: the destructor takes anything.
    let set = |key, value| unsafe { memory.set_user_data(key, value, Some(count_destroyed)) };
    ensure_eq(&memory.user_data(1), &Some(data(0)), "data of an unused key")?;
    ensure(set(1, data(10)) && set(2, data(20)), || "user data cannot be set".to_owned())?;
    ensure_eq(&memory.user_data(1), &Some(data(10)), "data of key 1")?;
    ensure_eq(&memory.user_data(2), &Some(data(20)), "data of key 2")?;
    set(1, data(11));
    ensure_eq(&(memory.user_data(1), destroyed()), &(Some(data(11)), 1), "data and destructions after replacing")?;
    set(1, data(0));
    ensure_eq(&(memory.user_data(1), destroyed()), &(Some(data(0)), 2), "data and destructions after removing")?;
    drop(memory);
    drop(client);
    ensure_eq(&destroyed(), &3, "destructions after the client was destroyed")
}

fn default_assignment(subject: &Subject) -> Verdict {
    let client = &subject.client;
    let ids = client.default_device_assignment(1, 1, 1)?;
    ensure(client.lookup_device(ids[0]).is_ok(), || format!("{ids:?} names no device"))?;
    // Plugins of before 0.107 allocate whatever is asked for, and end the process.
    if subject.plugin().api_version().1 < 107 {
        return Ok(());
    }
    for (replicas, partitions, capacity, code) in [
        (2, 1, 1, Code::FAILED_PRECONDITION),
        (65536, 65537, 1 << 16, Code::FAILED_PRECONDITION),
        (0, 1, 1, Code::INVALID_ARGUMENT),
        (1, 0, 1, Code::INVALID_ARGUMENT),
        (-1, 1, 1, Code::INVALID_ARGUMENT),
    ] {
        let outcome = client.default_device_assignment(replicas, partitions, capacity);
        ensure_code(outcome, code, &format!("{replicas} x {partitions} into {capacity}"))?;
    }
    Ok(())
}

fn memory_stats(subject: &Subject) -> Verdict {
    let device = subject.device()?;
    let stats = device.memory_stats()?;
    ensure(stats.bytes_in_use >= 0, || format!("{stats:?}"))?;
    if let Some(peak) = stats.peak_bytes_in_use {
        ensure(peak >= stats.bytes_in_use, || format!("the peak is below what is in use: {stats:?}"))?;
    }
    Ok(())
}

fn tracking(subject: &Subject) -> Verdict {
    subject.device()?.async_tracking_event("conformance")?;
    Ok(())
}

fn poison_nothing(subject: &Subject) -> Verdict {
    let poisoned = subject.device()?.poison_execution(i32::MIN + 1, Code::ABORTED, "conformance")?;
    ensure(!poisoned, || "an execution that does not exist was poisoned".to_owned())
}

fn process_info(subject: &Subject) -> Verdict {
    if subject.plugin().api_version().1 < 73 {
        return Ok(());
    }
    Ok(subject.client.update_global_process_info(&[])?)
}

fn two_clients(subject: &Subject) -> Verdict {
    let other = subject.another_client()?;
    ensure(other.devices()?[0] != subject.client.devices()?[0], || "they share a device handle".to_owned())?;
    drop(other);
    devices(subject)
}

fn client_topology(subject: &Subject) -> Verdict {
    let topology = subject.client.topology()?;
    ensure_eq(&topology.platform_name()?, &subject.client.platform_name()?, "platform name")?;
    topology.platform_version()?;
    topology.attributes()?;
    let descriptions = topology.device_descriptions()?;
    ensure_eq(&descriptions.len(), &subject.client.devices()?.len(), "number of devices")?;
    for description in descriptions {
        description.id()?;
        description.kind()?;
        description.to_text()?;
    }
    Ok(())
}

fn topology_round_trip(subject: &Subject) -> Verdict {
    let topology = subject.client.topology()?;
    let back = Topology::deserialize(subject.plugin(), &topology.serialize()?)?;
    ensure_eq(&back.platform_name()?, &topology.platform_name()?, "platform name")?;
    ensure_eq(&back.device_descriptions()?.len(), &topology.device_descriptions()?.len(), "number of devices")?;
    if let (Ok(one), Ok(two)) = (topology.fingerprint(), back.fingerprint()) {
        ensure_eq(&two, &one, "fingerprint")?;
    }
    let bad = Topology::deserialize(subject.plugin(), b"no topology at all");
    match bad {
        Err(_) => Ok(()),
        Ok(_) => Err(Trouble::Failed("garbage was read as a topology".to_owned())),
    }
}
