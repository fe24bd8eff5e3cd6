//! `dot_general`.

use cpu_kernels::{DotDimensions, DotGeneral, OpKernel, Shape};
use cpu_vir::Storage;
use cpu_vir::exec::Isa;
use stablehlo::eval::ops::dot;

use crate::random::{Random, element_type};
use crate::run::{assert_close, assert_same, epsilon, run, shape};

/// A random product: shapes and dimension numbers.
fn case(random: &mut Random, most: usize) -> (Vec<usize>, Vec<usize>, DotDimensions) {
    let mut dims = DotDimensions::default();
    let (batching, contracting) = (*random.pick(&[0, 0, 0, 1, 2]), *random.pick(&[0, 1, 1, 1, 2]));
    let (lhs_free, rhs_free) = (*random.pick(&[0, 1, 1, 2]), *random.pick(&[0, 1, 1, 2]));
    let sizes: Vec<usize> = (0..batching + contracting).map(|_| random.size(most)).collect();
    let mut side = |free: usize| {
        let rank = batching + contracting + free;
        let order = random.permutation(rank);
        let shape: Vec<usize> = (0..rank).map(|_| random.size(most)).collect();
        let mut shape = shape;
        for (i, size) in sizes.iter().enumerate() {
            shape[order[i]] = *size;
        }
        (shape, order[..batching].to_vec(), order[batching..batching + contracting].to_vec())
    };
    let (lhs, lhs_batching, lhs_contracting) = side(lhs_free);
    let (rhs, rhs_batching, rhs_contracting) = side(rhs_free);
    dims.lhs_batching = lhs_batching;
    dims.rhs_batching = rhs_batching;
    dims.lhs_contracting = lhs_contracting;
    dims.rhs_contracting = rhs_contracting;
    (lhs, rhs, dims)
}

fn check(random: &mut Random, types: [Storage; 3], lhs: &[usize], rhs: &[usize], dims: &DotDimensions) {
    let [lhs_type, rhs_type, result_type] = types;
    let what = (types, lhs.to_vec(), rhs.to_vec(), dims.clone());
    let (a, b) = (random.tensor(lhs_type, lhs, false), random.tensor(rhs_type, rhs, false));
    let kernel = DotGeneral::prepare(&shape(&a), &shape(&b), dims, result_type).unwrap();
    let got = &run(&kernel, &[&a, &b], &[kernel.result().clone()])[0];
    let reference = dot::DotDimensions {
        lhs_batching: dims.lhs_batching.clone(),
        rhs_batching: dims.rhs_batching.clone(),
        lhs_contracting: dims.lhs_contracting.clone(),
        rhs_contracting: dims.rhs_contracting.clone(),
    };
    let want = dot::dot_general(&a, &b, &reference, element_type(result_type)).unwrap();
    if types.iter().any(|ty| ty.compute().is_float()) {
        let depth: usize = dims.lhs_contracting.iter().map(|&d| lhs[d]).product();
        // Terms are below 8 in size, and sums in f32 or f64 lose a rounding for each.
        let wide = if epsilon(result_type) < 1e-10 { 1e-15 } else { 1e-6 };
        let small = if result_type.is_small_float() { epsilon(result_type) } else { 0.0 };
        assert_close(got, &want, small + wide * 8.0 * (1.0 + depth as f64), &what);
    } else {
        assert_same(got, &want, &what);
    }
}

#[test]
fn random_products_of_one_type() {
    let mut random = Random(1);
    for round in 0..1500 {
        let (lhs, rhs, dims) = case(&mut random, 40);
        let hot = [Storage::F32, Storage::F64, Storage::Complex64, Storage::Complex128, Storage::BF16, Storage::I32];
        let ty = if round % 2 == 0 { *random.pick(&hot) } else { *random.pick(Storage::ALL) };
        check(&mut random, [ty; 3], &lhs, &rhs, &dims);
    }
}

