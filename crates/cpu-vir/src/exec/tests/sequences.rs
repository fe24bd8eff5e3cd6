//! What sequences promise beyond the suite: jumps, blocks that move, and that nothing beyond an area is touched.

use std::sync::Arc;

use crate::exec::{Area, Item, Kernel, Misfit, Move, MoveIndex, Place, RunError, Sequence};
use crate::{BinaryOp, Builder, Direction, ReduceKind, Scalar, Storage, UnaryOp};

/// A byte of area 0 and on.
fn place(start: usize) -> Place {
    Place { area: 0, start }
}

#[test]
fn turns_go_on_until_the_condition_says_no_or_somebody_does() {
    // i32 at 0: counts to the i32 at 4, the condition at 8.
    let mut builder = Builder::new(&[], 0);
    let (limit, counter, more) =
        (builder.input(Storage::I32), builder.output(Storage::I32), builder.output(Storage::Bool));
    let (n, i) = (builder.load(builder.dense(limit)), builder.load(builder.dense(counter)));
    let one = builder.constant(1i32);
    let next = builder.binary(BinaryOp::Add, i, one);
    let again = builder.compare(Direction::Lt, next, n);
    builder.store(builder.dense(counter), next);
    builder.store(builder.dense(more), again);
    let kernel = Arc::new(Kernel::prepare(&builder.finish().unwrap()).unwrap());
    let areas = [Area { bytes: 9, written: true }];
    let turn = Item::Run { kernel, inputs: vec![place(4)], outputs: vec![place(0), place(8)] };
    let items = [turn, Item::If { condition: place(8), value: true, target: 0 }];
    let sequence = Sequence::prepare(&areas, &items).unwrap();
    let run = |limit: i32, patience: usize| {
        let mut memory = [0u8; 9];
        memory[4..8].copy_from_slice(&limit.to_le_bytes());
        let mut asked = 0;
        let mut go_on = || {
            asked += 1;
            asked < patience
        };
        let done = sequence.run(&[], &mut [&mut memory], &mut go_on).unwrap();
        (done, i32::from_le_bytes([memory[0], memory[1], memory[2], memory[3]]))
    };
    assert_eq!(run(5000, usize::MAX), (true, 5000));
    assert_eq!(run(1, usize::MAX), (true, 1));
    let (done, count) = run(i32::MAX, 3);
    assert!(!done && (3..10_000).contains(&count), "{count}");
}

#[test]
fn sequences_that_do_not_fit_their_areas_are_refused() {
    let areas = [Area { bytes: 16, written: true }, Area { bytes: 8, written: false }];
    let copy = |from, to, bytes| Item::Copy { from, to, bytes };
    let fixed = Place { area: 1, start: 0 };
    let fault = |item| Sequence::prepare(&areas, &[item]).err();
    assert_eq!(fault(copy(fixed, place(8), 8)), None);
    let beyond = Misfit::Beyond { item: 0, area: 0, start: 9, end: 17, bytes: 16 };
    assert_eq!(fault(copy(fixed, place(9), 8)), Some(beyond));
    assert_eq!(fault(copy(place(0), fixed, 8)), Some(Misfit::ReadOnly { item: 0, area: 1 }));
    assert_eq!(fault(copy(place(0), place(7), 8)), Some(Misfit::Overlap { item: 0 }));
    assert_eq!(fault(Item::Jump { target: 2 }), Some(Misfit::Malformed { item: 0, target: 2 }));
    let index = MoveIndex { place: place(0), ty: crate::Type::I32, wrap: 0, most: 3, stride: 4 };
    let row = |most| {
        let indices = vec![MoveIndex { most, ..index }];
        let runs = vec![(0, 0, 4)];
        Item::Move(Move { from: fixed, to: place(4), indices, moves_source: false, drops: false, runs })
    };
    assert_eq!(fault(row(2)), None);
    assert!(matches!(fault(row(3)), Some(Misfit::Beyond { end: 20, .. })));
    let sequence = Sequence::prepare(&areas, &[row(2)]).unwrap();
    let mut memory: Vec<u8> = (0..16).collect();
    memory[..4].copy_from_slice(&7i32.to_le_bytes());
    let done = sequence.run(&[&[91, 92, 93, 94, 0, 0, 0, 0]], &mut [&mut memory], &mut || true);
    assert_eq!(done, Ok(true));
    assert_eq!(memory[4..], [4, 5, 6, 7, 8, 9, 10, 11, 91, 92, 93, 94]);
    let short = sequence.run(&[&[0; 7]], &mut [&mut memory], &mut || true);
    assert_eq!(short, Err(RunError::TooShort { role: "read area", index: 1, wanted: 8, given: 7 }));
}

