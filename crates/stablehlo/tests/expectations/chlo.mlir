// Ops of chlo, on numbers whose results are known.

func.func @functions() {
  %x = stablehlo.constant dense<[0.5, -0.25]> : tensor<2xf32>
  %asin = chlo.asin %x : tensor<2xf32> -> tensor<2xf32>
  %acos = chlo.acos %x : tensor<2xf32> -> tensor<2xf32>
  %sum = stablehlo.add %asin, %acos : tensor<2xf32>
  check.expect_almost_eq_const %sum, dense<1.57079633> : tensor<2xf32>
  %erf = chlo.erf %x : tensor<2xf32> -> tensor<2xf32>
  check.expect_almost_eq_const %erf, dense<[0.520499878, -0.276326390]> : tensor<2xf32>
  %back = chlo.erf_inv %erf : tensor<2xf32> -> tensor<2xf32>
  check.expect_almost_eq %back, %x : tensor<2xf32>
  %n = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf64>
  %one = stablehlo.constant dense<1.0> : tensor<2xf64>
  %polygamma = chlo.polygamma %n, %one : tensor<2xf64>, tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %polygamma, dense<[-0.57721566490153286, 1.6449340668482264]> : tensor<2xf64>
  %z = stablehlo.constant dense<[(3.0, 4.0)]> : tensor<1xcomplex<f32>>
  %square = chlo.square %z : tensor<1xcomplex<f32>> -> tensor<1xcomplex<f32>>
  check.expect_eq_const %square, dense<[(-7.0, 24.0)]> : tensor<1xcomplex<f32>>
  %i = stablehlo.constant dense<[3, -4]> : tensor<2xi8>
  %squares = chlo.square %i : tensor<2xi8> -> tensor<2xi8>
  check.expect_eq_const %squares, dense<[9, 16]> : tensor<2xi8>
  %like = "chlo.constant_like"(%x) {value = 2.5 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %like, dense<2.5> : tensor<2xf32>
  return
}

// -----

func.func @broadcasting() {
  %a = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %b = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %sum = chlo.broadcast_add %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %sum, dense<[[11, 21, 31], [12, 22, 32]]> : tensor<2x3xi32>
  %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %m = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %rows = chlo.broadcast_multiply %c, %m {broadcast_dimensions = array<i64: 0>} : (tensor<2xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %rows, dense<[[1, 2, 3], [8, 10, 12]]> : tensor<2x3xi32>
  %less = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi1>
  check.expect_eq_const %less, dense<true> : tensor<2x3xi1>
  %p = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %chosen = chlo.broadcast_select %p, %a, %b : (tensor<3xi1>, tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %chosen, dense<[[1, 20, 1], [2, 20, 2]]> : tensor<2x3xi32>
  return
}

// -----

func.func @rows() {
  %x = stablehlo.constant dense<[[3, 9, 4], [7, 7, 1]]> : tensor<2x3xi16>
  %values, %indices = chlo.top_k(%x, k = 2) : tensor<2x3xi16> -> (tensor<2x2xi16>, tensor<2x2xi32>)
  check.expect_eq_const %values, dense<[[9, 4], [7, 7]]> : tensor<2x2xi16>
  check.expect_eq_const %indices, dense<[[1, 2], [0, 1]]> : tensor<2x2xi32>
  %zero = stablehlo.constant dense<0> : tensor<2xi16>
  // Sums from the right, of each row.
  %sums:2 = chlo.scan(%x) inits(%zero) dimension=1 attributes {is_reverse = true} {
  ^bb0(%slice: tensor<2xi16>, %sum: tensor<2xi16>):
    %next = stablehlo.add %slice, %sum : tensor<2xi16>
    stablehlo.return %next, %next : tensor<2xi16>, tensor<2xi16>
  } : (tensor<2x3xi16>, tensor<2xi16>) -> (tensor<2x3xi16>, tensor<2xi16>)
  check.expect_eq_const %sums#0, dense<[[16, 13, 4], [15, 8, 1]]> : tensor<2x3xi16>
  check.expect_eq_const %sums#1, dense<[16, 15]> : tensor<2xi16>
  return
}
