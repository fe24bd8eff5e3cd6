//! Every program of the corpus of real programs gives on random inputs what the reference evaluator gives.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::support::{Failure, Numbers, compile_and_run, differences, inputs, nudged};
use stablehlo::eval::{Evaluator, Process, Registry};

/// Programs that agree at least; the others need an embedder, several devices, or more time than a test has.
const FLOOR: usize = 2_130;

/// The shared facts beside the workspace; absent in a plain clone, which then skips, unless CI demands them.
fn corpus() -> Option<PathBuf> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/stablehlo/corpus");
    if dir.is_dir() {
        return Some(dir);
    }
    assert!(std::env::var_os("CI").is_none(), "the corpus is missing: {}", dir.display());
    println!("skipped: no corpus at {}", dir.display());
    None
}

enum Outcome {
    Same,
    TooLong,
    Unsupported(String),
    Wrong(String),
}

fn check(bytes: &[u8]) -> Outcome {
    let module = Arc::new(stablehlo::read_program(bytes).expect("every program of the corpus reads"));
    // Random inputs can send a loop round for ever (or nearly), which says nothing against the program.
    let steps = AtomicU64::new(0);
    let too_long = || steps.fetch_add(1, Ordering::Relaxed) > 20_000;
    let evaluator = match Evaluator::new(module.clone(), &Registry::default()) {
        Ok(evaluator) => evaluator,
        Err(error) => return Outcome::Unsupported(error.op),
    };
    let given = inputs(&module, &mut Numbers::new(1));
    let Ok(expected) = evaluator.run_as(Process::default(), Some(&too_long), given.clone()) else {
        return Outcome::TooLong;
    };
    let found = match compile_and_run(&module, &given) {
        Ok(found) => found,
        Err(Failure::Unsupported(what)) => return Outcome::Unsupported(what),
        Err(Failure::Wrong(what)) => return Outcome::Wrong(what),
    };
    if differences(&expected, &found, None).is_none() {
        return Outcome::Same;
    }
    // A program that amplifies roundings of its inputs amplifies ours too.
    let slightly_other = (1..4).filter_map(|seed| evaluator.run(nudged(&given, seed)).ok());
    let texts: Vec<String> = slightly_other.map_while(|other| differences(&expected, &found, Some(&other))).collect();
    match texts.len() {
        3 => Outcome::Wrong(texts[0].clone()),
        _ => Outcome::Same,
    }
}

#[test]
fn programs_give_what_the_evaluator_gives() {
    let Some(dir) = corpus() else { return };
    let wanted = std::env::var("CORPUS_ONLY").unwrap_or_default();
    let mut files: Vec<PathBuf> = std::fs::read_dir(&dir)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "mlirbc"))
        .filter(|path| path.to_string_lossy().contains(&wanted))
        .collect();
    files.sort();
    let mut lacking: BTreeMap<String, usize> = BTreeMap::new();
    let (mut good, mut long, mut wrong) = (0, 0, Vec::new());
    let verbose = std::env::var_os("CORPUS_VERBOSE").is_some();
    for file in &files {
        if verbose {
            eprintln!("{}", file.display());
        }
        match check(&std::fs::read(file).expect("a readable file")) {
            Outcome::Same => good += 1,
            Outcome::TooLong => long += 1,
            Outcome::Unsupported(what) => *lacking.entry(what.chars().take(160).collect()).or_default() += 1,
            Outcome::Wrong(text) => wrong.push(format!("{}: {text}", file.file_name().unwrap().to_string_lossy())),
        }
    }
    println!("{good} of {} programs agree; {long} take too long", files.len());
    lacking.iter().for_each(|(what, count)| println!("{count:5} need {what}"));
    assert!(wrong.is_empty(), "{} programs differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(good >= FLOOR.min(files.len()), "{good} programs agree, fewer than {FLOOR}");
}
