//! Every operation on every type, at edges and at random, against the naive interpreter.

use crate::builder::Builder;
use crate::complex::Complex;
use crate::element::{Storage, Type};
use crate::op::{BinaryOp, Direction, UnaryOp};
use crate::program::{Role, Value};
use crate::suite::{Executor, Random, check, check_on, execute, lengths, random, storage};

/// Operations whose results are within an error bound, not exact.
pub(super) fn is_elementary(op: UnaryOp) -> bool {
    use UnaryOp::*;
    matches!(op, Rsqrt | Cbrt | Exp | Exp2 | Expm1 | Log | Log1p | Sin | Cos | Tan | Tanh | Logistic | Erf)
}

/// As [`is_elementary`], of two arguments.
pub(super) fn is_elementary_binary(op: BinaryOp, ty: Type) -> bool {
    ty.is_float() && matches!(op, BinaryOp::Pow | BinaryOp::Atan2)
}

/// All edges of a type, then random lanes.
fn lanes(ty: Type, random: &mut Random) -> Vec<u64> {
    let mut lanes = random::edges(ty);
    lanes.extend((0..1500).map(|_| random.lane(ty)));
    lanes
}

fn bytes(ty: Type, lanes: &[u64]) -> Vec<u8> {
    lanes.iter().flat_map(|lane| lane.to_le_bytes()[..ty.size()].to_vec()).collect()
}

/// Every pair of edges, then random pairs.
fn pairs(ty: Type, random: &mut Random) -> (Vec<u8>, Vec<u8>) {
    let edges = random::edges(ty);
    let mut a: Vec<u64> = edges.iter().flat_map(|edge| vec![*edge; edges.len()]).collect();
    let mut b = edges.repeat(edges.len());
    a.extend((0..1500).map(|_| random.lane(ty)));
    b.extend((0..1500).map(|_| random.lane(ty)));
    (bytes(ty, &a), bytes(ty, &b))
}

/// Runs one operation over operands of the types given, as many lanes as the first has.
fn run_one<E: Executor>(
    types: &[Type],
    inputs: &[Vec<u8>],
    random: &mut Random,
    build: impl FnOnce(&mut Builder, &[Value]) -> Value,
) {
    let mut builder = Builder::new(&[inputs[0].len() / types[0].size()], 0);
    let mut arguments = Vec::new();
    for ty in types {
        let input = builder.input(ty.storage());
        let access = builder.dense(input);
        arguments.push(builder.load(access));
    }
    let value = build(&mut builder, &arguments);
    let output = builder.output(builder.ty(value).storage());
    let access = builder.dense(output);
    builder.store(access, value);
    check_on::<E>(&builder.finish().unwrap(), inputs, random);
}

/// All that are exact, on all types that they accept.
pub fn unary_operations_of_every_type<E: Executor>() {
    let mut random = Random::new(1);
    for op in UnaryOp::ALL {
        for ty in Type::ALL.into_iter().filter(|ty| op.accepts(*ty) && !is_elementary(*op)) {
            let input = bytes(ty, &lanes(ty, &mut random));
            run_one::<E>(&[ty], &[input], &mut random, |builder, x| builder.unary(*op, x[0]));
        }
    }
}

/// All that are exact, on all types that they accept.
pub fn binary_operations_of_every_type<E: Executor>() {
    let mut random = Random::new(2);
    for op in BinaryOp::ALL {
        for ty in Type::ALL.into_iter().filter(|ty| op.accepts(*ty) && !is_elementary_binary(*op, *ty)) {
            let (a, b) = pairs(ty, &mut random);
            run_one::<E>(&[ty, ty], &[a, b], &mut random, |builder, x| builder.binary(*op, x[0], x[1]));
        }
    }
}

/// All directions, on all types.
pub fn comparisons_of_every_type<E: Executor>() {
    let mut random = Random::new(3);
    for direction in Direction::ALL {
        for ty in Type::ALL {
            let (a, b) = pairs(ty, &mut random);
            run_one::<E>(&[ty, ty], &[a, b], &mut random, |builder, x| builder.compare(*direction, x[0], x[1]));
        }
    }
}

/// From all types to all types, and bitcasts where sizes agree.
pub fn conversions_between_all_types<E: Executor>() {
    let mut random = Random::new(4);
    for from in Type::ALL {
        for to in Type::ALL {
            let input = bytes(from, &lanes(from, &mut random));
            run_one::<E>(&[from], std::slice::from_ref(&input), &mut random, |builder, x| builder.convert(to, x[0]));
            if from.size() == to.size() && from != Type::Mask && to != Type::Mask {
                run_one::<E>(&[from], &[input], &mut random, |builder, x| builder.bitcast(to, x[0]));
            }
        }
    }
}

