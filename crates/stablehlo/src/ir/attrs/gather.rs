//! `#stablehlo.gather`: how the dimensions of a gather's arrays correspond.

/// Dimension numbers of `gather` and `dynamic_gather`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GatherDimensionNumbers {
    /// Dimensions of the result that come from the slices.
    pub offset_dims: Box<[i64]>,
    /// Dimensions of the operand that vanish from the slices.
    pub collapsed_slice_dims: Box<[i64]>,
    /// Batching dimensions of the operand.
    pub operand_batching_dims: Box<[i64]>,
    /// Batching dimensions of the start indices, as many.
    pub start_indices_batching_dims: Box<[i64]>,
    /// The operand dimension that each index component addresses.
    pub start_index_map: Box<[i64]>,
    /// The dimension of the start indices that holds the components.
    pub index_vector_dim: i64,
}
