//! Times of transforms, random bits and linear algebra: `cargo run --release -p cpu-kernels --example transform`.

mod timing;

use cpu_kernels::{Cholesky, Fft, FftKind, RandomAlgorithm, RngBitGenerator, Shape, TriangularSolve, TriangularSystem};
use cpu_vir::Storage;

fn transform(dims: &[usize], lengths: &[usize]) {
    let x = Shape::new(Storage::Complex64, dims);
    let kernel = Fft::prepare(&x, FftKind::Fft, lengths).expect("a transform");
    let points: usize = lengths.iter().product();
    let operations = 5.0 * x.elements() as f64 * (points as f64).log2();
    let inputs = [timing::floats(2 * x.elements())];
    timing::report(&format!("fft {lengths:?} of {x}"), &kernel, &inputs, &[x.bytes()], operations, "GF/s");
}

fn main() {
    transform(&[65536], &[65536]);
    transform(&[64, 1024], &[1024]);
    transform(&[1000, 243], &[243]);
    transform(&[512, 512], &[512, 512]);
    for algorithm in [RandomAlgorithm::ThreeFry, RandomAlgorithm::Philox] {
        let (state, bits) = (Shape::new(Storage::U64, &[2]), Shape::new(Storage::U32, &[1_000_000]));
        let kernel = RngBitGenerator::prepare(algorithm, &state, &bits).expect("a generator");
        timing::report(&format!("{algorithm:?} {bits}"), &kernel, &[vec![7; 16]], &[16, bits.bytes()], 1e6, "G/s");
    }
    for (batch, n) in [(1, 256), (100, 32)] {
        let stack = Shape::new(Storage::F32, &[batch, n, n]);
        let numbers = (0..batch * n * n).map(|i| if i % (n * n) % (n + 1) == 0 { n as f32 } else { 0.5 });
        let bytes: Vec<u8> = numbers.flat_map(f32::to_le_bytes).collect();
        let cubes = (batch * n * n * n) as f64;
        let kernel = Cholesky::prepare(&stack, true).expect("square matrices");
        timing::report(
            &format!("cholesky {stack}"),
            &kernel,
            std::slice::from_ref(&bytes),
            &[stack.bytes()],
            cubes / 3.0,
            "GF/s",
        );
        let system = TriangularSystem {
            left_side: true,
            lower: true,
            unit_diagonal: false,
            transposed: false,
            conjugated: false,
        };
        let kernel = TriangularSolve::prepare(&stack, &stack, system).expect("square matrices");
        let inputs = [bytes.clone(), bytes];
        timing::report(&format!("triangular_solve {stack}"), &kernel, &inputs, &[stack.bytes()], cubes, "GF/s");
    }
}
