//! Against what jaxlib ships: its headers, its compiled handlers, and handlers compiled with its headers.
//!
//! `PYPJRT_PYTHON` names a Python that can import jaxlib; `cargo xtask test` sets it.

mod compiled_handlers;
mod headers;
mod layout;

use std::path::Path;
use std::process::Command;

/// The Python with jaxlib, if there is one. Without it tests are skipped, but not in CI.
fn python() -> Option<String> {
    let python = std::env::var("PYPJRT_PYTHON").ok();
    if python.is_none() {
        assert!(std::env::var_os("CI").is_none(), "PYPJRT_PYTHON is not set");
        println!("skipped: PYPJRT_PYTHON names no Python that can import jaxlib");
    }
    python
}

/// Runs a command that must succeed; its output.
fn output(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}:\n{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// Runs a script on the library of `examples/call_handler.rs`; the last line of its report.
fn report(script: &str) -> Option<String> {
    let python = python()?;
    // Cargo builds examples beside the tests.
    let test = std::env::current_exe().unwrap();
    let library = test.ancestors().nth(2).unwrap().join("examples").join("libcall_handler.so");
    let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = crate_root.join("tests/jaxlib").join(script);
    // Where the scripts find `local_symbols`, which plugins use too.
    let support = crate_root.join("../../python/pjrt_plugin_support");
    let report = output(Command::new(python).arg(script).arg(library).env("PYTHONPATH", support));
    println!("{report}");
    report.lines().last().map(str::to_owned)
}

#[test]
fn lapack_kernels_of_jaxlib_agree_with_numpy() {
    let Some(last) = report("lapack_handlers.py") else { return };
    assert!(last.ends_with("all good"), "{last}");
}

#[test]
fn python_callbacks_of_jaxlib_run() {
    let Some(last) = report("python_callback.py") else { return };
    assert!(last.ends_with("all good") || last.starts_with("skipped: "), "{last}");
}
