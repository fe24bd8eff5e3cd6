//! Gathers, as kernels and as what loops can do at each point.

use super::{Block, BlockIndex, Env, Kernel};
use crate::error::Result;
use cpu_kernels::{ByRows, Gather, GatherDimensions, OpKernel};
use std::sync::Arc;

/// What a gather takes, for loops that do the same.
pub(crate) struct Gathering {
    pub dims: GatherDimensions,
    /// What is added to negative indices, in their own type.
    pub wrap: i64,
    /// Elements that are side by side in the operand and in the result.
    pub run: usize,
}

/// A gather that runs on whole arrays, unless a loop does it.
pub(crate) struct GatherKernel {
    pub gather: Arc<Gather>,
    pub gathering: Gathering,
}

impl Kernel for GatherKernel {
    fn name(&self) -> String {
        "gather".to_owned()
    }

    fn run(&self, env: &Env<'_>, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<()> {
        Ok(self.gather.run(env.pool, inputs, outputs)?)
    }

    fn nanoseconds(&self) -> u64 {
        50 + self.gather.result().bytes() as u64 / 4
    }

    fn is_function(&self) -> bool {
        true
    }

    fn block(&self) -> Option<Block> {
        let block = self.gather.single()?;
        let indices = block.indices.into_iter().map(|index| BlockIndex { operand: 1, index });
        Some(Block { update: None, indices: indices.collect(), drops: false, runs: block.runs })
    }

    fn by_rows(&self) -> Option<ByRows> {
        self.gather.by_rows()
    }

    fn gathering(&self) -> Option<&Gathering> {
        Some(&self.gathering)
    }
}
