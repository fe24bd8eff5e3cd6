//! Programs as data: faults are found and named, the text form says everything, costs are in proportion.

use cpu_vir::{
    Access, BinaryOp, Builder, Direction, GatherIndex, Guard, Inst, Invalid, OperandId, Part, Program, ReduceKind,
    Scalar, Storage, Type, UnaryOp, Value, cost, verify,
};

/// A sum of two matrices, one transposed, and what a change makes of it.
fn changed(change: impl FnOnce(&mut Program)) -> Result<(), Invalid> {
    let mut builder = Builder::new(&[4, 6], 0);
    let (a, b, c) = (builder.input(Storage::F32), builder.input(Storage::F32), builder.output(Storage::F32));
    let x = builder.load(builder.dense(a));
    let y = builder.load(Access { operand: b, offset: 0, strides: vec![1, 4] });
    let z = builder.binary(BinaryOp::Add, x, y);
    builder.store(builder.dense(c), z);
    let mut program = builder.finish().unwrap();
    change(&mut program);
    verify(&program)
}

#[test]
fn faults_are_found() {
    assert_eq!(changed(|_| {}), Ok(()));
    let reduced = changed(|program| program.reduced = 3);
    assert_eq!(reduced, Err(Invalid::Reduced { reduced: 3, dims: 2 }));
    let huge = changed(|program| program.dims = vec![1 << 40, 1 << 40]);
    assert!(matches!(huge, Err(Invalid::TooManyPoints { .. })), "{huge:?}");
    let untyped = changed(|program| program.types.truncate(2));
    assert_eq!(untyped, Err(Invalid::Types { body: 3, types: 2 }));
    let late = changed(|program| program.body[2] = Inst::Unary { op: UnaryOp::Neg, a: Value(2) });
    assert_eq!(late, Err(Invalid::Order { at: 2, argument: 2 }));
    let logic = changed(|program| program.body[2] = Inst::Unary { op: UnaryOp::Not, a: Value(0) });
    assert_eq!(logic, Err(Invalid::Arguments { at: 2, what: "not", given: vec![Type::F32] }));
    let mistyped = changed(|program| program.types[2] = Type::F64);
    assert_eq!(mistyped, Err(Invalid::Result { at: 2, said: Type::F64, gives: Type::F32 }));
    let dimension = changed(|program| {
        program.body[0] = Inst::Index { dim: 2 };
        program.types[0] = Type::I64;
    });
    assert!(matches!(dimension, Err(Invalid::Immediate { at: 0, value: 2, limit: 1, .. })), "{dimension:?}");
    let wide = changed(|program| program.body[2] = Inst::ReducePrecision { exponent: 9, mantissa: 3, a: Value(0) });
    assert!(matches!(wide, Err(Invalid::Immediate { value: 9, limit: 8, .. })), "{wide:?}");
    let nowhere = changed(|program| program.stores[0].access.operand = OperandId(7));
    assert!(matches!(nowhere, Err(Invalid::NoOperand { operand: 7, .. })), "{nowhere:?}");
    let flat = changed(|program| program.stores[0].access.strides = vec![1]);
    assert!(matches!(flat, Err(Invalid::Strides { given: 1, dims: 2, .. })), "{flat:?}");
    let before = changed(|program| program.stores[0].access.offset = -1);
    assert!(matches!(before, Err(Invalid::OutOfMemory { element: -1, .. })), "{before:?}");
    let far = changed(|program| program.stores[0].access.strides[0] = i64::MAX);
    assert!(matches!(far, Err(Invalid::OutOfMemory { .. })), "{far:?}");
    let part = changed(|program| program.stores[0].part = Part::Im);
    assert!(matches!(part, Err(Invalid::Part { part: Part::Im, .. })), "{part:?}");
    let stored = changed(|program| program.operands[2].storage = Storage::I32);
    assert!(matches!(stored, Err(Invalid::Stored { given: Type::F32, wanted: Type::I32, .. })), "{stored:?}");
    let valueless = changed(|program| program.stores[0].value = Value(3));
    assert!(matches!(valueless, Err(Invalid::NoValue { value: 3, .. })), "{valueless:?}");
    let input = changed(|program| program.stores[0].access.operand = OperandId(0));
    assert!(matches!(input, Err(Invalid::WritesInput { .. })), "{input:?}");
    let repeated = changed(|program| program.reduced = 1);
    assert_eq!(repeated, Err(Invalid::StoreInReduction));
    let overlap = changed(|program| program.stores[0].access.strides = vec![5, 1]);
    assert!(matches!(overlap, Err(Invalid::Overlap { .. })), "{overlap:?}");
    let twice = changed(|program| program.stores.push(program.stores[0].clone()));
    assert!(matches!(twice, Err(Invalid::Overlap { .. })), "{twice:?}");
    let elsewhere = changed(|program| {
        let Inst::Load { access, .. } = &mut program.body[1] else { unreachable!() };
        access.operand = OperandId(2);
    });
    assert!(matches!(elsewhere, Err(Invalid::ReadsOutput { operand: 2, .. })), "{elsewhere:?}");
}

