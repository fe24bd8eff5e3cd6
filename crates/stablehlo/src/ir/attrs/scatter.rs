//! `#stablehlo.scatter`: how the dimensions of a scatter's arrays correspond.

/// Dimension numbers of `scatter`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ScatterDimensionNumbers {
    /// Dimensions of the updates that belong to the windows.
    pub update_window_dims: Box<[i64]>,
    /// Dimensions of the inputs that windows lack.
    pub inserted_window_dims: Box<[i64]>,
    /// Batching dimensions of the inputs.
    pub input_batching_dims: Box<[i64]>,
    /// Batching dimensions of the indices, as many.
    pub scatter_indices_batching_dims: Box<[i64]>,
    /// The input dimension that each index component addresses.
    pub scatter_dims_to_operand_dims: Box<[i64]>,
    /// The dimension of the indices that holds the components.
    pub index_vector_dim: i64,
}
