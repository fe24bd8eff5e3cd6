// Ops that the specification does not have (any more), and the dynamic convolution.

func.func @products_by_labels() {
  %a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %b = stablehlo.constant dense<[[0, 1], [1, 1]]> : tensor<2x2xi32>
  %product = stablehlo.einsum %a, %b, config = "ij,jk->ki" : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %product, dense<[[2, 4], [3, 7]]> : tensor<2x2xi32>
  %diagonal = stablehlo.unary_einsum %a, config = "ii->i" : (tensor<2x2xi32>) -> tensor<2xi32>
  check.expect_eq_const %diagonal, dense<[1, 4]> : tensor<2xi32>
  return
}

// -----

func.func @selection() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %index = stablehlo.constant dense<[2, 0]> : tensor<2xi64>
  %selected = "stablehlo.torch_index_select"(%a, %index) {dim = 1 : i64, batch_dims = 0 : i64} : (tensor<2x3xi32>, tensor<2xi64>) -> tensor<2x2xi32>
  check.expect_eq_const %selected, dense<[[3, 1], [6, 4]]> : tensor<2x2xi32>
  %size = stablehlo.constant dense<2> : tensor<i32>
  %cut = stablehlo.set_dimension_size %a, %size, dim = 1 : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x?xi32, #stablehlo.bounds<?, 3>>
  %shape = stablehlo.constant dense<[4]> : tensor<1xi32>
  %flat = stablehlo.dynamic_reshape %cut, %shape : (tensor<2x?xi32, #stablehlo.bounds<?, 3>>, tensor<1xi32>) -> tensor<4xi32>
  check.expect_eq_const %flat, dense<[1, 2, 4, 5]> : tensor<4xi32>
  return
}

// -----

func.func @convolution() {
  %x = stablehlo.constant dense<[[[1], [2], [3]]]> : tensor<1x3x1xi32>
  %kernel = stablehlo.constant dense<[[[1]], [[10]]]> : tensor<2x1x1xi32>
  %padding = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi64>
  %y = "stablehlo.dynamic_conv"(%x, %kernel, %padding) {
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x3x1xi32>, tensor<2x1x1xi32>, tensor<1x2xi64>) -> tensor<1x?x1xi32>
  %shape = stablehlo.constant dense<[3]> : tensor<1xi32>
  %flat = stablehlo.dynamic_reshape %y, %shape : (tensor<1x?x1xi32>, tensor<1xi32>) -> tensor<3xi32>
  check.expect_eq_const %flat, dense<[10, 21, 32]> : tensor<3xi32>
  return
}
