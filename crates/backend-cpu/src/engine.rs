//! What runs a program: the compiler's plan, or the reference evaluator for what the compiler leaves out.
//!
//! That is one thing: regions that run once for each device of a mesh (`sdy.manual_computation`, from `shard_map` and
//! `pmap`). The evaluator runs their bodies side by side and lets them meet for collectives. It is slow and right.

use crate::custom_calls::{EvaluatedCalls, RegisteredCalls};
use crate::sharding::SpreadValues;
use cpu_compiler::{Cost, Error, Executable, Launch, MemoryUse, Options, Result};
use cpu_runtime::Block;
use stablehlo::eval::{Evaluator, Tensor, Value};
use stablehlo::ir::{Module, OpCode, OpId};
use std::sync::Arc;

/// A program that is ready to run.
pub(crate) enum Engine {
    /// By its plan.
    Compiled(Box<Executable>),
    /// Op by op.
    Evaluated(Evaluated),
}

/// A program for the reference evaluator.
pub(crate) struct Evaluated {
    module: Arc<Module>,
    calls: Arc<EvaluatedCalls>,
}

impl Engine {
    /// Makes a program for `devices` devices ready.
    pub(crate) fn new(module: &Arc<Module>, devices: usize) -> Result<Engine> {
        let mut ops = (0..module.num_ops()).map(|index| module.op(OpId::from_index(index)));
        if devices > 1 && ops.any(|op| op.code() == OpCode::SdyManualComputation) {
            let evaluated = Evaluated { module: module.clone(), calls: Arc::new(EvaluatedCalls::bind(module)?) };
            // What the evaluator does not support is an error now and not at the first launch.
            evaluated.evaluator(None)?;
            return Ok(Engine::Evaluated(evaluated));
        }
        let spread = (devices > 1).then(|| SpreadValues::of(module, devices));
        let options = Options { custom_calls: &RegisteredCalls { spread: spread.as_ref() } };
        Executable::compile(module.clone(), &options).map(|executable| Engine::Compiled(Box::new(executable)))
    }

    /// Whether a run is so short that handing it to another thread costs more than it.
    pub(crate) fn is_short(&self) -> bool {
        matches!(self, Engine::Compiled(executable) if executable.is_short())
    }

    /// What a run costs; nothing is known of evaluated programs.
    pub(crate) fn cost(&self) -> Option<Cost> {
        match self {
            Engine::Compiled(executable) => Some(executable.cost()),
            Engine::Evaluated(_) => None,
        }
    }

    /// What memory a run takes beside arguments and results, as far as it is known.
    pub(crate) fn memory(&self) -> MemoryUse {
        match self {
            Engine::Compiled(executable) => executable.memory(),
            Engine::Evaluated(_) => MemoryUse::default(),
        }
    }

    /// Runs the program; one block for each result.
    pub(crate) fn run(&self, launch: Launch<'_>) -> Result<Vec<Block>> {
        match self {
            Engine::Compiled(executable) => executable.run(launch),
            Engine::Evaluated(evaluated) => evaluated.run(&launch),
        }
    }
}

impl Evaluated {
    fn evaluator(&self, context: Option<Arc<crate::custom_calls::CallContext>>) -> Result<Evaluator> {
        Ok(Evaluator::new(self.module.clone(), &self.calls.registry(context))?)
    }

    fn run(&self, launch: &Launch<'_>) -> Result<Vec<Block>> {
        let context = launch.context.and_then(|context| context.downcast_ref::<crate::custom_calls::CallContext>());
        let evaluator = self.evaluator(context.map(|context| Arc::new(context.share())))?;
        let main = self.module.function("main").ok_or_else(|| Error::invalid("the program has no function main"))?;
        let mut inputs = Vec::with_capacity(launch.arguments.len());
        for (argument, &ty) in launch.arguments.iter().zip(main.input_types()) {
            let ty = cpu_compiler::ArrayType::of(&self.module, ty)?;
            inputs.push(match ty.element {
                None => Value::Token,
                Some(element) => Tensor::from_bytes(element, &ty.dims, argument.bytes())
                    .map(Value::from)
                    .map_err(|error| Error::invalid(error.to_string()))?,
            });
        }
        let results = evaluator.run_as(launch.process, launch.cancelled, inputs)?;
        let store = |value: Value| {
            let bytes = match &value {
                Value::Tensor(tensor) => tensor.bytes(),
                _ => &[],
            };
            let mut block = launch.budget.allocate(bytes.len())?;
            block.bytes_mut().copy_from_slice(bytes);
            Ok(block)
        };
        results.into_iter().map(store).collect()
    }
}
