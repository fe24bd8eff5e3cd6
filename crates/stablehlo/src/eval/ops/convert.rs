//! `convert`, `bitcast_convert`, `reduce_precision`: from one representation to another.

use std::ops::Range;

use super::map::map;
use crate::eval::error::OpError;
use crate::eval::number::{
    Bool, Complex, ComplexElement, Element, Float, Integer, with_complex, with_float, with_integer,
};
use crate::eval::tensor::Tensor;
use crate::{ElementKind, ElementType};

/// Every element as the nearest of another type.
///
/// Floats round to nearest even; float to integer truncates, saturates, and takes NaN to 0; anything but zero is
/// true (NaN too); a complex number loses its imaginary part unless the target is complex, so `1i` is false.
pub fn convert(x: &Tensor, to: ElementType) -> Result<Tensor, OpError> {
    let from = x.element_type();
    if from == to {
        return Ok(x.clone());
    }
    // By way of the domain of the source, a chunk at a time: a loop for each pair of types would be 900 loops.
    let mut out = Tensor::zeros(to, x.dims());
    for start in (0..x.len()).step_by(CHUNK) {
        let range = start..(start + CHUNK).min(x.len());
        match from.kind() {
            ElementKind::Bool | ElementKind::Signed | ElementKind::Unsigned => {
                let bits = load_bits(x, range.clone());
                store_bits(&mut out, range, &bits, from.kind() == ElementKind::Signed);
            }
            ElementKind::Float => {
                let values = with_float!(from,
                    T => x.as_slice::<T>()[range.clone()].iter().map(|v| v.to_f64()).collect::<Vec<f64>>(),
                    _ => unreachable!("kind says float"));
                store_f64(&mut out, range, &values);
            }
            ElementKind::Complex => {
                let values = with_complex!(from,
                    T => x.as_slice::<T>()[range.clone()].iter().map(|v| v.to_complex()).collect::<Vec<Complex>>(),
                    _ => unreachable!("kind says complex"));
                store_complex(&mut out, range, &values);
            }
        }
    }
    Ok(out)
}

/// Elements converted at a time; their domain form stays in the first-level cache.
const CHUNK: usize = 1024;

/// Integers and booleans, extended to 64 bits.
fn load_bits(x: &Tensor, range: Range<usize>) -> Vec<u64> {
    with_integer!(x.element_type(),
        T => x.as_slice::<T>()[range].iter().map(|v| v.extend()).collect(),
        _ => x.as_slice::<Bool>()[range].iter().map(|v| v.get() as u64).collect())
}

/// Stores `value(from[i])` as elements of `out`.
fn fill<T: Element, S: Copy>(out: &mut Tensor, range: Range<usize>, from: &[S], value: impl Fn(S) -> T) {
    for (target, &source) in out.as_mut_slice::<T>()[range].iter_mut().zip(from) {
        *target = value(source);
    }
}

fn store_bits(out: &mut Tensor, range: Range<usize>, bits: &[u64], signed: bool) {
    let value = |b: u64| if signed { b as i64 as i128 } else { b as i128 };
    let to = out.element_type();
    match to.kind() {
        ElementKind::Bool => fill(out, range, bits, |b| Bool::new(b != 0)),
        ElementKind::Signed | ElementKind::Unsigned => with_integer!(to,
            T => fill(out, range, bits, T::truncate),
            _ => unreachable!("kind says integer")),
        ElementKind::Float if to == ElementType::F64 => fill(out, range, bits, |b| value(b) as f64),
        ElementKind::Float => with_float!(to,
            T => fill(out, range, bits, |b| T::from_f64(round_to_odd(value(b)))),
            _ => unreachable!("kind says float")),
        ElementKind::Complex if to == ElementType::C128 => fill(out, range, bits, |b| Complex::real(value(b) as f64)),
        ElementKind::Complex => with_complex!(to,
            T => fill(out, range, bits, |b| T::from_complex(Complex::real(round_to_odd(value(b))))),
            _ => unreachable!("kind says complex")),
    }
}

