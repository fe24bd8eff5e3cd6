//! What is written is what is read: over the corpus, over old versions, and for programs made by hand.

use stablehlo::bytecode::{read, write};
use stablehlo::ir::{AttrId, Loc, Module, NamedAttr, OpCode, OpId, OpSpec};
use stablehlo::{CURRENT_VERSION, ElementType, MINIMUM_VERSION, Version};

mod shared_facts;

/// A program as lines that say everything but the contents of attributes: those are covered by writing twice.
fn outline(module: &Module) -> Vec<String> {
    let mut numbers = vec![usize::MAX; module.num_values()];
    let mut next = 0;
    let mut lines = Vec::new();
    let names = |attrs: &[NamedAttr]| {
        let one = |attr: &NamedAttr| format!("{} {}", module.attr_name(*attr), module.attr(attr.value).kind());
        attrs.iter().map(one).collect::<Vec<_>>().join(",")
    };
    for (depth, id) in module.walk_depth(module.root()) {
        let op = module.op(id);
        if let Some(block) = op.parent_block().map(|b| module.block(b)).filter(|b| b.first_op() == Some(id)) {
            for &arg in block.args() {
                numbers[arg.index()] = next;
                next += 1;
                lines.push(format!(
                    "{depth} arg {} {}",
                    module.value_types_text(&[arg]),
                    module.loc_text(module.value_loc(arg))
                ));
            }
        }
        let operands: Vec<usize> = op.operands().iter().map(|v| numbers[v.index()]).collect();
        let results = module.value_types_text(op.results());
        let (inherent, discardable) = (names(op.inherent_attrs()), names(op.discardable_attrs()));
        lines.push(format!(
            "{depth} {} {operands:?} ({results}) <{inherent}> {{{discardable}}} {} {}",
            op.name(),
            op.regions().len(),
            op.loc_text()
        ));
        for &result in op.results() {
            numbers[result.index()] = next;
            next += 1;
        }
    }
    lines
}

#[test]
fn the_corpus_survives_writing() {
    let Some(dir) = shared_facts::path("stablehlo/corpus") else { return };
    let mut programs = 0;
    for entry in std::fs::read_dir(dir).expect("the corpus") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "mlirbc") {
            continue;
        }
        let file = path.display();
        let module = read(&std::fs::read(&path).expect("a program")).expect("it reads");
        let bytes = write(&module, CURRENT_VERSION).unwrap_or_else(|error| panic!("{file}: {error}"));
        let again = read(&bytes).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(outline(&again), outline(&module), "{file}");
        assert_eq!(write(&again, CURRENT_VERSION).as_ref(), Ok(&bytes), "{file}");
        programs += 1;
    }
    println!("{programs} programs of the corpus survive writing");
    assert!(programs > 2000);
}

/// A function with attributes of several kinds, a loop and a constant, each at a location.
fn sample() -> Module {
    let mut m = Module::new();
    let (f32x4, pred) = (m.tensor_type(&[4], ElementType::F32), m.tensor_type(&[], ElementType::Bool));
    let (function, body) = m.add_function("main", &[f32x4], &[f32x4]);
    let file = m.intern_str("model.py");
    let loc = m.add_loc(Loc::File { file, line: 3, column: 7, end_line: 3, end_column: 19, numbers: 4 });
    let token = m.named("jax.note", |m| m.string_attr("kept"));
    let argument = m.dict_attr(&[token]);
    let arguments = m.array_attr(&[argument]);
    m.set_attr(function, "arg_attrs", Some(arguments));
    let x = m.block(body).args()[0];

    let (cond, step) = (m.new_region(), m.new_region());
    let (cond_block, step_block) = (m.new_block(cond, &[f32x4]), m.new_block(step, &[f32x4]));
    let never = m.dense_attr(pred, &[0]).expect("one element");
    let value = NamedAttr { name: m.intern_str("value"), value: never };
    let constant = m.append(cond_block, OpSpec::new(OpCode::Constant).results(&[pred]).attrs(&[value]).loc(loc));
    let constant = m.op(constant).results()[0];
    m.append(cond_block, OpSpec::new(OpCode::Return).operands(&[constant]));
    let carried = m.block(step_block).args()[0];
    let negated = m.append(step_block, OpSpec::new(OpCode::Negate).operands(&[carried]).results(&[f32x4]));
    let sum = [m.op(negated).results()[0], x];
    let sum = m.append(step_block, OpSpec::new(OpCode::Add).operands(&sum).results(&[f32x4]));
    let sum = m.op(sum).results()[0];
    m.append(step_block, OpSpec::new(OpCode::Return).operands(&[sum]));
    let (values, types, regions) = ([x], [f32x4], [cond, step]);
    let spec = OpSpec::new(OpCode::While).operands(&values).results(&types).regions(&regions).loc(loc);
    let looped = m.append(body, spec);
    let permutation = m.named("permutation", |m| m.i64_array_attr(&[0]));
    let (values, attrs) = ([m.op(looped).results()[0]], [permutation]);
    let spec = OpSpec::new(OpCode::Transpose).operands(&values).results(&types).attrs(&attrs).loc(loc);
    let transposed = m.append(body, spec);
    let transposed = m.op(transposed).results()[0];
    m.append(body, OpSpec::new(OpCode::FuncReturn).operands(&[transposed]));
    m
}

