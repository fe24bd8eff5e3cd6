//! Element-wise operations as instructions of loop programs: which there are, and what they become.

use crate::array_type::ArrayType;
use crate::graph::MapOp;
use cpu_vir::{BinaryOp, Builder, Complex, Direction, ReduceKind, Scalar, Storage, Type, UnaryOp, Value};
use stablehlo::{ElementKind, ElementType};

/// An element in a loop: one number, or both parts of a complex one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lane {
    One(Value),
    Two(Complex),
}

/// How elements of a type lie in memory.
pub(crate) fn storage(element: ElementType) -> Storage {
    match element {
        ElementType::Bool => Storage::Bool,
        ElementType::I2 => Storage::I2,
        ElementType::I4 => Storage::I4,
        ElementType::I8 => Storage::I8,
        ElementType::I16 => Storage::I16,
        ElementType::I32 => Storage::I32,
        ElementType::I64 => Storage::I64,
        ElementType::U2 => Storage::U2,
        ElementType::U4 => Storage::U4,
        ElementType::U8 => Storage::U8,
        ElementType::U16 => Storage::U16,
        ElementType::U32 => Storage::U32,
        ElementType::U64 => Storage::U64,
        ElementType::F4E2M1FN => Storage::F4E2M1FN,
        ElementType::F6E2M3FN => Storage::F6E2M3FN,
        ElementType::F6E3M2FN => Storage::F6E3M2FN,
        ElementType::F8E3M4 => Storage::F8E3M4,
        ElementType::F8E4M3 => Storage::F8E4M3,
        ElementType::F8E4M3FN => Storage::F8E4M3FN,
        ElementType::F8E4M3FNUZ => Storage::F8E4M3FNUZ,
        ElementType::F8E4M3B11FNUZ => Storage::F8E4M3B11FNUZ,
        ElementType::F8E5M2 => Storage::F8E5M2,
        ElementType::F8E5M2FNUZ => Storage::F8E5M2FNUZ,
        ElementType::F8E8M0FNU => Storage::F8E8M0FNU,
        ElementType::BF16 => Storage::BF16,
        ElementType::F16 => Storage::F16,
        ElementType::F32 => Storage::F32,
        ElementType::F64 => Storage::F64,
        ElementType::C64 => Storage::Complex64,
        ElementType::C128 => Storage::Complex128,
    }
}

/// Whether loops can do an operation on these types. What they cannot do, the evaluator does.
pub(crate) fn can_map(op: MapOp, inputs: &[&ArrayType], result: &ArrayType) -> bool {
    let elements: Option<Vec<ElementType>> = inputs.iter().map(|ty| ty.element).collect();
    let (Some(elements), Some(to)) = (elements, result.element) else { return false };
    let Some(&from) = elements.first() else { return false };
    let ty = storage(from).compute();
    let complex = from.kind() == ElementKind::Complex;
    let narrow = storage(from).narrow_bits().is_some();
    // A scale without sign and zero has an arithmetic of its own.
    let scale = |element: ElementType| element == ElementType::F8E8M0FNU;
    match op {
        MapOp::Unary(UnaryOp::Neg) if complex => true,
        MapOp::Unary(UnaryOp::Abs) if complex => true,
        MapOp::Unary(op) if complex => complex_function(op).is_some(),
        MapOp::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div) if complex => true,
        MapOp::Compare { direction: Direction::Eq | Direction::Ne, .. } if complex => true,
        MapOp::Binary(_) | MapOp::Compare { .. } | MapOp::ReducePrecision { .. } if complex => false,
        MapOp::Unary(_) | MapOp::Binary(_) | MapOp::Bitcast | MapOp::ReducePrecision { .. } if scale(from) => false,
        MapOp::Compare { total: true, .. } if scale(from) => false,
        MapOp::Unary(op) => {
            op.accepts(ty) && (!narrow || matches!(op, UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sign | UnaryOp::Not))
        }
        MapOp::Binary(op) => {
            let exact = matches!(
                op,
                BinaryOp::Add
                    | BinaryOp::Sub
                    | BinaryOp::Mul
                    | BinaryOp::Min
                    | BinaryOp::Max
                    | BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor
            );
            op.accepts(ty) && (!narrow || exact)
        }
        MapOp::Compare { .. } => true,
        MapOp::Select => true,
        MapOp::Convert => !scale(from) && !scale(to) && !narrow_from_float(from, to),
        MapOp::Bitcast => {
            let (a, b) = (storage(from), storage(to));
            let plain = |s: Storage| !s.is_small_float() && !s.is_complex() && s.narrow_bits().is_none();
            plain(a) && plain(b) && a.size() == b.size() && ![a, b].contains(&Storage::Bool)
        }
        MapOp::ReducePrecision { exponent, mantissa } => {
            let (exponents, mantissas) = if ty == Type::F64 { (11, 52) } else { (8, 23) };
            (1..=exponents).contains(&exponent) && (1..=mantissas).contains(&mantissa)
        }
        MapOp::Real | MapOp::Imag => complex,
        MapOp::Complex => matches!(from, ElementType::F32 | ElementType::F64),
    }
}