/// Selects of all types, fused products of floats.
pub fn selects_and_fused_products<E: Executor>() {
    let mut random = Random::new(5);
    for ty in Type::ALL {
        let (a, b) = pairs(ty, &mut random);
        let masks: Vec<u8> = (0..a.len() / ty.size()).map(|_| random.below(2) as u8).collect();
        run_one::<E>(&[Type::Mask, ty, ty], &[masks, a.clone(), b.clone()], &mut random, |builder, x| {
            builder.select(x[0], x[1], x[2])
        });
        if ty.is_float() {
            let c = bytes(ty, &(0..a.len() / ty.size()).map(|_| random.lane(ty)).collect::<Vec<_>>());
            run_one::<E>(&[ty; 3], &[a, b, c], &mut random, |builder, x| builder.fma(x[0], x[1], x[2]));
        }
    }
}

/// Wraps to every width, and every size of reduced float.
pub fn narrow_integers_and_reduced_precision<E: Executor>() {
    let mut random = Random::new(6);
    for ty in [Type::I8, Type::U8] {
        for bits in 1..=8 {
            let input: Vec<u8> = (0..=255).collect();
            run_one::<E>(&[ty], &[input], &mut random, |builder, x| builder.wrap(bits, x[0]));
        }
    }
    for (ty, exponents, mantissas) in [(Type::F32, 8, 23), (Type::F64, 11, 52)] {
        for exponent in 1..=exponents {
            for mantissa in (0..=mantissas).step_by(if ty == Type::F32 { 1 } else { 4 }) {
                let mut input = random::edges(ty);
                input.extend((0..100).map(|_| random.lane(ty)));
                run_one::<E>(&[ty], &[bytes(ty, &input)], &mut random, |builder, x| {
                    builder.reduce_precision(exponent, mantissa, x[0])
                });
            }
        }
    }
}

/// Every code of every storage of up to 16 bits goes in and out; edges and halves between codes are rounded.
pub fn every_storage_loads_stores_and_rounds<E: Executor>() {
    let mut random = Random::new(7);
    for storage in Storage::ALL.iter().copied().filter(|storage| !storage.is_complex()) {
        let mut codes: Vec<u64> = if storage.size() <= 2 { (0..1 << (8 * storage.size())).collect() } else { vec![] };
        codes.extend((0..1000).map(|_| random.bits()));
        let ty = storage.compute();
        for (from, to) in [(storage, ty.storage()), (storage, storage)] {
            let mut builder = Builder::new(&[codes.len()], 0);
            let (input, output) = (builder.input(from), builder.output(to));
            let value = builder.load(builder.dense(input));
            builder.store(builder.dense(output), value);
            let program = builder.finish().unwrap();
            let bytes = codes.iter().flat_map(|code| code.to_le_bytes()[..storage.size()].to_vec()).collect();
            check_on::<E>(&program, &[bytes], &mut random);
        }
        // Values between two codes, at their middle and beside it, and all edges.
        let mut values = random::edges(ty);
        values.extend((0..2000).map(|_| random.lane(ty)));
        if storage.is_small_float() {
            let codes = codes.iter().take(1 << (8 * storage.size()));
            let decoded: Vec<f32> = codes.map(|code| storage::decode(storage, *code & 0xffff) as f32).collect();
            for pair in decoded.windows(2) {
                let middle = ((f64::from(pair[0]) + f64::from(pair[1])) / 2.0) as f32;
                let around = [middle.next_down(), middle, middle.next_up(), pair[0].next_up(), pair[0].next_down()];
                values.extend(around.iter().map(|value| u64::from(value.to_bits())));
            }
        }
        let mut builder = Builder::new(&[values.len()], 0);
        let (input, output) = (builder.input(ty.storage()), builder.output(storage));
        let settled = builder.output(ty.storage());
        let value = builder.load(builder.dense(input));
        builder.store(builder.dense(output), value);
        let value = builder.settle(storage, value);
        builder.store(builder.dense(settled), value);
        check_on::<E>(&builder.finish().unwrap(), &[bytes(ty, &values)], &mut random);
    }
}

