//! Prints nanoseconds per element of every operation and type, over operands in the second-level cache, on one thread.
//!
//! Run with `cargo run --release -p cpu-vir --example operations`; a word on the command line restricts the list to
//! operations whose name contains it. This is where the figures of the cost model come from.

use std::time::{Duration, Instant};

use cpu_vir::{BinaryOp, Builder, Kernel, ReduceKind, Scalar, Storage, Type, UnaryOp};

const ELEMENTS: usize = 8 << 10;

/// Least nanoseconds per element over some milliseconds.
fn time(builder: Builder) -> f64 {
    let program = builder.finish().expect("the program is valid");
    let kernel = Kernel::prepare(&program).expect("the program is valid");
    let storage = program.operands[0].storage;
    let values = (0..ELEMENTS).map(|i| (i % 1009) as f64 / 300.0 + 0.01);
    let input: Vec<u8> = values
        .flat_map(|x| match storage {
            Storage::F32 => (x as f32).to_le_bytes().to_vec(),
            Storage::F64 => x.to_le_bytes().to_vec(),
            other => (1 + (x * 100.0) as u64).to_le_bytes()[..other.size()].to_vec(),
        })
        .collect();
    let inputs: Vec<&[u8]> = kernel.input_bytes().map(|_| input.as_slice()).collect();
    let mut output = vec![0u8; kernel.output_bytes().max().unwrap_or(0)];
    let mut least = f64::INFINITY;
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(8) {
        let block = Instant::now();
        kernel.run(&inputs, &mut [&mut output], 0..kernel.points()).expect("the operands are as long as they must be");
        least = least.min(block.elapsed().as_nanos() as f64 / ELEMENTS as f64);
    }
    least
}

fn print(name: &str, measure: impl Fn(Type) -> Option<f64>) {
    if std::env::args().nth(1).is_some_and(|part| !name.contains(&part)) {
        return;
    }
    print!("{name:<18}");
    for ty in Type::ALL {
        match measure(ty) {
            Some(time) => print!(" {time:>7.3}"),
            None => print!("       -"),
        }
    }
    println!();
}

fn main() {
    print!("{:<18}", "ns/element");
    Type::ALL.iter().for_each(|ty| print!(" {:>7}", ty.to_string()));
    println!();
    for op in UnaryOp::ALL {
        print(op.name(), |ty| {
            op.accepts(ty).then(|| {
                let mut builder = Builder::new(&[ELEMENTS], 0);
                let (input, output) = (builder.input(ty.storage()), builder.output(op.result(ty).storage()));
                let x = builder.load(builder.dense(input));
                let y = builder.unary(*op, x);
                builder.store(builder.dense(output), y);
                time(builder)
            })
        });
    }
    for op in BinaryOp::ALL {
        print(op.name(), |ty| {
            op.accepts(ty).then(|| {
                let mut builder = Builder::new(&[ELEMENTS], 0);
                let (a, b, output) =
                    (builder.input(ty.storage()), builder.input(ty.storage()), builder.output(ty.storage()));
                let (x, y) = (builder.load(builder.dense(a)), builder.load(builder.dense(b)));
                let z = builder.binary(*op, x, y);
                builder.store(builder.dense(output), z);
                time(builder)
            })
        });
    }
    for to in Type::ALL {
        print(&format!("convert to {to}"), |ty| {
            let mut builder = Builder::new(&[ELEMENTS], 0);
            let (input, output) = (builder.input(ty.storage()), builder.output(to.storage()));
            let x = builder.load(builder.dense(input));
            let y = builder.convert(to, x);
            builder.store(builder.dense(output), y);
            Some(time(builder))
        });
    }
    for storage in Storage::ALL.iter().filter(|storage| storage.is_small_float()) {
        print(&format!("round {storage}"), |ty| {
            (ty == Type::F32).then(|| {
                let mut builder = Builder::new(&[ELEMENTS], 0);
                let (input, output) = (builder.input(Storage::F32), builder.output(Storage::F32));
                let x = builder.load(builder.dense(input));
                let y = builder.round(*storage, x);
                builder.store(builder.dense(output), y);
                time(builder)
            })
        });
    }
    for kind in ReduceKind::ALL {
        for (name, dims, strides) in [
            ("all", [1, ELEMENTS], vec![0, 1]),
            ("rows", [64, ELEMENTS / 64], vec![(ELEMENTS / 64) as i64, 1]),
            ("short rows", [ELEMENTS / 8, 8], vec![8, 1]),
            ("columns", [64, ELEMENTS / 64], vec![1, 64]),
        ] {
            print(&format!("{kind} {name}"), |ty| {
                kind.combine().accepts(ty).then(|| {
                    let mut builder = Builder::new(&dims, 1);
                    let (input, output) = (builder.input(ty.storage()), builder.output(ty.storage()));
                    let x = builder.load(cpu_vir::Access { operand: input, offset: 0, strides: strides.clone() });
                    builder.reduce(*kind, x, Scalar::integer(ty, 0), builder.dense_result(output));
                    time(builder)
                })
            });
        }
    }
}
