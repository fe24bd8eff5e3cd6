//! `#stablehlo.conv`: which dimension of a convolution's arrays is what.

/// Dimension numbers of `convolution` and `dynamic_conv`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConvDimensionNumbers {
    /// Batch dimension of lhs.
    pub input_batch_dimension: i64,
    /// Feature dimension of lhs.
    pub input_feature_dimension: i64,
    /// Spatial dimensions of lhs.
    pub input_spatial_dimensions: Box<[i64]>,
    /// Input feature dimension of rhs.
    pub kernel_input_feature_dimension: i64,
    /// Output feature dimension of rhs.
    pub kernel_output_feature_dimension: i64,
    /// Spatial dimensions of rhs.
    pub kernel_spatial_dimensions: Box<[i64]>,
    /// Batch dimension of the result.
    pub output_batch_dimension: i64,
    /// Feature dimension of the result.
    pub output_feature_dimension: i64,
    /// Spatial dimensions of the result.
    pub output_spatial_dimensions: Box<[i64]>,
}
