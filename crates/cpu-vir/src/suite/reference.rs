//! The naive interpreter: one point after the other.

use crate::element::Type;
use crate::op::{BinaryOp, Direction, UnaryOp};
use crate::program::{Access, Inst, OperandId, Part, Program, Role};
use crate::scalar::Scalar;
use crate::suite::storage;

/// Elements that each operand must have.
pub(super) fn lengths(program: &Program) -> Vec<usize> {
    let mut lengths = vec![0usize; program.operands.len()];
    let mut touch = |operand: OperandId, position: i64| {
        let length = &mut lengths[operand.index()];
        *length = (*length).max(position as usize + 1);
    };
    for_each_point(&program.dims, |at| {
        for inst in &program.body {
            match inst {
                Inst::Load { access, guard, .. } => {
                    let inside = |guard: &crate::program::Guard| {
                        guard.bounds.iter().zip(at).all(|((low, high), at)| (*low..*high).contains(at))
                    };
                    if guard.as_ref().is_none_or(inside) {
                        touch(access.operand, position(access, at));
                    }
                }
                Inst::Gather { access, indices, .. } => {
                    let far = indices.iter().map(|index| ((index.size as i64 - 1) * index.stride).max(0)).sum::<i64>();
                    touch(access.operand, position(access, at) + far);
                }
                _ => {}
            }
        }
    });
    for_each_point(program.outer(), |at| {
        let stores = program.stores.iter().map(|store| &store.access);
        for access in stores.chain(program.reductions.iter().map(|reduction| &reduction.access)) {
            touch(access.operand, position(access, at));
        }
    });
    lengths
}

fn position(access: &Access, at: &[usize]) -> i64 {
    access.offset + access.strides.iter().zip(at).map(|(stride, index)| stride * *index as i64).sum::<i64>()
}

fn for_each_point(dims: &[usize], mut visit: impl FnMut(&[usize])) {
    let points: usize = dims.iter().product();
    for point in 0..points {
        let mut rest = point;
        let mut at = vec![0; dims.len()];
        for (index, size) in at.iter_mut().zip(dims).rev() {
            *index = rest % size;
            rest /= size;
        }
        visit(&at);
    }
}

/// Runs all of a program; the outputs.
pub(super) fn run(program: &Program, inputs: &[Vec<u8>], before: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut outputs = before.to_vec();
    let slot = |id: OperandId| {
        let role = program.operands[id.index()].role;
        (role, program.with_role(role).position(|other| other == id).unwrap())
    };
    let bytes = |access: &Access, part: Part, at: i64| {
        let size = program.operands[access.operand.index()].storage.size();
        let number = if part == Part::Whole { size } else { size / 2 };
        let start = at as usize * size + if part == Part::Im { number } else { 0 };
        start..start + number
    };
    let write = |outputs: &mut Vec<Vec<u8>>, access: &Access, part: Part, at: &[usize], value: Scalar| {
        let storage = program.operands[access.operand.index()].storage;
        let range = bytes(access, part, position(access, at));
        let stored = storage::store(storage, value.bits()).to_le_bytes();
        let length = range.len();
        outputs[slot(access.operand).1][range].copy_from_slice(&stored[..length]);
    };
    let inner = &program.dims[program.outer().len()..];
    for_each_point(program.outer(), |outer| {
        let mut sums: Vec<Scalar> = program.reductions.iter().map(|reduction| reduction.init).collect();
        for_each_point(inner, |reduced| {
            let at: Vec<usize> = outer.iter().chain(reduced).copied().collect();
            let mut values: Vec<Scalar> = Vec::new();
            for (inst, ty) in program.body.iter().zip(&program.types) {
                let read = |access: &Access, part: Part, at: i64| {
                    let (role, index) = slot(access.operand);
                    let memory = if role == Role::Input { &inputs[index] } else { &outputs[index] };
                    let mut bits = [0; 8];
                    let range = bytes(access, part, at);
                    bits[..range.len()].copy_from_slice(&memory[range]);
                    let storage = program.operands[access.operand.index()].storage;
                    Scalar::from_bits(*ty, storage::load(storage, u64::from_le_bytes(bits)))
                };
                let value = match inst {
                    Inst::Index { dim } => Scalar::from(at[*dim] as i64),
                    Inst::Load { access, part, guard } => match guard {
                        Some(guard) if !guard.bounds.iter().zip(&at).all(|((l, h), at)| (*l..*h).contains(at)) => {
                            guard.fill
                        }
                        _ => read(access, *part, position(access, &at)),
                    },
                    Inst::Gather { access, part, indices } => {
                        let shift = indices.iter().map(|index| {
                            let value = values[index.index.index()].bits() as i64;
                            value.clamp(0, index.size as i64 - 1) * index.stride
                        });
                        read(access, *part, position(access, &at) + shift.sum::<i64>())
                    }
                    _ => {
                        let mut arguments = Vec::new();
                        inst.for_each_argument(|argument| arguments.push(values[argument.index()]));
                        evaluate(inst, *ty, &arguments)
                    }
                };
                values.push(value);
            }
            for store in &program.stores {
                write(&mut outputs, &store.access, store.part, &at, values[store.value.index()]);
            }
            for (sum, reduction) in sums.iter_mut().zip(&program.reductions) {
                *sum = binary(reduction.kind.combine(), *sum, values[reduction.value.index()]);
            }
        });
        for (sum, reduction) in sums.iter().zip(&program.reductions) {
            write(&mut outputs, &reduction.access, reduction.part, outer, *sum);
        }
    });
    outputs
}