/// f64 to small floats in two steps rounds as in one.
pub fn narrowing_to_odd_prevents_double_rounding<E: Executor>() {
    let mut random = Random::new(8);
    let input = bytes(Type::F64, &lanes(Type::F64, &mut random));
    run_one::<E>(&[Type::F64], &[input], &mut random, |builder, x| builder.narrow_to_odd(x[0]));
    for to in [Storage::BF16, Storage::F16, Storage::F8E4M3FN, Storage::F8E5M2] {
        let mut values = Vec::new();
        for _ in 0..2000 {
            // Just beside the middle of two neighbours, by less than f32 can tell.
            let code = random.below(if to.size() == 1 { 0x7a } else { 0x7b00 });
            let (low, high) = (storage::decode(to, code), storage::decode(to, code + 1));
            let middle = (low + high) / 2.0;
            values.extend([middle, middle.next_up(), middle.next_down()].map(f64::to_bits));
        }
        let mut builder = Builder::new(&[values.len()], 0);
        let (input, output) = (builder.input(Storage::F64), builder.output(to));
        let value = builder.load(builder.dense(input));
        let odd = builder.narrow_to_odd(value);
        builder.store(builder.dense(output), odd);
        let program = builder.finish().unwrap();
        let before = vec![vec![0; values.len() * to.size()]];
        let found = execute::<E>(&program, &[bytes(Type::F64, &values)], &before);
        let expected: Vec<u8> = values
            .iter()
            .flat_map(|value| storage::encode(to, f64::from_bits(*value)).to_le_bytes()[..to.size()].to_vec())
            .collect();
        assert_eq!(storage::difference(to, &found[0], &expected), None, "{to}");
    }
}

/// The total order, by the standard library's.
pub fn total_order<E: Executor>() {
    let mut random = Random::new(9);
    for direction in Direction::ALL {
        let (a, b) = pairs(Type::F32, &mut random);
        let mut builder = Builder::new(&[a.len() / 4], 0);
        let (left, right) = (builder.input(Storage::F32), builder.input(Storage::F32));
        let output = builder.output(Storage::Bool);
        let (x, y) = (builder.load(builder.dense(left)), builder.load(builder.dense(right)));
        let less = builder.compare_total(*direction, x, y);
        builder.store(builder.dense(output), less);
        let program = builder.finish().unwrap();
        let found = execute::<E>(&program, &[a.clone(), b.clone()], &[vec![0; a.len() / 4]]);
        let numbers =
            |bytes: &[u8]| -> Vec<f32> { bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect() };
        for ((x, y), found) in numbers(&a).iter().zip(numbers(&b)).zip(&found[0]) {
            let order = x.total_cmp(&y);
            let expected = match direction {
                Direction::Eq => order.is_eq(),
                Direction::Ne => order.is_ne(),
                Direction::Lt => order.is_lt(),
                Direction::Le => order.is_le(),
                Direction::Gt => order.is_gt(),
                Direction::Ge => order.is_ge(),
            };
            assert_eq!(*found != 0, expected, "{x:?} {direction} {y:?}");
        }
    }
}

/// Sums and products part by part; quotients and magnitudes within a few units.
pub fn complex_numbers<E: Executor>() {
    let mut random = Random::new(10);
    for storage in [Storage::Complex64, Storage::Complex128] {
        let mut builder = Builder::new(&[257], 0);
        let (left, right, sum) = (builder.input(storage), builder.input(storage), builder.output(storage));
        let product = builder.output(storage);
        let a = builder.load_complex(builder.dense(left));
        let b = builder.load_complex(builder.dense(right));
        let c = builder.complex_binary(BinaryOp::Add, a, b);
        builder.store_complex(builder.dense(sum), c);
        let c = builder.complex_mul(a, b);
        builder.store_complex(builder.dense(product), c);
        check::<E>(&builder.finish().unwrap(), &mut random);
    }
    let mut builder = Builder::new(&[4], 0);
    let (left, right) = (builder.input(Storage::Complex128), builder.input(Storage::Complex128));
    let (quotient, size) = (builder.output(Storage::Complex128), builder.output(Storage::F64));
    let a = builder.load_complex(builder.dense(left));
    let b = builder.load_complex(builder.dense(right));
    let c: Complex = builder.complex_div(a, b);
    builder.store_complex(builder.dense(quotient), c);
    let c = builder.complex_abs(b);
    builder.store(builder.dense(size), c);
    let program = builder.finish().unwrap();
    let bytes = |numbers: &[f64]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let a = bytes(&[1.0, 2.0, 3.0, -1.0, 0.0, 1.0, 1e300, 1e300]);
    let b = bytes(&[3.0, 4.0, 0.0, 2.0, 1.0, 0.0, 1e300, -1e300]);
    let before: Vec<Vec<u8>> = lengths(&program, Role::Output).iter().map(|(_, length)| vec![0; *length]).collect();
    let found = execute::<E>(&program, &[a, b], &before);
    let expected = [bytes(&[0.44, 0.08, -0.5, -1.5, 0.0, 1.0, 0.0, 1.0]), bytes(&[5.0, 2.0, 1.0, 2f64.sqrt() * 1e300])];
    for (found, expected) in found.iter().zip(&expected) {
        for (found, expected) in found.as_chunks().0.iter().zip(expected.as_chunks().0) {
            let (found, expected) = (f64::from_le_bytes(*found), f64::from_le_bytes(*expected));
            assert!((found - expected).abs() <= 4.0 * f64::EPSILON * expected.abs(), "{found} {expected}");
        }
    }
}