#[test]
fn a_gather_stays_within_what_addresses_count() {
    let build = |size, stride, offset| {
        let mut builder = Builder::new(&[4], 0);
        let (a, b) = (builder.input(Storage::F32), builder.output(Storage::F32));
        let index = builder.index(0);
        let access = Access { operand: a, offset, strides: vec![0] };
        let x = builder.gather(access, Part::Whole, vec![GatherIndex { index, size, stride }]);
        builder.store(builder.dense(b), x);
        builder.finish().map(drop)
    };
    assert_eq!(build(5, -1, 4), Ok(()));
    assert!(matches!(build(5, -1, 3), Err(Invalid::OutOfMemory { element: -1, .. })));
    assert!(matches!(build(0, 1, 0), Err(Invalid::Immediate { value: 0, limit: 1, .. })));
    assert!(matches!(build(1 << 40, 1 << 40, 0), Err(Invalid::OutOfMemory { .. })));
    assert!(matches!(build(1, i64::MIN, 0), Err(Invalid::Immediate { .. })));
}

#[test]
fn the_text_form_says_everything() {
    let mut builder = Builder::new(&[2, 3, 4], 1);
    let (a, b, c) = (builder.input(Storage::BF16), builder.input(Storage::Complex64), builder.output(Storage::F32));
    let guard = Guard { bounds: vec![(0, 2), (1, 3), (0, 4)], fill: Scalar::from(0f32) };
    let access = Access { operand: a, offset: -4, strides: vec![12, 4, 1] };
    let x = builder.load_part(access, Part::Whole, Some(guard));
    let y = builder.load_complex(builder.scalar_access(b)).im;
    let z = builder.fma(x, y, x);
    let z = builder.settle(Storage::BF16, z);
    let index = builder.index(2);
    let two = builder.constant(2i64);
    let early = builder.compare(Direction::Lt, index, two);
    let z = builder.select(early, z, x);
    builder.reduce(ReduceKind::Max, z, Scalar::from(f32::NEG_INFINITY), builder.dense_result(c));
    let expected = "\
loop [2x3] reduce [4] {
  in0: bf16
  in1: complex<f32>
  out0: f32
  %0: f32 = load in0[-4 + 12*i0 + 4*i1 + i2] if 1 <= i1 < 3 else 0.0
  %1: f32 = load in1[0].re
  %2: f32 = load in1[0].im
  %3: f32 = fma %0, %2, %0
  %4: f32 = round %3 to bf16
  %5: i64 = index 2
  %6: i64 = 2
  %7: mask = lt %5, %6
  %8: f32 = select %7, %4, %0
  out0[0 + 3*i0 + i1] = max %8 from -inf
}
";
    assert_eq!(builder.finish().unwrap().to_string(), expected);
}

#[test]
fn costs_grow_with_work() {
    let chain = |op: UnaryOp, storage: Storage, length: usize| {
        let mut builder = Builder::new(&[1000], 0);
        let (a, b) = (builder.input(storage), builder.output(storage));
        let mut x = builder.load(builder.dense(a));
        for _ in 0..length {
            x = builder.unary(op, x);
        }
        builder.store(builder.dense(b), x);
        cost::picoseconds(&builder.finish().unwrap())
    };
    assert!(chain(UnaryOp::Neg, Storage::F32, 1) < chain(UnaryOp::Neg, Storage::F32, 2));
    assert!(chain(UnaryOp::Neg, Storage::F32, 1) < chain(UnaryOp::Exp, Storage::F32, 1));
    assert!(chain(UnaryOp::Exp, Storage::F32, 1) < chain(UnaryOp::Exp, Storage::F64, 1));
}