fn integer(value: Scalar) -> i128 {
    let bits = value.bits();
    match value.ty() {
        Type::I8 => i128::from(bits as i8),
        Type::I16 => i128::from(bits as i16),
        Type::I32 => i128::from(bits as i32),
        Type::I64 => i128::from(bits as i64),
        _ => i128::from(bits),
    }
}

pub(super) fn float(value: Scalar) -> f64 {
    match value.ty() {
        Type::F32 => f64::from(f32::from_bits(value.bits() as u32)),
        _ => f64::from_bits(value.bits()),
    }
}

fn whole(ty: Type, value: i128) -> Scalar {
    Scalar::from_bits(ty, value as u64)
}

/// An f64 as f32 or f64. For one operation on f32 the way over f64 rounds as the operation itself.
fn real(ty: Type, value: f64) -> Scalar {
    Scalar::float(ty, value).unwrap()
}

/// One instruction that touches no memory, and is no elementary function.
pub(super) fn evaluate(inst: &Inst, ty: Type, arguments: &[Scalar]) -> Scalar {
    let a = arguments.first().copied();
    match inst {
        Inst::Const(scalar) => *scalar,
        Inst::Unary { op, .. } => unary(*op, a.unwrap()),
        Inst::Binary { op, .. } => binary(*op, arguments[0], arguments[1]),
        Inst::Compare { direction, .. } => Scalar::from(compare(*direction, arguments[0], arguments[1])),
        Inst::Select { .. } => arguments[if arguments[0].bits() != 0 { 1 } else { 2 }],
        Inst::Fma { .. } if ty == Type::F32 => {
            let [a, b, c] = [0, 1, 2].map(|index| f32::from_bits(arguments[index].bits() as u32));
            Scalar::from(a.mul_add(b, c))
        }
        Inst::Fma { .. } => Scalar::from(float(arguments[0]).mul_add(float(arguments[1]), float(arguments[2]))),
        Inst::Convert { .. } => convert(a.unwrap(), ty),
        Inst::NarrowToOdd { .. } => {
            let exact = float(a.unwrap());
            let near = exact as f32;
            if f64::from(near) == exact || near.is_nan() || near.to_bits() & 1 == 1 && near.is_finite() {
                return Scalar::from(near);
            }
            // The other neighbour of the exact value.
            let up = near.is_finite() && f64::from(near).abs() < exact.abs();
            Scalar::from(f32::from_bits(if up { near.to_bits() + 1 } else { near.to_bits() - 1 }))
        }
        Inst::Bitcast { .. } => Scalar::from_bits(ty, a.unwrap().bits()),
        Inst::Round { to, .. } => {
            let code = storage::encode(*to, float(a.unwrap()));
            Scalar::from(storage::decode(*to, code) as f32)
        }
        Inst::Wrap { bits, .. } => {
            let low = integer(a.unwrap()).rem_euclid(1 << bits);
            let negative = ty == Type::I8 && low >> (bits - 1) == 1;
            whole(ty, if negative { low - (1 << bits) } else { low })
        }
        Inst::ReducePrecision { exponent, mantissa, .. } => reduce_precision(a.unwrap(), *exponent, *mantissa),
        Inst::Index { .. } | Inst::Load { .. } | Inst::Gather { .. } => unreachable!("touches memory"),
    }
}

