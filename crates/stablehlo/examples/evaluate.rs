//! Evaluates programs on raw inputs, for comparison with another implementation.
//!
//! Reads jobs from standard input, one a line, tab separated: program, inputs, outputs (file names). The inputs file
//! holds the dense bytes of all inputs of `main`, one after the other. The outputs file gets for each result a line
//! with element type and sizes, then its dense bytes. Prints one line a job: `ok` with the seconds it took, or the
//! error.
//!
//! A custom call that only an embedder can do is asked of the other side: a line `call`, program, inputs, outputs,
//! tab separated, where the program is that one op. It is answered by a line `ok`, once the outputs file holds the
//! dense bytes of all results, or by the error.
//!
//! `cargo run --release -p stablehlo --example evaluate < jobs.tsv`

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use stablehlo::eval::{CustomCall, EvalErrorKind, Evaluator, Grid, OpError, Registry, Tensor, Value};
use stablehlo::ir::{Attr, Module, OpRef, Type, TypeId};

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    while let Some(line) = read_line()? {
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

/// The next line of standard input, which stays unlocked in between: custom calls read their answers from it too.
fn read_line() -> std::io::Result<Option<String>> {
    let mut line = String::new();
    let bytes = std::io::stdin().read_line(&mut line)?;
    Ok((bytes > 0).then(|| line.trim_end().to_owned()))
}

fn job(program: &str, inputs: &str, outputs: &str) -> Result<(), Error> {
    let module = Arc::new(stablehlo::read_program(&std::fs::read(program)?)?);
    let evaluator = Evaluator::new(module.clone(), &asked_calls(&module))?;
    let main = module.function("main").ok_or("no function main")?;
    let inputs = split(&module, main.input_types(), &std::fs::read(inputs)?)?;
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

/// Handlers that ask the other side, for the custom calls that the evaluator does not know.
fn asked_calls(module: &Module) -> Registry {
    let mut registry = Registry::default();
    for op in module.walk(module.root()).map(|id| module.op(id)) {
        if let Some(Attr::String(target)) = op.attr("call_target_name") {
            let (alone, _) = module.extract_op(op.id());
            let missing = Evaluator::new(Arc::new(alone), &Registry::default());
            if matches!(missing, Err(error) if error.kind == EvalErrorKind::Unsupported) {
                registry.register(module.str(*target), |call| {
                    ask(call).map_err(|error| OpError::invalid(error.to_string()))
                });
            }
        }
    }
    registry
}

/// Lets the other side do a custom call.
fn ask(call: CustomCall<'_>) -> Result<Vec<Value>, Error> {
    let module = call.op.module();
    let scratch = Scratch::new(call.op)?;
    let [program, inputs, outputs] = ["program", "in", "out"].map(|name| scratch.0.join(name));
    std::fs::write(
        &program,
        stablehlo::bytecode::write(&module.extract_op(call.op.id()).0, stablehlo::CURRENT_VERSION)?,
    )?;
    let tensors = call.operands.iter().filter_map(|operand| match operand {
        Value::Tensor(tensor) => Some(tensor.bytes()),
        _ => None,
    });
    std::fs::write(&inputs, tensors.collect::<Vec<_>>().concat())?;
    println!("call\t{}\t{}\t{}", program.display(), inputs.display(), outputs.display());
    std::io::stdout().flush()?;
    match read_line()?.as_deref().unwrap_or("no answer") {
        "ok" => split(module, &call.op.result_types().collect::<Vec<_>>(), &std::fs::read(&outputs)?),
        error => Err(error.into()),
    }
}

/// A directory for the files of one call, removed with them.
struct Scratch(PathBuf);

impl Scratch {
    fn new(op: OpRef<'_>) -> Result<Scratch, Error> {
        let path = std::env::temp_dir().join(format!("evaluate-{}-{:?}", std::process::id(), op.id()));
        std::fs::create_dir_all(&path)?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays behind is in the directory for temporary files.
        _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Values of these types from their dense bytes, one after the other.
fn split(module: &Module, types: &[TypeId], mut bytes: &[u8]) -> Result<Vec<Value>, Error> {
    let mut values = Vec::new();
    for &ty in types {
        let Type::Tensor(tensor) = module.ty(ty) else {
            values.push(Value::Token);
            continue;
        };
        let element = tensor.element_type().ok_or("a value is not of a plain element type")?;
        let count = tensor.num_elements().ok_or("a value has a dynamic size")?;
        let dims: Vec<usize> = tensor.dims.iter().map(|&d| d as usize).collect();
        let (own, rest) = bytes.split_at_checked(count * element.byte_width()).ok_or("a file is too short")?;
        bytes = rest;
        values.push(Tensor::from_bytes(element, &dims, own)?.into());
    }
    if bytes.is_empty() { Ok(values) } else { Err("a file is too long".into()) }
}
