module @constant {
  func.func public @main() -> tensor<3xi32> {
    %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
