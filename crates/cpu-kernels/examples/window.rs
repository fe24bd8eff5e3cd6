//! Times of windows, reductions and movement: `cargo run --release -p cpu-kernels --example window`.

mod timing;

use cpu_kernels::{
    ArgExtreme, Concatenate, Reduce, ReduceWindow, Select, SelectAndScatter, Shape, Transpose, WindowBody,
    WindowDimension,
};
use cpu_vir::{BinaryOp, Builder, Direction, Program, ReduceKind, Storage};

fn windows(name: &str, dims: &[usize], windows: &[WindowDimension], kind: ReduceKind) {
    let x = Shape::new(Storage::F32, dims);
    let body = WindowBody::Reduce(kind);
    let kernel = ReduceWindow::prepare(std::slice::from_ref(&x), windows, &body).expect("windows that fit");
    let init = if kind == ReduceKind::Max { f32::NEG_INFINITY } else { 0.0 };
    let inputs = [timing::floats(x.elements()), init.to_le_bytes().to_vec()];
    let bytes = kernel.results()[0].bytes();
    timing::report(name, &kernel, &inputs, &[bytes], x.elements() as f64, "G/s");
}

/// The greater value and its index, as JAX's argmax has it.
fn argmax() -> Program {
    let mut builder = Builder::new(&[1], 0);
    let types = [Storage::F32, Storage::I32];
    let inputs: Vec<_> = (0..4).map(|i| builder.input(types[i % 2])).collect();
    let outputs = types.map(|storage| builder.output(storage));
    let v: Vec<_> = inputs.iter().map(|&id| builder.load(builder.dense(id))).collect();
    let greater = builder.compare(Direction::Gt, v[0], v[2]);
    let nan = builder.compare(Direction::Ne, v[0], v[0]);
    let wins = builder.binary(BinaryOp::Or, greater, nan);
    let equal = builder.compare(Direction::Eq, v[0], v[2]);
    let earlier = builder.compare(Direction::Lt, v[1], v[3]);
    let tie = builder.binary(BinaryOp::And, equal, earlier);
    let index_wins = builder.binary(BinaryOp::Or, wins, tie);
    let value = builder.select(wins, v[0], v[2]);
    let index = builder.select(index_wins, v[1], v[3]);
    builder.store(builder.dense(outputs[0]), value);
    builder.store(builder.dense(outputs[1]), index);
    builder.finish().expect("a body")
}

fn main() {
    let running = |size: usize| WindowDimension { size, padding: (size as i64 - 1, 0), ..WindowDimension::TRIVIAL };
    windows("cumsum of 1e6", &[1_000_000], &[running(1_000_000)], ReduceKind::Sum);
    windows(
        "cumsum along rows of 1024 x 1024",
        &[1024, 1024],
        &[WindowDimension::TRIVIAL, running(1024)],
        ReduceKind::Sum,
    );
    windows(
        "cumsum along columns of 1024 x 1024",
        &[1024, 1024],
        &[running(1024), WindowDimension::TRIVIAL],
        ReduceKind::Sum,
    );
    windows("cummax of 1e6", &[1_000_000], &[running(1_000_000)], ReduceKind::Max);
    let pool = WindowDimension { size: 3, stride: 2, padding: (1, 1), ..WindowDimension::TRIVIAL };
    let pooling = [WindowDimension::TRIVIAL, pool, pool, WindowDimension::TRIVIAL];
    windows("max pooling 3x3/2 of 8 x 56 x 56 x 64", &[8, 56, 56, 64], &pooling, ReduceKind::Max);
    let first = [WindowDimension::TRIVIAL, WindowDimension::TRIVIAL, pool, pool];
    windows("max pooling 3x3/2 of 8 x 64 x 56 x 56", &[8, 64, 56, 56], &first, ReduceKind::Max);

    let x = Shape::new(Storage::F32, &[8, 56, 56, 64]);
    let source = Shape::new(Storage::F32, &[8, 28, 28, 64]);
    let sum = WindowBody::Reduce(ReduceKind::Sum);
    let kernel = SelectAndScatter::prepare(&x, &source, &pooling, &Select::Greatest, &sum).expect("windows that fit");
    let inputs = [timing::floats(x.elements()), timing::floats(source.elements()), vec![0; 4]];
    timing::report("gradient of that pooling", &kernel, &inputs, &[x.bytes()], x.elements() as f64, "G/s");

    let square = Shape::new(Storage::F32, &[1024, 1024]);
    let numbers = timing::floats(square.elements());
    let count = square.elements() as f64;
    for axis in [1, 0] {
        let kernel = ArgExtreme::prepare(&square, axis, Storage::I32, true).expect("an axis");
        let name = format!("argmax along axis {axis} of 1024 x 1024");
        timing::report(&name, &kernel, std::slice::from_ref(&numbers), &[4096; 2], count, "G/s");
        let indices = Shape::new(Storage::I32, &[1024, 1024]);
        let kernel = Reduce::prepare(&[square.clone(), indices], &[axis], &argmax()).expect("a body that fits");
        let inputs = [numbers.clone(), timing::integers(square.elements(), 1024), vec![0; 4], vec![0; 4]];
        timing::report(&format!("{name} by a program"), &kernel, &inputs, &[4096; 2], count, "G/s");
    }
    for size in [256, 2048] {
        let square = Shape::new(Storage::F32, &[size, size]);
        let kernel = Transpose::prepare(&square, &[1, 0]).expect("a permutation");
        let bytes = square.bytes();
        let input = timing::floats(size * size);
        timing::report(&format!("transpose {square}"), &kernel, &[input], &[bytes], 2.0 * bytes as f64, "GB/s");
    }
    let image = Shape::new(Storage::F32, &[8, 64, 56, 56]);
    let kernel = Transpose::prepare(&image, &[0, 2, 3, 1]).expect("a permutation");
    let bytes = image.bytes();
    let input = timing::floats(image.elements());
    timing::report(
        &format!("transpose {image} to features last"),
        &kernel,
        &[input],
        &[bytes],
        2.0 * bytes as f64,
        "GB/s",
    );
    let halves = [Shape::new(Storage::F32, &[1024, 512]), Shape::new(Storage::F32, &[1024, 512])];
    let kernel = Concatenate::prepare(&halves, 1).expect("halves");
    let inputs = [timing::floats(512 * 1024), timing::floats(512 * 1024)];
    timing::report("concatenate halves of 1024 x 1024", &kernel, &inputs, &[4 << 20], 2.0 * (4 << 20) as f64, "GB/s");
}
