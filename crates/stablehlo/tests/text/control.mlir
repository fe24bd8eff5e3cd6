// Regions, tuples, tokens, calls.
module @control attributes {mhlo.num_partitions = 1 : i32} {
  func.func @main(%x: tensor<4x4xf32>, %i: tensor<i32>, %p: tensor<i1>, %s: tensor<f32>, %z: tensor<i32>) -> tensor<4x4xf32> {
    %w:2 = stablehlo.while(%a = %x, %b = %i) : tensor<4x4xf32>, tensor<i32> attributes {x.y = 1 : i64}
    cond {
      %0 = stablehlo.compare LT, %b, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
    } do {
      %0 = stablehlo.add %b, %z : tensor<i32>
      stablehlo.return %a, %0 : tensor<4x4xf32>, tensor<i32>
    }
    stablehlo.while()
    cond {
      stablehlo.return %p : tensor<i1>
    } do {
      stablehlo.return
    }
    %sum = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    %i44 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %arg:2 = stablehlo.reduce(%x init: %s), (%i44 init: %z) across dimensions = [1] {x.y} : (tensor<4x4xf32>, tensor<4x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
     reducer(%e: tensor<f32>, %f: tensor<f32>) (%g: tensor<i32>, %h: tensor<i32>)  {
      %0 = stablehlo.maximum %e, %f : tensor<f32>
      stablehlo.return %0, %g : tensor<f32>, tensor<i32>
    }
    %sub = stablehlo.reduce(%x init: %s) across dimensions = [0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
     reducer(%e: tensor<f32>, %f: tensor<f32>)  {
      %0 = stablehlo.subtract %e, %f : tensor<f32>
      stablehlo.return %0 : tensor<f32>
    }
    %if = "stablehlo.if"(%p) ({
      stablehlo.return %x : tensor<4x4xf32>
    }, {
      stablehlo.return %w#0 : tensor<4x4xf32>
    }) : (tensor<i1>) -> tensor<4x4xf32>
    %case = "stablehlo.case"(%i) ({
      stablehlo.return %x : tensor<4x4xf32>
    }) {x.y} : (tensor<i32>) -> tensor<4x4xf32>
    %map = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%e: tensor<f32>):
      stablehlo.return %e : tensor<f32>
    }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %sort = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%e: tensor<f32>, %f: tensor<f32>):
      %0 = stablehlo.compare LT, %e, %f, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
    }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %rw = "stablehlo.reduce_window"(%x, %s) <{padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 1>}> ({
    ^bb0(%e: tensor<f32>, %f: tensor<f32>):
      %0 = stablehlo.add %e, %f : tensor<f32>
      stablehlo.return %0 : tensor<f32>
    }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %sas = "stablehlo.select_and_scatter"(%x, %x, %s) <{window_dimensions = array<i64: 1, 1>}> ({
    ^bb0(%e: tensor<f32>, %f: tensor<f32>):
      %0 = stablehlo.compare GE, %e, %f : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
    }, {
    ^bb0(%e: tensor<f32>, %f: tensor<f32>):
      %0 = stablehlo.add %e, %f : tensor<f32>
      stablehlo.return %0 : tensor<f32>
    }) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %idx = stablehlo.constant dense<0> : tensor<2x1xi32>
    %gather = "stablehlo.gather"(%x, %idx) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 4>}> : (tensor<4x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
    %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
    %dgather = "stablehlo.dynamic_gather"(%x, %idx, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<4x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x?xf32>
    %scatter = "stablehlo.scatter"(%x, %idx, %gather) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%e: tensor<f32>, %f: tensor<f32>):
      stablehlo.return %f : tensor<f32>
    }) : (tensor<4x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %ts = "stablehlo.triangular_solve"(%x, %x) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %scale = stablehlo.constant dense<1.0> : tensor<4xf32>
    %bn:3 = "stablehlo.batch_norm_training"(%x, %scale, %scale) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>)
    %bi = "stablehlo.batch_norm_inference"(%x, %scale, %scale, %scale, %scale) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    %bg:3 = "stablehlo.batch_norm_grad"(%x, %scale, %scale, %scale, %x) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>)
    %t = stablehlo.tuple %x, %i : tuple<tensor<4x4xf32>, tensor<i32>>
    %te = stablehlo.get_tuple_element %t[1] : (tuple<tensor<4x4xf32>, tensor<i32>>) -> tensor<i32>
    %ob:2 = stablehlo.optimization_barrier %x, %i : tensor<4x4xf32>, tensor<i32>
    stablehlo.optimization_barrier()
    %tok = stablehlo.create_token : !stablehlo.token
    %all = stablehlo.after_all %tok, %tok : !stablehlo.token
    %in:2 = "stablehlo.infeed"(%all) <{infeed_config = "feed"}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    %out = "stablehlo.outfeed"(%x, %in#1) : (tensor<4x4xf32>, !stablehlo.token) -> !stablehlo.token
    %send = "stablehlo.send"(%x, %out) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<4x4xf32>, !stablehlo.token) -> !stablehlo.token
    %recv:2 = "stablehlo.recv"(%send) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4x4xf32>, !stablehlo.token)
    %cc:2 = stablehlo.custom_call @"some target"(%x, %i) {api_version = 4 : i32, backend_config = {a = 1 : i64}, called_computations = [@other], has_side_effect = true, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf32>, tensor<i32>) -> (tensor<4x4xf32>, tensor<i32>)
    %comp = stablehlo.composite "chlo.thing" %x {composite_attributes = {k = 2 : i64}, decomposition = @other, version = 1 : i32} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %tis = "stablehlo.torch_index_select"(%x, %idx) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<4x4xf32>, tensor<2x1xi32>) -> tensor<2x1x4xf32>
    "stablehlo.trace"(%x) <{tag = "here"}> : (tensor<4x4xf32>) -> ()
    %call = call @other(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %call : tensor<4x4xf32>
  }
  func.func private @other(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    return %x : tensor<4x4xf32>
  }
}
