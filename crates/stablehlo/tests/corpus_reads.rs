//! Every program of the corpus of real programs reads, and has the ops that the corpus index says.

use std::collections::BTreeMap;
use std::path::Path;

use stablehlo::ir::{Module, OpCode};

mod shared_facts;

/// Programs and the row of the index that describes each.
fn programs(dir: &Path) -> Vec<(String, Vec<u8>, BTreeMap<String, String>)> {
    let index = std::fs::read_to_string(dir.join("index.tsv")).expect("index.tsv");
    let mut lines = index.lines().map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let programs = lines.map(|row| {
        let row: BTreeMap<String, String> = header.iter().cloned().zip(row).collect();
        let bytes = std::fs::read(dir.join(&row["file"])).expect("a listed program");
        (row["file"].clone(), bytes, row)
    });
    programs.collect()
}

fn op_names(module: &Module) -> Vec<String> {
    let ops = module.walk(module.root()).map(|op| module.op(op));
    let left_out = [OpCode::BuiltinModule, OpCode::FuncFunc, OpCode::FuncReturn, OpCode::Return];
    let mut names: Vec<String> =
        ops.filter(|op| !left_out.contains(&op.code())).map(|op| op.name().to_owned()).collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn every_program_reads_with_the_ops_of_the_index() {
    let Some(dir) = shared_facts::path("stablehlo/corpus") else { return };
    let programs = programs(&dir);
    let mut failures = Vec::new();
    for (file, bytes, row) in &programs {
        let module = match stablehlo::bytecode::read(bytes) {
            Ok(module) => module,
            Err(error) => {
                failures.push(format!("{file}: {error}"));
                continue;
            }
        };
        let mut expected: Vec<String> = row["ops"]
            .split(',')
            .filter(|op| !op.is_empty() && *op != "builtin.unrealized_conversion_cast")
            .map(|op| match op.rsplit_once("_v") {
                Some(("call", _)) => "func.call".to_owned(),
                Some((name, _)) => format!("stablehlo.{name}"),
                None => op.to_owned(),
            })
            .collect();
        expected.sort();
        expected.dedup();
        if op_names(&module) != expected {
            failures.push(format!("{file}: {:?} and not {expected:?}", op_names(&module)));
        }
        let n_ops: usize = row["n_ops"].parse().expect("a number");
        let count = module.walk(module.root()).count();
        if count > n_ops || (count < n_ops && !row["ops"].contains("unrealized_conversion_cast")) {
            failures.push(format!("{file}: {count} ops and not {n_ops}"));
        }
    }
    println!("corpus: {} of {} programs read", programs.len() - failures.len(), programs.len());
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures[..failures.len().min(20)].join("\n"));
}

#[test]
fn source_locations_survive() {
    let Some(dir) = shared_facts::path("stablehlo/corpus") else { return };
    let mut located = 0;
    for (file, bytes, _) in programs(&dir) {
        let module = stablehlo::bytecode::read(&bytes).expect("the other test says which do not read");
        for op in module.walk(module.root()).map(|op| module.op(op)) {
            let text = op.loc_text();
            assert!(!text.is_empty(), "{file}");
            located += usize::from(text.contains(".py:"));
        }
    }
    println!("{located} ops name a line of Python");
    assert!(located > 60_000);
}
