//! Cases of ops that take functions of elements, of products and of numerical libraries.

use stablehlo::ir::Attr;
use stablehlo::ir::TypeId;
use stablehlo::ir::attrs::{
    ConvDimensionNumbers, DotAlgorithm, DotDimensionNumbers, FftType, Precision, RngAlgorithm, RngDistribution,
    Transpose,
};

use super::case::{A, Case, body, op};
use super::{Cases, bad, good};

fn reduce() -> Case {
    op("reduce", "2x3xf32 f32", "2xf32").ints("dimensions", &[1]).body("f32 f32", "f32")
}

fn window() -> Case {
    op("reduce_window", "5x6xf32 f32", "2x8xf32")
        .ints("window_dimensions", &[2, 1])
        .ints("window_strides", &[2, 1])
        .ints("base_dilations", &[1, 1])
        .ints("window_dilations", &[2, 1])
        .with("padding", A::Rows(vec![vec![0, 0], vec![1, 1]]))
        .body("f32 f32", "f32")
}

fn two_windows() -> Case {
    op("reduce_window", "5xf32 5xi8 f32 i8", "4xf32 4xi8")
        .ints("window_dimensions", &[2])
        .body("f32 i8 f32 i8", "f32 i8")
}

fn select_and_scatter() -> Case {
    op("select_and_scatter", "5x6xf32 2x6xf32 f32", "5x6xf32")
        .ints("window_dimensions", &[2, 1])
        .ints("window_strides", &[2, 1])
        .with("padding", A::Rows(vec![vec![0, 0], vec![0, 0]]))
        .body("f32 f32", "i1")
        .body("f32 f32", "f32")
}

fn sort() -> Case {
    op("sort", "2x3xf32 2x3xi8", "2x3xf32 2x3xi8").with("dimension", A::I64(-1)).body("f32 f32 i8 i8", "i1")
}

fn map() -> Case {
    op("map", "2x3xf32 2x3xi8", "2x3xf64").ints("dimensions", &[0, 1]).body("f32 i8", "f64")
}

fn dot(change: impl Fn(&mut DotDimensionNumbers)) -> Case {
    let mut n = DotDimensionNumbers {
        lhs_batching_dimensions: [0].into(),
        rhs_batching_dimensions: [0].into(),
        lhs_contracting_dimensions: [2].into(),
        rhs_contracting_dimensions: [1].into(),
    };
    change(&mut n);
    op("dot_general", "5x2x3xf32 5x3x4xf32", "5x2x4xf32")
        .with("dot_dimension_numbers", A::Raw(Attr::DotDimensionNumbers(Box::new(n))))
}

fn precisions(count: usize, precision: Precision) -> A {
    A::List(vec![A::Raw(Attr::Precision(precision)); count])
}

/// The ids of the first types of a module made by a case: `f32` operands come after the callee's types, so
/// the type of elements is looked up by its position.
fn algorithm(counts: [i64; 3]) -> A {
    // The scalar type of the case's own epsilon-like attribute does not exist here; any type that is no float
    // is reported for I8 to I10, and the counts are reported besides.
    let ty = TypeId::from_index(0);
    A::Raw(Attr::DotAlgorithm(Box::new(DotAlgorithm {
        lhs_precision_type: ty,
        rhs_precision_type: ty,
        accumulation_type: ty,
        lhs_component_count: counts[0],
        rhs_component_count: counts[1],
        num_primitive_operations: counts[2],
        allow_imprecise_accumulation: false,
    })))
}

