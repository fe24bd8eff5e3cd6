//! How long reading takes: the programs of a directory, and a program of 10,000 ops.
//!
//! `cargo run --release -p stablehlo --example read_speed -- DIR` prints both. With `--serve` it reads all programs once
//! for each line of standard input and answers with the nanoseconds, so that another program can take turns with it:
//! `tests/differential/read_speed.py` does so with jaxlib.

use std::hint::black_box;
use std::io::BufRead;
use std::time::{Duration, Instant};

use stablehlo::ElementType;
use stablehlo::ir::{Module, OpCode, OpSpec};

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let directory = arguments.iter().find(|a| !a.starts_with("--")).ok_or("which directory of programs?")?;
    let mut files: Vec<_> = std::fs::read_dir(directory)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|e| e == "mlirbc"));
    files.sort();
    let programs: Vec<Vec<u8>> = files.iter().map(std::fs::read).collect::<Result<_, _>>()?;
    if arguments.iter().any(|a| a == "--serve") {
        for line in std::io::stdin().lock().lines() {
            line?;
            println!("{}", read_all(&programs)?.as_nanos());
        }
        return Ok(());
    }
    let rounds: Vec<Duration> = (0..20).map(|_| read_all(&programs)).collect::<Result<_, _>>()?;
    let count = programs.len().max(1) as u32;
    println!(
        "{} programs: {:?} each at best",
        programs.len(),
        rounds.iter().min().copied().unwrap_or_default() / count
    );
    let artifact = stablehlo::bytecode::write(&chain(10_000), stablehlo::CURRENT_VERSION)?;
    let mut best = [Duration::MAX; 2];
    for _ in 0..20 {
        let start = Instant::now();
        let module = stablehlo::bytecode::read(&artifact)?;
        let read = start.elapsed();
        stablehlo::verify::verify(&module)?;
        best = [best[0].min(read), best[1].min(start.elapsed() - read)];
        black_box(&module);
    }
    println!("10,000 ops ({} bytes): read {:?}, verified {:?}", artifact.len(), best[0], best[1]);
    Ok(())
}

fn read_all(programs: &[Vec<u8>]) -> Result<Duration, Error> {
    let start = Instant::now();
    for program in programs {
        black_box(stablehlo::bytecode::read(black_box(program))?);
    }
    Ok(start.elapsed())
}

/// Sines and sums, each of the one before.
fn chain(ops: usize) -> Module {
    let mut module = Module::new();
    let ty = module.tensor_type(&[8, 8], ElementType::F32);
    let (_, body) = module.add_function("main", &[ty], &[ty]);
    let mut value = module.block(body).args()[0];
    for i in 0..ops {
        let (code, operands) = if i % 2 == 0 { (OpCode::Sine, vec![value]) } else { (OpCode::Add, vec![value, value]) };
        let op = module.append(body, OpSpec::new(code).operands(&operands).results(&[ty]));
        value = module.op(op).results()[0];
    }
    module.append(body, OpSpec::new(OpCode::FuncReturn).operands(&[value]));
    module
}
