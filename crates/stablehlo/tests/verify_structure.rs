//! The structure of programs: definitions before uses, scopes, terminators, symbols, types; and that no
//! damage makes the verifier panic, recurse or dawdle.

use stablehlo::ElementType;
use stablehlo::ir::{AttrId, BlockId, Module, OpCode, OpId, OpSpec, TypeId, ValueId};
use stablehlo::verify::{VerifyErrors, append_inferred, verify, verify_with_limit};

struct Program {
    m: Module,
    body: BlockId,
    x: ValueId,
    f32: TypeId,
}

fn program() -> Program {
    let mut m = Module::new();
    let f32 = m.tensor_type(&[], ElementType::F32);
    let (_, body) = m.add_function("main", &[f32], &[f32]);
    let x = m.block(body).args()[0];
    Program { m, body, x, f32 }
}

fn constraints(m: &Module) -> Vec<&'static str> {
    verify(m).map_or_else(|errors| errors.violations.iter().map(|v| v.constraint).collect(), |()| Vec::new())
}

fn result(m: &Module, op: OpId) -> ValueId {
    m.op(op).results()[0]
}

#[test]
fn a_use_must_follow_its_definition() {
    let Program { mut m, body, x, f32 } = program();
    let first = m.append(body, OpSpec::new(OpCode::Negate).operands(&[x]).results(&[f32]));
    let second = m.append(body, OpSpec::new(OpCode::Negate).operands(&[x]).results(&[f32]));
    let out = result(&m, first);
    m.append(body, OpSpec::new(OpCode::FuncReturn).operands(&[out]));
    assert_eq!(constraints(&m), [""; 0]);
    let later = result(&m, second);
    m.set_operand(first, 0, later);
    assert_eq!(constraints(&m), ["dominance"]);
    let own = result(&m, first);
    m.set_operand(first, 0, own);
    assert_eq!(constraints(&m), ["dominance"]);
}

#[test]
fn values_of_a_region_end_with_it_and_outer_ones_are_seen() {
    let Program { mut m, body, x, f32 } = program();
    let pred_ty = m.tensor_type(&[], ElementType::Bool);
    let finite = m.append(body, OpSpec::new(OpCode::IsFinite).operands(&[x]).results(&[pred_ty]));
    let pred = result(&m, finite);
    let regions = [m.new_region(), m.new_region()];
    let mut inner = x;
    for region in regions {
        let block = m.new_block(region, &[]);
        let op = m.append(block, OpSpec::new(OpCode::Negate).operands(&[x]).results(&[f32]));
        inner = result(&m, op);
        m.append(block, OpSpec::new(OpCode::Return).operands(&[inner]));
    }
    let cond = m.append(body, OpSpec::new(OpCode::If).operands(&[pred]).results(&[f32]).regions(&regions));
    let out = result(&m, cond);
    let end = m.append(body, OpSpec::new(OpCode::FuncReturn).operands(&[out]));
    assert_eq!(constraints(&m), [""; 0]);
    m.set_operand(end, 0, inner);
    assert_eq!(constraints(&m), ["dominance"]);
}

#[test]
fn a_function_does_not_see_another() {
    let Program { mut m, body, x, f32 } = program();
    m.append(body, OpSpec::new(OpCode::FuncReturn).operands(&[x]));
    let (_, other) = m.add_function("other", &[], &[f32]);
    m.append(other, OpSpec::new(OpCode::FuncReturn).operands(&[x]));
    assert_eq!(constraints(&m), ["dominance"]);
}

#[test]
fn functions_have_unique_names_types_that_fit_and_a_return_at_the_end() {
    let Program { mut m, body, x, .. } = program();
    assert_eq!(constraints(&m), ["terminator"]);
    m.append(body, OpSpec::new(OpCode::FuncReturn).operands(&[x]));
    let (again, block) = m.add_function("main", &[], &[]);
    m.append(block, OpSpec::new(OpCode::FuncReturn));
    assert_eq!(constraints(&m), ["symbol"]);
    m.detach_op(again);
    let f64 = m.tensor_type(&[], ElementType::F64);
    let (_, block) = m.add_function("wrong", &[f64], &[f64]);
    m.append(block, OpSpec::new(OpCode::FuncReturn));
    m.append(block, OpSpec::new(OpCode::FuncReturn));
    let found = constraints(&m);
    assert_eq!(found, ["terminator", "results", "results"]);
    let arg = m.block(block).args()[0];
    m.set_value_type(arg, m.value_type(x));
    assert!(constraints(&m).contains(&"operands"));
}

