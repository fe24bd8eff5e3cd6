//! The table itself: slots, version, extensions, plugin attributes.

use std::collections::BTreeSet;

use pjrt_sys::{PJRT_Api, PJRT_Extension_Type, STRUCTS, Struct as _};

use super::{Check, Subject, Trouble, Verdict, ensure, ensure_eq};
use crate::named_value::Value;

pub(super) const CHECKS: &[Check] = &[
    Check::required("no_slot_of_the_table_is_null", no_null_slot),
    Check::required("the_table_is_as_long_as_its_version_says", table_size),
    Check::required("extension_nodes_are_whole", extensions),
    Check::required("plugin_attributes_name_the_stablehlo_versions", attributes),
    Check::required("plugin_attributes_stay_where_they_are", attributes_are_static),
];

fn no_null_slot(subject: &Subject) -> Verdict {
    let minor = subject.plugin().api_version().1;
    let null: Vec<_> = subject
        .plugin()
        .slots()
        .into_iter()
        .filter(|slot| !slot.present && (slot.in_table || i32::from(slot.since) <= minor))
        .map(|slot| slot.name)
        .collect();
    ensure(null.is_empty(), || format!("null: {}", null.join(", ")))
}

fn table_size(subject: &Subject) -> Verdict {
    let (major, minor) = subject.plugin().api_version();
    ensure_eq(&major, &0, "major version")?;
    ensure(minor >= 29, || format!("frameworks refuse 0.{minor}"))?;
    let Some(release) = PJRT_Api::released_at(u16::try_from(minor).unwrap_or(u16::MAX)) else {
        return Err(Trouble::Failed(format!("there is no version 0.{minor}")));
    };
    let size = subject.plugin().table_size();
    ensure(size >= release.struct_size, || format!("{size} bytes, 0.{minor} has {}", release.struct_size))
}

fn extensions(subject: &Subject) -> Verdict {
    let mut seen = BTreeSet::new();
    for node in subject.plugin().extensions() {
        let name = node.name();
        ensure(seen.insert(node.kind.0), || format!("{name} is there twice"))?;
        ensure(node.struct_size >= 24, || format!("{name} declares {} bytes", node.struct_size))?;
        // Its publisher may leave members of this one null, as XLA's CPU plugin does; the profiler's
        // second member is a number.
        let Some(known) = node.known() else { continue };
        if [PJRT_Extension_Type::PhaseCompile, PJRT_Extension_Type::Profiler].contains(&known.kind) {
            continue;
        }
        let Some(info) = STRUCTS.iter().flat_map(|list| list.iter()).find(|s| s.name == known.node) else { continue };
        for field in info.fields.iter().filter(|f| f.size == 8 && f.offset >= 24 && f.offset + 8 <= node.struct_size) {
            // SAFETY: the node has as many bytes as it declares, and the field is a pointer within them.
            let member = unsafe { node.raw.cast::<u8>().add(field.offset).cast::<usize>().read() };
            ensure(member != 0, || format!("{name}: {} is null", field.name))?;
        }
    }
    Ok(())
}

fn attributes(subject: &Subject) -> Verdict {
    let attributes = subject.plugin().attributes()?;
    let names: BTreeSet<_> = attributes.iter().map(|a| a.name.as_str()).collect();
    ensure_eq(&names.len(), &attributes.len(), "distinct names")?;
    for name in ["stablehlo_current_version", "stablehlo_minimum_version"] {
        let found = attributes.iter().find(|a| a.name == name);
        let found = found.ok_or_else(|| Trouble::Failed(format!("{name} is missing")))?;
        ensure(matches!(&found.value, Value::Int64List(list) if list.len() == 3), || {
            format!("{name} is {:?}, three integers expected", found.value)
        })?;
    }
    let version = attributes.iter().find(|a| a.name == "xla_version").map(|a| &a.value);
    ensure(matches!(version, Some(Value::Int64(_))), || format!("xla_version is {version:?}"))
}

fn attributes_are_static(subject: &Subject) -> Verdict {
    // SAFETY: the call has no inputs.
    let (first, second) = unsafe {
        let plugin = subject.plugin();
        (crate::call!(plugin, PJRT_Plugin_Attributes {})?, crate::call!(plugin, PJRT_Plugin_Attributes {})?)
    };
    ensure_eq(&first.num_attributes, &second.num_attributes, "number of attributes")?;
    ensure_eq(&first.attributes, &second.attributes, "address of the attributes")
}
