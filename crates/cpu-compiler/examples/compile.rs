//! How long reading and compiling programs takes: `cargo run --release -p cpu-compiler --example compile -- FILE...`
//! prints, for each file, the least and the median of many rounds in microseconds.

use cpu_compiler::{Executable, NoCustomCalls, Options};
use std::sync::Arc;
use std::time::Instant;

/// Rounds of each.
const ROUNDS: usize = 300;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:>9} {:>9}   {:>9} {:>9}", "read", "median", "compile", "median");
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path)?;
        let module = Arc::new(stablehlo::read_program(&bytes)?);
        let (read, read_median) = rounds(|| stablehlo::read_program(&bytes).map(drop).map_err(|e| e.to_string()))?;
        let options = Options { custom_calls: &NoCustomCalls, explained: false };
        let compile = || Executable::compile(module.clone(), &options).map(drop).map_err(|e| e.to_string());
        let (least, median) = rounds(compile)?;
        println!("{read:9.1} {read_median:9.1}   {least:9.1} {median:9.1}  {path}");
    }
    Ok(())
}

/// Least and median time of a task.
fn rounds(task: impl Fn() -> Result<(), String>) -> Result<(f64, f64), String> {
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        task()?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    Ok((times[0], times[ROUNDS / 2]))
}
