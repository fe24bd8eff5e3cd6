//! Quantized element types: integers that stand for real numbers.
//!
//! Owns the parameters only; the arithmetic belongs to the evaluator.

use super::ids::TypeId;

/// `!quant.uniform<storage:expressed, scale:zero_point>`, per tensor or per axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QuantizedType {
    /// Flags as serialised; bit 0 is set when the storage is signed.
    pub flags: u32,
    /// Type of the stored integer.
    pub storage: TypeId,
    /// Type of the number it stands for.
    pub expressed: TypeId,
    /// Least stored value that is used.
    pub storage_min: i64,
    /// Greatest stored value that is used.
    pub storage_max: i64,
    /// One scale and zero point, or one for each index of an axis.
    pub parameters: QuantizationParameters,
}

/// The scales (as bits of `f64`) and zero points of a [`QuantizedType`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum QuantizationParameters {
    /// The same for all elements.
    PerTensor {
        /// Bits of the `f64` scale.
        scale: u64,
        /// The stored value that stands for zero.
        zero_point: i64,
    },
    /// One for each index along a dimension.
    PerAxis {
        /// The dimension.
        axis: i64,
        /// Bits of the `f64` scales.
        scales: Box<[u64]>,
        /// The stored values that stand for zero; as many as scales.
        zero_points: Box<[i64]>,
    },
}

impl QuantizedType {
    /// True if the stored integer is signed.
    pub fn is_signed(&self) -> bool {
        self.flags & 1 != 0
    }

    /// Scale and zero point for an index along the quantized axis (any index when per tensor).
    pub fn scale_and_zero_point(&self, index: usize) -> Option<(f64, i64)> {
        match &self.parameters {
            QuantizationParameters::PerTensor { scale, zero_point } => Some((f64::from_bits(*scale), *zero_point)),
            QuantizationParameters::PerAxis { scales, zero_points, .. } => {
                Some((f64::from_bits(*scales.get(index)?), *zero_points.get(index)?))
            }
        }
    }
}
