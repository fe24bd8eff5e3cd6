//! Elements in memory, naively: formats as numbers of bits, conversions by powers of two in f64.

use crate::element::{Storage, Type};

/// What a code without a finite value means.
#[derive(Clone, Copy, PartialEq)]
enum Specials {
    /// Infinities and NaN at the highest exponent.
    Ieee,
    /// NaN where all bits but the sign are ones.
    Fn,
    /// None; NaN turns into a zero of the other sign.
    None,
    /// NaN at the code of −0.
    Fnuz,
}

/// Bits of exponent and mantissa, bias, specials.
fn format(storage: Storage) -> (u32, u32, i32, Specials) {
    match storage {
        Storage::F4E2M1FN => (2, 1, 1, Specials::None),
        Storage::F6E2M3FN => (2, 3, 1, Specials::None),
        Storage::F6E3M2FN => (3, 2, 3, Specials::None),
        Storage::F8E3M4 => (3, 4, 3, Specials::Ieee),
        Storage::F8E4M3 => (4, 3, 7, Specials::Ieee),
        Storage::F8E4M3FN => (4, 3, 7, Specials::Fn),
        Storage::F8E4M3FNUZ => (4, 3, 8, Specials::Fnuz),
        Storage::F8E4M3B11FNUZ => (4, 3, 11, Specials::Fnuz),
        Storage::F8E5M2 => (5, 2, 15, Specials::Ieee),
        Storage::F8E5M2FNUZ => (5, 2, 16, Specials::Fnuz),
        Storage::BF16 => (8, 7, 127, Specials::Ieee),
        Storage::F16 => (5, 10, 15, Specials::Ieee),
        other => panic!("{other} is no small float"),
    }
}

/// The value of a code of a small float.
pub(super) fn decode(storage: Storage, code: u64) -> f64 {
    if storage == Storage::F8E8M0FNU {
        return if code == 0xff { f64::NAN } else { 2f64.powi(code as i32 - 127) };
    }
    let (exponents, mantissas, bias, specials) = format(storage);
    let sign = if code >> (exponents + mantissas) & 1 == 1 { -1.0 } else { 1.0 };
    let exponent = code >> mantissas & ((1 << exponents) - 1);
    let mantissa = code & ((1 << mantissas) - 1);
    let highest = exponent == (1 << exponents) - 1;
    match specials {
        Specials::Ieee if highest && mantissa == 0 => return sign * f64::INFINITY,
        Specials::Ieee if highest => return f64::NAN,
        Specials::Fn if highest && mantissa == (1 << mantissas) - 1 => return f64::NAN,
        Specials::Fnuz if sign < 0.0 && exponent == 0 && mantissa == 0 => return f64::NAN,
        _ => {}
    }
    let fraction = mantissa as f64 / (1u64 << mantissas) as f64;
    match exponent {
        0 => sign * fraction * 2f64.powi(1 - bias),
        _ => sign * (1.0 + fraction) * 2f64.powi(exponent as i32 - bias),
    }
}

/// The code of the nearest value, halves to even.
pub(super) fn encode(storage: Storage, value: f64) -> u64 {
    if storage == Storage::F8E8M0FNU {
        // A code is a power of two; the middle between two goes up.
        let low = (0..255).rev().find(|code| decode(storage, *code) <= value).unwrap_or(0);
        let up = value >= 1.5 * decode(storage, low);
        return if !(value > 0.0 && value < 1.5 * 2f64.powi(127)) { 0xff } else { low + u64::from(up) };
    }
    let (exponents, mantissas, bias, specials) = format(storage);
    let sign = u64::from(value.is_sign_negative()) << (exponents + mantissas);
    let most = (1u64 << (exponents + mantissas)) - 1;
    let (greatest, beyond, nan) = match specials {
        Specials::Ieee => {
            let infinity = most - ((1 << mantissas) - 1);
            (infinity - 1, infinity | sign, infinity | 1 << (mantissas - 1) | sign)
        }
        Specials::Fn => (most - 1, most | sign, most | sign),
        Specials::None => (most, most | sign, sign ^ (most + 1)),
        Specials::Fnuz => (most, most + 1, most + 1),
    };
    if value.is_nan() {
        return nan;
    }
    let size = value.abs();
    let exponent = if size < 2f64.powi(1 - bias) { 1 - bias } else { exponent_of(size) };
    let unit = 2f64.powi(exponent - mantissas as i32);
    let steps = (size / unit).round_ties_even();
    if steps * unit > decode(storage, greatest) {
        return beyond;
    }
    // Steps of one unit from the code of the exponent's first number; a full mantissa carries by itself.
    let first = ((exponent + bias - 1) as u64) << mantissas;
    let code = first + steps as u64;
    if specials == Specials::Fnuz && code == 0 { 0 } else { code | sign }
}

fn exponent_of(size: f64) -> i32 {
    match size.to_bits() >> 52 {
        0 => -1022,
        biased => biased as i32 - 1023,
    }
}

/// The lane bits of an element's bits.
pub(super) fn load(storage: Storage, bits: u64) -> u64 {
    match storage {
        Storage::Bool => u64::from(bits & 0xff != 0),
        Storage::U2 => bits & 3,
        Storage::U4 => bits & 15,
        Storage::I2 => u64::from(if bits & 2 != 0 { bits as u8 | 0xfc } else { bits as u8 & 3 }),
        Storage::I4 => u64::from(if bits & 8 != 0 { bits as u8 | 0xf0 } else { bits as u8 & 15 }),
        _ if storage.is_small_float() => {
            let mask = (1u64 << (8 * storage.size())) - 1;
            u64::from((decode(storage, bits & mask) as f32).to_bits())
        }
        _ => bits,
    }
}

/// The element bits of a lane's bits.
pub(super) fn store(storage: Storage, bits: u64) -> u64 {
    match storage {
        // Narrow integers lie extended in their byte.
        Storage::I2 | Storage::U2 | Storage::I4 | Storage::U4 => load(storage, bits),
        _ if storage.is_small_float() => encode(storage, f64::from(f32::from_bits(bits as u32))),
        _ => bits,
    }
}

/// The first element in which two arrays differ; all NaN are the same.
pub(crate) fn difference(storage: Storage, found: &[u8], expected: &[u8]) -> Option<usize> {
    let part = if storage.is_complex() { storage.size() / 2 } else { storage.size() };
    let parts = found.chunks(part).zip(expected.chunks(part));
    let number = |bytes: &[u8]| {
        let mut bits = [0; 8];
        bits[..part].copy_from_slice(bytes);
        u64::from_le_bytes(bits)
    };
    let nan = |bits: u64| match storage.compute() {
        Type::F32 if storage.is_small_float() => decode(storage, bits).is_nan(),
        Type::F32 => f32::from_bits(bits as u32).is_nan(),
        Type::F64 => f64::from_bits(bits).is_nan(),
        _ => false,
    };
    let mut parts = parts.map(|(found, expected)| (number(found), number(expected)));
    let at = parts.position(|(found, expected)| found != expected && !(nan(found) && nan(expected)))?;
    Some(at * part / storage.size())
}
