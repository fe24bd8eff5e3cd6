//! Every constraint of the specification is checked, and by a case that breaks it: the table of the verifier
//! says which constraints there are, the cases here say which are broken.

mod case;
mod coverage_page;
mod elementwise;
mod movement;
mod programs;
mod reductions;

use std::collections::{BTreeMap, BTreeSet};

use case::{A, Case};
use stablehlo::ir::{Attr, OpCode};
use stablehlo::verify::{AttrKind, Input, VerifyErrors, infer_result_types, signature, specified_ops, verify};

/// Cases with the constraint that each breaks.
pub type Cases = Vec<(Case, Option<&'static str>)>;

/// A case that obeys all constraints.
fn good(case: Case) -> (Case, Option<&'static str>) {
    (case, None)
}

/// A case that breaks a constraint.
fn bad(constraint: &'static str, case: Case) -> (Case, Option<&'static str>) {
    (case, Some(constraint))
}

fn all_cases() -> Cases {
    [elementwise::cases(), movement::cases(), reductions::cases(), programs::cases()].concat()
}

/// Constraints that only a run can break, and why.
const LEFT_TO_THE_RUN: &[(OpCode, &str, &str)] = &[
    (OpCode::AllGather, "C3", "depends on the number of replicas and partitions"),
    (OpCode::AllReduce, "C2", "depends on the number of replicas and partitions"),
    (OpCode::AllToAll, "C6", "depends on the number of replicas and partitions"),
    (OpCode::ReduceScatter, "C4", "depends on the number of replicas and partitions"),
    (OpCode::CollectiveBroadcast, "C6", "is about the value of an operand"),
];

fn violated(errors: &VerifyErrors, op: OpCode, constraint: &str) -> bool {
    errors.violations.iter().any(|v| v.constraint == constraint && v.op_name == op.name())
}

#[test]
fn valid_cases_verify() {
    for (case, constraint) in all_cases() {
        if constraint.is_none() {
            let (module, _) = case.build(|_, _| None);
            verify(&module).unwrap_or_else(|errors| panic!("{case:?}\n{errors}"));
        }
    }
}

#[test]
fn broken_cases_name_their_constraint_with_types_and_location() {
    let mut failures = Vec::new();
    for (case, constraint) in all_cases() {
        let Some(constraint) = constraint else { continue };
        let (module, _) = case.build(|_, _| None);
        match verify(&module) {
            Ok(()) => failures.push(format!("{constraint} is not noticed: {case:?}")),
            Err(errors) if !violated(&errors, case.code(), constraint) => {
                failures.push(format!("{constraint} is not named: {case:?}\n{errors}"));
            }
            Err(errors) => {
                let violation = errors.violations.iter().find(|v| v.constraint == constraint).expect("the violation");
                let text = violation.to_string();
                let shown = text.contains("model.py:7:3") && text.contains(case.code().name()) && text.contains(" -> ");
                if !shown {
                    failures.push(format!("the message lacks op, types or location: {text}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_constraint_of_the_specification_is_broken_by_a_case() {
    let mut broken: BTreeMap<OpCode, BTreeSet<&str>> = BTreeMap::new();
    let mut valid: BTreeSet<OpCode> = BTreeSet::new();
    for (case, constraint) in all_cases() {
        match constraint {
            Some(constraint) => _ = broken.entry(case.code()).or_default().insert(constraint),
            None => _ = valid.insert(case.code()),
        }
    }
    let (mut total, mut tested, mut missing) = (0, 0, Vec::new());
    for (code, signature) in specified_ops() {
        if !valid.contains(&code) {
            missing.push(format!("{code}: no valid case"));
        }
        for n in 1..=signature.constraints {
            let id = format!("C{n}");
            let covered = broken.get(&code).is_some_and(|ids| ids.contains(&*id));
            let left = LEFT_TO_THE_RUN.iter().any(|(op, c, _)| *op == code && *c == id);
            total += 1;
            tested += usize::from(covered);
            if covered == left {
                missing.push(format!(
                    "{code} {id}: {}",
                    if left { "is tested and listed as left to the run" } else { "no case" }
                ));
            }
        }
    }
    println!("{tested} of {total} constraints are broken by a case, {} are left to the run", LEFT_TO_THE_RUN.len());
    assert!(missing.is_empty(), "{} gaps:\n{}", missing.len(), missing.join("\n"));
}

/// Each input of each op, broken alone, is named by its number.
#[test]
fn every_input_of_the_wrong_kind_is_named() {
    let (mut tested, mut failures) = (0, Vec::new());
    let mut seen = BTreeSet::new();
    for (case, constraint) in all_cases() {
        let Some(signature) = signature(case.code()) else { continue };
        if constraint.is_some() || !seen.insert(case.code()) {
            continue;
        }
        let lists = signature.inputs.iter().filter(|i| matches!(i.input, Input::Many(_))).count();
        let ones = signature.inputs.iter().filter(|i| matches!(i.input, Input::One(_))).count();
        let length = case.operands.len().saturating_sub(ones).checked_div(lists).unwrap_or(0);
        let (mut operand, mut region) = (0, 0);
        for (i, named) in signature.inputs.iter().enumerate() {
            let id = format!("I{}", i + 1);
            let mut check = |module: stablehlo::ir::Module, what: &str| {
                tested += 1;
                match verify(&module) {
                    Err(errors) if violated(&errors, case.code(), &id) => {}
                    Err(errors) => failures.push(format!("{} {id} ({what}): {errors}", case.op)),
                    Ok(()) => failures.push(format!("{} {id} ({what}) is not noticed", case.op)),
                }
            };
            match named.input {
                Input::One(class) | Input::Many(class) => {
                    let count = if matches!(named.input, Input::One(_)) { 1 } else { length };
                    let broken = operand;
                    operand += count;
                    let possible = class.counterexample(&mut stablehlo::ir::Module::new()).is_some();
                    if count > 0 && possible {
                        let (module, _) = case.build(|at, m| if at == broken { class.counterexample(m) } else { None });
                        check(module, "class");
                    }
                }
                Input::Attr(name, kind) | Input::Opt(name, kind) => {
                    if matches!(named.input, Input::Attr(..)) {
                        check(case.clone().without(name).build(|_, _| None).0, "missing");
                    }
                    if kind != AttrKind::Any {
                        let wrong = A::Raw(Attr::Location(stablehlo::ir::LocId::UNKNOWN));
                        check(case.clone().with(name, wrong).build(|_, _| None).0, "kind");
                    }
                }
                Input::Region => {
                    let mut without = case.clone();
                    without.bodies.truncate(region);
                    region += 1;
                    check(without.build(|_, _| None).0, "region");
                }
                Input::Regions => {}
            }
        }
    }
    println!("{tested} broken inputs of {} ops are named", seen.len());
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// What is inferred from the inputs of a valid case is compatible with the results that the case states; or
/// the op says that its results must be stated.
#[test]
fn inferred_types_agree_with_stated_ones() {
    let (mut inferred, mut free) = (BTreeMap::<_, usize>::new(), BTreeSet::new());
    for (case, constraint) in all_cases() {
        if constraint.is_some() {
            continue;
        }
        let (mut module, op) = case.build(|_, _| None);
        match infer_result_types(&mut module, op) {
            Ok(types) => {
                *inferred.entry(case.op).or_default() += 1;
                let stated = module.op(op).results().to_vec();
                assert_eq!(types.len(), stated.len(), "{case:?}");
                for (value, ty) in stated.into_iter().zip(types) {
                    module.set_value_type(value, ty);
                }
                verify(&module).unwrap_or_else(|errors| panic!("{case:?}\n{errors}"));
            }
            Err(errors) => {
                let only = errors.violations.iter().all(|v| v.constraint == "inference" || v.constraint == "results");
                assert!(only, "{case:?}\n{errors}");
                free.insert(case.op);
            }
        }
    }
    free.retain(|op| !inferred.contains_key(op));
    println!("{} cases of {} ops inferred", inferred.values().sum::<usize>(), inferred.len());
    let stated = [
        "bitcast_convert",
        "broadcast_in_dim",
        "convert",
        "custom_call",
        "dynamic_broadcast_in_dim",
        "dynamic_iota",
        "dynamic_pad",
        "dynamic_reshape",
        "infeed",
        "iota",
        "real_dynamic_slice",
        "recv",
        "reshape",
        "rng_bit_generator",
        "uniform_quantize",
    ];
    assert!(free.iter().eq(&stated), "ops whose results must be stated: {free:?}");
}
