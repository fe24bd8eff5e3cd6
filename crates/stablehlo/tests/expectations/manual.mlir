// Regions that run once for each device of a mesh, on the device's blocks.

module @sum_over_devices {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main() {
    %x = stablehlo.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi64>
    %y:2 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>, <@mesh, [{"x"}]>] manual_axes={"x"} (%block: tensor<2xi64>) {
      %sum = "stablehlo.all_reduce"(%block) ({
      ^bb0(%a: tensor<i64>, %b: tensor<i64>):
        %s = stablehlo.add %a, %b : tensor<i64>
        stablehlo.return %s : tensor<i64>
      }) {replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<2xi64>) -> tensor<2xi64>
      %id = stablehlo.partition_id : tensor<ui32>
      %number = stablehlo.convert %id : (tensor<ui32>) -> tensor<i64>
      %row = stablehlo.reshape %number : (tensor<i64>) -> tensor<1xi64>
      sdy.return %sum, %row : tensor<2xi64>, tensor<1xi64>
    } : (tensor<8xi64>) -> (tensor<2xi64>, tensor<4xi64>)
    check.expect_eq_const %y#0, dense<[16, 20]> : tensor<2xi64>
    check.expect_eq_const %y#1, dense<[0, 1, 2, 3]> : tensor<4xi64>
    return
  }
}

// -----

module @devices_in_another_order {
  sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
  func.func @main() {
    %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
    // Of each element which device holds it, and the element of the neighbour along y.
    %y:2 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%block: tensor<1x1xi64>) {
      %id = stablehlo.partition_id : tensor<ui32>
      %number = stablehlo.convert %id : (tensor<ui32>) -> tensor<i64>
      %held = stablehlo.reshape %number : (tensor<i64>) -> tensor<1x1xi64>
      %next = "stablehlo.collective_permute"(%block) {source_target_pairs = dense<[[0, 1], [1, 0], [2, 3], [3, 2]]> : tensor<4x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<1x1xi64>) -> tensor<1x1xi64>
      sdy.return %held, %next : tensor<1x1xi64>, tensor<1x1xi64>
    } : (tensor<2x2xi64>) -> (tensor<2x2xi64>, tensor<2x2xi64>)
    check.expect_eq_const %y#0, dense<[[3, 2], [1, 0]]> : tensor<2x2xi64>
    check.expect_eq_const %y#1, dense<[[2, 1], [4, 3]]> : tensor<2x2xi64>
    return
  }
}

// -----

module @some_axes_then_the_others {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func @main() {
    %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
    %y = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {?}]>] out_shardings=[<@mesh, [{"x"}, {?}]>] manual_axes={"x"} (%row: tensor<1x3xi32>) {
      %doubled = stablehlo.add %row, %row : tensor<1x3xi32>
      %z = sdy.manual_computation(%doubled) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%one: tensor<1x1xi32>) {
        %square = stablehlo.multiply %one, %one : tensor<1x1xi32>
        sdy.return %square : tensor<1x1xi32>
      } : (tensor<1x3xi32>) -> tensor<1x3xi32>
      sdy.return %z : tensor<1x3xi32>
    } : (tensor<2x3xi32>) -> tensor<2x3xi32>
    check.expect_eq_const %y, dense<[[4, 16, 36], [64, 100, 144]]> : tensor<2x3xi32>
    return
  }
}

// -----

module @terms_of_a_sum {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main() {
    %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    // Each device gives its block as a term; along y they are the same.
    %sum = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}], unreduced={"x"}>] manual_axes={"x", "y"} (%block: tensor<2xf32>) {
      sdy.return %block : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<2xf32>
    check.expect_eq_const %sum, dense<[4.0, 6.0]> : tensor<2xf32>
    // What is still to be summed is whole on the first device and zero on the others.
    %terms = sdy.manual_computation(%sum) in_shardings=[<@mesh, [{}], unreduced={"x"}>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x", "y"} (%term: tensor<2xf32>) {
      sdy.return %term : tensor<2xf32>
    } : (tensor<2xf32>) -> tensor<4xf32>
    check.expect_eq_const %terms, dense<[4.0, 6.0, 0.0, 0.0]> : tensor<4xf32>
    return
  }
}
