//! Programs that run row by row give what they give one after another, and those that look elsewhere are refused.

use super::{Unruly, program};
use crate::exec::{
    Area, Kernel, Misfit, NoRows, Place, RowChange, RowFunction, RowItem, RowLoop, RowStep, RowUpdate, RowWork, Rows,
    STEP_ROWS, Spread, row_length,
};
use crate::{Access, BinaryOp, Builder, OperandId, Program, ReduceKind, Scalar, Storage};
use std::sync::Arc;

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

fn looped(program: &Program, from: usize, to: usize) -> RowItem<'_> {
    RowItem::Loop(RowLoop { program, inputs: vec![place(from)], outputs: vec![place(to)] })
}

fn place(area: usize) -> Place {
    Place { area, start: 0 }
}

#[test]
fn rows_give_what_one_after_another_gives_on_any_number_of_threads() {
    let (sum, less) = (sum(), less(0, vec![1, 0]));
    let loops = || vec![looped(&sum, 0, 1), looped(&less, 1, 0), looped(&sum, 0, 1)];
    let rows = Rows::prepare(&areas(), loops(), 1, &[]).unwrap();
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
    let passing = Rows::prepare(&areas(), loops(), 1, &[place(1)]).unwrap();
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
    let refused =
        |program: &Program| Rows::prepare(&areas(), vec![looped(&sum, 0, 1), looped(program, 1, 0)], 1, &[]).err();
    assert_eq!(refused(&less(0, vec![1, 0])), None);
    // The first number for every row; the numbers of other rows.
    assert_eq!(refused(&less(0, vec![0, 0])), Some(NoRows::Astray { program: 1 }));
    let backwards = less(ROWS as i64 - 1, vec![-1, 0]);
    assert_eq!(refused(&backwards), Some(NoRows::Astray { program: 1 }));
    let other = program(ROWS + 1, COLUMNS, 0);
    let both = RowLoop { program: &other, inputs: vec![place(0), place(1)], outputs: vec![place(0)] };
    let loops = vec![looped(&sum, 0, 1), RowItem::Loop(both)];
    assert_eq!(Rows::prepare(&areas(), loops, 1, &[]).err(), Some(NoRows::Different { program: 1 }));
    assert_eq!(row_length(&sum, OperandId(0), 1), Some(COLUMNS));
    assert_eq!(row_length(&sum, OperandId(1), 1), Some(1));
    assert_eq!(row_length(&less(0, vec![0, 0]), OperandId(0), 1), None);
}

/// Adds to each number of a row the sum of all that is whole.
struct AddTotal;

impl RowWork for AddTotal {
    fn with_whole(&self, pool: &dyn Spread, whole: &[u8], body: &mut dyn FnMut(&RowFunction<'_>)) {
        pool.spread(1, &|_| ());
        let total: f32 = whole.chunks_exact(4).map(number).sum();
        body(&|from, to| {
            for (to, from) in to.chunks_exact_mut(4).zip(from.chunks_exact(4)) {
                to.copy_from_slice(&(number(from) + total).to_le_bytes());
            }
        });
    }
}

fn number(bytes: &[u8]) -> f32 {
    f32::from_le_bytes(bytes.try_into().unwrap())
}

fn step(from: Place, whole: Place, to: Place) -> RowItem<'static> {
    let row = 4 * COLUMNS;
    let work = Arc::new(AddTotal);
    let least = STEP_ROWS;
    RowItem::Step(RowStep { work, rows: ROWS, least, from: (from, row), whole: (whole, 8), to: (to, row) })
}