#[test]
fn blocks_are_moved_by_indices_that_count_from_the_end_or_drop_them() {
    // Three rows of two bytes at 4; the indices at 0 and 1, the block at 2.
    let run = |at: [i8; 2], (moves_source, drops): (bool, bool), wrap: i64| {
        let index = |start, most, stride| MoveIndex { place: place(start), ty: crate::Type::I8, wrap, most, stride };
        let (from, to) = if moves_source { (place(4), place(2)) } else { (place(2), place(4)) };
        let (indices, runs) = (vec![index(0, 2, 2), index(1, 0, 1)], vec![(0, 0, 2)]);
        let moved = Item::Move(Move { from, to, indices, moves_source, drops, runs });
        let mut memory = [at[0] as u8, at[1] as u8, 71, 72, 10, 11, 20, 21, 30, 31];
        let sequence = Sequence::prepare(&[Area { bytes: 10, written: true }], &[moved]).unwrap();
        assert_eq!(sequence.run(&[], &mut [&mut memory], &mut || true), Ok(true));
        memory
    };
    let taken = |at, drops, wrap| run(at, (true, drops), wrap)[2..4].to_vec();
    assert_eq!(taken([1, 0], false, 0), [20, 21]);
    assert_eq!(taken([-1, 0], false, 0), [10, 11]);
    assert_eq!(taken([-1, 0], false, 3), [30, 31]);
    // The sum is of the index's type: -128 - 128 is 0 there.
    assert_eq!(taken([-127, 5], false, -128), [20, 21]);
    // Only what is written can be dropped.
    assert_eq!(taken([3, 0], true, 0), [30, 31]);
    let put = |at, drops, wrap| run(at, (false, drops), wrap)[4..].to_vec();
    assert_eq!(put([1, 0], true, 0), [10, 11, 71, 72, 30, 31]);
    assert_eq!(put([-1, 0], true, 3), [10, 11, 20, 21, 71, 72]);
    assert_eq!(put([3, 0], false, 0), [10, 11, 20, 21, 71, 72]);
    for outside in [[3, 0], [-4, 0], [-1, 1], [0, 1], [127, 0]] {
        assert_eq!(put(outside, true, 3), [10, 11, 20, 21, 30, 31], "{outside:?}");
    }
    // A later index that counts brings nothing back.
    assert_eq!(put([9, 0], true, 0), [10, 11, 20, 21, 30, 31]);
}

#[test]
fn turns_of_lanes_and_of_sums_are_those_of_the_kernels() {
    // Three floats at 16, from which their sum over 7, kept at 32, is taken again and again; a counter at 0, its limit at
    // 4, the condition at 8.
    let floats = |reduced: bool| {
        let mut builder = Builder::new(&[3], usize::from(reduced));
        if reduced {
            let (x, sum) = (builder.input(Storage::F32), builder.output(Storage::F32));
            let x = builder.load(builder.dense(x));
            let seventh = builder.constant(1.0f32 / 7.0);
            let scaled = builder.binary(BinaryOp::Mul, x, seventh);
            builder.reduce(ReduceKind::Sum, scaled, Scalar::from(0.5f32), builder.dense_result(sum));
        } else {
            let (sum, x) = (builder.input(Storage::F32), builder.output(Storage::F32));
            let (s, y) = (builder.load(builder.scalar_access(sum)), builder.load(builder.dense(x)));
            let less = builder.binary(BinaryOp::Sub, y, s);
            let wave = builder.unary(UnaryOp::Sin, less);
            builder.store(builder.dense(x), wave);
        }
        Arc::new(Kernel::prepare(&builder.finish().unwrap()).unwrap())
    };
    let (sum, step) = (floats(true), floats(false));
    let areas = [Area { bytes: 36, written: true }];
    let turn = [
        Item::Run { kernel: sum.clone(), inputs: vec![place(16)], outputs: vec![place(32)] },
        Item::Run { kernel: step.clone(), inputs: vec![place(32)], outputs: vec![place(16)] },
    ];
    let (mut once, mut apart) = ([0u8; 36], [0u8; 36]);
    for (index, x) in [0.25f32, -3.0, 1e6].into_iter().enumerate() {
        once[16 + 4 * index..][..4].copy_from_slice(&x.to_le_bytes());
    }
    apart.copy_from_slice(&once);
    let straight = Sequence::prepare(&areas, &turn).unwrap();
    for _ in 0..50 {
        straight.run(&[], &mut [&mut once], &mut || true).unwrap();
        let (x, s) = apart.split_at_mut(32);
        sum.run(&[&x[16..28]], &mut [&mut s[..4]], 0..1).unwrap();
        step.run(&[&s[..4]], &mut [&mut x[16..28]], 0..3).unwrap();
    }
    assert_eq!(once, apart);
    assert!(sum.is_short() && step.is_short());
}