fn reduce_precision(value: Scalar, exponents: u32, mantissas: u32) -> Scalar {
    let exact = float(value);
    let (own_exponents, own_mantissas) = if value.ty() == Type::F32 { (8i32, 23i32) } else { (11, 52) };
    if !exact.is_finite() || exact == 0.0 {
        return value;
    }
    // Rounding in the binade of the number; its own subnormals have the binade of the least normal one.
    let least = if own_exponents == 8 { -126 } else { -1022 };
    let bits = exact.abs().to_bits();
    let exponent = if bits >> 52 == 0 { -1022 } else { (bits >> 52) as i32 - 1023 }.max(least);
    let rounded = match own_mantissas - mantissas as i32 {
        0 => exact.abs(),
        dropped => {
            // The significand as an integer of the type's own precision.
            let unit = exponent - own_mantissas;
            let significand = (exact.abs() * 2f64.powi(-(unit / 2))) * 2f64.powi(-(unit - unit / 2));
            let exact = significand / 2f64.powi(dropped);
            // Without a mantissa, of two powers of two that with an even exponent field is the even one.
            let field = exponent - least + 1;
            let steps =
                if mantissas == 0 && exact == 1.5 { f64::from(1 + (field & 1)) } else { exact.round_ties_even() };
            let steps = steps * 2f64.powi(dropped);
            (steps * 2f64.powi(unit / 2)) * 2f64.powi(unit - unit / 2)
        }
    };
    let sign = if exact.is_sign_negative() { -1.0 } else { 1.0 };
    let bias = (1i32 << (exponents - 1)) - 1;
    if exponents as i32 == own_exponents {
        return real(value.ty(), sign * rounded);
    }
    let range = if rounded >= 2f64.powi(bias) * 2.0 {
        f64::INFINITY
    } else if rounded < 2f64.powi(1 - bias) {
        0.0
    } else {
        rounded
    };
    real(value.ty(), sign * range)
}

fn convert(value: Scalar, to: Type) -> Scalar {
    let limits = |bits: u32| match to.is_unsigned() {
        true => (0, (1i128 << bits) - 1),
        false => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
    };
    match (value.ty().is_float(), to) {
        (true, Type::Mask) => Scalar::from(float(value) != 0.0),
        (true, Type::F32 | Type::F64) => real(to, float(value)),
        (true, _) => {
            let exact = float(value);
            let (low, high) = limits(8 * to.size() as u32);
            let number = if exact.is_nan() { 0 } else { (exact as i128).clamp(low, high) };
            whole(to, number)
        }
        (false, Type::Mask) => Scalar::from(value.bits() != 0),
        // i128 rounds once to either type.
        (false, Type::F32) => Scalar::from(integer(value) as f32),
        (false, Type::F64) => Scalar::from(integer(value) as f64),
        (false, _) => whole(to, integer(value)),
    }
}

fn compare(direction: Direction, a: Scalar, b: Scalar) -> bool {
    let order = match a.ty().is_float() {
        true => float(a).partial_cmp(&float(b)),
        false => Some(integer(a).cmp(&integer(b))),
    };
    match (direction, order) {
        (Direction::Ne, None) => true,
        (_, None) => false,
        (Direction::Eq, Some(order)) => order.is_eq(),
        (Direction::Ne, Some(order)) => order.is_ne(),
        (Direction::Lt, Some(order)) => order.is_lt(),
        (Direction::Le, Some(order)) => order.is_le(),
        (Direction::Gt, Some(order)) => order.is_gt(),
        (Direction::Ge, Some(order)) => order.is_ge(),
    }
}

fn unary(op: UnaryOp, a: Scalar) -> Scalar {
    let ty = a.ty();
    let bits = 8 * ty.size() as u32;
    if ty.is_float() {
        let x = float(a);
        let sign = Scalar::from_bits(ty, 1 << (bits - 1)).bits();
        return match op {
            UnaryOp::Neg => Scalar::from_bits(ty, a.bits() ^ sign),
            UnaryOp::Abs => Scalar::from_bits(ty, a.bits() & !sign),
            UnaryOp::Sign if x == 0.0 || x.is_nan() => a,
            UnaryOp::Sign => real(ty, x.signum()),
            UnaryOp::Floor => real(ty, x.floor()),
            UnaryOp::Ceil => real(ty, x.ceil()),
            UnaryOp::RoundHalfAway => real(ty, x.round()),
            UnaryOp::RoundHalfEven => real(ty, x.round_ties_even()),
            UnaryOp::Trunc => real(ty, x.trunc()),
            UnaryOp::Sqrt => real(ty, x.sqrt()),
            UnaryOp::IsFinite => Scalar::from(x.is_finite()),
            other => unreachable!("{other} is judged by its accuracy"),
        };
    }
    let x = integer(a);
    let ones = (0..bits).filter(|bit| a.bits() >> bit & 1 == 1);
    match op {
        UnaryOp::Neg => whole(ty, -x),
        UnaryOp::Abs => whole(ty, x.abs()),
        UnaryOp::Sign => whole(ty, x.signum()),
        UnaryOp::Not if ty == Type::Mask => Scalar::from(x == 0),
        UnaryOp::Not => whole(ty, -x - 1),
        UnaryOp::Popcnt => whole(ty, ones.count() as i128),
        UnaryOp::Clz => whole(ty, ones.max().map_or(i128::from(bits), |top| i128::from(bits - 1 - top))),
        other => unreachable!("{other} of an integer"),
    }
}