#[test]
fn random_products_of_mixed_types() {
    let mut random = Random(2);
    let types = [
        [Storage::BF16, Storage::BF16, Storage::F32],
        [Storage::I8, Storage::I8, Storage::I32],
        [Storage::U8, Storage::I8, Storage::I32],
        [Storage::I4, Storage::I4, Storage::I32],
        [Storage::F8E4M3FN, Storage::F8E5M2, Storage::F32],
        [Storage::F16, Storage::F32, Storage::F64],
        [Storage::F32, Storage::F32, Storage::BF16],
        [Storage::F64, Storage::F64, Storage::F32],
        [Storage::I8, Storage::I8, Storage::F32],
        [Storage::Bool, Storage::Bool, Storage::I32],
        [Storage::I32, Storage::I32, Storage::I8],
        [Storage::F32, Storage::Complex64, Storage::Complex64],
        [Storage::BF16, Storage::I8, Storage::F32],
    ];
    for round in 0..600 {
        let (lhs, rhs, dims) = case(&mut random, 30);
        check(&mut random, types[round % types.len()], &lhs, &rhs, &dims);
    }
}

/// Sizes at and around the edges of tiles and blocks, where memory order differs.
#[test]
fn matrices_of_every_kind() {
    let mut random = Random(3);
    let types = [Storage::F32, Storage::F64, Storage::I32, Storage::I64, Storage::I16, Storage::U8, Storage::Complex64];
    let sizes = [
        [1, 300, 70],
        [1, 70, 5000],
        [70, 300, 1],
        [1, 1000, 1],
        [7, 300, 290],
        [12, 513, 33],
        [13, 64, 65],
        [130, 70, 130],
        [6, 256, 16],
        [3, 17, 31],
        [100, 600, 300],
        [200, 31, 47],
    ];
    for [m, k, n] in sizes {
        for ty in types {
            for orders in 0..4 {
                let (lhs_turned, rhs_turned) = (orders & 1 == 1, orders & 2 == 2);
                let lhs = if lhs_turned { [k, m] } else { [m, k] };
                let rhs = if rhs_turned { [n, k] } else { [k, n] };
                let dims = DotDimensions {
                    lhs_contracting: vec![usize::from(!lhs_turned)],
                    rhs_contracting: vec![usize::from(rhs_turned)],
                    ..Default::default()
                };
                check(&mut random, [ty; 3], &lhs, &rhs, &dims);
            }
        }
    }
}

