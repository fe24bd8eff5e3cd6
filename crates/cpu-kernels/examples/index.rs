//! Times of gathers and scatters: `cargo run --release -p cpu-kernels --example index`.

mod timing;

use std::slice::from_ref;

use cpu_kernels::{Gather, GatherDimensions, OutOfBounds, Scatter, ScatterBody, ScatterDimensions, Shape};
use cpu_vir::{ReduceKind, Storage};

fn gather(table: usize, row: usize, count: usize) {
    let (x, i) = (Shape::new(Storage::F32, &[table, row]), Shape::new(Storage::I32, &[count, 1]));
    let dims = GatherDimensions {
        offset_dims: vec![1],
        collapsed_slice_dims: vec![0],
        start_index_map: vec![0],
        index_vector_dim: 1,
        slice_sizes: vec![1, row],
        ..Default::default()
    };
    let kernel = Gather::prepare(&x, &i, &dims).expect("a gather of rows");
    let inputs = [timing::floats(table * row), timing::integers(count, table as u32)];
    let bytes = kernel.result().bytes();
    timing::report(
        &format!("gather {count} rows of {row} from {table}"),
        &kernel,
        &inputs,
        &[bytes],
        bytes as f64,
        "GB/s",
    );
}

fn scatter(table: usize, row: usize, count: usize, body: &ScatterBody) {
    let (x, i) = (Shape::new(Storage::F32, &[table, row]), Shape::new(Storage::I32, &[count, 1]));
    let u = Shape::new(Storage::F32, &[count, row]);
    let dims = ScatterDimensions {
        update_window_dims: vec![1],
        inserted_window_dims: vec![0],
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 1,
        ..Default::default()
    };
    let kernel = Scatter::prepare(from_ref(&x), &i, from_ref(&u), &dims, body, OutOfBounds::DropWindow);
    let kernel = kernel.expect("a scatter of rows");
    let inputs = [timing::floats(table * row), timing::integers(count, table as u32), timing::floats(count * row)];
    let name = format!("scatter ({body:?}) {count} rows of {row} to {table}");
    timing::report(&name, &kernel, &inputs, &[x.bytes()], u.bytes() as f64, "GB/s");
}

fn main() {
    for (table, row, count) in [(10_000, 128, 10_000), (1000, 128, 1000), (100_000, 1, 100_000), (50, 16, 8)] {
        gather(table, row, count);
        scatter(table, row, count, &ScatterBody::Assign);
        scatter(table, row, count, &ScatterBody::Reduce(ReduceKind::Sum));
    }
}