pub(super) fn binary(op: BinaryOp, a: Scalar, b: Scalar) -> Scalar {
    let ty = a.ty();
    if ty.is_float() {
        let (x, y) = (float(a), float(b));
        let less = x < y || x == y && x.is_sign_negative();
        return match op {
            BinaryOp::Add => real(ty, x + y),
            BinaryOp::Sub => real(ty, x - y),
            BinaryOp::Mul => real(ty, x * y),
            BinaryOp::Div => real(ty, x / y),
            BinaryOp::Rem => real(ty, x % y),
            BinaryOp::Min | BinaryOp::Max if x.is_nan() => a,
            BinaryOp::Min | BinaryOp::Max if y.is_nan() => b,
            BinaryOp::Min => {
                if less {
                    a
                } else {
                    b
                }
            }
            BinaryOp::Max => {
                if less {
                    b
                } else {
                    a
                }
            }
            other => unreachable!("{other} is judged by its accuracy"),
        };
    }
    let (x, y) = (integer(a), integer(b));
    let bits = i128::from(8 * ty.size() as u32);
    let amount = i128::from(b.bits());
    match op {
        BinaryOp::Add => whole(ty, x + y),
        BinaryOp::Sub => whole(ty, x - y),
        BinaryOp::Mul => whole(ty, x.wrapping_mul(y)),
        BinaryOp::Div => whole(ty, if y == 0 { -1 } else { x / y }),
        BinaryOp::Rem => whole(ty, if y == 0 { x } else { x % y }),
        BinaryOp::Min => whole(ty, x.min(y)),
        BinaryOp::Max => whole(ty, x.max(y)),
        BinaryOp::And => whole(ty, x & y),
        BinaryOp::Or => whole(ty, x | y),
        BinaryOp::Xor => whole(ty, x ^ y),
        BinaryOp::Shl => whole(ty, if amount < bits { x << amount } else { 0 }),
        BinaryOp::ShrLogical => whole(ty, if amount < bits { i128::from(a.bits()) >> amount } else { 0 }),
        BinaryOp::ShrArithmetic => {
            let negative = a.bits() >> (bits - 1) & 1 == 1;
            let extended = i128::from(a.bits()) - if negative { 1 << bits } else { 0 };
            whole(ty, extended >> amount.min(bits - 1))
        }
        BinaryOp::Pow if y < 0 => whole(
            ty,
            match x {
                1 => 1,
                -1 => {
                    if y % 2 == 0 {
                        1
                    } else {
                        -1
                    }
                }
                _ => 0,
            },
        ),
        BinaryOp::Pow => {
            // By squaring, modulo 2^64.
            let (mut power, mut base, mut left) = (1u64, x as u64, y);
            while left > 0 {
                if left % 2 == 1 {
                    power = power.wrapping_mul(base);
                }
                base = base.wrapping_mul(base);
                left /= 2;
            }
            Scalar::from_bits(ty, power)
        }
        BinaryOp::Atan2 => unreachable!("atan2 of integers"),
        BinaryOp::Threefry => Scalar::from_bits(ty, threefry(a.bits(), b.bits())),
    }
}

/// Threefry 2x32 as its paper has it: a key is added before every fourth of the rounds.
fn threefry(key: u64, counter: u64) -> u64 {
    const MASK: u64 = 0xffff_ffff;
    let (k0, k1) = (key >> 32, key & MASK);
    let keys = [k0, k1, 0x1BD1_1BDA ^ k0 ^ k1];
    let (mut x, mut y) = (((counter >> 32) + k0) & MASK, ((counter & MASK) + k1) & MASK);
    for round in 0..20 {
        x = (x + y) & MASK;
        let by = [13, 15, 26, 6, 17, 29, 16, 24][round % 8];
        y = ((y << by | y >> (32 - by)) & MASK) ^ x;
        if round % 4 == 3 {
            let injection = round / 4 + 1;
            x = (x + keys[injection % 3]) & MASK;
            y = (y + keys[(injection + 1) % 3] + injection as u64) & MASK;
        }
    }
    x << 32 | y
}
