//! `gather` and `scatter`.

use cpu_kernels::{Gather, GatherDimensions, OutOfBounds, Scatter, ScatterBody, ScatterDimensions};
use cpu_vir::{BinaryOp, Builder, ReduceKind, Storage};
use stablehlo::eval::Tensor;
use stablehlo::eval::ops::{binary, body, gather, scatter};
use stablehlo::ir::attrs::{GatherDimensionNumbers, ScatterDimensionNumbers};

use crate::random::{Random, element_type};
use crate::run::{assert_same, run, shape};

fn list(numbers: &[usize]) -> Box<[i64]> {
    numbers.iter().map(|&n| n as i64).collect()
}

/// Operand or input dimensions, those of the result or the updates, indices, and numbers for both operations.
struct Case {
    operand: Vec<usize>,
    outcome: Vec<usize>,
    indices: Tensor,
    gather: GatherDimensions,
}

/// Random dimension numbers: built from the slice up, so that they are consistent.
fn case(random: &mut Random, most: usize) -> Case {
    let rank = random.below(4);
    let operand: Vec<usize> = (0..rank).map(|_| 1 + random.size(most)).collect();
    let mut roles: Vec<usize> = (0..rank).map(|_| random.below(3)).collect();
    // 0: kept, 1: collapsed, 2: paired with a dimension of the indices.
    let batch_rank = random.below(3);
    let mut batch: Vec<usize> = (0..batch_rank).map(|_| random.size(most)).collect();
    let mut batching = Vec::new();
    let mut free: Vec<usize> = random.permutation(batch_rank);
    for axis in 0..rank {
        if roles[axis] == 2 {
            match free.pop() {
                Some(dim) => {
                    batch[dim] = operand[axis];
                    batching.push((axis, dim));
                }
                None => roles[axis] = 1,
            }
        }
    }
    let slice_sizes: Vec<usize> =
        (0..rank).map(|a| if roles[a] == 0 { random.below(operand[a] + 1) } else { 1 }).collect();
    let indexed: Vec<usize> =
        random.permutation(rank).into_iter().filter(|&a| roles[a] != 2 && random.below(4) > 0).collect();
    let vector_dim = random.below(batch_rank + 1);
    let implied = indexed.len() == 1 && random.below(2) == 0;
    let vector_dim = if implied { batch_rank } else { vector_dim };
    let mut indices_dims = batch.clone();
    if !implied {
        indices_dims.insert(vector_dim, indexed.len());
    }
    let dim_of = |position: usize| position + usize::from(!implied && position >= vector_dim);
    let count: usize = indices_dims.iter().product();
    let values: Vec<i64> = (0..count)
        .map(|_| match random.below(8) {
            0 => *random.pick(&[-1, i64::MIN, i64::MAX, -3, 1000]),
            _ => random.below(most + 2) as i64,
        })
        .collect();
    let kind = *random.pick(&[Storage::I64, Storage::I32, Storage::U8, Storage::U64, Storage::I8, Storage::U32]);
    let wide = Tensor::from_vec(&indices_dims, values);
    let indices = stablehlo::eval::ops::convert::convert(&wide, element_type(kind)).unwrap();
    let kept: Vec<usize> = (0..rank).filter(|&a| roles[a] == 0).collect();
    let mut offset_dims: Vec<usize> =
        random.permutation(batch_rank + kept.len()).into_iter().take(kept.len()).collect();
    offset_dims.sort();
    let (mut outcome, mut batches, mut slices) = (Vec::new(), batch.iter(), kept.iter());
    for d in 0..batch_rank + kept.len() {
        outcome.push(if offset_dims.contains(&d) {
            slice_sizes[*slices.next().unwrap()]
        } else {
            *batches.next().unwrap()
        });
    }
    let gather = GatherDimensions {
        offset_dims,
        collapsed_slice_dims: (0..rank).filter(|&a| roles[a] == 1).collect(),
        operand_batching_dims: batching.iter().map(|p| p.0).collect(),
        start_indices_batching_dims: batching.iter().map(|p| dim_of(p.1)).collect(),
        start_index_map: indexed,
        index_vector_dim: vector_dim,
        slice_sizes,
    };
    Case { operand, outcome, indices, gather }
}

fn gather_numbers(d: &GatherDimensions) -> GatherDimensionNumbers {
    GatherDimensionNumbers {
        offset_dims: list(&d.offset_dims),
        collapsed_slice_dims: list(&d.collapsed_slice_dims),
        operand_batching_dims: list(&d.operand_batching_dims),
        start_indices_batching_dims: list(&d.start_indices_batching_dims),
        start_index_map: list(&d.start_index_map),
        index_vector_dim: d.index_vector_dim as i64,
    }
}

