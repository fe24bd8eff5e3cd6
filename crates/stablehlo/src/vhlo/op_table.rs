//! The table of VHLO ops: what each becomes, since when and until when it is written, and its properties in
//! the order of the file with what becomes of each.
//!
//! Data only. `convert.rs` gives the rules their meaning; a test compares the table with the published facts.

use super::op::{
    Arity::{Just, Many},
    Group, Prop, Rule, VhloOp,
};
use crate::ir::OpCode;

/// One row: name, op, first version, last version, numbers of operands, results and regions, the attribute
/// that several properties form together, properties.
macro_rules! table {
    ($($name:literal $code:ident ($major:literal, $minor:literal) $until:ident $(($umajor:literal, $uminor:literal))?
       $operands:ident($no:literal) $results:ident($nr:literal) $regions:ident($ng:literal) $group:ident
       [$($prop:ident: $rule:ident $(($arg:literal))?),*];)*) => {
        /// Every VHLO op, sorted by name.
        pub(crate) static OPS: &[VhloOp] = &[$(VhloOp {
            name: $name,
            code: OpCode::$code,
            since: ($major, $minor),
            until: table!(@until $(($umajor, $uminor))?),
            operands: $operands($no),
            results: $results($nr),
            regions: $regions($ng),
            group: Group::$group,
            props: &[$(Prop { name: stringify!($prop), rule: Rule::$rule $(($arg))? }),*],
        }),*];
    };
    (@until ($major:literal, $minor:literal)) => { Some(($major, $minor)) };
    (@until) => { None };
}

