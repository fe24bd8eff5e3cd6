//! Custom calls as kernels.

use super::{Env, Kernel};
use crate::custom_call::CustomCall;
use crate::error::Result;
use std::sync::Arc;

/// One bound custom call.
pub(crate) struct Call {
    pub target: String,
    pub call: Arc<dyn CustomCall>,
    /// Pairs of operand and result that share memory, as far as the handler is concerned.
    pub aliases: Vec<(usize, usize)>,
}

impl Kernel for Call {
    fn name(&self) -> String {
        format!("custom_call {}", self.target)
    }

    fn run(&self, env: &Env<'_>, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<()> {
        // A handler may change such a result in places only.
        for &(operand, result) in &self.aliases {
            outputs[result].copy_from_slice(inputs[operand]);
        }
        self.call.call(env.context, inputs, outputs)
    }

    fn is_foreign(&self) -> bool {
        true
    }

    // Nobody knows how long it takes: Python may be behind it.
    fn nanoseconds(&self) -> u64 {
        1_000_000
    }
}