#[test]
fn steps_run_among_loops_and_see_their_whole_operand() {
    let (sum, less) = (sum(), less(0, vec![1, 0]));
    let mut areas = areas().to_vec();
    areas.extend([Area { bytes: 4 * ROWS * COLUMNS, written: true }, Area { bytes: 8, written: false }]);
    // Both rows to the step and rows from it: x − Σx, plus 3, and the sums of that.
    let items =
        || vec![looped(&sum, 0, 1), looped(&less, 1, 0), step(place(0), place(3), place(2)), looped(&sum, 2, 1)];
    let start: Vec<u8> = (0..ROWS * COLUMNS).flat_map(|i| (i as f32).sin().to_le_bytes()).collect();
    let whole: Vec<u8> = [1f32, 2.0].iter().flat_map(|n| n.to_le_bytes()).collect();
    let mut results = Vec::new();
    for (parts, passing) in [(1, vec![]), (4, vec![]), (1, vec![place(2)]), (3, vec![place(2)])] {
        let rows = Rows::prepare(&areas, items(), 1, &passing).unwrap();
        assert!((2..ROWS).contains(&rows.block()));
        let (mut x, mut sums, mut y) = (start.clone(), vec![0u8; 4 * ROWS], vec![7u8; 4 * ROWS * COLUMNS]);
        rows.run_on(&Unruly, parts, &[&whole], &mut [&mut x, &mut sums, &mut y]).unwrap();
        let added = x.chunks_exact(4).zip(y.chunks_exact(4)).all(|(x, y)| number(x) + 3.0 == number(y));
        assert!(if passing.is_empty() { added } else { y.iter().all(|&byte| byte == 7) });
        results.push((x, sums));
    }
    assert!(results.iter().all(|result| *result == results[0]));
    let refused = |items| Rows::prepare(&areas, items, 1, &[]).err();
    let onto_itself = vec![looped(&sum, 0, 1), step(place(0), place(3), place(0))];
    assert_eq!(refused(onto_itself), Some(Misfit::Overlap { item: 1 }.into()));
    // What is wanted whole is not there before the last row.
    let too_early = vec![looped(&sum, 0, 1), step(place(0), place(1), place(2))];
    assert_eq!(refused(too_early), Some(NoRows::Astray { program: 1 }));
    let read_only = vec![looped(&sum, 0, 1), step(place(0), place(1), place(3))];
    assert!(matches!(refused(read_only), Some(NoRows::Misfit(_))));
    assert!(matches!(refused(vec![step(place(0), place(3), place(2))]), Some(NoRows::Different { .. })));
}

/// Counts the rows that it has seen, and mixes their sums in, in an order that matters.
struct Mix;

impl RowUpdate for Mix {
    fn update(&self, rows: usize, from: &[&[u8]], target: &mut [u8]) {
        assert_eq!((from[0].len(), from[1].len()), (4 * rows, 4 * rows * COLUMNS));
        for (sum, row) in from[0].chunks_exact(4).zip(from[1].chunks_exact(4 * COLUMNS)) {
            let mixed = number(target) * 0.5 + number(sum) + number(&row[..4]);
            target.copy_from_slice(&mixed.to_le_bytes());
        }
    }
}

#[test]
fn changes_take_rows_in_order_whatever_the_number_of_threads() {
    let (sum, less) = (sum(), less(0, vec![1, 0]));
    let mut areas = areas().to_vec();
    areas.push(Area { bytes: 4, written: true });
    let change = |target: Place, bytes: usize| {
        let from = vec![(place(1), 4), (place(0), 4 * COLUMNS)];
        RowItem::Change(RowChange { work: Arc::new(Mix), rows: ROWS, from, target: (target, bytes) })
    };
    let items = || vec![looped(&sum, 0, 1), looped(&less, 1, 0), change(place(2), 4)];
    let start: Vec<u8> = (0..ROWS * COLUMNS).flat_map(|i| (i as f32).sin().to_le_bytes()).collect();
    let mut results = Vec::new();
    for (parts, passing) in [(1, vec![]), (4, vec![]), (4, vec![place(1)])] {
        let rows = Rows::prepare(&areas, items(), 1, &passing).unwrap();
        assert!((1..ROWS).contains(&rows.block()));
        let (mut x, mut sums, mut mixed) = (start.clone(), vec![0u8; 4 * ROWS], 7f32.to_le_bytes().to_vec());
        rows.run_on(&Unruly, parts, &[], &mut [&mut x, &mut sums, &mut mixed]).unwrap();
        results.push(mixed);
    }
    assert!(results.iter().all(|result| *result == results[0] && number(result).is_finite()));
    let refused = |items| Rows::prepare(&areas, items, 1, &[]).err();
    // Nobody else may touch what is changed, be it the change itself.
    let own = vec![looped(&sum, 0, 1), looped(&less, 1, 0), change(place(0), 4)];
    assert_eq!(refused(own), Some(Misfit::Overlap { item: 2 }.into()));
    let twice = vec![looped(&sum, 0, 1), change(place(2), 4), change(place(2), 4)];
    assert!(matches!(refused(twice), Some(NoRows::Astray { .. })));
    let too_long = vec![looped(&sum, 0, 1), change(place(2), 8)];
    assert!(matches!(refused(too_long), Some(NoRows::Misfit(Misfit::Beyond { .. }))));
}
