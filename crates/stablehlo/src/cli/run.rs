//! `run`: programs on the reference evaluator.

use std::path::PathBuf;
use std::sync::Arc;

use stablehlo::eval::{Evaluator, Registry, Value};
use stablehlo::ir::{Module, Type};
use stablehlo::text::print_attr;

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
        let mut module = module;
        expect::as_custom_calls(&mut module)?;
        let entries = self.entries(&module)?;
        let mut failures = Vec::new();
        for entry in &entries {
            match self.call(&module, entry) {
                Err(error) if entries.len() > 1 => failures.push(format!("{entry}: {error}")),
                other => other?,
            }
        }
        if failures.is_empty() { Ok(()) } else { Err(failures.join("\n").into()) }
    }

    fn call(&self, module: &Module, entry: &str) -> Result<(), Error> {
        let mut registry = Registry::default();
        expect::register(&mut registry);
        let evaluator = Evaluator::new(Arc::new(with_main(module, entry)?), &registry)?;
        let inputs = self.inputs(evaluator.module())?;
        for (i, result) in evaluator.run(inputs)?.iter().enumerate() {
            match (&self.output, result) {
                (Some(directory), Value::Tensor(tensor)) => npy::write(&directory.join(format!("{i}.npy")), tensor)?,
                _ => show(&format!("{}\n", text(result)))?,
            }
        }
        Ok(())
    }

    /// The functions to run: the one asked for, `main`, the only public one, or all if they are tests, which
    /// take and give nothing.
    fn entries(&self, module: &Module) -> Result<Vec<String>, Error> {
        if let Some(name) = self.entry.as_deref().or_else(|| module.function("main").map(|_| "main")) {
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

    fn inputs(&self, module: &Module) -> Result<Vec<Value>, Error> {
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
