//! Dependencies between the crates of this workspace point downward only: each crate may use those that its line in
//! `LAYERS` names, and no others.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Crate, and the crates of this workspace that it may depend on. A new crate must be given its place here.
const LAYERS: [(&str, &[&str]); 9] = [
    ("pjrt-sys", &[]),
    // The safe vocabulary has no C types in it.
    ("pjrt-client-trait", &[]),
    // Programs are programs, whoever carries them.
    ("stablehlo", &[]),
    ("pjrt-testkit", &["pjrt-sys"]),
    ("pjrt-wrapper", &["pjrt-sys", "pjrt-client-trait"]),
    // The host half of typed FFI: foreign call frames on one side, the safe vocabulary on the other.
    ("xla-ffi", &["pjrt-sys", "pjrt-client-trait"]),
    ("backend-example", &["pjrt-wrapper", "pjrt-client-trait", "stablehlo", "xla-ffi"]),
    // Loop nests over vectors know no program and no machine.
    ("cpu-vir", &[]),
    ("xtask", &["pjrt-testkit"]),
];

/// How the names of crates begin that make up a backend's engine: `cpu-runtime` is a part of that of `backend-cpu`.
const ENGINES: [&str; 1] = ["cpu-"];

/// What tests may use beside that: the client of the C API, the bindings and the oracle.
const FOR_TESTS: [&str; 4] = ["pjrt-testkit", "pjrt-sys", "pjrt-client-trait", "stablehlo"];

/// Packages of the workspace: name, dependencies within it as (name, is it for tests only).
fn packages() -> Vec<(String, Vec<(String, bool)>)> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let names: Vec<String> = packages.iter().map(|package| text(&package["name"])).collect();
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().unwrap();
            let inside = dependencies
                .iter()
                .filter(|dependency| names.contains(&text(&dependency["name"])))
                .map(|dependency| (text(&dependency["name"]), dependency["kind"] == "dev"))
                .collect();
            (text(&package["name"]), inside)
        })
        .collect()
}

#[test]
fn every_arrow_points_downward() {
    let mut wrong = Vec::new();
    for (name, dependencies) in packages() {
        // Every backend stands where the example does, unless it has a line of its own. The parts of a backend's
        // engine know each other and programs, and nothing of PJRT.
        let place = |wanted: &str| LAYERS.iter().find(|(layer, _)| *layer == wanted).map(|(_, allowed)| *allowed);
        let backend = name.starts_with("backend-").then_some("backend-example").and_then(place);
        let engine = ENGINES.iter().any(|prefix| name.starts_with(prefix)).then_some(["stablehlo"].as_slice());
        let Some(allowed) = place(&name).or(backend).or(engine) else {
            wrong.push(format!("{name} has no place in LAYERS"));
            continue;
        };
        for (dependency, for_tests) in dependencies {
            let of_engine =
                (backend.is_some() || engine.is_some()) && ENGINES.iter().any(|prefix| dependency.starts_with(prefix));
            let fits = of_engine
                || allowed.contains(&dependency.as_str())
                || for_tests && FOR_TESTS.contains(&dependency.as_str());
            if !fits {
                wrong.push(format!("{name} must not depend on {dependency}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_layers_themselves_have_no_cycle() {
    for (index, (name, allowed)) in LAYERS.iter().enumerate() {
        for below in *allowed {
            let place = LAYERS.iter().position(|(layer, _)| layer == below);
            assert!(place.is_some_and(|place| place < index), "{name} stands above {below}");
        }
    }
}
