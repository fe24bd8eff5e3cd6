//! The way in: compile a program once, run it as often as wanted, on any number of threads.

use crate::array_type::ArrayType;
use crate::custom_call::CustomCalls;
use crate::error::{Error, Result};
use cpu_runtime::{Block, Budget, Pool};
use stablehlo::eval::{Evaluator, Process, Registry, Tensor, Value};
use stablehlo::ir::Module;
use std::any::Any;
use std::sync::Arc;

/// What a program is compiled with.
pub struct Options<'a> {
    /// Where custom calls that the compiler does not know are found.
    pub custom_calls: &'a dyn CustomCalls,
}

/// An array handed to a launch: dense row-major bytes, aligned to their elements. Tokens are empty.
pub enum Argument<'a> {
    /// Read only.
    Borrowed(&'a [u8]),
    /// Given up: the program may write its results there.
    Donated(Block),
}

impl Argument<'_> {
    /// The contents.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Argument::Borrowed(bytes) => bytes,
            Argument::Donated(block) => block.bytes(),
        }
    }
}

/// One run of a program.
pub struct Launch<'a> {
    /// One for each parameter.
    pub arguments: Vec<Argument<'a>>,
    /// Threads that help.
    pub pool: &'a Pool,
    /// Where results and intermediate values are counted.
    pub budget: &'a Budget,
    /// Which of how many replicas and partitions this is.
    pub process: Process,
    /// What custom calls are given.
    pub context: Option<&'a (dyn Any + Send + Sync)>,
    /// Asked now and then; true stops the program with an error.
    pub cancelled: Option<&'a (dyn Fn() -> bool + Sync)>,
}

/// What one run of a program costs, as far as it is known beforehand. Loops of unknown length count as one turn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Additions, multiplications and the like.
    pub flops: f64,
    /// Elementary functions.
    pub transcendentals: f64,
    /// Bytes read and written.
    pub bytes_accessed: f64,
}

/// Memory of a program in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Constants, kept as long as the executable.
    pub constants: usize,
    /// Intermediate values of one run.
    pub temporaries: usize,
    /// Results that take the place of donated arguments.
    pub aliased: usize,
}

/// A compiled program.
pub struct Executable {
    evaluator: Evaluator,
    parameters: Vec<ArrayType>,
    results: Vec<ArrayType>,
}

impl Executable {
    /// Compiles the function `main` of a module.
    ///
    /// # Errors
    /// For programs that break a rule or that cannot run here, with op, types, location and the way out.
    pub fn compile(module: Arc<Module>, _options: &Options<'_>) -> Result<Executable> {
        let main = module.function("main").ok_or_else(|| Error::invalid("the program has no function `main`"))?;
        let types = |ids: &[_]| ids.iter().map(|&ty| ArrayType::of(&module, ty)).collect::<Result<Vec<_>>>();
        let (parameters, results) = (types(main.input_types())?, types(main.result_types())?);
        let evaluator = Evaluator::new(module, &Registry::default())?;
        Ok(Executable { evaluator, parameters, results })
    }

    /// The types of the arguments.
    pub fn parameters(&self) -> &[ArrayType] {
        &self.parameters
    }

    /// The types of the results.
    pub fn results(&self) -> &[ArrayType] {
        &self.results
    }

    /// Whether a run is so short that handing it to another thread costs more than it.
    pub fn is_short(&self) -> bool {
        false
    }

    /// What a run costs.
    pub fn cost(&self) -> Cost {
        Cost::default()
    }

    /// What memory a run takes.
    pub fn memory(&self) -> MemoryUse {
        MemoryUse::default()
    }

    /// The plan, for people.
    pub fn text(&self) -> String {
        stablehlo::text::print(self.evaluator.module(), &stablehlo::text::PrintOptions::default())
    }

    /// Runs the program; one block for each result, empty for tokens.
    ///
    /// # Errors
    /// When arguments do not fit, memory runs out, a custom call fails or the run is cancelled.
    pub fn run(&self, launch: Launch<'_>) -> Result<Vec<Block>> {
        let value = |(argument, ty): (&Argument<'_>, &ArrayType)| match ty.element {
            None => Ok(Value::Token),
            Some(element) => Tensor::from_bytes(element, &ty.dims, argument.bytes())
                .map(Value::from)
                .map_err(|error| Error::invalid(error.to_string())),
        };
        let inputs = launch.arguments.iter().zip(&self.parameters).map(value).collect::<Result<Vec<_>>>()?;
        let store = |value: Value| {
            let bytes = match &value {
                Value::Tensor(tensor) => tensor.bytes(),
                _ => &[],
            };
            let mut block = launch.budget.allocate(bytes.len())?;
            block.bytes_mut().copy_from_slice(bytes);
            Ok(block)
        };
        let results = self.evaluator.run_as(launch.process, launch.cancelled, inputs)?;
        results.into_iter().map(store).collect()
    }
}
