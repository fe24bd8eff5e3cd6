//! Random numbers for tests: reproducible, and fond of edges.

use crate::element::{Storage, Type};

/// A generator of 64 random bits (splitmix64).
pub struct Random(u64);

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.bits() % limit
    }

    /// One of a list.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as u64) as usize]
    }

    /// The bits of a lane: ordinary numbers, small ones, edges, and any bits at all.
    pub fn lane(&mut self, ty: Type) -> u64 {
        match (ty, self.below(4)) {
            (Type::Mask, _) => self.below(2),
            (Type::F32, 0) => u64::from((self.below(64) as f32 - 32.0).to_bits()),
            (Type::F64, 0) => (self.below(64) as f64 - 32.0).to_bits(),
            (Type::F32, 1) => u64::from(((self.bits() >> 11) as f32 / (1u64 << 50) as f32 - 4.0).to_bits()),
            (Type::F64, 1) => ((self.bits() >> 11) as f64 / (1u64 << 50) as f64 - 4.0).to_bits(),
            (_, 2) => *self.pick(&edges(ty)),
            (_, 0) => self.below(16),
            _ => self.bits(),
        }
    }

    /// Bytes of elements of a storage type.
    pub fn elements(&mut self, storage: Storage, bytes: usize) -> Vec<u8> {
        let ty = storage.compute();
        let mut list = Vec::with_capacity(bytes);
        while list.len() < bytes {
            let plain = storage.is_complex() || storage == ty.storage();
            let part = if storage.is_complex() { storage.size() / 2 } else { storage.size() };
            let bits = if plain { self.lane(ty) } else { self.bits() };
            list.extend_from_slice(&bits.to_le_bytes()[..part]);
        }
        list
    }
}

/// Lanes of a type at which something happens.
pub(super) fn edges(ty: Type) -> Vec<u64> {
    match ty {
        Type::Mask => vec![0, 1],
        Type::F32 => {
            let numbers: [f32; 40] = [
                0.0,
                -0.0,
                1.0,
                -1.0,
                0.5,
                -0.5,
                1.5,
                2.5,
                -2.5,
                3.0,
                0.1,
                1e-30,
                1e30,
                8388607.5,
                8388609.0,
                -16777217.0,
                2147483648.0,
                -2147483648.0,
                4294967296.0,
                9.223372e18,
                -9.223373e18,
                1.8446744e19,
                127.0,
                128.0,
                255.5,
                256.0,
                32767.0,
                65535.0,
                65536.0,
                88.8,
                -104.0,
                0.49999997,
                f32::MAX,
                f32::MIN,
                f32::MIN_POSITIVE,
                -f32::MIN_POSITIVE,
                1e-45,
                f32::INFINITY,
                f32::NEG_INFINITY,
                f32::NAN,
            ];
            numbers.iter().map(|number| u64::from(number.to_bits())).collect()
        }
        Type::F64 => {
            let numbers: [f64; 36] = [
                0.0,
                -0.0,
                1.0,
                -1.0,
                0.5,
                -0.5,
                1.5,
                2.5,
                -2.5,
                3.0,
                0.1,
                1e-300,
                1e300,
                4503599627370497.5,
                9007199254740993.0,
                2147483648.5,
                -2147483649.0,
                9.223372036854776e18,
                -9.3e18,
                1.8446744073709552e19,
                3.4028236e38,
                1e39,
                1e-46,
                65519.9,
                65520.0,
                710.0,
                -746.0,
                0.49999999999999994,
                f64::MAX,
                f64::MIN,
                f64::MIN_POSITIVE,
                -f64::MIN_POSITIVE,
                5e-324,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
            ];
            numbers.iter().map(|number| number.to_bits()).collect()
        }
        _ => {
            let bits = 8 * ty.size() as u32;
            let top = 1u64 << (bits - 1);
            let all = u64::MAX >> (64 - bits);
            let width = u64::from(bits);
            vec![0, 1, 2, 3, 7, 10, width - 1, width, width + 1, top - 1, top, top + 1, all - 1, all, 100 & all]
        }
    }
}
