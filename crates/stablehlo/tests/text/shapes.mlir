// Ops on shapes, dots, convolutions, random numbers, constants.
func.func private @declared(tensor<f32>, tensor<2xi8> {x.y}) -> (tensor<f32> {x.z = 1 : i64}) attributes {a.b}
func.func public @main(%x: tensor<2x3xf32> {tf.aliasing_output = 0 : i32}, %s: tensor<f32>, %i: tensor<i32>, %n: tensor<2xi64>, %w: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x4xf32>, %g: tensor<2xui64>) -> (tensor<2x3xf32> {jax.result_info = "result"}) attributes {no_inline} {
  %v0 = stablehlo.broadcast %x, sizes = [4] : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
  %v1 = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
  %v2 = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %v3 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %v4 = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %v5 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi32>
  %v6 = stablehlo.pad %x, %s, low = [0, 1], high = [2, -1], interior = [0, 3] : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x9xf32>
  %v7 = stablehlo.dynamic_pad %x, %s, %n, %n, %n : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %v8 = stablehlo.reverse %x, dims = [0] : tensor<2x3xf32>
  %v9 = stablehlo.slice %x [0:2:2, 1:3] : (tensor<2x3xf32>) -> tensor<1x2xf32>
  %v10 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  %v11 = stablehlo.dynamic_update_slice %x, %x, %i, %i : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %v12 = stablehlo.real_dynamic_slice %x, %n, %n, %n : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %v13 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %v14 = stablehlo.dynamic_reshape %x, %n : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %v15 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  %v16 = stablehlo.set_dimension_size %x, %i, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 3>>
  %v17 = stablehlo.dot %x, %v13, precision = [HIGH, DEFAULT] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %v18 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  %v18a = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  %v19 = stablehlo.convolution(%w, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [0, 1]], rhs_dilate = [2, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x3x4x4xf32>
  %v20 = stablehlo.einsum %x, %v13, config = "ij,jk->ik" : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %v21 = stablehlo.unary_einsum %x, config = "ij->i" : (tensor<2x3xf32>) -> tensor<2xf32>
  %v22 = stablehlo.cholesky %v17, lower = true : tensor<2x2xf32>
  %v23 = stablehlo.fft %x, type = RFFT, length = [3] : (tensor<2x3xf32>) -> tensor<2x2xcomplex<f32>>
  %v24 = stablehlo.rng %s, %s, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  %v25 = stablehlo.constant dense<[[1.0, -2.5, 3.14159274], [0x7FC00000, 0xFF800000, 1.0e-20]]> : tensor<2x3xf32>
  %v26 = stablehlo.constant dense<[(1.0,-2.0), (0.0,0.5)]> : tensor<2xcomplex<f64>>
  %v27 = stablehlo.constant {x.y = 3 : i8} dense<[true, false]> : tensor<2xi1>
  %v28 = stablehlo.constant dense<> : tensor<0x3xi4>
  %v29 = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>
  %v30 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
  %v31 = stablehlo.constant dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364"> : tensor<101xui8>
  %v32 = "stablehlo.constant"() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 2.0:15>>
  %state, %bits = stablehlo.rng_bit_generator %g, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  %c = call @main(%x, %s, %i, %n, %w, %k, %g) : (tensor<2x3xf32>, tensor<f32>, tensor<i32>, tensor<2xi64>, tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>, tensor<2xui64>) -> tensor<2x3xf32>
  return %c : tensor<2x3xf32>
}
