//! The structured attributes of StableHLO and sdy, one family a file.
//!
//! Plain values with the names of the specification. Their place among all attributes is
//! [`Attr`](super::Attr); how an op's attributes are read is in `op_attrs.rs`.

mod channel;
mod convolution;
mod custom_call;
mod dense;
mod dot;
mod enums;
mod gather;
mod ragged_dot;
mod replica_groups;
mod result_accuracy;
mod scatter;
mod sdy;
mod type_extensions;

pub use channel::ChannelHandle;
pub use convolution::ConvDimensionNumbers;
pub use custom_call::OutputOperandAlias;
pub use dense::DenseElements;
pub use dot::{DotAlgorithm, DotDimensionNumbers};
pub use enums::{
    ComparisonDirection, ComparisonType, CustomCallApiVersion, FftType, Precision, ResultAccuracyMode, RngAlgorithm,
    RngDistribution, Transpose,
};
pub use gather::GatherDimensionNumbers;
pub use ragged_dot::RaggedDotDimensionNumbers;
pub use replica_groups::{AxisRef, Mesh, MeshAxis, MeshRef, ReplicaGroupMeshAxes, SubAxisInfo};
pub use result_accuracy::ResultAccuracy;
pub use scatter::ScatterDimensionNumbers;
pub use sdy::{
    AllToAllParam, DimMapping, DimensionSharding, OpShardingRule, SdyAttr, SdyMesh, SdyMeshRef, TensorMapping,
    TensorSharding,
};
pub use type_extensions::TypeExtensions;