fn conv(name: &'static str, change: impl Fn(&mut ConvDimensionNumbers)) -> Case {
    let mut n = ConvDimensionNumbers {
        input_batch_dimension: 0,
        input_feature_dimension: 3,
        input_spatial_dimensions: [1, 2].into(),
        kernel_input_feature_dimension: 2,
        kernel_output_feature_dimension: 3,
        kernel_spatial_dimensions: [0, 1].into(),
        output_batch_dimension: 0,
        output_feature_dimension: 3,
        output_spatial_dimensions: [1, 2].into(),
    };
    change(&mut n);
    let case = op(name, "4x8x8x6xf32 3x3x6x10xf32", "4x4x8x10xf32")
        .ints("window_strides", &[2, 1])
        .ints("lhs_dilation", &[1, 1])
        .ints("rhs_dilation", &[1, 1])
        .with("window_reversal", A::Bools(vec![false, true]))
        .with("dimension_numbers", A::Raw(Attr::ConvDimensionNumbers(Box::new(n))))
        .with("feature_group_count", A::I64(1))
        .with("batch_group_count", A::I64(1));
    if name == "convolution" {
        case.with("padding", A::Rows(vec![vec![1, 1], vec![1, 1]]))
    } else {
        let operands = format!("{} 1,1,1,1:2x2xi64", case.operands.join(" "));
        case.takes(&operands)
    }
}

fn norm(name: &'static str) -> Case {
    let (operands, results) = match name {
        "batch_norm_grad" => ("2x3xf32 3xf32 3xf32 3xf32 2x3xf32", "2x3xf32 3xf32 3xf32"),
        "batch_norm_inference" => ("2x3xf32 3xf32 3xf32 3xf32 3xf32", "2x3xf32"),
        _ => ("2x3xf32 3xf32 3xf32", "2x3xf32 3xf32 3xf32"),
    };
    op(name, operands, results).with("epsilon", A::F32(0.5)).with("feature_index", A::I64(1))
}

fn fft(kind: FftType, operands: &str, results: &str, lengths: &[i64]) -> Case {
    op("fft", operands, results).with("fft_type", A::Raw(Attr::FftType(kind))).ints("fft_length", lengths)
}

fn solve() -> Case {
    op("triangular_solve", "2x3x3xf32 2x3x5xf32", "2x3x5xf32")
        .with("left_side", A::Flag(true))
        .with("lower", A::Flag(true))
        .with("unit_diagonal", A::Flag(false))
        .with("transpose_a", A::Raw(Attr::Transpose(Transpose::NoTranspose)))
}

fn rng(distribution: RngDistribution) -> Case {
    op("rng", "f32 f32 2,3:2xi64", "2x3xf32").with("rng_distribution", A::Raw(Attr::RngDistribution(distribution)))
}

fn bits(algorithm: RngAlgorithm) -> Case {
    op("rng_bit_generator", "2xui64", "2xui64 5xui32").with("rng_algorithm", A::Raw(Attr::RngAlgorithm(algorithm)))
}

