//! What the writer and the printer make is read by jaxlib, and means the same to it: portable artifacts by
//! `stablehlo.deserialize_portable_artifact`, text by MLIR's own parser. And what jaxlib writes as plain bytecode is read
//! here.

mod python_with_jax;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use stablehlo::Version;
use stablehlo::ir::{Dialect, Module, same_program};
use stablehlo::text::{Form, PrintOptions, parse, print};

/// Programs of this repository with ops that jaxlib knows, and a share of the corpus where it is; with the bytes that
/// they come from.
fn programs() -> Vec<(String, Vec<u8>, Module)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = |directory: PathBuf, extension: &str| {
        let entries = std::fs::read_dir(directory).into_iter().flatten().map(|entry| entry.expect("an entry").path());
        let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e == extension)).collect();
        files.sort();
        files
    };
    let fixtures = list(root.join("tests/text"), "mlir");
    let corpus = list(root.join("../../../shared/stablehlo/corpus"), "mlirbc").into_iter().step_by(9);
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).expect("a file");
        let module = stablehlo::read_program(&bytes).expect("it reads");
        (path.file_stem().expect("a name").to_string_lossy().into_owned(), bytes, module)
    };
    fixtures.into_iter().chain(corpus).map(read).collect()
}

/// Whether it has no op that jaxlib's registry lacks.
fn is_known_to_jaxlib(module: &Module) -> bool {
    let dialects = [Dialect::Builtin, Dialect::Func, Dialect::Stablehlo, Dialect::Sdy];
    module.walk(module.root()).all(|op| dialects.contains(&module.op(op).code().dialect()))
}

/// Reads a file with one octet changed, at many places: whatever comes of it, a module can be walked, and an error has a
/// text.
fn read_damaged(bytes: &[u8]) {
    let mut state = bytes.len() as u64;
    for _ in 0..32 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mut damaged = bytes.to_vec();
        let at = (state >> 33) as usize % damaged.len();
        damaged[at] ^= 1 << (state >> 20 & 7);
        match stablehlo::bytecode::read(&damaged) {
            Ok(module) => assert!(module.walk(module.root()).count() > 0),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

#[test]
fn jaxlib_reads_what_is_written_and_printed() {
    let Some(python) = python_with_jax::python() else { return };
    let directory = std::env::temp_dir().join(format!("stablehlo-jaxlib-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let mut written: Vec<(String, PathBuf, Module)> = Vec::new();
    let mut refused = 0;
    for (name, source, module) in programs().into_iter().filter(|(_, _, module)| is_known_to_jaxlib(module)) {
        let extension = if std::str::from_utf8(&source).is_ok() { "mlir" } else { "mlirbc" };
        let source_name = format!("{name}.source.{extension}");
        std::fs::write(directory.join(&source_name), source).expect("it writes");
        let mut write = |file: String, bytes: &[u8]| {
            let path = directory.join(file);
            std::fs::write(&path, bytes).expect("it writes");
            written.push((source_name.clone(), path, module.clone()));
        };
        for version in ["1.0.0", "1.9.0", "1.14.0", "1.20.0"] {
            let version: Version = version.parse().expect("a version");
            // What a version cannot say is an error that another test looks at.
            match stablehlo::bytecode::write(&module, version) {
                Ok(bytes) => write(format!("{name}.{version}.mlirbc"), &bytes),
                Err(_) => refused += 1,
            }
        }
        for (form, kind) in [(Form::Pretty, "pretty"), (Form::Generic, "generic")] {
            let text = print(&module, &PrintOptions { form, locations: true });
            write(format!("{name}.{kind}.mlir"), text.as_bytes());
        }
    }
    assert!(written.len() > 2 * refused, "{refused} artifacts of few programs cannot be written");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/differential/jaxlib_reads.py");
    let output =
        Command::new(python).arg(script).arg(&directory).env("JAX_PLATFORMS", "cpu").output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut failures = Vec::new();
    let mut left_out = BTreeSet::new();
    for (source, path, module) in &written {
        // A few of our own programs hold what jaxlib does not take in any form, such as ops that it has no more.
        let answer = std::fs::read_to_string(directory.join(format!("{source}.back"))).expect("jaxlib's answer");
        if answer.starts_with("ERROR\n") {
            left_out.insert(source.clone());
            continue;
        }
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let back = std::fs::read_to_string(directory.join(format!("{name}.back"))).expect("jaxlib's answer");
        let check = || match back.strip_prefix("ERROR\n") {
            Some(error) => Err(format!("jaxlib: {error}")),
            None => {
                let back = parse(&back).map_err(|error| error.to_string())?;
                same_program(module, &back)?;
                let plain = std::fs::read(directory.join(format!("{name}.plain"))).expect("the same in bytecode");
                read_damaged(&plain);
                let plain = stablehlo::bytecode::read(&plain).map_err(|error| format!("plain bytecode: {error}"))?;
                same_program(&back, &plain).map_err(|problem| format!("plain bytecode: {problem}"))
            }
        };
        if let Err(problem) = check() {
            failures.push(format!("{name}: {problem}"));
        }
    }
    println!("{} artifacts and texts, {refused} not to be said in a version", written.len());
    std::fs::remove_dir_all(&directory).expect("it is ours");
    assert!(left_out.len() <= 4, "jaxlib does not take {left_out:?}");
    assert!(failures.is_empty(), "{} of {} failed:\n{}", failures.len(), written.len(), failures.join("\n"));
}
