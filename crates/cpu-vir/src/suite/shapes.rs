//! Where elements come from and go to: strides of every kind, guards, gathers, indices, updates in place.

use crate::builder::{Builder, row_major};
use crate::element::{Storage, Type};
use crate::op::BinaryOp;
use crate::program::{Access, GatherIndex, Guard, OperandId, Part};
use crate::scalar::Scalar;
use crate::suite::{Executor, Random, check};

/// Sizes of a random iteration space; mostly small, now and then longer than a tile.
pub(super) fn dims(random: &mut Random, most: u64) -> Vec<usize> {
    let rank = random.below(most + 1) as usize;
    let mut dims: Vec<usize> = (0..rank).map(|_| 1 + random.below(6) as usize).collect();
    if rank > 0 && random.below(2) == 0 {
        let dim = random.below(rank as u64) as usize;
        dims[dim] = *random.pick(&[1, 7, 64, 255, 256, 300, 513, 1100]);
    }
    dims
}

/// A random access for reading: broadcast, reversed, permuted, with gaps, shifted.
pub(super) fn any_access(random: &mut Random, operand: OperandId, dims: &[usize]) -> Access {
    let mut order: Vec<usize> = (0..dims.len()).collect();
    if random.below(2) == 0 {
        for index in (1..order.len()).rev() {
            order.swap(index, random.below(index as u64 + 1) as usize);
        }
    }
    let gaps = random.below(3) == 0;
    let mut strides = vec![0i64; dims.len()];
    let mut stride = if gaps { 1 + random.below(3) as i64 } else { 1 };
    let mut offset = if random.below(2) == 0 { random.below(5) as i64 } else { 0 };
    for dim in order.into_iter().rev() {
        match random.below(8) {
            0 => continue,
            1 => {
                strides[dim] = -stride;
                offset += stride * (dims[dim].max(1) as i64 - 1);
            }
            _ => strides[dim] = stride,
        }
        stride *= dims[dim].max(1) as i64 + if gaps { random.below(2) as i64 } else { 0 };
    }
    Access { operand, offset, strides }
}

/// A random access for writing: as for reading, but no two points have one element.
pub(super) fn distinct_access(random: &mut Random, operand: OperandId, dims: &[usize]) -> Access {
    loop {
        let access = any_access(random, operand, dims);
        if dims.iter().zip(&access.strides).all(|(size, stride)| *size == 1 || *stride != 0) {
            return access;
        }
    }
}

/// Two inputs and an output, each walked in its own way, in elements of every size.
pub fn strides_of_every_kind<E: Executor>() {
    let mut random = Random::new(20);
    for round in 0..300 {
        let storage = *random.pick(&[
            Storage::I8,
            Storage::I4,
            Storage::Bool,
            Storage::U16,
            Storage::BF16,
            Storage::F32,
            Storage::I64,
            Storage::F8E5M2,
        ]);
        let dims = dims(&mut random, 5);
        let mut builder = Builder::new(&dims, 0);
        let (a, b, c) = (builder.input(storage), builder.input(storage), builder.output(storage));
        let access = any_access(&mut random, a, &dims);
        let x = builder.load(access);
        let access = any_access(&mut random, b, &dims);
        let y = builder.load(access);
        let op = if round % 2 == 0 { BinaryOp::Max } else { BinaryOp::Min };
        let value = builder.binary(op, x, y);
        let access = distinct_access(&mut random, c, &dims);
        builder.store(access, value);
        check::<E>(&builder.finish().unwrap(), &mut random);
    }
}

/// Rank 0, one point, and no point at all.
pub fn empty_and_single<E: Executor>() {
    let mut random = Random::new(21);
    for dims in [vec![], vec![1], vec![0], vec![3, 0, 2], vec![1, 1, 1], vec![1; 12], vec![2; 12]] {
        let mut builder = Builder::new(&dims, 0);
        let (input, output) = (builder.input(Storage::I32), builder.output(Storage::I32));
        let (same, constant) = (builder.output(Storage::I32), builder.output(Storage::I32));
        let x = builder.load(builder.dense(input));
        let y = builder.binary(BinaryOp::Add, x, x);
        let seven = builder.constant(7i32);
        builder.store(builder.dense(output), y);
        builder.store(builder.dense(same), y);
        builder.store(builder.dense(constant), seven);
        check::<E>(&builder.finish().unwrap(), &mut random);
    }
}

