//! Every op in its own form: the fixtures print as they stand, and mean the same in the generic form.

use std::collections::BTreeSet;
use std::path::PathBuf;

use stablehlo::ir::{Module, OpCode, same_program};
use stablehlo::text::{Form, PrintOptions, parse, print};

const PRETTY: PrintOptions = PrintOptions { form: Form::Pretty, locations: false };
const GENERIC: PrintOptions = PrintOptions { form: Form::Generic, locations: false };

fn read(text: &str) -> Module {
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Files of our own writing; the expected print of each is beside it. `UPDATE_EXPECT=1` writes these anew.
fn fixtures() -> Vec<(PathBuf, String)> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/text");
    let mut files: Vec<_> = std::fs::read_dir(dir)
        .expect("the fixtures")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "mlir"))
        .map(|path| (path.clone(), std::fs::read_to_string(path).expect("a fixture")))
        .collect();
    files.sort();
    files
}

#[test]
fn fixtures_print_as_expected_and_both_forms_mean_the_same() {
    for (path, text) in fixtures() {
        let module = read(&text);
        let (pretty, generic) = (print(&module, &PRETTY), print(&module, &GENERIC));
        let expected = path.with_extension("printed");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&expected, &pretty).expect("it writes");
        }
        let expected = std::fs::read_to_string(expected).expect("the expected print");
        assert_eq!(pretty, expected, "{}", path.display());
        for again in [&pretty, &generic] {
            same_program(&module, &read(again)).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
        }
        assert!(!generic.contains("stablehlo.add %"), "the generic form has no pretty ops");
    }
}

#[test]
fn every_op_is_in_a_fixture() {
    let mut seen = BTreeSet::new();
    for (_, text) in fixtures() {
        let module = read(&text);
        seen.extend(module.walk(module.root()).map(|op| module.op(op).code()));
    }
    let missing: Vec<_> = OpCode::ALL.iter().filter(|op| !seen.contains(op)).map(|op| op.name()).collect();
    // A cast between the types of two dialects occurs in no program that is read; dynamic_conv shares all its
    // attributes with convolution and has no form of its own.
    assert_eq!(missing, ["builtin.unrealized_conversion_cast", "stablehlo.dynamic_conv"]);
}

#[test]
fn what_a_form_cannot_say_is_printed_generically() {
    // Found by fuzzing: `e5m10` says that both are i32.
    let text = "func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = \"stablehlo.reduce_precision\"(%x) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i64}> : (tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    }";
    let module = read(text);
    let again = print(&module, &PRETTY);
    assert!(again.contains("\"stablehlo.reduce_precision\""), "{again}");
    same_program(&module, &read(&again)).unwrap();
}

#[test]
fn what_other_writers_send_is_understood() {
    let texts = [
        // An unnamed module, and func.return with its dialect.
        "module { func.func @main(%arg0: tensor<f32>) -> tensor<f32> { %0 = stablehlo.add %arg0, %arg0 : tensor<f32> func.return %0 : tensor<f32> } }",
        // The generic form throughout, attributes outside <{...}>.
        "\"builtin.module\"() ({\n\"func.func\"() ({\n^bb0(%a: tensor<f32>):\n  %0 = \"stablehlo.add\"(%a, %a) : (tensor<f32>, tensor<f32>) -> tensor<f32>\n  \"func.return\"(%0) : (tensor<f32>) -> ()\n}) {function_type = (tensor<f32>) -> tensor<f32>, sym_name = \"main\"} : () -> ()\n}) : () -> ()",
        // No module, names instead of numbers, comments.
        "// a comment\nfunc.func @main(%x: tensor<f32>) -> tensor<f32> { // another\n  %sum = \"stablehlo.add\"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>\n  return %sum : tensor<f32>\n}",
        // Aliases of types, and of locations before and after their use.
        "!t = tensor<f32>\n#loc = loc(unknown)\nfunc.func @main(%x: !t loc(\"x\"(#loc))) -> !t {\n  %0 = stablehlo.add %x, %x : !t loc(#loc2)\n  return %0 : !t loc(#loc)\n} loc(#loc)\n#loc1 = loc(\"f.py\":1:2 to :5)\n#loc2 = loc(callsite(\"add\"(#loc1) at fused<\"meta\">[#loc1, \"g.py\":3:4]))\n",
    ];
    let first = read(texts[0]);
    for text in &texts[1..] {
        same_program(&first, &read(text)).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
    }
    let located = read(texts[3]);
    let add = located.walk(located.root()).find(|&op| located.op(op).code() == OpCode::Add).unwrap();
    assert_eq!(located.op(add).loc_text(), "f.py:1:2 (add)");
    let again = print(&located, &PrintOptions { locations: true, ..PRETTY });
    let again = read(&again);
    let add = again.walk(again.root()).find(|&op| again.op(op).code() == OpCode::Add).unwrap();
    assert_eq!(again.op(add).loc_text(), "f.py:1:2 (add)", "locations survive printing");
}

