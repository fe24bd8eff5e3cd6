//! What one run of a tiny program costs: `cargo run --release -p cpu-vir --example tiny`.

use cpu_vir::{BinaryOp, Builder, Kernel, Storage};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for points in [1usize, 8, 64] {
        for length in [1usize, 4, 16] {
            let mut b = Builder::new(&[points], 0);
            let x = b.output(Storage::F32);
            let mut value = b.load(b.dense(x));
            let factor = b.constant(0.999f32);
            for _ in 0..length {
                value = b.binary(BinaryOp::Mul, value, factor);
            }
            b.store(b.dense(x), value);
            let kernel = Kernel::prepare(&b.finish()?)?;
            let mut bytes = vec![0u8; 4 * points];
            let mut best = f64::INFINITY;
            for _ in 0..20 {
                let start = Instant::now();
                for _ in 0..10_000 {
                    kernel.run(&[], &mut [&mut bytes], 0..points)?;
                }
                best = best.min(start.elapsed().as_nanos() as f64 / 10_000.0);
            }
            println!("{points:3} points, {length:2} operations: {best:6.1} ns");
        }
    }
    Ok(())
}
