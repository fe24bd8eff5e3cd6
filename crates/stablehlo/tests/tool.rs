//! The command-line tool on small programs: what it prints, and its exit status.
#![cfg(feature = "cli")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

const ADD: &str = "func.func @main() -> tensor<2xi32> {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %1 = stablehlo.add %0, %0 : tensor<2xi32>
  return %1 : tensor<2xi32>
}
";

fn tool(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_stablehlo"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the tool starts");
    child.stdin.take().expect("its input").write_all(input).expect("it reads");
    child.wait_with_output().expect("it ends")
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn text_becomes_bytecode_and_text_again() {
    let printed = stdout(&tool(&["print"], ADD.as_bytes()));
    let bytecode = tool(&["convert", "--to", "bytecode", "--version", "1.0.0"], ADD.as_bytes());
    assert!(bytecode.stdout.starts_with(b"ML\xEFR"), "bytecode is recognised by its content");
    assert_eq!(stdout(&tool(&["print", "-"], &bytecode.stdout)), printed);
    assert!(stdout(&tool(&["print", "--generic"], ADD.as_bytes())).contains("\"stablehlo.add\"(%0, %0)"));
    assert!(stdout(&tool(&["census"], ADD.as_bytes())).contains("1        1  stablehlo.add\n"));
}

#[test]
fn results_are_printed_and_expectations_set_the_status() {
    assert_eq!(stdout(&tool(&["run"], ADD.as_bytes())), "dense<[2, 4]> : tensor<2xi32>\n");
    let test = |operation: &str, checks: &str| {
        let text = format!(
            "func.func @test() {{\n  %0 = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf32>\n  %1 = {operation} \
             %0 : tensor<2xf32>\n  {checks}\n  return\n}}"
        );
        tool(&["run"], text.as_bytes())
    };
    let call = |name: &str| {
        format!(
            "stablehlo.custom_call @check.{name}(%1, %0) {{has_side_effect = true}} : (tensor<2xf32>, tensor<2xf32>) -> ()"
        )
    };
    for (check, holds) in [
        ("check.expect_eq_const %1, dense<[1.0, 2.0]> : tensor<2xf32>".to_owned(), true),
        ("check.expect_eq_const %1, dense<[1.0, 2.5]> : tensor<2xf32>".to_owned(), false),
        ("check.expect_almost_eq_const %1, dense<[1.0, 2.00005]> : tensor<2xf32>".to_owned(), true),
        ("check.expect_almost_eq_const %1, dense<[1.0, 2.0005]> : tensor<2xf32>".to_owned(), false),
        ("check.expect_almost_eq_const %1, dense<[1.0, 2.5]> : tensor<2xf32>, tolerance = 0.75".to_owned(), true),
        ("check.expect_eq %1, %1 : tensor<2xf32>".to_owned(), true),
        ("check.expect_close %1, %1, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>".to_owned(), true),
        ("check.expect_close %0, %1, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>".to_owned(), false),
        (call("expect_eq"), false),
        (call("expect_close"), false),
        (call("expect_almost_eq"), false),
    ] {
        let output = test("stablehlo.sqrt", &check);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), holds, "{check}: {error}");
        assert!(holds || error.contains("1 of 2 numbers differ, first at [1]"), "{error}");
    }
    assert!(test("stablehlo.negate", "").status.success());
}

#[test]
fn mistakes_are_reported_with_their_place() {
    let output = tool(&["verify"], b"func.func @main() {\n  return %x\n}");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("standard input:2:10: the value `%x`"));
    let wrong = "func.func @main(%x: tensor<2xi32>) -> tensor<3xi32> {
  %0 = stablehlo.add %x, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}";
    let output = tool(&["verify"], wrong.as_bytes());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && error.contains("standard input:2"), "{error}");
    assert!(tool(&["verify"], ADD.as_bytes()).status.success());
}

#[test]
fn a_nan_is_equal_to_itself_alone() {
    let test = |expected: &str| {
        let text = format!(
            "func.func @test() {{\n  %0 = stablehlo.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>\n  \
             check.expect_eq_const %0, dense<{expected}> : tensor<2xf32>\n  return\n}}"
        );
        tool(&["run"], text.as_bytes()).status.success()
    };
    assert!(test("[0x7FC00000, 1.0]"));
    assert!(!test("[0xFFC00000, 1.0]") && !test("[0x7FC00000, 0x7FC00000]"));
}

#[test]
fn files_of_expectations_hold() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/expectations");
    let verdict = stdout(&tool(&["judge", directory], b""));
    assert!(verdict.ends_with("files pass (100.00 %)\n"), "{verdict}");
}

#[test]
fn inputs_are_given_as_constants() {
    let program = "func.func @main(%x: tensor<2xi32>, %y: tensor<2xi32>) -> tensor<2xi32> {
      %0 = stablehlo.add %x, %y : tensor<2xi32>
      return %0 : tensor<2xi32>
    }";
    let args = "[dense<1> : tensor<2xi32>, dense<[2, 3]> : tensor<2xi32>]";
    assert_eq!(stdout(&tool(&["run", "--args", args], program.as_bytes())), "dense<[3, 4]> : tensor<2xi32>\n");
    let wrong = tool(&["run", "--args", "[4.0 : f32]"], program.as_bytes());
    assert!(!wrong.status.success() && !String::from_utf8_lossy(&wrong.stderr).contains("process"), "{wrong:?}");
}
