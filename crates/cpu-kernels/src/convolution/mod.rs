//! `convolution`, with every stride, padding, dilation, grouping and order of dimensions.
//!
//! [`plan`] brings the input into the order batch, space, feature with its padding written out, the kernel into panels
//! of columns, and lists the runs of input elements that a place of the output sees. [`direct`] is the loop: tiles of
//! places by output features, whose sums stay in registers; [`depthwise`] the one for groups of one feature.

mod depthwise;
mod direct;
mod plan;

use crate::dot::{Factors, with_sums};
use crate::view::{numbers, numbers_mut};
use crate::window::WindowDimension;
use crate::{KernelError, OpKernel, Shape};
use cpu_runtime::Pool;
use cpu_vir::Storage;

use plan::Plan;

const OP: &str = "convolution";

/// Which dimension is what, as in StableHLO.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of StableHLO")]
pub struct ConvolutionDimensions {
    pub input_batch: usize,
    pub input_feature: usize,
    pub input_spatial: Vec<usize>,
    pub kernel_input_feature: usize,
    pub kernel_output_feature: usize,
    pub kernel_spatial: Vec<usize>,
    pub output_batch: usize,
    pub output_feature: usize,
    pub output_spatial: Vec<usize>,
}

/// How a convolution walks, beside its dimension numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvolutionWindow {
    /// One for each spatial dimension: the size is that of the kernel, the base dilation is `lhs_dilation`, the window
    /// dilation `rhs_dilation`.
    pub dimensions: Vec<WindowDimension>,
    /// Spatial dimensions in which the kernel is turned round.
    pub reversal: Vec<bool>,
    /// Groups of input and output features.
    pub feature_group_count: usize,
    /// Groups of the batch.
    pub batch_group_count: usize,
}

/// Inputs: the array and the kernel. Output: the sums.
pub struct Convolution {
    factors: Factors,
    plan: Plan,
}

impl Convolution {
    /// `result` is the element type of the sums, which are computed as those of a [`DotGeneral`](crate::DotGeneral).
    ///
    /// # Errors
    /// When dimension numbers, windows and groups contradict each other or the shapes.
    pub fn prepare(
        lhs: &Shape,
        rhs: &Shape,
        dimensions: &ConvolutionDimensions,
        window: &ConvolutionWindow,
        result: Storage,
    ) -> Result<Convolution, KernelError> {
        lhs.check(OP)?;
        rhs.check(OP)?;
        let plan = Plan::new(&lhs.dims, &rhs.dims, dimensions, window)?;
        let result = Shape::new(result, plan.result_dims());
        Ok(Convolution { factors: Factors::prepare(OP, lhs, rhs, result)?, plan })
    }

    /// The shape of the result.
    pub fn result(&self) -> &Shape {
        self.factors.result()
    }
}

impl OpKernel for Convolution {
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        self.factors.run(pool, inputs, outputs, |lhs, rhs, out| {
            with_sums!(self.factors.compute(), T => {
                self.plan.run::<T>(pool, numbers(lhs), numbers(rhs), numbers_mut(out))
            })
        })
    }
}
