// Expectations and requests to the interpreter.
func.func @main(%x: tensor<2xf32>) {
  check.expect_eq %x, %x : tensor<2xf32>
  check.expect_eq_const %x, dense<1.0> : tensor<2xf32>
  check.expect_almost_eq %x, %x, tolerance = 0.25 : tensor<2xf32>
  check.expect_almost_eq_const %x, dense<1.0> : tensor<2xf32>
  check.expect_close %x, %x, max_ulp_difference = 3, min_ulp_difference = 1 : tensor<2xf32>, tensor<2xf32>
  check.expect_serialized_eq %x, probe_id = "p", iter = 2 : tensor<2xf32>
  interpreter.print %x : tensor<2xf32>
  %0 = interpreter.probe %x, probe_id = "p" : tensor<2xf32>
  %1 = "interpreter.run_parallel"(%x) <{programs = [[@main]]}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}
