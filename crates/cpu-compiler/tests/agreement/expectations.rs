//! The programs with expectations that the evaluator is tested by, on the engine.
//!
//! What a program expects something of becomes its result: once with its constants where they are, so that most of it is
//! computed while compiling, and once with them, and what its functions give that take nothing, as arguments. That the
//! evaluator's values are those that are expected is a test of `stablehlo`. `STABLEHLO_TESTS` names more directories of such
//! programs with a colon between, `stablehlo/tests/interpret` and `stablehlo/testdata` of StableHLO's own repository say.

use crate::support::{Failure, compile_and_run, differences};
use stablehlo::ElementType;
use stablehlo::eval::ops::convert::convert;
use stablehlo::eval::{Evaluator, Registry, Tensor, Value};
use stablehlo::ir::{Dialect, Module, OpCode, OpId, OpSpec, TypeId, ValueId};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The functions of a program that take no arguments.
fn functions(module: &Module) -> Vec<OpId> {
    let takes_nothing = |&op: &OpId| {
        let is_function = module.op(op).code() == OpCode::FuncFunc;
        is_function && module.op(op).region_block(0).is_some_and(|entry| entry.args().is_empty())
    };
    module.block(module.body()).ops().filter(takes_nothing).collect()
}

/// Whether an op states an expectation, about its first operand.
fn expects(module: &Module, op: OpId) -> bool {
    let op = module.op(op);
    let calls = op.string("call_target_name").is_ok_and(|name| name.starts_with("check."));
    op.code().dialect() == Dialect::Check || op.code() == OpCode::CustomCall && calls
}

/// The program with a function `main` in place of another one: that one's ops, with some values as arguments and some as
/// results.
fn cut(mut module: Module, function: OpId, arguments: &[ValueId], results: &[ValueId]) -> Module {
    let entry = module.op(function).region_block(0).expect("a body").id();
    let ops: Vec<OpId> = module.block(entry).ops().collect();
    let types = |values: &[ValueId]| values.iter().map(|&value| module.value_type(value)).collect::<Vec<TypeId>>();
    let (inputs, outputs) = (types(arguments), types(results));
    let main = module.function("main").map(|main| main.op().id());
    assert!(main.is_none_or(|main| main == function), "another function is main");
    module.detach_op(function);
    let (_, block) = module.add_function("main", &inputs, &outputs);
    let places: HashMap<ValueId, ValueId> =
        arguments.iter().copied().zip(module.block(block).args().iter().copied()).collect();
    let place = |value: ValueId| places.get(&value).copied().unwrap_or(value);
    for op in ops {
        module.detach_op(op);
        let is_argument = module.op(op).results().iter().any(|value| places.contains_key(value));
        if !is_argument && !expects(&module, op) && !module.op(op).code().is_terminator() {
            module.append_op(block, op);
        }
    }
    module.replace_values(place);
    let results: Vec<ValueId> = results.iter().map(|&value| place(value)).collect();
    module.append(block, OpSpec::new(OpCode::FuncReturn).operands(&results));
    module
}

enum Outcome {
    Same,
    /// It is about subnormal numbers, which the engine makes zero, as XLA:CPU does.
    Subnormal,
    Unsupported(String),
    Wrong(String),
}

fn agree(module: Module, given: &[Value]) -> Outcome {
    let module = Arc::new(module);
    let expected = match Evaluator::new(module.clone(), &Registry::default()).and_then(|all| all.run(given.to_vec())) {
        Ok(expected) => expected,
        Err(error) => return Outcome::Unsupported(error.op),
    };
    match compile_and_run(&module, given) {
        Ok(found) => differences(&expected, &found, None).map_or(Outcome::Same, Outcome::Wrong),
        Err(Failure::Unsupported(what)) => Outcome::Unsupported(what),
        Err(Failure::Wrong(what)) => Outcome::Wrong(what),
    }
}

/// Whether there are floats among them that are too small for a full mantissa.
fn has_subnormals(values: &[Value]) -> bool {
    let is_subnormal = |tensor: &Tensor| {
        let least = match tensor.element_type() {
            ElementType::F32 | ElementType::BF16 => f64::from(f32::MIN_POSITIVE),
            ElementType::F64 => f64::MIN_POSITIVE,
            _ => return false,
        };
        let wide = convert(tensor, ElementType::F64).expect("a real number");
        wide.as_slice::<f64>().iter().any(|&x| x != 0.0 && x.abs() < least)
    };
    values.iter().any(|value| matches!(value, Value::Tensor(tensor) if is_subnormal(tensor)))
}

/// What comes of each function of a program that states expectations, both ways.
fn check(module: &Module) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for function in functions(module) {
        let entry = module.op(function).region_block(0).expect("a body");
        let ops: Vec<OpId> = entry.ops().collect();
        let results: Vec<ValueId> =
            ops.iter().filter(|&&op| expects(module, op)).map(|&op| module.op(op).operands()[0]).collect();
        if results.is_empty() {
            continue;
        }
        let is_source = |op: &&OpId| {
            matches!(module.op(**op).code(), OpCode::Constant | OpCode::FuncCall)
                && module.op(**op).operands().is_empty()
        };
        let sources: Vec<ValueId> =
            ops.iter().filter(is_source).flat_map(|&op| module.op(op).results().iter().copied()).collect();
        let given = Arc::new(cut(module.clone(), function, &[], &sources));
        match Evaluator::new(given, &Registry::default()).and_then(|all| all.run(Vec::new())) {
            Ok(given) if has_subnormals(&given) => outcomes.push(Outcome::Subnormal),
            Ok(given) => {
                outcomes.push(agree(cut(module.clone(), function, &[], &results), &[]));
                outcomes.push(agree(cut(module.clone(), function, &sources, &results), &given));
            }
            Err(error) => outcomes.push(Outcome::Unsupported(error.op)),
        }
    }
    outcomes
}

fn files(path: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())) {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "mlir") {
            found.push(path);
        }
    }
}

#[test]
fn programs_with_expectations_give_what_the_evaluator_gives() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../stablehlo/tests/expectations");
    let more = std::env::var("STABLEHLO_TESTS").unwrap_or_default();
    let mut found = Vec::new();
    for path in std::iter::once(own).chain(more.split(':').filter(|path| !path.is_empty()).map(PathBuf::from)) {
        files(&path, &mut found);
    }
    found.sort();
    let (mut same, mut subnormal, mut unsupported, mut wrong) = (0, 0, BTreeMap::<String, usize>::new(), Vec::new());
    for file in &found {
        let text = std::fs::read_to_string(file).expect("a file");
        for (part, text) in text.split("\n// -----").enumerate() {
            // The text reader's own tests say what it refuses.
            let Ok(module) = stablehlo::read_program(text.as_bytes()) else { continue };
            for outcome in check(&module) {
                match outcome {
                    Outcome::Same => same += 1,
                    Outcome::Subnormal => subnormal += 1,
                    Outcome::Unsupported(what) => *unsupported.entry(what).or_default() += 1,
                    Outcome::Wrong(what) => wrong.push(format!("{}, part {part}: {what}", file.display())),
                }
            }
        }
    }
    let refused: usize = unsupported.values().sum();
    println!("{same} agree, {subnormal} about subnormal numbers, {refused} unsupported: {unsupported:#?}");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(same >= 10, "only {same} programs with expectations");
}
