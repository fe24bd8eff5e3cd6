//! Times of sorts: `cargo run --release -p cpu-kernels --example sort`.

mod timing;

use cpu_kernels::{KeyOrder, Shape, Sort, SortBody, SortKey, TopK};
use cpu_vir::Storage;

fn main() {
    let key = SortKey { operand: 0, descending: false, order: KeyOrder::Numeric };
    for (rows, size) in [(1, 1_000_000), (1, 100_000), (1000, 100), (1, 100)] {
        let x = Shape::new(Storage::F32, &[rows, size]);
        let positions = Shape::new(Storage::I32, &[rows, size]);
        let (count, bytes) = (rows * size, rows * size * 4);
        let values = Sort::prepare(std::slice::from_ref(&x), 1, &SortBody::Keys(vec![key])).expect("a sort");
        timing::report(
            &format!("sort {rows} x {size}"),
            &values,
            &[timing::floats(count)],
            &[bytes],
            count as f64,
            "G/s",
        );
        let both = Sort::prepare(&[x, positions], 1, &SortBody::Keys(vec![key])).expect("a sort");
        let inputs = [timing::floats(count), timing::integers(count, 1 << 24)];
        timing::report(&format!("argsort {rows} x {size}"), &both, &inputs, &[bytes; 2], count as f64, "G/s");
    }
    for (rows, size, k) in [(1, 1_000_000, 10), (128, 10_000, 50), (1, 1000, 5)] {
        let x = Shape::new(Storage::F32, &[rows, size]);
        let kernel = TopK::prepare(&x, k, true, KeyOrder::Total).expect("fewer than there are");
        let (count, bytes) = (rows * size, rows * k * 4);
        let name = format!("top {k} of {rows} x {size}");
        timing::report(&name, &kernel, &[timing::floats(count)], &[bytes; 2], count as f64, "G/s");
    }
}
