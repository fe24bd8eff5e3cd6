//! Every program of the corpus of real programs prints in both forms, and reads back as the same program.

use std::path::{Path, PathBuf};

use stablehlo::ir::{Module, same_program};
use stablehlo::text::{Form, PrintOptions, parse, print};

mod shared_facts;

fn files(dir: &Path, end: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).expect("the corpus");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().ends_with(end))
        .collect();
    files.sort();
    files
}

fn round_trip(module: &Module, options: &PrintOptions) -> Result<(), String> {
    let text = print(module, options);
    let read = parse(&text).map_err(|error| error.to_string())?;
    same_program(module, &read)?;
    // Printing is a function of the program: nothing of the way it was made shows.
    if options.locations || print(&read, options) == text { Ok(()) } else { Err("prints otherwise".to_owned()) }
}

#[test]
fn every_program_survives_printing_and_parsing() {
    let Some(dir) = shared_facts::path("stablehlo/corpus") else { return };
    let files = files(&dir, ".mlirbc");
    assert!(files.len() > 2000, "{} programs", files.len());
    let mut failures = Vec::new();
    for path in &files {
        let module = stablehlo::bytecode::read(&std::fs::read(path).expect("a program")).expect("it reads");
        for form in [Form::Pretty, Form::Generic] {
            for locations in [false, true] {
                if let Err(problem) = round_trip(&module, &PrintOptions { form, locations }) {
                    failures.push(format!("{} {form:?} {locations}: {problem}", path.display()));
                }
            }
        }
    }
    println!("text: {} programs, {} failures", files.len(), failures.len());
    assert!(failures.is_empty(), "{}", failures[..failures.len().min(10)].join("\n"));
}

/// The corpus has the text that MLIR prints for some programs: ours is the same to the letter.
#[test]
fn the_text_is_that_of_mlir() {
    let Some(dir) = shared_facts::path("stablehlo/corpus") else { return };
    let mut failures = Vec::new();
    let files = files(&dir, ".stablehlo.txt");
    for path in &files {
        let expected = std::fs::read_to_string(path).expect("a text");
        let program = path.to_string_lossy().replace(".stablehlo.txt", ".mlirbc");
        let module = stablehlo::bytecode::read(&std::fs::read(program).expect("a program")).expect("it reads");
        let of_text = parse(&expected).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        if let Err(difference) = same_program(&module, &of_text) {
            failures.push(format!("{}: {difference}", path.display()));
        }
        let printed = print(&of_text, &PrintOptions::default());
        let lines = expected.trim_end().lines().zip(printed.trim_end().lines());
        let different = lines.clone().find(|(theirs, ours)| theirs != ours);
        if let Some((theirs, ours)) = different {
            failures.push(format!("{}:\n{theirs}\n{ours}", path.display()));
        } else if expected.trim_end().lines().count() != printed.trim_end().lines().count() {
            failures.push(format!("{}: another number of lines", path.display()));
        }
    }
    println!("text of MLIR: {} programs, {} failures", files.len(), failures.len());
    assert!(failures.is_empty(), "{}", failures[..failures.len().min(10)].join("\n"));
}
