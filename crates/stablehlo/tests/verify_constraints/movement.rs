//! Cases of ops that make, move and select elements.

use stablehlo::ir::Attr;
use stablehlo::ir::attrs::{GatherDimensionNumbers, ScatterDimensionNumbers};

use super::case::{A, Case, op};
use super::{Cases, bad, good};

fn broadcast() -> Case {
    op("broadcast_in_dim", "1x3xf32", "2x3x4xf32").ints("broadcast_dimensions", &[0, 1])
}

fn dynamic_broadcast() -> Case {
    op("dynamic_broadcast_in_dim", "1x3xf32 3xi64", "2x3x?xf32").ints("broadcast_dimensions", &[0, 1])
}

fn transpose() -> Case {
    op("transpose", "2x3x4xf32", "4x2x3xf32").ints("permutation", &[2, 0, 1])
}

fn concatenate() -> Case {
    op("concatenate", "2x3xf32 2x4xf32", "2x7xf32").with("dimension", A::I64(1))
}

fn pad() -> Case {
    op("pad", "2x3xf32 f32", "4x6xf32")
        .ints("edge_padding_low", &[1, -1])
        .ints("edge_padding_high", &[1, 0])
        .ints("interior_padding", &[0, 2])
}

fn slice() -> Case {
    op("slice", "4x6xf32", "2x3xf32")
        .ints("start_indices", &[1, 0])
        .ints("limit_indices", &[3, 5])
        .ints("strides", &[1, 2])
}

fn dynamic_slice() -> Case {
    op("dynamic_slice", "4x6xf32 i32 i32", "2x3xf32").ints("slice_sizes", &[2, 3])
}

fn gather_dims(change: impl Fn(&mut GatherDimensionNumbers)) -> A {
    let mut n = GatherDimensionNumbers {
        offset_dims: [2, 3].into(),
        collapsed_slice_dims: [0].into(),
        operand_batching_dims: [1].into(),
        start_indices_batching_dims: [0].into(),
        start_index_map: [0, 2].into(),
        index_vector_dim: 2,
    };
    change(&mut n);
    A::Raw(Attr::GatherDimensionNumbers(Box::new(n)))
}

fn gather(change: impl Fn(&mut GatherDimensionNumbers)) -> Case {
    op("gather", "5x7x4x2xf32 7x6x2xi32", "7x6x3x2xf32")
        .with("dimension_numbers", gather_dims(change))
        .ints("slice_sizes", &[1, 1, 3, 2])
}

fn dynamic_gather(change: impl Fn(&mut GatherDimensionNumbers)) -> Case {
    let dims = gather_dims(|n| {
        *n = GatherDimensionNumbers {
            offset_dims: [1, 2].into(),
            collapsed_slice_dims: [0].into(),
            operand_batching_dims: [].into(),
            start_indices_batching_dims: [].into(),
            start_index_map: [0, 1].into(),
            index_vector_dim: 1,
        };
        change(n);
    });
    op("dynamic_gather", "5x4x2xf32 6x2xi32 1,3,2:3xi64", "6x3x2xf32").with("dimension_numbers", dims)
}

fn scatter(change: impl Fn(&mut ScatterDimensionNumbers)) -> Case {
    let mut n = ScatterDimensionNumbers {
        update_window_dims: [2, 3].into(),
        inserted_window_dims: [0].into(),
        input_batching_dims: [1].into(),
        scatter_indices_batching_dims: [0].into(),
        scatter_dims_to_operand_dims: [0, 2].into(),
        index_vector_dim: 2,
    };
    change(&mut n);
    op("scatter", "5x7x4x2xf32 7x6x2xi32 7x6x3x2xf32", "5x7x4x2xf32")
        .with("scatter_dimension_numbers", A::Raw(Attr::ScatterDimensionNumbers(Box::new(n))))
        .body("f32 f32", "f32")
}

fn two_scatters() -> Case {
    scatter(|_| {})
        .takes("5x7x4x2xf32 5x7x4x2xi8 7x6x2xi32 7x6x3x2xf32 7x6x3x2xi8")
        .gives("5x7x4x2xf32 5x7x4x2xi8")
        .bodies(&[super::case::body("f32 i8 f32 i8", "f32 i8")])
}

