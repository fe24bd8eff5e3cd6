//! The suite on the portable executor, with the loops of every variant, and what only this executor promises.

mod columns;
mod rows;
mod sequences;

use std::ops::Range;
use std::sync::Arc;

use super::{Area, Isa, Item, Kernel, Place, RunError, Sequence, Spread};
use crate::expand::expand;
use crate::suite::Executor;
use crate::{BinaryOp, Builder, Inst, Invalid, Program, ReduceKind, Role, Scalar, Storage, UnaryOp};

struct Best;

impl Executor for Best {
    type Kernel = Kernel;
    fn prepare(program: &Program) -> Result<Kernel, Invalid> {
        Kernel::prepare(program)
    }
    fn run(kernel: &Kernel, inputs: &[&[u8]], outputs: &mut [&mut [u8]], range: Range<usize>) {
        kernel.run(inputs, outputs, range).unwrap();
    }
}

struct Baseline;

impl Executor for Baseline {
    type Kernel = Kernel;
    fn prepare(program: &Program) -> Result<Kernel, Invalid> {
        Kernel::prepare_for(program, Isa::Baseline)
    }
    fn run(kernel: &Kernel, inputs: &[&[u8]], outputs: &mut [&mut [u8]], range: Range<usize>) {
        kernel.run(inputs, outputs, range).unwrap();
    }
}

/// AVX2 where the processor has it, which is not the best one everywhere.
struct Avx2;

impl Executor for Avx2 {
    type Kernel = Kernel;
    fn prepare(program: &Program) -> Result<Kernel, Invalid> {
        Kernel::prepare_for(program, if Isa::Avx2.is_supported() { Isa::Avx2 } else { Isa::Baseline })
    }
    fn run(kernel: &Kernel, inputs: &[&[u8]], outputs: &mut [&mut [u8]], range: Range<usize>) {
        kernel.run(inputs, outputs, range).unwrap();
    }
}

mod avx2 {
    use super::Avx2;
    crate::vir_tests!(Avx2);
}

/// Runs of all points as a sequence, others by the kernel.
struct WrittenDown;

impl Executor for WrittenDown {
    type Kernel = (Arc<Kernel>, Sequence);
    fn prepare(program: &Program) -> Result<Self::Kernel, Invalid> {
        let kernel = Arc::new(Kernel::prepare(program)?);
        let bytes = kernel.input_bytes().map(|bytes| (bytes, false));
        let bytes = bytes.chain(kernel.output_bytes().map(|bytes| (bytes, true)));
        let areas: Vec<Area> = bytes.map(|(bytes, written)| Area { bytes, written }).collect();
        let inputs = kernel.input_bytes().count();
        let place = |area| Place { area, start: 0 };
        let run = Item::Run {
            kernel: kernel.clone(),
            inputs: (0..inputs).map(place).collect(),
            outputs: (inputs..areas.len()).map(place).collect(),
        };
        let reads_output = |inst: &Inst| matches!(inst, Inst::Load { access, .. } if program.operands[access.operand.index()].role == Role::Output);
        // A second time where that changes nothing: nothing is to be left over from the first.
        let times = if program.body.iter().any(reads_output) { 1 } else { 2 };
        let sequence = Sequence::prepare(&areas, &vec![run; times]).unwrap();
        Ok((kernel, sequence))
    }
    fn run((kernel, sequence): &Self::Kernel, inputs: &[&[u8]], outputs: &mut [&mut [u8]], range: Range<usize>) {
        match range == (0..kernel.points()) {
            true => assert_eq!(sequence.run(inputs, outputs, &mut || false), Ok(true)),
            false => kernel.run(inputs, outputs, range).unwrap(),
        }
    }
}

mod written_down {
    use super::WrittenDown;
    crate::vir_tests!(WrittenDown);
}

mod best {
    use super::Best;
    crate::vir_tests!(Best);
}

mod baseline {
    use super::Baseline;
    crate::vir_tests!(Baseline);
}

/// A sum of rows after an addition.
fn program(rows: usize, columns: usize, reduced: usize) -> Program {
    let mut builder = Builder::new(&[rows, columns], reduced);
    let (a, b, c) = (builder.input(Storage::F32), builder.input(Storage::F32), builder.output(Storage::F32));
    let (x, y) = (builder.load(builder.dense(a)), builder.load(builder.scalar_access(b)));
    let z = builder.binary(BinaryOp::Add, x, y);
    match reduced {
        0 => builder.store(builder.dense(c), z),
        _ => builder.reduce(ReduceKind::Sum, z, Scalar::from(0f32), builder.dense_result(c)),
    }
    builder.finish().unwrap()
}

