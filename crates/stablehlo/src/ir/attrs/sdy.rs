//! The attributes of the sdy (Shardy) dialect: meshes, shardings and sharding rules.
//!
//! Kept as structures; nothing here partitions a program.

use super::replica_groups::{AxisRef, MeshAxis, SubAxisInfo};
use crate::ir::StrId;

/// `#sdy.mesh`: devices arranged along named axes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SdyMesh {
    /// The axes, major first. None with one device id: a single device; none at all: the empty mesh.
    pub axes: Box<[MeshAxis]>,
    /// Device ids in row-major order of the axes; empty means 0, 1, 2 and so on.
    pub device_ids: Box<[i64]>,
}

/// How one dimension of a tensor is split.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DimensionSharding {
    /// The axes that split it, major first.
    pub axes: Box<[AxisRef]>,
    /// False if propagation may add axes.
    pub is_closed: bool,
    /// Propagation priority.
    pub priority: Option<u64>,
}

/// The mesh a sharding refers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SdyMeshRef {
    /// The symbol of an `sdy.mesh` op.
    Symbol(StrId),
    /// Spelled out.
    Inline(SdyMesh),
}

/// `#sdy.sharding`: how a tensor is spread over a mesh.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorSharding {
    /// The mesh.
    pub mesh: SdyMeshRef,
    /// One for each dimension.
    pub dim_shardings: Box<[DimensionSharding]>,
    /// Axes along which the tensor is certainly replicated.
    pub replicated_axes: Box<[AxisRef]>,
    /// Axes along which a reduction is still due.
    pub unreduced_axes: Box<[AxisRef]>,
    /// That reduction: 0 sum, 1 max, 2 min.
    pub reduction: i64,
}

/// The factors that one dimension is made of.
pub type DimMapping = Box<[i64]>;
/// One mapping for each dimension of a tensor.
pub type TensorMapping = Box<[DimMapping]>;

/// `#sdy.op_sharding_rule`: how an op relates the dimensions of its operands and results.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpShardingRule {
    /// Size of each factor.
    pub factor_sizes: Box<[i64]>,
    /// One for each operand.
    pub operand_mappings: Box<[TensorMapping]>,
    /// One for each result.
    pub result_mappings: Box<[TensorMapping]>,
    /// Factors that the op reduces over.
    pub reduction_factors: Box<[i64]>,
    /// Factors that must be replicated.
    pub need_replication_factors: Box<[i64]>,
    /// Factors that the op permutes.
    pub permutation_factors: Box<[i64]>,
    /// Factors through which shardings do not propagate.
    pub blocked_propagation_factors: Box<[i64]>,
    /// True for rules that a user gave.
    pub is_custom: bool,
}

/// One exchange of `sdy.all_to_all`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AllToAllParam {
    /// Axes that move.
    pub axes: Box<[AxisRef]>,
    /// The dimension they leave.
    pub src_dim: i64,
    /// The dimension they reach.
    pub tgt_dim: i64,
}

/// An attribute of the sdy dialect.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SdyAttr {
    /// Names of manual axes.
    ManualAxes(Box<[StrId]>),
    /// A mesh axis by itself.
    MeshAxis(MeshAxis),
    /// A mesh.
    Mesh(SdyMesh),
    /// Part of an axis by itself.
    SubAxisInfo(SubAxisInfo),
    /// An axis reference by itself.
    AxisRef(AxisRef),
    /// A dimension's sharding by itself.
    DimensionSharding(DimensionSharding),
    /// A tensor's sharding.
    Sharding(TensorSharding),
    /// Shardings of all results (or operands) of an op.
    ShardingPerValue(Box<[TensorSharding]>),
    /// A dimension mapping by itself.
    DimMapping(DimMapping),
    /// A tensor mapping by itself.
    TensorMapping(TensorMapping),
    /// A sharding rule.
    OpShardingRule(OpShardingRule),
    /// A list of axes.
    AxisRefList(Box<[AxisRef]>),
    /// A list of lists of axes.
    ListOfAxisRefLists(Box<[Box<[AxisRef]>]>),
    /// One exchange by itself.
    AllToAllParam(AllToAllParam),
    /// The exchanges of an all-to-all.
    AllToAllParamList(Box<[AllToAllParam]>),
}
