//! Invariant 5: what frameworks treat as infallible never fails, and a backend that would make it fail is
//! refused when its client is created.

use crate::support::{Session, plugin, session};
use pjrt_testkit::sys::{PJRT_Error_GetCode_Args, PJRT_Event_Destroy_Args, Struct};
use pjrt_testkit::{Code, ExecuteOptions, Topology, Value};

#[test]
fn what_must_not_fail_is_refused_at_creation_with_the_reason() {
    let plugin = plugin();
    let flaws = [
        ("repeated id", "occurs twice"),
        ("negative id", "negative"),
        ("no memory", "has no memory space"),
        ("unknown memory", "memory 9"),
        ("float attribute", "\"f\""),
        ("no devices", "no addressable device"),
        ("no kind", "has no kind"),
        ("kind id zero", "kind id 0"),
        ("memory of nobody", "no device"),
        ("memory of a stranger", "device that does not exist"),
    ];
    for (flaw, text) in flaws {
        let error = Session::flawed(&plugin, flaw).err().unwrap_or_else(|| panic!("{flaw} is accepted"));
        assert_eq!(error.code, Code::INTERNAL, "{flaw}: {error}");
        assert!(error.message.contains(text), "{flaw}: {error}");
    }
}

#[test]
fn what_must_not_fail_answers_for_devices_descriptions_and_memories() {
    let session = session();
    let attributes = session.plugin.attributes().unwrap();
    let mut names: Vec<&str> = attributes.iter().map(|named| named.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["stablehlo_current_version", "stablehlo_minimum_version", "xla_version"]);
    for device in session.client.devices().unwrap() {
        let id = device.id().unwrap();
        let description = device.description().unwrap();
        assert_eq!(description.kind().unwrap(), "TestDevice");
        assert_eq!(description.to_text().unwrap(), format!("TestDevice(id={id})"));
        assert!(!description.debug_string().unwrap().is_empty());
        assert_eq!(description.process_index().unwrap(), 0);
        let all = device.attributes().unwrap();
        assert_eq!(all.last().map(|named| &named.value), Some(&Value::Int64(40)), "runtime attributes come last");
        let memories = device.addressable_memories().unwrap();
        assert!(!memories.is_empty());
        assert_eq!(device.default_memory().unwrap().raw(), memories[0].raw());
        for memory in memories {
            assert!(!memory.kind().unwrap().is_empty() && memory.kind_id().unwrap() != 0);
            assert!(!memory.to_text().unwrap().is_empty() && !memory.debug_string().unwrap().is_empty());
            let users = memory.addressable_by_devices().unwrap();
            assert_eq!(users.iter().map(|user| user.raw()).collect::<Vec<_>>(), [device.raw()], "handles are the same");
        }
    }
    let ids: Vec<i32> = session.client.addressable_memories().unwrap().iter().map(|m| m.id().unwrap()).collect();
    assert_eq!(ids, [0, 1, 2, 3]);
    let topology = Topology::create(&session.plugin, "3x1", &[]).unwrap();
    assert_eq!(topology.device_descriptions().unwrap().len(), 3);
    assert_eq!(topology.device_descriptions().unwrap()[2].to_text().unwrap(), "TestDevice(id=2)");
}

#[test]
fn what_must_not_fail_answers_for_buffers_in_every_state() {
    let session = session();
    let live = session.put(&[1.0f32, 2.0], &[2]);
    let deleted = session.put(&[1.0f32, 2.0], &[2]);
    deleted.delete().unwrap();
    let donated = session.put(&[1.0f32, 2.0], &[2]);
    session.compile("donate f32[2]").run(&[&donated]).unwrap();
    let ty = live.element_type().unwrap();
    let memory = session.memory(0);
    let failed = session.client.error_buffer(Code::ABORTED, "x", &[], ty, &[2], &memory).unwrap();
    let (alias, _never) = session.client.alias_buffer(ty, &[2], None, &memory).unwrap();
    let copy = session.compile("copy f32[2]");
    let late = copy.execute(&[vec![&alias]], &ExecuteOptions::default()).unwrap().outputs.remove(0).remove(0);
    for (state, buffer) in [
        ("live", &live),
        ("deleted", &deleted),
        ("donated", &donated),
        ("failed", &failed),
        ("alias", &alias),
        ("late", &late),
    ] {
        assert_eq!(buffer.element_type().unwrap(), ty, "{state}");
        assert_eq!(buffer.dimensions().unwrap(), [2], "{state}");
        assert_eq!(buffer.unpadded_dimensions().unwrap(), [2], "{state}");
        assert!(buffer.dynamic_dimension_indices().unwrap().is_empty(), "{state}");
        assert_eq!(buffer.memory_layout().unwrap(), pjrt_testkit::Layout::row_major(1), "{state}");
        assert_eq!(buffer.device().unwrap().raw(), session.device(0).raw(), "{state}");
        assert_eq!(buffer.memory().unwrap().raw(), memory.raw(), "{state}");
        assert!(!buffer.is_on_cpu().unwrap(), "{state}");
        assert_eq!(buffer.is_deleted().unwrap(), ["deleted", "donated"].contains(&state), "{state}");
        buffer.ready_event().unwrap();
    }
}

#[test]
fn what_must_not_fail_takes_null_and_any_event() {
    let session = session();
    let api = session.plugin.api();
    let mut args = PJRT_Event_Destroy_Args { struct_size: PJRT_Event_Destroy_Args::STRUCT_SIZE, ..Default::default() };
    // SAFETY: whole Args.
    assert!(unsafe { api.PJRT_Event_Destroy.unwrap()(&raw mut args) }.is_null());
    let mut args = PJRT_Error_GetCode_Args { struct_size: PJRT_Error_GetCode_Args::STRUCT_SIZE, ..Default::default() };
    // SAFETY: whole Args; a null error is refused and not looked into.
    let error =
        unsafe { pjrt_testkit::Error::take(&session.plugin, api.PJRT_Error_GetCode.unwrap()(&raw mut args), "x") };
    assert_eq!(error.unwrap_err().code, Code::INVALID_ARGUMENT);
    pjrt_testkit::Event::create(&session.client).unwrap().destroy().unwrap();
    session.put(&[1u8], &[1]).ready_event().unwrap().destroy().unwrap();
}
