//! `cargo xtask test`: everything that must hold before a change lands, in one command, with a table at the end.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::backend_metadata::BackendMetadata;
use crate::build_plugin::{self, BuiltPlugin};
use crate::jaxlib_matrix;
use crate::python_env::{self, PythonEnv};
use crate::wheel;
use crate::wheel_archive;
use crate::workspace::{Workspace, cargo};

/// Runs all tests of the repository
///
/// Formatting, lints, documentation, bindings, Rust tests; then for the example and for the CPU backend: plugin and wheel,
/// Python tests on the installed wheel, an independent conformance check, several jaxlib releases, the demo; and libraries
/// on the CPU backend. Goes on after a failed step; exits with an error when any failed.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cargo xtask test
  cargo xtask test --quick
  cargo xtask test clippy cargo-test
  cargo xtask test jaxlib --matrix all

Steps: format, clippy, doc, bindings, cargo-test, plugin, pytest, contract, conform, jaxlib, demo, cpu-plugin, cpu-pytest, cpu-contract, cpu-conform, cpu-jaxlib, cpu-demo, libraries")]
pub struct Args {
    /// Leave out the slow steps (bindings, jaxlib releases, demo).
    #[arg(long)]
    quick: bool,
    /// Which jaxlib releases are tried.
    #[arg(long, value_enum, default_value = "ends")]
    matrix: Matrix,
    /// The backend crate that the steps from `plugin` to `demo` run on.
    #[arg(long, value_name = "CRATE", default_value = "backend-example")]
    backend: String,
    /// Run only the steps whose name contains one of these words.
    #[arg(value_name = "STEP")]
    filters: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Matrix {
    /// The oldest and the newest that are supported.
    Ends,
    /// All of them.
    All,
}

struct Step {
    name: &'static str,
    slow: bool,
    run: fn(&mut Session) -> Result<()>,
}

const STEPS: [Step; 18] = [
    Step { name: "format", slow: false, run: |session| session.cargo(&["fmt", "--all", "--check"], &[]) },
    Step {
        name: "clippy",
        slow: false,
        run: |session| session.cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[]),
    },
    Step {
        name: "doc",
        slow: false,
        run: |session| session.cargo(&["doc", "--workspace", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings".into())]),
    },
    Step { name: "bindings", slow: true, run: |session| session.bindings() },
    Step { name: "cargo-test", slow: false, run: Session::cargo_test },
    Step { name: "plugin", slow: false, run: |session| session.wheel().map(drop) },
    Step { name: "pytest", slow: false, run: Session::pytest },
    Step { name: "contract", slow: false, run: Session::contract },
    Step { name: "conform", slow: false, run: Session::conform },
    Step { name: "jaxlib", slow: true, run: Session::jaxlib },
    Step { name: "demo", slow: true, run: Session::demo },
    Step { name: "cpu-plugin", slow: false, run: |session| session.cpu()?.wheel().map(drop) },
    Step { name: "cpu-pytest", slow: false, run: |session| session.cpu()?.pytest() },
    Step { name: "cpu-contract", slow: false, run: |session| session.cpu()?.contract() },
    Step { name: "cpu-conform", slow: false, run: |session| session.cpu()?.conform() },
    Step { name: "cpu-jaxlib", slow: true, run: |session| session.cpu()?.jaxlib() },
    Step { name: "cpu-demo", slow: true, run: |session| session.cpu()?.demo() },
    Step { name: "libraries", slow: true, run: |session| session.cpu()?.libraries() },
];

/// The backend of the steps whose names say so.
const CPU_BACKEND: &str = "backend-cpu";

impl Args {
    /// Runs the chosen steps and prints the table.
    pub fn run(self) -> Result<()> {
        let chosen: Vec<&Step> = STEPS
            .iter()
            .filter(|step| !(self.quick && step.slow))
            .filter(|step| self.filters.is_empty() || self.filters.iter().any(|word| step.name.contains(word.as_str())))
            .collect();
        ensure!(!chosen.is_empty(), "no step is called {}; see --help", self.filters.join(", "));
        let mut session = Session::new(self.backend, self.matrix)?;
        let mut results = Vec::new();
        for (index, step) in chosen.iter().enumerate() {
            println!("\n=== {} ({} of {}) ===", step.name, index + 1, chosen.len());
            let start = Instant::now();
            let outcome = (step.run)(&mut session);
            if let Err(error) = &outcome {
                println!("error: {error:#}");
            }
            results.push((step.name, outcome.is_ok(), start.elapsed()));
        }
        summarise(&results)
    }
}

fn summarise(results: &[(&str, bool, Duration)]) -> Result<()> {
    println!("\n=== summary ===");
    for (name, passed, time) in results {
        println!("{name:14} {:7} {:6.1} s", if *passed { "ok" } else { "FAILED" }, time.as_secs_f64());
    }
    let total: f64 = results.iter().map(|(_, _, time)| time.as_secs_f64()).sum();
    let failed: Vec<&str> = results.iter().filter(|(_, passed, _)| !passed).map(|(name, _, _)| *name).collect();
    println!("{} of {} steps passed in {total:.0} s", results.len() - failed.len(), results.len());
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

/// Another command of ours, through cargo: the tests may have replaced the file that this process runs from.
fn xtask(arguments: &[&str]) -> Command {
    let mut command = Command::new(cargo());
    command.args(["run", "--quiet", "--package", "xtask", "--"]).args(arguments);
    command
}

/// What the steps share; each part is made when a step first asks for it.
struct Session {
    workspace: Workspace,
    backend: BackendMetadata,
    matrix: Matrix,
    plugin: Option<BuiltPlugin>,
    env: Option<PythonEnv>,
    wheel: Option<PathBuf>,
    /// The same for the CPU backend.
    cpu: Option<Box<Session>>,
}

impl Session {
    fn new(backend: String, matrix: Matrix) -> Result<Self> {
        let workspace = Workspace::load()?;
        let backend = BackendMetadata::load(&workspace, &backend)?;
        Ok(Self { workspace, backend, matrix, plugin: None, env: None, wheel: None, cpu: None })
    }

    /// What the steps for the CPU backend share.
    fn cpu(&mut self) -> Result<&mut Session> {
        if self.cpu.is_none() {
            self.cpu = Some(Box::new(Session::new(CPU_BACKEND.to_owned(), self.matrix)?));
        }
        self.cpu.as_deref_mut().context("the session was just made")
    }

    /// An environment has one plugin, so that JAX finds no other.
    fn env_directory(&self) -> PathBuf {
        self.workspace.target.join(python_env::env_name(&self.backend.package))
    }

    fn cargo(&self, arguments: &[&str], variables: &[(&str, String)]) -> Result<()> {
        self.passes(Command::new(cargo()).args(arguments).envs(variables.iter().map(|(name, value)| (name, value))))
    }

    /// Runs a command in the workspace root with our own output.
    fn passes(&self, command: &mut Command) -> Result<()> {
        let status =
            command.current_dir(&self.workspace.root).status().with_context(|| format!("cannot run {command:?}"))?;
        ensure!(status.success(), "{command:?} failed ({status})");
        Ok(())
    }

    fn env(&mut self) -> Result<&PythonEnv> {
        if self.env.is_none() {
            let requirements = python_env::requirements(&self.workspace.root)?;
            self.env = Some(PythonEnv::ensure(&self.env_directory(), &requirements)?);
        }
        self.env.as_ref().context("the environment was just made")
    }

    fn plugin(&mut self) -> Result<&BuiltPlugin> {
        if self.plugin.is_none() {
            self.plugin = Some(build_plugin::build(&self.workspace, &self.backend.package)?);
        }
        self.plugin.as_ref().context("the plugin was just built")
    }

    /// Path of the wheel, which is installed in the environment.
    fn wheel(&mut self) -> Result<PathBuf> {
        if let Some(wheel) = &self.wheel {
            return Ok(wheel.clone());
        }
        self.plugin()?;
        let plugin = self.plugin.as_ref().context("the plugin was just built")?;
        plugin.report()?;
        let wheel = wheel::pack(&self.workspace, &self.backend.package, plugin, &wheel::directory(&self.workspace))?;
        self.env()?.install_wheel(&wheel)?;
        println!("installed {}", wheel.display());
        self.wheel = Some(wheel.clone());
        Ok(wheel)
    }

    /// The Rust tests. Those that compare with Python packages find the interpreter in variables.
    fn cargo_test(&mut self) -> Result<()> {
        let python = self.env()?.python();
        let python = python.to_str().context("the environment's path is not UTF-8")?.to_owned();
        let variables = [("PYPJRT_PYTHON", python.clone()), ("STABLEHLO_PYTHON", python)];
        self.cargo(&["test", "--workspace"], &variables)
    }

    /// Header, bindings and table of sizes agree. This alone needs libclang.
    fn bindings(&self) -> Result<()> {
        if !crate::libclang::is_installed() {
            ensure!(std::env::var_os("CI").is_none(), "libclang is missing, with which the bindings are compared");
            println!("skipped: libclang is not installed (Debian and Ubuntu: apt-get install libclang-dev)");
            return Ok(());
        }
        self.passes(&mut xtask(&["bindgen", "--check"]))
    }

    fn pytest(&mut self) -> Result<()> {
        self.wheel()?;
        let library = self.plugin()?.path.clone();
        let python = self.env()?.python();
        let mut pytest = Command::new(python);
        pytest
            .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "python/tests"])
            .env("PJRT_TEST_PLATFORM", &self.backend.platform)
            .env("PJRT_TEST_CLIENT_PLATFORM", &self.backend.client_platform)
            .env("PJRT_TEST_LIBRARY", library);
        match self.panicking_plugin()? {
            Some(library) => pytest.env("PANICKING_PLUGIN", library),
            // They are about the framework; the backend that has the plugin runs them.
            None => pytest.arg("--ignore=python/tests/test_panics.py"),
        };
        self.passes(&mut pytest)
    }

    /// The variant of the plugin that panics where a test wants it to, if the backend's crate has one.
    fn panicking_plugin(&self) -> Result<Option<PathBuf>> {
        let package = self.backend.package.as_str();
        let source = self.workspace.root.join("crates").join(package).join("examples/panicking_plugin.rs");
        if !source.exists() {
            return Ok(None);
        }
        self.cargo(&["build", "--release", "--package", package, "--example", "panicking_plugin"], &[])?;
        Ok(Some(self.workspace.target.join("release/examples/libpanicking_plugin.so")))
    }

    /// Our own client of the C API; in a process of its own, which a faulty plugin may abort.
    fn contract(&mut self) -> Result<()> {
        let library = self.plugin()?.path.clone();
        let mut contract = xtask(&["conformance"]);
        contract.arg(library).stderr(std::process::Stdio::null());
        self.passes(&mut contract)
    }

    /// An independent client of the C API probes the plugin: nothing may fail, and what the plugin does not offer
    /// is explained in the book under the name that the report uses.
    fn conform(&mut self) -> Result<()> {
        let library = self.plugin()?.path.clone();
        let python = self.env()?.python();
        let report = self.workspace.target.join("conform.json");
        let mut conform = Command::new(python);
        conform.args(["-m", "pypjrt.conform"]).arg(&library).arg("--json").arg(&report);
        self.passes(&mut conform)?;
        let report: Value = serde_json::from_slice(&std::fs::read(&report)?)?;
        let book = self.workspace.root.join("docs/book/src/conformance.md");
        let book = std::fs::read_to_string(&book).with_context(|| format!("cannot read {}", book.display()))?;
        for check in report["checks"].as_array().context("the report has no checks")? {
            let id = check["id"].as_str().unwrap_or_default();
            match check["result"].as_str() {
                Some("pass" | "skip") => {}
                Some("unsupported") => ensure!(
                    book.contains(&format!("`{id}`")),
                    "{id} is unsupported and docs/book/src/conformance.md does not say why"
                ),
                other => bail!("{id}: {other:?}: {}", check["detail"]),
            }
        }
        Ok(())
    }

    fn jaxlib(&mut self) -> Result<()> {
        let wheel = self.wheel()?;
        let site = self.workspace.target.join("jaxlib-matrix").join(format!("site-{}", self.backend.platform));
        wheel_archive::unpack(&wheel, &site)?;
        let script = self.workspace.root.join("python/tests/release_smoke.py");
        let all = jaxlib_matrix::VERSIONS;
        let versions = match self.matrix {
            Matrix::All => all.to_vec(),
            Matrix::Ends => vec![all[0], all[all.len() - 1]],
        };
        jaxlib_matrix::run(&self.workspace.target, &site, &self.backend.platform, &script, &versions)
    }

    /// Libraries of JAX's users, unmodified, in an environment of their own.
    fn libraries(&mut self) -> Result<()> {
        let wheel = self.wheel()?;
        let directory = self.workspace.root.join("python/libraries");
        let requirements = python_env::read_requirements(&directory.join("requirements.txt"))?;
        let env = PythonEnv::ensure(&self.workspace.target.join("venv-libraries"), &requirements)?;
        env.install_wheel(&wheel)?;
        let mut pytest = Command::new(env.python());
        pytest
            .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
            .arg(directory)
            .env("PJRT_TEST_PLATFORM", &self.backend.platform);
        self.passes(&mut pytest)
    }

    fn demo(&mut self) -> Result<()> {
        self.wheel()?;
        let picture = self.workspace.target.join("demo/loss.png");
        let python = self.env()?.python();
        let mut demo = crate::demo::command(&python, &self.workspace.root, &self.backend.platform, &picture);
        self.passes(&mut demo)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_fails_the_run_and_is_named() {
        let second = Duration::from_secs(1);
        assert!(summarise(&[("one", true, second)]).is_ok());
        let error = summarise(&[("one", true, second), ("two", false, second)]).unwrap_err();
        assert_eq!(error.to_string(), "failed: two");
    }

    #[test]
    fn the_help_lists_every_step() {
        let source = include_str!("test.rs");
        let listed = source.lines().find(|line| line.starts_with("Steps: ")).unwrap();
        for step in &STEPS {
            assert!(listed.contains(step.name), "{} is not in the help", step.name);
        }
    }
}
