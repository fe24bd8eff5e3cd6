//! Attributes: the compile-time values that ops carry.
//!
//! Interned in a [`Module`](super::Module): equal attributes have equal [`AttrId`]s, and one attribute refers
//! to others by id, so no value here nests.

use std::sync::Arc;

use super::attrs::{
    ChannelHandle, ComparisonDirection, ComparisonType, ConvDimensionNumbers, DenseElements, DotAlgorithm,
    DotDimensionNumbers, FftType, GatherDimensionNumbers, Mesh, OutputOperandAlias, Precision,
    RaggedDotDimensionNumbers, ReplicaGroupMeshAxes, ResultAccuracy, ResultAccuracyMode, RngAlgorithm, RngDistribution,
    ScatterDimensionNumbers, SdyAttr, Transpose, TypeExtensions,
};
use super::ids::{AttrId, StrId, TypeId};
use crate::ElementType;

/// The numbers of an `array<i32: ...>`.
pub(crate) fn i32_list(data: &[u8]) -> Vec<i32> {
    data.chunks_exact(4).map(|word| i32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// An attribute with its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NamedAttr {
    /// The name.
    pub name: StrId,
    /// The attribute.
    pub value: AttrId,
}

/// An attribute of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Attr {
    /// Present or not, nothing else.
    Unit,
    /// `true` or `false`: an integer of type `i1`.
    Bool(bool),
    /// An integer of at most 64 bits other than `i1`.
    Integer {
        /// Sign-extended for signless and signed types and `index`, zero-extended for unsigned ones (so the
        /// upper half of `ui64` reads as negative).
        value: i64,
        /// Its type.
        ty: TypeId,
    },
    /// An integer wider than 64 bits.
    WideInteger {
        /// 64-bit words, lowest first.
        words: Box<[u64]>,
        /// Its type.
        ty: TypeId,
    },
    /// A float of at most 64 bits.
    Float {
        /// Bit pattern in the format of the type.
        bits: u64,
        /// Its type.
        ty: TypeId,
    },
    /// A float wider than 64 bits.
    WideFloat {
        /// 64-bit words of the bit pattern, lowest first.
        words: Box<[u64]>,
        /// Its type.
        ty: TypeId,
    },
    /// A string that is valid UTF-8.
    String(StrId),
    /// A string that is not valid UTF-8.
    Bytes(Arc<[u8]>),
    /// A string with a type.
    TypedString {
        /// The string.
        value: StrId,
        /// Its type.
        ty: TypeId,
    },
    /// A list of attributes.
    Array(Box<[AttrId]>),
    /// Named attributes, sorted by name, no name twice.
    Dict(Box<[NamedAttr]>),
    /// A type.
    Type(TypeId),
    /// `@root` or `@root::@nested`.
    SymbolRef {
        /// The outermost symbol.
        root: StrId,
        /// Symbols inside it.
        nested: Box<[StrId]>,
    },
    /// `dense<...> : tensor<...>`.
    DenseElements(DenseElements),
    /// `dense<["a", ...]> : tensor<...>`: one string that stands for all, or all.
    DenseStrings {
        /// The tensor type.
        ty: TypeId,
        /// The strings.
        values: Box<[StrId]>,
    },
    /// `dense_resource<key> : tensor<...>` whose data the file does not have, or that is no plain blob.
    DenseResource {
        /// The tensor type.
        ty: TypeId,
        /// Name of the resource.
        key: StrId,
    },
    /// `sparse<indices, values> : tensor<...>`.
    Sparse {
        /// The tensor type.
        ty: TypeId,
        /// Positions.
        indices: AttrId,
        /// Values at those positions; zero elsewhere.
        values: AttrId,
    },
    /// `array<i64: ...>`: most lists of dimensions and sizes.
    I64Array(Box<[i64]>),
    /// `array<i1: ...>`.
    BoolArray(Box<[bool]>),
    /// `array<T: ...>` for the other element types.
    DenseArray {
        /// The element.
        element: ElementType,
        /// Little-endian elements.
        data: Arc<[u8]>,
    },
    /// `distinct[n]<attr>`.
    Distinct(AttrId),
    /// A location used as an attribute.
    Location(super::LocId),
    /// An attribute known only by its text.
    Opaque(StrId),

    /// `#stablehlo<comparison_direction ...>`
    ComparisonDirection(ComparisonDirection),
    /// `#stablehlo<comparison_type ...>`
    ComparisonType(ComparisonType),
    /// `#stablehlo<precision ...>`
    Precision(Precision),
    /// `#stablehlo<fft_type ...>`
    FftType(FftType),
    /// `#stablehlo<transpose ...>`
    Transpose(Transpose),
    /// `#stablehlo<rng_algorithm ...>`
    RngAlgorithm(RngAlgorithm),
    /// `#stablehlo<rng_distribution ...>`
    RngDistribution(RngDistribution),
    /// `#stablehlo.result_accuracy_mode<...>`
    ResultAccuracyMode(ResultAccuracyMode),
    /// `#stablehlo.result_accuracy<...>`
    ResultAccuracy(ResultAccuracy),
    /// `#stablehlo.channel_handle<...>`
    ChannelHandle(ChannelHandle),
    /// `#stablehlo.dot<...>`
    DotDimensionNumbers(Box<DotDimensionNumbers>),
    /// `#stablehlo.dot_algorithm<...>`
    DotAlgorithm(Box<DotAlgorithm>),
    /// `#stablehlo.conv<...>`
    ConvDimensionNumbers(Box<ConvDimensionNumbers>),
    /// `#stablehlo.gather<...>`
    GatherDimensionNumbers(Box<GatherDimensionNumbers>),
    /// `#chlo.ragged_dot<...>`
    RaggedDotDimensionNumbers(Box<RaggedDotDimensionNumbers>),
    /// `#stablehlo.scatter<...>`
    ScatterDimensionNumbers(Box<ScatterDimensionNumbers>),
    /// `#stablehlo.output_operand_alias<...>`
    OutputOperandAlias(Box<OutputOperandAlias>),
    /// `#stablehlo.bounds<...>`
    TypeExtensions(TypeExtensions),
    /// `#stablehlo.replica_group_mesh_axes<...>`
    ReplicaGroupMeshAxes(Box<ReplicaGroupMeshAxes>),
    /// `#stablehlo.mesh<...>`
    Mesh(Box<Mesh>),
    /// `#stablehlo.mesh_axis<...>`
    MeshAxis(super::attrs::MeshAxis),
    /// `#stablehlo.axis_ref<...>`
    AxisRef(super::attrs::AxisRef),
    /// `#stablehlo.sub_axis_info<...>`
    SubAxisInfo(super::attrs::SubAxisInfo),
    /// An attribute of sdy.
    Sdy(Box<SdyAttr>),
}