pub fn cases() -> Cases {
    let mut cases = vec![
        good(broadcast()),
        good(op("broadcast_in_dim", "2xq/i8/f32/a0=2", "3x2xq/i8/f32/a1=2").ints("broadcast_dimensions", &[1])),
        bad("C1", broadcast().gives("2x3x4xf64")),
        bad("C2", broadcast().ints("broadcast_dimensions", &[0])),
        bad("C3", broadcast().ints("broadcast_dimensions", &[0, 3])),
        bad("C4", broadcast().ints("broadcast_dimensions", &[1, 1])),
        bad("C5", broadcast().takes("5x3xf32")),
        bad("C6", op("broadcast_in_dim", "2xq/i8/f32/a0=2", "2x2xq/i8/f32/a0=2").ints("broadcast_dimensions", &[1])),
        bad(
            "C6",
            op("broadcast_in_dim", "1xq/i8/f32/a0=1/s2", "3xq/i8/f32/a0=3/s1").ints("broadcast_dimensions", &[0]),
        ),
        bad("O1", broadcast().gives("2x3x?xf32")),
        good(dynamic_broadcast().ints("known_expanding_dimensions", &[0]).ints("known_nonexpanding_dimensions", &[1])),
        bad("C1", dynamic_broadcast().gives("2x3x?xi8")),
        bad("C2", dynamic_broadcast().ints("broadcast_dimensions", &[0])),
        bad("C3", dynamic_broadcast().ints("broadcast_dimensions", &[0, -1])),
        bad("C4", dynamic_broadcast().ints("broadcast_dimensions", &[1, 1])),
        bad("C5", dynamic_broadcast().takes("5x3xf32 3xi64")),
        bad(
            "C6",
            op("dynamic_broadcast_in_dim", "2xq/i8/f32/a0=2 2xi64", "2x2xq/i8/f32/a0=2")
                .ints("broadcast_dimensions", &[1]),
        ),
        bad("C7", dynamic_broadcast().takes("1x3xf32 2xi64")),
        bad(
            "C8",
            dynamic_broadcast().ints("known_expanding_dimensions", &[0]).ints("known_nonexpanding_dimensions", &[0]),
        ),
        bad("C9", dynamic_broadcast().ints("known_expanding_dimensions", &[2])),
        bad("C10", dynamic_broadcast().ints("known_nonexpanding_dimensions", &[-1])),
        good(transpose()),
        good(op("transpose", "2x3xq/i8/f32/a0=2", "3x2xq/i8/f32/a1=2").ints("permutation", &[1, 0])),
        bad("C1", transpose().gives("4x2x3xi32")),
        bad("C2", transpose().ints("permutation", &[2, 0, 0])),
        bad("C2", transpose().ints("permutation", &[1, 0])),
        bad("C3", transpose().gives("2x3x4xf32")),
        bad("C4", op("transpose", "2x2xq/i8/f32/a0=2", "2x2xq/i8/f32/a0=2").ints("permutation", &[1, 0])),
        good(op("reverse", "2x3xf32", "2x3xf32").ints("dimensions", &[1])),
        bad("C1", op("reverse", "2x3xf32", "3x2xf32").ints("dimensions", &[1])),
        bad("C2", op("reverse", "2x3xf32", "2x3xf32").ints("dimensions", &[1, 1])),
        bad("C3", op("reverse", "2x3xf32", "2x3xf32").ints("dimensions", &[2])),
        good(concatenate()),
        good(concatenate().takes("2x3xf32 2x?xf32").gives("2x?xf32")),
        bad("C1", concatenate().takes("2x3xf32 2x4xf64")),
        bad("C2", concatenate().takes("2x3xf32 3x4xf32")),
        bad("C3", concatenate().takes("")),
        bad("C4", concatenate().with("dimension", A::I64(2))),
        bad("C5", concatenate().gives("2x7xf64")),
        bad("C6", concatenate().gives("2x8xf32")),
        good(pad()),
        bad("C1", pad().takes("2x3xf32 f64")),
        bad("C2", pad().ints("edge_padding_low", &[0])),
        bad("C3", pad().ints("interior_padding", &[0, -1])),
        bad("C4", pad().gives("4x7xf32")),
        bad("C4", pad().ints("edge_padding_low", &[-9, 0])),
        good(op("dynamic_pad", "2xf32 f32 1:1xi64 1:1xi64 0:1xi64", "4xf32")),
        good(op("dynamic_pad", "2xf32 f32 1xi64 1xi64 1xi64", "?xf32")),
        bad("C1", op("dynamic_pad", "2xf32 f64 1xi64 1xi64 1xi64", "?xf32")),
        bad("C2", op("dynamic_pad", "2xf32 f32 2xi64 1xi64 1xi64", "?xf32")),
        bad("C3", op("dynamic_pad", "2xf32 f32 1xi64 1xi64 -1:1xi64", "?xf32")),
        bad("C4", op("dynamic_pad", "2xf32 f32 1:1xi64 1:1xi64 0:1xi64", "5xf32")),
        bad("C7", dynamic_broadcast().takes("1x3xf32 2,3,-1:3xi64")),
        bad("C5", dynamic_broadcast().takes("1x3xf32 2,1,4:3xi64").gives("?x?x?xf32")),
        bad("C7", dynamic_broadcast().takes("1x3xf32 5,3,4:3xi64")),
        bad("C4", op("dynamic_reshape", "2x6xf32 3,4:2xi64", "4x3xf32")),
        bad("C2", op("dynamic_reshape", "2x6xf32 3,5:2xi64", "?x?xf32")),
        bad("C1", op("transpose", "2x3xq/i8/f32", "3x2xq/i8/f32/s2").ints("permutation", &[1, 0])),
        bad("C1", op("reverse", "2xq/i8/f32", "2xq/i8/f32/z2").ints("dimensions", &[0])),
        good(slice()),
        bad("C1", slice().gives("2x3xf64")),
        bad("C2", slice().ints("strides", &[1])),
        bad("C3", slice().ints("start_indices", &[4, 0])),
        bad("C3", slice().ints("limit_indices", &[3, 7])),
        bad("C3", slice().ints("start_indices", &[-1, 0])),
        bad("C4", slice().ints("strides", &[0, 2])),
        bad("C5", slice().gives("2x2xf32")),
        good(dynamic_slice()),
        bad("C1", dynamic_slice().gives("2x3xf64")),
        bad("C2", dynamic_slice().takes("4x6xf32 i32")),
        bad("C2", dynamic_slice().ints("slice_sizes", &[2])),
        bad("C3", dynamic_slice().takes("4x6xf32 i32 i64")),
        bad("C4", dynamic_slice().ints("slice_sizes", &[5, 3])),
        bad("C5", dynamic_slice().gives("2x4xf32")),
        good(op("dynamic_update_slice", "4x6xf32 2x3xf32 i32 i32", "4x6xf32")),
        bad("C1", op("dynamic_update_slice", "4x6xf32 2x3xf32 i32 i32", "4x7xf32")),
        bad("C2", op("dynamic_update_slice", "4x6xf32 2x3xf64 i32 i32", "4x6xf32")),
        bad("C3", op("dynamic_update_slice", "4x6xf32 3xf32 i32 i32", "4x6xf32")),
        bad("C4", op("dynamic_update_slice", "4x6xf32 2x3xf32 i32", "4x6xf32")),
        bad("C5", op("dynamic_update_slice", "4x6xf32 2x3xf32 i32 i8", "4x6xf32")),
        bad("C6", op("dynamic_update_slice", "4x6xf32 5x3xf32 i32 i32", "4x6xf32")),
        good(op("constant", "", "2x3xf32").with("value", A::Zeros("2x3xf32"))),
        good(op("constant", "", "2xq/i8/f32").with("value", A::Zeros("2xi8"))),
        bad("C1", op("constant", "", "2x3xf32").with("value", A::Zeros("3x2xf32"))),
        bad("C1", op("constant", "", "2xq/i8/f32").with("value", A::Zeros("2xi16"))),
        bad("O1", op("constant", "", "2x?xf32").with("value", A::Zeros("2x3xf32"))),
        good(op("iota", "", "2x3xf32").with("iota_dimension", A::I64(1))),
        bad("C1", op("iota", "", "2x3xf32").with("iota_dimension", A::I64(2))),
        good(op("dynamic_iota", "2xi64", "2x?xf32").with("iota_dimension", A::I64(1))),
        bad("C1", op("dynamic_iota", "2xi64", "2x?xf32").with("iota_dimension", A::I64(-1))),
        bad("C2", op("dynamic_iota", "2xi64", "?xf32").with("iota_dimension", A::I64(0))),
        bad("C2", op("dynamic_iota", "2,3:2xi64", "2x4xf32").with("iota_dimension", A::I64(0))),
        good(op("get_dimension_size", "2x?xf32", "i32").with("dimension", A::I64(1))),
        bad("C1", op("get_dimension_size", "2x?xf32", "i32").with("dimension", A::I64(2))),
        bad("O1", op("get_dimension_size", "2x?xf32", "i64").with("dimension", A::I64(1))),
    ];
    for (name, shape) in [("reshape", ""), ("dynamic_reshape", " 2xi64")] {
        let case = |operand: &str, result: &str| op(name, &format!("{operand}{shape}"), result);
        cases.extend([
            good(case("2x6xf32", "3x4xf32")),
            good(case("2x6xq/i8/f32/a0=2", "2x6xq/i8/f32/a0=2")),
            bad("C1", case("2x6xf32", "3x4xf64")),
            bad("C2", case("2x6xf32", "3x5xf32")),
            bad("C3", case("2x2xq/i8/f32/a0=2", "2x2xq/i8/f32/a1=2")),
        ]);
    }
    cases.push(bad("C4", op("dynamic_reshape", "2x6xf32 3xi64", "3x4xf32")));
    cases.push(bad("O1", op("reshape", "2x6xf32", "3x?xf32")));
    cases.extend(gathers());
    cases.extend(scatters());
    cases
}