#[test]
fn random_gathers() {
    let mut random = Random(10);
    for round in 0..2000 {
        let case = case(&mut random, if round % 50 == 0 { 60 } else { 6 });
        let storage = *random.pick(Storage::ALL);
        let x = random.tensor(storage, &case.operand, true);
        let kernel = Gather::prepare(&shape(&x), &shape(&case.indices), &case.gather).unwrap();
        let (d, numbers) = (&case.gather, gather_numbers(&case.gather));
        let want = gather::gather(&x, &case.indices, &numbers, &list(&d.slice_sizes)).unwrap();
        let got = &run(&kernel, &[&x, &case.indices], &[kernel.result().clone()])[0];
        assert_same(got, &want, &(shape(&x), d));
    }
}

fn scatter_dimensions(d: &GatherDimensions) -> (ScatterDimensions, ScatterDimensionNumbers) {
    let dims = ScatterDimensions {
        update_window_dims: d.offset_dims.clone(),
        inserted_window_dims: d.collapsed_slice_dims.clone(),
        input_batching_dims: d.operand_batching_dims.clone(),
        scatter_indices_batching_dims: d.start_indices_batching_dims.clone(),
        scatter_dims_to_operand_dims: d.start_index_map.clone(),
        index_vector_dim: d.index_vector_dim,
    };
    let numbers = ScatterDimensionNumbers {
        update_window_dims: list(&d.offset_dims),
        inserted_window_dims: list(&d.collapsed_slice_dims),
        input_batching_dims: list(&d.operand_batching_dims),
        scatter_indices_batching_dims: list(&d.start_indices_batching_dims),
        scatter_dims_to_operand_dims: list(&d.start_index_map),
        index_vector_dim: d.index_vector_dim as i64,
    };
    (dims, numbers)
}

#[test]
fn random_scatters_of_recognised_bodies() {
    let kinds = [
        (ReduceKind::Sum, binary::BinaryOp::Add),
        (ReduceKind::Product, binary::BinaryOp::Multiply),
        (ReduceKind::Min, binary::BinaryOp::Minimum),
        (ReduceKind::Max, binary::BinaryOp::Maximum),
        (ReduceKind::And, binary::BinaryOp::And),
        (ReduceKind::Or, binary::BinaryOp::Or),
        (ReduceKind::Xor, binary::BinaryOp::Xor),
    ];
    let mut random = Random(11);
    for _ in 0..3000 {
        let case = case(&mut random, 6);
        let storage = *random.pick(Storage::ALL);
        let (kind, op) = *random.pick(&kinds);
        let float_bits =
            storage.compute().is_float() && matches!(kind, ReduceKind::And | ReduceKind::Or | ReduceKind::Xor);
        // The reference multiplies complex numbers in double precision.
        let complex_product = storage.is_complex() && kind == ReduceKind::Product;
        if float_bits || complex_product {
            continue;
        }
        let (x, u) = (random.tensor(storage, &case.operand, true), random.tensor(storage, &case.outcome, true));
        let (dims, numbers) = scatter_dimensions(&case.gather);
        let assign = random.below(4) == 0;
        let body = if assign { ScatterBody::Assign } else { ScatterBody::Reduce(kind) };
        let shapes = ([shape(&x)], [shape(&u)]);
        let kernel =
            Scatter::prepare(&shapes.0, &shape(&case.indices), &shapes.1, &dims, &body, OutOfBounds::DropElement)
                .unwrap();
        let second = |a: Vec<Tensor>| Ok(vec![a[1].clone()]);
        let reference: &dyn body::Body = if assign { &second } else { &body::BinaryBody(op) };
        let want =
            scatter::scatter(vec![x.clone()], &case.indices, std::slice::from_ref(&u), &numbers, reference).unwrap();
        let got = &run(&kernel, &[&x, &case.indices, &u], kernel.results())[0];
        assert_same(got, &want[0], &(shapes, dims, kind, assign));
    }
}

