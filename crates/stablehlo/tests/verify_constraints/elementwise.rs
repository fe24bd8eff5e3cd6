//! Cases of ops that work on each element by itself.

use stablehlo::ir::Attr;
use stablehlo::ir::attrs::{ComparisonDirection, ComparisonType};

use super::case::{A, Case, op};
use super::{Cases, bad, good};

const FLOAT: &[&str] = &["ceil", "floor", "round_nearest_afz", "round_nearest_even"];
const FLOAT_OR_COMPLEX: &[&str] = &[
    "cbrt",
    "cosine",
    "exponential",
    "exponential_minus_one",
    "log",
    "log_plus_one",
    "logistic",
    "rsqrt",
    "sine",
    "sqrt",
    "tan",
    "tanh",
    "negate",
    "sign",
];
const BINARY_NUMBERS: &[&str] =
    &["divide", "power", "remainder", "subtract", "multiply", "maximum", "minimum", "atan2"];
const BITS: &[&str] = &["and", "or", "xor"];
const SHIFTS: &[&str] = &["shift_left", "shift_right_arithmetic", "shift_right_logical"];

fn compare() -> Case {
    op("compare", "2x3xf32 2x3xf32", "2x3xi1")
        .with("comparison_direction", A::Raw(Attr::ComparisonDirection(ComparisonDirection::Lt)))
}

fn kind(ty: ComparisonType) -> A {
    A::Raw(Attr::ComparisonType(ty))
}

