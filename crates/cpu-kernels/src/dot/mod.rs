//! `dot_general`: sums of products over any dimensions of two arrays.
//!
//! [`plan`] reduces dimension numbers to matrices with strides, [`product`] chooses how one such matrix is computed,
//! [`blocked`], [`tile`] and [`vector`] are the loops of our own, [`bf16`] those for processors that multiply bfloat16. Small floats
//! are multiplied and summed in f32 and rounded once, integers wrap, truth values are or of and.

mod bf16;
mod blocked;
mod factors;
mod plan;
mod product;
mod rows;
mod tile;
mod vector;

use crate::by_rows::ByRows;
use crate::element::{Bf16, Element};
use crate::view::{numbers, numbers_mut};
use crate::{KernelError, OpKernel, Shape};
use cpu_runtime::Pool;
use cpu_vir::Storage;

use bf16::Unit;
pub(crate) use factors::{Factors, converted, with_sums};
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
    factors: Factors,
    plan: Plan,
    /// What multiplies bfloat16 as they are, if anything does.
    unit: Option<Unit>,
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
        let small = lhs.storage == Storage::BF16 && rhs.storage == Storage::BF16;
        let unit = Unit::detect().filter(|unit| {
            small && matches!(result, Storage::BF16 | Storage::F32) && unit.takes(plan.rows, plan.depth, plan.columns)
        });
        let result = Shape { storage: result, dims: plan.result_dims.clone() };
        Ok(DotGeneral { factors: Factors::prepare(OP, lhs, rhs, result)?, plan, unit })
    }

    /// The shape of the result.
    pub fn result(&self) -> &Shape {
        self.factors.result()
    }

    /// Estimated picoseconds on one core.
    pub fn picoseconds(&self) -> u64 {
        self.plan.picoseconds()
    }
}

impl DotGeneral {
    fn run_unit<E: Element<Number = f32>>(
        &self,
        unit: Unit,
        pool: &Pool,
        lhs: &[u16],
        rhs: &[u16],
        out: &mut [E::Raw],
    ) {
        self.plan.run_with(pool, lhs, rhs, out, true, |out, at, a, b| {
            bf16::product::<E>(unit, pool, out, at, a, b, self.plan.depth)
        });
    }
}

impl OpKernel for DotGeneral {
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        if let Some(unit) = self.unit {
            return self.factors.run_as_is(inputs, outputs, |lhs, rhs, out| {
                let (lhs, rhs) = (numbers(lhs), numbers(rhs));
                match self.result().storage {
                    Storage::F32 => self.run_unit::<f32>(unit, pool, lhs, rhs, numbers_mut(out)),
                    _ => self.run_unit::<Bf16>(unit, pool, lhs, rhs, numbers_mut(out)),
                }
            });
        }
        self.factors.run(pool, inputs, outputs, |lhs, rhs, out| {
            with_sums!(self.factors.compute(), T => {
                self.plan.run::<T>(pool, numbers(lhs), numbers(rhs), numbers_mut(out))
            })
        })
    }

    fn by_rows(&self) -> Option<ByRows> {
        let plain = self.unit.is_none() && self.factors.is_plain();
        if plain { self.plan.by_rows(self.factors.compute()) } else { None }
    }
}
