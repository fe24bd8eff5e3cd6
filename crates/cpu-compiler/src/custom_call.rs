//! Custom calls: what the embedder does for targets that the compiler does not know.
//!
//! Knows no ABI of handlers. Layouts that a call asks for are the compiler's affair; a handler is given dense bytes in
//! the order of those layouts.

use crate::array_type::ArrayType;
use crate::error::Result;
use stablehlo::ir::OpRef;
use std::any::Any;
use std::sync::Arc;

/// Where handlers come from.
pub trait CustomCalls {
    /// Binds one call of a program to its handler; `None` when the target is unknown.
    ///
    /// # Errors
    /// When there is a handler and it refuses the call.
    fn bind(
        &self,
        op: OpRef<'_>,
        arguments: &[ArrayType],
        results: &[ArrayType],
    ) -> Result<Option<Arc<dyn CustomCall>>>;
}

/// A call that is ready to run, as often and on as many threads as wanted.
pub trait CustomCall: Send + Sync {
    /// Computes the results. `context` is what the launch was given for custom calls.
    ///
    /// # Errors
    /// What the handler says.
    fn call(
        &self,
        context: Option<&(dyn Any + Send + Sync)>,
        arguments: &[&[u8]],
        results: &mut [&mut [u8]],
    ) -> Result<()>;
}

/// No custom calls at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCustomCalls;

impl CustomCalls for NoCustomCalls {
    fn bind(&self, _: OpRef<'_>, _: &[ArrayType], _: &[ArrayType]) -> Result<Option<Arc<dyn CustomCall>>> {
        Ok(None)
    }
}
