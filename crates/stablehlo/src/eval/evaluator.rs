//! The way in: prepare a module once, run it as often as wanted.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::error::{EvalError, EvalErrorKind};
use super::machine::{self, Context};
use super::plan::{self, Program};
use super::process::{Environment, Interrupt, Process};
use super::registry::Registry;
use super::value::Value;
use crate::ir::Module;

/// A program ready to run. It can be shared between threads.
///
/// ```
/// use stablehlo::ElementType;
/// use stablehlo::eval::{Evaluator, Registry, Tensor};
/// use stablehlo::ir::{Module, OpCode, OpSpec};
///
/// let mut m = Module::new();
/// let f32x2 = m.tensor_type(&[2], ElementType::F32);
/// let (_, body) = m.add_function("main", &[f32x2], &[f32x2]);
/// let x = m.block(body).args()[0];
/// let sum = m.append(body, OpSpec::new(OpCode::Add).operands(&[x, x]).results(&[f32x2]));
/// let result = m.op(sum).results()[0];
/// m.append(body, OpSpec::new(OpCode::FuncReturn).operands(&[result]));
///
/// let evaluator = Evaluator::new(m.into(), &Registry::default())?;
/// let outputs = evaluator.run(vec![Tensor::from_vec(&[2], vec![1f32, 2.5]).into()])?;
/// assert_eq!(outputs[0].as_tensor()?.as_slice::<f32>(), [2.0, 5.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Evaluator {
    program: Program,
    draws: AtomicU64,
}

impl Evaluator {
    /// Prepares the function `main` of a module. Fails on ops, types and attributes that cannot be evaluated; the
    /// custom calls of the program are looked up in the registry now.
    pub fn new(module: Arc<Module>, registry: &Registry) -> Result<Evaluator, EvalError> {
        Ok(Evaluator { program: plan::build(module, registry)?, draws: AtomicU64::new(0) })
    }

    /// The module it was made from.
    pub fn module(&self) -> &Arc<Module> {
        &self.program.module
    }

    /// Runs the program as its only process. Inputs that nobody else holds may be reused for results.
    pub fn run(&self, inputs: Vec<Value>) -> Result<Vec<Value>, EvalError> {
        self.run_as(Process::default(), None, inputs)
    }

    /// Runs the program as one process of many, and asks before each op whether to stop.
    ///
    /// It runs by itself: collectives with other processes fail. [`Evaluator::run_all`] runs them side by side.
    ///
    /// Fails when inputs do not have the types of the function, when an op fails, or when asked to stop.
    pub fn run_as(
        &self,
        process: Process,
        interrupt: Option<Interrupt<'_>>,
        inputs: Vec<Value>,
    ) -> Result<Vec<Value>, EvalError> {
        self.run_in(Environment::new(process, interrupt, &self.draws), inputs)
    }

    pub(super) fn draws(&self) -> &AtomicU64 {
        &self.draws
    }

    /// Runs the program in a prepared environment.
    pub(super) fn run_in(&self, environment: Environment<'_>, inputs: Vec<Value>) -> Result<Vec<Value>, EvalError> {
        let module = &self.program.module;
        let main = module.function("main").ok_or_else(|| EvalError::invalid("the program has no function `main`"))?;
        let types = main.input_types();
        if inputs.len() != types.len() {
            let message = format!("main takes {} inputs, {} were given", types.len(), inputs.len());
            return Err(EvalError::invalid(message));
        }
        for (i, (value, &ty)) in inputs.iter().zip(types).enumerate() {
            machine::check_type(module, value, ty).map_err(|problem| EvalError {
                kind: EvalErrorKind::Invalid,
                op: String::new(),
                message: format!("input {i} of main is {problem}"),
            })?;
        }
        machine::run(&Context::new(&self.program, &environment), self.program.main, inputs)
    }
}

/// Evaluates the function `main` of a module once, without custom calls of the embedder.
pub fn evaluate(module: &Module, inputs: &[Value]) -> Result<Vec<Value>, EvalError> {
    Evaluator::new(Arc::new(module.clone()), &Registry::default())?.run(inputs.to_vec())
}