#[test]
fn unknown_ops_and_several_blocks_are_refused() {
    let Program { mut m, body, x, .. } = program();
    let name = m.intern_str("tosa.add");
    m.append(body, OpSpec::unknown(name));
    m.append(body, OpSpec::new(OpCode::FuncReturn).operands(&[x]));
    let errors = verify(&m).expect_err("an unknown op");
    assert_eq!(errors.violations[0].op_name, "tosa.add");
    let region = m.block(body).region();
    let block = m.new_block(region, &[]);
    m.append(block, OpSpec::new(OpCode::Return));
    assert!(constraints(&m).contains(&"regions") && constraints(&m).contains(&"terminator"));
}

#[test]
fn violations_are_counted_beyond_the_limit() {
    let Program { mut m, body, x, .. } = program();
    let f64 = m.tensor_type(&[], ElementType::F64);
    for _ in 0..500 {
        m.append(body, OpSpec::new(OpCode::Negate).operands(&[x]).results(&[f64]));
    }
    m.append(body, OpSpec::new(OpCode::FuncReturn).operands(&[x]));
    let VerifyErrors { violations, total } = verify_with_limit(&m, 7).expect_err("500 violations");
    assert_eq!((violations.len(), total), (7, 500));
    let text = verify(&m).unwrap_err().to_string();
    assert!(text.contains("and 400 more"), "{text}");
}

#[test]
fn builders_get_their_types_inferred() {
    let Program { mut m, body, x, .. } = program();
    let op = append_inferred(&mut m, body, OpSpec::new(OpCode::IsFinite).operands(&[x])).expect("a type that follows");
    assert_eq!(m.type_text(m.value_type(result(&m, op))), "tensor<i1>");
    let errors = append_inferred(&mut m, body, OpSpec::new(OpCode::Convert).operands(&[x])).expect_err("a free type");
    assert_eq!(errors.violations[0].constraint, "inference");
}

#[test]
fn depth_and_length_need_no_stack() {
    let run = || {
        let Program { mut m, body, x, f32 } = program();
        let i32 = m.tensor_type(&[], ElementType::I32);
        let attrs = [m.named("value", |m| m.dense_attr(i32, &[0; 4]).expect("a constant"))];
        let index = m.append(body, OpSpec::new(OpCode::Constant).results(&[i32]).attrs(&attrs));
        let index = result(&m, index);
        let (mut block, mut nested) = (body, Vec::new());
        for _ in 0..10_000 {
            let region = m.new_region();
            let inner = m.new_block(region, &[]);
            nested.push((block, region));
            block = inner;
        }
        m.append(block, OpSpec::new(OpCode::Return).operands(&[x]));
        for (i, &(outer, region)) in nested.iter().enumerate().rev() {
            let op = m.append(outer, OpSpec::new(OpCode::Case).operands(&[index]).results(&[f32]).regions(&[region]));
            let out = result(&m, op);
            let end = if i == 0 { OpCode::FuncReturn } else { OpCode::Return };
            m.append(outer, OpSpec::new(end).operands(&[out]));
        }
        verify(&m).expect("a valid program");
    };
    std::thread::Builder::new().stack_size(512 << 10).spawn(run).unwrap().join().expect("no overflow");
}

/// A small generator of numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// Real programs with random operands, types, codes and attributes swapped: the verifier answers.
#[test]
fn no_mutation_makes_it_panic() {
    let dir = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/stablehlo/corpus");
    if !dir.is_dir() {
        assert!(std::env::var_os("CI").is_none(), "the corpus is missing: {}", dir.display());
        println!("skipped: no corpus at {}", dir.display());
        return;
    }
    let mut paths: Vec<_> = std::fs::read_dir(&dir).expect("the corpus").map(|e| e.expect("an entry").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "mlirbc"));
    paths.sort();
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let (mut refused, mut runs) = (0, 0);
    for path in paths.iter().step_by(3) {
        let original = stablehlo::bytecode::read(&std::fs::read(path).expect("a program")).expect("a readable program");
        let ops: Vec<OpId> = original.walk(original.root()).collect();
        if ops.len() > 2000 {
            continue;
        }
        for _ in 0..25 {
            let mut m = original.clone();
            for _ in 0..=numbers.below(3) {
                mutate(&mut m, &ops, &mut numbers);
            }
            runs += 1;
            refused += usize::from(verify_with_limit(&m, 5).is_err());
            let op = ops[numbers.below(ops.len())];
            let _ = stablehlo::verify::infer_result_types(&mut m, op);
        }
    }
    println!("{refused} of {runs} mutated programs are refused");
    assert!(refused * 2 > runs, "{refused} of {runs}");
}

