//! Control flow of the evaluator: loops, branches, calls, captured values, depth, cancellation, bad programs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use stablehlo::ElementType;
use stablehlo::eval::{EvalErrorKind, Evaluator, Process, Registry, Tensor, Value, evaluate};
use stablehlo::ir::attrs::{ComparisonDirection, ComparisonType};
use stablehlo::ir::{Attr, BlockId, Module, OpCode, OpSpec, RegionId, ValueId};

fn i32s(module: &mut Module, block: BlockId, value: i32) -> ValueId {
    let ty = module.tensor_type(&[], ElementType::I32);
    let dense = module.dense_attr(ty, &value.to_le_bytes()).unwrap();
    let attr = module.named("value", |_| dense);
    let op = module.append(block, OpSpec::new(OpCode::Constant).results(&[ty]).attrs(&[attr]));
    module.op(op).results()[0]
}

fn binary(module: &mut Module, block: BlockId, code: OpCode, a: ValueId, b: ValueId) -> ValueId {
    let ty = module.value_type(a);
    let op = module.append(block, OpSpec::new(code).operands(&[a, b]).results(&[ty]));
    module.op(op).results()[0]
}

fn less(module: &mut Module, block: BlockId, a: ValueId, b: ValueId) -> ValueId {
    let ty = module.tensor_type(&[], ElementType::Bool);
    let attrs = [
        module.named("comparison_direction", |m| m.intern_attr(Attr::ComparisonDirection(ComparisonDirection::Lt))),
        module.named("compare_type", |m| m.intern_attr(Attr::ComparisonType(ComparisonType::Signed))),
    ];
    let op = module.append(block, OpSpec::new(OpCode::Compare).operands(&[a, b]).results(&[ty]).attrs(&attrs));
    module.op(op).results()[0]
}

fn end(module: &mut Module, block: BlockId, code: OpCode, values: &[ValueId]) {
    module.append(block, OpSpec::new(code).operands(values));
}

/// A region with one block of `n` scalar arguments.
fn region(module: &mut Module, n: usize) -> (RegionId, BlockId, Vec<ValueId>) {
    let ty = module.tensor_type(&[], ElementType::I32);
    let region = module.new_region();
    let block = module.new_block(region, &vec![ty; n]);
    (region, block, module.block(block).args().to_vec())
}

fn scalar(value: i32) -> Value {
    Tensor::scalar(value).into()
}

/// `main(n)`: counts i from 0 while i < n and doubles x; the bound is captured by the condition.
fn doubling() -> Module {
    let mut m = Module::new();
    let ty = m.tensor_type(&[], ElementType::I32);
    let (_, main) = m.add_function("main", &[ty], &[ty, ty]);
    let n = m.block(main).args()[0];
    let (zero, one) = (i32s(&mut m, main, 0), i32s(&mut m, main, 1));
    let (cond, cond_block, state) = region(&mut m, 2);
    let goes_on = less(&mut m, cond_block, state[0], n);
    end(&mut m, cond_block, OpCode::Return, &[goes_on]);
    let (body, body_block, state) = region(&mut m, 2);
    let next = binary(&mut m, body_block, OpCode::Add, state[0], one);
    let doubled = binary(&mut m, body_block, OpCode::Add, state[1], state[1]);
    end(&mut m, body_block, OpCode::Return, &[next, doubled]);
    let op =
        m.append(main, OpSpec::new(OpCode::While).operands(&[zero, one]).results(&[ty, ty]).regions(&[cond, body]));
    let results = m.op(op).results().to_vec();
    end(&mut m, main, OpCode::FuncReturn, &results);
    m
}

#[test]
fn loops_capture_values_and_may_run_no_time() {
    let m = doubling();
    assert_eq!(evaluate(&m, &[scalar(10)]).unwrap(), [scalar(10), scalar(1024)]);
    assert_eq!(evaluate(&m, &[scalar(0)]).unwrap(), [scalar(0), scalar(1)]);
}

#[test]
fn a_run_can_be_cancelled_and_the_program_used_again() {
    let evaluator = Evaluator::new(Arc::new(doubling()), &Registry::default()).unwrap();
    let steps = AtomicU64::new(0);
    let stop = || steps.fetch_add(1, Ordering::Relaxed) >= 100;
    let error = evaluator.run_as(Process::default(), Some(&stop), vec![scalar(i32::MAX)]).unwrap_err();
    assert_eq!(error.kind, EvalErrorKind::Cancelled);
    assert_eq!(evaluator.run(vec![scalar(3)]).unwrap(), [scalar(3), scalar(8)]);
}

#[test]
fn an_index_out_of_range_takes_the_last_branch() {
    let mut m = Module::new();
    let ty = m.tensor_type(&[], ElementType::I32);
    let (_, main) = m.add_function("main", &[ty], &[ty]);
    let index = m.block(main).args()[0];
    let regions: Vec<RegionId> = [10, 20, 30]
        .iter()
        .map(|&value| {
            let (region, block, _) = region(&mut m, 0);
            let value = i32s(&mut m, block, value);
            end(&mut m, block, OpCode::Return, &[value]);
            region
        })
        .collect();
    let op = m.append(main, OpSpec::new(OpCode::Case).operands(&[index]).results(&[ty]).regions(&regions));
    let result = m.op(op).results()[0];
    end(&mut m, main, OpCode::FuncReturn, &[result]);
    for (index, want) in [(0, 10), (1, 20), (2, 30), (3, 30), (-1, 30)] {
        assert_eq!(evaluate(&m, &[scalar(index)]).unwrap(), [scalar(want)], "{index}");
    }
}

