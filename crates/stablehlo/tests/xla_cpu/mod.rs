//! Programs of single ops that a script writes, with what XLA:CPU makes of them, and the judgement of what else does.
//!
//! Knows nothing of who runs them: the reference evaluator here, an engine elsewhere.

#[path = "../python_with_jax/mod.rs"]
mod python_with_jax;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use serde_json::Value as Json;
use stablehlo::ElementType;
use stablehlo::eval::ops::convert::convert;
use stablehlo::eval::{Grid, Tensor, Value};
use stablehlo::ir::{Module, TypeId};

pub use python_with_jax::python;

/// What runs a program on the inputs of each process; the results of each, or nothing if it leaves the program out.
pub type Run<'r> = &'r dyn Fn(&Arc<Module>, Grid, Vec<Vec<Value>>) -> Result<Option<Vec<Vec<Value>>>, String>;

/// Tensors of these types from their bytes one after the other.
fn tensors(module: &Module, types: &[TypeId], bytes: &mut &[u8]) -> Vec<Value> {
    let tensor = |&ty: &TypeId| {
        let ty = module.ty(ty).as_tensor().expect("a tensor");
        let (element, count) = (ty.element_type().expect("a number"), ty.num_elements().expect("static sizes"));
        let dims: Vec<usize> = ty.dims.iter().map(|&d| d as usize).collect();
        let (own, rest) = bytes.split_at(count * element.byte_width());
        *bytes = rest;
        Tensor::from_bytes(element, &dims, own).expect("as many bytes").into()
    };
    types.iter().map(tensor).collect()
}

/// One number and the distance to its neighbour.
fn parts(x: &Tensor) -> (Vec<f64>, ElementType) {
    match x.element_type() {
        ElementType::C64 => {
            let parts = x.bytes().chunks_exact(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap())));
            (parts.collect(), ElementType::F32)
        }
        ElementType::C128 => {
            let parts = x.bytes().chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap()));
            (parts.collect(), ElementType::F64)
        }
        element => (convert(x, ElementType::F64).expect("real numbers").as_slice::<f64>().to_vec(), element),
    }
}

/// One unit in the last place of numbers of this size.
fn ulp(element: ElementType, size: f64) -> f64 {
    let (mantissa, least) = match element {
        ElementType::F64 => (52, -1022),
        ElementType::F32 => (23, -126),
        ElementType::F16 => (10, -14),
        ElementType::BF16 => (7, -126),
        other => panic!("no tolerance is known for {other}"),
    };
    let exponent = if size == 0.0 { least } else { (size.log2().floor() as i32).max(least) };
    2f64.powi(exponent - mantissa)
}

/// What is wrong with a result, if anything. Without a tolerance numbers must have the same bits, but any NaN is NaN.
///
/// With one, a result may be off by that many units in the last place of the largest number in it, or of `terms`, what
/// the absolute values of all that is added up to one number come to: sums lose that much where they cancel.
pub fn difference(got: &Tensor, want: &Tensor, ulps: Option<f64>, elementwise: bool, terms: f64) -> Option<String> {
    if got.element_type() != want.element_type() || got.dims() != want.dims() {
        return Some(format!("{} instead of {}", got.describe(), want.describe()));
    }
    if got == want {
        return None;
    }
    let ((a, element), (b, _)) = (parts(got), parts(want));
    let largest = b.iter().copied().filter(|x| x.is_finite()).fold(terms, |m: f64, x| m.max(x.abs()));
    let fits = |a: f64, b: f64| {
        let same = a == b && a.is_sign_negative() == b.is_sign_negative() || a.is_nan() && b.is_nan();
        let Some(ulps) = ulps else { return same };
        let scale = if elementwise { b.abs() } else { largest };
        same || a == b || a.is_finite() && b.is_finite() && (a - b).abs() <= ulps * ulp(element, scale)
    };
    // 64-bit integers are beyond doubles; their bits differ, and that is enough.
    let wide = matches!(want.element_type(), ElementType::I64 | ElementType::U64);
    let wrong: Vec<usize> = (0..a.len()).filter(|&i| wide || !fits(a[i], b[i])).collect();
    let &first = wrong.first()?;
    let distance = if ulps.is_some() { (a[first] - b[first]).abs() / ulp(element, b[first].abs()) } else { 0.0 };
    Some(format!(
        "{} of {} numbers of {} differ, number {first} is {:e} instead of {:e} ({distance:.1} ulp)",
        wrong.len(),
        a.len(),
        want.describe(),
        a[first],
        b[first]
    ))
}

