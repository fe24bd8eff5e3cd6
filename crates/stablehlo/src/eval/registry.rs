//! Custom calls: what the embedder does for targets that the specification does not define.

use std::fmt;
use std::sync::Arc;

use hashbrown::HashMap;

use super::error::OpError;
use super::value::Value;
use crate::ir::OpRef;

/// A custom call as its handler sees it: the op with all its attributes, and the operands.
pub struct CustomCall<'a> {
    /// The op, for attributes, result types and location.
    pub op: OpRef<'a>,
    /// The operands.
    pub operands: Vec<Value>,
}

/// What handles a target: gives one value for each result.
pub type CustomCallHandler = Arc<dyn Fn(CustomCall<'_>) -> Result<Vec<Value>, OpError> + Send + Sync>;

/// Handlers by target name.
///
/// ```
/// use stablehlo::eval::Registry;
/// let mut registry = Registry::default();
/// registry.register("my_identity", |call| Ok(call.operands));
/// assert!(registry.contains("my_identity"));
/// ```
#[derive(Clone, Default)]
pub struct Registry {
    handlers: HashMap<String, CustomCallHandler>,
}

impl Registry {
    /// Sets the handler of a target, replacing an earlier one and the evaluator's own for it.
    pub fn register<F>(&mut self, target: &str, handler: F)
    where
        F: Fn(CustomCall<'_>) -> Result<Vec<Value>, OpError> + Send + Sync + 'static,
    {
        self.handlers.insert(target.to_owned(), Arc::new(handler));
    }

    /// Whether there is a handler for the target.
    pub fn contains(&self, target: &str) -> bool {
        self.handlers.contains_key(target)
    }

    /// The handler of the target.
    pub fn get(&self, target: &str) -> Option<CustomCallHandler> {
        self.handlers.get(target).cloned()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.handlers.keys()).finish()
    }
}