#[test]
fn operands_that_do_not_fit_are_refused() {
    let kernel = Kernel::prepare(&program(3, 5, 0)).unwrap();
    assert_eq!(kernel.input_bytes().collect::<Vec<_>>(), [60, 4]);
    assert_eq!(kernel.output_bytes().collect::<Vec<_>>(), [60]);
    let (long, short) = (vec![0u8; 60], vec![0u8; 59]);
    let mut output = vec![0u8; 60];
    let found = kernel.run(&[&long], &mut [&mut output], 0..15);
    assert_eq!(found, Err(RunError::Count { role: "input", wanted: 2, given: 1 }));
    let found = kernel.run(&[&short, &long], &mut [&mut output], 0..15);
    assert_eq!(found, Err(RunError::TooShort { role: "input", index: 0, wanted: 60, given: 59 }));
    let found = kernel.run(&[&long, &long], &mut [&mut output[..8]], 0..15);
    assert_eq!(found, Err(RunError::TooShort { role: "output", index: 0, wanted: 60, given: 8 }));
    let found = kernel.run(&[&long, &long], &mut [&mut output], 3..16);
    assert_eq!(found, Err(RunError::Range { start: 3, end: 16, points: 15 }));
}

/// Runs every task twice, on threads of its own, and leaves out the last.
struct Unruly;

impl Spread for Unruly {
    fn spread(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for number in (0..tasks - 1).chain(0..tasks) {
                if number + 1 < tasks {
                    scope.spawn(move || task(number));
                }
            }
        });
    }
}

#[test]
fn threads_change_nothing() {
    for (rows, columns, reduced) in [(1000, 700, 0), (3000, 300, 1), (5, 3, 1)] {
        let kernel = Kernel::prepare(&program(rows, columns, reduced)).unwrap();
        let input: Vec<u8> = (0..rows * columns).flat_map(|i| (i as f32).sin().to_le_bytes()).collect();
        let scalar = 0.1f32.to_le_bytes();
        let length = kernel.output_bytes().next().unwrap();
        let (mut whole, mut cut) = (vec![0u8; length], vec![0u8; length]);
        kernel.run(&[&input, &scalar], &mut [&mut whole], 0..kernel.points()).unwrap();
        kernel.run_on(&Unruly, 7, &[&input, &scalar], &mut [&mut cut]).unwrap();
        assert!(whole == cut);
    }
}

#[test]
fn expanded_functions_give_the_same_bits() {
    let mut random = crate::suite::Random::new(3);
    for storage in [Storage::F32, Storage::F64] {
        let ty = storage.compute();
        let mut builder = Builder::new(&[20_000], 0);
        let (a, b) = (builder.input(storage), builder.input(storage));
        let (x, y) = (builder.load(builder.dense(a)), builder.load(builder.dense(b)));
        let mut results = Vec::new();
        for op in UnaryOp::ALL.iter().filter(|op| op.result(ty) == ty && op.accepts(ty)) {
            results.push(builder.unary(*op, x));
        }
        for op in BinaryOp::ALL.iter().filter(|op| op.accepts(ty)) {
            results.push(builder.binary(*op, x, y));
        }
        for result in results {
            let output = builder.output(storage);
            builder.store(builder.dense(output), result);
        }
        let program = builder.finish().unwrap();
        let expanded = expand(&program).unwrap();
        let written =
            |op: &UnaryOp| expanded.body.iter().any(|i| matches!(i, crate::Inst::Unary { op: o, .. } if o == op));
        assert!(!written(&UnaryOp::Erf) && !written(&UnaryOp::Cbrt) && written(&UnaryOp::Sin));
        let inputs = [0, 1].map(|_| random.elements(storage, 20_000 * storage.size()));
        let before = vec![vec![0; inputs[0].len()]; program.stores.len()];
        let found = [&program, &expanded].map(|program| crate::suite::execute::<Best>(program, &inputs, &before));
        for (index, (whole, parts)) in found[0].iter().zip(&found[1]).enumerate() {
            assert_eq!(crate::suite::difference(storage, whole, parts), None, "result {index} of {storage}");
        }
    }
}
