//! `cargo xtask suite`: JAX's own tests on a backend, by a tool that is handed in, compared with what is on record in
//! `docs/jax-suite.json`.
//!
//! JAX's tests are in its repository and in no wheel. The tool takes a copy of the repository; it is called with
//! `run --jax-repo DIR --ref REF --platform NAME --cases N --out FILE.json [--x64] FILE...` and writes the outcome of each
//! test.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::backend_metadata::BackendMetadata;
use crate::python_env::PythonEnv;
use crate::suite_record::{Mode, Outcomes, Record};
use crate::wheel;
use crate::workspace::Workspace;

/// What JAX's tests want beside JAX, and what runs them.
const BESIDE_JAX: [&str; 7] =
    ["scipy", "matplotlib", "absl-py", "hypothesis", "pytest", "pytest-xdist", "pytest-timeout"];

/// Runs JAX's own tests on a backend and compares with what is on record
///
/// Fails when a test fails that is not listed in docs/jax-suite.json as one that does, or when a listed one passes. With
/// --record the figures and the list are brought up to date instead, and the page docs/jax-suite.md with them; what is
/// new in the list then wants a cause.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cargo xtask suite --tool path/to/jax_suite.py --jax-repo path/to/jax
  cargo xtask suite --tool path/to/jax_suite.py --jax-repo path/to/jax --x64 fft_test.py svd_test.py
  cargo xtask suite --results run1.json --results run2.json --record
  cargo xtask suite --record")]
pub struct Args {
    /// The tool, a Python program.
    #[arg(long, value_name = "FILE.py", requires = "jax_repo")]
    tool: Option<PathBuf>,
    /// A copy of JAX's repository that has the release on record: a checkout, or a bare git directory.
    #[arg(long, value_name = "DIR", requires = "tool")]
    jax_repo: Option<PathBuf>,
    /// Take what an earlier run of the tool wrote, and run nothing; may be given several times.
    #[arg(long, value_name = "FILE.json", conflicts_with = "tool")]
    results: Vec<PathBuf>,
    /// Run in 64-bit mode.
    #[arg(long)]
    x64: bool,
    /// Bring the record up to date; without results, only the page.
    #[arg(long)]
    record: bool,
    /// The backend crate to test.
    #[arg(long, value_name = "CRATE", default_value = "backend-cpu")]
    backend: String,
    /// The test files [default: all that are on record].
    #[arg(value_name = "FILE")]
    files: Vec<String>,
}

impl Args {
    /// Runs, compares, records.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::load()?;
        let (data, page) = (workspace.root.join("docs/jax-suite.json"), workspace.root.join("docs/jax-suite.md"));
        let mut record = Record::read(&read(&data)?)?;
        let mut results = self.results;
        if let (Some(tool), Some(repository)) = (&self.tool, &self.jax_repo) {
            let mode = if self.x64 { Mode::X64 } else { Mode::X32 };
            let files = if self.files.is_empty() { record.files() } else { self.files };
            results.push(run_tool(&workspace, &self.backend, &record, tool, repository, mode, &files)?);
        }
        ensure!(self.record || !results.is_empty(), "nothing to do: give --tool and --jax-repo, --results or --record");
        let mut surprises = Vec::new();
        for path in &results {
            let outcomes = Outcomes::read(&read(path)?).with_context(|| format!("in {}", path.display()))?;
            surprises.extend(record.surprises(&outcomes));
            if self.record {
                record.update(&outcomes);
            }
        }
        print!("{}", record.summary());
        for surprise in &surprises {
            println!("{surprise}");
        }
        if self.record {
            std::fs::write(&page, record.renewed(&read(&page)?)?)?;
            std::fs::write(&data, record.text())?;
            println!("wrote {} and {}", data.display(), page.display());
            return Ok(());
        }
        ensure!(surprises.is_empty(), "{} tests are otherwise than on record", surprises.len());
        Ok(())
    }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Builds and installs the backend, runs the tool in an environment with the release on record; the file it wrote.
fn run_tool(
    workspace: &Workspace,
    backend: &str,
    record: &Record,
    tool: &Path,
    repository: &Path,
    mode: Mode,
    files: &[String],
) -> Result<PathBuf> {
    let wheel = wheel::build(workspace, backend)?;
    let release = &record.release;
    let mut requirements = vec![format!("jax=={release}"), format!("jaxlib=={release}")];
    requirements.extend(BESIDE_JAX.map(str::to_owned));
    let env = PythonEnv::ensure(&workspace.target.join("venv-suite"), &requirements)?;
    env.install_wheel(&wheel)?;
    let out = workspace.target.join(format!("jax-suite-{}.json", mode.name()));
    let mut command = Command::new(env.python());
    command.arg(tool).args(["run", "--ref", &format!("jax-v{release}"), "--jax-repo"]).arg(repository);
    command.args(["--platform", &BackendMetadata::load(workspace, backend)?.platform, "--out"]).arg(&out);
    command.args(["--cases", &record.cases.to_string()]).args((mode == Mode::X64).then_some("--x64")).args(files);
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "the tool failed ({status})");
    Ok(out)
}
