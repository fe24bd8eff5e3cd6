//! Elementary functions: errors in units in the last place, and exact values at edges.

use crate::builder::Builder;
use crate::element::{Storage, Type};
use crate::op::{BinaryOp, UnaryOp};
use crate::program::Value;
use crate::suite::operations::is_elementary;
use crate::suite::{Executor, Random, execute};

/// Arguments and exact results in f64: function, arguments as bits, the nearest f64, and what is left.
const PRECISE: &str = include_str!("precise.txt");

/// The highest error allowed, in units in the last place.
const LIMIT: f64 = 2.0;

fn apply<E: Executor>(ty: Type, arguments: &[Vec<f64>], build: impl Fn(&mut Builder, &[Value]) -> Value) -> Vec<f64> {
    let storage = ty.storage();
    let mut builder = Builder::new(&[arguments[0].len()], 0);
    let mut inputs = Vec::new();
    let mut values = Vec::new();
    for argument in arguments {
        let input = builder.input(storage);
        values.push(builder.load(builder.dense(input)));
        inputs.push(argument.iter().flat_map(|x| match ty {
            Type::F32 => (*x as f32).to_le_bytes().to_vec(),
            _ => x.to_le_bytes().to_vec(),
        }));
    }
    let inputs: Vec<Vec<u8>> = inputs.into_iter().map(Iterator::collect).collect();
    let value = build(&mut builder, &values);
    let output = builder.output(storage);
    builder.store(builder.dense(output), value);
    let program = builder.finish().unwrap();
    let found = execute::<E>(&program, &inputs, &[vec![0; inputs[0].len()]]);
    match storage {
        Storage::F32 => found[0].as_chunks().0.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes))).collect(),
        _ => found[0].as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect(),
    }
}

/// The distance of neighbours near a value of f32 or f64.
fn unit(ty: Type, value: f64) -> f64 {
    let exponent = (value.abs().to_bits() >> 52) as i32 - 1023;
    match ty {
        Type::F32 => f64::from(exponent.clamp(-126, 127) - 23).exp2(),
        _ => f64::from(exponent.clamp(-1022, 1023) - 52).exp2(),
    }
}

/// The error of a result: `None` when it is right at the edge of the range or NaN.
fn error(ty: Type, found: f64, high: f64, low: f64) -> Option<f64> {
    if found.is_nan() && high.is_nan() {
        return None;
    }
    let nearest = if ty == Type::F32 { f64::from(high as f32) } else { high };
    if found == nearest && (found.is_infinite() || found == 0.0) {
        return None;
    }
    // A neighbour of infinity is the greatest number.
    let most = if ty == Type::F32 { f64::from(f32::MAX) } else { f64::MAX };
    if nearest.is_infinite() && found.abs() == most {
        return Some(1.0);
    }
    Some(((found - high) - low) / unit(ty, high))
}

/// Greatest and mean error.
#[derive(Default)]
struct Errors {
    most: f64,
    worst: f64,
    sum: f64,
    count: f64,
}

impl Errors {
    fn add(&mut self, argument: f64, error: Option<f64>) {
        let Some(error) = error else { return };
        // NaN counts as the worst of all.
        if error.is_nan() || error.abs() > self.most {
            self.most = error.abs();
            self.worst = argument;
        }
        self.sum += error;
        self.count += 1.0;
    }

    fn judge(&self, what: &str) {
        let mean = self.sum / self.count.max(1.0);
        println!("{what:<14} max {:.3} at {:e}, mean {mean:+.4} ulp, {} samples", self.most, self.worst, self.count);
        assert!(self.most <= LIMIT, "{what}: {} units in the last place at {:e}", self.most, self.worst);
        // Three times what rounding alone makes of so few samples.
        let chance = 1.5 / self.count.max(1.0).sqrt();
        assert!(mean.abs() < 0.01 + chance, "{what}: biased by {mean} units in the last place");
    }
}

/// The error function by its series, good to f32.
fn erf(x: f64) -> f64 {
    if x.abs() > 5.0 {
        return x.signum();
    }
    let (mut term, mut sum, mut n) = (x, x, 0.0);
    while term.abs() > sum.abs() * 1e-18 {
        n += 1.0;
        term *= 2.0 * x * x / (2.0 * n + 1.0);
        sum += term;
    }
    sum * (-x * x).exp() * std::f64::consts::FRAC_2_SQRT_PI
}

