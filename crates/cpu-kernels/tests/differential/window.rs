//! `reduce_window` and `select_and_scatter`.

use cpu_kernels::{ReduceWindow, Select, SelectAndScatter, WindowBody, WindowDimension};
use cpu_vir::{BinaryOp, Builder, Direction, Program, ReduceKind, Storage};
use stablehlo::eval::Tensor;
use stablehlo::eval::ops::{binary, body, compare, reduce_window, window};
use stablehlo::ir::attrs::{ComparisonDirection, ComparisonType};

use crate::random::Random;
use crate::run::{assert_close, assert_same, epsilon, run, shape};

pub const KINDS: [(ReduceKind, binary::BinaryOp); 7] = [
    (ReduceKind::Sum, binary::BinaryOp::Add),
    (ReduceKind::Product, binary::BinaryOp::Multiply),
    (ReduceKind::Min, binary::BinaryOp::Minimum),
    (ReduceKind::Max, binary::BinaryOp::Maximum),
    (ReduceKind::And, binary::BinaryOp::And),
    (ReduceKind::Or, binary::BinaryOp::Or),
    (ReduceKind::Xor, binary::BinaryOp::Xor),
];

pub fn dimension(random: &mut Random, size: usize) -> WindowDimension {
    match random.below(8) {
        0..=2 => WindowDimension::TRIVIAL,
        3 => WindowDimension { size, padding: (size as i64 - 1, 0), ..WindowDimension::TRIVIAL },
        4 => WindowDimension { size, padding: (0, size as i64 - 1), ..WindowDimension::TRIVIAL },
        _ => WindowDimension {
            size: 1 + random.below(4),
            stride: 1 + random.below(3),
            padding: (random.below(5) as i64 - 1, random.below(5) as i64 - 1),
            base_dilation: 1 + random.below(4) / 2,
            window_dilation: 1 + random.below(4) / 2,
        },
    }
}

pub fn reference(w: &WindowDimension) -> window::WindowDimension {
    window::WindowDimension::new(
        w.size as i64,
        w.stride as i64,
        w.padding,
        w.base_dilation as i64,
        w.window_dilation as i64,
    )
    .unwrap()
}

fn case(random: &mut Random, most: usize) -> (Vec<usize>, Vec<WindowDimension>) {
    let dims: Vec<usize> = (0..random.below(4)).map(|_| random.size(most)).collect();
    let windows = dims.iter().map(|&d| dimension(random, d.max(1))).collect();
    (dims, windows)
}

#[test]
fn random_windows_of_recognised_operations() {
    let mut random = Random(20);
    for round in 0..4000 {
        let (dims, windows) = case(&mut random, if round % 40 == 0 { 300 } else { 9 });
        let storage = *random.pick(Storage::ALL);
        let (kind, op) = *random.pick(&KINDS);
        if storage.compute().is_float() && matches!(kind, ReduceKind::And | ReduceKind::Or | ReduceKind::Xor) {
            continue;
        }
        let exact = !storage.compute().is_float() || matches!(kind, ReduceKind::Min | ReduceKind::Max);
        // Sums of few exact numbers that round in between depend on the order.
        if !exact && (storage.is_small_float() && storage.size() == 1) {
            continue;
        }
        let x = random.tensor(storage, &dims, exact && !storage.is_complex());
        let init = random.tensor(storage, &[], false);
        let kernel = ReduceWindow::prepare(&[shape(&x)], &windows, &WindowBody::Reduce(kind)).unwrap();
        let what = (shape(&x), &windows, kind);
        let reference: Vec<_> = windows.iter().map(reference).collect();
        let want = reduce_window::reduce_window(
            std::slice::from_ref(&x),
            std::slice::from_ref(&init),
            &reference,
            &body::BinaryBody(op),
        )
        .unwrap();
        let got = run(&kernel, &[&x, &init], kernel.results());
        if exact {
            assert_same(&got[0], &want[0], &what);
        } else {
            let terms: usize = windows.iter().map(|w| w.size).product();
            if kind == ReduceKind::Sum {
                assert_close(&got[0], &want[0], epsilon(storage) * 4.0 * terms as f64, &what);
            } else if terms < 20 {
                assert_close(&got[0], &want[0], epsilon(storage) * 40.0 * terms as f64, &what);
            }
        }
    }
}

