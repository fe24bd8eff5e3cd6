//! Random numbers, shapes and tensors, the same in every run.

use cpu_vir::Storage;
use stablehlo::ElementType;
use stablehlo::eval::Tensor;

/// A generator of random numbers: SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n.max(1) as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// A permutation of the numbers below `n`.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }

    /// A size: mostly small, sometimes 0 or 1, sometimes as large as `most`.
    pub fn size(&mut self, most: usize) -> usize {
        match self.below(16) {
            0 => 0,
            1..=3 => 1,
            4 => 1 + self.below(most),
            _ => 2 + self.below(4),
        }
    }

    /// From −1 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Any bit patterns of integers, numbers around 1 of floats; a few special ones if wanted.
    pub fn tensor(&mut self, storage: Storage, dims: &[usize], special: bool) -> Tensor {
        let ty = element_type(storage);
        let n: usize = dims.iter().product();
        let compute = storage.compute();
        if !compute.is_float() {
            let bytes: Vec<u8> = (0..n * storage.size()).map(|_| self.bits() as u8).collect();
            let bytes = if storage == Storage::Bool { bytes.iter().map(|b| b & 1).collect() } else { bytes };
            return Tensor::from_bytes(ty, dims, &bytes).unwrap();
        }
        let parts = if storage.is_complex() { 2 * n } else { n };
        let numbers: Vec<f64> = (0..parts)
            .map(|_| match self.below(if special { 12 } else { usize::MAX }) {
                0 => *self.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1.0, -1.0]),
                _ => self.unit() * 2.0,
            })
            .collect();
        let dims_of_parts = if storage.is_complex() { [dims, &[2]].concat() } else { dims.to_vec() };
        let wide = Tensor::from_vec(&dims_of_parts, numbers);
        let part = if storage == Storage::Complex64 { ElementType::F32 } else { ElementType::F64 };
        let part = if storage.is_complex() { part } else { ty };
        let narrow = stablehlo::eval::ops::convert::convert(&wide, part).unwrap();
        Tensor::from_bytes(ty, dims, narrow.bytes()).unwrap()
    }
}

/// The evaluator's name of a storage.
pub fn element_type(storage: Storage) -> ElementType {
    ElementType::from_text(storage.name()).unwrap_or_else(|| panic!("no element type {storage}"))
}
