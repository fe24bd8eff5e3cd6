//! `cargo xtask demo`: from a clean clone to a classifier trained on a Rust backend, in one command.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::backend_metadata::BackendMetadata;
use crate::python_env::{self, PythonEnv};
use crate::wheel;
use crate::workspace::Workspace;

/// Trains a classifier on a backend of this repository and on XLA's CPU
///
/// Handwritten digits, Adam, a small network; the two loss curves are compared. Makes its own virtual environment
/// in the target directory and installs what it needs.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cargo xtask demo
  cargo xtask demo --epochs 5
  cargo xtask demo --backend backend-my-chip")]
pub struct Args {
    /// The backend crate to train on.
    #[arg(long, value_name = "CRATE", default_value = "backend-example")]
    backend: String,
    /// How many times the training set is gone through.
    #[arg(long, value_name = "N", default_value_t = 12)]
    epochs: u32,
}

impl Args {
    /// Builds, installs, trains.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::load()?;
        let backend = BackendMetadata::load(&workspace, &self.backend)?;
        let path = wheel::build(&workspace, &self.backend)?;
        let env = PythonEnv::ensure(
            &workspace.target.join(python_env::env_name(&self.backend)),
            &python_env::requirements(&workspace.root)?,
        )?;
        env.install_wheel(&path)?;
        let picture = workspace.target.join("demo/loss.png");
        let status = command(&env.python(), &workspace.root, &backend.platform, &picture)
            .args(["--epochs", &self.epochs.to_string()])
            .status()
            .context("cannot run the demo's Python")?;
        ensure!(status.success(), "the demo failed ({status})");
        Ok(())
    }
}

/// The training run on `platform`, in an environment that has the wheel; the curves go to `picture`.
pub fn command(python: &Path, root: &Path, platform: &str, picture: &Path) -> Command {
    let mut command = Command::new(python);
    command
        .arg(root.join("python/demo/train_digits.py"))
        .args(["--platform", platform, "--picture"])
        .arg(picture)
        .current_dir(root);
    command
}
