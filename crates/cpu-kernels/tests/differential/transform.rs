//! `fft` and `rng_bit_generator`.

use cpu_kernels::{Fft, FftKind, RandomAlgorithm, RngBitGenerator, Shape};
use cpu_vir::Storage;
use stablehlo::eval::Tensor;
use stablehlo::eval::ops::{fft, rng};
use stablehlo::ir::attrs::{FftType, RngAlgorithm};

use crate::random::{Random, element_type};
use crate::run::{assert_close, assert_same, epsilon, run, shape};

#[test]
fn random_transforms() {
    let mut random = Random(80);
    let kinds = [
        (FftKind::Fft, FftType::Fft),
        (FftKind::Ifft, FftType::Ifft),
        (FftKind::Rfft, FftType::Rfft),
        (FftKind::Irfft, FftType::Irfft),
    ];
    for round in 0..1500 {
        let (kind, reference) = *random.pick(&kinds);
        let double = random.below(2) == 0;
        let storage = match (kind == FftKind::Rfft, double) {
            (true, true) => Storage::F64,
            (true, false) => Storage::F32,
            (false, true) => Storage::Complex128,
            (false, false) => Storage::Complex64,
        };
        let count = 1 + random.below(3);
        let lengths: Vec<usize> = (0..count)
            .map(|_| match round % 20 {
                0 if count == 1 => 1 + random.below(500),
                _ => random.size(14),
            })
            .collect();
        let mut dims: Vec<usize> = (0..random.below(3)).map(|_| random.size(4)).collect();
        dims.extend(&lengths);
        if kind == FftKind::Irfft {
            let last = dims.len() - 1;
            dims[last] = if dims[last] == 0 { 0 } else { dims[last] / 2 + 1 };
        }
        let x = random.tensor(storage, &dims, false);
        let kernel = Fft::prepare(&shape(&x), kind, &lengths).unwrap();
        let want = fft::fft(&x, reference, &lengths).unwrap();
        let got = &run(&kernel, &[&x], &[kernel.result().clone()])[0];
        let terms = (1 + lengths.iter().product::<usize>()) as f64;
        // Terms are up to 2; sums of n of them lose as many units as the logarithm of n, of numbers as great as √n.
        let tolerance = epsilon(storage) * 16.0 * terms.sqrt() * (1.0 + terms.log2());
        assert_close(got, &want, tolerance, &(shape(&x), kind, &lengths));
    }
}

#[test]
fn a_transform_of_a_constant_is_a_peak() {
    let x = Tensor::from_vec(&[12], vec![1f32; 12]);
    let kernel = Fft::prepare(&shape(&x), FftKind::Rfft, &[12]).unwrap();
    let got = &run(&kernel, &[&x], &[kernel.result().clone()])[0];
    let numbers = crate::run::numbers(got);
    assert_eq!(numbers[0], 12.0);
    assert!(numbers[1..].iter().all(|x| x.abs() < 1e-5));
}

#[test]
fn random_bits_of_every_type_and_shape() {
    let mut random = Random(81);
    for round in 0..2000 {
        let three_fry = random.below(2) == 0;
        let (algorithm, reference) = match three_fry {
            true => (RandomAlgorithm::ThreeFry, RngAlgorithm::ThreeFry),
            false => (RandomAlgorithm::Philox, RngAlgorithm::Philox),
        };
        let storage = *random.pick(Storage::ALL);
        if storage == Storage::Bool || storage.is_complex() {
            continue;
        }
        let dims: Vec<usize> =
            (0..random.below(4)).map(|_| random.size(if round % 50 == 0 { 200 } else { 30 })).collect();
        let words = if three_fry || random.below(2) == 0 { 2 } else { 3 };
        // Counters near their ends carry.
        let state: Vec<u64> =
            (0..words).map(|i| if i > 0 && random.below(3) == 0 { u64::MAX - 3 } else { random.bits() }).collect();
        let state = Tensor::from_vec(&[words], state);
        let result = Shape::new(storage, &dims);
        let kernel = RngBitGenerator::prepare(algorithm, &shape(&state), &result).unwrap();
        let (next, bits) = rng::rng_bit_generator(reference, &state, element_type(storage), &dims).unwrap();
        let got = run(&kernel, &[&state], &kernel.results());
        assert_same(&got[0], &next, &(algorithm, &result));
        assert_eq!(got[1].bytes(), bits.bytes(), "{algorithm:?} {result}");
    }
}