/// Bytes of real programs damaged: what still reads is verified without a panic.
#[test]
fn no_damaged_bytes_make_it_panic() {
    let dir = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/stablehlo/corpus");
    if !dir.is_dir() {
        assert!(std::env::var_os("CI").is_none(), "the corpus is missing: {}", dir.display());
        println!("skipped: no corpus at {}", dir.display());
        return;
    }
    let mut paths: Vec<_> = std::fs::read_dir(&dir).expect("the corpus").map(|e| e.expect("an entry").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "mlirbc"));
    paths.sort();
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let (mut read, mut refused, mut runs) = (0, 0, 0);
    for path in paths.iter().step_by(12) {
        let original = std::fs::read(path).expect("a program");
        if original.len() > 20_000 {
            continue;
        }
        for _ in 0..40 {
            let mut bytes = original.clone();
            for _ in 0..=numbers.below(2) {
                let at = numbers.below(bytes.len());
                bytes[at] = [0, 0xff, bytes[at] ^ 1, bytes[at] ^ 2, numbers.below(256) as u8][numbers.below(5)];
            }
            runs += 1;
            if let Ok(module) = stablehlo::bytecode::read(&bytes) {
                read += 1;
                refused += usize::from(verify_with_limit(&module, 5).is_err());
            }
        }
    }
    println!("of {runs} damaged programs {read} read, and {refused} of those are refused");
    assert!(read > 0 && refused > 0, "{read}, {refused}");
}

fn mutate(m: &mut Module, ops: &[OpId], numbers: &mut Numbers) {
    let op = ops[numbers.below(ops.len())];
    let (operands, results) = (m.op(op).operands().len(), m.op(op).results().to_vec());
    match numbers.below(6) {
        0 if operands > 0 => {
            let value = ValueId::from_index(numbers.below(m.num_values()));
            m.set_operand(op, numbers.below(operands), value);
        }
        1 if !results.is_empty() => {
            let ty = TypeId::from_index(numbers.below(m.num_types()));
            m.set_value_type(results[numbers.below(results.len())], ty);
        }
        2 => m.set_code(op, OpCode::ALL[numbers.below(OpCode::ALL.len())]),
        3 => {
            let names = m.op(op).code().inherent_attributes();
            if !names.is_empty() {
                let value = AttrId::from_index(numbers.below(m.num_attrs()));
                m.set_attr(op, names[numbers.below(names.len())], Some(value));
            }
        }
        4 => {
            let count = numbers.below(4);
            let values: Vec<ValueId> = (0..count).map(|_| ValueId::from_index(numbers.below(m.num_values()))).collect();
            m.set_operands(op, &values);
        }
        _ => {
            // Numbers of attributes at their extremes.
            let names = m.op(op).code().inherent_attributes();
            if !names.is_empty() {
                let extreme = [i64::MIN, -1, 0, 1, i64::MAX][numbers.below(5)];
                let list = vec![extreme; numbers.below(4)];
                let value = if numbers.below(2) == 0 { m.i64_attr(extreme) } else { m.i64_array_attr(&list) };
                m.set_attr(op, names[numbers.below(names.len())], Some(value));
            }
        }
    }
}

