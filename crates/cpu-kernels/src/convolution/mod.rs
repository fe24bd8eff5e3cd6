//! `convolution`, with every stride, padding, dilation, grouping and order of dimensions.
//!
//! [`plan`] brings the input into the order batch, space, feature with its padding written out, the kernel into panels
//! of columns, and lists the runs of input elements that a place of the output sees. [`direct`] is the loop: tiles of
//! places by output features, whose sums stay in registers; [`depthwise`] the one for groups of one feature.

mod depthwise;
mod direct;
mod plan;

use cpu_runtime::Pool;
use cpu_vir::Storage;
use num_complex::Complex;

use crate::convert::Conversion;
use crate::dot::{converted, domain};
use crate::view::{numbers, numbers_mut, with_operands};
use crate::window::WindowDimension;
use crate::{KernelError, OpKernel, Shape, scratch};

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
    lhs: Shape,
    rhs: Shape,
    result: Shape,
    plan: Plan,
    compute: Storage,
    lhs_conversion: Option<Conversion>,
    rhs_conversion: Option<Conversion>,
    result_conversion: Option<Conversion>,
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
        let compute = domain(lhs.storage, rhs.storage, result);
        let result = Shape::new(result, plan.result_dims());
        result.check(OP)?;
        Ok(Convolution {
            lhs_conversion: Conversion::between(lhs.storage, compute, lhs.elements()),
            rhs_conversion: Conversion::between(rhs.storage, compute, rhs.elements()),
            result_conversion: Conversion::between(compute, result.storage, result.elements()),
            lhs: lhs.clone(),
            rhs: rhs.clone(),
            result,
            plan,
            compute,
        })
    }

    /// The shape of the result.
    pub fn result(&self) -> &Shape {
        &self.result
    }

    fn compute(&self, pool: &Pool, lhs: &[u8], rhs: &[u8], out: &mut [u8]) {
        macro_rules! convolve {
            ($T:ty) => {
                self.plan.run::<$T>(pool, numbers(lhs), numbers(rhs), numbers_mut(out))
            };
        }
        match self.compute {
            Storage::F32 => convolve!(f32),
            Storage::F64 => convolve!(f64),
            Storage::Complex64 => convolve!(Complex<f32>),
            Storage::Complex128 => convolve!(Complex<f64>),
            _ => match self.compute.size() {
                1 => convolve!(u8),
                2 => convolve!(u16),
                4 => convolve!(u32),
                _ => convolve!(u64),
            },
        }
    }
}

impl OpKernel for Convolution {
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        with_operands((&[&self.lhs, &self.rhs], inputs), (&[&self.result], outputs), |inputs, outputs| {
            let out = &mut *outputs[0];
            let (lhs_count, rhs_count) = (self.lhs.elements(), self.rhs.elements());
            converted(pool, &self.lhs_conversion, inputs[0], lhs_count, self.compute, |lhs| {
                converted(pool, &self.rhs_conversion, inputs[1], rhs_count, self.compute, |rhs| {
                    match &self.result_conversion {
                        None => self.compute(pool, lhs, rhs, out),
                        Some(conversion) => {
                            scratch::with(self.result.elements() * self.compute.size(), |sums: &mut [u8]| {
                                self.compute(pool, lhs, rhs, sums);
                                conversion.run(pool, sums, out);
                            })
                        }
                    }
                })
            });
            Ok(())
        })
    }
}
