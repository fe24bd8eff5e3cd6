//! Evaluates programs on raw inputs, for comparison with another implementation.
//!
//! Reads jobs from standard input, one a line, tab separated: program, inputs, outputs (file names). The inputs file
//! holds the dense bytes of all inputs of `main`, one after the other. The outputs file gets for each result a line
//! with element type and sizes, then its dense bytes. Prints one line a job: `ok` with the seconds it took, or the
//! error.
//!
//! `cargo run --release -p stablehlo --example evaluate < jobs.tsv`

use std::io::BufRead;
use std::sync::Arc;
use std::time::Instant;

use stablehlo::eval::{EvalErrorKind, Evaluator, Grid, Registry, Tensor, Value};
use stablehlo::ir::{Attr, Module, Type};

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let fields: Vec<&str> = line.split('\t').collect();
        let [program, inputs, outputs] = fields[..] else {
            return Err(format!("expected three fields, found {line:?}").into());
        };
        let start = Instant::now();
        match job(program, inputs, outputs) {
            Ok(()) => println!("ok {:.3}", start.elapsed().as_secs_f64()),
            Err(error) => println!("{}", error.to_string().replace('\n', " ")),
        }
    }
    Ok(())
}

fn job(program: &str, inputs: &str, outputs: &str) -> Result<(), Error> {
    let module = Arc::new(stablehlo::read_program(&std::fs::read(program)?)?);
    let evaluator = Evaluator::new(module.clone(), &Registry::default())?;
    let inputs = split_inputs(&module, &std::fs::read(inputs)?)?;
    let results = match (evaluator.run(inputs.clone()), partitions(&module)) {
        // Some need a process for each partition; outside of what is done by blocks all have the whole arrays.
        (Err(error), count @ 2..) if error.kind == EvalErrorKind::Unsupported => {
            let grid = Grid { num_replicas: 1, num_partitions: count };
            evaluator.run_all(grid, None, vec![inputs; count as usize])?.swap_remove(0)
        }
        (results, _) => results?,
    };
    let mut bytes = Vec::new();
    for result in results {
        match result {
            Value::Tensor(tensor) => {
                let sizes: Vec<String> = tensor.dims().iter().map(usize::to_string).collect();
                bytes.extend(format!("{} {}\n", tensor.element_type(), sizes.join(" ")).into_bytes());
                bytes.extend(tensor.bytes());
            }
            other => bytes.extend(format!("{}\n", other.kind()).into_bytes()),
        }
    }
    Ok(std::fs::write(outputs, bytes)?)
}

/// The number of partitions that the program states.
fn partitions(module: &Module) -> u32 {
    match module.op(module.root()).attr("mhlo.num_partitions") {
        Some(Attr::Integer { value, .. }) => *value as u32,
        _ => 1,
    }
}

fn split_inputs(module: &Module, mut bytes: &[u8]) -> Result<Vec<Value>, Error> {
    let main = module.function("main").ok_or("no function main")?;
    let mut inputs = Vec::new();
    for &ty in main.input_types() {
        let Type::Tensor(tensor) = module.ty(ty) else {
            inputs.push(Value::Token);
            continue;
        };
        let element = tensor.element_type().ok_or("an input is not of a plain element type")?;
        let count = tensor.num_elements().ok_or("an input has a dynamic size")?;
        let dims: Vec<usize> = tensor.dims.iter().map(|&d| d as usize).collect();
        let (own, rest) = bytes.split_at_checked(count * element.byte_width()).ok_or("the inputs file is too short")?;
        bytes = rest;
        inputs.push(Tensor::from_bytes(element, &dims, own)?.into());
    }
    if bytes.is_empty() { Ok(inputs) } else { Err("the inputs file is too long".into()) }
}