/// (a, b) and (c, d) to (a·c, b·c + d): affine maps composed, which is associative and not commutative.
pub fn composition() -> Program {
    let mut builder = Builder::new(&[1], 0);
    let inputs: Vec<_> = (0..4).map(|_| builder.input(Storage::I32)).collect();
    let outputs = [builder.output(Storage::I32), builder.output(Storage::I32)];
    let v: Vec<_> = inputs.iter().map(|&id| builder.load(builder.dense(id))).collect();
    let factor = builder.binary(BinaryOp::Mul, v[0], v[2]);
    let scaled = builder.binary(BinaryOp::Mul, v[1], v[2]);
    let offset = builder.binary(BinaryOp::Add, scaled, v[3]);
    builder.store(builder.dense(outputs[0]), factor);
    builder.store(builder.dense(outputs[1]), offset);
    builder.finish().unwrap()
}

pub fn compose(a: Vec<Tensor>) -> Result<Vec<Tensor>, stablehlo::eval::OpError> {
    let scaled = binary::binary(binary::BinaryOp::Multiply, &a[1], &a[2])?;
    Ok(vec![
        binary::binary(binary::BinaryOp::Multiply, &a[0], &a[2])?,
        binary::binary(binary::BinaryOp::Add, &scaled, &a[3])?,
    ])
}

#[test]
fn random_windows_of_programs() {
    let program = composition();
    let mut random = Random(21);
    for round in 0..600 {
        let (dims, windows) = case(&mut random, if round % 20 == 0 { 200 } else { 9 });
        let x: Vec<Tensor> = (0..2).map(|_| random.tensor(Storage::I32, &dims, false)).collect();
        let inits: Vec<Tensor> = (0..2).map(|_| random.tensor(Storage::I32, &[], false)).collect();
        let body = WindowBody::Program(program.clone());
        let kernel = ReduceWindow::prepare(&[shape(&x[0]), shape(&x[1])], &windows, &body).unwrap();
        let reference: Vec<_> = windows.iter().map(reference).collect();
        let want = reduce_window::reduce_window(&x, &inits, &reference, &compose).unwrap();
        let got = run(&kernel, &[&x[0], &x[1], &inits[0], &inits[1]], kernel.results());
        for (got, want) in got.iter().zip(&want) {
            assert_same(got, want, &(&dims, &windows));
        }
    }
}

#[test]
fn random_gradients_of_pooling() {
    let mut random = Random(22);
    let at_least = {
        let mut builder = Builder::new(&[1], 0);
        let inputs = [builder.input(Storage::F32), builder.input(Storage::F32)];
        let output = builder.output(Storage::Bool);
        let [a, b] = inputs.map(|id| builder.load(builder.dense(id)));
        let mask = builder.compare(Direction::Ge, a, b);
        builder.store(builder.dense(output), mask);
        builder.finish().unwrap()
    };
    let sum = {
        let mut builder = Builder::new(&[1], 0);
        let inputs = [builder.input(Storage::F32), builder.input(Storage::F32)];
        let output = builder.output(Storage::F32);
        let [a, b] = inputs.map(|id| builder.load(builder.dense(id)));
        let sum = builder.binary(BinaryOp::Add, a, b);
        builder.store(builder.dense(output), sum);
        builder.finish().unwrap()
    };
    for round in 0..1500 {
        let (dims, windows) = case(&mut random, 9);
        let programs = round % 3 == 0;
        let storage = if programs { Storage::F32 } else { *random.pick(Storage::ALL) };
        if storage.is_complex() || storage == Storage::Bool {
            continue;
        }
        let x = random.tensor(storage, &dims, true);
        let result: Vec<usize> = windows.iter().zip(&dims).map(|(w, &d)| w.output_size(d).unwrap()).collect();
        let source = random.tensor(storage, &result, true);
        let init = random.tensor(storage, &[], false);
        let greatest = programs || random.below(2) == 0;
        let (select, scatter) = if programs {
            (Select::Program(at_least.clone()), WindowBody::Program(sum.clone()))
        } else {
            (if greatest { Select::Greatest } else { Select::Least }, WindowBody::Reduce(ReduceKind::Sum))
        };
        let kernel = SelectAndScatter::prepare(&shape(&x), &shape(&source), &windows, &select, &scatter).unwrap();
        let reference: Vec<_> = windows.iter().map(reference).collect();
        let direction = if greatest { ComparisonDirection::Ge } else { ComparisonDirection::Le };
        let kind = match storage.compute() {
            ty if ty.is_float() => ComparisonType::Float,
            ty if ty.is_unsigned() => ComparisonType::Unsigned,
            _ => ComparisonType::Signed,
        };
        let select = |a: Vec<Tensor>| Ok(vec![compare::compare(direction, kind, &a[0], &a[1])?]);
        let scatter = body::BinaryBody(binary::BinaryOp::Add);
        let want = reduce_window::select_and_scatter(&x, &source, &init, &reference, &select, &scatter).unwrap();
        let got = &run(&kernel, &[&x, &source, &init], &[shape(&x)])[0];
        assert_same(got, &want, &(shape(&x), &windows, greatest));
    }
}