fn in_f64(op: UnaryOp, x: f64) -> f64 {
    match op {
        UnaryOp::Rsqrt => 1.0 / x.sqrt(),
        UnaryOp::Cbrt => x.cbrt(),
        UnaryOp::Exp => x.exp(),
        UnaryOp::Exp2 => x.exp2(),
        UnaryOp::Expm1 => x.exp_m1(),
        UnaryOp::Log => x.ln(),
        UnaryOp::Log1p => x.ln_1p(),
        UnaryOp::Sin => x.sin(),
        UnaryOp::Cos => x.cos(),
        UnaryOp::Tan => x.tan(),
        UnaryOp::Tanh => x.tanh(),
        UnaryOp::Logistic => 1.0 / (1.0 + (-x).exp()),
        UnaryOp::Erf => erf(x),
        other => unreachable!("{other} is exact"),
    }
}

fn functions() -> impl Iterator<Item = UnaryOp> {
    UnaryOp::ALL.iter().copied().filter(|op| is_elementary(*op))
}

/// Over all f32, a sample; and denser where the functions are busy.
pub fn elementary_functions_f32<E: Executor>() {
    let mut random = Random::new(50);
    let mut arguments: Vec<f64> =
        (0..u32::MAX).step_by(39_989).map(|bits| f64::from(f32::from_bits(bits))).filter(|x| !x.is_nan()).collect();
    for limit in [0.01f32, 1.0, 10.0, 100.0, 1e5] {
        let number = |random: &mut Random| (random.bits() >> 40) as f32 / 8388608.0 - 1.0;
        arguments.extend((0..40_000).map(|_| f64::from(number(&mut random) * limit)));
    }
    for op in functions() {
        let found = apply::<E>(Type::F32, &[arguments.clone()], |builder, x| builder.unary(op, x[0]));
        let mut errors = Errors::default();
        for (x, found) in arguments.iter().zip(found) {
            errors.add(*x, error(Type::F32, found, in_f64(op, *x), 0.0));
        }
        errors.judge(&format!("{op} f32"));
    }
}

/// At points where the value is known to twice the precision.
pub fn elementary_functions_f64<E: Executor>() {
    let mut names: Vec<&str> = PRECISE.lines().filter_map(|line| line.split(' ').next()).collect();
    names.dedup();
    for name in names {
        let mut arguments = vec![Vec::new(), Vec::new()];
        let mut exact = Vec::new();
        for line in PRECISE.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            if words[0] == name {
                let number = |word: &str| f64::from_bits(u64::from_str_radix(word, 16).unwrap());
                arguments[0].push(number(words[1]));
                arguments[1].push(number(words[2]));
                exact.push((number(words[3]), words[4].parse::<f64>().unwrap()));
            }
        }
        let found = match BinaryOp::ALL.iter().find(|op| op.name() == name) {
            Some(op) => apply::<E>(Type::F64, &arguments, |builder, x| builder.binary(*op, x[0], x[1])),
            None => {
                let op = *UnaryOp::ALL.iter().find(|op| op.name() == name).unwrap();
                apply::<E>(Type::F64, &arguments[..1], |builder, x| builder.unary(op, x[0]))
            }
        };
        let mut errors = Errors::default();
        for ((x, found), (high, low)) in arguments[0].iter().zip(found).zip(exact) {
            errors.add(*x, error(Type::F64, found, high, low));
        }
        errors.judge(&format!("{name} f64"));
    }
}

/// Power and angle in f32, over all magnitudes, and every pair of edges in both types by the standard library's.
pub fn powers_and_angles<E: Executor>() {
    let mut random = Random::new(51);
    let mut any = |count: usize| -> Vec<f64> {
        (0..count).map(|_| f64::from(f32::from_bits(random.lane(Type::F32) as u32))).collect()
    };
    let (a, b) = (any(200_000), any(200_000));
    for (op, exact) in [(BinaryOp::Pow, f64::powf as fn(f64, f64) -> f64), (BinaryOp::Atan2, f64::atan2)] {
        let found = apply::<E>(Type::F32, &[a.clone(), b.clone()], |builder, x| builder.binary(op, x[0], x[1]));
        let mut errors = Errors::default();
        for ((a, b), found) in a.iter().zip(&b).zip(found) {
            errors.add(*a, error(Type::F32, found, exact(*a, *b), 0.0));
        }
        errors.judge(&format!("{op} f32"));
        for ty in [Type::F32, Type::F64] {
            let bits = super::random::edges(ty);
            let edges: Vec<f64> = bits
                .iter()
                .map(|bits| match ty {
                    Type::F32 => f64::from(f32::from_bits(*bits as u32)),
                    _ => f64::from_bits(*bits),
                })
                .collect();
            let left: Vec<f64> = edges.iter().flat_map(|edge| vec![*edge; edges.len()]).collect();
            let right = edges.repeat(edges.len());
            let found = apply::<E>(ty, &[left.clone(), right.clone()], |builder, x| builder.binary(op, x[0], x[1]));
            for ((a, b), found) in left.iter().zip(&right).zip(found) {
                let expected = exact(*a, *b);
                let error = error(ty, found, expected, 0.0);
                let close = error.is_none_or(|error| error.abs() <= LIMIT + 0.5);
                let signs = found.is_nan() || found.is_sign_negative() == expected.is_sign_negative();
                assert!(close && signs, "{op} {ty} of {a:e}, {b:e}: {found:e}, expected {expected:e}");
            }
        }
    }
}

