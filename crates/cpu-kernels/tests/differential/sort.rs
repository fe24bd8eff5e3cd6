//! `sort` and `top_k`.

use cpu_kernels::{KeyOrder, Sort, SortBody, SortKey, TopK};
use cpu_vir::{BinaryOp, Builder, Direction, Storage};
use stablehlo::eval::Tensor;
use stablehlo::eval::ops::{binary, compare, convert, creation, select, sort, top_k};
use stablehlo::ir::attrs::{ComparisonDirection, ComparisonType};

use crate::random::{Random, element_type};
use crate::run::{assert_same, run, shape};

/// A tensor with repeated and special elements.
fn keys(random: &mut Random, storage: Storage, dims: &[usize]) -> Tensor {
    let x = random.tensor(storage, dims, true);
    if random.below(3) == 0 || dims.contains(&0) {
        return x;
    }
    // Few different elements.
    let size = storage.size();
    let n: usize = dims.iter().product();
    let few = 1 + random.below(6);
    let bytes: Vec<u8> = (0..n).flat_map(|_| x.bytes()[random.below(few.min(n)) * size..][..size].to_vec()).collect();
    Tensor::from_bytes(element_type(storage), dims, &bytes).unwrap()
}

/// As JAX's comparators: zeros and NaNs become one each before they are compared in total order.
fn canonical(x: &Tensor) -> Tensor {
    if !shape(x).storage.compute().is_float() {
        return x.clone();
    }
    let ty = x.element_type();
    let zero = convert::filled(ty, x.dims(), 0.0);
    let nan = convert::filled(ty, x.dims(), f64::NAN);
    let is_zero = compare::compare(ComparisonDirection::Eq, ComparisonType::Float, x, &zero).unwrap();
    let x = select::select(&is_zero, &zero, x).unwrap();
    let is_nan = compare::compare(ComparisonDirection::Ne, ComparisonType::Float, &x, &x).unwrap();
    select::select(&is_nan, &nan, &x).unwrap()
}

fn comparator(keys: Vec<SortKey>) -> impl Fn(Vec<Tensor>) -> Result<Vec<Tensor>, stablehlo::eval::OpError> {
    move |a| {
        let mut before = None;
        for key in keys.iter().rev() {
            let sides = [2 * key.operand, 2 * key.operand + 1].map(|at| match key.order {
                KeyOrder::Total => a[at].clone(),
                KeyOrder::Numeric => canonical(&a[at]),
            });
            let direction = if key.descending { ComparisonDirection::Gt } else { ComparisonDirection::Lt };
            let total = ComparisonType::TotalOrder;
            let less = compare::compare(direction, total, &sides[0], &sides[1])?;
            before = Some(match before {
                None => less,
                Some(later) => {
                    let equal = compare::compare(ComparisonDirection::Eq, total, &sides[0], &sides[1])?;
                    let later = binary::binary(binary::BinaryOp::And, &equal, &later)?;
                    binary::binary(binary::BinaryOp::Or, &less, &later)?
                }
            });
        }
        Ok(vec![before.unwrap()])
    }
}

#[test]
fn random_sorts_by_keys() {
    let mut random = Random(60);
    for round in 0..1500 {
        let rank = 1 + random.below(3);
        let most = if round % 25 == 0 { 5000 } else { 40 };
        let mut dims: Vec<usize> = (0..rank).map(|_| random.size(5)).collect();
        let dimension = random.below(rank);
        dims[dimension] = random.size(most);
        if round % 25 == 0 && rank == 1 {
            dims[0] = 2000 + random.below(9000);
        }
        let count = 1 + random.below(3);
        let inputs: Vec<Tensor> = (0..count)
            .map(|_| {
                let storage = *random.pick(Storage::ALL);
                let hot = *random.pick(&[Storage::F32, Storage::I32, Storage::F64, Storage::BF16]);
                let storage = if random.below(2) == 0 { hot } else { storage };
                // The reference orders complex numbers as numbers, not totally.
                keys(&mut random, if storage.is_complex() { Storage::F32 } else { storage }, &dims)
            })
            .collect();
        let number = 1 + random.below(count);
        let list: Vec<SortKey> = (0..number)
            .map(|_| {
                let operand = random.below(count);

                let total = random.below(2) == 0;
                SortKey {
                    operand,
                    descending: random.below(3) == 0,
                    order: if total { KeyOrder::Total } else { KeyOrder::Numeric },
                }
            })
            .collect();
        let shapes: Vec<_> = inputs.iter().map(shape).collect();
        let kernel = Sort::prepare(&shapes, dimension, &SortBody::Keys(list.clone())).unwrap();
        let want = sort::sort(&inputs, dimension, &comparator(list.clone())).unwrap();
        let got = run(&kernel, &inputs.iter().collect::<Vec<_>>(), kernel.results());
        for (got, want) in got.iter().zip(&want) {
            assert_same(got, want, &(&shapes, dimension, &list));
        }
    }
}

/// Bits matter: what a sort moves is not computed.
#[test]
fn zeros_and_nans_keep_their_bits_and_their_order() {
    let bits: Vec<u32> =
        vec![0x8000_0000, 0x7fc0_0001, 0, 0xffc0_0000, 0x3f80_0000, 0x8000_0000, 0x7f80_0001, 0xff80_0000];
    let x = Tensor::from_vec(&[8], bits.iter().map(|&b| f32::from_bits(b)).collect::<Vec<_>>());
    let key = SortKey { operand: 0, descending: false, order: KeyOrder::Numeric };
    let kernel = Sort::prepare(&[shape(&x)], 0, &SortBody::Keys(vec![key])).unwrap();
    let got: Vec<u32> =
        run(&kernel, &[&x], kernel.results())[0].as_slice::<f32>().iter().map(|x| x.to_bits()).collect();
    let want = [0xff80_0000, 0x8000_0000, 0, 0x8000_0000, 0x3f80_0000, 0x7fc0_0001, 0xffc0_0000, 0x7f80_0001];
    assert_eq!(got, want);
}

