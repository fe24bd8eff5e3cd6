//! What a mistake in a text is answered with: place, expectation, line and caret; and never a panic.

use stablehlo::text::{PrintOptions, parse, print};

fn message(text: &str) -> String {
    parse(text).expect_err("it is wrong").to_string()
}

#[test]
fn errors_show_the_place() {
    let body = |op: &str| format!("func.func @f(%x: tensor<2xf32>) {{\n  {op}\n  return\n}}");
    assert_eq!(
        message(&body("%0 = stablehlo.frobnicate %x : tensor<2xf32>")),
        "program:2:8: `stablehlo.frobnicate` is no op that is known here
    %0 = stablehlo.frobnicate %x : tensor<2xf32>
         ^"
    );
    assert_eq!(
        message(&body("%0 = stablehlo.add %x, %y : tensor<2xf32>")),
        "program:2:26: the value `%y` is not defined before this use
    %0 = stablehlo.add %x, %y : tensor<2xf32>
                           ^"
    );
    assert_eq!(
        message(&body("%0 = stablehlo.add %x %x : tensor<2xf32>")),
        "program:2:25: expected `,`, found `%x`
    %0 = stablehlo.add %x %x : tensor<2xf32>
                          ^"
    );
    assert_eq!(
        message(&body("%0 = stablehlo.add %x, %x : tensor<3xf32>")),
        "program:2:22: this value has type tensor<2xf32>, but stablehlo.add takes tensor<3xf32>
    %0 = stablehlo.add %x, %x : tensor<3xf32>
                       ^"
    );
    assert_eq!(
        message(&body("%0 = stablehlo.constant dense<[1, 2, 3]> : tensor<2xi8>")),
        "program:2:41: a list has 3 elements, but dimension 0 of the type has size 2
    %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<2xi8>
                                          ^"
    );
    assert_eq!(
        message(&body("%0 = stablehlo.compare LESS, %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>")),
        "program:2:26: expected one of EQ, NE, GE, GT, LE, LT, found `LESS`
    %0 = stablehlo.compare LESS, %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
                           ^"
    );
    assert_eq!(
        message("func.func @f() {\n  return"),
        "program:2:9: expected an op, or `}` to end the region of func.func, found the end of the text
    return
          ^"
    );
}

#[test]
fn other_mistakes_are_named() {
    let body = |op: &str| format!("func.func @f(%x: tensor<2xf32>, %i: tensor<i32>) {{\n  {op}\n  return\n}}");
    for (op, expected) in [
        ("%0:2 = stablehlo.abs %x : tensor<2xf32>", "has 1 results, but names for 2"),
        ("%x = stablehlo.abs %x : tensor<2xf32>", "`%x` is taken"),
        ("%0 = stablehlo.abs %x#1 : tensor<2xf32>", "`#1` is none of them"),
        ("%0 = stablehlo.constant dense<300> : tensor<i8>", "300 does not fit i8"),
        ("%0 = stablehlo.constant dense<1> : tensor<f32>", "needs a point, as 1.0"),
        ("%0 = stablehlo.constant dense<1.0> : tensor<i32>", "1.0 does not fit i32"),
        ("%0 = stablehlo.constant dense<\"0x00\"> : tensor<2xi32>", "neither one element nor 2 of 4 bytes"),
        ("%0 = stablehlo.constant dense<1> : tensor<?xi32>", "static dimensions"),
        ("%0 = stablehlo.abs %x {a, a} : tensor<2xf32>", "`a` occurs twice"),
        ("%0 = stablehlo.abs %x : tensor<2xfloat>", "`float` is no type"),
        ("%0 = stablehlo.abs %x : !t", "alias `!t` is not defined"),
        ("%0 = stablehlo.abs %x {a = #b} : tensor<2xf32>", "alias `#b` is not defined"),
        ("%0 = stablehlo.abs %x : tensor<2xf32> loc(#l)", "alias `#l` is not defined"),
        ("%0 = stablehlo.abs %x {a = #stablehlo<mode X>} : tensor<2xf32>", "no attribute `mode`"),
        ("%0 = \"stablehlo.case\"(%i) ({ return }) : (tensor<i32>) -> tensor<f32>", "`return` needs its dialect"),
        ("%0 = stablehlo.sort %x : tensor<2xf32>", "has no pretty form"),
        ("%0 = \"stablehlo.abs\"(%x) : () -> tensor<2xf32>", "has 1 operands, but types for 0"),
        ("%0 = stablehlo.abs %x : tensor<2xf32> \"open", "no closing quote"),
        ("%0 = tensor.cast %x : tensor<2xf32>", "`tensor.cast` is no op"),
        ("%0 = stablehlo.reduce(%x init: %x) applies stablehlo.subtract across", "commutative"),
    ] {
        let text = message(&body(op));
        assert!(text.contains(expected), "{op}\n{text}");
        assert!(text.lines().count() == 3 && text.starts_with("program:"), "{text}");
    }
}

/// xorshift; the tests must be the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

#[test]
fn damaged_texts_never_panic() {
    let dir = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/text");
    let mut texts: Vec<Vec<u8>> = Vec::new();
    for entry in std::fs::read_dir(dir).expect("the fixtures") {
        texts.push(std::fs::read(entry.expect("an entry").path()).expect("a fixture"));
    }
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut read, mut refused) = (0, 0);
    for round in 0..4000 {
        let mut text = texts[random.below(texts.len())].clone();
        for _ in 0..1 + random.below(4) {
            let (at, len) = (random.below(text.len()), random.below(20));
            let end = (at + len).min(text.len());
            match random.below(4) {
                0 => drop(text.drain(at..end)),
                1 => text[at] = b"(){}[]<>,:=%#!@^\"-x019 \n"[random.below(24)],
                2 => {
                    let piece = text[at..end].to_vec();
                    let to = random.below(text.len());
                    text.splice(to..to, piece);
                }
                _ => text.truncate(end.max(1)),
            }
        }
        let Ok(text) = String::from_utf8(text) else { continue };
        match parse(&text) {
            Ok(module) => {
                read += 1;
                let printed = print(&module, &PrintOptions { locations: round % 2 == 0, ..PrintOptions::default() });
                if let Err(error) = parse(&printed) {
                    panic!("what was read does not print as text: {error}\n{text}");
                }
            }
            Err(error) => {
                refused += 1;
                assert!(!error.message().is_empty() && error.to_string().lines().count() == 3);
            }
        }
    }
    assert!(read > 50 && refused > 500, "{read} read, {refused} refused");
}
