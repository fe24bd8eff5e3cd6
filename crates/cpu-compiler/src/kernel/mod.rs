//! Whole-array computations: what is no fused loop.
//!
//! A kernel knows types and shapes, and is given bytes. It must know nothing of buffers, plans and other kernels.

mod call;
mod dynamic;
mod gathering;
mod prepared;
mod reference;

pub(crate) use call::Call;
pub(crate) use dynamic::{Block, BlockIndex, DynamicSlice, DynamicUpdateSlice};
pub(crate) use gathering::{GatherKernel, Gathering};
pub(crate) use prepared::{InPlaceScatter, Prepared};
pub(crate) use reference::Reference;

use crate::error::Result;
use cpu_kernels::{ByRows, UpdatesByRows};
use cpu_runtime::Pool;
use stablehlo::eval::Process;
use std::any::Any;

/// Where a launch runs.
pub(crate) struct Env<'a> {
    pub pool: &'a Pool,
    pub process: Process,
    pub context: Option<&'a (dyn Any + Send + Sync)>,
    pub cancelled: Option<&'a (dyn Fn() -> bool + Sync)>,
}

/// A computation on dense row-major arrays.
pub(crate) trait Kernel: Send + Sync {
    /// The name in dumps.
    fn name(&self) -> String;

    /// Writes every result whole. A result that [`Kernel::updates`] an operand holds that operand already, and the
    /// operand itself is not to be read.
    fn run(&self, env: &Env<'_>, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<()>;

    /// Pairs of operand and result of one type: the result is the operand, changed in places.
    fn updates(&self) -> &[(usize, usize)] {
        &[]
    }

    /// What it copies, if it does nothing but copy a block from or to where indices say.
    fn block(&self) -> Option<Block> {
        None
    }

    /// Estimated nanoseconds on one thread.
    fn nanoseconds(&self) -> u64;

    /// Whether results depend on nothing but the operands, so that they can be computed beforehand.
    fn is_function(&self) -> bool {
        false
    }

    /// Whether somebody else's code runs.
    fn is_foreign(&self) -> bool {
        false
    }

    /// How it works row by row, if it does and that is no slower.
    fn by_rows(&self) -> Option<ByRows> {
        None
    }

    /// How it changes its first operand row by row, if it does.
    fn updates_by_rows(&self) -> Option<UpdatesByRows> {
        None
    }

    /// What it takes, if it is a gather: then a loop can do it.
    fn gathering(&self) -> Option<&Gathering> {
        None
    }

    /// Floating-point operations of one run.
    fn flops(&self) -> f64 {
        0.0
    }
}