pub fn cases() -> Cases {
    let mut cases = vec![
        good(reduce()),
        good(reduce().bodies(&[body("f64 f64", "f64")]).gives("2xf64")),
        bad(
            "C1",
            op("reduce", "2x3xf32 2x4xi8 f32 i8", "2xf32 2xi8")
                .ints("dimensions", &[1])
                .body("f32 i8 f32 i8", "f32 i8"),
        ),
        bad("C2", reduce().takes("2x3xf32 f64")),
        bad("C3", reduce().takes("").gives("")),
        bad("C3", reduce().gives("2xf32 2xf32")),
        bad("C4", reduce().ints("dimensions", &[2])),
        bad("C5", reduce().ints("dimensions", &[1, 1])),
        bad("C6", reduce().bodies(&[body("f32 f32 f32", "f32")])),
        bad("C6", reduce().bodies(&[body("f32 f32", "f32 f32")])),
        bad("C6", reduce().bodies(&[body("f16 f16", "f16")])),
        bad("C6", reduce().bodies(&[body("f32 f64", "f32")])),
        bad("C6", reduce().bodies(&[body("2xf32 2xf32", "2xf32")])),
        bad("C6", reduce().bodies(&[body("f32 f32", "f32").unfinished()])),
        bad("C7", reduce().gives("3xf32")),
        bad("C8", reduce().gives("2xf64")),
        good(window()),
        good(two_windows()),
        bad("C1", window().takes("").gives("")),
        bad("C1", window().gives("2x8xf32 2x8xf32")),
        bad("C2", two_windows().takes("5xf32 6xi8 f32 i8")),
        bad("C3", window().takes("5x6xf32 f64")),
        bad("C4", window().ints("window_dimensions", &[2])),
        bad("C5", window().ints("window_dimensions", &[2, 0])),
        bad("C6", window().ints("window_strides", &[2])),
        bad("C7", window().ints("window_strides", &[0, 1])),
        bad("C8", window().ints("base_dilations", &[1])),
        bad("C9", window().ints("base_dilations", &[0, 1])),
        bad("C10", window().ints("window_dilations", &[1])),
        bad("C11", window().ints("window_dilations", &[0, 1])),
        bad("C12", window().with("padding", A::Rows(vec![vec![0, 0]]))),
        bad("C12", window().with("padding", A::Rows(vec![vec![0], vec![0]]))),
        bad("C13", window().bodies(&[body("f32", "f32")])),
        bad("C14", two_windows().gives("4xf32 5xi8")),
        bad("C15", window().gives("2x7xf32")),
        bad("C16", window().gives("2x8xf64")),
        good(select_and_scatter()),
        bad("C1", select_and_scatter().takes("5x6xf32 2x6xf64 f32")),
        bad("C2", select_and_scatter().takes("5x6xf32 3x6xf32 f32")),
        bad("C3", select_and_scatter().takes("5x6xf32 2x6xf32 f64")),
        bad("C4", select_and_scatter().ints("window_dimensions", &[2])),
        bad("C5", select_and_scatter().ints("window_dimensions", &[0, 1])),
        bad("C6", select_and_scatter().ints("window_strides", &[2])),
        bad("C7", select_and_scatter().ints("window_strides", &[0, 1])),
        bad("C8", select_and_scatter().with("padding", A::Rows(vec![vec![0, 0]]))),
        bad("C9", select_and_scatter().bodies(&[body("f32 f32", "f32"), body("f32 f32", "f32")])),
        bad("C9", select_and_scatter().bodies(&[body("f32", "i1"), body("f32 f32", "f32")])),
        bad("C10", select_and_scatter().bodies(&[body("f32 f32", "i1"), body("f32", "f32")])),
        bad("C11", select_and_scatter().gives("5x7xf32")),
        bad("C12", select_and_scatter().gives("5x6xf64")),
        good(sort()),
        bad("C1", op("sort", "", "").with("dimension", A::I64(0)).body("", "i1")),
        bad("C2", sort().gives("2x3xf32 2x3xi16")),
        bad("C2", sort().gives("2x3xf32")),
        bad("C3", sort().takes("2x3xf32 2x4xi8")),
        bad("C4", sort().with("dimension", A::I64(2))),
        bad("C4", sort().with("dimension", A::I64(-3))),
        bad("C5", sort().bodies(&[body("f32 i8 f32 i8", "i1")])),
        bad("C5", sort().bodies(&[body("f32 f32", "i1")])),
        bad("C5", sort().bodies(&[body("f32 f32 i8 i8", "i8")])),
        good(map()),
        bad("C1", map().takes("2x3xf32 2x4xi8")),
        bad("C1", map().gives("2x4xf64")),
        bad("C2", op("map", "", "2xf32").ints("dimensions", &[]).body("", "f32")),
        bad("C3", map().ints("dimensions", &[1, 0])),
        bad("C4", map().bodies(&[body("f32 f32", "f64")])),
        bad("C4", map().bodies(&[body("f32", "f64")])),
        bad("C4", map().gives("2x3xf32")),
    ];
    cases.extend(products());
    for name in ["convolution", "dynamic_conv"] {
        cases.extend(convolutions(name));
    }
    cases.extend(numeric());
    cases
}