/// Two inputs at once: the sum of one, the difference with the other, so that order and pairing matter.
#[test]
fn random_scatters_of_programs() {
    let mut builder = Builder::new(&[1], 0);
    let inputs: Vec<_> = (0..4).map(|i| builder.input(if i % 2 == 0 { Storage::I32 } else { Storage::I64 })).collect();
    let scale = builder.input(Storage::I64);
    let outputs = [builder.output(Storage::I32), builder.output(Storage::I64)];
    let values: Vec<_> = inputs.iter().map(|&id| builder.load(builder.dense(id))).collect();
    let scale = builder.load(builder.scalar_access(scale));
    let sum = builder.binary(BinaryOp::Sub, values[0], values[2]);
    let scaled = builder.binary(BinaryOp::Mul, values[1], scale);
    let other = builder.binary(BinaryOp::Add, scaled, values[3]);
    builder.store(builder.dense(outputs[0]), sum);
    builder.store(builder.dense(outputs[1]), other);
    let program = builder.finish().unwrap();
    let mut random = Random(12);
    for _ in 0..500 {
        let case = case(&mut random, 40);
        let (x, y) =
            (random.tensor(Storage::I32, &case.operand, false), random.tensor(Storage::I64, &case.operand, false));
        let (u, v) =
            (random.tensor(Storage::I32, &case.outcome, false), random.tensor(Storage::I64, &case.outcome, false));
        let (dims, numbers) = scatter_dimensions(&case.gather);
        let kernel = Scatter::prepare(
            &[shape(&x), shape(&y)],
            &shape(&case.indices),
            &[shape(&u), shape(&v)],
            &dims,
            &ScatterBody::Program(program.clone()),
            OutOfBounds::DropElement,
        )
        .unwrap();
        let three = Tensor::scalar(3i64);
        let reference = |a: Vec<Tensor>| {
            let sum = binary::binary(binary::BinaryOp::Subtract, &a[0], &a[2])?;
            let threes = Tensor::from_vec(a[1].dims(), vec![3i64; a[1].len()]);
            let scaled = binary::binary(binary::BinaryOp::Multiply, &a[1], &threes)?;
            Ok(vec![sum, binary::binary(binary::BinaryOp::Add, &scaled, &a[3])?])
        };
        let updates = [u.clone(), v.clone()];
        let want = scatter::scatter(vec![x.clone(), y.clone()], &case.indices, &updates, &numbers, &reference).unwrap();
        let got = run(&kernel, &[&x, &y, &case.indices, &u, &v, &three], kernel.results());
        assert_same(&got[0], &want[0], &dims);
        assert_same(&got[1], &want[1], &dims);
    }
}

#[test]
fn windows_that_stick_out_are_dropped_as_a_whole_if_wanted() {
    let dims = ScatterDimensions {
        update_window_dims: vec![1],
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 1,
        ..Default::default()
    };
    let x = Tensor::from_vec(&[5], vec![0i32; 5]);
    let i = Tensor::from_vec(&[3, 1], vec![3i64, -1, 0]);
    let u = Tensor::from_vec(&[3, 3], vec![1i32; 9]);
    for (bounds, want) in [(OutOfBounds::DropWindow, [1, 1, 1, 0, 0]), (OutOfBounds::DropElement, [2, 2, 1, 1, 1])] {
        let body = ScatterBody::Reduce(ReduceKind::Sum);
        let kernel = Scatter::prepare(&[shape(&x)], &shape(&i), &[shape(&u)], &dims, &body, bounds).unwrap();
        assert_eq!(run(&kernel, &[&x, &i, &u], kernel.results())[0].as_slice::<i32>(), want);
    }
}

/// Indices of a type, some of them outside, and the same with `by` added to the negative ones in that type.
fn some_indices(random: &mut Random, kind: Storage, count: usize, size: usize, by: i64) -> (Tensor, Tensor) {
    use stablehlo::eval::ops::convert::convert;
    let wide: Vec<i64> = (0..count).map(|_| random.below(2 * size + 6) as i64 - size as i64 - 3).collect();
    let indices = convert(&Tensor::from_vec(&[count, 1], wide), element_type(kind)).unwrap();
    if !kind.compute().is_signed_integer() {
        return (indices.clone(), indices);
    }
    let canonical = convert(&indices, stablehlo::ElementType::I64).unwrap();
    let moved: Vec<i64> =
        canonical.as_slice::<i64>().iter().map(|&i| if i < 0 { i.wrapping_add(by) } else { i }).collect();
    (indices, convert(&Tensor::from_vec(&[count, 1], moved), element_type(kind)).unwrap())
}