#[test]
fn complex_numbers_by_real_parts_first() {
    let mut random = Random(61);
    for storage in [Storage::Complex64, Storage::Complex128] {
        let x = keys(&mut random, storage, &[200]);
        let key = SortKey { operand: 0, descending: false, order: KeyOrder::Numeric };
        let kernel = Sort::prepare(&[shape(&x)], 0, &SortBody::Keys(vec![key])).unwrap();
        let got = crate::run::numbers(&run(&kernel, &[&x], kernel.results())[0]);
        let rank = |x: f64| if x.is_nan() { f64::MAX } else { x };
        let pairs: Vec<_> = got.chunks(2).map(|p| (rank(p[0]), rank(p[1]))).collect();
        assert!(pairs.windows(2).all(|w| w[0] <= w[1]), "{pairs:?}");
    }
}

#[test]
fn random_sorts_by_programs() {
    // |a| < |b| by the first input; the second follows.
    let mut builder = Builder::new(&[1], 0);
    let inputs: Vec<_> = [Storage::I32, Storage::I32, Storage::F64, Storage::F64].map(|s| builder.input(s)).to_vec();
    let output = builder.output(Storage::Bool);
    let (a, b) = (builder.load(builder.dense(inputs[0])), builder.load(builder.dense(inputs[1])));
    let squares = [a, b].map(|x| builder.binary(BinaryOp::Mul, x, x));
    let mask = builder.compare(Direction::Lt, squares[0], squares[1]);
    builder.store(builder.dense(output), mask);
    let program = builder.finish().unwrap();
    let reference = |a: Vec<Tensor>| {
        let square = |x: &Tensor| binary::binary(binary::BinaryOp::Multiply, x, x);
        let (a, b) = (square(&a[0])?, square(&a[1])?);
        Ok(vec![compare::compare(ComparisonDirection::Lt, ComparisonType::Signed, &a, &b)?])
    };
    let mut random = Random(62);
    for round in 0..60 {
        let rank = 1 + random.below(3);
        let mut dims: Vec<usize> = (0..rank).map(|_| random.size(5)).collect();
        let dimension = random.below(rank);
        dims[dimension] = random.size(if round % 10 == 0 { 3000 } else { 40 });
        let n: usize = dims.iter().product();
        let x = Tensor::from_vec(&dims, (0..n).map(|_| random.below(100) as i32 - 50).collect::<Vec<_>>());
        let y = random.tensor(Storage::F64, &dims, true);
        let kernel = Sort::prepare(&[shape(&x), shape(&y)], dimension, &SortBody::Program(program.clone())).unwrap();
        let want = sort::sort(&[x.clone(), y.clone()], dimension, &reference).unwrap();
        let got = run(&kernel, &[&x, &y], kernel.results());
        assert_same(&got[0], &want[0], &dims);
        assert_same(&got[1], &want[1], &dims);
    }
}

#[test]
fn random_top_k() {
    let mut random = Random(63);
    let types =
        [Storage::F32, Storage::F64, Storage::BF16, Storage::F16, Storage::I32, Storage::I64, Storage::U8, Storage::I4];
    for round in 0..800 {
        let rank = 1 + random.below(3);
        let mut dims: Vec<usize> = (0..rank).map(|_| random.size(5)).collect();
        dims[rank - 1] = random.size(if round % 10 == 0 { 9000 } else { 40 });
        let k = random.below(dims[rank - 1].min(60) + 1);
        let storage = *random.pick(&types);
        let x = keys(&mut random, storage, &dims);
        let greatest = random.below(2) == 0;
        let kernel = TopK::prepare(&shape(&x), k, greatest, KeyOrder::Total).unwrap();
        let want = top_k::top_k(&x, k, greatest).unwrap();
        let got = run(&kernel, &[&x], kernel.results());
        assert_same(&got[0], &want[0], &(shape(&x), k, greatest));
        assert_same(&got[1], &want[1], &(shape(&x), k, greatest));
    }
}

/// Positions sorted with their keys are a stable argsort.
#[test]
fn positions_follow_their_keys() {
    let mut random = Random(64);
    for n in [1, 100, 3000, 50_000] {
        let x = keys(&mut random, Storage::F32, &[n]);
        let i = creation::iota(stablehlo::ElementType::I32, &[n], 0).unwrap();
        let key = SortKey { operand: 0, descending: false, order: KeyOrder::Numeric };
        let kernel = Sort::prepare(&[shape(&x), shape(&i)], 0, &SortBody::Keys(vec![key])).unwrap();
        let got = run(&kernel, &[&x, &i], kernel.results());
        let (values, order) = (x.as_slice::<f32>(), got[1].as_slice::<i32>());
        let rank = |i: i32| {
            let x = values[i as usize];
            if x.is_nan() { (f32::INFINITY, true) } else { (x + 0.0, false) }
        };
        let ascending = order.windows(2).all(|w| {
            let (a, b) = (rank(w[0]), rank(w[1]));
            a.partial_cmp(&b).is_some_and(|o| o.is_lt() || o.is_eq() && w[0] < w[1])
        });
        assert!(ascending, "{n}");
    }
}