pub fn cases() -> Cases {
    let mut cases = Vec::new();
    for name in FLOAT.iter().chain(FLOAT_OR_COMPLEX) {
        cases.push(good(op(name, "2x?xf32", "2x3xf32")));
        cases.push(good(op(name, "2xq/i8/f32", "2xq/i8/f32/s0.25")));
        cases.push(bad("C1", op(name, "2x3xf32", "2x4xf32")));
        cases.push(bad("C1", op(name, "2x3xf32", "2x3xf64")));
        cases.push(bad("C1", op(name, "2xq/i8/f32", "2xq/i4/f32")));
    }
    for name in BINARY_NUMBERS {
        cases.push(good(op(name, "2x3xf32 2x3xf32", "2x3xf32")));
        cases.push(good(op(name, "2x?xf32 ?x3xf32", "2x3xf32")));
        cases.push(bad("C1", op(name, "2x3xf32 2x4xf32", "2x3xf32")));
        cases.push(bad("C1", op(name, "2x3xf32 2x3xf64", "2x3xf32")));
        cases.push(bad("C1", op(name, "2x?xf32 ?x3xf32", "2x4xf32")));
    }
    for name in BITS {
        cases.push(good(op(name, "2xi1 2xi1", "2xi1")));
        cases.push(bad("C1", op(name, "2xi1 2xi8", "2xi1")));
    }
    for name in SHIFTS {
        cases.push(good(op(name, "2xui8 2xui8", "2xui8")));
        cases.push(bad("C1", op(name, "2xi8 2xi8", "2xui8")));
        cases.push(bad("I1", op(name, "2xi1 2xi1", "2xi1")));
    }
    for (name, ty) in [("not", "i1"), ("count_leading_zeros", "i32"), ("popcnt", "ui64")] {
        cases.push(good(op(name, ty, ty)));
        cases.push(bad("C1", op(name, ty, "i2")));
    }
    cases.extend([
        good(op("add", "2x3xi1 2x3xi1", "2x3xi1")),
        good(op("add", "2xq/i8/f32 2xq/i8/f32/s2", "2xq/i8/f32/s3")),
        good(op("add", "2xq/i8/f32/a0=2 2xq/i8/f32/a0=2", "2xq/i8/f32/a0=2")),
        bad("C1", op("add", "2x3xf32 2x3xf32", "3x2xf32")),
        bad("C1", op("add", "2xq/i8/f32 3xq/i8/f32", "2xq/i8/f32")),
        bad("C2", op("add", "2xq/i8/f32 2xf32", "2xq/i8/f32")),
        bad("C3", op("add", "2xq/i8/f32 2xq/i16/f32", "2xq/i8/f32")),
        bad("C4", op("add", "2xq/i8/f32 2xq/i8/f16", "2xq/i8/f32")),
        bad("C5", op("add", "2xq/i8/f32 2xq/i8/f32", "2xq/i8/f32/a0=2")),
        bad("C6", op("add", "2x2xq/i8/f32/a0=2 2x2xq/i8/f32", "2x2xq/i8/f32/a1=2")),
        bad("C7", op("add", "2x2xq/i8/f32 2x2xq/i8/f32/a0=2", "2x2xq/i8/f32/a1=2")),
        good(op("abs", "2xcomplex<f64>", "2xf64")),
        good(op("abs", "2xi8", "2xi8")),
        good(op("abs", "2xq/i8/f32", "2xq/i8/f32")),
        bad("C1", op("abs", "2xf32", "3xf32")),
        bad("C2", op("abs", "2xcomplex<f64>", "2xf32")),
        bad("I1", op("abs", "2xui8", "2xui8")),
    ]);
    for name in ["real", "imag"] {
        cases.push(good(op(name, "2xcomplex<f32>", "2xf32")));
        cases.push(bad("C1", op(name, "2xcomplex<f32>", "3xf32")));
        cases.push(bad("C2", op(name, "2xcomplex<f32>", "2xf64")));
    }
    cases.extend([
        good(op("complex", "2xf32 2xf32", "2xcomplex<f32>")),
        bad("C1", op("complex", "2xf32 2xf64", "2xcomplex<f32>")),
        bad("C2", op("complex", "2xf32 2xf32", "3xcomplex<f32>")),
        bad("C3", op("complex", "2xf32 2xf32", "2xcomplex<f64>")),
        bad("I1", op("complex", "2xf16 2xf16", "2xcomplex<f32>")),
        good(op("is_finite", "2xf32", "2xi1")),
        bad("C1", op("is_finite", "2xf32", "3xi1")),
        bad("O1", op("is_finite", "2xf32", "2xi8")),
        good(compare()),
        good(compare().with("compare_type", kind(ComparisonType::TotalOrder))),
        good(compare().takes("2x3xi1 2x3xi1").with("compare_type", kind(ComparisonType::Unsigned))),
        bad("C1", compare().takes("2x3xf32 2x3xf64")),
        bad("C2", compare().takes("2x3xf32 2x4xf32")),
        bad("C2", compare().gives("2x4xi1")),
        bad("C3", compare().with("compare_type", kind(ComparisonType::Signed))),
        bad("C3", compare().takes("2x3xi8 2x3xi8").with("compare_type", kind(ComparisonType::Unsigned))),
        bad(
            "C3",
            compare().takes("2x3xcomplex<f32> 2x3xcomplex<f32>").with("compare_type", kind(ComparisonType::TotalOrder)),
        ),
        good(op("select", "i1 2x3xf32 2x3xf32", "2x3xf32")),
        good(op("select", "2x3xi1 2x3xf32 2x3xf32", "2x3xf32")),
        bad("C1", op("select", "2x1xi1 2x3xf32 2x3xf32", "2x3xf32")),
        bad("C2", op("select", "i1 2x3xf32 2x4xf32", "2x3xf32")),
        bad("C2", op("select", "i1 2x3xf32 2x3xf32", "2x3xf64")),
        good(op("clamp", "f32 2x3xf32 2x3xf32", "2x3xf32")),
        bad("C1", op("clamp", "3xf32 2x3xf32 f32", "2x3xf32")),
        bad("C2", op("clamp", "f32 2x3xf32 3xf32", "2x3xf32")),
        bad("C3", op("clamp", "f64 2x3xf32 f32", "2x3xf32")),
        bad("C4", op("clamp", "f32 2x3xf32 f32", "2x4xf32")),
        good(
            op("reduce_precision", "2xf32", "2xf32").with("exponent_bits", A::I32(5)).with("mantissa_bits", A::I32(0)),
        ),
        bad(
            "C1",
            op("reduce_precision", "2xf32", "2xf16").with("exponent_bits", A::I32(5)).with("mantissa_bits", A::I32(2)),
        ),
        bad(
            "C2",
            op("reduce_precision", "2xf32", "2xf32").with("exponent_bits", A::I32(0)).with("mantissa_bits", A::I32(2)),
        ),
        bad(
            "C3",
            op("reduce_precision", "2xf32", "2xf32").with("exponent_bits", A::I32(1)).with("mantissa_bits", A::I32(-1)),
        ),
        good(op("convert", "2x?xf32", "2x3xi1")),
        bad("C1", op("convert", "2x3xf32", "2x4xi1")),
        bad("I1", op("convert", "2xq/i8/f32", "2xf32")),
        good(op("bitcast_convert", "2x3xf32", "2x3xui32")),
        good(op("bitcast_convert", "2x3xf32", "2x3x4xui8")),
        good(op("bitcast_convert", "2x8xi4", "2xi32")),
        good(op("bitcast_convert", "2xq/i8/f32", "2xi8")),
        bad("C1", op("bitcast_convert", "2x3xf32", "3x2xui32")),
        bad("C1", op("bitcast_convert", "2x3xf32", "2x3x2xui8")),
        bad("C1", op("bitcast_convert", "2x3xi8", "2xi32")),
        bad("C1", op("bitcast_convert", "i8", "i32")),
        bad("C2", op("bitcast_convert", "2xcomplex<f32>", "2xf64")),
        good(op("uniform_quantize", "2xf32", "2xq/i8/f32")),
        good(op("uniform_quantize", "2xq/i8/f32", "2xq/i4/f32")),
        bad("C1", op("uniform_quantize", "2xf32", "3xq/i8/f32")),
        bad("C2", op("uniform_quantize", "2xf32", "2xq/i8/f16")),
        good(op("uniform_dequantize", "2xq/i8/f32", "2xf32")),
        bad("C1", op("uniform_dequantize", "2xq/i8/f32", "3xf32")),
        bad("C2", op("uniform_dequantize", "2xq/i8/f32", "2xf16")),
        bad("Q1", op("uniform_quantize", "2xf32", "2xq/f32/f32")),
        bad("Q3", op("uniform_quantize", "2xf32", "2xq/i8/f32/m3/M3")),
        bad("Q4", op("uniform_quantize", "2xf32", "2xq/i8/i32")),
        bad("Q4", op("uniform_quantize", "2xf16", "2xq/i8/f16/s100000")),
        bad("Q5", op("uniform_quantize", "2xf32", "2xq/i8/f32/s0")),
        bad("Q6", op("uniform_quantize", "2xf32", "2xq/i8/f32/sinf")),
        bad("Q7", op("uniform_quantize", "2xf32", "2xq/i8/f32/z200")),
        bad("Q11", op("uniform_quantize", "2xf32", "2xq/i8/f32/a-1=2")),
        bad("Q12", op("uniform_quantize", "2xf32", "2xq/i8/f32/a1=2")),
        bad("Q13", op("uniform_quantize", "2xf32", "2xq/i8/f32/a0=3")),
    ]);
    cases
}
