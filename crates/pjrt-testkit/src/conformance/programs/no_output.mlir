module @no_output {
  func.func public @main(%arg0: tensor<4xf32>) {
    return
  }
}