fn judge(directory: &Path, program: &Json, run: Run<'_>, seen: &mut BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let name = program["name"].as_str().expect("a name");
    let read = |extension: &str| std::fs::read(directory.join(format!("{name}.{extension}"))).expect("its file");
    let module = match stablehlo::read_program(&read("mlir")) {
        Ok(module) => Arc::new(module),
        Err(error) => return vec![format!("{name} does not read: {error}")],
    };
    if let Err(errors) = stablehlo::verify::verify(&module) {
        return vec![format!("{name} does not verify: {errors}")];
    }
    let grid = Grid { num_replicas: program["replicas"].as_u64().expect("a number") as u32, num_partitions: 1 };
    let main = module.function("main").expect("main");
    let (inputs, outputs) = (read("in"), read("out"));
    let (mut inputs, mut outputs) = (&inputs[..], &outputs[..]);
    let inputs: Vec<_> = (0..grid.num_processes()).map(|_| tensors(&module, main.input_types(), &mut inputs)).collect();
    let results = run(&module, grid, inputs);
    let results = match results {
        Ok(Some(results)) => results,
        Ok(None) => return Vec::new(),
        Err(error) => return vec![format!("{name} does not run: {error}")],
    };
    let mut failures = Vec::new();
    let facts = program["results"].as_array().expect("a list");
    for (process, results) in results.iter().enumerate() {
        let wanted = tensors(&module, main.result_types(), &mut outputs);
        for ((got, want), fact) in results.iter().zip(&wanted).zip(facts) {
            let (op, ulps) = (fact["op"].as_str().expect("an op"), fact["ulps"].as_f64());
            let terms = fact["terms"].as_f64().expect("a number");
            let (got, want) = (got.as_tensor().expect("a tensor"), want.as_tensor().expect("a tensor"));
            for op in op.split(", ") {
                seen.entry(op.to_owned()).or_default().insert(want.element_type().to_string());
            }
            // One number at a time goes into these.
            let elementwise = name.starts_with("unary") || name.starts_with("binary");
            let elementwise = elementwise && !matches!(want.element_type(), ElementType::C64 | ElementType::C128);
            if let Some(problem) = difference(got, want, ulps, elementwise, terms) {
                failures.push(format!("{name}, process {process}, {op}: {problem}"));
            }
        }
    }
    assert!(outputs.is_empty(), "{name} has more results than are compared");
    failures
}

/// What the script writes with these arguments, in a directory that the caller removes.
pub fn written(python: &str, name: &str, arguments: &[&str]) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("stablehlo-xla-cpu-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../stablehlo/tests/differential/xla_cpu_ops.py");
    let output = Command::new(python).arg(script).arg(&directory).args(arguments).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    directory
}

/// Runs all programs of these samples and this seed; the element types of each op that were compared, and what differs.
pub fn judge_all(
    python: &str,
    name: &str,
    (samples, seed): (&str, &str),
    run: Run<'_>,
) -> (BTreeMap<String, BTreeSet<String>>, Vec<String>) {
    let directory = written(python, name, &["--samples", samples, "--seed", seed]);
    let index = std::fs::read(directory.join("index.json")).expect("the index");
    let programs: Json = serde_json::from_slice(&index).expect("JSON");
    let mut seen = BTreeMap::new();
    let programs = programs.as_array().expect("a list").iter();
    let failures = programs.flat_map(|program| judge(&directory, program, run, &mut seen)).collect();
    std::fs::remove_dir_all(&directory).expect("it is ours");
    (seen, failures)
}
