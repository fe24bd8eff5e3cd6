//! Prints the plan of a program: `cargo run -p cpu-compiler --example plan -- FILE`.

use cpu_compiler::{Executable, NoCustomCalls, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: plan FILE")?;
    let module = stablehlo::read_program(&std::fs::read(path)?)?;
    let executable = Executable::compile(module.into(), &Options { custom_calls: &NoCustomCalls })?;
    print!("{}", executable.text());
    println!("{:?}, {:?}", executable.cost(), executable.memory());
    Ok(())
}
