//! `#chlo.ragged_dot`: what a matrix product of groups contracts, and where the groups lie.

/// Dimension numbers of `chlo.ragged_dot`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RaggedDotDimensionNumbers {
    /// Batching dimensions of lhs.
    pub lhs_batching_dimensions: Box<[i64]>,
    /// Batching dimensions of rhs, as many.
    pub rhs_batching_dimensions: Box<[i64]>,
    /// Contracting dimensions of lhs.
    pub lhs_contracting_dimensions: Box<[i64]>,
    /// Contracting dimensions of rhs, as many.
    pub rhs_contracting_dimensions: Box<[i64]>,
    /// The one dimension of lhs that is cut into groups.
    pub lhs_ragged_dimensions: Box<[i64]>,
    /// The dimension of rhs that has one entry for each group; at most one.
    pub rhs_group_dimensions: Box<[i64]>,
}
