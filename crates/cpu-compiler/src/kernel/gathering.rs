//! Gathers, as kernels and as what loops can do at each point.

use super::{Env, Kernel, Prepared};
use crate::error::Result;
use cpu_kernels::{Gather, GatherDimensions};

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
    pub kernel: Prepared<Gather>,
    pub gathering: Gathering,
}

impl Kernel for GatherKernel {
    fn name(&self) -> String {
        self.kernel.name()
    }

    fn run(&self, env: &Env<'_>, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<()> {
        self.kernel.run(env, inputs, outputs)
    }

    fn nanoseconds(&self) -> u64 {
        self.kernel.nanoseconds()
    }

    fn is_function(&self) -> bool {
        self.kernel.is_function()
    }

    fn gathering(&self) -> Option<&Gathering> {
        Some(&self.gathering)
    }
}
