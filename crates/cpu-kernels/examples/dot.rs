//! Times of products: `cargo run --release -p cpu-kernels --example dot`.

mod timing;

use cpu_kernels::{DotDimensions, DotGeneral, Shape};
use cpu_vir::Storage;

fn product(storage: Storage, m: usize, k: usize, n: usize, turned: bool) {
    let lhs = Shape::new(storage, &[m, k]);
    let rhs = Shape::new(storage, &if turned { [n, k] } else { [k, n] });
    let dims =
        DotDimensions { lhs_contracting: vec![1], rhs_contracting: vec![usize::from(turned)], ..Default::default() };
    let kernel = DotGeneral::prepare(&lhs, &rhs, &dims, storage).expect("a product of matrices");
    let bytes = |shape: &Shape| match storage {
        Storage::F64 | Storage::Complex128 => timing::doubles(shape.bytes() / 8),
        Storage::F32 | Storage::Complex64 => timing::floats(shape.bytes() / 4),
        _ => vec![1; shape.bytes()],
    };
    let operations = 2.0 * (m * k * n) as f64;
    let name = format!("{storage} {m}x{k}x{n}{}", if turned { " turned" } else { "" });
    timing::report(&name, &kernel, &[bytes(&lhs), bytes(&rhs)], &[kernel.result().bytes()], operations, "GF/s");
}

fn main() {
    for size in [1, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048] {
        product(Storage::F32, size, size, size, false);
    }
    let skinny = [
        (1, 1024, 1024),
        (1024, 1024, 1),
        (1, 256, 128),
        (4, 1024, 1024),
        (8, 1024, 1024),
        (12, 1024, 1024),
        (16, 1024, 1024),
        (32, 784, 256),
        (784, 32, 256),
        (128, 256, 1024),
        (128, 1024, 256),
        (1024, 16, 1024),
        (16, 4096, 16),
    ];
    for (m, k, n) in skinny {
        product(Storage::F32, m, k, n, false);
        product(Storage::F32, m, k, n, true);
    }
    for storage in [Storage::F64, Storage::BF16, Storage::Complex64, Storage::I32, Storage::I8] {
        for size in [16, 128, 512, 1024] {
            product(storage, size, size, size, false);
        }
        product(storage, 512, 512, 512, true);
    }
}
