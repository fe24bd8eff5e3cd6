//! Every program of the corpus of real programs is evaluated on random inputs, or says which op it lacks.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use stablehlo::ElementType;
use stablehlo::eval::ops::convert::convert;
use stablehlo::eval::{EvalError, EvalErrorKind, Evaluator, Grid, Process, Registry, Tensor, Value};
use stablehlo::ir::{Attr, Module, Type};

/// Programs that evaluate at least; the others need a custom call that only the embedder has.
const FLOOR: usize = 2_355;

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

/// A small generator of repeatable numbers; quality does not matter here.
struct Numbers {
    state: u64,
    /// Instead of random numbers always this one of their range, from 0 to 1.
    always: Option<f64>,
    /// Where the range of floats begins; it is 4 wide.
    floats: f64,
}

impl Numbers {
    /// Floats of the range, 0 to 7 for integers: good indices, trip counts and arguments of functions.
    fn tensor(&mut self, ty: ElementType, dims: &[usize]) -> Tensor {
        use stablehlo::ElementKind::{Complex, Float};
        let floats = self.floats;
        let mut next = || {
            if let Some(always) = self.always {
                return always;
            }
            self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.state >> 33) as f64 / (1u64 << 31) as f64
        };
        let n = dims.iter().product();
        let values: Vec<f64> = match ty.kind() {
            Float | Complex => (0..n).map(|_| floats + next() * 4.0).collect(),
            _ if ty == ElementType::Bool => (0..n).map(|_| (next() * 2.0).floor()).collect(),
            _ => (0..n).map(|_| (next() * 8.0).floor()).collect(),
        };
        convert(&Tensor::from_vec(dims, values), ty).expect("every type converts from f64")
    }
}

fn inputs(module: &Module, numbers: &mut Numbers) -> Vec<Value> {
    let main = module.function("main").expect("a main function");
    let input = |&ty: &_| match module.ty(ty) {
        Type::Tensor(tensor) => {
            let dims: Vec<usize> = tensor.dims.iter().map(|&d| d as usize).collect();
            numbers.tensor(tensor.element_type().expect("a plain element type"), &dims).into()
        }
        Type::Token => Value::Token,
        other => panic!("unexpected input type {other:?}"),
    };
    main.input_types().iter().map(input).collect()
}

fn run(bytes: &[u8]) -> Result<(), EvalError> {
    let module = Arc::new(stablehlo::read_program(bytes).expect("every program of the corpus reads"));
    let evaluator = Evaluator::new(module.clone(), &Registry::default())?;
    // As many processes as the program says, all with the whole arrays; one if that is enough.
    let count = |name: &str| match module.op(module.root()).attr(name) {
        Some(Attr::Integer { value, .. }) => *value as u32,
        _ => 1,
    };
    let grid = Grid { num_replicas: count("mhlo.num_replicas"), num_partitions: count("mhlo.num_partitions") };
    let mut result = Ok(());
    // Random inputs can send a loop round for ever (or nearly) or break a rule about values, which says nothing against
    // the program; floats that are zero, large floats, or integers that are zero may not.
    for (always, floats) in [(None, -2.0), (Some(0.5), -2.0), (None, 2.0), (Some(0.0), 0.0)] {
        let inputs = inputs(&module, &mut Numbers { state: 1, always, floats });
        let steps = AtomicU64::new(0);
        let too_long = || steps.fetch_add(1, Ordering::Relaxed) > 200_000;
        result = evaluator.run_as(Process::default(), Some(&too_long), inputs.clone()).map(|_| ());
        if matches!(&result, Err(error) if error.kind == EvalErrorKind::Unsupported) {
            result = evaluator.run_all(grid, Some(&too_long), vec![inputs; grid.num_processes()]).map(|_| ());
        }
        if result.is_ok() {
            break;
        }
    }
    result
}

#[test]
fn programs_evaluate_or_name_what_is_missing() {
    let Some(dir) = corpus() else { return };
    let mut files: Vec<PathBuf> = std::fs::read_dir(&dir)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "mlirbc"))
        .collect();
    files.sort();
    let mut missing: BTreeMap<String, usize> = BTreeMap::new();
    let (mut good, mut wrong) = (0, Vec::new());
    for file in &files {
        match run(&std::fs::read(file).expect("a readable file")) {
            Ok(()) => good += 1,
            Err(error) if error.kind == EvalErrorKind::Cancelled => {
                *missing.entry("more than 200,000 steps".into()).or_default() += 1;
            }
            Err(error) if error.kind == EvalErrorKind::Unsupported => {
                let what = if error.op == "stablehlo.custom_call" {
                    let target = error.message.split('"').nth(1).unwrap_or("");
                    format!("custom_call \"{target}\"")
                } else {
                    error.op.clone()
                };
                *missing.entry(what).or_default() += 1;
            }
            Err(error) => wrong.push(format!("{}: {error}", file.file_name().unwrap().to_string_lossy())),
        }
    }
    println!("{good} of {} programs evaluate ({:.1} %)", files.len(), 100.0 * good as f64 / files.len() as f64);
    let mut counts: Vec<_> = missing.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.iter().for_each(|(what, count)| println!("{count:5} first stopped by {what}"));
    assert!(wrong.is_empty(), "well-formed programs were called invalid:\n{}", wrong.join("\n"));
    assert!(good >= FLOOR, "{good} programs evaluate, fewer than {FLOOR}");
}