#[test]
fn every_version_reads_back() {
    let module = sample();
    let mut versions = vec![MINIMUM_VERSION, CURRENT_VERSION, Version::new(0, 20, 0)];
    versions.extend((10..=20).map(|minor| Version::new(0, minor, 0)));
    versions.extend((0..=20).map(|minor| Version::new(1, minor, 0)));
    for version in versions {
        let bytes = write(&module, version).expect("the sample is old-fashioned");
        let again = read(&bytes).unwrap_or_else(|error| panic!("{version}: {error}"));
        assert_eq!(outline(&again), outline(&module), "{version}");
    }
    assert!(write(&module, Version::new(1, 21, 0)).is_err());
    assert!(write(&module, Version::new(0, 8, 0)).is_err());
}

#[test]
fn a_hand_made_program_cut_anywhere_is_an_error() {
    let bytes = write(&sample(), CURRENT_VERSION).expect("it writes");
    for len in 0..bytes.len() {
        assert!(read(&bytes[..len]).is_err(), "cut to {len} bytes");
    }
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            if let Ok(module) = read(&changed) {
                assert!(!outline(&module).is_empty());
            }
        }
    }
}

#[test]
fn what_a_version_lacks_is_an_error_that_says_so() {
    let mut m = sample();
    let dimension = m.named("composite_attributes", |m| m.dict_attr(&[]));
    let name = m.named("name", |m| m.string_attr("my.op"));
    let callee = m.named("decomposition", |m| m.symbol_attr("main"));
    let entry = m.function("main").and_then(|f| f.entry()).expect("a body").id();
    let last = m.block(entry).last_op().expect("a return");
    let file = m.intern_str("net.py");
    let loc = m.add_loc(Loc::File { file, line: 8, column: 1, end_line: 8, end_column: 1, numbers: 2 });
    let op = m.new_op(OpSpec::new(OpCode::Composite).attrs(&[dimension, name, callee]).loc(loc));
    m.insert_before(last, op);
    assert!(write(&m, CURRENT_VERSION).is_ok());
    let error = write(&m, Version::new(0, 18, 0)).unwrap_err().to_string();
    assert_eq!(error, "stablehlo.composite: the op does not exist in StableHLO 0.18.0, at net.py:8:1");
}

#[test]
fn an_unknown_op_is_refused_with_op_version_and_location() {
    let module = sample();
    let mut bytes = write(&module, CURRENT_VERSION).expect("it writes");
    let at = bytes.windows(12).position(|w| w == b"transpose_v1").expect("the op name stands there");
    bytes[at..at + 12].copy_from_slice(b"transpose_v9");
    let error = read(&bytes).unwrap_err();
    assert_eq!(error.op(), Some("vhlo.transpose_v9"));
    assert_eq!(error.location(), Some("model.py:3:7"));
    assert_eq!(error.producer(), Some("StableHLO_v1.20.0"));
    assert!(error.to_string().contains("1.20.0"), "{error}");
}

/// `deep` ops, each in a region of the one before, or each after the one before.
fn tower(deep: usize, nested: bool) -> Module {
    let mut m = Module::new();
    let index = m.tensor_type(&[], ElementType::I32);
    let (_, mut block) = m.add_function("main", &[index], &[]);
    let mut value = m.block(block).args()[0];
    let mut open: Vec<stablehlo::ir::BlockId> = Vec::new();
    for _ in 0..deep {
        if nested {
            let region = m.new_region();
            let inner = m.new_block(region, &[]);
            m.append(block, OpSpec::new(OpCode::Case).operands(&[value]).regions(&[region]));
            open.push(block);
            block = inner;
        } else {
            let op: OpId = m.append(block, OpSpec::new(OpCode::Negate).operands(&[value]).results(&[index]));
            value = m.op(op).results()[0];
        }
    }
    m
}

#[test]
fn neither_nesting_nor_length_needs_stack() {
    let run = || {
        for nested in [true, false] {
            let module = tower(10_000, nested);
            let bytes = write(&module, CURRENT_VERSION).expect("it writes");
            let again = read(&bytes).expect("it reads");
            assert_eq!(again.walk(again.root()).count(), 10_002);
            assert_eq!(outline(&again).len(), 10_003);
        }
    };
    std::thread::Builder::new().stack_size(512 << 10).spawn(run).expect("a thread").join().expect("no overflow");
}

#[test]
fn deep_attributes_and_types_are_refused_without_overflow() {
    let run = || {
        let mut m = sample();
        let mut deep: AttrId = m.i64_attr(1);
        for _ in 0..100_000 {
            deep = m.array_attr(&[deep]);
        }
        let root = m.root();
        m.set_attr(root, "deep", Some(deep));
        assert!(write(&m, CURRENT_VERSION).unwrap_err().to_string().contains("too deeply"));
    };
    std::thread::Builder::new().stack_size(512 << 10).spawn(run).expect("a thread").join().expect("no overflow");
}
