//! Reductions: every kind on every type, every direction through memory, and an order that nothing changes.

use crate::builder::Builder;
use crate::element::{Storage, Type};
use crate::op::{BinaryOp, ReduceKind};
use crate::program::{Access, Program};
use crate::scalar::Scalar;
use crate::suite::shapes::{any_access, dims, distinct_access};
use crate::suite::{Executor, Random, check, check_on};

/// Numbers whose sums and products are exact in any order.
fn tame(ty: Type, count: usize, kind: ReduceKind, random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..count {
        let number = match kind {
            ReduceKind::Product => *random.pick(&[1, 1, 1, -1]),
            _ => random.below(16) as i64 - 5,
        };
        let exact = ty.is_float() && matches!(kind, ReduceKind::Sum | ReduceKind::Product);
        let bits = if exact { Scalar::integer(ty, number).bits() } else { random.lane(ty) };
        bytes.extend_from_slice(&bits.to_le_bytes()[..ty.size()]);
    }
    bytes
}

/// Each kind, along and across, short and long.
pub fn every_kind_and_type<E: Executor>() {
    let mut random = Random::new(30);
    for kind in ReduceKind::ALL {
        for ty in Type::ALL.into_iter().filter(|ty| kind.combine().accepts(*ty)) {
            for (rows, columns) in [(3, 7), (2, 40), (5, 600), (70, 3), (2, 1500)] {
                for across in [false, true] {
                    let (kept, reduced) = if across { (columns, rows) } else { (rows, columns) };
                    let mut builder = Builder::new(&[kept, reduced], 1);
                    let (input, output) = (builder.input(ty.storage()), builder.output(ty.storage()));
                    let strides = if across { vec![1, kept as i64] } else { vec![reduced as i64, 1] };
                    let x = builder.load(Access { operand: input, offset: 0, strides });
                    let init = Scalar::from_bits(ty, random.lane(ty));
                    let init = if ty.is_float() { Scalar::integer(ty, 1) } else { init };
                    builder.reduce(*kind, x, init, builder.dense_result(output));
                    let program = builder.finish().unwrap();
                    let input = tame(ty, rows * columns, *kind, &mut random);
                    check_on::<E>(&program, &[input], &mut random);
                }
            }
        }
    }
}

/// Any shape, any access, several results of one body.
pub fn shapes_and_directions<E: Executor>() {
    let mut random = Random::new(31);
    for _ in 0..300 {
        let dims = dims(&mut random, 5);
        let reduced = random.below(dims.len() as u64 + 1) as usize;
        let mut builder = Builder::new(&dims, reduced);
        let (a, b) = (builder.input(Storage::I32), builder.input(Storage::I32));
        let (sum, least) = (builder.output(Storage::I32), builder.output(Storage::I32));
        let access = any_access(&mut random, a, &dims);
        let x = builder.load(access);
        let access = any_access(&mut random, b, &dims);
        let y = builder.load(access);
        let product = builder.binary(BinaryOp::Mul, x, y);
        let index = builder.constant(3i32);
        let value = builder.binary(BinaryOp::Add, product, index);
        let kept = &dims[..dims.len() - reduced];
        let access = distinct_access(&mut random, sum, kept);
        builder.reduce(ReduceKind::Sum, value, Scalar::from(5i32), access);
        let access = distinct_access(&mut random, least, kept);
        builder.reduce(ReduceKind::Min, product, Scalar::from(i32::MAX), access);
        check::<E>(&builder.finish().unwrap(), &mut random);
    }
}

fn sum(dims: &[usize], strides: Vec<i64>) -> Program {
    let mut builder = Builder::new(dims, 1);
    let (input, output) = (builder.input(Storage::F32), builder.output(Storage::F32));
    let x = builder.load(Access { operand: input, offset: 0, strides });
    builder.reduce(ReduceKind::Sum, x, Scalar::from(0f32), builder.dense_result(output));
    builder.finish().unwrap()
}

fn numbers(count: usize, random: &mut Random) -> Vec<f32> {
    (0..count).map(|_| (random.bits() >> 40) as f32 / 16777216.0).collect()
}

fn run<E: Executor>(program: &Program, input: &[f32], ranges: &[usize]) -> Vec<f32> {
    let kernel = E::prepare(program).unwrap();
    let input: Vec<u8> = input.iter().flat_map(|x| x.to_le_bytes()).collect();
    let mut output = vec![0u8; 4 * program.points()];
    for range in ranges.windows(2) {
        E::run(&kernel, &[&input], &mut [&mut output], range[0]..range[1]);
    }
    output.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

/// However the points are cut, sums are the same to the last bit.
pub fn sums_do_not_depend_on_ranges<E: Executor>() {
    let mut random = Random::new(32);
    for (kept, reduced) in [(700, 10), (90, 700), (5, 5000), (3000, 5)] {
        let input = numbers(kept * reduced, &mut random);
        for strides in [vec![reduced as i64, 1], vec![1, kept as i64]] {
            let program = sum(&[kept, reduced], strides);
            let whole = run::<E>(&program, &input, &[0, kept]);
            for _ in 0..5 {
                let mut cuts: Vec<usize> = (0..4).map(|_| random.below(kept as u64 + 1) as usize).collect();
                cuts.extend([0, kept]);
                cuts.sort_unstable();
                assert_eq!(run::<E>(&program, &input, &cuts), whole, "{kept} x {reduced}, {cuts:?}");
            }
        }
    }
}

/// A long sum in f32 errs as a balanced one: a running sum would be off in the fourth digit.
pub fn long_sums_are_accurate<E: Executor>() {
    let mut random = Random::new(33);
    let count = 1 << 20;
    let input = numbers(16 * count / 16, &mut random);
    let exact: f64 = input.iter().map(|x| f64::from(*x)).sum();
    let found = run::<E>(&sum(&[1, count], vec![0, 1]), &input, &[0, 1])[0];
    assert!((f64::from(found) / exact - 1.0).abs() < 4e-7, "{found} {exact}");
    let columns = run::<E>(&sum(&[16, count / 16], vec![1, 16]), &input, &[0, 16]);
    for (column, found) in columns.iter().enumerate() {
        let exact: f64 = input.iter().skip(column).step_by(16).map(|x| f64::from(*x)).sum();
        assert!((f64::from(*found) / exact - 1.0).abs() < 4e-7, "{found} {exact}");
    }
}

/// A reduction over no points gives its start value, and reads nothing.
pub fn of_nothing<E: Executor>() {
    let mut random = Random::new(34);
    for dims in [vec![0], vec![4, 0], vec![600, 0], vec![0, 4], vec![2, 3, 0, 5]] {
        let reduced = if dims.len() == 4 { 2 } else { 1 };
        let mut builder = Builder::new(&dims, reduced);
        let (input, output) = (builder.input(Storage::F32), builder.output(Storage::F32));
        let scalar = builder.input(Storage::F32);
        let x = builder.load(builder.dense(input));
        let y = builder.load(builder.scalar_access(scalar));
        let x = builder.binary(BinaryOp::Mul, x, y);
        builder.reduce(ReduceKind::Sum, x, Scalar::from(2.5f32), builder.dense_result(output));
        check::<E>(&builder.finish().unwrap(), &mut random);
    }
}
