//! Times programs on one thread: `cargo run --release -p cpu-compiler --example time -- FILE...`.
//!
//! Prints microseconds: the least and the median of many runs by the clock, and the mean of what the thread was on a
//! processor, where the system tells (Linux): that other programs disturb less. Arguments are numbers near 1.

use cpu_compiler::{Argument, Executable, Launch, NoCustomCalls, Options};
use cpu_runtime::{Budget, Pool};
use stablehlo::{ElementKind, ElementType};
use std::time::{Duration, Instant};

/// How long each program is measured.
const PATIENCE: Duration = Duration::from_secs(2);

fn bytes(ty: &cpu_compiler::ArrayType) -> Vec<u8> {
    let one = match ty.element {
        Some(ElementType::F32) => 1.0f32.to_le_bytes().to_vec(),
        Some(ElementType::F64) => 1.0f64.to_le_bytes().to_vec(),
        Some(element) if element.kind() == ElementKind::Float => vec![0x3f; element.byte_width()],
        Some(element) => vec![0; element.byte_width()],
        None => return Vec::new(),
    };
    let mut bytes = one.repeat(ty.dims.iter().product());
    // Not all the same, so that nothing is faster than it usually is.
    bytes.chunks_mut(one.len()).enumerate().for_each(|(index, chunk)| chunk[0] ^= (index * 7 % 64) as u8);
    bytes
}

/// Time of this thread on a processor; zero where the system does not tell.
fn on_processor() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (pool, budget) = (Pool::new(1), Budget::new(1 << 34));
    for path in std::env::args().skip(1) {
        let module = stablehlo::read_program(&std::fs::read(&path)?)?;
        let executable =
            Executable::compile(module.into(), &Options { custom_calls: &NoCustomCalls, explained: false })?;
        let arguments: Vec<Vec<u8>> = executable.parameters().iter().map(bytes).collect();
        let (begun, used, mut times) = (Instant::now(), on_processor(), Vec::new());
        while times.len() < 5 || begun.elapsed() < PATIENCE {
            let borrowed = arguments.iter().map(|bytes| Argument::Borrowed(bytes)).collect();
            let launch = Launch::new(borrowed, &pool, &budget);
            let start = Instant::now();
            let results = executable.run(launch)?;
            times.push(start.elapsed());
            drop(results);
        }
        let mean = (on_processor() - used) / times.len() as u32;
        times.sort_unstable();
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let median = times[times.len() / 2];
        println!("{:10.1} {:10.1} {:10.1}  {path}", micros(times[0]), micros(median), micros(mean));
    }
    Ok(())
}
