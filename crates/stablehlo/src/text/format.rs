//! The pretty form of every op that has one: one table for the printer and the parser, so that they cannot
//! disagree.
//!
//! A form is a list of pieces in the order of the text. Ops without a form are written generically.

use crate::ir::OpCode;

/// A piece of a pretty form.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Piece {
    /// Words and signs, spaced as they are printed.
    Text(&'static str),
    /// One operand.
    Operand(usize),
    /// The operands from this one on, with commas between them.
    Operands(usize),
    /// The operands from this one on, each with a comma after it.
    OperandsComma(usize),
    /// `[1, 2]`.
    I64s(&'static str),
    /// An integer whose type goes without saying.
    Int(&'static str, IntType),
    /// An enumerator.
    Enum(&'static str, Enumeration),
    /// `true` or `false`.
    Bool(&'static str),
    /// A string.
    Str(&'static str),
    /// A string, written as a symbol.
    StrSymbol(&'static str),
    /// A symbol.
    Symbol(&'static str),
    /// An `f64`, whose type goes without saying.
    F64(&'static str),
    /// An attribute with its type, if it has one.
    Attr(&'static str),
    /// Something that is there if the attribute is; begins with a [`Piece::Text`].
    Optional(&'static str, &'static [Piece]),
    /// All attributes that no other piece holds.
    AttrDict,
    /// The same behind the word `attributes`.
    AttrDictWithKeyword,
    /// `(operand types) -> result types`.
    FunctionType,
    /// One type if all operands and the result have it, else a function type.
    SameType,
    /// The type of the result.
    ResultType,
    /// The types of the results.
    ResultTypes,
    /// The type of one operand.
    OperandType(usize),
    /// The types of all operands, in parentheses if asked.
    OperandTypes {
        /// Whether they stand in parentheses.
        parentheses: bool,
    },
    /// ` : ` and the types of all operands, if there are any.
    ReturnTypes,
    /// All operands and their types, which are also those of the results; `()` if there are none.
    Pairwise,
    /// The types of the results in parentheses.
    ResultTypesParen,
    /// The type of the complex result, if the parts follow from it, else a function type.
    ComplexType,
    /// Predicate type and result type, if the branches have the latter, else a function type.
    SelectType,
    /// The tuple type, from which the operand types follow.
    TupleType,
    /// The value of a constant, whose type is the type of the result.
    Constant,
    /// `[0:4:2, 1:3]`.
    SliceRanges,
    /// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`.
    DotNumbers,
    /// `, precision = [...]`, if there is one.
    Precision,
    /// `, algorithm = <...>`, if there is one.
    Algorithm,
    /// `[b, 0, f]x[0, i, o]->[b, 0, f]`.
    ConvNumbers,
    /// `stride = [...], pad = [...]`, what there is of it.
    Window,
    /// `e8m23`.
    ExponentMantissa,
    /// `%a = %x, %b = %y`: block arguments of both regions and operands of a while, and their types.
    WhileOperands,
    /// The next region, with the arguments that a piece before gave it.
    Region,
    /// The next region, with the names and types of its arguments before it.
    RegionWithArgs,
    /// The next region, with the header of its block.
    RegionWithHeader,
    /// `(%a, %b) inits(%c)`: operands of a scan, and how many of them are inputs.
    ScanOperands,
    /// How many results of a scan are outputs; no text, it follows from the types.
    ScanResults,
    /// Line break.
    NewLine,
    /// All of a reduce.
    Reduce,
    /// All of a function.
    Function,
    /// All of a module.
    Module,
    /// `[<@mesh, [{"x"}]>]`.
    Shardings(&'static str),
    /// The same behind a text, if the attribute is there.
    Sharding(&'static str),
    /// `{"x", "y"}` of manual axes.
    ManualAxes(&'static str),
    /// `<["x"=2]>`.
    SdyMesh(&'static str),
    /// `{"x", "y"}` of axes.
    AxisRefs(&'static str),
    /// `max `, `min `, or nothing for a sum.
    SdyReduction,
    /// `[{"x"}, {}]`.
    AxisRefLists(&'static str),
    /// `[{"x"}: 0->1]`.
    AllToAllParams(&'static str),
}

/// The type of an integer attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntType {
    I32,
    I64,
    U32,
    U64,
}

/// Which enumeration a [`Piece::Enum`] is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Enumeration {
    Direction,
    CompareType,
    FftType,
    Algorithm,
    Distribution,
    /// Directions of sdy, integers 0 to 3.
    Propagation,
}

/// The spellings of the reductions of sdy, by number.
pub(crate) const SDY_REDUCTIONS: [&str; 3] = ["sum", "max", "min"];

/// The spellings of [`Enumeration::Propagation`].
pub(crate) const PROPAGATION: [&str; 4] = ["NONE", "FORWARD", "BACKWARD", "BOTH"];

use Piece::{
    AllToAllParams, AttrDict, AttrDictWithKeyword, AxisRefLists, Bool, ComplexType, Constant, ConvNumbers, DotNumbers,
    Enum, ExponentMantissa, FunctionType, I64s, Int, NewLine, Operand, OperandType, OperandTypes, Operands,
    OperandsComma, Optional, Region, RegionWithArgs, ResultType, ResultTypes, ResultTypesParen, SameType, SelectType,
    Sharding, Shardings, SliceRanges, Str, StrSymbol, Symbol, Text, TupleType, WhileOperands, Window,
};

const UNARY: &[Piece] = &[Operand(0), AttrDict, Text(" : "), SameType];
const BINARY: &[Piece] = &[Operand(0), Text(", "), Operand(1), AttrDict, Text(" : "), SameType];
const ALL_TO_ONE: &[Piece] = &[Operands(0), AttrDict, Text(" : "), FunctionType];
const TO_RESULT: &[Piece] = &[AttrDict, Text(" : "), ResultType];
const CHLO_UNARY: &[Piece] = &[Operand(0), AttrDict, Text(" : "), OperandType(0), Text(" -> "), ResultType];
const CHLO_BINARY: &[Piece] = &[
    Operand(0),
    Text(", "),
    Operand(1),
    AttrDict,
    Text(" : "),
    OperandTypes { parentheses: false },
    Text(" -> "),
    ResultType,
];
const CHLO_BROADCAST: &[Piece] = &[
    Operand(0),
    Text(", "),
    Operand(1),
    AttrDict,
    Text(" : "),
    OperandTypes { parentheses: true },
    Text(" -> "),
    ResultTypes,
];

/// The pieces of an op's pretty form; `None` if it has none.
pub(crate) fn pretty_form(code: OpCode) -> Option<&'static [Piece]> {
    use OpCode as O;
    Some(match code {
        O::BuiltinModule => &[Piece::Module],
        O::FuncFunc => &[Piece::Function],
        O::FuncReturn | O::Return | O::SdyReturn => &[Operands(0), AttrDict, Piece::ReturnTypes],
        O::FuncCall => &[Symbol("callee"), Text("("), Operands(0), Text(")"), AttrDict, Text(" : "), FunctionType],

        O::Abs
        | O::Cbrt
        | O::Ceil
        | O::Convert
        | O::CountLeadingZeros
        | O::Cosine
        | O::Exponential
        | O::ExponentialMinusOne
        | O::Floor
        | O::Imag
        | O::Log
        | O::LogPlusOne
        | O::Logistic
        | O::Not
        | O::Negate
        | O::Popcnt
        | O::Real
        | O::RoundNearestAfz
        | O::RoundNearestEven
        | O::Rsqrt
        | O::Sign
        | O::Sine
        | O::Sqrt
        | O::Tan
        | O::Tanh
        | O::UniformQuantize
        | O::UniformDequantize => UNARY,
        O::Add
        | O::Atan2
        | O::Divide
        | O::Maximum
        | O::Minimum
        | O::Multiply
        | O::Power
        | O::Remainder
        | O::ShiftLeft
        | O::ShiftRightArithmetic
        | O::ShiftRightLogical
        | O::Subtract
        | O::And
        | O::Or
        | O::Xor => BINARY,
        O::AfterAll => &[Operands(0), AttrDict, Text(" : "), SameType],
        O::BitcastConvert
        | O::DynamicPad
        | O::DynamicReshape
        | O::DynamicUpdateSlice
        | O::IsFinite
        | O::RealDynamicSlice
        | O::Reshape => ALL_TO_ONE,
        O::Broadcast => &[Operand(0), Text(", sizes = "), I64s("broadcast_sizes"), AttrDict, Text(" : "), FunctionType],
        O::BroadcastInDim => {
            &[Operand(0), Text(", dims = "), I64s("broadcast_dimensions"), AttrDict, Text(" : "), FunctionType]
        }
        O::Cholesky => {
            &[Operand(0), Optional("lower", &[Text(", lower = "), Bool("lower")]), AttrDict, Text(" : "), SameType]
        }
        O::Clamp => &[Operand(0), Text(", "), Operand(1), Text(", "), Operand(2), AttrDict, Text(" : "), SameType],
        O::Compare => &[
            Enum("comparison_direction", Enumeration::Direction),
            Text(", "),
            Operand(0),
            Text(", "),
            Operand(1),
            Optional("compare_type", &[Text(", "), Enum("compare_type", Enumeration::CompareType)]),
            AttrDict,
            Text(" : "),
            FunctionType,
        ],
        O::Complex => &[Operand(0), Text(", "), Operand(1), AttrDict, Text(" : "), ComplexType],
        O::Composite => &[Str("name"), Text(" "), Operands(0), AttrDict, Text(" : "), FunctionType],
        O::Concatenate => {
            &[OperandsComma(0), Text(" dim = "), Int("dimension", IntType::I64), AttrDict, Text(" : "), FunctionType]
        }
        O::Constant | O::ChloConstant | O::SdyConstant => &[AttrDict, Text(" "), Constant],
        O::Convolution => &[
            Text("("),
            Operands(0),
            Text(") dim_numbers = "),
            ConvNumbers,
            Text(", window = {"),
            Window,
            Text("}"),
            AttrDict,
            Text(" : "),
            FunctionType,
        ],
        O::CreateToken | O::ReplicaId | O::PartitionId => TO_RESULT,
        O::CustomCall => {
            &[StrSymbol("call_target_name"), Text("("), Operands(0), Text(")"), AttrDict, Text(" : "), FunctionType]
        }
        O::Dot => &[Operand(0), Text(", "), Operand(1), Piece::Precision, AttrDict, Text(" : "), FunctionType],
        O::DotGeneral => &[
            Operand(0),
            Text(", "),
            Operand(1),
            Text(", "),
            DotNumbers,
            Piece::Precision,
            Piece::Algorithm,
            AttrDict,
            Text(" : "),
            FunctionType,
        ],
        O::DynamicBroadcastInDim => &[
            Operand(0),
            Text(", "),
            Operand(1),
            Text(", dims = "),
            I64s("broadcast_dimensions"),
            AttrDict,
            Text(" : "),
            FunctionType,
        ],
        O::DynamicIota => {
            &[Operand(0), Text(", dim = "), Int("iota_dimension", IntType::I64), AttrDict, Text(" : "), FunctionType]
        }
        O::DynamicSlice => &[
            Operand(0),
            Text(", "),
            OperandsComma(1),
            Text(" sizes = "),
            I64s("slice_sizes"),
            AttrDict,
            Text(" : "),
            FunctionType,
        ],
        O::Einsum => &[
            Operand(0),
            Text(", "),
            Operand(1),
            Text(", config = "),
            Str("einsum_config"),
            AttrDict,
            Text(" : "),
            FunctionType,
        ],
        O::UnaryEinsum => &[Operand(0), Text(", config = "), Str("einsum_config"), AttrDict, Text(" : "), FunctionType],
        O::Fft => &[
            Operand(0),
            Text(", type = "),
            Enum("fft_type", Enumeration::FftType),
            Text(", length = "),
            I64s("fft_length"),
            AttrDict,
            Text(" : "),
            FunctionType,
        ],
        O::GetDimensionSize => {
            &[Operand(0), Text(", dim = "), Int("dimension", IntType::I64), AttrDict, Text(" : "), FunctionType]
        }
        O::GetTupleElement => {
            &[Operand(0), Text("["), Int("index", IntType::I32), Text("]"), AttrDict, Text(" : "), FunctionType]
        }
        O::Iota => &[Text("dim = "), Int("iota_dimension", IntType::I64), AttrDict, Text(" : "), ResultType],
        O::OptimizationBarrier => &[AttrDict, Piece::Pairwise],
        O::Pad => &[
            Operand(0),
            Text(", "),
            Operand(1),
            Text(", low = "),
            I64s("edge_padding_low"),
            Text(", high = "),
            I64s("edge_padding_high"),
            Text(", interior = "),
            I64s("interior_padding"),
            AttrDict,
            Text(" : "),
            FunctionType,
        ],
        O::Reduce => &[Piece::Reduce],
        O::ReducePrecision => &[Operand(0), Text(", format = "), ExponentMantissa, AttrDict, Text(" : "), SameType],
        O::Reverse => &[Operand(0), Text(", dims = "), I64s("dimensions"), AttrDict, Text(" : "), SameType],
        O::Rng => &[
            Operand(0),
            Text(", "),
            Operand(1),
            Text(", "),
            Operand(2),
            Text(", distribution = "),
            Enum("rng_distribution", Enumeration::Distribution),
            AttrDict,
            Text(" : "),
            FunctionType,
        ],
        O::RngBitGenerator => &[
            Operand(0),
            Text(", algorithm = "),
            Enum("rng_algorithm", Enumeration::Algorithm),
            AttrDict,
            Text(" : "),
            FunctionType,
        ],
        O::Select => &[Operand(0), Text(", "), Operand(1), Text(", "), Operand(2), AttrDict, Text(" : "), SelectType],
        O::SetDimensionSize => &[
            Operand(0),
            Text(", "),
            Operand(1),
            Text(", dim = "),
            Int("dimension", IntType::I64),
            AttrDict,
            Text(" : "),
            FunctionType,
        ],
        O::Slice => &[Operand(0), Text(" "), SliceRanges, AttrDict, Text(" : "), FunctionType],
        O::Transpose => &[Operand(0), Text(", dims = "), I64s("permutation"), AttrDict, Text(" : "), FunctionType],
        O::Tuple => &[Operands(0), AttrDict, Text(" : "), TupleType],
        O::While => &[WhileOperands, AttrDictWithKeyword, NewLine, Text("cond "), Region, Text(" do "), Region],

        O::ChloAcos
        | O::ChloAcosh
        | O::ChloAsin
        | O::ChloAsinAcosKernel
        | O::ChloAsinh
        | O::ChloAtan
        | O::ChloAtanh
        | O::ChloBesselI1e
        | O::ChloConj
        | O::ChloCosh
        | O::ChloDigamma
        | O::ChloErf
        | O::ChloErfInv
        | O::ChloErfc
        | O::ChloIsInf
        | O::ChloIsNegInf
        | O::ChloIsPosInf
        | O::ChloLgamma
        | O::ChloSinh
        | O::ChloSquare
        | O::ChloTan => CHLO_UNARY,
        O::ChloNextAfter | O::ChloPolygamma | O::ChloZeta | O::ChloMulhi => CHLO_BINARY,
        O::ChloBroadcastAdd
        | O::ChloBroadcastAnd
        | O::ChloBroadcastAtan2
        | O::ChloBroadcastCompare
        | O::ChloBroadcastComplex
        | O::ChloBroadcastDivide
        | O::ChloBroadcastMaximum
        | O::ChloBroadcastMinimum
        | O::ChloBroadcastMultiply
        | O::ChloBroadcastNextAfter
        | O::ChloBroadcastOr
        | O::ChloBroadcastPolygamma
        | O::ChloBroadcastPower
        | O::ChloBroadcastRemainder
        | O::ChloBroadcastShiftLeft
        | O::ChloBroadcastShiftRightArithmetic
        | O::ChloBroadcastShiftRightLogical
        | O::ChloBroadcastSubtract
        | O::ChloBroadcastXor
        | O::ChloBroadcastZeta => CHLO_BROADCAST,
        O::ChloBroadcastSelect => &[
            Operand(0),
            Text(", "),
            Operand(1),
            Text(", "),
            Operand(2),
            AttrDict,
            Text(" : "),
            OperandTypes { parentheses: true },
            Text(" -> "),
            ResultTypes,
        ],
        O::ChloScan => &[
            Piece::ScanOperands,
            Text(" dimension="),
            Int("dimension", IntType::I64),
            AttrDictWithKeyword,
            Text(" "),
            Piece::RegionWithHeader,
            Text(" : "),
            FunctionType,
            Piece::ScanResults,
        ],
        O::ChloTopK => &[
            Text("("),
            Operand(0),
            Text(", k = "),
            Int("k", IntType::I64),
            Optional("is_stable", &[Text(", is_stable = "), Bool("is_stable")]),
            Text(")"),
            AttrDict,
            Text(" : "),
            OperandType(0),
            Text(" -> "),
            ResultTypesParen,
        ],

        O::SdyMesh => &[Piece::StrSymbol("sym_name"), Text(" = "), Piece::SdyMesh("mesh"), AttrDict],
        O::SdyShardingConstraint | O::SdyReshard => {
            &[Operand(0), Text(" "), Sharding("sharding"), AttrDict, Text(" : "), ResultType]
        }
        O::SdyShardingGroup => {
            &[Operand(0), Text(" group_id="), Int("group_id", IntType::I64), AttrDict, Text(" : "), OperandType(0)]
        }
        O::SdyDataFlowEdge => &[
            Operand(0),
            Optional("sharding", &[Text(" sharding="), Sharding("sharding")]),
            AttrDict,
            Text(" : "),
            ResultType,
        ],
        O::SdyPropagationBarrier => &[
            Operand(0),
            Text(" allowed_direction="),
            Enum("allowed_direction", Enumeration::Propagation),
            AttrDict,
            Text(" : "),
            OperandType(0),
        ],
        O::SdyManualComputation => &[
            Text("("),
            Operands(0),
            Text(") in_shardings="),
            Shardings("in_shardings"),
            Text(" out_shardings="),
            Shardings("out_shardings"),
            Text(" manual_axes="),
            Piece::ManualAxes("manual_axes"),
            Text(" "),
            RegionWithArgs,
            AttrDict,
            Text(" : "),
            FunctionType,
        ],
        O::SdyNamedComputation => &[
            Text("<"),
            Str("name"),
            Text(">("),
            Operands(0),
            Text(")"),
            Optional("in_shardings", &[Text(" in_shardings="), Shardings("in_shardings")]),
            Optional("out_shardings", &[Text(" out_shardings="), Shardings("out_shardings")]),
            Text(" "),
            RegionWithArgs,
            AttrDict,
            Text(" : "),
            FunctionType,
        ],
        O::SdyAllGather => &[
            AxisRefLists("gathering_axes"),
            Text(" "),
            Operand(0),
            Text(" out_sharding="),
            Sharding("out_sharding"),
            AttrDict,
            Text(" : "),
            ResultType,
        ],
        O::SdyAllReduce => &[
            Piece::SdyReduction,
            Piece::AxisRefs("reduction_axes"),
            Text(" "),
            Operand(0),
            Text(" out_sharding="),
            Sharding("out_sharding"),
            AttrDict,
            Text(" : "),
            ResultType,
        ],
        O::SdyReduceScatter => &[
            Piece::SdyReduction,
            AxisRefLists("reduce_scatter_axes"),
            Text(" "),
            Operand(0),
            Text(" out_sharding="),
            Sharding("out_sharding"),
            AttrDict,
            Text(" : "),
            ResultType,
        ],
        O::SdyReplicatedToUnreduced => &[
            Piece::AxisRefs("axes"),
            Text(" "),
            Operand(0),
            Text(" out_sharding="),
            Sharding("out_sharding"),
            AttrDict,
            Text(" : "),
            ResultType,
        ],
        O::SdyShardedToUnreduced => &[
            AxisRefLists("axes"),
            Text(" "),
            Operand(0),
            Text(" out_sharding="),
            Sharding("out_sharding"),
            AttrDict,
            Text(" : "),
            ResultType,
        ],
        O::SdyAllSlice => &[
            AxisRefLists("slicing_axes"),
            Text(" "),
            Operand(0),
            Text(" out_sharding="),
            Sharding("out_sharding"),
            AttrDict,
            Text(" : "),
            ResultType,
        ],
        O::SdyAllToAll => &[
            AllToAllParams("params"),
            Text(" "),
            Operand(0),
            Text(" out_sharding="),
            Sharding("out_sharding"),
            AttrDict,
            Text(" : "),
            ResultType,
        ],
        O::SdyCollectivePermute => {
            &[Operand(0), Text(" out_sharding="), Sharding("out_sharding"), AttrDict, Text(" : "), ResultType]
        }

        O::CheckExpectEq => &[Operand(0), Text(", "), Operand(1), AttrDict, Text(" : "), OperandType(0)],
        O::CheckExpectEqConst => &[Operand(0), Text(", "), Piece::Attr("value"), AttrDict],
        O::CheckExpectAlmostEq => &[
            Operand(0),
            Text(", "),
            Operand(1),
            Optional("tolerance", &[Text(", tolerance = "), Piece::F64("tolerance")]),
            AttrDict,
            Text(" : "),
            OperandType(0),
        ],
        O::CheckExpectAlmostEqConst => &[
            Operand(0),
            Text(", "),
            Piece::Attr("value"),
            Optional("tolerance", &[Text(", tolerance = "), Piece::F64("tolerance")]),
            AttrDict,
        ],
        O::CheckExpectClose => &[
            Operand(0),
            Text(", "),
            Operand(1),
            Text(", max_ulp_difference = "),
            Int("max_ulp_difference", IntType::U64),
            Optional("min_ulp_difference", &[Text(", min_ulp_difference = "), Int("min_ulp_difference", IntType::U64)]),
            Text(" : "),
            AttrDict,
            OperandTypes { parentheses: false },
        ],
        O::CheckExpectSerializedEq => &[
            Operand(0),
            Text(", probe_id = "),
            Str("probe_id"),
            Optional("iteration", &[Text(", iter = "), Int("iteration", IntType::U32)]),
            AttrDict,
            Text(" : "),
            OperandType(0),
        ],
        O::InterpreterPrint => &[Operand(0), AttrDict, Text(" : "), OperandType(0)],
        O::InterpreterProbe => &[Operand(0), Text(", probe_id = "), Str("probe_id"), AttrDict, Text(" : "), ResultType],
        _ => return None,
    })
}