/// Loads within a box, as padding and concatenation make them.
pub fn guards<E: Executor>() {
    let mut random = Random::new(22);
    for _ in 0..300 {
        let dims = dims(&mut random, 4);
        let storage = *random.pick(&[Storage::F32, Storage::I8, Storage::F16, Storage::U64]);
        let mut builder = Builder::new(&dims, 0);
        let (input, output) = (builder.input(storage), builder.output(storage));
        let bounds: Vec<(usize, usize)> = dims
            .iter()
            .map(|size| {
                let low = random.below(*size as u64 + 1) as usize;
                match random.below(3) {
                    0 => (0, *size),
                    _ => (low, low + random.below((size - low) as u64 + 1) as usize),
                }
            })
            .collect();
        let strides = row_major(&dims);
        // The first element inside is the operand's first.
        let offset = -strides.iter().zip(&bounds).map(|(stride, (low, _))| stride * *low as i64).sum::<i64>();
        let fill = Scalar::integer(storage.compute(), 3);
        let access = Access { operand: input, offset, strides };
        let x = builder.load_part(access, Part::Whole, Some(Guard { bounds, fill }));
        let value = builder.binary(BinaryOp::Add, x, x);
        let access = distinct_access(&mut random, output, &dims);
        builder.store(access, value);
        check::<E>(&builder.finish().unwrap(), &mut random);
    }
}

/// Elements at computed indices, in and out of range.
pub fn gathers<E: Executor>() {
    let mut random = Random::new(23);
    for round in 0..200 {
        let dims = dims(&mut random, 3);
        let mut builder = Builder::new(&dims, 0);
        let storage = *random.pick(&[Storage::F32, Storage::U8, Storage::BF16, Storage::F64]);
        let (indices, data, output) = (builder.input(Storage::I64), builder.input(storage), builder.output(storage));
        let mut access = any_access(&mut random, indices, &dims);
        // Now and then the same along a row, which is then loaded as a whole.
        if random.below(2) == 0
            && let Some(last) = access.strides.last_mut()
            && *last >= 0
        {
            *last = 0;
        }
        let raw = builder.load(access);
        let ten = builder.constant(10i64);
        // Some fall outside of 0..8.
        let index = if round % 3 == 0 { raw } else { builder.binary(BinaryOp::Rem, raw, ten) };
        let access = any_access(&mut random, data, &dims);
        let one = GatherIndex { index, size: 8, stride: 3 };
        let backwards = GatherIndex { index, size: 5, stride: -2 };
        let access = Access { offset: access.offset + 8, ..access };
        let x = builder.gather(access, Part::Whole, if round % 2 == 0 { vec![one] } else { vec![one, backwards] });
        let access = distinct_access(&mut random, output, &dims);
        builder.store(access, x);
        check::<E>(&builder.finish().unwrap(), &mut random);
    }
}

/// Coordinates as values, whatever happens to the axes.
pub fn indices<E: Executor>() {
    let mut random = Random::new(24);
    for _ in 0..100 {
        let mut dims = dims(&mut random, 4);
        dims.push(1 + random.below(5) as usize);
        let mut builder = Builder::new(&dims, 0);
        let output = builder.output(Storage::I64);
        let mut sum = builder.constant(0i64);
        for dim in 0..dims.len() {
            if random.below(3) > 0 {
                let mut index = builder.index(dim);
                // Counted in 32 bits, and sometimes in 64 as well.
                if random.below(2) == 0 {
                    let narrow = builder.convert(Type::I32, index);
                    let wide = builder.convert(Type::I64, narrow);
                    index = if random.below(2) == 0 { wide } else { builder.binary(BinaryOp::Max, index, wide) };
                }
                let factor = builder.constant(10i64.pow(dim as u32));
                let term = builder.binary(BinaryOp::Mul, index, factor);
                sum = builder.binary(BinaryOp::Add, sum, term);
            }
        }
        let access = distinct_access(&mut random, output, &dims);
        builder.store(access, sum);
        check::<E>(&builder.finish().unwrap(), &mut random);
    }
}

/// An output that is read where it is written.
pub fn updates_in_place<E: Executor>() {
    let mut random = Random::new(25);
    for _ in 0..100 {
        let dims = dims(&mut random, 4);
        let mut builder = Builder::new(&dims, 0);
        let (input, output) = (builder.input(Storage::I32), builder.output(Storage::I32));
        let access = distinct_access(&mut random, output, &dims);
        let old = builder.load(access.clone());
        let other = any_access(&mut random, input, &dims);
        let x = builder.load(other);
        let sum = builder.binary(BinaryOp::Add, old, x);
        let product = builder.binary(BinaryOp::Mul, sum, old);
        builder.store(access, product);
        check::<E>(&builder.finish().unwrap(), &mut random);
    }
}
