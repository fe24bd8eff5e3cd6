// Functions side by side: what they send each other, read from the host and give to it.

module @between_devices {
  func.func @ring(%x: tensor<i32>, %token: !stablehlo.token) -> tensor<i32> {
    %sent = "stablehlo.send"(%x, %token) {
      channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, is_host_transfer = false,
      source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>
    } : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
    %y, %last = "stablehlo.recv"(%sent) {
      channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, is_host_transfer = false,
      source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>
    } : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
    return %y : tensor<i32>
  }
  func.func @main() {
    %0 = stablehlo.constant dense<10> : tensor<i32>
    %1 = stablehlo.constant dense<11> : tensor<i32>
    %2 = stablehlo.constant dense<12> : tensor<i32>
    %token = stablehlo.after_all : !stablehlo.token
    %results:3 = "interpreter.run_parallel"(%0, %token, %1, %token, %2, %token) {
      programs = [[@ring, @ring, @ring]]
    } : (tensor<i32>, !stablehlo.token, tensor<i32>, !stablehlo.token, tensor<i32>, !stablehlo.token) -> (tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq_const %results#0, dense<12> : tensor<i32>
    check.expect_eq_const %results#1, dense<10> : tensor<i32>
    check.expect_eq_const %results#2, dense<11> : tensor<i32>
    return
  }
}

// -----

module @fed_by_the_host {
  func.func @first() -> tensor<2xf32> {
    %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @program(%token: !stablehlo.token) -> tensor<2xf32> {
    %x, %next = "stablehlo.infeed"(%token) {infeed_config = ""} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    %y = stablehlo.add %x, %x : tensor<2xf32>
    %last = "stablehlo.outfeed"(%y, %next) {outfeed_config = ""} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    return %y : tensor<2xf32>
  }
  func.func @main() {
    %token = stablehlo.after_all : !stablehlo.token
    %result = "interpreter.run_parallel"(%token) {infeed = [@first], programs = [[@program]]} : (!stablehlo.token) -> tensor<2xf32>
    check.expect_eq_const %result, dense<[2.0, 4.0]> : tensor<2xf32>
    %seen = interpreter.probe %result, probe_id = "result" : tensor<2xf32>
    %twice = stablehlo.add %seen, %seen : tensor<2xf32>
    %again = interpreter.probe %twice, probe_id = "result" : tensor<2xf32>
    check.expect_serialized_eq %seen, probe_id = "result", iter = 0 : tensor<2xf32>
    check.expect_serialized_eq %twice, probe_id = "result", iter = 1 : tensor<2xf32>
    return
  }
}