fn store_f64(out: &mut Tensor, range: Range<usize>, values: &[f64]) {
    let to = out.element_type();
    match to.kind() {
        ElementKind::Bool => fill(out, range, values, |v| Bool::new(v != 0.0)),
        ElementKind::Signed | ElementKind::Unsigned => with_integer!(to,
            T => fill(out, range, values, <T as Integer>::from_f64),
            _ => unreachable!("kind says integer")),
        ElementKind::Float => with_float!(to,
            T => fill(out, range, values, <T as Float>::from_f64),
            _ => unreachable!("kind says float")),
        ElementKind::Complex => with_complex!(to,
            T => fill(out, range, values, |v| T::from_complex(Complex::real(v))),
            _ => unreachable!("kind says complex")),
    }
}

fn store_complex(out: &mut Tensor, range: Range<usize>, values: &[Complex]) {
    let to = out.element_type();
    match to.kind() {
        ElementKind::Complex => with_complex!(to,
            T => fill(out, range, values, T::from_complex),
            _ => unreachable!("kind says complex")),
        _ => store_f64(out, range, &values.iter().map(|z| z.re).collect::<Vec<f64>>()),
    }
}

/// A 64-bit integer as a double: exact if it fits 53 bits, else cut to them with the last bit set if anything was
/// lost, so that rounding the double to a narrower float is the only rounding.
fn round_to_odd(value: i128) -> f64 {
    let magnitude = value.unsigned_abs() as u64;
    let excess = (64 - magnitude.leading_zeros()).saturating_sub(53);
    let kept = magnitude >> excess;
    let lost = (kept << excess) != magnitude;
    let rounded = (kept | lost as u64) as f64 * (1u64 << excess) as f64;
    if value < 0 { -rounded } else { rounded }
}

/// The same bits as another type. Where widths differ, the last dimension of the wider side holds the parts, low
/// bits first. Fails when the shapes do not fit that.
pub fn bitcast_convert(x: &Tensor, to: ElementType, dims: &[usize]) -> Result<Tensor, OpError> {
    let (from_bits, to_bits) = (x.element_type().bits(), to.bits());
    let mismatch = || {
        OpError::invalid(format!("cannot view {} as {}", x.describe(), crate::eval::tensor::describe_shape(to, dims)))
    };
    let (wide, narrow) = (from_bits.max(to_bits), from_bits.min(to_bits));
    let expected: Vec<usize> = if from_bits == to_bits {
        x.dims().to_vec()
    } else if from_bits > to_bits {
        [x.dims(), &[wide / narrow]].concat()
    } else {
        match x.dims().split_last() {
            Some((&last, rest)) if last == wide / narrow => rest.to_vec(),
            _ => return Err(mismatch()),
        }
    };
    if expected != dims || !wide.is_multiple_of(narrow) {
        return Err(mismatch());
    }
    // Elements narrower than a byte sit one a byte, so bits are packed and unpacked through a bit string.
    if from_bits >= 8 && to_bits >= 8 {
        return Tensor::from_bytes(to, dims, x.bytes());
    }
    let bits = x
        .bytes()
        .chunks(x.element_type().byte_width())
        .flat_map(|element| (0..from_bits).map(move |i| element[i / 8] >> (i % 8) & 1));
    let bits: Vec<u8> = bits.collect();
    let mut bytes = vec![0u8; bits.len() / to_bits * to.byte_width()];
    for (element, target) in bits.chunks(to_bits).zip(bytes.chunks_mut(to.byte_width())) {
        for (i, bit) in element.iter().enumerate() {
            target[i / 8] |= bit << (i % 8);
        }
    }
    Tensor::from_bytes(to, dims, &bytes)
}

