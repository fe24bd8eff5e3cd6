//! A program of 10,000 ops reads and verifies at once: time is linear, with a bound that no quadratic step meets.

use std::time::{Duration, Instant};

use stablehlo::ElementType;
use stablehlo::ir::{Module, OpCode, OpSpec};

fn chain(length: usize) -> Module {
    let mut m = Module::new();
    let ty = m.tensor_type(&[4, 8], ElementType::F32);
    let (_, body) = m.add_function("main", &[ty], &[ty]);
    let mut x = m.block(body).args()[0];
    let permutation = [m.named("permutation", |m| m.i64_array_attr(&[0, 1]))];
    for i in 0..length {
        let code = [OpCode::Add, OpCode::Tanh, OpCode::Transpose][i % 3];
        let operands = &[x, x][..if i % 3 == 0 { 2 } else { 1 }];
        let attrs = if i % 3 == 2 { &permutation[..] } else { &[] };
        let op = m.append(body, OpSpec::new(code).operands(operands).results(&[ty]).attrs(attrs));
        x = m.op(op).results()[0];
    }
    m.append(body, OpSpec::new(OpCode::FuncReturn).operands(&[x]));
    m
}

fn best(m: &Module) -> Duration {
    let time = || {
        let start = Instant::now();
        stablehlo::verify::verify(m).expect("a valid program");
        start.elapsed()
    };
    (0..5).map(|_| time()).min().expect("five runs")
}

#[test]
fn time_grows_with_the_program_and_not_with_its_square() {
    let (short, long) = (best(&chain(10_000)), best(&chain(80_000)));
    println!("10,000 ops verify in {short:?}, 80,000 in {long:?}");
    // Eight times the ops: a quadratic step would take 64 times as long.
    assert!(long < short * 40, "{short:?} and {long:?}");
}