fn gathers() -> Cases {
    vec![
        good(gather(|_| {})),
        bad("C1", gather(|n| n.collapsed_slice_dims = [].into())),
        bad("C2", gather(|n| n.index_vector_dim = 4)),
        bad("C2", gather(|n| n.index_vector_dim = -1)),
        bad("C3", gather(|n| n.start_index_map = [0].into())),
        bad("C4", gather(|n| n.offset_dims = [3, 2].into())),
        bad("C4", gather(|n| n.offset_dims = [2, 2].into())),
        bad("C5", gather(|n| n.offset_dims = [2, 4].into())),
        bad("C6", gather(|n| n.collapsed_slice_dims = [1].into())),
        bad("C7", gather(|n| n.collapsed_slice_dims = [3, 0].into())),
        bad("C8", gather(|n| n.collapsed_slice_dims = [4].into())),
        bad("C9", gather(|_| {}).ints("slice_sizes", &[2, 1, 3, 2])),
        bad("C10", gather(|n| n.operand_batching_dims = [1, 0].into())),
        bad("C11", gather(|n| n.operand_batching_dims = [4].into())),
        bad("C12", gather(|_| {}).ints("slice_sizes", &[1, 2, 3, 2])),
        bad("C13", gather(|n| n.start_indices_batching_dims = [0, 0].into())),
        bad("C14", gather(|n| n.start_indices_batching_dims = [3].into())),
        bad("C15", gather(|n| n.start_indices_batching_dims = [2].into())),
        bad("C16", gather(|n| n.start_indices_batching_dims = [].into())),
        bad("C17", gather(|_| {}).takes("5x8x4x2xf32 7x6x2xi32")),
        bad("C18", gather(|n| n.start_index_map = [1, 2].into())),
        bad("C19", gather(|n| n.start_index_map = [0, 4].into())),
        bad("C20", gather(|_| {}).ints("slice_sizes", &[1, 1, 3])),
        bad("C21", gather(|_| {}).ints("slice_sizes", &[1, 1, 5, 2])),
        bad("C22", gather(|_| {}).gives("7x6x2x3xf32")),
        bad("C23", gather(|_| {}).gives("7x6x3x2xf64")),
        good(dynamic_gather(|_| {})),
        good(dynamic_gather(|_| {}).takes("5x4x2xf32 6x2xi32 3xi64")),
        bad("C1", dynamic_gather(|n| n.collapsed_slice_dims = [].into())),
        bad("C2", dynamic_gather(|n| n.index_vector_dim = 3)),
        bad("C3", dynamic_gather(|n| n.start_index_map = [0].into())),
        bad("C4", dynamic_gather(|n| n.offset_dims = [2, 1].into())),
        bad("C5", dynamic_gather(|n| n.offset_dims = [1, 3].into())),
        bad("C6", dynamic_gather(|n| n.collapsed_slice_dims = [2, 0].into())),
        bad("C7", dynamic_gather(|n| n.collapsed_slice_dims = [3].into())),
        bad("C8", dynamic_gather(|_| {}).takes("5x4x2xf32 6x2xi32 2,3,2:3xi64")),
        bad("C9", dynamic_gather(|n| n.start_index_map = [0, 0].into())),
        bad("C10", dynamic_gather(|n| n.start_index_map = [0, 3].into())),
        bad("C11", dynamic_gather(|_| {}).takes("5x4x2xf32 6x2xi32 2xi64")),
        bad("C12", dynamic_gather(|_| {}).takes("5x4x2xf32 6x2xi32 1,5,2:3xi64")),
        bad("C13", dynamic_gather(|_| {}).gives("6x2x2xf32")),
        bad("C14", dynamic_gather(|_| {}).gives("6x3x2xf64")),
    ]
}

