//! Says how two headers, or two generated files, differ.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use super::surface::Surface;

/// What an official header has that ours has not, what differs, and what it lacks.
pub fn report(ours: &Surface, official: &Surface, header: &Path) -> String {
    let mut out = format!("{} compared with our header\n", header.display());
    let before = out.len();
    structs(ours, official, &mut out);
    enums(ours, official, &mut out);
    let constants = |s: &Surface| -> BTreeMap<String, i64> {
        s.constants.iter().filter(|(k, _)| named(k)).map(|(k, v)| (k.clone(), *v)).collect()
    };
    values("constant", "", &constants(ours), &constants(official), &mut out);
    for (name, target) in official.aliases.iter().filter(|(name, _)| named(name)) {
        match ours.aliases.get(name) {
            None => _ = writeln!(out, "new: type {name} = {target}"),
            Some(known) if normal(known) != normal(target) => {
                _ = writeln!(out, "different: type {name}\n  ours:     {known}\n  official: {target}");
            }
            Some(_) => {}
        }
    }
    missing("type", ours.aliases.keys(), official.aliases.keys(), &mut out);
    if out.len() == before {
        out.push_str("no difference\n");
    }
    out
}

fn structs(ours: &Surface, official: &Surface, out: &mut String) {
    for (name, theirs) in official.structs.iter().filter(|(name, _)| named(name)) {
        let Some(known) = ours.structs.get(name) else {
            _ = writeln!(out, "new: struct {name}, {} bytes", theirs.size);
            for field in &theirs.fields {
                _ = writeln!(out, "  {} at {}: {}", field.name, field.offset, field.ty);
            }
            continue;
        };
        let what = if name == "PJRT_Api" { "function slot" } else { "field" };
        if known.size != theirs.size {
            _ = writeln!(out, "different: size of {name}: {} here, {} there", known.size, theirs.size);
        }
        for field in &theirs.fields {
            match known.fields.iter().find(|f| f.name == field.name) {
                None => {
                    _ = writeln!(out, "new: {what} {name}.{} at {}: {}", field.name, field.offset, field.ty);
                }
                Some(f) if f.offset != field.offset || normal(&f.ty) != normal(&field.ty) => {
                    _ = writeln!(
                        out,
                        "different: {what} {name}.{}\n  ours:     at {}: {}\n  official: at {}: {}",
                        field.name, f.offset, f.ty, field.offset, field.ty
                    );
                }
                Some(_) => {}
            }
        }
        for field in &known.fields {
            if !theirs.fields.iter().any(|f| f.name == field.name) {
                _ = writeln!(out, "missing: {what} {name}.{} at {}", field.name, field.offset);
            }
        }
    }
    missing("struct", ours.structs.keys(), official.structs.keys(), out);
}

fn enums(ours: &Surface, official: &Surface, out: &mut String) {
    let empty = BTreeMap::new();
    for (name, theirs) in official.enums.iter().filter(|(name, _)| named(name)) {
        if !ours.enums.contains_key(name) {
            _ = writeln!(out, "new: enum {name}");
        }
        values("value", name, ours.enums.get(name).unwrap_or(&empty), theirs, out);
    }
    missing("enum", ours.enums.keys(), official.enums.keys(), out);
}

fn values(what: &str, of: &str, ours: &BTreeMap<String, i64>, official: &BTreeMap<String, i64>, out: &mut String) {
    let full = |name: &str| {
        if of.is_empty() { name.to_owned() } else { format!("{of}::{name}") }
    };
    for (name, value) in official {
        match ours.get(name) {
            None => _ = writeln!(out, "new: {what} {} = {value}", full(name)),
            Some(known) if known != value => {
                _ = writeln!(out, "different: {what} {}: {known} here, {value} there", full(name));
            }
            Some(_) => {}
        }
    }
    if !of.is_empty() {
        for name in ours.keys().filter(|name| !official.contains_key(*name)) {
            _ = writeln!(out, "missing: {what} {}", full(name));
        }
    }
}

