//! `run`: programs on the reference evaluator.

use std::path::PathBuf;
use std::sync::Arc;

use stablehlo::eval::{Evaluator, Feeds, Grid, Registry, Tensor, Value};
use stablehlo::ir::{Attr, Module, Type};
use stablehlo::text::{parse, print_attr};

use super::input::Programs;
use super::{Error, expect, npy, show};

/// Arguments of `run`.
#[derive(clap::Args)]
pub struct Run {
    #[command(flatten)]
    programs: Programs,
    /// Inputs in order, one `.npy` file each.
    #[arg(short, long)]
    input: Vec<PathBuf>,
    /// Inputs in order as a list of constants: `[dense<1> : tensor<2xi32>, ...]`.
    #[arg(long, conflicts_with = "input")]
    args: Option<String>,
    /// Writes the results to this directory as 0.npy, 1.npy and so on, instead of printing them.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// The function to run; if not given, `main` or the only public function.
    #[arg(long)]
    entry: Option<String>,
}

impl Run {
    /// Runs the command; fails if a program or an expectation in it does.
    pub fn run(&self) -> Result<(), Error> {
        let programs = self.programs.read()?;
        let (count, mut failed) = (programs.len(), 0);
        for (name, module) in programs {
            if let Err(error) = module.and_then(|module| self.one(module)) {
                failed += 1;
                eprintln!("{name}: {error}");
            }
        }
        match failed {
            0 => Ok(()),
            _ => Err(format!("{failed} of {count} programs failed").into()),
        }
    }

    fn one(&self, module: Module) -> Result<(), Error> {
        run_module(
            module,
            self.entry.as_deref(),
            |module| match &self.args {
                Some(args) => constants(args),
                None => self.files(module),
            },
            |value| drop(show(&format!("{}\n", text(value)))),
            |results| self.deliver(results),
        )
    }

    fn deliver(&self, results: &[Value]) -> Result<(), Error> {
        for (i, result) in results.iter().enumerate() {
            match (&self.output, result) {
                (Some(directory), Value::Tensor(tensor)) => npy::write(&directory.join(format!("{i}.npy")), tensor)?,
                _ => show(&format!("{}\n", text(result)))?,
            }
        }
        Ok(())
    }

    fn files(&self, module: &Module) -> Result<Vec<Value>, Error> {
        let types = module.function("main").ok_or("there is no function `main`")?.input_types();
        if types.len() != self.input.len() {
            let texts: Vec<String> = types.iter().map(|&ty| module.type_text(ty)).collect();
            let (given, wanted) = (self.input.len(), types.len());
            return Err(format!("{given} inputs are given, {wanted} are needed: ({})", texts.join(", ")).into());
        }
        let read = |(path, &ty): (&PathBuf, _)| match module.ty(ty) {
            Type::Tensor(tensor) => match tensor.element_type() {
                Some(element) => Ok(Value::from(npy::read(path, element)?)),
                None => Err(format!("no .npy file holds a {}", module.type_text(ty)).into()),
            },
            _ => Err(format!("no .npy file holds a {}", module.type_text(ty)).into()),
        };
        self.input.iter().zip(types).map(read).collect()
    }
}

