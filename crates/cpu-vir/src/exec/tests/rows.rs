//! Programs that run row by row give what they give one after another, and those that look elsewhere are refused.

use super::{Unruly, program};
use crate::exec::{Area, Kernel, NoRows, Place, RowLoop, Rows, row_length};
use crate::{Access, BinaryOp, Builder, OperandId, Program, ReduceKind, Scalar, Storage};

const ROWS: usize = 300;
const COLUMNS: usize = 700;

/// Takes from each row the number that belongs to it, in place; read at `offset` and through `strides`.
fn less(offset: i64, strides: Vec<i64>) -> Program {
    let mut builder = Builder::new(&[ROWS, COLUMNS], 0);
    let (sums, x) = (builder.input(Storage::F32), builder.output(Storage::F32));
    let s = builder.load(Access { operand: sums, offset, strides });
    let y = builder.load(builder.dense(x));
    let z = builder.binary(BinaryOp::Sub, y, s);
    builder.store(builder.dense(x), z);
    builder.finish().unwrap()
}

fn sum() -> Program {
    let mut builder = Builder::new(&[ROWS, COLUMNS], 1);
    let (x, sums) = (builder.input(Storage::F32), builder.output(Storage::F32));
    let x = builder.load(builder.dense(x));
    builder.reduce(ReduceKind::Sum, x, Scalar::from(0.0f32), builder.dense_result(sums));
    builder.finish().unwrap()
}

fn areas() -> [Area; 2] {
    [Area { bytes: 4 * ROWS * COLUMNS, written: true }, Area { bytes: 4 * ROWS, written: true }]
}

fn place(area: usize) -> Place {
    Place { area, start: 0 }
}

#[test]
fn rows_give_what_one_after_another_gives_on_any_number_of_threads() {
    let (sum, less) = (sum(), less(0, vec![1, 0]));
    let loops = [
        RowLoop { program: &sum, inputs: vec![place(0)], outputs: vec![place(1)] },
        RowLoop { program: &less, inputs: vec![place(1)], outputs: vec![place(0)] },
        RowLoop { program: &sum, inputs: vec![place(0)], outputs: vec![place(1)] },
    ];
    let rows = Rows::prepare(&areas(), &loops, 1, &[]).unwrap();
    assert!((2..ROWS).contains(&rows.block()));
    let start: Vec<u8> = (0..ROWS * COLUMNS).flat_map(|i| (i as f32).sin().to_le_bytes()).collect();
    let (mut x, mut sums) = (start.clone(), vec![0u8; 4 * ROWS]);
    let [sum, less] = [&sum, &less].map(|program| Kernel::prepare(program).unwrap());
    sum.run(&[&x], &mut [&mut sums], 0..ROWS).unwrap();
    less.run(&[&sums], &mut [&mut x], 0..less.points()).unwrap();
    sum.run(&[&x], &mut [&mut sums], 0..ROWS).unwrap();
    for parts in [1, 2, 5, 1000] {
        let (mut y, mut found) = (start.clone(), vec![0u8; 4 * ROWS]);
        rows.run_on(&Unruly, parts, &[], &mut [&mut y, &mut found]).unwrap();
        assert!(x == y && sums == found, "{parts} parts");
    }
    // What passes is in memory of its own, and the area is left as it was.
    let passing = Rows::prepare(&areas(), &loops, 1, &[place(1)]).unwrap();
    for parts in [1, 3] {
        let (mut y, mut untouched) = (start.clone(), vec![7u8; 4 * ROWS]);
        passing.run_on(&Unruly, parts, &[], &mut [&mut y, &mut untouched]).unwrap();
        assert!(x == y && untouched.iter().all(|&byte| byte == 7), "{parts} parts");
    }
    let short = rows.run_on(&Unruly, 1, &[], &mut [&mut x[..8], &mut sums]);
    assert!(short.is_err());
}

#[test]
fn programs_that_leave_their_row_are_refused() {
    let sum = sum();
    let refused = |program: &Program| {
        let loops = [
            RowLoop { program: &sum, inputs: vec![place(0)], outputs: vec![place(1)] },
            RowLoop { program, inputs: vec![place(1)], outputs: vec![place(0)] },
        ];
        Rows::prepare(&areas(), &loops, 1, &[]).err()
    };
    assert_eq!(refused(&less(0, vec![1, 0])), None);
    // The first number for every row; the numbers of other rows.
    assert_eq!(refused(&less(0, vec![0, 0])), Some(NoRows::Astray { program: 1 }));
    let backwards = less(ROWS as i64 - 1, vec![-1, 0]);
    assert_eq!(refused(&backwards), Some(NoRows::Astray { program: 1 }));
    let other = program(ROWS + 1, COLUMNS, 0);
    let loops = [
        RowLoop { program: &sum, inputs: vec![place(0)], outputs: vec![place(1)] },
        RowLoop { program: &other, inputs: vec![place(0), place(1)], outputs: vec![place(0)] },
    ];
    assert_eq!(Rows::prepare(&areas(), &loops, 1, &[]).err(), Some(NoRows::Different { program: 1 }));
    assert_eq!(row_length(&sum, OperandId(0), 1), Some(COLUMNS));
    assert_eq!(row_length(&sum, OperandId(1), 1), Some(1));
    assert_eq!(row_length(&less(0, vec![0, 0]), OperandId(0), 1), None);
}