table! {
    "abs_v1" Abs (0,9) Newest Just(1) Just(1) Just(0) None [];
    "add_v1" Add (0,9) Newest Just(2) Just(1) Just(0) None [];
    "after_all_v1" AfterAll (0,9) Newest Many(0) Just(1) Just(0) None [];
    "all_gather_v1" AllGather (0,9) Until(1,4) Just(1) Just(1) Just(0) None [all_gather_dim: Int, channel_id: Channel, replica_groups: ReplicaGroups, use_global_device_ids: UnitFlag];
    "all_gather_v2" AllGather (1,5) Newest Many(0) Many(0) Just(0) None [all_gather_dim: Int, channel_id: Channel, replica_groups: ReplicaGroups, use_global_device_ids: UnitFlag];
    "all_reduce_v1" AllReduce (0,9) Until(1,4) Just(1) Just(1) Just(1) None [channel_id: Channel, replica_groups: ReplicaGroups, use_global_device_ids: UnitFlag];
    "all_reduce_v2" AllReduce (1,5) Newest Many(0) Many(0) Just(1) None [channel_id: Channel, replica_groups: ReplicaGroups, use_global_device_ids: UnitFlag];
    "all_to_all_v1" AllToAll (0,9) Until(1,4) Just(1) Just(1) Just(0) None [channel_id: Channel, concat_dimension: Int, replica_groups: ReplicaGroups, split_count: Int, split_dimension: Int];
    "all_to_all_v2" AllToAll (1,5) Newest Many(0) Many(0) Just(0) None [channel_id: Channel, concat_dimension: Int, replica_groups: ReplicaGroups, split_count: Int, split_dimension: Int];
    "and_v1" And (0,9) Newest Just(2) Just(1) Just(0) None [];
    "async_done_v1" AsyncDone (1,15) Newest Just(1) Just(1) Just(0) None [];
    "async_start_v1" AsyncStart (1,15) Newest Many(0) Just(1) Just(1) None [];
    "atan2_v1" Atan2 (0,9) Newest Just(2) Just(1) Just(0) None [];
    "batch_norm_grad_v1" BatchNormGrad (0,9) Newest Just(5) Just(3) Just(0) None [epsilon: Float, feature_index: Int];
    "batch_norm_inference_v1" BatchNormInference (0,9) Newest Just(5) Just(1) Just(0) None [epsilon: Float, feature_index: Int];
    "batch_norm_training_v1" BatchNormTraining (0,9) Newest Just(3) Just(3) Just(0) None [epsilon: Float, feature_index: Int];
    "bitcast_convert_v1" BitcastConvert (0,9) Newest Just(1) Just(1) Just(0) None [];
    "broadcast_in_dim_v1" BroadcastInDim (0,9) Newest Just(1) Just(1) Just(0) None [broadcast_dimensions: I64s];
    "broadcast_v1" Broadcast (0,9) Newest Just(1) Just(1) Just(0) None [broadcast_sizes: I64s];
    "call_v1" FuncCall (0,9) Newest Many(0) Many(0) Just(0) None [callee: Symbol];
    "case_v1" Case (0,9) Newest Just(1) Many(0) Many(0) None [];
    "cbrt_v1" Cbrt (0,9) Until(1,9) Just(1) Just(1) Just(0) None [];
    "cbrt_v2" Cbrt (1,10) Newest Just(1) Just(1) Just(0) None [result_accuracy: Accuracy];
    "ceil_v1" Ceil (0,9) Newest Just(1) Just(1) Just(0) None [];
    "cholesky_v1" Cholesky (0,9) Newest Just(1) Just(1) Just(0) None [lower: Flag];
    "clamp_v1" Clamp (0,9) Newest Just(3) Just(1) Just(0) None [];
    "collective_broadcast_v1" CollectiveBroadcast (0,16) Until(1,19) Just(1) Just(1) Just(0) None [channel_id: Channel, replica_groups: ReplicaGroups];
    "collective_broadcast_v2" CollectiveBroadcast (1,20) Newest Many(0) Many(0) Just(0) None [channel_id: Channel, has_dynamic_root: Flag, replica_groups: ReplicaGroups];
    "collective_permute_v1" CollectivePermute (0,9) Newest Just(1) Just(1) Just(0) None [channel_id: Channel, source_target_pairs: Pairs];
    "collective_reduce_v1" CollectiveReduce (1,19) Newest Many(0) Many(0) Just(1) None [channel_id: Channel, has_dynamic_root: Flag, replica_groups: ReplicaGroups, use_global_device_ids: UnitFlag];
    "compare_v1" Compare (0,9) Newest Just(2) Just(1) Just(0) None [compare_type: CompareType, comparison_direction: Direction];
    "complex_v1" Complex (0,9) Newest Just(2) Just(1) Just(0) None [];
    "composite_v1" Composite (0,19) Until(1,13) Many(0) Many(0) Just(0) None [composite_attributes: OptionalDict, decomposition: Symbol, name: String, version: IntOr(0)];
    "composite_v2" Composite (1,14) Newest Many(0) Many(0) Many(0) None [composite_attributes: OptionalDict, decomposition: Symbol, name: String, version: IntOr(0)];
    "concatenate_v1" Concatenate (0,9) Newest Many(0) Just(1) Just(0) None [dimension: Int];
    "constant_v1" Constant (0,9) Newest Just(0) Just(1) Just(0) None [value: Value];
    "convert_v1" Convert (0,9) Newest Just(1) Just(1) Just(0) None [];
    "convolution_v1" Convolution (0,9) Newest Just(2) Just(1) Just(0) Convolution [batch_group_count: Int, feature_group_count: Int, input_batch_dimension: Part, input_feature_dimension: Part, input_spatial_dimensions: Part, kernel_input_feature_dimension: Part, kernel_output_feature_dimension: Part, kernel_spatial_dimensions: Part, lhs_dilation: OptionalOnes, output_batch_dimension: Part, output_feature_dimension: Part, output_spatial_dimensions: Part, padding: OptionalPadding, precision_config: Precisions, rhs_dilation: OptionalOnes, window_reversal: OptionalBools, window_strides: OptionalOnes];
    "cosine_v1" Cosine (0,9) Until(1,9) Just(1) Just(1) Just(0) None [];
    "cosine_v2" Cosine (1,10) Newest Just(1) Just(1) Just(0) None [result_accuracy: Accuracy];
    "count_leading_zeros_v1" CountLeadingZeros (0,9) Newest Just(1) Just(1) Just(0) None [];
    "create_token_v1" CreateToken (0,9) Newest Just(0) Just(1) Just(0) None [];
    "cross-replica-sum_v1" CrossReplicaSum (0,9) Newest Just(1) Just(1) Just(0) None [replica_groups: ReplicaGroups];
    "custom_call_v1" CustomCall (0,9) Until(1,17) Many(0) Many(0) Just(0) None [api_version: ApiVersion, backend_config: BackendConfig, call_target_name: String, called_computations: Symbols, has_side_effect: Flag, operand_layouts: Layouts, output_operand_aliases: OptionalArray, result_layouts: Layouts];
    "custom_call_v2" CustomCall (1,18) Newest Many(0) Many(0) Just(0) None [api_version: ApiVersion, backend_config: BackendConfig, call_target_name: String, called_computations: Symbols, has_side_effect: Flag, operand_layouts: Layouts, output_operand_aliases: OptionalArray, result_layouts: Layouts, result_tilings: OptionalArray];
    "divide_v1" Divide (0,9) Newest Just(2) Just(1) Just(0) None [];
    "dot_general_v1" DotGeneral (0,9) Until(1,5) Just(2) Just(1) Just(0) Dot [lhs_batching_dimensions: Part, lhs_contracting_dimensions: Part, precision_config: Precisions, rhs_batching_dimensions: Part, rhs_contracting_dimensions: Part];
    "dot_general_v2" DotGeneral (1,6) Newest Just(2) Just(1) Just(0) Dot [accumulation_type: Part, allow_imprecise_accumulation: Part, lhs_batching_dimensions: Part, lhs_component_count: Part, lhs_contracting_dimensions: Part, lhs_precision_type: Part, num_primitive_operations: Part, precision_config: Precisions, rhs_batching_dimensions: Part, rhs_component_count: Part, rhs_contracting_dimensions: Part, rhs_precision_type: Part];
    "dot_v1" Dot (0,9) Newest Just(2) Just(1) Just(0) None [precision_config: Precisions];
    "dynamic_broadcast_in_dim_v1" DynamicBroadcastInDim (0,9) Newest Just(2) Just(1) Just(0) None [broadcast_dimensions: I64s, known_expanding_dimensions: OptionalI64s, known_nonexpanding_dimensions: OptionalI64s];
    "dynamic_conv_v1" DynamicConv (0,9) Until(0,19) Just(3) Just(1) Just(0) Convolution [batch_group_count: Int, feature_group_count: Int, input_batch_dimension: Part, input_feature_dimension: Part, input_spatial_dimensions: Part, kernel_input_feature_dimension: Part, kernel_output_feature_dimension: Part, kernel_spatial_dimensions: Part, lhs_dilation: OptionalOnes, output_batch_dimension: Part, output_feature_dimension: Part, output_spatial_dimensions: Part, padding: Drop, precision_config: Precisions, rhs_dilation: OptionalOnes, window_reversal: OptionalBools, window_strides: OptionalOnes];
    "dynamic_conv_v2" DynamicConv (0,20) Newest Just(3) Just(1) Just(0) Convolution [batch_group_count: Int, feature_group_count: Int, input_batch_dimension: Part, input_feature_dimension: Part, input_spatial_dimensions: Part, kernel_input_feature_dimension: Part, kernel_output_feature_dimension: Part, kernel_spatial_dimensions: Part, lhs_dilation: OptionalOnes, output_batch_dimension: Part, output_feature_dimension: Part, output_spatial_dimensions: Part, precision_config: Precisions, rhs_dilation: OptionalOnes, window_reversal: OptionalBools, window_strides: OptionalOnes];
    "dynamic_gather_v1" DynamicGather (0,9) Until(1,0) Just(3) Just(1) Just(0) Gather [collapsed_slice_dims: Part, index_vector_dim: Part, indices_are_sorted: Flag, offset_dims: Part, start_index_map: Part];
    "dynamic_gather_v2" DynamicGather (1,1) Newest Just(3) Just(1) Just(0) Gather [collapsed_slice_dims: Part, index_vector_dim: Part, indices_are_sorted: Flag, offset_dims: Part, operand_batching_dims: Part, start_index_map: Part, start_indices_batching_dims: Part];
    "dynamic_iota_v1" DynamicIota (0,9) Newest Just(1) Just(1) Just(0) None [iota_dimension: Int];
    "dynamic_pad_v1" DynamicPad (0,9) Newest Just(5) Just(1) Just(0) None [];
    "dynamic_reshape_v1" DynamicReshape (0,9) Newest Just(2) Just(1) Just(0) None [];
    "dynamic_slice_v1" DynamicSlice (0,9) Newest Many(1) Just(1) Just(0) None [slice_sizes: I64s];
    "dynamic_update_slice_v1" DynamicUpdateSlice (0,9) Newest Many(2) Just(1) Just(0) None [];
    "einsum_v1" Einsum (0,9) Newest Just(2) Just(1) Just(0) None [einsum_config: String];
    "exponential_minus_one_v1" ExponentialMinusOne (0,9) Until(1,9) Just(1) Just(1) Just(0) None [];
    "exponential_minus_one_v2" ExponentialMinusOne (1,10) Newest Just(1) Just(1) Just(0) None [result_accuracy: Accuracy];
    "exponential_v1" Exponential (0,9) Until(1,8) Just(1) Just(1) Just(0) None [];
    "exponential_v2" Exponential (1,9) Newest Just(1) Just(1) Just(0) None [result_accuracy: Accuracy];
    "fft_v1" Fft (0,9) Newest Just(1) Just(1) Just(0) None [fft_length: I64s, fft_type: FftType];
    "floor_v1" Floor (0,9) Newest Just(1) Just(1) Just(0) None [];
    "func_v1" FuncFunc (0,9) Newest Just(0) Just(0) Just(1) None [arg_attrs: Dicts, function_type: Type, res_attrs: Dicts, sym_name: String, sym_visibility: OptionalString];
    "gather_v1" Gather (0,9) Until(1,0) Just(2) Just(1) Just(0) Gather [collapsed_slice_dims: Part, index_vector_dim: Part, indices_are_sorted: Flag, offset_dims: Part, slice_sizes: I64s, start_index_map: Part];
    "gather_v2" Gather (1,1) Newest Just(2) Just(1) Just(0) Gather [collapsed_slice_dims: Part, index_vector_dim: Part, indices_are_sorted: Flag, offset_dims: Part, operand_batching_dims: Part, slice_sizes: I64s, start_index_map: Part, start_indices_batching_dims: Part];
    "get_dimension_size_v1" GetDimensionSize (0,9) Newest Just(1) Just(1) Just(0) None [dimension: Int];
    "get_tuple_element_v1" GetTupleElement (0,9) Newest Just(1) Just(1) Just(0) None [index: Int];
    "if_v1" If (0,9) Newest Just(1) Many(0) Just(2) None [];
    "imag_v1" Imag (0,9) Newest Just(1) Just(1) Just(0) None [];
    "infeed_v1" Infeed (0,9) Newest Just(1) Many(0) Just(0) None [infeed_config: OptionalString, layout: OptionalArray];
    "iota_v1" Iota (0,9) Newest Just(0) Just(1) Just(0) None [iota_dimension: Int];
    "is_finite_v1" IsFinite (0,9) Newest Just(1) Just(1) Just(0) None [];
    "log_plus_one_v1" LogPlusOne (0,9) Until(1,9) Just(1) Just(1) Just(0) None [];
    "log_plus_one_v2" LogPlusOne (1,10) Newest Just(1) Just(1) Just(0) None [result_accuracy: Accuracy];
    "log_v1" Log (0,9) Until(1,9) Just(1) Just(1) Just(0) None [];
    "log_v2" Log (1,10) Newest Just(1) Just(1) Just(0) None [result_accuracy: Accuracy];
    "logistic_v1" Logistic (0,9) Until(1,9) Just(1) Just(1) Just(0) None [];
    "logistic_v2" Logistic (1,10) Newest Just(1) Just(1) Just(0) None [result_accuracy: Accuracy];
    "map_v1" Map (0,9) Newest Many(0) Just(1) Just(1) None [dimensions: I64s];
    "maximum_v1" Maximum (0,9) Newest Just(2) Just(1) Just(0) None [];
    "minimum_v1" Minimum (0,9) Newest Just(2) Just(1) Just(0) None [];
    "multiply_v1" Multiply (0,9) Newest Just(2) Just(1) Just(0) None [];
    "negate_v1" Negate (0,9) Newest Just(1) Just(1) Just(0) None [];
    "not_v1" Not (0,9) Newest Just(1) Just(1) Just(0) None [];
    "optimization_barrier_v1" OptimizationBarrier (0,9) Newest Many(0) Many(0) Just(0) None [];
    "or_v1" Or (0,9) Newest Just(2) Just(1) Just(0) None [];
    "outfeed_v1" Outfeed (0,9) Newest Many(1) Just(1) Just(0) None [outfeed_config: OptionalString];
    "pad_v1" Pad (0,9) Newest Just(2) Just(1) Just(0) None [edge_padding_high: I64s, edge_padding_low: I64s, interior_padding: I64s];
    "partition_id_v1" PartitionId (0,9) Newest Just(0) Just(1) Just(0) None [];
    "popcnt_v1" Popcnt (0,9) Newest Just(1) Just(1) Just(0) None [];
    "power_v1" Power (0,9) Newest Just(2) Just(1) Just(0) None [];
    "real_dynamic_slice_v1" RealDynamicSlice (0,9) Newest Just(4) Just(1) Just(0) None [];
    "real_v1" Real (0,9) Newest Just(1) Just(1) Just(0) None [];
    "recv_v1" Recv (0,9) Until(1,11) Just(1) Many(0) Just(0) Channel [channel_id: Part, channel_type: Part, is_host_transfer: Flag];
    "recv_v2" Recv (1,12) Newest Just(1) Many(0) Just(0) Channel [channel_id: Part, channel_type: Part, is_host_transfer: Flag, source_target_pairs: OptionalPairs];
    "reduce_precision_v1" ReducePrecision (0,9) Newest Just(1) Just(1) Just(0) None [exponent_bits: Int, mantissa_bits: Int];
    "reduce_scatter_v1" ReduceScatter (0,9) Newest Just(1) Just(1) Just(1) None [channel_id: Channel, replica_groups: ReplicaGroups, scatter_dimension: Int, use_global_device_ids: UnitFlag];
    "reduce_v1" Reduce (0,9) Newest Many(0) Many(0) Just(1) None [dimensions: I64s];
    "reduce_window_v1" ReduceWindow (0,9) Newest Many(0) Many(0) Just(1) None [base_dilations: OptionalOnes, padding: OptionalPadding, window_dilations: OptionalOnes, window_dimensions: I64s, window_strides: OptionalOnes];
    "remainder_v1" Remainder (0,9) Newest Just(2) Just(1) Just(0) None [];
    "replica_id_v1" ReplicaId (0,9) Newest Just(0) Just(1) Just(0) None [];
    "reshape_v1" Reshape (0,9) Newest Just(1) Just(1) Just(0) None [];
    "return_v1" Return (0,9) Newest Many(0) Just(0) Just(0) None [];
    "reverse_v1" Reverse (0,9) Newest Just(1) Just(1) Just(0) None [dimensions: I64s];
    "rng_bit_generator_v1" RngBitGenerator (0,9) Newest Just(1) Just(2) Just(0) None [rng_algorithm: RngAlgorithm];
    "rng_v1" Rng (0,9) Newest Just(3) Just(1) Just(0) None [rng_distribution: RngDistribution];
    "round_nearest_afz_v1" RoundNearestAfz (0,9) Newest Just(1) Just(1) Just(0) None [];
    "round_nearest_even_v1" RoundNearestEven (0,9) Newest Just(1) Just(1) Just(0) None [];
    "rsqrt_v1" Rsqrt (0,9) Until(1,9) Just(1) Just(1) Just(0) None [];
    "rsqrt_v2" Rsqrt (1,10) Newest Just(1) Just(1) Just(0) None [result_accuracy: Accuracy];
    "scatter_v1" Scatter (0,9) Until(1,0) Many(1) Many(0) Just(1) Scatter [index_vector_dim: Part, indices_are_sorted: Flag, inserted_window_dims: Part, scatter_dims_to_operand_dims: Part, unique_indices: Flag, update_window_dims: Part];
    "scatter_v2" Scatter (1,1) Newest Many(1) Many(0) Just(1) Scatter [index_vector_dim: Part, indices_are_sorted: Flag, input_batching_dims: Part, inserted_window_dims: Part, scatter_dims_to_operand_dims: Part, scatter_indices_batching_dims: Part, unique_indices: Flag, update_window_dims: Part];
    "select_and_scatter_v1" SelectAndScatter (0,9) Newest Just(3) Just(1) Just(2) None [padding: OptionalPadding, window_dimensions: I64s, window_strides: OptionalOnes];
    "select_v1" Select (0,9) Newest Just(3) Just(1) Just(0) None [];
    "send_v1" Send (0,9) Until(1,11) Many(1) Just(1) Just(0) Channel [channel_id: Part, channel_type: Part, is_host_transfer: Flag];
    "send_v2" Send (1,12) Newest Many(1) Just(1) Just(0) Channel [channel_id: Part, channel_type: Part, is_host_transfer: Flag, source_target_pairs: OptionalPairs];
    "set_dimension_size_v1" SetDimensionSize (0,9) Newest Just(2) Just(1) Just(0) None [dimension: Int];
    "shift_left_v1" ShiftLeft (0,9) Newest Just(2) Just(1) Just(0) None [];
    "shift_right_arithmetic_v1" ShiftRightArithmetic (0,9) Newest Just(2) Just(1) Just(0) None [];
    "shift_right_logical_v1" ShiftRightLogical (0,9) Newest Just(2) Just(1) Just(0) None [];
    "sign_v1" Sign (0,9) Newest Just(1) Just(1) Just(0) None [];
    "sine_v1" Sine (0,9) Until(1,9) Just(1) Just(1) Just(0) None [];
    "sine_v2" Sine (1,10) Newest Just(1) Just(1) Just(0) None [result_accuracy: Accuracy];
    "slice_v1" Slice (0,9) Newest Just(1) Just(1) Just(0) None [limit_indices: I64s, start_indices: I64s, strides: I64s];
    "sort_v1" Sort (0,9) Newest Many(0) Many(0) Just(1) None [dimension: IntOr(-1), is_stable: Flag];
    "sqrt_v1" Sqrt (0,9) Until(1,9) Just(1) Just(1) Just(0) None [];
    "sqrt_v2" Sqrt (1,10) Newest Just(1) Just(1) Just(0) None [result_accuracy: Accuracy];
    "subtract_v1" Subtract (0,9) Newest Just(2) Just(1) Just(0) None [];
    "tan_v1" Tan (1,4) Until(1,9) Just(1) Just(1) Just(0) None [];
    "tan_v2" Tan (1,10) Newest Just(1) Just(1) Just(0) None [result_accuracy: Accuracy];
    "tanh_v1" Tanh (0,9) Until(1,9) Just(1) Just(1) Just(0) None [];
    "tanh_v2" Tanh (1,10) Newest Just(1) Just(1) Just(0) None [result_accuracy: Accuracy];
    "torch_index_select_v1" TorchIndexSelect (0,9) Newest Just(2) Just(1) Just(0) None [batch_dims: Int, dim: Int];
    "transpose_v1" Transpose (0,9) Newest Just(1) Just(1) Just(0) None [permutation: I64s];
    "triangular_solve_v1" TriangularSolve (0,9) Newest Just(2) Just(1) Just(0) None [left_side: Bool, lower: Bool, transpose_a: Transpose, unit_diagonal: Bool];
    "tuple_v1" Tuple (0,9) Newest Many(0) Just(1) Just(0) None [];
    "unary_einsum_v1" UnaryEinsum (0,9) Newest Just(1) Just(1) Just(0) None [einsum_config: String];
    "uniform_dequantize_v1" UniformDequantize (0,9) Newest Just(1) Just(1) Just(0) None [];
    "uniform_quantize_v1" UniformQuantize (0,9) Newest Just(1) Just(1) Just(0) None [];
    "while_v1" While (0,9) Newest Many(0) Many(0) Just(2) None [];
    "xor_v1" Xor (0,9) Newest Just(2) Just(1) Just(0) None [];
}
