// chlo.
func.func @main(%x: tensor<2xf32>, %n: tensor<1xindex>, %p: tensor<2xi1>, %m: tensor<2x2xf32>, %g: tensor<3x2x2xf32>, %sizes: tensor<3xi64>, %z: tensor<2xcomplex<f32>>) -> tensor<2xf32> {
  %v0 = chlo.acos %x : tensor<2xf32> -> tensor<2xf32>
  %v1 = chlo.acosh %x : tensor<2xf32> -> tensor<2xf32>
  %v2 = chlo.asin %x : tensor<2xf32> -> tensor<2xf32>
  %v3 = chlo.asinh %x : tensor<2xf32> -> tensor<2xf32>
  %v4 = chlo.atan %x : tensor<2xf32> -> tensor<2xf32>
  %v5 = chlo.atanh %x : tensor<2xf32> -> tensor<2xf32>
  %v6 = chlo.bessel_i1e %x : tensor<2xf32> -> tensor<2xf32>
  %v7 = chlo.conj %x : tensor<2xf32> -> tensor<2xf32>
  %v8 = chlo.cosh %x : tensor<2xf32> -> tensor<2xf32>
  %v9 = chlo.digamma %x : tensor<2xf32> -> tensor<2xf32>
  %v10 = chlo.erf %x : tensor<2xf32> -> tensor<2xf32>
  %v11 = chlo.erf_inv %x : tensor<2xf32> -> tensor<2xf32>
  %v12 = chlo.erfc %x : tensor<2xf32> -> tensor<2xf32>
  %v13 = chlo.is_inf %x : tensor<2xf32> -> tensor<2xi1>
  %v14 = chlo.is_neg_inf %x : tensor<2xf32> -> tensor<2xi1>
  %v15 = chlo.is_pos_inf %x : tensor<2xf32> -> tensor<2xi1>
  %v16 = chlo.lgamma %x : tensor<2xf32> -> tensor<2xf32>
  %v17 = chlo.sinh %x : tensor<2xf32> -> tensor<2xf32>
  %v18 = chlo.square %x : tensor<2xf32> -> tensor<2xf32>
  %v19 = chlo.tan %x : tensor<2xf32> -> tensor<2xf32>
  %v20 = chlo.broadcast_add %x, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v21 = chlo.broadcast_and %x, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v22 = chlo.broadcast_atan2 %x, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v23 = chlo.broadcast_complex %x, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v24 = chlo.broadcast_divide %x, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v25 = chlo.broadcast_maximum %x, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v26 = chlo.broadcast_minimum %x, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v27 = chlo.broadcast_multiply %x, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v28 = chlo.broadcast_next_after %x, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v29 = chlo.broadcast_or %x, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v30 = chlo.broadcast_polygamma %x, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v31 = chlo.broadcast_power %x, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v32 = chlo.broadcast_remainder %x, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v33 = chlo.broadcast_shift_left %x, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v34 = chlo.broadcast_shift_right_arithmetic %x, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v35 = chlo.broadcast_shift_right_logical %x, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v36 = chlo.broadcast_subtract %x, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v37 = chlo.broadcast_xor %x, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v38 = chlo.broadcast_zeta %x, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v39 = chlo.next_after %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %v40 = chlo.polygamma %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %v41 = chlo.zeta %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %v42 = chlo.mulhi %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %v43 = chlo.broadcast_compare %x, %x {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction EQ>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %v44 = chlo.broadcast_select %p, %x, %x : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v45 = chlo.constant dense<1.0> : tensor<2xf32>
  %v46 = "chlo.constant_like"(%x) <{value = 1.0 : f32}> : (tensor<2xf32>) -> tensor<2xf32>
  %v47 = "chlo.dynamic_reshape"(%x, %n) : (tensor<2xf32>, tensor<1xindex>) -> tensor<?xf32>
  %v48 = "chlo.ragged_dot"(%x, %x, %n) <{precision_config = [#chlo<precision HIGH>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<2xf32>, tensor<2xf32>, tensor<1xindex>) -> tensor<f32>
  %v49 = "chlo.ragged_dot"(%m, %g, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0],>}> : (tensor<2x2xf32>, tensor<3x2x2xf32>, tensor<3xi64>) -> tensor<2x2xf32>
  %sc:2 = chlo.scan(%m) inits(%x) dimension=0 attributes {is_reverse = true} {
  ^bb0(%slice: tensor<2xf32>, %carry: tensor<2xf32>):
    %s = stablehlo.add %slice, %carry : tensor<2xf32>
    stablehlo.return %s, %s : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)
  %kernel = chlo._asin_acos_kernel %z : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %sh:2 = "chlo.minimum_broadcast_shapes"(%n, %n) : (tensor<1xindex>, tensor<1xindex>) -> (tensor<1xindex>, tensor<1xindex>)
  %values, %indices = chlo.top_k(%x, k = 1) : tensor<2xf32> -> (tensor<1xf32>, tensor<1xi32>)
  return %x : tensor<2xf32>
}
