//! Where things are: the workspace root, the target directory, the packages. Knows Cargo, and nothing of
//! Python or of plugins.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// What `cargo metadata` says about this workspace.
pub struct Workspace {
    /// The directory of the top `Cargo.toml`.
    pub root: PathBuf,
    /// Cargo's target directory; `CARGO_TARGET_DIR` is obeyed.
    pub target: PathBuf,
    packages: Vec<Value>,
}

impl Workspace {
    /// Asks Cargo.
    pub fn load() -> Result<Self> {
        // Under `cargo run` the manifest directory is that of xtask, one below the root.
        let xtask = std::env::var_os("CARGO_MANIFEST_DIR")
            .map(PathBuf::from)
            .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
        let root = xtask.parent().context("xtask lies in a directory of the workspace")?.to_path_buf();
        let output = Command::new(cargo())
            .args(["metadata", "--format-version=1", "--no-deps"])
            .current_dir(&root)
            .output()
            .context("cannot run cargo metadata")?;
        if !output.status.success() {
            bail!("cargo metadata failed:\n{}", String::from_utf8_lossy(&output.stderr));
        }
        let metadata: Value = serde_json::from_slice(&output.stdout)?;
        let target = metadata["target_directory"].as_str().context("cargo metadata names no target directory")?;
        Ok(Self {
            root,
            target: PathBuf::from(target),
            packages: metadata["packages"].as_array().cloned().unwrap_or_default(),
        })
    }

    /// The package called `name`, as `cargo metadata` prints it.
    pub fn package(&self, name: &str) -> Result<&Value> {
        self.packages.iter().find(|package| package["name"] == name).with_context(|| {
            let all: Vec<&str> = self.packages.iter().filter_map(|package| package["name"].as_str()).collect();
            format!("no crate called `{name}` in this workspace; it has {}", all.join(", "))
        })
    }
}

/// The Cargo that started us, or the one on the search path.
pub fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}