#[test]
fn literals_in_all_spellings_are_the_same_tensor() {
    let value = |literal: &str| {
        let module = read(&format!("func.func @main() {{ %0 = stablehlo.constant dense<{literal} return }}"));
        let op = module.walk(module.root()).find(|&op| module.op(op).code() == OpCode::Constant).unwrap();
        module.op(op).dense("value").unwrap().data().to_vec()
    };
    for (a, b) in [
        ("[1.0, 1.0]> : tensor<2xf32>", "1.0> : tensor<2xf32>"),
        ("[[1.5], [-0.0]]> : tensor<2x1xf32>", "\"0x0000C03F00000080\"> : tensor<2x1xf32>"),
        ("[0x3FC00000, 0x80000000]> : tensor<2xf32>", "[1.5, -0.0]> : tensor<2xf32>"),
        ("[255, 128]> : tensor<2xi8>", "[-1, -128]> : tensor<2xi8>"),
        ("[-1, 3]> : tensor<2xi4>", "\"0x0F03\"> : tensor<2xi4>"),
        ("[true, false, true, false, false, false, false, false, true]> : tensor<9xi1>", "\"0x0501\"> : tensor<9xi1>"),
        ("\"0xFF\"> : tensor<4xi1>", "true> : tensor<4xi1>"),
        ("(1.0, -2.0)> : tensor<3xcomplex<f32>>", "\"0x0000803F000000C0\"> : tensor<3xcomplex<f32>>"),
        ("0x10> : tensor<i32>", "16> : tensor<i32>"),
    ] {
        assert_eq!(value(a), value(b), "{a} {b}");
    }
    let resource = "func.func @main() {\n  %0 = stablehlo.constant dense_resource<blob> : tensor<2xi16>\n  return\n}\n{-#\n  dialect_resources: {\n    builtin: {\n      blob: \"0x02000000FFFF0700\"\n    }\n  }\n#-}\n";
    let module = read(resource);
    assert!(print(&module, &PRETTY).contains("dense<[-1, 7]> : tensor<2xi16>"));
}

#[test]
fn deep_nesting_needs_no_stack() {
    let run = || {
        const DEPTH: usize = 10_000;
        let mut text = String::from("func.func @main(%i: tensor<i32>) {\n");
        for _ in 0..DEPTH {
            text.push_str("\"stablehlo.case\"(%i) ({\n");
        }
        text.push_str("stablehlo.return\n");
        for _ in 1..DEPTH {
            text.push_str("}) : (tensor<i32>) -> ()\nstablehlo.return\n");
        }
        text.push_str("}) : (tensor<i32>) -> ()\nreturn\n}");
        let module = read(&text);
        assert_eq!(module.walk(module.root()).count(), 2 * DEPTH + 3);
        for options in [PRETTY, GENERIC] {
            same_program(&module, &read(&print(&module, &options))).unwrap();
        }
    };
    std::thread::Builder::new().stack_size(512 << 10).spawn(run).unwrap().join().unwrap();
}

#[test]
fn deep_attributes_are_refused_and_not_overrun() {
    let run = || {
        for (open, close) in [("[", "]"), ("{a = ", "}"), ("tuple<", ">"), ("(", ") -> ()"), ("distinct[0]<", ">")] {
            let text = format!("module attributes {{x = {}1{}}} {{}}", open.repeat(100_000), close.repeat(100_000));
            let error = parse(&text).unwrap_err();
            assert!(error.message().contains("deeper"), "{error}");
        }
        let text = format!("module {{}} loc({}unknown{})", "callsite(".repeat(100_000), ")".repeat(100_000));
        assert!(parse(&text).unwrap_err().message().contains("deeper"));
    };
    std::thread::Builder::new().stack_size(512 << 10).spawn(run).unwrap().join().unwrap();
}