/// The expansion of a function of complex numbers, if there is one.
fn complex_function(op: UnaryOp) -> Option<fn(&mut Builder, Complex) -> Complex> {
    Some(match op {
        UnaryOp::Exp => Builder::complex_exp,
        UnaryOp::Log => Builder::complex_log,
        UnaryOp::Sqrt => Builder::complex_sqrt,
        UnaryOp::Rsqrt => Builder::complex_rsqrt,
        UnaryOp::Sign => Builder::complex_sign,
        _ => return None,
    })
}

/// Computes in f64 what steps in f32 would make wrong by several units in the last place, and rounds once.
fn in_double(b: &mut Builder, z: &[Complex], function: impl FnOnce(&mut Builder, &[Complex]) -> Complex) -> Complex {
    let ty = b.ty(z[0].re);
    let to = |b: &mut Builder, ty: Type, z: Complex| Complex { re: b.convert(ty, z.re), im: b.convert(ty, z.im) };
    if ty == Type::F64 {
        return function(b, z);
    }
    let wide: Vec<Complex> = z.iter().map(|&z| to(b, Type::F64, z)).collect();
    let result = function(b, &wide);
    to(b, ty, result)
}

/// Conversions that saturate at bounds which no type of a lane has.
fn narrow_from_float(from: ElementType, to: ElementType) -> bool {
    storage(to).narrow_bits().is_some() && matches!(from.kind(), ElementKind::Float | ElementKind::Complex)
}

/// The value that changes no result of a reduction, as the bytes of an element.
pub(crate) fn neutral(kind: ReduceKind, element: ElementType) -> Option<Vec<u8>> {
    let width = element.byte_width();
    let signed = element.kind() == ElementKind::Signed;
    let float = |value: f64| match element {
        ElementType::F64 => Some(value.to_le_bytes().to_vec()),
        ElementType::F32 => Some((value as f32).to_le_bytes().to_vec()),
        ElementType::BF16 => Some(((value as f32).to_bits() >> 16).to_le_bytes()[..2].to_vec()),
        ElementType::F16 => Some(
            match value {
                0.0 if value.is_sign_negative() => 0x8000u16,
                1.0 => 0x3c00,
                v if v == f64::INFINITY => 0x7c00,
                _ => 0xfc00,
            }
            .to_le_bytes()
            .to_vec(),
        ),
        ElementType::C64 => Some([(value as f32).to_le_bytes(), (value as f32).to_le_bytes()].concat()),
        ElementType::C128 => Some([value.to_le_bytes(), value.to_le_bytes()].concat()),
        // The others lack infinities or zeros of both signs.
        _ => None,
    };
    let integer = |value: u64| value.to_le_bytes()[..width].to_vec();
    let bits = 8 * width as u32;
    let least = if signed { 1u64 << (bits - 1) } else { 0 };
    let most = match signed {
        true => (1u64 << (bits - 1)) - 1,
        // Complex numbers are wider, and have no such bound.
        false => u64::MAX >> 64u32.saturating_sub(bits),
    };
    match element.kind() {
        // Narrow integers have bounds that their bytes do not have.
        ElementKind::Signed | ElementKind::Unsigned if storage(element).narrow_bits().is_some() => None,
        ElementKind::Bool => Some(vec![u8::from(matches!(kind, ReduceKind::And | ReduceKind::Min))]),
        ElementKind::Signed | ElementKind::Unsigned => Some(integer(match kind {
            ReduceKind::Sum | ReduceKind::Or | ReduceKind::Xor => 0,
            ReduceKind::Product => 1,
            ReduceKind::Min => most,
            ReduceKind::Max => least,
            ReduceKind::And => u64::MAX,
        })),
        ElementKind::Float | ElementKind::Complex => match kind {
            ReduceKind::Sum => float(-0.0),
            ReduceKind::Product => float(1.0),
            ReduceKind::Min => float(f64::INFINITY),
            ReduceKind::Max => float(f64::NEG_INFINITY),
            _ => None,
        },
    }
}

