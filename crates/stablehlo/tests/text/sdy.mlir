// sdy.
module {
  sdy.mesh @mesh = <["a"=4, "b"=2]>
  sdy.mesh @ordered = <["a"=2], device_ids=[1, 0]>
  sdy.mesh @one = <[], device_ids=[3]>
  func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2, ?}p1, {"b"}], replicated={"a":(2)2}>}) -> tensor<8x8xf32> {
    %0 = sdy.sharding_constraint %x <@mesh, [{"a"}, {?}]> : tensor<8x8xf32>
    sdy.sharding_group %0 group_id=3 : tensor<8x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<8x8xf32>
    %2 = sdy.all_gather [{}, {"b"}] %1 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %3 = sdy.all_slice [{"a"}, {}] %2 out_sharding=<@mesh, [{"a"}, {}]> : tensor<8x8xf32>
    %4 = sdy.all_to_all [{"a"}: 0->1] %3 out_sharding=<@mesh, [{}, {"a"}]> : tensor<8x8xf32>
    %5 = "sdy.all_reduce"(%4) <{out_sharding = #sdy.sharding<@mesh, [{}, {"a"}]>, reduction_axes = #sdy<axis_ref_list{"b"}>, reduction_op = 0 : i32}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %6 = "sdy.reduce_scatter"(%5) <{out_sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>, reduce_scatter_axes = #sdy<list_of_axis_ref_lists[{"b"}, {}]>, reduction_op = 0 : i32}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %ar = sdy.all_reduce max {"b"} %6 out_sharding=<@mesh, [{"b"}, {"a"}]> : tensor<8x8xf32>
    %rs = sdy.reduce_scatter min [{}, {"a"}] %ar out_sharding=<@mesh, [{"b"}, {"a"}]> : tensor<8x8xf32>
    %ru = sdy.replicated_to_unreduced {"b"} %rs out_sharding=<@mesh, [{}, {"a"}], unreduced={"b"}> : tensor<8x8xf32>
    %su = sdy.sharded_to_unreduced [{}, {"a"}] %ru out_sharding=<@mesh, [{}, {}], unreduced={"a"}> : tensor<8x8xf32>
    %7 = sdy.collective_permute %6 out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<8x8xf32>
    %8 = sdy.data_flow_edge %7 sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %9 = sdy.propagation_barrier %8 allowed_direction=NONE : tensor<8x8xf32>
    %10 = sdy.named_computation<"foo">(%9) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[<mesh<["x"=2]>, [{}, {}]>] (%a: tensor<8x8xf32>) {
      sdy.return %a : tensor<8x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %11 = sdy.manual_computation(%10) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<@mesh, [{"a"}, {}], unreduced={"b"}>] manual_axes={"a", "b"} (%a: tensor<2x8xf32>) {
      sdy.return %a : tensor<2x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %12 = stablehlo.custom_call @f(%11) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk])->([l, i]) {i=8, j=2, k=4, l=8} reduction={j, k} need_replication={l}, custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %13 = sdy.constant dense<1.0> : tensor<8x8xf32>
    return %12 : tensor<8x8xf32>
  }
}
