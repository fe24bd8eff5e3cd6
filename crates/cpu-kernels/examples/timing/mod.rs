//! Timing of kernels: the least of many short blocks, on one thread and on two.

use std::hint::black_box;
use std::time::{Duration, Instant};

use cpu_kernels::OpKernel;
use cpu_runtime::{Budget, Pool};

/// The least time of one call, of those that fit into a fraction of a second.
pub fn least(mut call: impl FnMut()) -> Duration {
    call();
    let begin = Instant::now();
    let mut least = Duration::MAX;
    while begin.elapsed() < Duration::from_millis(300) {
        let mut calls = 0u32;
        let start = Instant::now();
        while calls == 0 || start.elapsed() < Duration::from_millis(2) {
            call();
            calls += 1;
        }
        least = least.min(start.elapsed() / calls);
    }
    least
}

/// Prints what a kernel takes on one thread and on two, and the rate of so many operations (or bytes).
pub fn report(name: &str, kernel: &dyn OpKernel, inputs: &[Vec<u8>], outputs: &[usize], amount: f64, unit: &str) {
    let budget = Budget::new(8 << 30);
    let mut blocks: Vec<_> = outputs.iter().map(|bytes| budget.allocate(*bytes).expect("memory")).collect();
    let inputs: Vec<_> = inputs
        .iter()
        .map(|bytes| {
            let mut block = budget.allocate(bytes.len()).expect("memory");
            block.bytes_mut().copy_from_slice(bytes);
            block
        })
        .collect();
    let inputs: Vec<&[u8]> = inputs.iter().map(|block| block.bytes()).collect();
    let mut times = Vec::new();
    for threads in [1, 2] {
        let pool = Pool::new(threads);
        times.push(least(|| {
            let mut outputs: Vec<&mut [u8]> = blocks.iter_mut().map(|block| block.bytes_mut()).collect();
            kernel.run(&pool, black_box(&inputs), &mut outputs).expect("operands of the right size");
        }));
    }
    let rate = |time: Duration| amount / time.as_secs_f64() / 1e9;
    println!(
        "{name:44} 1 thread {:>10.2} us {:7.2} {unit}   2 threads {:>10.2} us {:7.2} {unit}",
        times[0].as_secs_f64() * 1e6,
        rate(times[0]),
        times[1].as_secs_f64() * 1e6,
        rate(times[1]),
    );
}

/// Bytes of so many f32 between 0 and 1.
#[allow(dead_code, reason = "not every example needs them")]
pub fn floats(count: usize) -> Vec<u8> {
    let number = |i: usize| (i as u32).wrapping_mul(2_654_435_761) as f32 / u32::MAX as f32;
    (0..count).flat_map(|i| number(i).to_le_bytes()).collect()
}

/// Bytes of so many f64 between 0 and 1.
#[allow(dead_code, reason = "not every example needs them")]
pub fn doubles(count: usize) -> Vec<u8> {
    let number = |i: usize| f64::from((i as u32).wrapping_mul(2_654_435_761)) / f64::from(u32::MAX);
    (0..count).flat_map(|i| number(i).to_le_bytes()).collect()
}

/// Bytes of so many i32 from 0 to below `below`.
#[allow(dead_code, reason = "not every example needs them")]
pub fn integers(count: usize, below: u32) -> Vec<u8> {
    let number = |i: usize| ((i as u32).wrapping_mul(2_654_435_761) >> 8) % below;
    (0..count).flat_map(|i| number(i).to_le_bytes()).collect()
}