/// Emits an operation. `from`: the element types of the operands.
pub(crate) fn emit(b: &mut Builder, op: MapOp, inputs: &[Lane], from: &[ElementType], to: ElementType) -> Lane {
    let result = match (op, inputs) {
        (MapOp::Unary(UnaryOp::Abs), [Lane::Two(z)]) => return Lane::One(b.complex_abs(*z)),
        (MapOp::Unary(op), [Lane::Two(z)]) if complex_function(op).is_some() => {
            let Some(function) = complex_function(op) else { return inputs[0] };
            return Lane::Two(in_double(b, &[*z], |b, z| function(b, z[0])));
        }
        (MapOp::Unary(op), [Lane::Two(z)]) => {
            return Lane::Two(Complex { re: b.unary(op, z.re), im: b.unary(op, z.im) });
        }
        (MapOp::Unary(op), [Lane::One(x)]) => b.unary(op, *x),
        (MapOp::Binary(BinaryOp::Div), [Lane::Two(x), Lane::Two(y)]) => {
            return Lane::Two(in_double(b, &[*x, *y], |b, z| b.complex_quotient(z[0], z[1])));
        }
        (MapOp::Binary(BinaryOp::Mul), [Lane::Two(x), Lane::Two(y)]) => return Lane::Two(b.complex_mul(*x, *y)),
        (MapOp::Binary(op), [Lane::Two(x), Lane::Two(y)]) => return Lane::Two(b.complex_binary(op, *x, *y)),
        (MapOp::Binary(op), [Lane::One(x), Lane::One(y)]) => b.binary(op, *x, *y),
        (MapOp::Compare { direction, .. }, [Lane::Two(x), Lane::Two(y)]) => {
            let (re, im) = (b.compare(direction, x.re, y.re), b.compare(direction, x.im, y.im));
            return Lane::One(b.binary(if direction == Direction::Eq { BinaryOp::And } else { BinaryOp::Or }, re, im));
        }
        (MapOp::Compare { direction, total }, [Lane::One(x), Lane::One(y)]) => {
            return Lane::One(match total {
                true => b.compare_total(direction, *x, *y),
                false => b.compare(direction, *x, *y),
            });
        }
        (MapOp::Select, [Lane::One(mask), Lane::Two(x), Lane::Two(y)]) => {
            return Lane::Two(Complex { re: b.select(*mask, x.re, y.re), im: b.select(*mask, x.im, y.im) });
        }
        (MapOp::Select, [Lane::One(mask), Lane::One(x), Lane::One(y)]) => {
            return Lane::One(b.select(*mask, *x, *y));
        }
        (MapOp::Convert, [lane]) => return convert(b, *lane, from[0], to),
        (MapOp::Bitcast, [Lane::One(x)]) => return Lane::One(b.bitcast(storage(to).compute(), *x)),
        (MapOp::ReducePrecision { exponent, mantissa }, [Lane::One(x)]) => b.reduce_precision(exponent, mantissa, *x),
        (MapOp::Real, [Lane::Two(z)]) => return Lane::One(z.re),
        (MapOp::Imag, [Lane::Two(z)]) => return Lane::One(z.im),
        (MapOp::Complex, [Lane::One(re), Lane::One(im)]) => return Lane::Two(Complex { re: *re, im: *im }),
        // `can_map` refuses everything else.
        (_, lanes) => match lanes.first() {
            Some(lane) => return *lane,
            None => b.constant(false),
        },
    };
    match op {
        MapOp::Unary(UnaryOp::IsFinite) => Lane::One(result),
        _ => Lane::One(b.settle(storage(to), result)),
    }
}

