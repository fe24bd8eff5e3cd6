//! The table of signatures: for each op its inputs in the order of the specification, the classes of its
//! results and the number of its constraints.
//!
//! Holds facts only. Inputs that the specification lists one by one and the program carries in one attribute
//! (dimension numbers) name that attribute each time.

use super::class::Class;
use super::signature::{AttrKind as A, Input, NamedInput, Results, Signature};
use crate::ir::OpCode;

const TENSOR: Class = Class::TENSOR;
const BOOL: Class = Class::BOOL;
const SINT: Class = Class::SINT;
const UINT: Class = Class::UINT;
const INT: Class = Class::INT;
const FLOAT: Class = Class::FLOAT;
const COMPLEX: Class = Class::COMPLEX;
const INDEX: Class = Class::INDEX;
const QUANT: Class = Class::QUANT;
const TOKEN: Class = Class::TOKEN;
const TUPLE: Class = Class::TUPLE;
const BUFFER: Class = Class::BUFFER;
const FUTURE: Class = Class::FUTURE;
const RANK0: Class = Class::RANK0;
const RANK1: Class = Class::RANK1;
const RANK2: Class = Class::RANK2;
const ANY: Class = Class::ANY;
/// Plain or quantized with one scale.
const TQ: Class = TENSOR.or(QUANT);
/// Plain or quantized in any way.
const TQA: Class = TQ.or(Class::QUANT_AXIS);
const VALUE: Class = TQA.or(TOKEN).or(TUPLE).or(BUFFER).or(FUTURE);
const FQ: Class = FLOAT.or(QUANT);
const FCQ: Class = FQ.or(COMPLEX);
const IFCQ: Class = FCQ.or(INT);
const BITS: Class = BOOL.or(INT);
const SHAPE: Class = INT.or(INDEX).or(RANK1);

use Input::{Attr, Many, One, Opt, Region, Regions};

