//! Ops that have no kernel of their own yet run by the reference evaluator, on copies.

use super::{Env, Kernel};
use crate::array_type::ArrayType;
use crate::error::{Error, Result};
use stablehlo::eval::{Evaluator, Registry, Tensor, Value};
use stablehlo::ir::{Module, OpId, ValueId};
use std::sync::Arc;

/// One op by the evaluator.
pub(crate) struct Reference {
    name: String,
    evaluator: Evaluator,
    inputs: Vec<ArrayType>,
    nanoseconds: u64,
}

impl Reference {
    /// The op, and which values it takes: its operands and what its regions capture.
    ///
    /// # Errors
    /// When the evaluator cannot do it either.
    pub fn new(module: &Module, op: OpId) -> Result<(Reference, Vec<ValueId>)> {
        let (alone, captured) = module.extract_op(op);
        let source = module.op(op);
        let values: Vec<ValueId> = source.operands().iter().chain(&captured).copied().collect();
        let types = |ids: &[ValueId]| {
            ids.iter().map(|&value| ArrayType::of(module, module.value_type(value))).collect::<Result<Vec<_>>>()
        };
        let inputs = types(&values)?;
        let elements: usize = inputs.iter().chain(&types(source.results())?).map(ArrayType::len).sum();
        let evaluator = Evaluator::new(Arc::new(alone), &Registry::default())?;
        let nanoseconds = 2000 + 20 * elements as u64;
        Ok((Reference { name: source.name().to_owned(), evaluator, inputs, nanoseconds }, values))
    }
}

impl Kernel for Reference {
    fn name(&self) -> String {
        format!("reference {}", self.name)
    }

    fn run(&self, env: &Env<'_>, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<()> {
        let value = |(bytes, ty): (&&[u8], &ArrayType)| match ty.element {
            None => Ok(Value::Token),
            Some(element) => Tensor::from_bytes(element, &ty.dims, bytes)
                .map(Value::from)
                .map_err(|error| Error::internal(error.to_string())),
        };
        let inputs = inputs.iter().zip(&self.inputs).map(value).collect::<Result<Vec<_>>>()?;
        let results = self.evaluator.run_as(env.process, env.cancelled, inputs)?;
        for (result, output) in results.iter().zip(outputs) {
            if let Value::Tensor(tensor) = result {
                output.copy_from_slice(tensor.bytes());
            }
        }
        Ok(())
    }

    fn nanoseconds(&self) -> u64 {
        self.nanoseconds
    }
}