impl Attr {
    /// A word for the kind of attribute, for error messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Attr::Unit => "unit",
            Attr::Bool(_) => "bool",
            Attr::Integer { .. } | Attr::WideInteger { .. } => "integer",
            Attr::Float { .. } | Attr::WideFloat { .. } => "float",
            Attr::String(_) | Attr::Bytes(_) | Attr::TypedString { .. } => "string",
            Attr::Array(_) => "array",
            Attr::Dict(_) => "dictionary",
            Attr::Type(_) => "type",
            Attr::SymbolRef { .. } => "symbol reference",
            Attr::DenseElements(_) => "dense elements",
            Attr::DenseStrings { .. } => "dense strings",
            Attr::DenseResource { .. } => "dense resource",
            Attr::Sparse { .. } => "sparse elements",
            Attr::I64Array(_) => "i64 array",
            Attr::BoolArray(_) => "i1 array",
            Attr::DenseArray { .. } => "dense array",
            Attr::Distinct(_) => "distinct",
            Attr::Location(_) => "location",
            Attr::Opaque(_) => "opaque",
            Attr::ComparisonDirection(_) => "comparison direction",
            Attr::ComparisonType(_) => "comparison type",
            Attr::Precision(_) => "precision",
            Attr::FftType(_) => "FFT type",
            Attr::Transpose(_) => "transpose",
            Attr::RngAlgorithm(_) => "RNG algorithm",
            Attr::RngDistribution(_) => "RNG distribution",
            Attr::ResultAccuracyMode(_) => "result accuracy mode",
            Attr::ResultAccuracy(_) => "result accuracy",
            Attr::ChannelHandle(_) => "channel handle",
            Attr::DotDimensionNumbers(_) => "dot dimension numbers",
            Attr::DotAlgorithm(_) => "dot algorithm",
            Attr::ConvDimensionNumbers(_) => "convolution dimension numbers",
            Attr::GatherDimensionNumbers(_) => "gather dimension numbers",
            Attr::RaggedDotDimensionNumbers(_) => "ragged dot dimension numbers",
            Attr::ScatterDimensionNumbers(_) => "scatter dimension numbers",
            Attr::OutputOperandAlias(_) => "output operand alias",
            Attr::TypeExtensions(_) => "bounds",
            Attr::ReplicaGroupMeshAxes(_) => "replica groups as mesh axes",
            Attr::Mesh(_) => "mesh",
            Attr::MeshAxis(_) => "mesh axis",
            Attr::AxisRef(_) => "axis reference",
            Attr::SubAxisInfo(_) => "sub-axis",
            Attr::Sdy(_) => "sdy attribute",
        }
    }
}
