//! Floating-point elements, all of which compute in `f64`.

use super::Element;

/// A floating-point element type.
pub trait Float: Element {
    /// The exact value.
    fn to_f64(self) -> f64;
    /// The nearest value, ties to even; overflow, NaN and zero as the format has them.
    fn from_f64(value: f64) -> Self;
    /// Width of the explicit part of the significand.
    const MANTISSA_BITS: u32;
    /// Whether the code space is laid out as in IEEE 754, infinities and signed zeros included.
    const IS_IEEE: bool;

    /// The code, zero-extended.
    fn raw(self) -> u64 {
        let mut raw = [0u8; 8];
        let bytes = bytemuck::bytes_of(&self);
        raw[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(raw)
    }

    /// The number with this code, given zero-extended.
    fn from_raw(raw: u64) -> Self {
        let mut number = Self::zero();
        let bytes = bytemuck::bytes_of_mut(&mut number);
        bytes.copy_from_slice(&raw.to_le_bytes()[..bytes.len()]);
        number
    }
}

impl Float for f32 {
    const MANTISSA_BITS: u32 = 23;
    const IS_IEEE: bool = true;
    fn to_f64(self) -> f64 {
        self as f64
    }
    fn from_f64(value: f64) -> f32 {
        value as f32
    }
}

impl Float for f64 {
    const MANTISSA_BITS: u32 = 52;
    const IS_IEEE: bool = true;
    fn to_f64(self) -> f64 {
        self
    }
    fn from_f64(value: f64) -> f64 {
        value
    }
}