fn products() -> Cases {
    let quantized = |operands: &str, result: &str| dot(|_| {}).takes(operands).gives(result);
    vec![
        good(dot(|_| {})),
        good(dot(|_| {}).gives("5x2x4xf64")),
        good(quantized("5x2x3xq/i8/f32 5x3x4xq/i8/f32", "5x2x4xq/i32/f32")),
        good(quantized("5x2x3xf32 5x3x4xq/i8/f32", "5x2x4xf32")),
        good(quantized("5x2x3xq/i8/f32 5x3x4xq/i8/f32/a2=4", "5x2x4xq/i32/f32/a2=4")),
        bad("C1", dot(|n| n.lhs_batching_dimensions = [].into())),
        bad("C2", dot(|n| n.lhs_contracting_dimensions = [].into())),
        bad("C3", dot(|n| n.lhs_contracting_dimensions = [0].into())),
        bad("C4", dot(|n| n.rhs_contracting_dimensions = [0].into())),
        bad("C5", dot(|n| n.lhs_batching_dimensions = [3].into())),
        bad("C6", dot(|n| n.lhs_contracting_dimensions = [-1].into())),
        bad("C7", dot(|n| n.rhs_batching_dimensions = [3].into())),
        bad("C8", dot(|n| n.rhs_contracting_dimensions = [3].into())),
        bad("C9", dot(|_| {}).takes("6x2x3xf32 5x3x4xf32")),
        bad("C10", dot(|_| {}).takes("5x2x2xf32 5x3x4xf32")),
        bad("C11", dot(|_| {}).with("precision_config", precisions(1, Precision::Default))),
        bad("C12", dot(|_| {}).gives("5x4x2xf32")),
        bad("C13", dot(|_| {}).takes("5x2x3xf32 5x3x4xi32")),
        bad("C13", dot(|_| {}).gives("5x2x4xi32")),
        bad("C14", quantized("5x2x3xq/i8/f32 5x3x4xf32", "5x2x4xq/i32/f32")),
        bad("C14", quantized("5x2x3xq/i8/f32 5x3x4xq/i8/f32", "5x2x4xf32")),
        bad("C15", quantized("5x2x3xq/i8/f32 5x3x4xq/i8/f32/z3", "5x2x4xq/i32/f32")),
        bad("C16", quantized("5x2x3xq/i8/f32 5x3x4xq/i8/f32/a1=3", "5x2x4xq/i32/f32")),
        bad("C17", quantized("5x2x3xq/i16/f32 5x3x4xq/i8/f32", "5x2x4xq/i32/f32")),
        bad("C18", quantized("5x2x3xq/i8/f32 5x3x4xq/i8/f32", "5x2x4xq/i32/f16")),
        bad("C19", quantized("5x2x3xq/i8/f32 5x3x4xq/i8/f32", "5x2x4xq/i32/f32/a2=4")),
        bad("C20", quantized("5x2x3xf32 5x3x4xq/i8/f16", "5x2x4xf32")),
        bad(
            "C21",
            dot(|_| {})
                .with("precision_config", precisions(2, Precision::High))
                .with("algorithm", algorithm([1, 1, 1])),
        ),
        bad("C22", dot(|_| {}).with("algorithm", algorithm([0, 1, 1]))),
        bad("C23", dot(|_| {}).with("algorithm", algorithm([1, 0, 1]))),
        bad("C24", dot(|_| {}).with("algorithm", algorithm([1, 1, 0]))),
        bad("I8", dot(|_| {}).with("algorithm", algorithm([1, 1, 1]))),
        bad("I9", dot(|_| {}).with("algorithm", algorithm([1, 1, 1]))),
        bad("I10", dot(|_| {}).with("algorithm", algorithm([1, 1, 1]))),
        good(op("dot", "2x3xf32 3x4xf32", "2x4xf32")),
        bad("shape", op("dot", "2x3xf32 4x4xf32", "2x4xf32")),
        good(op("einsum", "2x3xf32 3x4xf32", "2x4xf32").with("einsum_config", A::Text("ij,jk->ik"))),
        bad("einsum_config", op("einsum", "2x3xf32 4x4xf32", "2x4xf32").with("einsum_config", A::Text("ij,jk->ik"))),
        good(op("unary_einsum", "2x3xf32", "3x2xf32").with("einsum_config", A::Text("ij->ji"))),
        bad("shape", op("unary_einsum", "2x3xf32", "2x3xf32").with("einsum_config", A::Text("ij->ji"))),
    ]
}

