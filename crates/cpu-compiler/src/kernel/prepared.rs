//! Kernels of `cpu_kernels` as kernels of the plan.

use super::{Block, BlockIndex, Env, Kernel};
use crate::error::{Error, Result};
use cpu_kernels::{ByRows, KernelError, OpKernel, Scatter, UpdatesByRows};
use std::sync::Arc;

/// A prepared kernel with its name and cost.
pub(crate) struct Prepared<K> {
    pub name: &'static str,
    pub kernel: K,
    pub nanoseconds: u64,
    pub flops: f64,
}

impl From<KernelError> for Error {
    fn from(error: KernelError) -> Error {
        match error {
            KernelError::Unsupported { .. } => Error::unsupported(error.to_string()),
            _ => Error::internal(error.to_string()),
        }
    }
}

impl<K: OpKernel> Kernel for Prepared<K> {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn run(&self, env: &Env<'_>, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<()> {
        Ok(self.kernel.run(env.pool, inputs, outputs)?)
    }

    fn nanoseconds(&self) -> u64 {
        self.nanoseconds
    }

    fn flops(&self) -> f64 {
        self.flops
    }

    fn is_function(&self) -> bool {
        true
    }

    fn by_rows(&self) -> Option<ByRows> {
        self.kernel.by_rows()
    }
}

/// A scatter, which updates its first operands in place.
pub(crate) struct InPlaceScatter {
    pub scatter: Arc<Scatter>,
    pub updates: Vec<(usize, usize)>,
    pub nanoseconds: u64,
}

impl Kernel for InPlaceScatter {
    fn name(&self) -> String {
        "scatter".to_owned()
    }

    fn run(&self, _: &Env<'_>, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<()> {
        Ok(self.scatter.run_in_place(&inputs[self.updates.len()..], outputs)?)
    }

    fn updates(&self) -> &[(usize, usize)] {
        &self.updates
    }

    fn block(&self) -> Option<Block> {
        let block = self.scatter.single()?;
        let indices = block.indices.into_iter().map(|index| BlockIndex { operand: 1, index });
        let runs = block.runs.into_iter().map(|(array, update, bytes)| (update, array, bytes));
        Some(Block { update: Some(2), indices: indices.collect(), drops: true, runs: runs.collect() })
    }

    fn updates_by_rows(&self) -> Option<UpdatesByRows> {
        self.scatter.updates_by_rows()
    }

    fn nanoseconds(&self) -> u64 {
        self.nanoseconds
    }
}
