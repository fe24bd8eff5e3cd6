//! `cargo xtask bench`: a backend beside XLA's CPU, by a benchmark tool that is handed in, and its figures as a table
//! and a picture.
//!
//! The tool takes `--platform NAME` (twice: the judge first), `--out FILE.json` and what is passed on to it; it measures
//! both platforms in one process, round by round, and writes a document that `bench_report` reads.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::backend_metadata::BackendMetadata;
use crate::bench_report::Report;
use crate::python_env::{self, PythonEnv};
use crate::wheel;
use crate::workspace::Workspace;

/// Measures a backend side by side with XLA's CPU and draws the ratios
///
/// Writes results.json, ratios.svg and table.md into the output directory. Ratios are XLA's time divided by ours: above 1
/// the backend is faster.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cargo xtask bench --tool path/to/jax_bench.py
  cargo xtask bench --tool path/to/jax_bench.py -- --quick --filter '^dot'
  cargo xtask bench --results target/bench/results.json")]
pub struct Args {
    /// The benchmark tool, a Python program.
    #[arg(long, value_name = "FILE.py", required_unless_present = "results")]
    tool: Option<PathBuf>,
    /// Draw the figures of an earlier run and measure nothing.
    #[arg(long, value_name = "FILE.json", conflicts_with = "tool")]
    results: Option<PathBuf>,
    /// The backend crate to measure.
    #[arg(long, value_name = "CRATE", default_value = "backend-cpu")]
    backend: String,
    /// Where figures and picture go [default: `bench` in the target directory].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Handed to the tool.
    #[arg(last = true, value_name = "ARGUMENT")]
    passed_on: Vec<String>,
}

impl Args {
    /// Measures, reports.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::load()?;
        let backend = BackendMetadata::load(&workspace, &self.backend)?;
        let out = self.out.unwrap_or_else(|| workspace.target.join("bench"));
        std::fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
        let results = match (self.results, self.tool) {
            (Some(results), _) => results,
            (None, Some(tool)) => {
                let results = out.join("results.json");
                // The tool merges into a document that is there.
                if results.exists() {
                    std::fs::remove_file(&results)?;
                }
                let wheel = wheel::build(&workspace, &self.backend)?;
                let requirements = python_env::requirements(&workspace.root)?;
                let env =
                    PythonEnv::ensure(&workspace.target.join(python_env::env_name(&self.backend)), &requirements)?;
                env.install_wheel(&wheel)?;
                let mut command = Command::new(env.python());
                command.arg(tool).args(["--platform", "cpu", "--platform", &backend.platform, "--out"]);
                command.arg(&results).args(self.passed_on);
                let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
                ensure!(status.success(), "the benchmark tool failed ({status})");
                results
            }
            (None, None) => unreachable!("clap asks for one of the two"),
        };
        let text = std::fs::read_to_string(&results).with_context(|| format!("cannot read {}", results.display()))?;
        let report = Report::read(&serde_json::from_str(&text)?, "cpu", &backend.platform)?;
        std::fs::write(out.join("table.md"), report.markdown())?;
        std::fs::write(out.join("ratios.svg"), report.svg())?;
        print!("{}", report.summary());
        println!("table and picture: {}", out.display());
        Ok(())
    }
}
