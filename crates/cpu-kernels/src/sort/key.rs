//! Sort keys: unsigned integers in the order of the elements.

use bytemuck::Pod;
use cpu_vir::Storage;

use crate::element::{Element, Number, with_element};
use crate::view::numbers;

/// How floats are ordered. Integers and truth values have one order, whichever is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyOrder {
    /// The total order of IEEE 754: −NaN < −∞ < … < −0 < +0 < … < ∞ < NaN, and payloads count.
    Total,
    /// As numbers: −0 equals +0, and every NaN is equal to every other and greater than all numbers. It is the order of
    /// JAX's comparators.
    Numeric,
}

/// One key of a sort: the first that differs decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SortKey {
    /// The input that is compared. Of complex numbers the real parts are compared first.
    pub operand: usize,
    /// Whether the greatest comes first.
    pub descending: bool,
    /// The order of its floats.
    pub order: KeyOrder,
}

/// Bits of the keys of a storage.
pub(super) fn bits(storage: Storage) -> u32 {
    match storage {
        Storage::Complex64 => 64,
        Storage::Complex128 => 128,
        _ => 8 * storage.size() as u32,
    }
}

/// Whether equal keys are equal elements.
pub(super) fn is_exact(storage: Storage, order: KeyOrder) -> bool {
    !storage.compute().is_float() || order == KeyOrder::Total && storage.compute().size() == storage.size()
}

/// The key of an f32.
#[inline(always)]
pub(super) fn of_f32(value: f32, order: KeyOrder) -> u32 {
    let bits = value.to_bits();
    let bits = match order {
        KeyOrder::Total => bits,
        KeyOrder::Numeric => {
            let bits = if bits << 1 == 0 { 0 } else { bits };
            if bits << 1 > 0xff00_0000 { 0x7fc0_0000 } else { bits }
        }
    };
    bits ^ ((bits as i32 >> 31) as u32 | 0x8000_0000)
}

/// The f32 with a key.
#[inline(always)]
pub(super) fn to_f32(key: u32) -> f32 {
    f32::from_bits(key ^ ((!key as i32 >> 31) as u32 | 0x8000_0000))
}

/// The key of an f64.
#[inline(always)]
pub(super) fn of_f64(value: f64, order: KeyOrder) -> u64 {
    let bits = value.to_bits();
    let bits = match order {
        KeyOrder::Total => bits,
        KeyOrder::Numeric => {
            let bits = if bits << 1 == 0 { 0 } else { bits };
            if bits << 1 > 0xffe0_0000_0000_0000 { 0x7ff8_0000_0000_0000 } else { bits }
        }
    };
    bits ^ ((bits as i64 >> 63) as u64 | 0x8000_0000_0000_0000)
}

/// Something to do with the keys of one part of the elements of a row.
pub(super) trait KeyVisitor {
    type Output;
    /// `key` gives the key of an element, of `bits` bits; parts of complex numbers come as elements of their own, `step`
    /// apart from `first` on.
    fn visit<T: Pod + Send + Sync>(
        self,
        row: &[T],
        first: usize,
        step: usize,
        bits: u32,
        key: impl Fn(T) -> u64,
    ) -> Self::Output;
}

/// Visits the elements of a row; of complex numbers the real or the imaginary parts.
pub(super) fn visit<V: KeyVisitor>(
    row: &[u8],
    storage: Storage,
    imaginary: bool,
    key: SortKey,
    visitor: V,
) -> V::Output {
    let (order, flip) = (key.order, if key.descending { u64::MAX } else { 0 });
    let mask = |bits: u32| flip >> (64 - bits);
    let part = usize::from(imaginary);
    macro_rules! whole {
        ($T:ident $U:ident $sign:expr) => {{
            let bits = 8 * size_of::<$T>() as u32;
            let flip = mask(bits);
            visitor.visit(numbers::<$T>(row), 0, 1, bits, move |x| ((x as $U ^ $sign) as u64) ^ flip)
        }};
    }
    match storage {
        Storage::F32 => {
            let flip = mask(32);
            visitor.visit(numbers::<f32>(row), 0, 1, 32, move |x| u64::from(of_f32(x, order)) ^ flip)
        }
        Storage::F64 => visitor.visit(numbers::<f64>(row), 0, 1, 64, move |x| of_f64(x, order) ^ flip),
        Storage::Complex64 => {
            let flip = mask(32);
            visitor.visit(numbers::<f32>(row), part, 2, 32, move |x| u64::from(of_f32(x, order)) ^ flip)
        }
        Storage::Complex128 => visitor.visit(numbers::<f64>(row), part, 2, 64, move |x| of_f64(x, order) ^ flip),
        Storage::I32 => whole!(i32 u32 0x8000_0000),
        Storage::U32 => whole!(u32 u32 0),
        Storage::I64 => whole!(i64 u64 0x8000_0000_0000_0000),
        Storage::U64 => whole!(u64 u64 0),
        Storage::I16 => whole!(i16 u16 0x8000),
        Storage::U16 => whole!(u16 u16 0),
        Storage::I2 | Storage::I4 | Storage::I8 => whole!(i8 u8 0x80),
        Storage::Bool | Storage::U2 | Storage::U4 | Storage::U8 => whole!(u8 u8 0),
        small => with_element!(small, E => small_floats::<E, V>(row, small, visitor, order, mask(bits(small)))),
    }
}

/// Small floats by their codes, as sign and magnitude: in formats whose NaN is the code of −0, that is where it goes.
#[allow(clippy::eq_op, reason = "what is not a number differs from itself")]
fn small_floats<E: Element, V: KeyVisitor>(
    row: &[u8],
    storage: Storage,
    visitor: V,
    order: KeyOrder,
    flip: u64,
) -> V::Output {
    let width = match storage {
        Storage::F4E2M1FN => 4,
        Storage::F6E2M3FN | Storage::F6E3M2FN => 6,
        _ => bits(storage),
    };
    let sign = if storage == Storage::F8E8M0FNU { 0 } else { 1u64 << (width - 1) };
    visitor.visit(numbers::<E::Raw>(row), 0, 1, bits(storage), move |x| {
        let number = E::read(x);
        let x = match order {
            KeyOrder::Total => x,
            KeyOrder::Numeric if number == E::Number::ZERO => E::write(E::Number::PLAIN_ZERO),
            KeyOrder::Numeric if number != number => E::write(E::Number::NAN),
            KeyOrder::Numeric => x,
        };
        let code = bytemuck::bytes_of(&x).iter().rev().fold(0u64, |code, byte| code << 8 | u64::from(*byte));
        let key = if code & sign != 0 { (sign - 1) ^ (code & (sign - 1)) } else { code | sign };
        key ^ flip
    })
}
