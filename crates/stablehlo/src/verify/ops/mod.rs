//! The constraints of each op, one family a file.
//!
//! Each function here is called with an op whose signature holds (see `signature.rs`), checks the constraints
//! C1, C2, … and states the results that follow. `None` means that it stopped at a violation it recorded.

mod chlo;
mod collectives;
mod control;
mod convolution;
mod creation;
mod dot;
mod elementwise;
mod gather;
mod movement;
mod numeric;
mod reduce;
mod scatter;
mod sdy;
mod slicing;
mod window;

use super::check::Check;
use crate::ElementKind;
use crate::ir::{Attr, Element, OpCode};

/// Longest constant that is looked into for sizes.
const MOST_CONSTANT: usize = 1 << 16;

/// The integers of an operand that is a constant of the program.
fn constant_ints(cx: &Check<'_, '_>, operand: usize) -> Option<Vec<i64>> {
    let op = cx.m.op(cx.m.defining_op(*cx.op.operands().get(operand)?)?);
    if op.code() != OpCode::Constant {
        return None;
    }
    let Attr::DenseElements(dense) = op.attr("value")? else { return None };
    let tensor = cx.m.ty(dense.ty()).as_tensor()?;
    let count = tensor.num_elements().filter(|&n| n <= MOST_CONSTANT)?;
    let (width, signed) = match tensor.element {
        Element::Plain(e) if matches!(e.kind(), ElementKind::Signed | ElementKind::Unsigned) && e.bits() >= 8 => {
            (e.byte_width(), e.kind() == ElementKind::Signed)
        }
        Element::Index => (8, true),
        _ => return None,
    };
    let read = |bytes: &[u8]| {
        let fill = if signed && bytes.last().is_some_and(|b| b & 0x80 != 0) { 0xff } else { 0 };
        let mut word = [fill; 8];
        word[..width].copy_from_slice(bytes);
        i64::from_le_bytes(word)
    };
    let values: Vec<i64> = dense.data().chunks_exact(width).map(read).collect();
    if dense.is_splat() { Some(vec![*values.first()?; count]) } else { (values.len() == count).then_some(values) }
}

/// Checks the constraints of an op whose signature holds.
pub(crate) fn check(cx: &mut Check<'_, '_>) -> Option<()> {
    by_code(cx)?;
    same_parameters(cx);
    Some(())
}

/// Ops that only move elements: scale and zero point may not change on the way.
fn same_parameters(cx: &mut Check<'_, '_>) {
    let id = match cx.op.code() {
        OpCode::Slice
        | OpCode::DynamicSlice
        | OpCode::DynamicUpdateSlice
        | OpCode::Reverse
        | OpCode::Pad
        | OpCode::DynamicPad
        | OpCode::Transpose => "C1",
        OpCode::Concatenate | OpCode::CollectivePermute => "C5",
        OpCode::Gather => "C23",
        OpCode::DynamicGather => "C14",
        _ => return,
    };
    let (Some(operand), Some(result)) = (cx.t(0), cx.op.result_tensor(0)) else { return };
    let same = super::quantized::same_up_to_axis(cx.m, operand.element, result.element, false);
    if !same && matches!(operand.element, Element::Quantized(_)) && cx.same_baseline(operand.element, result.element) {
        cx.fail(id, format_args!("the result has another scale or zero point than the operand"));
    }
}