/// Rounds every element to a float of the given widths and back, ties to even; overflow gives infinity.
///
/// As in XLA, the rounding is at a place of the operand's own format, and only a narrower exponent range turns
/// numbers: those beyond it to infinity, those below its smallest normal to zero of their sign. NaN stays, but with
/// no mantissa bit left it is infinity, as the specification's interpreter has it; XLA:CPU keeps it there too.
/// Fails for other than floats, for no exponent bit, and for negative widths.
pub fn reduce_precision(x: &Tensor, exponent_bits: i64, mantissa_bits: i64) -> Result<Tensor, OpError> {
    if exponent_bits < 1 || mantissa_bits < 0 {
        return Err(OpError::invalid(format!(
            "exponent_bits = {exponent_bits} must be positive and mantissa_bits = {mantissa_bits} not negative"
        )));
    }
    let (exponent_bits, mantissa_bits) = (exponent_bits.min(64) as u32, mantissa_bits.min(64) as u32);
    let ty = x.element_type();
    with_float!(ty,
        T => Ok(map(x, |v: T| if T::IS_IEEE {
            round_to_widths(v, exponent_bits, mantissa_bits)
        } else {
            // Formats without infinities have no such layout of their own; f64 holds them exactly.
            T::from_f64(round_to_widths(v.to_f64(), exponent_bits, mantissa_bits))
        })),
        _ => Err(OpError::element_type("reduce_precision", ty)))
}

fn round_to_widths<T: Float>(value: T, exponent_bits: u32, mantissa_bits: u32) -> T {
    let sign = 1u64 << (T::TYPE.bits() - 1);
    if value.to_f64().is_nan() {
        // Without a bit to tell it from infinity, infinity is what is left of NaN.
        let infinity = T::from_f64(f64::INFINITY).raw();
        return if mantissa_bits == 0 && T::IS_IEEE { T::from_raw(value.raw() & sign | infinity) } else { value };
    }
    let mut magnitude = value.raw() & (sign - 1);
    if mantissa_bits < T::MANTISSA_BITS {
        let dropped = T::MANTISSA_BITS - mantissa_bits;
        // Adding just under half of the last kept place, plus its own bit, carries exactly when to round up;
        // a carry out of the significand moves on to the next exponent, up to infinity.
        let last = (magnitude >> dropped) & 1;
        magnitude = (magnitude + (1u64 << (dropped - 1)) - 1 + last) & !((1u64 << dropped) - 1);
    }
    let own_exponent_bits = T::TYPE.bits() as u32 - 1 - T::MANTISSA_BITS;
    if exponent_bits < own_exponent_bits {
        let bias = |bits: u32| (1i64 << (bits - 1)) - 1;
        let exponent = (magnitude >> T::MANTISSA_BITS) as i64 - bias(own_exponent_bits);
        let infinity = ((1u64 << own_exponent_bits) - 1) << T::MANTISSA_BITS;
        if exponent > bias(exponent_bits) {
            magnitude = infinity;
        } else if exponent <= -bias(exponent_bits) {
            magnitude = 0;
        }
    }
    T::from_raw((value.raw() & sign) | magnitude)
}

/// A tensor of one element type whose elements all are that value, converted as [`convert`] does.
pub fn filled(to: ElementType, dims: &[usize], value: f64) -> Tensor {
    let scalar = convert(&Tensor::scalar(value), to).expect("every type converts from f64");
    super::movement::broadcast_scalar(&scalar, dims)
}