#[test]
fn ten_thousand_nested_branches_need_no_stack() {
    let run = || {
        let mut m = Module::new();
        let ty = m.tensor_type(&[], ElementType::I32);
        let (_, main) = m.add_function("main", &[ty], &[ty]);
        let x = m.block(main).args()[0];
        let mut blocks = vec![main];
        let mut regions = Vec::new();
        for _ in 0..10_000 {
            let (region, block, _) = region(&mut m, 0);
            regions.push(region);
            blocks.push(block);
        }
        // From the innermost outwards: each block returns what its own branch gives, plus x.
        let innermost = *blocks.last().unwrap();
        let one = i32s(&mut m, innermost, 1);
        end(&mut m, innermost, OpCode::Return, &[one]);
        for depth in (0..regions.len()).rev() {
            let block = blocks[depth];
            let zero = i32s(&mut m, block, 0);
            let op = m.append(
                block,
                OpSpec::new(OpCode::Case).operands(&[zero]).results(&[ty]).regions(&regions[depth..=depth]),
            );
            let inner = m.op(op).results()[0];
            let sum = binary(&mut m, block, OpCode::Add, inner, x);
            end(&mut m, block, if depth == 0 { OpCode::FuncReturn } else { OpCode::Return }, &[sum]);
        }
        assert_eq!(evaluate(&m, &[scalar(2)]).unwrap(), [scalar(20_001)]);
    };
    std::thread::Builder::new().stack_size(512 << 10).spawn(run).unwrap().join().unwrap();
}

#[test]
fn a_long_chain_reuses_what_died() {
    let mut m = Module::new();
    let ty = m.tensor_type(&[], ElementType::I32);
    let (_, main) = m.add_function("main", &[ty], &[ty]);
    let mut x = m.block(main).args()[0];
    for _ in 0..10_000 {
        x = binary(&mut m, main, OpCode::Add, x, x);
        let one = i32s(&mut m, main, 1);
        x = binary(&mut m, main, OpCode::And, x, one);
        x = binary(&mut m, main, OpCode::Or, x, one);
    }
    end(&mut m, main, OpCode::FuncReturn, &[x]);
    assert_eq!(evaluate(&m, &[scalar(5)]).unwrap(), [scalar(1)]);
}

#[test]
fn reductions_with_captured_values_and_general_bodies() {
    // The body is max(a, b) where b counts only if less than a captured limit.
    let mut m = Module::new();
    let (ty, vector) = (m.tensor_type(&[], ElementType::I32), m.tensor_type(&[5], ElementType::I32));
    let (_, main) = m.add_function("main", &[vector, ty], &[ty]);
    let (x, limit) = (m.block(main).args()[0], m.block(main).args()[1]);
    let init = i32s(&mut m, main, -100);
    let (body, block, args) = region(&mut m, 2);
    let clipped = binary(&mut m, block, OpCode::Minimum, args[1], limit);
    let larger = binary(&mut m, block, OpCode::Maximum, args[0], clipped);
    end(&mut m, block, OpCode::Return, &[larger]);
    let dimensions = m.named("dimensions", |m| m.i64_array_attr(&[0]));
    let op = m.append(
        main,
        OpSpec::new(OpCode::Reduce).operands(&[x, init]).results(&[ty]).attrs(&[dimensions]).regions(&[body]),
    );
    let result = m.op(op).results()[0];
    end(&mut m, main, OpCode::FuncReturn, &[result]);
    let x: Value = Tensor::from_vec(&[5], vec![3, 9, -4, 7, 1]).into();
    assert_eq!(evaluate(&m, &[x.clone(), scalar(6)]).unwrap(), [scalar(6)]);
    assert_eq!(evaluate(&m, &[x, scalar(50)]).unwrap(), [scalar(9)]);
}

#[test]
fn errors_say_what_and_where() {
    let mut m = Module::new();
    let ty = m.tensor_type(&[], ElementType::F32);
    let (_, main) = m.add_function("main", &[ty], &[ty]);
    let x = m.block(main).args()[0];
    let target = m.named("call_target_name", |m| m.string_attr("no_such_target"));
    let op = m.append(main, OpSpec::new(OpCode::CustomCall).operands(&[x]).results(&[ty]).attrs(&[target]));
    let result = m.op(op).results()[0];
    end(&mut m, main, OpCode::FuncReturn, &[result]);
    let input: Value = Tensor::scalar(1.5f32).into();
    let error = evaluate(&m, std::slice::from_ref(&input)).unwrap_err();
    assert_eq!((error.kind, error.op.as_str()), (EvalErrorKind::Unsupported, "stablehlo.custom_call"));
    for part in ["no_such_target", "tensor<f32>", "register", "unknown location"] {
        assert!(error.message.contains(part), "{part} is not in: {}", error.message);
    }
    let mut registry = Registry::default();
    registry.register("no_such_target", |call| Ok(call.operands));
    let evaluator = Evaluator::new(Arc::new(m), &registry).unwrap();
    assert_eq!(evaluator.run(vec![input.clone()]).unwrap(), std::slice::from_ref(&input));
    // Inputs are checked before anything runs.
    assert!(evaluator.run(vec![]).unwrap_err().message.contains("takes 1 inputs"));
    assert!(evaluator.run(vec![scalar(1)]).unwrap_err().message.contains("tensor<i32> instead of tensor<f32>"));
    // A handler that gives the wrong type is found out.
    registry.register("no_such_target", |_| Ok(vec![Tensor::scalar(1i32).into()]));
    let evaluator = Evaluator::new(evaluator.module().clone(), &registry).unwrap();
    assert!(evaluator.run(vec![input]).unwrap_err().message.contains("tensor<i32> instead of tensor<f32>"));
}
