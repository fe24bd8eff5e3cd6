//! What the installed JAX prints for some eighty functions is read, and printed to the letter as JAX does.

mod python_with_jax;

use std::process::Command;

use stablehlo::ir::same_program;
use stablehlo::text::{Form, PrintOptions, parse, print};

/// The line without what its absence says too: JAX states some defaults, the IR keeps none.
fn without_defaults(line: &str) -> String {
    let mut line = line.to_owned();
    for default in [
        "precision = [DEFAULT, DEFAULT]",
        "precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]",
        "indices_are_sorted = false",
        "unique_indices = false",
        "backend_config = \"\"",
        "reverse = [false, false]",
        "lhs_dilate = [1, 1]",
        "base_dilations = array<i64: 1>",
        "base_dilations = array<i64: 1, 1, 1, 1>",
        "window_dilations = array<i64: 1>",
        "window_dilations = array<i64: 1, 1, 1, 1>",
        "window_strides = array<i64: 1>",
        "padding = dense<0> : tensor<4x2xi64>",
    ] {
        line = line.replace(&format!("{default}, "), "").replace(&format!(", {default}"), "");
    }
    line
}

#[test]
fn the_text_of_jax_is_read_and_printed_to_the_letter() {
    let Some(python) = python_with_jax::python() else { return };
    let dir = std::env::temp_dir().join(format!("stablehlo-jax-text-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a directory");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/differential/jax_text.py");
    let output = Command::new(python).arg(script).arg(&dir).env("JAX_PLATFORMS", "cpu").output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut failures = Vec::new();
    let mut count = 0;
    for number in 0.. {
        let Ok(text) = std::fs::read_to_string(dir.join(format!("{number}.mlir"))) else { break };
        let located = std::fs::read_to_string(dir.join(format!("{number}.loc.mlir"))).expect("its other form");
        count += 1;
        let check = || {
            let module = parse(&text).map_err(|error| error.to_string())?;
            let with_locations = parse(&located).map_err(|error| error.to_string())?;
            same_program(&module, &with_locations)?;
            for form in [Form::Pretty, Form::Generic] {
                let printed = print(&with_locations, &PrintOptions { form, locations: true });
                same_program(&module, &parse(&printed).map_err(|error| error.to_string())?)?;
            }
            let printed = print(&module, &PrintOptions::default());
            if text.trim_end().lines().count() != printed.trim_end().lines().count() {
                return Err("prints another number of lines".to_owned());
            }
            let mut lines = text.trim_end().lines().zip(printed.trim_end().lines());
            match lines.find(|(theirs, ours)| theirs != ours && without_defaults(theirs) != *ours) {
                Some((theirs, ours)) => Err(format!("\n{theirs}\n{ours}")),
                None => Ok(()),
            }
        };
        if let Err(problem) = check() {
            failures.push(format!("{number}: {problem}"));
        }
    }
    std::fs::remove_dir_all(&dir).expect("it goes");
    println!("text of JAX: {count} functions, {} failures", failures.len());
    assert!(count >= 60 && failures.is_empty(), "{count} functions\n{}", failures.join("\n"));
}