/// The elements of a real tensor as `f64`. Fails for complex ones.
pub fn to_f64s(x: &Tensor) -> Result<Vec<f64>, OpError> {
    if x.element_type().kind() == ElementKind::Complex {
        return Err(OpError::element_type("a real number", x.element_type()));
    }
    Ok(convert(x, ElementType::F64)?.as_slice::<f64>().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all<T: Element>(x: &Tensor) -> Vec<T> {
        x.as_slice::<T>().to_vec()
    }

    #[test]
    fn integers_to_floats_round_once() {
        // Just above a tie between singles, by less than a double shows.
        let x = Tensor::from_vec(&[3], vec![(1i64 << 60) + (1 << 36) + 1, -((1i64 << 60) + (1 << 36) + 1), i64::MAX]);
        let want: Vec<f32> = all::<i64>(&x).iter().map(|&v| v as f32).collect();
        assert_eq!(all::<f32>(&convert(&x, ElementType::F32).unwrap()), want);
        let mut state = 1u64;
        let random: Vec<u64> = (0..20_000)
            .map(|i| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state ^ (state >> 29)) >> (i % 60)
            })
            .collect();
        let x = Tensor::from_vec(&[random.len()], random.clone());
        let want: Vec<f32> = random.iter().map(|&v| v as f32).collect();
        assert_eq!(all::<f32>(&convert(&x, ElementType::F32).unwrap()), want);
        let signed: Vec<i64> = random.iter().map(|&v| v as i64).collect();
        let x = Tensor::from_vec(&[signed.len()], signed.clone());
        let want: Vec<f32> = signed.iter().map(|&v| v as f32).collect();
        assert_eq!(all::<f32>(&convert(&x, ElementType::F32).unwrap()), want);
    }

    #[test]
    fn complex_numbers_lose_their_imaginary_part() {
        let numbers = [(-1.0, 2.0), (0.0, 1.0), (f64::NAN, 0.0), (0.0, f64::NAN)];
        let x = Tensor::from_vec(&[4], numbers.map(|(re, im)| Complex { re, im }).to_vec());
        let truths: Vec<bool> = all::<Bool>(&convert(&x, ElementType::Bool).unwrap()).iter().map(|b| b.get()).collect();
        assert_eq!(truths, [true, false, true, false]);
        assert_eq!(all::<i32>(&convert(&x, ElementType::I32).unwrap()), [-1, 0, 0, 0]);
    }

    #[test]
    fn floats_to_integers_saturate_and_booleans_see_nan() {
        let x = Tensor::from_vec(&[4], vec![f32::NAN, 1e10, -1e10, -1.5]);
        assert_eq!(all::<i32>(&convert(&x, ElementType::I32).unwrap()), [0, i32::MAX, i32::MIN, -1]);
        assert_eq!(all::<u8>(&convert(&x, ElementType::U8).unwrap()), [0, 255, 0, 0]);
        assert!(all::<Bool>(&convert(&x, ElementType::Bool).unwrap()).iter().all(|b| b.get()));
    }

    #[test]
    fn bits_survive_a_change_of_width() {
        let x = Tensor::from_vec(&[1], vec![0x0403_0201u32]);
        let bytes = bitcast_convert(&x, ElementType::U8, &[1, 4]).unwrap();
        assert_eq!(all::<u8>(&bytes), [1, 2, 3, 4]);
        assert_eq!(bitcast_convert(&bytes, ElementType::U32, &[1]).unwrap(), x);
        let nibbles = bitcast_convert(&bytes, ElementType::U4, &[1, 4, 2]).unwrap();
        assert_eq!(nibbles.bytes(), [1, 0, 2, 0, 3, 0, 4, 0]);
        assert_eq!(bitcast_convert(&nibbles, ElementType::U8, &[1, 4]).unwrap(), bytes);
        assert!(bitcast_convert(&x, ElementType::U8, &[4]).is_err());
    }

    #[test]
    fn precision_of_bfloat16() {
        let x = Tensor::from_vec(
            &[6],
            vec![1.0 + 2f32.powi(-8), 1.0 + 3.0 * 2f32.powi(-8), f32::MAX, f32::NAN, -0.0, 1e-40],
        );
        let y = all::<f32>(&reduce_precision(&x, 8, 7).unwrap());
        assert_eq!(&y[..3], [1.0, 1.015625, f32::INFINITY]);
        assert!(y[3].is_nan());
        assert_eq!(y[4].to_bits(), 0x8000_0000);
        // The exponent range is the operand's own, so a subnormal stays, to its last place kept.
        assert_eq!(y[5].to_bits(), 0x0001_0000);
        // NaN takes a mantissa bit.
        let bare = all::<f32>(&reduce_precision(&Tensor::from_vec(&[2], vec![f32::NAN, -f32::NAN]), 8, 0).unwrap());
        assert_eq!(bare, [f32::INFINITY, f32::NEG_INFINITY]);
        let half = all::<f32>(&reduce_precision(&x, 5, 10).unwrap());
        assert_eq!(half[5].to_bits(), 0);
    }
}