macro_rules! signatures {
    ($(#[$doc:meta])* $function:ident;
     $($code:ident ($($name:ident: $input:expr),*) -> [$($out:expr),*] $(.. $rest:expr)?, $constraints:literal;)*) => {
        $(#[$doc])*
        fn $function(code: OpCode) -> Option<&'static Signature> {
            match code {
                $(OpCode::$code => {
                    const INPUTS: &[NamedInput] = &[$(NamedInput { name: stringify!($name), input: $input }),*];
                    const REST: Option<Class> = { let rest: Option<Class> = None; $(let _ = rest; let rest = Some($rest);)? rest };
                    const RESULTS: Results = Results { fixed: &[$($out),*], rest: REST };
                    const SIGNATURE: Signature =
                        Signature { inputs: INPUTS, results: RESULTS, constraints: $constraints };
                    Some(&SIGNATURE)
                })*
                _ => None,
            }
        }
    };
}

signatures! {
    /// Ops of the specification.
    specified;
    Abs(operand: One(SINT.or(FCQ))) -> [SINT.or(FQ)], 2;
    Add(lhs: One(TQA), rhs: One(TQA)) -> [TQA], 7;
    AfterAll(inputs: Many(TOKEN)) -> [TOKEN], 0;
    AllGather(operands: Many(TQ), all_gather_dim: Attr("all_gather_dim", A::I64), replica_groups: Attr("replica_groups", A::Groups),
        channel_id: Opt("channel_handle", A::Channel), use_global_device_ids: Opt("use_global_device_ids", A::Flag)) -> [] .. TQ, 6;
    AllReduce(operands: Many(TQ), replica_groups: Attr("replica_groups", A::Groups), channel_id: Opt("channel_handle", A::Channel),
        use_global_device_ids: Opt("use_global_device_ids", A::Flag), computation: Region) -> [] .. TQ, 7;
    AllToAll(operands: Many(TQ), split_dimension: Attr("split_dimension", A::I64), concat_dimension: Attr("concat_dimension", A::I64),
        split_count: Attr("split_count", A::I64), replica_groups: Attr("replica_groups", A::Groups),
        channel_id: Opt("channel_handle", A::Channel)) -> [] .. TQ, 9;
    And(lhs: One(BITS), rhs: One(BITS)) -> [BITS], 1;
    AsyncDone(operand: One(FUTURE)) -> [] .. TQ, 1;
    AsyncStart(operands: Many(TQ), body: Region) -> [FUTURE], 4;
    Atan2(lhs: One(FCQ), rhs: One(FCQ)) -> [FCQ], 1;
    BatchNormGrad(operand: One(FQ), scale: One(FQ.or(RANK1)), mean: One(FQ.or(RANK1)), variance: One(FQ.or(RANK1)), grad_output: One(FQ),
        epsilon: Attr("epsilon", A::F32), feature_index: Attr("feature_index", A::I64)) -> [FQ, FQ.or(RANK1), FQ.or(RANK1)], 5;
    BatchNormInference(operand: One(FQ), scale: One(FQ.or(RANK1)), offset: One(FQ.or(RANK1)), mean: One(FQ.or(RANK1)), variance: One(FQ.or(RANK1)),
        epsilon: Attr("epsilon", A::F32), feature_index: Attr("feature_index", A::I64)) -> [FQ], 7;
    BatchNormTraining(operand: One(FQ), scale: One(FQ.or(RANK1)), offset: One(FQ.or(RANK1)),
        epsilon: Attr("epsilon", A::F32), feature_index: Attr("feature_index", A::I64)) -> [FQ, FQ.or(RANK1), FQ.or(RANK1)], 7;
    BitcastConvert(operand: One(TQA)) -> [TQA], 2;
    BroadcastInDim(operand: One(TQA), broadcast_dimensions: Attr("broadcast_dimensions", A::I64s)) -> [TQA], 6;
    Case(index: One(SINT.or(RANK0).or(Class::W32)), branches: Regions) -> [] .. TQA.or(TOKEN), 4;
    Cbrt(operand: One(FCQ)) -> [FCQ], 1;
    Ceil(operand: One(FQ)) -> [FQ], 1;
    Cholesky(a: One(FCQ), lower: Opt("lower", A::Flag)) -> [FCQ], 3;
    Clamp(min: One(TQ), operand: One(TQ), max: One(TQ)) -> [TQ], 4;
    CollectiveBroadcast(operands: Many(TQ), replica_groups: Attr("replica_groups", A::Groups), channel_id: Opt("channel_handle", A::Channel),
        has_dynamic_root: Opt("has_dynamic_root", A::Flag)) -> [] .. TQ, 6;
    CollectivePermute(operand: One(TQ), source_target_pairs: Attr("source_target_pairs", A::I64Tensor),
        channel_id: Opt("channel_handle", A::Channel)) -> [TQ], 5;
    CollectiveReduce(operands: Many(TQ), replica_groups: Attr("replica_groups", A::Groups), channel_id: Opt("channel_handle", A::Channel),
        has_dynamic_root: Opt("has_dynamic_root", A::Flag), computation: Region) -> [] .. TQ, 4;
    Compare(lhs: One(TQ), rhs: One(TQ), comparison_direction: Attr("comparison_direction", A::Direction),
        compare_type: Opt("compare_type", A::CompareType)) -> [BOOL], 3;
    Complex(lhs: One(FLOAT.or(Class::W32).or(Class::W64)), rhs: One(FLOAT.or(Class::W32).or(Class::W64))) -> [COMPLEX], 3;
    Composite(inputs: Many(VALUE), name: Attr("name", A::Text), composite_attributes: Opt("composite_attributes", A::Dict),
        decomposition: Attr("decomposition", A::Symbol), version: Opt("version", A::I32), regions: Regions) -> [] .. VALUE, 4;
    Concatenate(inputs: Many(TQ), dimension: Attr("dimension", A::I64)) -> [TQ], 6;
    Constant(value: Attr("value", A::Elements)) -> [TQA.or(Class::STATIC)], 1;
    Convert(operand: One(TENSOR)) -> [TENSOR], 1;
    Convolution(lhs: One(TQ), rhs: One(TQA), window_strides: Opt("window_strides", A::I64s), padding: Opt("padding", A::I64Tensor),
        lhs_dilation: Opt("lhs_dilation", A::I64s), rhs_dilation: Opt("rhs_dilation", A::I64s), window_reversal: Opt("window_reversal", A::Bools),
        input_batch_dimension: Attr("dimension_numbers", A::Conv), input_feature_dimension: Attr("dimension_numbers", A::Conv),
        input_spatial_dimensions: Attr("dimension_numbers", A::Conv), kernel_input_feature_dimension: Attr("dimension_numbers", A::Conv),
        kernel_output_feature_dimension: Attr("dimension_numbers", A::Conv), kernel_spatial_dimensions: Attr("dimension_numbers", A::Conv),
        output_batch_dimension: Attr("dimension_numbers", A::Conv), output_feature_dimension: Attr("dimension_numbers", A::Conv),
        output_spatial_dimensions: Attr("dimension_numbers", A::Conv), feature_group_count: Attr("feature_group_count", A::I64),
        batch_group_count: Attr("batch_group_count", A::I64), precision_config: Opt("precision_config", A::Precisions)) -> [TQA], 34;
    Cosine(operand: One(FCQ)) -> [FCQ], 1;
    CountLeadingZeros(operand: One(INT)) -> [INT], 1;
    CustomCall(inputs: Many(VALUE.or(Class::UNRANKED).or(INDEX)), call_target_name: Attr("call_target_name", A::Text), has_side_effect: Opt("has_side_effect", A::Flag),
        backend_config: Opt("backend_config", A::TextOrDict), api_version: Opt("api_version", A::ApiVersion),
        called_computations: Opt("called_computations", A::Symbols), output_operand_aliases: Opt("output_operand_aliases", A::List))
        -> [] .. VALUE.or(Class::UNRANKED).or(INDEX), 0;
    Divide(lhs: One(IFCQ), rhs: One(IFCQ)) -> [IFCQ], 1;
    DotGeneral(lhs: One(TQ), rhs: One(TQA), lhs_batching_dimensions: Attr("dot_dimension_numbers", A::Dot),
        rhs_batching_dimensions: Attr("dot_dimension_numbers", A::Dot), lhs_contracting_dimensions: Attr("dot_dimension_numbers", A::Dot),
        rhs_contracting_dimensions: Attr("dot_dimension_numbers", A::Dot), precision_config: Opt("precision_config", A::Precisions),
        lhs_precision_type: Opt("algorithm", A::Algorithm), rhs_precision_type: Opt("algorithm", A::Algorithm),
        accumulation_type: Opt("algorithm", A::Algorithm), lhs_component_count: Opt("algorithm", A::Algorithm),
        rhs_component_count: Opt("algorithm", A::Algorithm), num_primitive_operations: Opt("algorithm", A::Algorithm),
        allow_imprecise_accumulation: Opt("algorithm", A::Algorithm)) -> [TQA], 24;
    DynamicBroadcastInDim(operand: One(TQA), output_dimensions: One(SHAPE.or(Class::STATIC)), broadcast_dimensions: Attr("broadcast_dimensions", A::I64s),
        known_expanding_dimensions: Opt("known_expanding_dimensions", A::I64s),
        known_nonexpanding_dimensions: Opt("known_nonexpanding_dimensions", A::I64s)) -> [TQA], 10;
    DynamicConv(lhs: One(TQ), rhs: One(TQA), padding: One(INT.or(RANK2).or(Class::STATIC)), window_strides: Opt("window_strides", A::I64s),
        lhs_dilation: Opt("lhs_dilation", A::I64s), rhs_dilation: Opt("rhs_dilation", A::I64s), window_reversal: Opt("window_reversal", A::Bools),
        input_batch_dimension: Attr("dimension_numbers", A::Conv), input_feature_dimension: Attr("dimension_numbers", A::Conv),
        input_spatial_dimensions: Attr("dimension_numbers", A::Conv), kernel_input_feature_dimension: Attr("dimension_numbers", A::Conv),
        kernel_output_feature_dimension: Attr("dimension_numbers", A::Conv), kernel_spatial_dimensions: Attr("dimension_numbers", A::Conv),
        output_batch_dimension: Attr("dimension_numbers", A::Conv), output_feature_dimension: Attr("dimension_numbers", A::Conv),
        output_spatial_dimensions: Attr("dimension_numbers", A::Conv), feature_group_count: Attr("feature_group_count", A::I64),
        batch_group_count: Attr("batch_group_count", A::I64), precision_config: Opt("precision_config", A::Precisions)) -> [TQA], 34;
    DynamicGather(operand: One(TQ), start_indices: One(INT), slice_sizes: One(INT.or(RANK1).or(Class::STATIC)),
        offset_dims: Attr("dimension_numbers", A::Gather), collapsed_slice_dims: Attr("dimension_numbers", A::Gather),
        start_index_map: Attr("dimension_numbers", A::Gather), index_vector_dim: Attr("dimension_numbers", A::Gather),
        indices_are_sorted: Opt("indices_are_sorted", A::Flag)) -> [TQ], 14;
    DynamicIota(output_shape: One(SHAPE.or(Class::STATIC)), iota_dimension: Attr("iota_dimension", A::I64)) -> [IFCQ.or(BOOL)], 2;
    DynamicPad(operand: One(TQ), padding_value: One(TQ.or(RANK0)), edge_padding_low: One(SHAPE.or(Class::STATIC)), edge_padding_high: One(SHAPE.or(Class::STATIC)),
        interior_padding: One(SHAPE.or(Class::STATIC))) -> [TQ], 4;
    DynamicReshape(operand: One(TQA), output_shape: One(SHAPE.or(Class::STATIC))) -> [TQA], 4;
    DynamicSlice(operand: One(TQ), start_indices: Many(INT.or(RANK0)), slice_sizes: Attr("slice_sizes", A::I64s)) -> [TQ], 5;
    DynamicUpdateSlice(operand: One(TQ), update: One(TQ), start_indices: Many(INT.or(RANK0))) -> [TQ], 6;
    Exponential(operand: One(FCQ)) -> [FCQ], 1;
    ExponentialMinusOne(operand: One(FCQ)) -> [FCQ], 1;
    Fft(operand: One(FLOAT.or(COMPLEX)), fft_type: Attr("fft_type", A::Fft), fft_length: Attr("fft_length", A::I64s)) -> [FLOAT.or(COMPLEX)], 5;
    Floor(operand: One(FQ)) -> [FQ], 1;
    Gather(operand: One(TQ), start_indices: One(INT), offset_dims: Attr("dimension_numbers", A::Gather),
        collapsed_slice_dims: Attr("dimension_numbers", A::Gather), operand_batching_dims: Attr("dimension_numbers", A::Gather),
        start_indices_batching_dims: Attr("dimension_numbers", A::Gather), start_index_map: Attr("dimension_numbers", A::Gather),
        index_vector_dim: Attr("dimension_numbers", A::Gather), slice_sizes: Attr("slice_sizes", A::I64s),
        indices_are_sorted: Opt("indices_are_sorted", A::Flag)) -> [TQ], 23;
    GetDimensionSize(operand: One(TQA), dimension: Attr("dimension", A::I64)) -> [SINT.or(RANK0).or(Class::W32)], 1;
    GetTupleElement(operand: One(TUPLE), index: Attr("index", A::I32)) -> [VALUE], 2;
    If(pred: One(BOOL.or(RANK0)), true_branch: Region, false_branch: Region) -> [] .. TQA.or(TOKEN), 3;
    Imag(operand: One(FLOAT.or(COMPLEX))) -> [FLOAT], 2;
    Infeed(token: One(TOKEN), infeed_config: Opt("infeed_config", A::Text)) -> [] .. ANY, 3;
    Iota(iota_dimension: Attr("iota_dimension", A::I64)) -> [IFCQ.or(Class::STATIC)], 1;
    IsFinite(x: One(FQ)) -> [BOOL], 1;
    Log(operand: One(FCQ)) -> [FCQ], 1;
    LogPlusOne(operand: One(FCQ)) -> [FCQ], 1;
    Logistic(operand: One(FCQ)) -> [FCQ], 1;
    Map(inputs: Many(TQ), dimensions: Attr("dimensions", A::I64s), computation: Region) -> [TQ], 4;
    Maximum(lhs: One(TQ), rhs: One(TQ)) -> [TQ], 1;
    Minimum(lhs: One(TQ), rhs: One(TQ)) -> [TQ], 1;
    Multiply(lhs: One(TQ), rhs: One(TQ)) -> [TQ], 1;
    Negate(operand: One(IFCQ)) -> [IFCQ], 1;
    Not(operand: One(BITS)) -> [BITS], 1;
    OptimizationBarrier(operand: Many(TQ.or(TOKEN))) -> [] .. TQ.or(TOKEN), 1;
    Or(lhs: One(BITS), rhs: One(BITS)) -> [BITS], 1;
    Outfeed(inputs: Many(TQA), token: One(TOKEN), outfeed_config: Opt("outfeed_config", A::Text)) -> [TOKEN], 0;
    Pad(operand: One(TQ), padding_value: One(TQ.or(RANK0)), edge_padding_low: Attr("edge_padding_low", A::I64s),
        edge_padding_high: Attr("edge_padding_high", A::I64s), interior_padding: Attr("interior_padding", A::I64s)) -> [TQ], 4;
    PartitionId() -> [UINT.or(RANK0).or(Class::W32)], 0;
    Popcnt(operand: One(INT)) -> [INT], 1;
    Power(lhs: One(IFCQ), rhs: One(IFCQ)) -> [IFCQ], 1;
    Real(operand: One(FLOAT.or(COMPLEX))) -> [FLOAT], 2;
    Recv(token: One(TOKEN), channel_id: Attr("channel_handle", A::Channel), channel_type: Attr("channel_handle", A::Channel),
        is_host_transfer: Opt("is_host_transfer", A::Flag), source_target_pairs: Opt("source_target_pairs", A::I64Tensor)) -> [] .. ANY, 5;
    Reduce(inputs: Many(TQ), init_values: Many(TQ.or(RANK0)), dimensions: Attr("dimensions", A::I64s), body: Region) -> [] .. TQ, 8;
    ReducePrecision(operand: One(FQ), exponent_bits: Attr("exponent_bits", A::I32), mantissa_bits: Attr("mantissa_bits", A::I32)) -> [FQ], 3;
    ReduceScatter(operand: One(TQ), scatter_dimension: Attr("scatter_dimension", A::I64), replica_groups: Attr("replica_groups", A::Groups),
        channel_id: Opt("channel_handle", A::Channel), use_global_device_ids: Opt("use_global_device_ids", A::Flag), computation: Region) -> [TQ], 9;
    ReduceWindow(inputs: Many(TQ), init_values: Many(TQ.or(RANK0)), window_dimensions: Attr("window_dimensions", A::I64s),
        window_strides: Opt("window_strides", A::I64s), base_dilations: Opt("base_dilations", A::I64s),
        window_dilations: Opt("window_dilations", A::I64s), padding: Opt("padding", A::I64Tensor), body: Region) -> [] .. TQ, 16;
    Remainder(lhs: One(IFCQ), rhs: One(IFCQ)) -> [IFCQ], 1;
    ReplicaId() -> [UINT.or(RANK0).or(Class::W32)], 0;
    Reshape(operand: One(TQA)) -> [TQA], 3;
    Reverse(operand: One(TQ), dimensions: Attr("dimensions", A::I64s)) -> [TQ], 3;
    Rng(a: One(BITS.or(FLOAT).or(RANK0)), b: One(BITS.or(FLOAT).or(RANK0)), shape: One(SHAPE.or(Class::STATIC)),
        rng_distribution: Attr("rng_distribution", A::RngDistribution)) -> [BITS.or(FLOAT)], 3;
    RngBitGenerator(rng_algorithm: Attr("rng_algorithm", A::RngAlgorithm), initial_state: One(INT.or(FLOAT).or(RANK1)))
        -> [INT.or(FLOAT).or(RANK1), INT.or(FLOAT).or(Class::STATIC)], 2;
    RoundNearestAfz(operand: One(FQ)) -> [FQ], 1;
    RoundNearestEven(operand: One(FQ)) -> [FQ], 1;
    Rsqrt(operand: One(FCQ)) -> [FCQ], 1;
    Scatter(inputs: Many(TQ), scatter_indices: One(INT.or(INDEX)), updates: Many(TQ),
        update_window_dims: Attr("scatter_dimension_numbers", A::Scatter), inserted_window_dims: Attr("scatter_dimension_numbers", A::Scatter),
        input_batching_dims: Attr("scatter_dimension_numbers", A::Scatter), scatter_indices_batching_dims: Attr("scatter_dimension_numbers", A::Scatter),
        scatter_dims_to_operand_dims: Attr("scatter_dimension_numbers", A::Scatter), index_vector_dim: Attr("scatter_dimension_numbers", A::Scatter),
        indices_are_sorted: Opt("indices_are_sorted", A::Flag), unique_indices: Opt("unique_indices", A::Flag), update_computation: Region) -> [] .. TQ, 25;
    Select(pred: One(BOOL), on_true: One(TQ), on_false: One(TQ)) -> [TQ], 2;
    SelectAndScatter(operand: One(TQ), source: One(TQ), init_value: One(TQ.or(RANK0)), window_dimensions: Opt("window_dimensions", A::I64s),
        window_strides: Opt("window_strides", A::I64s), padding: Opt("padding", A::I64Tensor), select: Region, scatter: Region) -> [TQ], 12;
    Send(inputs: Many(TQA), token: One(TOKEN), channel_id: Attr("channel_handle", A::Channel), channel_type: Attr("channel_handle", A::Channel),
        is_host_transfer: Opt("is_host_transfer", A::Flag), source_target_pairs: Opt("source_target_pairs", A::I64Tensor)) -> [TOKEN], 5;
    ShiftLeft(lhs: One(INT), rhs: One(INT)) -> [INT], 1;
    ShiftRightArithmetic(lhs: One(INT), rhs: One(INT)) -> [INT], 1;
    ShiftRightLogical(lhs: One(INT), rhs: One(INT)) -> [INT], 1;
    Sign(operand: One(SINT.or(FCQ))) -> [SINT.or(FCQ)], 1;
    Sine(operand: One(FCQ)) -> [FCQ], 1;
    Slice(operand: One(TQ), start_indices: Attr("start_indices", A::I64s), limit_indices: Attr("limit_indices", A::I64s),
        strides: Attr("strides", A::I64s)) -> [TQ], 5;
    Sort(inputs: Many(TQ), dimension: Opt("dimension", A::I64), is_stable: Opt("is_stable", A::Flag), comparator: Region) -> [] .. TQ, 5;
    Sqrt(operand: One(FCQ)) -> [FCQ], 1;
    Subtract(lhs: One(IFCQ), rhs: One(IFCQ)) -> [IFCQ], 1;
    Tan(operand: One(FCQ)) -> [FCQ], 1;
    Tanh(operand: One(FCQ)) -> [FCQ], 1;
    Transpose(operand: One(TQA), permutation: Attr("permutation", A::I64s)) -> [TQA], 4;
    TriangularSolve(a: One(FCQ), b: One(FCQ), left_side: Attr("left_side", A::Flag), lower: Attr("lower", A::Flag),
        unit_diagonal: Attr("unit_diagonal", A::Flag), transpose_a: Attr("transpose_a", A::Transpose)) -> [FCQ], 4;
    Tuple(val: Many(VALUE)) -> [TUPLE], 1;
    UniformDequantize(operand: One(QUANT.or(Class::QUANT_AXIS))) -> [FLOAT], 2;
    UniformQuantize(operand: One(FQ.or(Class::QUANT_AXIS))) -> [QUANT.or(Class::QUANT_AXIS)], 2;
    While(operand: Many(VALUE), cond: Region, body: Region) -> [] .. VALUE, 3;
    Xor(lhs: One(BITS), rhs: One(BITS)) -> [BITS], 1;
}

signatures! {
    /// Ops of StableHLO that the specification no longer has, and ops of the other dialects.
    unspecified;
    Broadcast(operand: One(TQ), broadcast_sizes: Attr("broadcast_sizes", A::I64s)) -> [TQ], 0;
    CreateToken() -> [TOKEN], 0;
    CrossReplicaSum(operand: One(TQ), replica_groups: Attr("replica_groups", A::I64Tensor)) -> [TQ], 0;
    Dot(lhs: One(TQ), rhs: One(TQA), precision_config: Opt("precision_config", A::Precisions)) -> [TQA], 0;
    Einsum(lhs: One(TQ), rhs: One(TQ), einsum_config: Attr("einsum_config", A::Text)) -> [TQ], 0;
    UnaryEinsum(operand: One(TQ), einsum_config: Attr("einsum_config", A::Text)) -> [TQ], 0;
    TorchIndexSelect(operand: One(TQ), index: One(TQ), dim: Attr("dim", A::I64), batch_dims: Attr("batch_dims", A::I64)) -> [TQ], 0;
    SetDimensionSize(operand: One(TQ), size: One(SINT.or(RANK0).or(Class::W32)), dimension: Attr("dimension", A::I64)) -> [TQ], 0;
    RealDynamicSlice(operand: One(TQ), start_indices: One(SHAPE), limit_indices: One(SHAPE), strides: One(SHAPE)) -> [TQ], 0;
    Trace(tag: Attr("tag", A::Text)) -> [], 0;
    Return(results: Many(VALUE)) -> [], 0;

    ChloAcos(operand: One(FLOAT.or(COMPLEX))) -> [FLOAT.or(COMPLEX)], 0;
    ChloAcosh(operand: One(FLOAT.or(COMPLEX))) -> [FLOAT.or(COMPLEX)], 0;
    ChloAsin(operand: One(FLOAT.or(COMPLEX))) -> [FLOAT.or(COMPLEX)], 0;
    ChloAsinAcosKernel(operand: One(COMPLEX)) -> [COMPLEX], 0;
    ChloAsinh(operand: One(FLOAT.or(COMPLEX))) -> [FLOAT.or(COMPLEX)], 0;
    ChloAtan(operand: One(FLOAT.or(COMPLEX))) -> [FLOAT.or(COMPLEX)], 0;
    ChloAtanh(operand: One(FLOAT.or(COMPLEX))) -> [FLOAT.or(COMPLEX)], 0;
    ChloBesselI1e(operand: One(FLOAT)) -> [FLOAT], 0;
    ChloConj(operand: One(FLOAT.or(COMPLEX))) -> [FLOAT.or(COMPLEX)], 0;
    ChloCosh(operand: One(FLOAT.or(COMPLEX))) -> [FLOAT.or(COMPLEX)], 0;
    ChloSinh(operand: One(FLOAT.or(COMPLEX))) -> [FLOAT.or(COMPLEX)], 0;
    ChloTan(operand: One(FLOAT.or(COMPLEX))) -> [FLOAT.or(COMPLEX)], 0;
    ChloDigamma(operand: One(FLOAT)) -> [FLOAT], 0;
    ChloErf(operand: One(FLOAT)) -> [FLOAT], 0;
    ChloErfInv(operand: One(FLOAT)) -> [FLOAT], 0;
    ChloErfc(operand: One(FLOAT)) -> [FLOAT], 0;
    ChloLgamma(operand: One(FLOAT)) -> [FLOAT], 0;
    ChloSquare(operand: One(INT.or(FLOAT).or(COMPLEX))) -> [INT.or(FLOAT).or(COMPLEX)], 0;
    ChloIsInf(operand: One(FLOAT)) -> [BOOL], 0;
    ChloIsNegInf(operand: One(FLOAT)) -> [BOOL], 0;
    ChloIsPosInf(operand: One(FLOAT)) -> [BOOL], 0;
    ChloNextAfter(x: One(FLOAT), y: One(FLOAT)) -> [FLOAT], 0;
    ChloPolygamma(n: One(FLOAT), x: One(FLOAT)) -> [FLOAT], 0;
    ChloZeta(x: One(FLOAT), q: One(FLOAT)) -> [FLOAT], 0;
    ChloMulhi(lhs: One(INT), rhs: One(INT)) -> [INT], 0;
    ChloBroadcastAdd(lhs: One(TQ), rhs: One(TQ), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s)) -> [TQ], 0;
    ChloBroadcastAnd(lhs: One(BITS), rhs: One(BITS), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s)) -> [BITS], 0;
    ChloBroadcastAtan2(lhs: One(TQ), rhs: One(TQ), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s)) -> [TQ], 0;
    ChloBroadcastCompare(lhs: One(TQ), rhs: One(TQ), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s),
        comparison_direction: Attr("comparison_direction", A::Any), compare_type: Opt("compare_type", A::Any)) -> [BOOL], 0;
    ChloBroadcastComplex(lhs: One(FLOAT), rhs: One(FLOAT), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s)) -> [COMPLEX], 0;
    ChloBroadcastDivide(lhs: One(TQ), rhs: One(TQ), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s)) -> [TQ], 0;
    ChloBroadcastMaximum(lhs: One(TQ), rhs: One(TQ), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s)) -> [TQ], 0;
    ChloBroadcastMinimum(lhs: One(TQ), rhs: One(TQ), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s)) -> [TQ], 0;
    ChloBroadcastMultiply(lhs: One(TQ), rhs: One(TQ), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s)) -> [TQ], 0;
    ChloBroadcastNextAfter(lhs: One(TQ), rhs: One(TQ), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s)) -> [TQ], 0;
    ChloBroadcastOr(lhs: One(BITS), rhs: One(BITS), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s)) -> [BITS], 0;
    ChloBroadcastPolygamma(lhs: One(TQ), rhs: One(TQ), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s)) -> [TQ], 0;
    ChloBroadcastPower(lhs: One(TQ), rhs: One(TQ), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s)) -> [TQ], 0;
    ChloBroadcastRemainder(lhs: One(TQ), rhs: One(TQ), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s)) -> [TQ], 0;
    ChloBroadcastSelect(pred: One(BOOL), on_true: One(TQ), on_false: One(TQ)) -> [TQ], 0;
    ChloBroadcastShiftLeft(lhs: One(TQ), rhs: One(TQ), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s)) -> [TQ], 0;
    ChloBroadcastShiftRightArithmetic(lhs: One(TQ), rhs: One(TQ), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s)) -> [TQ], 0;
    ChloBroadcastShiftRightLogical(lhs: One(TQ), rhs: One(TQ), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s)) -> [TQ], 0;
    ChloBroadcastSubtract(lhs: One(TQ), rhs: One(TQ), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s)) -> [TQ], 0;
    ChloBroadcastXor(lhs: One(BITS), rhs: One(BITS), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s)) -> [BITS], 0;
    ChloBroadcastZeta(lhs: One(TQ), rhs: One(TQ), broadcast_dimensions: Opt("broadcast_dimensions", A::I64s)) -> [TQ], 0;
    ChloConstant(value: Attr("value", A::Elements)) -> [TQ.or(Class::STATIC)], 0;
    ChloConstantLike(value: Attr("value", A::Any), operand: One(TQA)) -> [TQA], 0;
    ChloDynamicReshape(operand: One(TQ), output_shape: One(SHAPE)) -> [TQ], 0;
    ChloMinimumBroadcastShapes(shapes: Many(SHAPE)) -> [] .. SHAPE, 0;
    ChloRaggedDot(lhs: One(TENSOR), rhs: One(TENSOR), group_sizes: One(INT), ragged_dot_dimension_numbers: Attr("ragged_dot_dimension_numbers", A::Any),
        precision_config: Opt("precision_config", A::Precisions)) -> [TENSOR], 0;
    ChloScan(operands: Many(TENSOR), dimension: Attr("dimension", A::I64), scan_dim_size: Opt("scan_dim_size", A::I64),
        is_reverse: Opt("is_reverse", A::Flag), is_associative: Opt("is_associative", A::Flag), body: Region) -> [] .. TENSOR, 0;
    ChloTopK(operand: One(BITS.or(FLOAT)), k: Attr("k", A::I64), is_stable: Opt("is_stable", A::Flag)) -> [BITS.or(FLOAT), SINT.or(Class::W32)], 0;

    SdyAllGather(tensor: One(TQA), gathering_axes: Attr("gathering_axes", A::Sdy), out_sharding: Attr("out_sharding", A::Sdy)) -> [TQA], 0;
    SdyAllReduce(tensor: One(TQA), reduction_axes: Attr("reduction_axes", A::Sdy), out_sharding: Attr("out_sharding", A::Sdy),
        reduction_op: Opt("reduction_op", A::Any)) -> [TQA], 0;
    SdyAllSlice(tensor: One(TQA), slicing_axes: Attr("slicing_axes", A::Sdy), out_sharding: Attr("out_sharding", A::Sdy)) -> [TQA], 0;
    SdyAllToAll(tensor: One(TQA), params: Attr("params", A::Sdy), out_sharding: Attr("out_sharding", A::Sdy)) -> [TQA], 0;
    SdyCollectivePermute(tensor: One(TQA), out_sharding: Attr("out_sharding", A::Sdy)) -> [TQA], 0;
    SdyConstant(value: Attr("value", A::Elements)) -> [TQA.or(Class::STATIC)], 0;
    SdyDataFlowEdge(input: One(VALUE), sharding: Opt("sharding", A::Sdy)) -> [VALUE], 0;
    SdyManualComputation(tensors: Many(VALUE), in_shardings: Attr("in_shardings", A::Sdy), out_shardings: Attr("out_shardings", A::Sdy),
        manual_axes: Attr("manual_axes", A::Sdy), body: Region) -> [] .. VALUE, 0;
    SdyMesh(sym_name: Attr("sym_name", A::Text), mesh: Attr("mesh", A::Sdy)) -> [], 0;
    SdyNamedComputation(operands: Many(VALUE), name: Attr("name", A::Text), in_shardings: Opt("in_shardings", A::Sdy),
        out_shardings: Opt("out_shardings", A::Sdy), body: Region) -> [] .. VALUE, 0;
    SdyPropagationBarrier(input: One(TQA), allowed_direction: Attr("allowed_direction", A::Any)) -> [TQA], 0;
    SdyReduceScatter(tensor: One(TQA), reduce_scatter_axes: Attr("reduce_scatter_axes", A::Sdy), out_sharding: Attr("out_sharding", A::Sdy),
        reduction_op: Opt("reduction_op", A::Any)) -> [TQA], 0;
    SdyReplicatedToUnreduced(tensor: One(TQA), axes: Attr("axes", A::Sdy), out_sharding: Attr("out_sharding", A::Sdy)) -> [TQA], 0;
    SdyShardedToUnreduced(tensor: One(TQA), axes: Attr("axes", A::Sdy), out_sharding: Attr("out_sharding", A::Sdy)) -> [TQA], 0;
    SdyReshard(input: One(VALUE), sharding: Attr("sharding", A::Sdy)) -> [VALUE], 0;
    SdyReturn(results: Many(VALUE)) -> [], 0;
    SdyShardingConstraint(input: One(VALUE), sharding: Attr("sharding", A::Sdy)) -> [VALUE], 0;
    SdyShardingGroup(input: One(VALUE), group_id: Attr("group_id", A::I64)) -> [], 0;

    CheckExpectAlmostEq(lhs: One(FLOAT.or(COMPLEX)), rhs: One(FLOAT.or(COMPLEX)), tolerance: Opt("tolerance", A::Float)) -> [], 0;
    CheckExpectAlmostEqConst(lhs: One(FLOAT.or(COMPLEX)), value: Attr("value", A::Elements), tolerance: Opt("tolerance", A::Float)) -> [], 0;
    CheckExpectClose(actual: One(TQA), expected: One(TQA), max_ulp_difference: Opt("max_ulp_difference", A::Any),
        min_ulp_difference: Opt("min_ulp_difference", A::Any)) -> [], 0;
    CheckExpectEq(lhs: One(TQA), rhs: One(TQA)) -> [], 0;
    CheckExpectEqConst(lhs: One(TQA), value: Attr("value", A::Elements)) -> [], 0;
    CheckExpectSerializedEq(expected: One(TQA), probe_id: Attr("probe_id", A::Text), iteration: Opt("iteration", A::Any)) -> [], 0;
    InterpreterPrint(operand: One(TQA)) -> [], 0;
    InterpreterProbe(operand: One(TQA), probe_id: Attr("probe_id", A::Text)) -> [TQA], 0;
    InterpreterRunParallel(inputs: Many(VALUE), programs: Attr("programs", A::List), infeed: Opt("infeed", A::List)) -> [] .. VALUE, 0;
}

/// What the op takes and makes; `None` for those of func and builtin and for unknown ops.
#[inline]
pub fn signature(code: OpCode) -> Option<&'static Signature> {
    specified(code).or_else(|| unspecified(code))
}

/// True for ops whose constraints the specification does not number.
pub(crate) fn is_outside_specification(code: OpCode) -> bool {
    specified(code).is_none()
}
