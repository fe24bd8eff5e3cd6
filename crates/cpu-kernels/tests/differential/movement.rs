//! `transpose`, `reverse`, `concatenate` and `pad`.

use cpu_kernels::{Concatenate, Pad, PadDimension, Reverse, Transpose};
use cpu_vir::Storage;
use stablehlo::eval::Tensor;
use stablehlo::eval::ops::movement;

use crate::random::Random;
use crate::run::{assert_same, run, shape};

fn dims(random: &mut Random, rank: usize, most: usize) -> Vec<usize> {
    (0..rank).map(|_| random.size(most)).collect()
}

#[test]
fn random_transpositions_and_reversals() {
    let mut random = Random(40);
    for round in 0..2000 {
        let rank = random.below(6);
        let x = {
            let storage = *random.pick(&[Storage::U8, Storage::BF16, Storage::F32, Storage::I64, Storage::Complex128]);
            let most = if round % 20 == 0 && rank < 4 { 90 } else { 9 };
            let dims = dims(&mut random, rank, most);
            random.tensor(storage, &dims, true)
        };
        let permutation = random.permutation(rank);
        let kernel = Transpose::prepare(&shape(&x), &permutation).unwrap();
        let want = movement::transpose(&x, &permutation).unwrap();
        assert_same(&run(&kernel, &[&x], &[kernel.result().clone()])[0], &want, &(shape(&x), &permutation));
        let count = random.below(rank + 1);
        let turned: Vec<usize> = permutation.into_iter().take(count).collect();
        let kernel = Reverse::prepare(&shape(&x), &turned).unwrap();
        let want = movement::reverse(&x, &turned).unwrap();
        assert_same(&run(&kernel, &[&x], &[shape(&x)])[0], &want, &(shape(&x), &turned));
    }
}

#[test]
fn random_concatenations() {
    let mut random = Random(41);
    for _ in 0..1000 {
        let rank = 1 + random.below(4);
        let (first, dimension) = (dims(&mut random, rank, 9), random.below(rank));
        let storage = *random.pick(Storage::ALL);
        let inputs: Vec<Tensor> = (0..1 + random.below(4))
            .map(|_| {
                let mut dims = first.clone();
                dims[dimension] = random.size(9);
                random.tensor(storage, &dims, true)
            })
            .collect();
        let shapes: Vec<_> = inputs.iter().map(shape).collect();
        let kernel = Concatenate::prepare(&shapes, dimension).unwrap();
        let inputs: Vec<&Tensor> = inputs.iter().collect();
        let want = movement::concatenate(&inputs, dimension).unwrap();
        assert_same(&run(&kernel, &inputs, &[kernel.result().clone()])[0], &want, &(shapes, dimension));
    }
}

#[test]
fn random_paddings() {
    let mut random = Random(42);
    for _ in 0..2000 {
        let rank = random.below(4);
        let x = {
            let (storage, dims) = (*random.pick(Storage::ALL), dims(&mut random, rank, 9));
            random.tensor(storage, &dims, true)
        };
        let value = random.tensor(shape(&x).storage, &[], true);
        let mut padding = Vec::new();
        for _ in 0..rank {
            padding.push(PadDimension {
                low: random.below(8) as i64 - 4,
                high: random.below(8) as i64 - 4,
                interior: random.below(6) / 2,
            });
        }
        let list = |f: &dyn Fn(&PadDimension) -> i64| padding.iter().map(f).collect::<Vec<_>>();
        let want = movement::pad(&x, &value, &list(&|p| p.low), &list(&|p| p.high), &list(&|p| p.interior as i64));
        match (Pad::prepare(&shape(&x), &padding), want) {
            (Ok(kernel), Ok(want)) => {
                let got = &run(&kernel, &[&x, &value], &[kernel.result().clone()])[0];
                assert_same(got, &want, &(shape(&x), &padding));
            }
            (Err(_), Err(_)) => {}
            (got, want) => panic!("{} {padding:?}: {:?} {:?}", shape(&x), got.err(), want.err()),
        }
    }
}