#[test]
fn not_a_number_and_infinity_reach_their_sums_only() {
    let random = &mut Random(4);
    for (m, k, n) in [(4, 5, 6), (1, 40, 40), (40, 40, 1), (50, 60, 70)] {
        let mut a: Vec<f32> = (0..m * k).map(|_| random.unit() as f32).collect();
        let b: Vec<f32> = (0..k * n).map(|_| random.unit() as f32).collect();
        (a[0], a[m * k - 1]) = (f32::NAN, f32::INFINITY);
        let (a, b) = (stablehlo::eval::Tensor::from_vec(&[m, k], a), stablehlo::eval::Tensor::from_vec(&[k, n], b));
        let dims = DotDimensions { lhs_contracting: vec![1], rhs_contracting: vec![0], ..Default::default() };
        let kernel = DotGeneral::prepare(&shape(&a), &shape(&b), &dims, Storage::F32).unwrap();
        let got = &run(&kernel, &[&a, &b], &[Shape::new(Storage::F32, &[m, n])])[0];
        let numbers = got.as_slice::<f32>();
        let last = if m == 1 { f32::is_nan } else { f32::is_infinite };
        assert!(numbers[..n].iter().all(|x| x.is_nan()), "the first row");
        assert!(numbers[(m - 1) * n..].iter().all(|&x| last(x)), "the last row");
        assert!(m < 3 || numbers[n..(m - 1) * n].iter().all(|x| x.is_finite()), "the rows between");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let matrix = Shape::new(Storage::F32, &[2, 3]);
    let dims = DotDimensions { lhs_contracting: vec![1], rhs_contracting: vec![0], ..Default::default() };
    assert!(DotGeneral::prepare(&matrix, &matrix, &dims, Storage::F32).is_err());
    let twice = DotDimensions { lhs_contracting: vec![1, 1], rhs_contracting: vec![1, 1], ..Default::default() };
    assert!(DotGeneral::prepare(&matrix, &matrix, &twice, Storage::F32).is_err());
    let right = DotDimensions { lhs_contracting: vec![1], rhs_contracting: vec![1], ..Default::default() };
    let kernel = DotGeneral::prepare(&matrix, &matrix, &right, Storage::F32).unwrap();
    let pool = cpu_runtime::Pool::new(1);
    let mut out = [0u8; 16];
    use cpu_kernels::OpKernel;
    assert!(kernel.run(&pool, &[&[0; 24]], &mut [&mut out]).is_err(), "too few operands");
    assert!(kernel.run(&pool, &[&[0; 24], &[0; 23]], &mut [&mut out]).is_err(), "too few bytes");
}

/// Rows by rows is the same as all at once, however many rows at a time.
#[test]
fn products_by_rows() {
    use cpu_vir::exec::Spread;
    struct Backwards;
    impl Spread for Backwards {
        fn spread(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
            (0..tasks).rev().for_each(task);
        }
    }
    let mut random = Random(5);
    for storage in [Storage::F32, Storage::F64] {
        for ([m, k, n], turned) in [([200, 70, 130], false), ([97, 300, 33], true), ([100, 1, 2], false)] {
            let (lhs, rhs) = (Shape::new(storage, &[m, k]), Shape::new(storage, &if turned { [n, k] } else { [k, n] }));
            let dims = DotDimensions {
                lhs_contracting: vec![1],
                rhs_contracting: vec![usize::from(turned)],
                ..Default::default()
            };
            let kernel = DotGeneral::prepare(&lhs, &rhs, &dims, storage).unwrap();
            let [a, b] = [&lhs, &rhs].map(|shape| {
                let numbers = (0..shape.elements()).map(|_| random.unit() * 4.0 - 2.0);
                match storage {
                    Storage::F32 => stablehlo::eval::Tensor::from_vec(&shape.dims, numbers.map(|x| x as f32).collect()),
                    _ => stablehlo::eval::Tensor::from_vec(&shape.dims, numbers.collect::<Vec<f64>>()),
                }
            });
            let whole = &run(&kernel, &[&a, &b], &[kernel.result().clone()])[0];
            let by_rows = kernel.by_rows().expect("a product of dense rows");
            assert_eq!((by_rows.rows, by_rows.from.0, by_rows.whole), (m, 0, 1));
            let (from, to) = (by_rows.from.1, by_rows.to);
            assert_eq!((from * m, to * m), (lhs.bytes(), whole.bytes().len()));
            for rows in [1, 7, 48, 97, m] {
                // Words, so that numbers are aligned.
                let mut words = vec![0xaaaa_aaaa_aaaa_aaaau64; (to * m).div_ceil(8)];
                let found: &mut [u8] = &mut bytemuck::cast_slice_mut(&mut words)[..to * m];
                by_rows.work.with_whole(&Backwards, b.bytes(), &mut |function| {
                    for (a, found) in a.bytes().chunks(rows * from).zip(found.chunks_mut(rows * to)) {
                        function(a, found);
                    }
                });
                let found = stablehlo::eval::Tensor::from_bytes(whole.element_type(), whole.dims(), found).unwrap();
                let what = format!("{rows} rows of {m}x{k}x{n} {storage}");
                // On lesser processors another library multiplies large matrices, in an order of its own.
                match Isa::detect() {
                    Isa::Avx512 => assert_same(&found, whole, &what),
                    _ => assert_close(&found, whole, k as f64 * 4.0 * epsilon(storage), &what),
                }
            }
        }
    }
    // What is better cut otherwise, or is no dense rows.
    let dims = DotDimensions { lhs_contracting: vec![0], rhs_contracting: vec![0], ..Default::default() };
    let shape = |dims: &[usize]| Shape::new(Storage::F32, dims);
    let prepared = |lhs: &[usize], rhs: &[usize]| DotGeneral::prepare(&shape(lhs), &shape(rhs), &dims, Storage::F32);
    assert!(prepared(&[70, 200], &[70, 30]).unwrap().by_rows().is_none());
    let rows = DotDimensions { lhs_contracting: vec![1], rhs_contracting: vec![0], ..Default::default() };
    let few = DotGeneral::prepare(&shape(&[4, 70]), &shape(&[70, 30]), &rows, Storage::F32).unwrap();
    let mixed = DotGeneral::prepare(&shape(&[200, 70]), &shape(&[70, 30]), &rows, Storage::F64).unwrap();
    assert!(few.by_rows().is_none() && mixed.by_rows().is_none());
}