fn scatters() -> Cases {
    vec![
        good(scatter(|_| {})),
        good(two_scatters()),
        bad("C1", two_scatters().takes("5x7x4x2xf32 5x7x4x3xi8 7x6x2xi32 7x6x3x2xf32 7x6x3x2xi8")),
        bad("C2", scatter(|n| n.inserted_window_dims = [].into())),
        bad("C3", two_scatters().takes("5x7x4x2xf32 5x7x4x2xi8 7x6x2xi32 7x6x3x2xf32 7x6x3x1xi8")),
        bad("C4", scatter(|_| {}).takes("5x7x4x2xf32 7x6x2xi32 7x6x5x2xf32")),
        bad("C4", scatter(|_| {}).takes("5x7x4x2xf32 7x6x2xi32 7x5x3x2xf32")),
        bad("C5", scatter(|_| {}).takes("7x6x2xi32")),
        bad("C6", scatter(|_| {}).takes("5x7x4x2xf32 7x6x2xi32 7x6x3x2xf64")),
        bad("C7", scatter(|n| n.update_window_dims = [3, 2].into())),
        bad("C8", scatter(|n| n.update_window_dims = [2, 4].into())),
        bad("C9", scatter(|n| n.inserted_window_dims = [1].into())),
        bad("C10", scatter(|n| n.inserted_window_dims = [3, 0].into())),
        bad("C11", scatter(|n| n.inserted_window_dims = [4].into())),
        bad("C12", scatter(|n| n.input_batching_dims = [1, 0].into())),
        bad("C13", scatter(|n| n.input_batching_dims = [-1].into())),
        bad("C14", scatter(|n| n.scatter_indices_batching_dims = [0, 0].into())),
        bad("C15", scatter(|n| n.scatter_indices_batching_dims = [3].into())),
        bad("C16", scatter(|n| n.scatter_indices_batching_dims = [2].into())),
        bad("C17", scatter(|n| n.scatter_indices_batching_dims = [].into())),
        bad("C18", scatter(|_| {}).takes("5x8x4x2xf32 7x6x2xi32 7x6x3x2xf32")),
        bad("C19", scatter(|n| n.scatter_dims_to_operand_dims = [0].into())),
        bad("C20", scatter(|n| n.scatter_dims_to_operand_dims = [0, 0].into())),
        bad("C21", scatter(|n| n.scatter_dims_to_operand_dims = [0, 4].into())),
        bad("C22", scatter(|n| n.index_vector_dim = 4)),
        bad("C23", scatter(|_| {}).bodies(&[super::case::body("f32", "f32")])),
        bad("C23", scatter(|_| {}).bodies(&[super::case::body("i32 i32", "i32")])),
        bad("C24", scatter(|_| {}).gives("5x7x4x3xf32")),
        bad("C25", scatter(|_| {}).gives("5x7x4x2xf64")),
    ]
}
