//! `dot_general`: sums of products over any dimensions of two arrays.
//!
//! [`plan`] reduces dimension numbers to matrices with strides, [`product`] chooses how one such matrix is computed,
//! [`blocked`], [`tile`] and [`vector`] are the loops of our own. Small floats are multiplied and summed in f32 and rounded once,
//! integers wrap, truth values are or of and.

mod blocked;
mod plan;
mod product;
mod tile;
mod vector;

use cpu_runtime::Pool;
use cpu_vir::Storage;
use num_complex::Complex;

use crate::convert::Conversion;
use crate::view::{numbers, numbers_mut, with_operands};
use crate::{KernelError, OpKernel, Shape, scratch};

use plan::Plan;
pub(crate) use product::{Matrix, Number, Output};

pub(crate) const OP: &str = "dot_general";

/// Which dimensions of the two operands are paired, and how. The others are free.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DotDimensions {
    /// Batching dimensions of lhs.
    pub lhs_batching: Vec<usize>,
    /// Batching dimensions of rhs, as many.
    pub rhs_batching: Vec<usize>,
    /// Contracting dimensions of lhs.
    pub lhs_contracting: Vec<usize>,
    /// Contracting dimensions of rhs, as many.
    pub rhs_contracting: Vec<usize>,
}

/// Sums of products over the contracting dimensions: one for each index of the batching dimensions, the free ones of
/// lhs and the free ones of rhs, which is the order of dimensions of the result.
pub struct DotGeneral {
    lhs: Shape,
    rhs: Shape,
    result: Shape,
    plan: Plan,
    compute: Storage,
    lhs_conversion: Option<Conversion>,
    rhs_conversion: Option<Conversion>,
    result_conversion: Option<Conversion>,
}

impl DotGeneral {
    /// The product of two arrays; `result` is the element type of the sums (the preferred element type), which are
    /// computed in f32 or wider, or modulo the width of the result.
    ///
    /// # Errors
    /// When the dimension numbers contradict each other or the shapes.
    pub fn prepare(lhs: &Shape, rhs: &Shape, dims: &DotDimensions, result: Storage) -> Result<DotGeneral, KernelError> {
        lhs.check(OP)?;
        rhs.check(OP)?;
        let plan = Plan::new(&lhs.dims, &rhs.dims, dims)?;
        let compute = domain(lhs.storage, rhs.storage, result);
        let result = Shape { storage: result, dims: plan.result_dims.clone() };
        result.check(OP)?;
        Ok(DotGeneral {
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

    /// Estimated picoseconds on one core.
    pub fn picoseconds(&self) -> u64 {
        self.plan.picoseconds()
    }

    fn compute(&self, pool: &Pool, lhs: &[u8], rhs: &[u8], out: &mut [u8]) {
        macro_rules! product {
            ($T:ty) => {
                self.plan.run::<$T>(pool, numbers(lhs), numbers(rhs), numbers_mut(out))
            };
        }
        match self.compute {
            Storage::F32 => product!(f32),
            Storage::F64 => product!(f64),
            Storage::Complex64 => product!(Complex<f32>),
            Storage::Complex128 => product!(Complex<f64>),
            _ => match self.compute.size() {
                // Modulo a power of two signs do not matter.
                1 => product!(u8),
                2 => product!(u16),
                4 => product!(u32),
                _ => product!(u64),
            },
        }
    }
}

/// Calls `body` with the array as the numbers that are computed with.
pub(crate) fn converted<R>(
    pool: &Pool,
    conversion: &Option<Conversion>,
    bytes: &[u8],
    elements: usize,
    compute: Storage,
    body: impl FnOnce(&[u8]) -> R,
) -> R {
    match conversion {
        None => body(bytes),
        Some(conversion) => scratch::with(elements * compute.size(), |wide: &mut [u8]| {
            conversion.run(pool, bytes, wide);
            body(wide)
        }),
    }
}

impl OpKernel for DotGeneral {
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

/// The type that products of these types, summed to the result type, are computed in.
pub(crate) fn domain(lhs: Storage, rhs: Storage, result: Storage) -> Storage {
    let all = [lhs, rhs, result];
    let is_double = |storage: Storage| matches!(storage, Storage::F64 | Storage::Complex128);
    let is_whole = |storage: Storage| !storage.compute().is_float();
    // An integer that f32 does not hold makes a mixed product double.
    let is_wide = |storage: Storage| is_double(storage) || is_whole(storage) && storage.size() > 2;
    if all.iter().any(|storage| storage.is_complex()) {
        if all.into_iter().any(is_wide) { Storage::Complex128 } else { Storage::Complex64 }
    } else if !is_whole(lhs) || !is_whole(rhs) {
        if all.into_iter().any(is_wide) { Storage::F64 } else { Storage::F32 }
    } else if !is_whole(result) {
        // Exact sums, rounded at the end.
        Storage::I64
    } else if result == Storage::Bool {
        if lhs == Storage::Bool && rhs == Storage::Bool { Storage::U32 } else { Storage::U64 }
    } else {
        result.compute().storage()
    }
}