/// Runs the functions of a module that are to run: `entry`, `main`, the only public one, or all if they are tests,
/// which take and give nothing. `inputs` makes inputs for the function `main` of the module it is given.
pub fn run_module(
    module: Module,
    entry: Option<&str>,
    inputs: impl Fn(&Module) -> Result<Vec<Value>, Error>,
    print: fn(&Value),
    deliver: impl Fn(&[Value]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut module = module;
    expect::as_custom_calls(&mut module)?;
    let entries = entries(&module, entry)?;
    let mut failures = Vec::new();
    for entry in &entries {
        let mut registry = Registry::default();
        expect::register(&mut registry, print);
        let results = with_main(&module, entry).and_then(|module| {
            let evaluator = Evaluator::new(Arc::new(module), &registry)?;
            let inputs = inputs(evaluator.module())?;
            let grid = Grid { num_replicas: 1, num_partitions: 1 };
            // One process, with the queues that programs for one device may use.
            Ok(evaluator.run_fed(grid, None, &Feeds::default(), vec![inputs])?)
        });
        match results.and_then(|results| results.iter().try_for_each(|results| deliver(results))) {
            Err(error) if entries.len() > 1 => failures.push(format!("{entry}: {error}")),
            other => other?,
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n").into()) }
}

fn entries(module: &Module, entry: Option<&str>) -> Result<Vec<String>, Error> {
    if let Some(name) = entry.or_else(|| module.function("main").map(|_| "main")) {
        return Ok(vec![name.to_owned()]);
    }
    let public: Vec<_> = module.functions().filter(|f| f.visibility() == "public").collect();
    let names: Vec<String> = public.iter().map(|f| f.name().to_owned()).collect();
    let are_tests = public.iter().all(|f| f.input_types().is_empty() && f.result_types().is_empty());
    match names.len() {
        0 => Err("there is no function to run".into()),
        1 => Ok(names),
        _ if are_tests => Ok(names),
        _ => Err(format!("choose a function with --entry: {}", names.join(", ")).into()),
    }
}

/// The values of a list of constants.
pub fn constants(list: &str) -> Result<Vec<Value>, Error> {
    // As an attribute of an empty function it is read like any other.
    let module = parse(&format!("func.func private @inputs() attributes {{inputs = {list}}}"))
        .map_err(|error| format!("{list} is no list of constants: {error}"))?;
    let function = module.function("inputs").ok_or("the constants are lost")?;
    let Some(Attr::Array(items)) = function.op().attr("inputs") else {
        return Err(format!("{list} is no list of constants").into());
    };
    let constant = |&item: &_| match module.attr(item) {
        Attr::DenseElements(dense) => {
            let tensor = module.ty(dense.ty()).as_tensor().ok_or("a constant must be a tensor")?;
            let element = tensor.element_type().ok_or("a constant must have elements of a plain type")?;
            let dims: Vec<usize> = tensor.dims.iter().map(|&dim| dim as usize).collect();
            let count = tensor.num_elements().ok_or("a constant must have static sizes")?;
            let bytes = if dense.is_splat() { dense.data().repeat(count) } else { dense.data().to_vec() };
            Ok(Tensor::from_bytes(element, &dims, &bytes)?.into())
        }
        _ => Err(format!("{} is no constant", print_attr(&module, item)).into()),
    };
    items.iter().map(constant).collect()
}

/// The evaluator runs `main`: the module in which the function that is to run has that name.
fn with_main(module: &Module, entry: &str) -> Result<Module, Error> {
    let mut module = module.clone();
    let id = |name: &str| module.function(name).map(|f| f.op().id());
    let chosen = id(entry).ok_or_else(|| format!("there is no function `{entry}`"))?;
    if let Some(main) = id("main").filter(|&main| main != chosen) {
        let other = module.string_attr("main (not chosen)");
        module.set_attr(main, "sym_name", Some(other));
    }
    let name = module.string_attr("main");
    module.set_attr(chosen, "sym_name", Some(name));
    Ok(module)
}

/// A result in the form of a constant.
fn text(value: &Value) -> String {
    match value {
        Value::Tensor(tensor) => {
            let mut module = Module::new();
            let dims: Vec<i64> = tensor.dims().iter().map(|&dim| dim as i64).collect();
            let ty = module.tensor_type(&dims, tensor.element_type());
            match module.dense_attr(ty, &tensor.to_bytes()) {
                Some(attr) => print_attr(&module, attr),
                None => tensor.describe(),
            }
        }
        Value::Token => "token".to_owned(),
        Value::Tuple(values) => format!("({})", values.iter().map(text).collect::<Vec<_>>().join(", ")),
    }
}
