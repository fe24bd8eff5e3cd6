//! `judge`: how many test programs with expectations hold them.
//!
//! Made for the directories `stablehlo/tests/interpret` and `stablehlo/testdata` of StableHLO's own repository.

use std::path::{Path, PathBuf};

use super::{Error, input, run, show};

/// Arguments of `judge`.
#[derive(clap::Args)]
pub struct Judge {
    /// Files, or directories whose `.mlir` files are run, those inside them too.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The least share of files that must pass, in percent; below it the exit status is 1.
    #[arg(long, default_value_t = 100.0)]
    at_least: f64,
}

impl Judge {
    /// Runs all functions of all programs of each file; prints the files that fail, with the reason, and the share
    /// of those that pass.
    pub fn run(&self) -> Result<(), Error> {
        let mut files = Vec::new();
        for path in &self.paths {
            collect(path, &mut files)?;
        }
        if files.is_empty() {
            return Err("there are no .mlir files".into());
        }
        files.sort();
        let mut passed = 0;
        for file in &files {
            match judge(file) {
                Ok(()) => passed += 1,
                Err(error) => show(&format!("{}: {}\n", file.display(), error.to_string().replace('\n', "; ")))?,
            }
        }
        let share = 100.0 * f64::from(passed) / files.len() as f64;
        show(&format!("{passed} of {} files pass ({share:.2} %)\n", files.len()))?;
        if share < self.at_least { Err(format!("fewer than {} % pass", self.at_least).into()) } else { Ok(()) }
    }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let entries = std::fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() || path.extension().is_some_and(|extension| extension == "mlir") {
            collect(&path, files)?;
        }
    }
    Ok(())
}

/// Runs the programs of a file; or, if it says that it is a test of serialisation alone, writes and reads them.
fn judge(file: &Path) -> Result<(), Error> {
    let bytes = input::bytes(file)?;
    let text = String::from_utf8_lossy(&bytes);
    let args = arguments(&text);
    let serialisation_alone = text.contains("--serialize --target=current") && !text.contains("--interpret");
    for (_, module) in input::read_file(file)? {
        if serialisation_alone {
            let module = module?;
            let again = stablehlo::bytecode::read(&stablehlo::bytecode::write(&module, stablehlo::CURRENT_VERSION)?)?;
            stablehlo::ir::same_program(&module, &again)?;
            continue;
        }
        let inputs = |module: &stablehlo::ir::Module| match &args {
            Some(args) if module.function("main").is_some_and(|main| !main.input_types().is_empty()) => {
                run::constants(args)
            }
            _ => Ok(Vec::new()),
        };
        run::run_module(module?, None, inputs, |_| (), |_| Ok(()))?;
    }
    Ok(())
}

/// The inputs that the first line `// RUN: ... --args="[...]"` of a test gives.
fn arguments(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with("// RUN: stablehlo-translate") && line.contains("--args="))?;
    let rest = line.split_once("--args=\"")?.1;
    Some(rest.split_once('"')?.0.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_the_files_that_hold() {
        let directory = std::env::temp_dir().join(format!("stablehlo-judge-{}", std::process::id()));
        std::fs::create_dir_all(directory.join("inner")).unwrap();
        let program = |value: &str| {
            format!(
                "// RUN: stablehlo-translate %s --interpret --args=\"[dense<1> : tensor<i32>]\"\n\
                 func.func @main(%x: tensor<i32>) {{\n  check.expect_eq_const %x, dense<{value}> : tensor<i32>\n  return\n}}\n"
            )
        };
        std::fs::write(directory.join("good.mlir"), program("1")).unwrap();
        let judge = |at_least| Judge { paths: vec![directory.clone()], at_least }.run();
        assert!(judge(100.0).is_ok());
        std::fs::write(directory.join("inner/bad.mlir"), program("2")).unwrap();
        assert!(judge(100.0).is_err());
        assert!(judge(50.0).is_ok());
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