/// Where a function has an exact value, it gives that.
pub fn elementary_functions_at_their_edges<E: Executor>() {
    const INFINITY: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;
    let zero_kept: &[(f64, f64)] = &[(0.0, 0.0), (-0.0, -0.0)];
    let table: &[(UnaryOp, &[(f64, f64)])] = &[
        (
            UnaryOp::Exp,
            &[(0.0, 1.0), (-0.0, 1.0), (INFINITY, INFINITY), (-INFINITY, 0.0), (1e4, INFINITY), (-1e4, 0.0)],
        ),
        (
            UnaryOp::Exp2,
            &[(0.0, 1.0), (3.0, 8.0), (-3.0, 0.125), (INFINITY, INFINITY), (-INFINITY, 0.0), (1e30, INFINITY)],
        ),
        (UnaryOp::Expm1, &[(INFINITY, INFINITY), (-INFINITY, -1.0), (-1e4, -1.0), (1e30, INFINITY)]),
        (
            UnaryOp::Log,
            &[(0.0, -INFINITY), (-0.0, -INFINITY), (1.0, 0.0), (-1.0, NAN), (INFINITY, INFINITY), (-INFINITY, NAN)],
        ),
        (UnaryOp::Log1p, &[(-1.0, -INFINITY), (-2.0, NAN), (INFINITY, INFINITY), (-INFINITY, NAN)]),
        (UnaryOp::Sin, &[(INFINITY, NAN), (-INFINITY, NAN)]),
        (UnaryOp::Cos, &[(0.0, 1.0), (-0.0, 1.0), (INFINITY, NAN)]),
        (UnaryOp::Tan, &[(INFINITY, NAN)]),
        (UnaryOp::Tanh, &[(INFINITY, 1.0), (-INFINITY, -1.0), (50.0, 1.0)]),
        (UnaryOp::Logistic, &[(0.0, 0.5), (INFINITY, 1.0), (-INFINITY, 0.0)]),
        (UnaryOp::Erf, &[(INFINITY, 1.0), (-INFINITY, -1.0), (7.0, 1.0)]),
        (UnaryOp::Rsqrt, &[(0.0, INFINITY), (-0.0, -INFINITY), (1.0, 1.0), (4.0, 0.5), (-1.0, NAN), (INFINITY, 0.0)]),
        (UnaryOp::Cbrt, &[(1.0, 1.0), (-8.0, -2.0), (27.0, 3.0), (INFINITY, INFINITY), (-INFINITY, -INFINITY)]),
    ];
    let keeps =
        [UnaryOp::Expm1, UnaryOp::Log1p, UnaryOp::Sin, UnaryOp::Tan, UnaryOp::Tanh, UnaryOp::Erf, UnaryOp::Cbrt];
    let zeros = keeps.iter().map(|op| (*op, zero_kept));
    for (op, pairs) in table.iter().copied().chain(zeros) {
        for ty in [Type::F32, Type::F64] {
            let mut arguments: Vec<f64> = pairs.iter().map(|(x, _)| *x).collect();
            arguments.push(NAN);
            // Subnormal numbers are their own sines and so on.
            let tiny = if ty == Type::F32 { 1e-45f32.into() } else { 5e-324 };
            arguments.push(tiny);
            let found = apply::<E>(ty, &[arguments], |builder, x| builder.unary(op, x[0]));
            for ((x, expected), found) in pairs.iter().zip(&found) {
                let same = found == expected && found.is_sign_negative() == expected.is_sign_negative();
                assert!(
                    same || found.is_nan() && expected.is_nan(),
                    "{op} {ty} of {x:e}: {found:e}, expected {expected:e}"
                );
            }
            assert!(found[pairs.len()].is_nan(), "{op} {ty} of NaN: {}", found[pairs.len()]);
            if keeps.contains(&op) && op != UnaryOp::Cbrt {
                assert_eq!(found[pairs.len() + 1], tiny, "{op} {ty} of the least number");
            }
        }
    }
}
