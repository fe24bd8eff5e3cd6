//! `cholesky` and `triangular_solve`.

use cpu_kernels::{Cholesky, TriangularSolve, TriangularSystem};
use cpu_vir::Storage;
use stablehlo::eval::Tensor;
use stablehlo::eval::ops::{convert, dot, linear};
use stablehlo::ir::attrs::Transpose;

use crate::random::{Random, element_type};
use crate::run::{assert_close, epsilon, run, shape};

const TYPES: [Storage; 6] =
    [Storage::F32, Storage::F64, Storage::Complex64, Storage::Complex128, Storage::BF16, Storage::F16];

/// A stack of well-conditioned matrices: small random numbers and a diagonal of about 2.
fn matrices(random: &mut Random, storage: Storage, dims: &[usize]) -> Tensor {
    let n = dims[dims.len() - 1];
    let parts = if storage.is_complex() { 2 } else { 1 };
    let count: usize = dims.iter().product();
    let scale = 0.5 / n.max(1) as f64;
    let numbers: Vec<f64> = (0..count * parts)
        .map(|i| {
            let (element, part) = (i / parts, i % parts);
            let diagonal = element / n % n == element % n && part == 0;
            random.unit() * scale + if diagonal { 2.0 } else { 0.0 }
        })
        .collect();
    let dims_of_parts = if parts == 2 { [dims, &[2]].concat() } else { dims.to_vec() };
    let part = match storage {
        Storage::Complex64 => stablehlo::ElementType::F32,
        Storage::Complex128 => stablehlo::ElementType::F64,
        _ => element_type(storage),
    };
    let narrow = convert::convert(&Tensor::from_vec(&dims_of_parts, numbers), part).unwrap();
    Tensor::from_bytes(element_type(storage), dims, narrow.bytes()).unwrap()
}

fn stack(random: &mut Random) -> Vec<usize> {
    (0..random.below(3)).map(|_| random.size(3)).collect()
}

#[test]
fn random_factors() {
    let mut random = Random(70);
    for round in 0..300 {
        let storage = *random.pick(&TYPES);
        let n = random.size(if round % 10 == 0 { 70 } else { 12 });
        let outer = stack(&mut random);
        let x = matrices(&mut random, storage, &[outer.as_slice(), &[n, n]].concat());
        let lower = random.below(2) == 0;
        let kernel = Cholesky::prepare(&shape(&x), lower).unwrap();
        let want = linear::cholesky(&x, lower).unwrap();
        let got = &run(&kernel, &[&x], &[shape(&x)])[0];
        assert_close(got, &want, epsilon(storage) * 8.0 * (1 + n) as f64, &(shape(&x), lower));
    }
    // Of a product with its own adjoint, the factor is what went in.
    let l = Tensor::from_vec(&[2, 2], vec![2f64, 0.0, 3.0, 1.0]);
    let dims = dot::DotDimensions { lhs_contracting: vec![1], rhs_contracting: vec![1], ..Default::default() };
    let a = dot::dot_general(&l, &l, &dims, stablehlo::ElementType::F64).unwrap();
    let kernel = Cholesky::prepare(&shape(&a), true).unwrap();
    assert_eq!(run(&kernel, &[&a], &[shape(&a)])[0].as_slice::<f64>(), [2.0, 0.0, 3.0, 1.0]);
}

#[test]
fn what_is_not_definite_gives_nan_and_spoils_no_neighbour() {
    let x = Tensor::from_vec(&[3, 1, 1], vec![4f32, -1.0, 9.0]);
    let kernel = Cholesky::prepare(&shape(&x), true).unwrap();
    let got = &run(&kernel, &[&x], &[shape(&x)])[0];
    let numbers = got.as_slice::<f32>();
    assert!(numbers[0] == 2.0 && numbers[1].is_nan() && numbers[2] == 3.0);
}

#[test]
fn random_systems() {
    let mut random = Random(71);
    for round in 0..600 {
        let storage = *random.pick(&TYPES);
        let (n, m) = (random.size(if round % 10 == 0 { 60 } else { 9 }), random.size(20));
        let outer = stack(&mut random);
        let a = matrices(&mut random, storage, &[outer.as_slice(), &[n, n]].concat());
        let (left_side, lower) = (random.below(2) == 0, random.below(2) == 0);
        let b = random.tensor(storage, &[outer.as_slice(), &if left_side { [n, m] } else { [m, n] }].concat(), false);
        let transpose = *random.pick(&[Transpose::NoTranspose, Transpose::Transpose, Transpose::Adjoint]);
        let unit_diagonal = random.below(3) == 0;
        let system = TriangularSystem {
            left_side,
            lower,
            unit_diagonal,
            transposed: transpose != Transpose::NoTranspose,
            conjugated: transpose == Transpose::Adjoint,
        };
        let kernel = TriangularSolve::prepare(&shape(&a), &shape(&b), system).unwrap();
        let reference = linear::TriangularSolve { left_side, lower, unit_diagonal, transpose_a: transpose };
        let want = linear::triangular_solve(&a, &b, reference).unwrap();
        let got = &run(&kernel, &[&a, &b], &[shape(&b)])[0];
        assert_close(got, &want, epsilon(storage) * 8.0 * (1 + n) as f64, &(shape(&a), shape(&b), system));
    }
}
