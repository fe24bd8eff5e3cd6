//! Compares the bindings with the ABI facts shared by all repositories of this organisation: every
//! struct size, declared size, field offset and size, enum value, constant, slot and extension.

use std::collections::BTreeMap;
use std::path::Path;

use pjrt_sys::{API_FUNCTIONS, EXTENSIONS, PJRT_Api, STRUCTS, SizeField, Struct, StructInfo};
use serde_json::Value;

/// What the compiler saw; the assertions in it hold, so its text can be searched for values.
const BINDINGS: &str = include_str!("../src/bindings.rs");

/// The facts with the newer extension layouts merged in, or nothing when they are not at hand.
fn facts() -> Option<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/pjrt-abi/abi-0.114.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        assert!(std::env::var_os("CI").is_none(), "{} is missing", path.display());
        println!("skipped: {} is missing", path.display());
        return None;
    };
    let mut facts: Value = serde_json::from_str(&text).expect("the facts are JSON");
    let headers = facts["post_114"]["extension_headers_2026_08_22"]["changes"].take();
    for header in array(&headers) {
        let version = header["version_macro"].clone();
        for known in facts["macros"].as_array_mut().expect("macros") {
            if known["name"] == version {
                known["value"] = header["version"].clone();
            }
        }
        let structs = facts["structs"].as_array_mut().expect("structs");
        for change in array(&header["changes"]) {
            let mut change = change.clone();
            if change["new"] == true {
                change["name"] = change["struct"].clone();
                structs.push(change);
                continue;
            }
            let known = structs.iter_mut().find(|s| s["name"] == change["struct"]).expect("known");
            known["sizeof"] = change["sizeof"].clone();
            known["STRUCT_SIZE"] = change["STRUCT_SIZE"][1].clone();
            let added = array(&change["added_fields"]).clone();
            known["fields"].as_array_mut().expect("fields").extend(added);
        }
    }
    for extension in array(&facts["removed_extensions"].clone()) {
        let structs = array(&extension["structs"]).clone();
        facts["structs"].as_array_mut().expect("structs").extend(structs);
    }
    Some(facts)
}

fn array(value: &Value) -> &Vec<Value> {
    value.as_array().expect("an array")
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().expect("a number")).expect("fits")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

/// Ours, by name. The function table's slots are among its fields.
fn ours() -> BTreeMap<&'static str, StructInfo> {
    STRUCTS.iter().flat_map(|list| list.iter()).map(|s| (s.name, *s)).collect()
}

/// A name in C as bindgen writes it in Rust.
fn same_name(rust: &str, c: Option<&str>) -> bool {
    match c {
        None => rust == "__bindgen_anon_1",
        Some(c) => rust == c || rust.strip_suffix('_') == Some(c),
    }
}

#[test]
fn structs_have_the_sizes_and_fields_of_the_facts() {
    let Some(facts) = facts() else { return };
    let ours = ours();
    let (mut wrong, mut checks) = (Vec::new(), 0);
    let mut check = |ok: bool, what: String| {
        checks += 1;
        if !ok {
            wrong.push(what);
        }
    };
    for fact in array(&facts["structs"]) {
        let name = text(&fact["name"]);
        let Some(s) = ours.get(name) else {
            check(false, format!("{name} is missing"));
            continue;
        };
        check(s.size == number(&fact["sizeof"]), format!("sizeof {name}: {}", s.size));
        if let Some(align) = fact["alignof"].as_u64() {
            check(s.align as u64 == align, format!("alignof {name}: {}", s.align));
        }
        if let Some(declared) = fact.get("STRUCT_SIZE") {
            let declared = declared.as_u64().map(|n| n as usize);
            check(s.struct_size == declared, format!("STRUCT_SIZE of {name}: {:?}", s.struct_size));
        }
        let fields = array(&fact["fields"]);
        let counted = if name == "PJRT_Api" { 3 + API_FUNCTIONS.len() } else { fields.len() };
        check(s.fields.len() == counted, format!("{name} has {} fields", s.fields.len()));
        for (field, known) in fields.iter().zip(s.fields) {
            let at = format!("{name}.{}", known.name);
            check(same_name(known.name, field["name"].as_str()), format!("{at}: name"));
            check(known.offset == number(&field["offset"]), format!("{at} at {}", known.offset));
            check(known.size == number(&field["size"]), format!("{at}: {} bytes", known.size));
        }
    }
    let known = array(&facts["structs"]).len();
    check(ours.len() == known, format!("{} structs, the facts have {known}", ours.len()));
    assert!(wrong.is_empty(), "{} of {checks} checks failed:\n{}", wrong.len(), wrong.join("\n"));
    println!("{checks} checks over {known} structs");
}

#[test]
fn released_sizes_are_those_of_the_facts() {
    let Some(facts) = facts() else { return };
    let ours = ours();
    for fact in array(&facts["structs"]) {
        let name = text(&fact["name"]);
        let recorded = if name == "PJRT_Api" { &facts["api_table"]["size_history"] } else { &fact["size_history"] };
        let (Some(recorded), Some(_)) = (recorded.as_array(), ours[name].struct_size) else { continue };
        // Where several headers carry a minor number, the last size recorded for it counts.
        let sizes: BTreeMap<_, _> = recorded.iter().map(|h| (number(&h["minor"]), number(&h["size"]))).collect();
        let mut expected: Vec<(usize, usize)> = Vec::new();
        for (minor, size) in sizes {
            if expected.last().is_none_or(|(_, last)| *last != size) {
                expected.push((minor, size));
            }
        }
        let history: Vec<_> = ours[name].history.iter().map(|r| (usize::from(r.minor), r.struct_size)).collect();
        assert_eq!(history, expected, "{name}");
    }
}

