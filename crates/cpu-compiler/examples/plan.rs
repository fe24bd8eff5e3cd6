//! Prints the plans of programs: `cargo run -p cpu-compiler --example plan -- FILE...`.
//!
//! With `--references` only the ops that run by the reference evaluator, and how often they occur in all files.

use cpu_compiler::{Executable, NoCustomCalls, Options};
use std::collections::BTreeMap;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (options, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let mut references: BTreeMap<String, usize> = BTreeMap::new();
    for path in &files {
        let module = stablehlo::read_program(&std::fs::read(path)?)?;
        let executable =
            match Executable::compile(module.into(), &Options { custom_calls: &NoCustomCalls, explained: true }) {
                Ok(executable) => executable,
                Err(error) => {
                    println!("{path}: {error}");
                    continue;
                }
            };
        if options.is_empty() {
            println!("{}{:?}, {:?}", executable.text(), executable.cost(), executable.memory());
        }
        for line in executable.text().lines().filter_map(|line| line.split_once("reference ")) {
            let name = line.1.split(' ').next().unwrap_or_default();
            *references.entry(name.to_owned()).or_default() += 1;
        }
    }
    references.iter().for_each(|(name, count)| println!("{count:6} {name}"));
    Ok(())
}