fn convert(b: &mut Builder, lane: Lane, from: ElementType, to: ElementType) -> Lane {
    let (source, target) = (storage(from), storage(to));
    match (lane, target.is_complex()) {
        (Lane::Two(z), true) => {
            let ty = target.compute();
            Lane::Two(Complex { re: b.convert(ty, z.re), im: b.convert(ty, z.im) })
        }
        // Only the real part counts, also for what is true.
        (Lane::Two(z), false) => {
            let part = if source == Storage::Complex64 { ElementType::F32 } else { ElementType::F64 };
            convert(b, Lane::One(z.re), part, to)
        }
        (Lane::One(x), true) => {
            let re = b.convert(target.compute(), x);
            let im = b.constant(Scalar::integer(target.compute(), 0));
            Lane::Two(Complex { re, im })
        }
        (Lane::One(x), false) => Lane::One(convert_one(b, x, source, target)),
    }
}

fn convert_one(b: &mut Builder, x: Value, source: Storage, target: Storage) -> Value {
    // The same bits under another sign.
    let whole = source.compute().is_integer() && target.compute().is_integer();
    if whole && source.compute().size() == target.compute().size() && target.narrow_bits().is_none() {
        return b.bitcast(target.compute(), x);
    }
    if !target.is_small_float() {
        let converted = b.convert(target.compute(), x);
        return b.settle(target, converted);
    }
    // Rounded once: what an f32 does not hold goes through an f64 and is rounded to odd on the way.
    let wide = match source.compute() {
        Type::F64 => x,
        Type::I32 | Type::U32 => b.convert(Type::F64, x),
        ty @ (Type::I64 | Type::U64) => {
            let sticky = round_to_odd(b, x, ty);
            b.convert(Type::F64, sticky)
        }
        _ => {
            let single = b.convert(Type::F32, x);
            return b.settle(target, single);
        }
    };
    let single = b.narrow_to_odd(wide);
    b.settle(target, single)
}

/// A 64-bit integer with at most 53 significant bits: the others are dropped, and the last kept one is set if any of
/// them was.
fn round_to_odd(b: &mut Builder, x: Value, ty: Type) -> Value {
    let constant = |b: &mut Builder, value: i64| b.constant(Scalar::integer(ty, value));
    let (low, high, bit) = (constant(b, 0x7ff), constant(b, !0x7ff), constant(b, 0x800));
    let zero = constant(b, 0);
    let lost = b.binary(BinaryOp::And, x, low);
    let any = b.compare(Direction::Ne, lost, zero);
    let kept = b.binary(BinaryOp::And, x, high);
    let odd = b.binary(BinaryOp::Or, kept, bit);
    let rounded = b.select(any, odd, kept);
    let limit = constant(b, 1 << 53);
    let mut small = b.compare(Direction::Lt, x, limit);
    if ty == Type::I64 {
        let negative = constant(b, -(1 << 53));
        let above = b.compare(Direction::Gt, x, negative);
        small = b.binary(BinaryOp::And, small, above);
    }
    b.select(small, x, rounded)
}

/// A constant element.
pub(crate) fn literal(b: &mut Builder, element: ElementType, bytes: &[u8]) -> Lane {
    let storage = storage(element);
    let word = |bytes: &[u8]| {
        let mut wide = [0u8; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(wide)
    };
    if storage.is_complex() {
        let (re, im) = bytes.split_at(bytes.len() / 2);
        let ty = storage.compute();
        let (re, im) = (Scalar::from_bits(ty, word(re)), Scalar::from_bits(ty, word(im)));
        return Lane::Two(Complex { re: b.constant(re), im: b.constant(im) });
    }
    let scalar = match storage {
        Storage::Bool => Scalar::from(bytes.first().is_some_and(|&byte| byte != 0)),
        _ if storage.is_small_float() => Scalar::from(small_float(element, bytes)),
        _ => Scalar::from_bits(storage.compute(), word(bytes)),
    };
    Lane::One(b.constant(scalar))
}

/// The value of an element of a small float type, which an f32 holds exactly.
fn small_float(element: ElementType, bytes: &[u8]) -> f32 {
    use stablehlo::eval::Tensor;
    use stablehlo::eval::ops::convert::convert;
    let tensor = Tensor::from_bytes(element, &[], bytes).and_then(|tensor| convert(&tensor, ElementType::F32));
    tensor.map_or(f32::NAN, |tensor| tensor.as_slice::<f32>()[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_every_width_begin_with_zero() {
        for element in [ElementType::I8, ElementType::U64, ElementType::F64, ElementType::C64, ElementType::C128] {
            let zero = neutral(ReduceKind::Sum, element).expect("a neutral element");
            assert!(zero.iter().all(|&byte| byte & 0x7f == 0), "{element:?}: {zero:?}");
        }
    }
}
