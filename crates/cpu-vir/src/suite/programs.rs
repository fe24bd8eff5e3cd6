//! Random programs: whatever types allow, in any order, stored from anywhere in the body.

use crate::builder::Builder;
use crate::element::{Storage, Type};
use crate::op::{BinaryOp, Direction, UnaryOp};
use crate::program::{Program, Value};
use crate::scalar::Scalar;
use crate::suite::operations::{is_elementary, is_elementary_binary};
use crate::suite::shapes::{any_access, dims, distinct_access};
use crate::suite::{Executor, Random, check};

fn of_type(builder: &Builder, values: &[Value], ty: Type, random: &mut Random) -> Option<Value> {
    let fitting: Vec<Value> = values.iter().copied().filter(|value| builder.ty(*value) == ty).collect();
    (!fitting.is_empty()).then(|| *random.pick(&fitting))
}

fn instruction(builder: &mut Builder, values: &[Value], random: &mut Random) -> Option<Value> {
    let a = *random.pick(values);
    let ty = builder.ty(a);
    match random.below(9) {
        0 | 1 => {
            let op = *random.pick(UnaryOp::ALL);
            (op.accepts(ty) && !is_elementary(op)).then(|| builder.unary(op, a))
        }
        2..=4 => {
            let op = *random.pick(BinaryOp::ALL);
            let b = of_type(builder, values, ty, random)?;
            (op.accepts(ty) && !is_elementary_binary(op, ty)).then(|| builder.binary(op, a, b))
        }
        5 => {
            let b = of_type(builder, values, ty, random)?;
            Some(builder.compare(*random.pick(Direction::ALL), a, b))
        }
        6 => {
            let mask = of_type(builder, values, Type::Mask, random)?;
            let b = of_type(builder, values, ty, random)?;
            Some(builder.select(mask, a, b))
        }
        7 => Some(builder.convert(*random.pick(&Type::ALL), a)),
        _ => {
            let to = *random.pick(&Type::ALL);
            // Which NaN an operation gives is not determined, so the bits of floats are not looked at.
            let fits = to.size() == ty.size() && to != Type::Mask && ty.is_integer();
            fits.then(|| builder.bitcast(to, a))
        }
    }
}

fn program(random: &mut Random) -> Program {
    let dims = dims(random, 4);
    let mut builder = Builder::new(&dims, 0);
    let mut values = Vec::new();
    for _ in 0..1 + random.below(4) {
        let plain: Vec<Storage> = Storage::ALL.iter().copied().filter(|storage| !storage.is_complex()).collect();
        let input = builder.input(*random.pick(&plain));
        let access = any_access(random, input, &dims);
        values.push(builder.load(access));
    }
    for _ in 0..random.below(3) {
        let ty = *random.pick(&Type::ALL);
        let bits = random.lane(ty);
        values.push(builder.constant(Scalar::from_bits(ty, bits)));
    }
    for _ in 0..random.below(40) {
        if let Some(value) = instruction(&mut builder, &values, random) {
            values.push(value);
        }
    }
    for _ in 0..1 + random.below(3) {
        // Mostly what came last.
        let recent = values.len().saturating_sub(5);
        let value = if random.below(3) == 0 { *random.pick(&values) } else { *random.pick(&values[recent..]) };
        let output = builder.output(builder.ty(value).storage());
        let access = distinct_access(random, output, &dims);
        builder.store(access, value);
    }
    builder.finish().unwrap()
}

/// A thousand of them.
pub fn random_programs<E: Executor>() {
    let mut random = Random::new(40);
    for _ in 0..1000 {
        check::<E>(&program(&mut random), &mut random);
    }
}
