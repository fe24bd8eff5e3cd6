//! The way in: compile a program once, run it as often as wanted, on any number of threads.

use crate::array_type::ArrayType;
use crate::custom_call::CustomCalls;
use crate::dump::{Dump, graph_text};
use crate::error::{Error, Result};
use crate::fold::fold;
use crate::import::import;
use crate::plan::{ArgumentPlan, Donation, Plan, plan};
use crate::run::run;
use cpu_runtime::{Block, Budget, Pool};
use stablehlo::eval::Process;
use stablehlo::ir::{Attr, Function, Module};
use std::any::Any;
use std::sync::Arc;

/// What a program is compiled with.
pub struct Options<'a> {
    /// Where custom calls that the compiler does not know are found.
    pub custom_calls: &'a dyn CustomCalls,
    /// Whether the executable can tell its plan ([`Executable::text`]).
    pub explained: bool,
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

impl<'a> Launch<'a> {
    /// A run by itself: there are no other processes, nothing is given to custom calls, and nobody cancels it.
    pub fn new(arguments: Vec<Argument<'a>>, pool: &'a Pool, budget: &'a Budget) -> Launch<'a> {
        Launch { arguments, pool, budget, process: Process::default(), context: None, cancelled: None }
    }
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
    plan: Plan,
    parameters: Vec<ArrayType>,
    results: Vec<ArrayType>,
}

/// A run of fewer estimated nanoseconds is not worth another thread.
const SHORT: u64 = 100_000;

impl Executable {
    /// Compiles the function `main` of a module.
    ///
    /// # Errors
    /// For programs that break a rule or that cannot run here, with op, types, location and the way out.
    pub fn compile(module: Arc<Module>, options: &Options<'_>) -> Result<Executable> {
        stablehlo::verify::verify(&module).map_err(|errors| Error::invalid(errors.to_string()))?;
        let main = module.function("main").ok_or_else(|| Error::invalid("the program has no function `main`"))?;
        let types = |ids: &[_]| ids.iter().map(|&ty| ArrayType::of(&module, ty)).collect::<Result<Vec<_>>>();
        let (parameters, results) = (types(main.input_types())?, types(main.result_types())?);
        let donated: Vec<Option<Donation>> = (0..parameters.len()).map(|index| donation(main, index)).collect();
        let dump = Dump::begin(module_name(&module));
        if let Some(dump) = &dump {
            dump.write("stablehlo.mlir", &stablehlo::text::print(&module, &stablehlo::text::PrintOptions::default()));
        }
        let mut graph = import(&module, options.custom_calls)?;
        fold(&mut graph)?;
        if let Some(dump) = &dump {
            dump.write("graph.txt", &graph_text(&graph));
        }
        let plan = plan(&graph, &parameters, &results, &donated, dump.as_ref(), options.explained)?;
        let executable = Executable { plan, parameters, results };
        if let Some(dump) = &dump {
            dump.write("plan.txt", &executable.text());
        }
        Ok(executable)
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
        !self.plan.has_loops && !self.plan.has_calls && self.plan.nanoseconds < SHORT
    }

    /// What a run costs.
    pub fn cost(&self) -> Cost {
        let Plan { flops, transcendentals, bytes_accessed, .. } = self.plan;
        Cost { flops, transcendentals, bytes_accessed }
    }

    /// What memory a run takes.
    pub fn memory(&self) -> MemoryUse {
        let aliased = self.plan.arguments.iter().map(|argument| match argument {
            ArgumentPlan::Becomes(result) => self.plan.results[*result],
            ArgumentPlan::Read => 0,
        });
        MemoryUse {
            constants: self.plan.constants.iter().map(|bytes| bytes.len()).sum(),
            temporaries: self.plan.arena,
            aliased: aliased.sum(),
        }
    }

    /// The plan, for people: a paragraph for each step. Empty unless it was compiled to be explained.
    pub fn text(&self) -> String {
        let steps = self.plan.text.iter().flatten().enumerate();
        steps.map(|(index, text)| format!("{index}: {}\n", text.trim_end())).collect()
    }

    /// Runs the program; one block for each result, empty for tokens.
    ///
    /// # Errors
    /// When arguments do not fit, memory runs out, a custom call fails or the run is cancelled.
    pub fn run(&self, launch: Launch<'_>) -> Result<Vec<Block>> {
        if launch.arguments.len() != self.parameters.len() {
            let (given, wanted) = (launch.arguments.len(), self.parameters.len());
            return Err(Error::invalid(format!("the program takes {wanted} arguments, {given} were given")));
        }
        for (index, (argument, ty)) in launch.arguments.iter().zip(&self.parameters).enumerate() {
            let (given, wanted) = (argument.bytes().len(), ty.bytes());
            if given != wanted {
                return Err(Error::invalid(format!("argument {index} has {wanted} bytes, {given} were given")));
            }
        }
        run(&self.plan, launch)
    }
}

fn module_name(module: &Module) -> &str {
    match module.op(module.root()).attr("sym_name") {
        Some(Attr::String(name)) => module.str(*name),
        _ => "program",
    }
}

/// What the program says about giving up an argument.
fn donation(main: Function<'_>, index: usize) -> Option<Donation> {
    match (main.arg_attr(index, "tf.aliasing_output"), main.arg_attr(index, "jax.buffer_donor")) {
        (Some(Attr::Integer { value, .. }), _) => usize::try_from(*value).ok().map(Donation::To),
        (_, Some(Attr::Bool(true))) => Some(Donation::Any),
        _ => None,
    }
}
