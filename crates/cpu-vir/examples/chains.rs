//! Prints nanoseconds per element of four element-wise chains, in caches and in memory, on one thread.
//!
//! Run with `cargo run --release -p cpu-vir --example chains`. Each figure is the least of many short blocks.

use std::time::{Duration, Instant};

use cpu_vir::exec::Isa;
use cpu_vir::{BinaryOp, Builder, Kernel, Program, Storage, UnaryOp, Value};

/// A chain's body, from its inputs to its result.
type Body = fn(&mut Builder, &[Value]) -> Value;

fn binary(builder: &mut Builder, op: BinaryOp, a: Value, factor: f32) -> Value {
    let factor = builder.constant(factor);
    builder.binary(op, a, factor)
}

/// tanh(x)·2 + exp(−x²)
fn tanh_exp(b: &mut Builder, x: &[Value]) -> Value {
    let tanh = b.unary(UnaryOp::Tanh, x[0]);
    let doubled = binary(b, BinaryOp::Mul, tanh, 2.0);
    let square = b.binary(BinaryOp::Mul, x[0], x[0]);
    let negative = b.unary(UnaryOp::Neg, square);
    let exp = b.unary(UnaryOp::Exp, negative);
    b.binary(BinaryOp::Add, doubled, exp)
}

/// (x·y + x)·½ − y
fn products(b: &mut Builder, x: &[Value]) -> Value {
    let product = b.binary(BinaryOp::Mul, x[0], x[1]);
    let sum = b.binary(BinaryOp::Add, product, x[0]);
    let half = binary(b, BinaryOp::Mul, sum, 0.5);
    b.binary(BinaryOp::Sub, half, x[1])
}

/// ½·x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))
fn gelu(b: &mut Builder, x: &[Value]) -> Value {
    let square = b.binary(BinaryOp::Mul, x[0], x[0]);
    let cube = b.binary(BinaryOp::Mul, square, x[0]);
    let cube = binary(b, BinaryOp::Mul, cube, 0.044715);
    let sum = b.binary(BinaryOp::Add, x[0], cube);
    let scaled = binary(b, BinaryOp::Mul, sum, 0.797_884_6);
    let tanh = b.unary(UnaryOp::Tanh, scaled);
    let plus = binary(b, BinaryOp::Add, tanh, 1.0);
    let product = b.binary(BinaryOp::Mul, x[0], plus);
    binary(b, BinaryOp::Mul, product, 0.5)
}

/// max(x, 0) + log1p(exp(−|x|))
fn softplus(b: &mut Builder, x: &[Value]) -> Value {
    let size = b.unary(UnaryOp::Abs, x[0]);
    let negative = b.unary(UnaryOp::Neg, size);
    let exp = b.unary(UnaryOp::Exp, negative);
    let log = b.unary(UnaryOp::Log1p, exp);
    let positive = binary(b, BinaryOp::Max, x[0], 0.0);
    b.binary(BinaryOp::Add, positive, log)
}

fn program(body: Body, inputs: usize, elements: usize) -> Program {
    let mut builder = Builder::new(&[elements], 0);
    let arguments: Vec<Value> = (0..inputs)
        .map(|_| {
            let input = builder.input(Storage::F32);
            let access = builder.dense(input);
            builder.load(access)
        })
        .collect();
    let result = body(&mut builder, &arguments);
    let output = builder.output(Storage::F32);
    let access = builder.dense(output);
    builder.store(access, result);
    builder.finish().expect("the chains are valid")
}

/// Least nanoseconds per element over about half a second.
fn time(kernel: &Kernel, inputs: &[&[u8]], output: &mut [u8], elements: usize) -> f64 {
    let repeats = (200_000 / elements).max(1);
    let mut least = f64::INFINITY;
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(500) {
        let block = Instant::now();
        for _ in 0..repeats {
            kernel.run(inputs, &mut [&mut *output], 0..elements).expect("the operands are as long as they must be");
        }
        least = least.min(block.elapsed().as_nanos() as f64 / (repeats * elements) as f64);
    }
    least
}

fn main() {
    let chains: [(&str, Body, usize); 4] = [
        ("tanh(x)*2 + exp(-x^2)", tanh_exp, 1),
        ("(x*y + x)/2 - y", products, 2),
        ("gelu_tanh", gelu, 1),
        ("softplus", softplus, 1),
    ];
    let sizes = [("L2", 16 << 10), ("L3", 256 << 10), ("memory", 10_000_000)];
    println!("{:<24} {:>8} {:>8} {:>8}   ns/element; prepare", "", sizes[0].0, sizes[1].0, sizes[2].0);
    for (name, body, count) in chains {
        for isa in [Isa::Avx512, Isa::Avx2, Isa::Baseline] {
            if !isa.is_supported() || isa == Isa::Baseline && name != "(x*y + x)/2 - y" {
                continue;
            }
            print!("{:<24}", format!("{name}, {isa:?}"));
            for (_, elements) in sizes {
                let program = program(body, count, elements);
                let kernel = Kernel::prepare_for(&program, isa).expect("the chains are valid");
                let values = (0..elements).flat_map(|i| ((i % 2003) as f32 / 200.0 - 5.0).to_le_bytes());
                let input: Vec<u8> = values.collect();
                let mut output = vec![0u8; 4 * elements];
                let inputs: Vec<&[u8]> = (0..count).map(|_| input.as_slice()).collect();
                print!(" {:>8.3}", time(&kernel, &inputs, &mut output, elements));
            }
            let program = program(body, count, 1 << 20);
            let start = Instant::now();
            for _ in 0..1000 {
                std::hint::black_box(Kernel::prepare(&program).expect("the chains are valid"));
            }
            println!("   {:.2} us", start.elapsed().as_nanos() as f64 / 1e6);
        }
    }
}
