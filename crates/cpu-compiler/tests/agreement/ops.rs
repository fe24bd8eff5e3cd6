//! Every op of every element type against XLA:CPU, by the programs and the judgement of the evaluator's tests.

#[path = "../../../stablehlo/tests/xla_cpu/mod.rs"]
mod xla_cpu;

use crate::support::run_compiled;
use cpu_compiler::{Executable, NoCustomCalls, Options};
use stablehlo::eval::{Grid, Value};
use stablehlo::ir::Module;
use std::cell::Cell;
use std::sync::Arc;

#[test]
fn ops_agree_with_xla_cpu() {
    let Some(python) = xla_cpu::python() else { return };
    let setting = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let (samples, seed) = (setting("STABLEHLO_SAMPLES", "2"), setting("STABLEHLO_SEED", "1"));
    let left_out = Cell::new(0);
    // Programs for several processes are the evaluator's, and so are tuples.
    let run = |module: &Arc<Module>, grid: Grid, inputs: Vec<Vec<Value>>| {
        if grid.num_processes() != 1 {
            return Ok(None);
        }
        let given = inputs.into_iter().next().expect("the inputs of one process");
        match Executable::compile(module.clone(), &Options { custom_calls: &NoCustomCalls, explained: false }) {
            Ok(executable) => run_compiled(&executable, given).map(|results| Some(vec![results])),
            Err(error) if error.message.starts_with("stablehlo.tuple") => {
                left_out.set(left_out.get() + 1);
                Ok(None)
            }
            Err(error) => Err(error),
        }
        .map_err(|error| error.to_string())
    };
    let (seen, failures) = xla_cpu::judge_all(&python, "engine", (&samples, &seed), &run);
    let pairs: usize = seen.values().map(|elements| elements.len()).sum();
    println!("{} ops, {pairs} with element types", seen.len());
    assert!(failures.is_empty(), "{} results differ:\n{}", failures.len(), failures.join("\n"));
    assert!(left_out.get() <= 1, "{} programs have tuples", left_out.get());
    assert!(seen.len() > 100 && pairs > 500, "only {} ops, {pairs} with element types", seen.len());
}
