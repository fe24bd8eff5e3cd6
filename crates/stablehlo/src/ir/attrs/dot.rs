//! `#stablehlo.dot` and `#stablehlo.dot_algorithm`: what a matrix product contracts, and how.

use crate::ir::TypeId;

/// Dimension numbers of `dot_general`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DotDimensionNumbers {
    /// Batching dimensions of lhs.
    pub lhs_batching_dimensions: Box<[i64]>,
    /// Batching dimensions of rhs, as many.
    pub rhs_batching_dimensions: Box<[i64]>,
    /// Contracting dimensions of lhs.
    pub lhs_contracting_dimensions: Box<[i64]>,
    /// Contracting dimensions of rhs, as many.
    pub rhs_contracting_dimensions: Box<[i64]>,
}

/// The numerical algorithm a `dot_general` asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DotAlgorithm {
    /// Type that lhs is rounded to.
    pub lhs_precision_type: TypeId,
    /// Type that rhs is rounded to.
    pub rhs_precision_type: TypeId,
    /// Type that products are summed in.
    pub accumulation_type: TypeId,
    /// Components that each lhs element is split into.
    pub lhs_component_count: i64,
    /// Components that each rhs element is split into.
    pub rhs_component_count: i64,
    /// Products of components that are computed.
    pub num_primitive_operations: i64,
    /// Whether a less accurate accumulation will do.
    pub allow_imprecise_accumulation: bool,
}