fn by_code(cx: &mut Check<'_, '_>) -> Option<()> {
    use OpCode::*;
    match cx.op.code() {
        BuiltinModule => control::module(cx),
        BuiltinUnrealizedConversionCast => control::cast(cx),
        FuncFunc => control::func(cx),
        FuncReturn => control::func_return(cx),
        FuncCall => control::call(cx),
        // Where terminators stand and what they end is checked with the op around them.
        Return | SdyReturn => Some(()),

        Add => elementwise::add(cx),
        And | Atan2 | Ceil | CountLeadingZeros | Divide | Floor | Maximum | Minimum | Multiply | Negate | Not | Or
        | Popcnt | Power | Remainder | RoundNearestAfz | RoundNearestEven | ShiftLeft | ShiftRightArithmetic
        | ShiftRightLogical | Sign | Subtract | Xor => elementwise::same_type(cx),
        Cbrt | Cosine | Exponential | ExponentialMinusOne | Log | LogPlusOne | Logistic | Rsqrt | Sine | Sqrt | Tan
        | Tanh => elementwise::transcendental(cx),
        Abs | Real | Imag => elementwise::part(cx),
        Complex => elementwise::complex(cx),
        IsFinite => elementwise::predicate(cx),
        Compare => elementwise::compare(cx),
        Select => elementwise::select(cx),
        Clamp => elementwise::clamp(cx),
        ReducePrecision => elementwise::reduce_precision(cx),
        Convert => elementwise::convert(cx),
        BitcastConvert => elementwise::bitcast_convert(cx),
        UniformQuantize => elementwise::uniform_quantize(cx),
        UniformDequantize => elementwise::uniform_dequantize(cx),

        Constant => creation::constant(cx),
        Iota => creation::iota(cx),
        DynamicIota => creation::dynamic_iota(cx),
        GetDimensionSize => creation::get_dimension_size(cx),
        SetDimensionSize => creation::set_dimension_size(cx),
        PartitionId | ReplicaId => creation::process_number(cx),

        Broadcast => movement::broadcast(cx),
        BroadcastInDim => movement::broadcast_in_dim(cx),
        DynamicBroadcastInDim => movement::dynamic_broadcast_in_dim(cx),
        Reshape | DynamicReshape => movement::reshape(cx),
        Transpose => movement::transpose(cx),
        Reverse => movement::reverse(cx),
        Concatenate => movement::concatenate(cx),
        Pad => movement::pad(cx),
        DynamicPad => movement::dynamic_pad(cx),
        Slice => slicing::slice(cx),
        DynamicSlice => slicing::dynamic_slice(cx),
        DynamicUpdateSlice => slicing::dynamic_update_slice(cx),
        RealDynamicSlice => slicing::real_dynamic_slice(cx),
        Gather => gather::gather(cx),
        DynamicGather => gather::dynamic_gather(cx),
        Scatter => scatter::scatter(cx),

        Reduce => reduce::reduce(cx),
        Map => reduce::map(cx),
        Sort => reduce::sort(cx),
        ReduceWindow => window::reduce_window(cx),
        SelectAndScatter => window::select_and_scatter(cx),
        DotGeneral => dot::dot_general(cx),
        Dot => dot::dot(cx),
        Convolution => convolution::convolution(cx),
        DynamicConv => convolution::dynamic_conv(cx),

        Cholesky => numeric::cholesky(cx),
        TriangularSolve => numeric::triangular_solve(cx),
        Fft => numeric::fft(cx),
        BatchNormGrad | BatchNormInference | BatchNormTraining => numeric::batch_norm(cx),
        Rng => numeric::rng(cx),
        RngBitGenerator => numeric::rng_bit_generator(cx),

        AllGather => collectives::all_gather(cx),
        AllReduce => collectives::all_reduce(cx),
        AllToAll => collectives::all_to_all(cx),
        ReduceScatter => collectives::reduce_scatter(cx),
        CollectiveBroadcast => collectives::collective_broadcast(cx),
        CollectivePermute => collectives::collective_permute(cx),
        CollectiveReduce => collectives::collective_reduce(cx),
        CrossReplicaSum => collectives::cross_replica_sum(cx),
        AsyncStart => collectives::async_start(cx),
        AsyncDone => collectives::async_done(cx),
        Infeed => collectives::infeed(cx),
        Send => collectives::send(cx),
        Recv => collectives::recv(cx),

        If => control::if_op(cx),
        Case => control::case(cx),
        While => control::while_op(cx),
        OptimizationBarrier => control::optimization_barrier(cx),
        AfterAll | CreateToken | Outfeed => control::token(cx),
        Tuple => control::tuple(cx),
        GetTupleElement => control::get_tuple_element(cx),
        Composite => control::composite(cx),
        CustomCall => control::custom_call(cx),
        Trace => Some(()),

        Einsum | UnaryEinsum => chlo::einsum(cx),
        TorchIndexSelect => chlo::torch_index_select(cx),
        ChloAcos | ChloAcosh | ChloAsin | ChloAsinAcosKernel | ChloAsinh | ChloAtan | ChloAtanh | ChloBesselI1e
        | ChloConj | ChloCosh | ChloDigamma | ChloErf | ChloErfInv | ChloErfc | ChloLgamma | ChloMulhi
        | ChloNextAfter | ChloPolygamma | ChloSinh | ChloSquare | ChloTan | ChloZeta => elementwise::same_type(cx),
        ChloIsInf | ChloIsNegInf | ChloIsPosInf => elementwise::predicate(cx),
        ChloBroadcastAdd
        | ChloBroadcastAnd
        | ChloBroadcastAtan2
        | ChloBroadcastCompare
        | ChloBroadcastComplex
        | ChloBroadcastDivide
        | ChloBroadcastMaximum
        | ChloBroadcastMinimum
        | ChloBroadcastMultiply
        | ChloBroadcastNextAfter
        | ChloBroadcastOr
        | ChloBroadcastPolygamma
        | ChloBroadcastPower
        | ChloBroadcastRemainder
        | ChloBroadcastShiftLeft
        | ChloBroadcastShiftRightArithmetic
        | ChloBroadcastShiftRightLogical
        | ChloBroadcastSubtract
        | ChloBroadcastXor
        | ChloBroadcastZeta => chlo::broadcast_binary(cx),
        ChloBroadcastSelect => chlo::broadcast_select(cx),
        ChloConstant => creation::constant(cx),
        ChloConstantLike => creation::constant_like(cx),
        ChloDynamicReshape => chlo::dynamic_reshape(cx),
        ChloMinimumBroadcastShapes => chlo::minimum_broadcast_shapes(cx),
        ChloRaggedDot => chlo::ragged_dot(cx),
        ChloScan => chlo::scan(cx),
        ChloTopK => reduce::top_k(cx),

        SdyMesh => sdy::mesh(cx),
        SdyConstant => sdy::constant(cx),
        SdyManualComputation | SdyNamedComputation => sdy::computation(cx),
        SdyShardingGroup => Some(()),
        SdyAllGather
        | SdyAllReduce
        | SdyAllSlice
        | SdyAllToAll
        | SdyCollectivePermute
        | SdyDataFlowEdge
        | SdyPropagationBarrier
        | SdyReduceScatter
        | SdyReplicatedToUnreduced
        | SdyShardedToUnreduced
        | SdyReshard
        | SdyShardingConstraint => sdy::pass(cx),

        CheckExpectAlmostEq | CheckExpectClose | CheckExpectEq => control::expectation(cx),
        CheckExpectAlmostEqConst | CheckExpectEqConst => control::constant_expectation(cx),
        InterpreterProbe => creation::constant_like(cx),
        CheckExpectSerializedEq | InterpreterPrint => Some(()),
        InterpreterRunParallel => control::run_parallel(cx),

        Unknown => {
            cx.fail("op", format_args!("the op is of no dialect that this crate knows"));
            None
        }
    }
}