/// The constraints that a program breaks, read from text.
fn broken(text: &str) -> Vec<&'static str> {
    constraints(&stablehlo::text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

#[test]
fn lists_of_ones_of_the_wrong_length_are_no_defaults() {
    let window = |attributes: &str| {
        broken(&format!(
            "func.func @main(%x: tensor<4x4xf32>, %i: tensor<f32>) -> tensor<4x4xf32> {{
              %0 = \"stablehlo.reduce_window\"(%x, %i) <{{window_dimensions = array<i64: 1, 1>{attributes}}}> ({{
              ^bb0(%a: tensor<f32>, %b: tensor<f32>):
                %s = stablehlo.add %a, %b : tensor<f32>
                stablehlo.return %s : tensor<f32>
              }}) : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
              return %0 : tensor<4x4xf32>
            }}"
        ))
    };
    assert_eq!(window(", window_strides = array<i64: 1, 1>"), [""; 0]);
    for wrong in [
        ", window_strides = array<i64: 1>",
        ", base_dilations = array<i64: 1, 1, 1>",
        ", window_dilations = array<i64: 1>",
        ", padding = dense<0> : tensor<1x2xi64>",
    ] {
        assert_ne!(window(wrong), [""; 0], "{wrong}");
    }
}

#[test]
fn functions_that_run_in_parallel_fit_the_op() {
    let parallel = |attributes: &str, results: &str| {
        broken(&format!(
            "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {{ return %x : tensor<2xf32> }}
            func.func @feed() -> (tensor<f32>, tensor<f32>) {{
              %0 = stablehlo.constant dense<0.0> : tensor<f32>
              return %0, %0 : tensor<f32>, tensor<f32>
            }}
            func.func @main(%x: tensor<2xf32>) {{
              %0:2 = \"interpreter.run_parallel\"(%x, %x) {{{attributes}}} : (tensor<2xf32>, tensor<2xf32>) -> ({results})
              return
            }}"
        ))
    };
    let two = "tensor<2xf32>, tensor<2xf32>";
    assert_eq!(parallel("programs = [[@f], [@f]]", two), [""; 0]);
    assert_eq!(parallel("programs = [[@f], [@f, @f]]", two), ["programs"]);
    assert_eq!(parallel("programs = [[@f, @g]]", two), ["programs"]);
    assert_eq!(parallel("programs = [[@f, @f]]", "tensor<2xf32>, tensor<f32>"), ["results"]);
    assert_eq!(parallel("programs = [[@f, @f, @f]]", two), ["inputs", "results"]);
    assert_eq!(parallel("programs = [[@f, @f]], infeed = [@feed]", two), ["infeed"]);
}

#[test]
fn scans_and_products_of_groups_have_the_shapes_that_follow() {
    let scan = |slice: &str, result: &str| {
        broken(&format!(
            "func.func @main(%x: tensor<4x2xf32>, %i: tensor<2xf32>) {{
              %0:2 = chlo.scan(%x) inits(%i) dimension=0 {{
              ^bb0(%a: tensor<{slice}>, %c: tensor<2xf32>):
                stablehlo.return %c, %c : tensor<2xf32>, tensor<2xf32>
              }} : (tensor<4x2xf32>, tensor<2xf32>) -> (tensor<{result}>, tensor<2xf32>)
              return
            }}"
        ))
    };
    assert_eq!(scan("2xf32", "4x2xf32"), [""; 0]);
    assert_eq!(scan("4xf32", "4x2xf32"), ["body"]);
    assert_eq!(scan("2xf32", "3x2xf32"), ["shape"]);
    let product = |sizes: &str, group: i64, result: &str| {
        broken(&format!(
            "func.func @main(%x: tensor<5x2x3xf32>, %y: tensor<4x5x3x6xf32>, %n: tensor<{sizes}>) {{
              %0 = \"chlo.ragged_dot\"(%x, %y, %n) <{{ragged_dot_dimension_numbers = #chlo.ragged_dot<
                lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2],
                rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [{group}]>}}>
                : (tensor<5x2x3xf32>, tensor<4x5x3x6xf32>, tensor<{sizes}>) -> tensor<{result}>
              return
            }}"
        ))
    };
    assert_eq!(product("4xi64", 0, "5x2x6xf32"), [""; 0]);
    assert_eq!(product("5x4xi64", 0, "5x2x6xf32"), [""; 0]);
    assert_eq!(product("2x4xi64", 0, "5x2x6xf32"), ["group_sizes"]);
    assert_eq!(product("4xi64", 3, "5x2x6xf32"), ["dimension numbers"]);
    assert_eq!(product("4xi64", 0, "5x2x7xf32"), ["shape"]);
}
