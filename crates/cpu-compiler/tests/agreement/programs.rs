//! Small programs, each about one thing, against the reference evaluator.

use std::sync::Arc;

use crate::support::{Numbers, differences, inputs, run_compiled};
use cpu_compiler::{Executable, NoCustomCalls, Options};
use stablehlo::eval::{Evaluator, Registry};

/// Runs the program both ways on a few inputs.
fn agree(text: &str) {
    let module = Arc::new(stablehlo::read_program(text.as_bytes()).unwrap_or_else(|error| panic!("{error}")));
    let evaluator = Evaluator::new(module.clone(), &Registry::default()).unwrap_or_else(|error| panic!("{error}"));
    let executable = Executable::compile(module.clone(), &Options { custom_calls: &NoCustomCalls });
    let executable = executable.unwrap_or_else(|error| panic!("{error}"));
    for seed in 1..4 {
        let given = inputs(&module, &mut Numbers::new(seed));
        let expected = evaluator.run(given.clone()).unwrap_or_else(|error| panic!("{error}"));
        let found = run_compiled(&executable, given).unwrap_or_else(|error| panic!("{error}\n{}", executable.text()));
        if let Some(text) = differences(&expected, &found, None) {
            panic!("{text}\n{}", executable.text());
        }
    }
}

#[test]
fn magnitudes_of_complex_numbers_are_summed() {
    agree(
        "func.func @main(%x: tensor<50x50xcomplex<f32>>) -> (tensor<f32>, tensor<50xf32>) {
          %0 = stablehlo.abs %x : (tensor<50x50xcomplex<f32>>) -> tensor<50x50xf32>
          %z = stablehlo.constant dense<0.0> : tensor<f32>
          %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
          %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0]
            : (tensor<50x50xf32>, tensor<f32>) -> tensor<50xf32>
          %2 = stablehlo.reduce(%1 init: %i) applies stablehlo.maximum across dimensions = [0]
            : (tensor<50xf32>, tensor<f32>) -> tensor<f32>
          return %2, %1 : tensor<f32>, tensor<50xf32>
        }",
    );
}

#[test]
fn powers_of_complex_numbers() {
    agree(
        "func.func @main(%x: tensor<50x50xcomplex<f32>>) -> (tensor<complex<f32>>, tensor<f32>) {
          %0 = stablehlo.abs %x : (tensor<50x50xcomplex<f32>>) -> tensor<50x50xf32>
          %z = stablehlo.constant dense<0.0> : tensor<f32>
          %d = stablehlo.constant dense<3.9257> : tensor<f32>
          %two = stablehlo.constant dense<2.0> : tensor<f32>
          %ctwo = stablehlo.constant dense<(2.0, 0.0)> : tensor<complex<f32>>
          %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
          %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0]
            : (tensor<50x50xf32>, tensor<f32>) -> tensor<50xf32>
          %2 = stablehlo.reduce(%1 init: %i) applies stablehlo.maximum across dimensions = [0]
            : (tensor<50xf32>, tensor<f32>) -> tensor<f32>
          %3 = stablehlo.divide %2, %d : tensor<f32>
          %4 = stablehlo.log %3 : tensor<f32>
          %5 = stablehlo.log %two : tensor<f32>
          %6 = stablehlo.divide %4, %5 : tensor<f32>
          %7 = stablehlo.floor %6 : tensor<f32>
          %8 = stablehlo.maximum %z, %7 : tensor<f32>
          %9 = stablehlo.convert %8 : (tensor<f32>) -> tensor<complex<f32>>
          %10 = stablehlo.power %ctwo, %9 : tensor<complex<f32>>
          return %10, %8 : tensor<complex<f32>>, tensor<f32>
        }",
    );
}

#[test]
fn arrays_without_elements_go_through_everything() {
    agree(
        "func.func @main(%x: tensor<0x3xf32>) -> (tensor<0x3xf32>, tensor<3x0xf32>, tensor<f32>, tensor<3xf32>,
            tensor<0x3xf32>, tensor<3x0xf32>, tensor<2x3xf32>) {
          %z = stablehlo.constant dense<0.0> : tensor<f32>
          %one = stablehlo.constant dense<1.0> : tensor<0x3xf32>
          %0 = stablehlo.add %x, %one : tensor<0x3xf32>
          %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<0x3xf32>) -> tensor<3x0xf32>
          %2 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1]
            : (tensor<0x3xf32>, tensor<f32>) -> tensor<f32>
          %3 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0]
            : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
          %4 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
          %5 = stablehlo.reshape %x : (tensor<0x3xf32>) -> tensor<3x0xf32>
          %6 = stablehlo.pad %x, %z, low = [1, 0], high = [1, 0], interior = [0, 0]
            : (tensor<0x3xf32>, tensor<f32>) -> tensor<2x3xf32>
          return %0, %1, %2, %3, %4, %5, %6 : tensor<0x3xf32>, tensor<3x0xf32>, tensor<f32>, tensor<3xf32>,
            tensor<0x3xf32>, tensor<3x0xf32>, tensor<2x3xf32>
        }",
    );
}