#[test]
fn the_length_of_a_release_covers_the_fields_of_its_time() {
    let Some(facts) = facts() else { return };
    let ours = ours();
    for fact in array(&facts["structs"]).iter().filter(|f| f["name"] != "PJRT_Api") {
        let name = text(&fact["name"]);
        for release in ours[name].history.iter().filter(|r| r.minor >= pjrt_sys::OLDEST_MINOR) {
            let end = array(&fact["fields"])
                .iter()
                .filter(|field| minor(&field["since"]) <= u64::from(release.minor))
                .map(|field| number(&field["offset"]) + number(&field["size"]))
                .max();
            // A struct whose header took its present form later says nothing about this release.
            if let Some(end) = end {
                assert_eq!(release.len, end, "{name} at 0.{}", release.minor);
            }
        }
    }
}

/// The minor version of a `since` entry; fields of the newest extension headers have none.
fn minor(since: &Value) -> u64 {
    since.as_u64().or_else(|| since["core_minor"].as_u64()).or_else(|| since["since"].as_u64()).unwrap_or(114)
}

#[test]
fn size_fields_that_callers_do_not_set_are_marked() {
    let Some(facts) = facts() else { return };
    let ours = ours();
    let policy = &facts["struct_size_policy"];
    for name in array(&policy["callers_leave_uninitialised"]) {
        let name = text(name).split(' ').next().expect("a name");
        assert_eq!(ours[name].size_field, SizeField::Unset, "{name}");
    }
    for name in array(&policy["no_struct_size_field"]) {
        assert_eq!(ours[text(name)].size_field, SizeField::Absent, "{name}");
    }
    let unset = ours.values().filter(|s| s.size_field == SizeField::Unset).count();
    assert_eq!(unset, array(&policy["callers_leave_uninitialised"]).len());
    for s in ours.values().filter(|s| s.size_field != SizeField::Absent) {
        assert!(["struct_size", "base"].contains(&s.fields[0].name), "{}", s.name);
    }
}

#[test]
fn enum_values_and_constants_are_those_of_the_facts() {
    let Some(facts) = facts() else { return };
    let flat = BINDINGS.split_whitespace().collect::<Vec<_>>().join(" ");
    for fact in array(&facts["enums"]) {
        let name = text(&fact["name"]);
        let body = flat.split(&format!("impl {name} {{ ")).nth(1).expect(name);
        let body = body.split(" }").next().expect(name);
        let values: BTreeMap<&str, u64> = body
            .split("pub const ")
            .skip(1)
            .filter_map(|value| {
                let (variant, rest) = value.split_once(": ")?;
                let number = rest.split_once('(')?.1.split_once(')')?.0;
                Some((variant, number.trim_matches([' ', ',']).parse().ok()?))
            })
            .collect();
        for value in array(&fact["values"]) {
            let full = text(&value["name"]);
            let found: Vec<_> = values.iter().filter(|(short, _)| full.ends_with(**short)).collect();
            let longest = found.iter().max_by_key(|(short, _)| short.len()).expect(full);
            assert_eq!(*longest.1, value["value"].as_u64().expect("a number"), "{full}");
        }
        assert_eq!(values.len(), array(&fact["values"]).len(), "{name}");
    }
    for fact in array(&facts["macros"]) {
        let line = format!("pub const {}: u32 = {};", text(&fact["name"]), fact["value"]);
        assert!(BINDINGS.contains(&line), "{line}");
    }
}

#[test]
fn slots_of_the_table_are_those_of_the_facts() {
    let Some(facts) = facts() else { return };
    let table = &facts["api_table"];
    assert_eq!(PJRT_Api::STRUCT_SIZE, number(&table["struct_size"]));
    let functions = array(&table["functions"]);
    assert_eq!(functions.len(), API_FUNCTIONS.len());
    for (fact, slot) in functions.iter().zip(API_FUNCTIONS) {
        assert_eq!(slot.name, text(&fact["name"]));
        assert_eq!(slot.offset, number(&fact["offset"]), "{}", slot.name);
        assert_eq!(u64::from(slot.since), minor(&fact["since"]), "{}", slot.name);
    }
}

#[test]
fn extensions_are_those_of_the_facts() {
    let Some(facts) = facts() else { return };
    for fact in array(&facts["extensions"]) {
        let number = fact["type_value"].as_u64().expect("a number");
        let found = EXTENSIONS.iter().find(|e| u64::from(e.kind.0) == number).expect("an extension");
        assert_eq!(found.node, text(&fact["struct"]));
        assert_eq!(format!("PJRT_Extension_Type_{}", found.name), text(&fact["type_enum"]));
        assert_eq!(found.struct_size, ours()[found.node].struct_size.expect("sized"));
    }
    let retired = array(&facts["removed_extensions"]).len();
    assert_eq!(EXTENSIONS.len(), array(&facts["extensions"]).len() + retired);
}