fn convolutions(name: &'static str) -> Cases {
    let base = || conv(name, |_| {});
    let takes = |lhs: &str, rhs: &str| {
        let padding = if name == "convolution" { "" } else { " 1,1,1,1:2x2xi64" };
        base().takes(&format!("{lhs} {rhs}{padding}"))
    };
    let (l, r) = ("4x8x8x6xf32", "3x3x6x10xf32");
    let (ql, qr, q) = ("4x8x8x6xq/i8/f32", "3x3x6x10xq/i8/f32", "4x4x8x10xq/i32/f32");
    let no_padding = if name == "convolution" {
        base().with("padding", A::Rows(vec![vec![1, 1]]))
    } else {
        base().takes(&format!("{l} {r} 3x2xi64"))
    };
    vec![
        good(base()),
        good(takes(ql, qr).gives(q)),
        good(takes(l, qr)),
        bad("C1", takes(l, "3x6x10xf32")),
        bad("C2", base().ints("window_strides", &[2])),
        bad("C3", base().ints("window_strides", &[2, 0])),
        bad("C4", no_padding),
        bad("C5", base().ints("lhs_dilation", &[1])),
        bad("C6", base().ints("lhs_dilation", &[1, 0])),
        bad("C7", base().ints("rhs_dilation", &[1])),
        bad("C8", base().ints("rhs_dilation", &[1, 0])),
        bad("C9", base().with("window_reversal", A::Bools(vec![true]))),
        bad("C10", base().with("batch_group_count", A::I64(3))),
        bad("C11", base().with("feature_group_count", A::I64(4))),
        bad("C12", conv(name, |n| n.input_spatial_dimensions = [1].into())),
        bad("C13", conv(name, |n| n.input_spatial_dimensions = [1, 1].into())),
        bad("C13", conv(name, |n| n.input_feature_dimension = 4)),
        bad("C14", takes(l, "3x3x5x10xf32")),
        bad("C15", base().with("batch_group_count", A::I64(4))),
        bad("C16", base().with("feature_group_count", A::I64(3))),
        bad("C17", conv(name, |n| n.kernel_spatial_dimensions = [0].into())),
        bad("C18", conv(name, |n| n.kernel_spatial_dimensions = [0, 3].into())),
        bad("C19", conv(name, |n| n.output_spatial_dimensions = [1].into())),
        bad("C20", conv(name, |n| n.output_batch_dimension = 1)),
        bad("C21", base().with("feature_group_count", A::I64(0))),
        bad("C22", base().with("batch_group_count", A::I64(0))),
        bad("C23", base().with("batch_group_count", A::I64(2)).with("feature_group_count", A::I64(2))),
        bad("C24", base().with("precision_config", precisions(3, Precision::Default))),
        bad("C25", base().gives("4x8x8x10xf32")),
        bad("C26", base().gives("4x8x10xf32")),
        bad("C27", takes(l, "3x3x6x10xi32")),
        bad("C28", takes(ql, r).gives(q)),
        bad("C29", takes(ql, "3x3x6x10xq/i8/f32/a2=6").gives(q)),
        bad("C30", takes(ql, "3x3x6x10xq/i8/f32/a3=10").gives("4x4x8x10xq/i32/f32/a0=4")),
        bad("C31", takes("4x8x8x6xq/i16/f32", qr).gives(q)),
        bad("C32", takes("4x8x8x6xq/i8/f16", qr).gives(q)),
        bad("C33", takes(ql, qr).gives("4x4x8x10xq/i32/f32/a3=10")),
        bad("C34", takes("4x8x8x6xf64", qr).gives("4x4x8x10xf64")),
    ]
}

