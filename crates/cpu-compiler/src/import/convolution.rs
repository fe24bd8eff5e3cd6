//! Convolutions.

use super::Importer;
use super::kernels::sizes;
use crate::error::Result;
use crate::fuse::lanes::storage;
use crate::graph::Value;
use crate::kernel::Prepared;
use cpu_kernels::{Convolution, ConvolutionDimensions, ConvolutionWindow, WindowDimension};
use stablehlo::ir::OpRef;
use std::sync::Arc;

impl<'m> Importer<'m> {
    pub(super) fn convolution(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Value>>> {
        let inputs = self.operands(op)?;
        let result = self.result_type(op, 0)?;
        let Some(element) = result.element else { return Ok(None) };
        let (lhs, rhs) = (self.shape(inputs[0])?, self.shape(inputs[1])?);
        let numbers = op.conv_dimension_numbers()?;
        let dimensions = ConvolutionDimensions {
            input_batch: numbers.input_batch_dimension as usize,
            input_feature: numbers.input_feature_dimension as usize,
            input_spatial: sizes(&numbers.input_spatial_dimensions),
            kernel_input_feature: numbers.kernel_input_feature_dimension as usize,
            kernel_output_feature: numbers.kernel_output_feature_dimension as usize,
            kernel_spatial: sizes(&numbers.kernel_spatial_dimensions),
            output_batch: numbers.output_batch_dimension as usize,
            output_feature: numbers.output_feature_dimension as usize,
            output_spatial: sizes(&numbers.output_spatial_dimensions),
        };
        let rank = dimensions.kernel_spatial.len();
        let list = |name: &str| -> Result<Vec<usize>> { Ok(op.i64s_opt(name)?.map_or_else(|| vec![1; rank], sizes)) };
        let (strides, base, dilation) = (list("window_strides")?, list("lhs_dilation")?, list("rhs_dilation")?);
        let padding = op.padding("padding")?.unwrap_or_else(|| vec![(0, 0); rank]);
        let window = |d: usize| WindowDimension {
            size: rhs.dims[dimensions.kernel_spatial[d]],
            stride: strides[d],
            padding: padding[d],
            base_dilation: base[d],
            window_dilation: dilation[d],
        };
        let windows = ConvolutionWindow {
            dimensions: (0..rank).map(window).collect(),
            reversal: op.bools_opt("window_reversal")?.map_or_else(|| vec![false; rank], <[bool]>::to_vec),
            feature_group_count: op.int_or("feature_group_count", 1)? as usize,
            batch_group_count: op.int_or("batch_group_count", 1)? as usize,
        };
        let kernel = Convolution::prepare(&lhs, &rhs, &dimensions, &windows, storage(element))?;
        let taps = rhs.elements() / rhs.dims[dimensions.kernel_output_feature].max(1);
        let flops = 2.0 * result.len() as f64 * taps as f64;
        let nanoseconds = 200 + (flops / 40.0) as u64;
        let kernel = Prepared { name: "convolution", kernel, nanoseconds, flops };
        Ok(Some(self.kernel(Arc::new(kernel), inputs, &[result], false)))
    }
}
