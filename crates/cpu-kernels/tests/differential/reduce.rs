//! Reductions by programs, and the place of an extreme.

use cpu_kernels::{ArgExtreme, Reduce};
use cpu_vir::Storage;
use stablehlo::eval::Tensor;
use stablehlo::eval::ops::reduce;

use crate::random::Random;
use crate::run::{assert_same, numbers, run, shape};
use crate::window::{compose, composition};

#[test]
fn random_reductions_of_programs() {
    let program = composition();
    let mut random = Random(30);
    for round in 0..800 {
        let dims: Vec<usize> =
            (0..random.below(5)).map(|_| random.size(if round % 10 == 0 { 60 } else { 9 })).collect();
        let count = random.below(dims.len() + 1);
        let dimensions: Vec<usize> = random.permutation(dims.len()).into_iter().take(count).collect();
        let x: Vec<Tensor> = (0..2).map(|_| random.tensor(Storage::I32, &dims, false)).collect();
        let inits: Vec<Tensor> = (0..2).map(|_| random.tensor(Storage::I32, &[], false)).collect();
        let kernel = Reduce::prepare(&[shape(&x[0]), shape(&x[1])], &dimensions, &program).unwrap();
        let want = reduce::reduce(&x, &inits, &dimensions, &compose).unwrap();
        let got = run(&kernel, &[&x[0], &x[1], &inits[0], &inits[1]], kernel.results());
        for (got, want) in got.iter().zip(&want) {
            assert_same(got, want, &(&dims, &dimensions));
        }
    }
}

#[test]
fn long_reductions_keep_the_order() {
    let program = composition();
    let mut random = Random(31);
    for dims in [vec![100_000], vec![3, 5000], vec![5000, 3], vec![2, 3, 1999]] {
        let last = dims.iter().position(|&d| d > 1000).unwrap();
        let x: Vec<Tensor> = (0..2).map(|_| random.tensor(Storage::I32, &dims, false)).collect();
        let inits: Vec<Tensor> = (0..2).map(|_| random.tensor(Storage::I32, &[], false)).collect();
        let kernel = Reduce::prepare(&[shape(&x[0]), shape(&x[1])], &[last], &program).unwrap();
        let want = reduce::reduce(&x, &inits, &[last], &compose).unwrap();
        let got = run(&kernel, &[&x[0], &x[1], &inits[0], &inits[1]], kernel.results());
        assert_same(&got[1], &want[1], &dims);
    }
}

#[test]
fn extremes_and_their_places() {
    let mut random = Random(32);
    for round in 0..2000 {
        let dims: Vec<usize> =
            (0..1 + random.below(3)).map(|_| random.size(if round % 10 == 0 { 600 } else { 9 })).collect();
        let axis = random.below(dims.len());
        let storage = *random.pick(Storage::ALL);
        if storage.is_complex() || dims[axis] == 0 {
            continue;
        }
        let x = random.tensor(storage, &dims, round % 3 == 0);
        let greatest = random.below(2) == 0;
        let index = *random.pick(&[Storage::I32, Storage::I64, Storage::U32]);
        let kernel = ArgExtreme::prepare(&shape(&x), axis, index, greatest).unwrap();
        let got = run(&kernel, &[&x], kernel.results());
        let (outer, inner): (usize, usize) = (dims[..axis].iter().product(), dims[axis + 1..].iter().product());
        let all = if storage == Storage::Bool {
            x.to_i64s().unwrap().iter().map(|&v| v as f64).collect()
        } else {
            numbers(&x)
        };
        let size = x.element_type().byte_width();
        for point in 0..outer * inner {
            let at = |i: usize| (point / inner * dims[axis] + i) * inner + point % inner;
            let mut best = 0;
            for i in 1..dims[axis] {
                let (x, y) = (all[at(i)], all[at(best)]);
                let better = if greatest { x > y } else { x < y };
                if !y.is_nan() && (better || x.is_nan()) {
                    best = i;
                }
            }
            // 64-bit integers are not exact here, but random ones that agree in 53 bits are not to be expected.
            assert_eq!(got[1].to_i64s().unwrap()[point], best as i64, "{} {axis} {greatest}", shape(&x));
            assert_eq!(got[0].bytes()[point * size..][..size], x.bytes()[at(best) * size..][..size]);
        }
    }
}