/// Ours is one header for everything, an official one may hold a single extension; so what is
/// missing is counted and listed on one line.
fn missing<'a>(
    what: &str,
    ours: impl Iterator<Item = &'a String>,
    official: impl Iterator<Item = &'a String>,
    out: &mut String,
) {
    let official: BTreeSet<_> = official.collect();
    let missing: Vec<_> = ours.filter(|name| named(name) && !official.contains(name)).map(String::as_str).collect();
    if !missing.is_empty() {
        _ = writeln!(out, "missing: {} {what}s: {}", missing.len(), missing.join(", "));
    }
}

/// Names of the API, as opposed to those of the C library and of bindgen.
fn named(name: &str) -> bool {
    ["PJRT_", "PLUGIN_", "JAX_"].iter().any(|prefix| name.starts_with(prefix)) && !name.contains("__bindgen")
}

/// A type without the names of its parameters and without constness, which is no part of the ABI.
fn normal(ty: &str) -> String {
    let mut out = String::new();
    for word in ty.replace("*const", "*mut").split_whitespace() {
        match word.split_once(':') {
            Some((name, "")) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => {}
            Some((before, "")) if before.contains('(') => {
                out.push_str(before.split_once('(').map_or("", |(kept, _)| kept));
                out.push('(');
            }
            _ => {
                out.push_str(word);
                out.push(' ');
            }
        }
    }
    out.replace(",)", ")").replace(", )", ")").replace("( ", "(").replace(' ', "")
}

/// The first lines that differ between a checked-in and a generated file.
pub fn line_summary(present: &str, wanted: &str, limit: usize) -> String {
    let present_lines: BTreeSet<_> = present.lines().collect();
    let wanted_lines: BTreeSet<_> = wanted.lines().collect();
    let gone: Vec<_> = present.lines().filter(|l| !wanted_lines.contains(l)).collect();
    let new: Vec<_> = wanted.lines().filter(|l| !present_lines.contains(l)).collect();
    if gone.is_empty() && new.is_empty() {
        return "  the same lines in another order\n".to_owned();
    }
    let mut out = String::new();
    for (sign, lines) in [('-', &gone), ('+', &new)] {
        for line in lines.iter().take(limit) {
            _ = writeln!(out, "  {sign} {line}");
        }
        if lines.len() > limit {
            _ = writeln!(out, "  {sign} and {} more lines", lines.len() - limit);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bindgen::surface::{Field, Struct};

    fn surface(fields: &[(&str, &str, usize)], size: usize) -> Surface {
        let fields = fields
            .iter()
            .map(|(name, ty, offset)| Field { name: (*name).to_owned(), ty: (*ty).to_owned(), offset: *offset })
            .collect();
        let mut surface = Surface::default();
        surface.structs.insert("PJRT_A_Args".to_owned(), Struct { size, fields });
        surface
    }

    #[test]
    fn names_new_moved_and_missing_fields() {
        let ours = surface(&[("a", "usize", 0), ("b", "bool", 8), ("c", "bool", 9)], 16);
        let official = surface(&[("a", "usize", 0), ("b", "bool", 16), ("d", "u8", 17)], 24);
        let report = report(&ours, &official, Path::new("x.h"));
        for expected in [
            "different: size of PJRT_A_Args: 16 here, 24 there",
            "different: field PJRT_A_Args.b",
            "new: field PJRT_A_Args.d at 17: u8",
            "missing: field PJRT_A_Args.c at 9",
        ] {
            assert!(report.contains(expected), "{expected:?} not in:\n{report}");
        }
    }

    #[test]
    fn names_of_parameters_do_not_count() {
        let one = "::core::option::Option< unsafe extern \"C\" fn(args: *mut A) -> *mut B, >";
        let two = "::core::option::Option<unsafe extern \"C\" fn(arg1: *const A) -> *mut B>";
        assert_eq!(normal(one).replace(",>", ">"), normal(two));
    }

    #[test]
    fn equal_headers_have_no_difference() {
        let ours = surface(&[("a", "usize", 0)], 8);
        assert!(report(&ours, &ours, Path::new("x.h")).contains("no difference"));
    }
}