fn numeric() -> Cases {
    let mut cases = vec![
        good(op("cholesky", "2x3x3xf32", "2x3x3xf32")),
        bad("C1", op("cholesky", "2x3x3xf32", "2x3x4xf32")),
        bad("C2", op("cholesky", "3xf32", "3xf32")),
        bad("C3", op("cholesky", "2x3x4xf32", "2x3x4xf32")),
        good(solve()),
        bad("C1", solve().takes("2x3x3xf32 2x3x5xf64")),
        bad("C2", solve().takes("3x3xf32 2x3x5xf32")),
        bad("C3", solve().with("left_side", A::Flag(false))),
        bad("C3", solve().takes("4x3x3xf32 2x3x5xf32")),
        bad("C4", solve().gives("2x3x4xf32")),
        good(fft(FftType::Fft, "2x8xcomplex<f32>", "2x8xcomplex<f32>", &[8])),
        good(fft(FftType::Rfft, "2x8xf32", "2x5xcomplex<f32>", &[8])),
        good(fft(FftType::Irfft, "2x5xcomplex<f64>", "2x8xf64", &[8])),
        bad("C1", fft(FftType::Fft, "8xcomplex<f32>", "8xcomplex<f32>", &[8, 8])),
        bad("C2", fft(FftType::Fft, "2x8xf32", "2x8xf32", &[8])),
        bad("C2", fft(FftType::Rfft, "2x8xf32", "2x5xcomplex<f64>", &[8])),
        bad("C3", fft(FftType::Fft, "2x8xcomplex<f32>", "2x8xcomplex<f32>", &[])),
        bad("C3", fft(FftType::Fft, "2x2x2x8xcomplex<f32>", "2x2x2x8xcomplex<f32>", &[2, 2, 2, 8])),
        bad("C4", fft(FftType::Rfft, "2x8xf32", "2x5xcomplex<f32>", &[7])),
        bad("C5", fft(FftType::Rfft, "2x8xf32", "2x8xcomplex<f32>", &[8])),
        bad("C5", fft(FftType::Irfft, "2x6xcomplex<f32>", "2x8xf32", &[8])),
        good(rng(RngDistribution::Normal)),
        bad("C1", rng(RngDistribution::Normal).takes("f32 f64 2,3:2xi64")),
        bad("C2", rng(RngDistribution::Normal).takes("i32 i32 2,3:2xi64").gives("2x3xi32")),
        bad("C3", rng(RngDistribution::Uniform).gives("2x4xf32")),
        good(bits(RngAlgorithm::ThreeFry)),
        good(bits(RngAlgorithm::Philox).takes("3xui64").gives("3xui64 5xi8")),
        bad("C1", bits(RngAlgorithm::ThreeFry).gives("3xui64 5xui32")),
        bad("C2", bits(RngAlgorithm::ThreeFry).takes("3xui64").gives("3xui64 5xui32")),
    ];
    for name in ["batch_norm_grad", "batch_norm_inference", "batch_norm_training"] {
        cases.push(good(norm(name)));
        cases.push(bad("C1", norm(name).with("feature_index", A::I64(2))));
        let other: String = norm(name).operands.join(" ").replacen(" 3xf32", " 3xf64", 1);
        cases.push(bad("C2", norm(name).takes(&other)));
    }
    let grad = || norm("batch_norm_grad");
    let inference = || norm("batch_norm_inference");
    let training = || norm("batch_norm_training");
    cases.extend([
        bad("C3", grad().takes("2x3xf32 3xf32 3xf32 3xf32 3x3xf32")),
        bad("C3", grad().gives("3x3xf32 3xf32 3xf32")),
        bad("C4", grad().takes("2x3xf32 3xf32 2xf32 3xf32 2x3xf32")),
        bad("C4", grad().gives("2x3xf32 2xf32 3xf32")),
        bad("C5", grad().takes("2x3xf32 2xf32 2xf32 2xf32 2x3xf32").gives("2x3xf32 2xf32 2xf32")),
        bad("C3", inference().takes("2x3xf32 2xf32 3xf32 3xf32 3xf32")),
        bad("C4", inference().takes("2x3xf32 3xf32 2xf32 3xf32 3xf32")),
        bad("C5", inference().takes("2x3xf32 3xf32 3xf32 2xf32 3xf32")),
        bad("C6", inference().takes("2x3xf32 3xf32 3xf32 3xf32 2xf32")),
        bad("C7", inference().gives("3x3xf32")),
        bad("C3", training().takes("2x3xf32 2xf32 3xf32")),
        bad("C4", training().takes("2x3xf32 3xf32 2xf32")),
        bad("C5", training().gives("2x3xf32 2xf32 3xf32")),
        bad("C6", training().gives("2x3xf32 3xf32 2xf32")),
        bad("C7", training().gives("3x3xf32 3xf32 3xf32")),
    ]);
    cases
}
