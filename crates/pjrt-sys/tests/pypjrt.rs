//! Compares the bindings with the ctypes module of the PyPI package `pypjrt` 0.1.1, which was made
//! independently from the official headers. `PYPJRT_PYTHON` names a Python that can import it.

use std::collections::BTreeMap;
use std::process::Command;

use pjrt_sys::{API_FUNCTIONS, PJRT_Error_Code, STRUCTS, StructInfo};
use serde_json::Value;

/// Extensions that grew after the headers pypjrt was made from: its fields come first in ours.
const GREW_SINCE: [&str; 4] = [
    "PJRT_Gpu_Custom_Call",
    "PJRT_Gpu_Register_Custom_Call_Args",
    "PJRT_TpuExecutable_Extension",
    "PJRT_Xla_Transform_Extension",
];

fn layout() -> Option<Value> {
    let Some(python) = std::env::var_os("PYPJRT_PYTHON") else {
        assert!(std::env::var_os("CI").is_none(), "PYPJRT_PYTHON is not set");
        println!("skipped: PYPJRT_PYTHON names no Python that can import pypjrt");
        return None;
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pypjrt_layout.py");
    let output = Command::new(&python).arg(script).output().expect("PYPJRT_PYTHON runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).expect("the script prints JSON"))
}

#[test]
fn structs_agree_with_pypjrt() {
    let Some(theirs) = layout() else { return };
    let ours: BTreeMap<&str, &StructInfo> = STRUCTS.iter().flat_map(|list| list.iter()).map(|s| (s.name, s)).collect();
    let (mut compared, mut wrong) = (0, Vec::new());
    for (name, layout) in theirs["structs"].as_object().expect("structs") {
        let Some(s) = ours.get(name.as_str()) else { continue };
        let fields = layout["fields"].as_array().expect("fields");
        if fields.is_empty() {
            continue;
        }
        let grew = GREW_SINCE.contains(&name.as_str());
        compared += 1;
        if !grew && layout["size"].as_u64() != Some(s.size as u64) {
            wrong.push(format!("sizeof {name}: {} here, {} there", s.size, layout["size"]));
        }
        if !grew && fields.len() != s.fields.len() {
            wrong.push(format!("{name}: {} fields here, {} there", s.fields.len(), fields.len()));
        }
        for (field, known) in fields.iter().zip(s.fields) {
            let there = (field[1].as_u64(), field[2].as_u64());
            if there != (Some(known.offset as u64), Some(known.size as u64)) {
                wrong.push(format!("{name}.{}: {known:?} here, {field} there", known.name));
            }
            let named = field[0].as_str().expect("a name");
            let anonymous = known.name.starts_with("__bindgen");
            if !anonymous && named.trim_end_matches('_') != known.name.trim_end_matches('_') {
                wrong.push(format!("{name}: {} here, {named} there", known.name));
            }
        }
        let declared = theirs["constants"][format!("{name}_STRUCT_SIZE")].as_u64();
        if !grew && declared != s.struct_size.map(|n| n as u64) {
            wrong.push(format!("STRUCT_SIZE of {name}: {:?} here, {declared:?} there", s.struct_size));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 300, "only {compared} structs were compared");
    println!("{compared} structs agree");
}

#[test]
fn slots_and_codes_agree_with_pypjrt() {
    let Some(theirs) = layout() else { return };
    let first = theirs["table"].as_u64().expect("an offset");
    let slots = theirs["slots"].as_object().expect("slots");
    assert_eq!(slots.len(), API_FUNCTIONS.len());
    for function in API_FUNCTIONS {
        let slot = slots[function.name].as_u64().expect("a slot");
        assert_eq!(first + 8 * slot, function.offset as u64, "{}", function.name);
    }
    assert_eq!(
        theirs["constants"]["PJRT_Error_Code_UNIMPLEMENTED"].as_u64(),
        Some(u64::from(PJRT_Error_Code::UNIMPLEMENTED.0))
    );
}