/// Scalars and rows by single indices: every type of index, rows of every length that has a path of its own, more
/// vectors than are looked at at a time, with and without corrected negative indices, each combination.
#[test]
fn lines_of_every_index_type() {
    let mut random = Random(13);
    let kinds =
        [Storage::I8, Storage::I16, Storage::I32, Storage::I64, Storage::U8, Storage::U16, Storage::U32, Storage::U64];
    for (kind, row) in kinds.iter().flat_map(|&kind| [1, 2, 3, 4, 5, 8, 16, 17].map(|row| (kind, row))) {
        let size = 1 + random.below(90);
        let count = *random.pick(&[0, 1, 7, 512, 1300]);
        let by = *random.pick(&[size as i64, 0, -1, 1000]);
        let storage = *random.pick(&[Storage::F32, Storage::I8, Storage::BF16, Storage::F64, Storage::Complex128]);
        let (indices, moved) = some_indices(&mut random, kind, count, size, by);
        let (x, u) = (random.tensor(storage, &[size, row], true), random.tensor(storage, &[count, row], true));
        let dims = GatherDimensions {
            offset_dims: vec![1],
            collapsed_slice_dims: vec![0],
            start_index_map: vec![0],
            index_vector_dim: 1,
            slice_sizes: vec![1, row],
            ..Default::default()
        };
        let gather = Gather::prepare(&shape(&x), &shape(&indices), &dims).unwrap().wrapping(&[by]).unwrap();
        let got = &run(&gather, &[&x, &indices], &[gather.result().clone()])[0];
        let plain = Gather::prepare(&shape(&x), &shape(&moved), &dims).unwrap();
        let numbers = gather_numbers(&dims);
        let want = gather::gather(&x, &moved, &numbers, &list(&dims.slice_sizes)).unwrap();
        assert_same(got, &want, &(kind, row, count, by));
        assert_same(&run(&plain, &[&x, &moved], &[plain.result().clone()])[0], &want, &(kind, row, count, by));
        let (dims, numbers) = scatter_dimensions(&dims);
        for (bounds, assign) in
            [OutOfBounds::DropWindow, OutOfBounds::DropElement].into_iter().flat_map(|b| [(b, true), (b, false)])
        {
            let body = if assign { ScatterBody::Assign } else { ScatterBody::Reduce(ReduceKind::Sum) };
            let scatter = Scatter::prepare(&[shape(&x)], &shape(&indices), &[shape(&u)], &dims, &body, bounds).unwrap();
            let scatter = scatter.wrapping(&[by]).unwrap();
            let second = |a: Vec<Tensor>| Ok(vec![a[1].clone()]);
            let sum = body::BinaryBody(binary::BinaryOp::Add);
            let reference: &dyn body::Body = if assign { &second } else { &sum };
            let want =
                scatter::scatter(vec![x.clone()], &moved, std::slice::from_ref(&u), &numbers, reference).unwrap();
            let got = &run(&scatter, &[&x, &indices, &u], scatter.results())[0];
            assert_same(got, &want[0], &(kind, row, count, by, bounds, assign));
        }
    }
}

/// Vectors of several components, each corrected by its own size.
#[test]
fn vectors_whose_components_wrap() {
    let mut random = Random(14);
    for _ in 0..200 {
        let (rows, columns) = (1 + random.below(9), 1 + random.below(9));
        let count = random.below(40);
        let by = [rows as i64, columns as i64];
        let wide: Vec<i64> = (0..2 * count).map(|_| random.below(30) as i64 - 15).collect();
        let moved = wide.iter().enumerate().map(|(i, &v)| if v < 0 { v + by[i % 2] } else { v }).collect();
        let (indices, moved) = (Tensor::from_vec(&[count, 2], wide), Tensor::from_vec(&[count, 2], moved));
        let x = random.tensor(Storage::F32, &[rows, columns], false);
        let dims = GatherDimensions {
            collapsed_slice_dims: vec![0, 1],
            start_index_map: vec![0, 1],
            index_vector_dim: 1,
            slice_sizes: vec![1, 1],
            ..Default::default()
        };
        let plain = Gather::prepare(&shape(&x), &shape(&moved), &dims).unwrap();
        let kernel = Gather::prepare(&shape(&x), &shape(&indices), &dims).unwrap().wrapping(&by).unwrap();
        let want = &run(&plain, &[&x, &moved], &[plain.result().clone()])[0];
        assert_same(&run(&kernel, &[&x, &indices], &[kernel.result().clone()])[0], want, &(rows, columns, count));
    }
}

#[test]
fn wraps_that_do_not_fit_are_refused() {
    let dims = GatherDimensions {
        collapsed_slice_dims: vec![0],
        start_index_map: vec![0],
        index_vector_dim: 1,
        slice_sizes: vec![1],
        ..Default::default()
    };
    let prepare = |kind| {
        Gather::prepare(&cpu_kernels::Shape::new(Storage::F32, &[5]), &cpu_kernels::Shape::new(kind, &[3, 1]), &dims)
            .unwrap()
    };
    assert!(prepare(Storage::I32).wrapping(&[5, 5]).is_err());
    assert!(prepare(Storage::I4).wrapping(&[5]).is_err());
    assert!(prepare(Storage::I32).wrapping(&[5]).is_ok());
}
