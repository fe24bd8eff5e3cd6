// Element-wise ops.
func.func @main(%x: tensor<2x3xf32>, %i: tensor<4xi32>, %z: tensor<3xcomplex<f32>>, %p: tensor<2x3xi1>, %q: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2x3xf32>, tensor<?xf32>) {
  %v0 = stablehlo.abs %x : tensor<2x3xf32>
  %v1 = stablehlo.cbrt %x : tensor<2x3xf32>
  %v2 = stablehlo.ceil %x : tensor<2x3xf32>
  %v3 = stablehlo.cosine %x : tensor<2x3xf32>
  %v4 = stablehlo.exponential %x : tensor<2x3xf32>
  %v5 = stablehlo.exponential_minus_one %x : tensor<2x3xf32>
  %v6 = stablehlo.floor %x : tensor<2x3xf32>
  %v7 = stablehlo.log %x : tensor<2x3xf32>
  %v8 = stablehlo.log_plus_one %x : tensor<2x3xf32>
  %v9 = stablehlo.logistic %x : tensor<2x3xf32>
  %v10 = stablehlo.negate %x : tensor<2x3xf32>
  %v11 = stablehlo.round_nearest_afz %x : tensor<2x3xf32>
  %v12 = stablehlo.round_nearest_even %x : tensor<2x3xf32>
  %v13 = stablehlo.rsqrt %x : tensor<2x3xf32>
  %v14 = stablehlo.sign %x : tensor<2x3xf32>
  %v15 = stablehlo.sine %x : tensor<2x3xf32>
  %v16 = stablehlo.sqrt %x : tensor<2x3xf32>
  %v17 = stablehlo.tan %x : tensor<2x3xf32>
  %v18 = stablehlo.tanh %x : tensor<2x3xf32>
  %v19 = stablehlo.add %x, %x : tensor<2x3xf32>
  %v20 = stablehlo.atan2 %x, %x : tensor<2x3xf32>
  %v21 = stablehlo.divide %x, %x : tensor<2x3xf32>
  %v22 = stablehlo.maximum %x, %x : tensor<2x3xf32>
  %v23 = stablehlo.minimum %x, %x : tensor<2x3xf32>
  %v24 = stablehlo.multiply %x, %x : tensor<2x3xf32>
  %v25 = stablehlo.power %x, %x : tensor<2x3xf32>
  %v26 = stablehlo.remainder %x, %x : tensor<2x3xf32>
  %v27 = stablehlo.subtract %x, %x : tensor<2x3xf32>
  %v28 = stablehlo.and %i, %i : tensor<4xi32>
  %v29 = stablehlo.or %i, %i : tensor<4xi32>
  %v30 = stablehlo.xor %i, %i : tensor<4xi32>
  %v31 = stablehlo.shift_left %i, %i : tensor<4xi32>
  %v32 = stablehlo.shift_right_arithmetic %i, %i : tensor<4xi32>
  %v33 = stablehlo.shift_right_logical %i, %i : tensor<4xi32>
  %v34 = stablehlo.not %i : tensor<4xi32>
  %v35 = stablehlo.popcnt %i : tensor<4xi32>
  %v36 = stablehlo.count_leading_zeros %i : tensor<4xi32>
  %v37 = stablehlo.real %z : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %v38 = stablehlo.imag %z : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %v39 = stablehlo.complex %v37, %v37 : tensor<3xcomplex<f32>>
  %v40 = stablehlo.is_finite %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %v41 = stablehlo.convert %x : (tensor<2x3xf32>) -> tensor<2x3xi8>
  %v42 = stablehlo.bitcast_convert %x : (tensor<2x3xf32>) -> tensor<2x3xi32>
  %v43 = stablehlo.compare LT, %x, %x, TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %v44 = stablehlo.compare GE, %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %v45 = stablehlo.select %p, %x, %x : tensor<2x3xi1>, tensor<2x3xf32>
  %v46 = stablehlo.clamp %x, %x, %x : tensor<2x3xf32>
  %v47 = stablehlo.reduce_precision %x, format = e5m10 : tensor<2x3xf32>
  %v48 = stablehlo.uniform_dequantize %q : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32>
  %v49 = stablehlo.uniform_quantize %v48 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8<-100:100>:f32:0, {0.5:3,0.25:-1}>>
  %v50 = stablehlo.tanh %x {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-3, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xf32>
  %v51 = stablehlo.add %x, %x {unit, "odd name" = [1, 2 : i32, "a\22b\0A", @sym::@nested, tensor<2xf32>, 1.5 : f32], d = {a = false}} : tensor<2x3xf32>
  %v52 = stablehlo.abs %x : (tensor<2x3xf32>) -> tensor<?x3xf32>
  %v53 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
  %v54 = stablehlo.convert %v53 : (tensor<6xf32>) -> tensor<?xf32>
  return %x, %v54 : tensor<2x3xf32>, tensor<?xf32>
}
