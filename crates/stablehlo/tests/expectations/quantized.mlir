// Arithmetic on quantized numbers: by way of the numbers that they stand for.

func.func @products() {
  %a = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %b = stablehlo.constant dense<[[3.0], [-1.0]]> : tensor<2x1xf32>
  %qa = stablehlo.uniform_quantize %a : (tensor<1x2xf32>) -> tensor<1x2x!quant.uniform<i8:f32, 0.5:1>>
  %qb = stablehlo.uniform_quantize %b : (tensor<2x1xf32>) -> tensor<2x1x!quant.uniform<i8:f32, 0.25>>
  %product = stablehlo.dot_general %qa, %qb, contracting_dims = [1] x [0] : (tensor<1x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x1x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x1x!quant.uniform<i32:f32, 0.125>>
  %stored = stablehlo.bitcast_convert %product : (tensor<1x1x!quant.uniform<i32:f32, 0.125>>) -> tensor<1x1xi32>
  check.expect_eq_const %stored, dense<8> : tensor<1x1xi32>
  // Only the weights are quantized.
  %hybrid = stablehlo.dot_general %a, %qb, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x1x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x1xf32>
  check.expect_eq_const %hybrid, dense<1.0> : tensor<1x1xf32>
  return
}

// -----

func.func @movement_and_regions() {
  %x = stablehlo.constant dense<[1.0, -2.0, 3.5]> : tensor<3xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<u8:f32, 0.5:128>>
  %reversed = stablehlo.reverse %q, dims = [0] : tensor<3x!quant.uniform<u8:f32, 0.5:128>>
  %stored = stablehlo.bitcast_convert %reversed : (tensor<3x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<3xui8>
  check.expect_eq_const %stored, dense<[135, 124, 130]> : tensor<3xui8>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %qzero = stablehlo.uniform_quantize %zero : (tensor<f32>) -> tensor<!quant.uniform<u8:f32, 0.5:128>>
  %sum = stablehlo.reduce(%q init: %qzero) applies stablehlo.add across dimensions = [0] : (tensor<3x!quant.uniform<u8:f32, 0.5:128>>, tensor<!quant.uniform<u8:f32, 0.5:128>>) -> tensor<!quant.uniform<u8:f32, 0.5:128>>
  %real = stablehlo.uniform_dequantize %sum : (tensor<!quant.uniform<u8:f32, 0.5:128>>) -> tensor<f32>
  check.expect_eq_const %real, dense<2.5> : tensor<f32>
  %less = stablehlo.compare LT, %q, %reversed : (tensor<3x!quant.uniform<u8:f32, 0.5:128>>, tensor<3x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<3xi1>
  check.expect_eq_const %less, dense<[true, false, false]> : tensor<3xi1>
  return
}
