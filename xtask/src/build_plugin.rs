//! `cargo xtask build-plugin`: the release `.so` of a backend crate, and what it may show to the world.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::inspect::Report;
use crate::plugin_binary::PluginBinary;
use crate::workspace::{Workspace, cargo};

/// Builds and checks the plugin `.so` of a backend crate
///
/// A release build. GetPjrtApi must be the only exported symbol, and libc, libm, libgcc_s the only libraries it
/// needs.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cargo xtask build-plugin
  cargo xtask build-plugin -p backend-my-chip
  JAX_PLATFORMS=rust_example PJRT_NAMES_AND_LIBRARY_PATHS=rust_example:target/release/libbackend_example.so python")]
pub struct Args {
    /// The backend crate to build.
    #[arg(short, long = "package", value_name = "CRATE", default_value = "backend-example")]
    package: String,
}

impl Args {
    /// Builds, checks, reports.
    pub fn run(self) -> Result<()> {
        let plugin = build(&Workspace::load()?, &self.package)?;
        plugin.report()
    }
}

/// A plugin that was built and passed the checks.
pub struct BuiltPlugin {
    /// The shared library.
    pub path: PathBuf,
    /// What it shows to the loader.
    pub binary: PluginBinary,
}

impl BuiltPlugin {
    /// Prints what a user wants to know of it.
    pub fn report(&self) -> Result<()> {
        let (tag, remark) = self.binary.platform_tag();
        println!("plugin     {}", self.path.display());
        println!("size       {:.1} MB", self.binary.size as f64 / 1e6);
        println!("exports    {}", self.binary.exported.join(", "));
        println!("needs      {}", self.binary.needed.join(", "));
        println!("wheel tag  {tag}");
        if let Some(remark) = remark {
            println!("note       {remark}");
        }
        // Asking the library itself comes last: it proves that it loads and answers.
        let report = Report::of(&self.path)?;
        println!("C API      {}.{}", report.api_version.0, report.api_version.1);
        let reads = |name| report.version_attribute(name).unwrap_or_else(|| "not stated".into());
        println!("StableHLO  {} to {}", reads("stablehlo_minimum_version"), reads("stablehlo_current_version"));
        Ok(())
    }
}

/// Builds the plugin of the crate `package` and checks the result.
pub fn build(workspace: &Workspace, package: &str) -> Result<BuiltPlugin> {
    workspace.package(package)?;
    eprintln!("building {package} (release) ...");
    let mut build = Command::new(cargo());
    build
        .args(["build", "--release", "--lib", "-p", package, "--message-format=json-render-diagnostics"])
        .current_dir(&workspace.root)
        .stdout(Stdio::piped());
    let output = build.spawn().and_then(|child| child.wait_with_output()).context("cannot run cargo build")?;
    if !output.status.success() {
        bail!("cargo build -p {package} failed");
    }
    let path = cdylib(&String::from_utf8_lossy(&output.stdout), package).with_context(|| {
        format!("crate `{package}` builds no cdylib; its Cargo.toml needs crate-type = [\"cdylib\"]")
    })?;
    let binary = PluginBinary::read(&path)?;
    binary.check().with_context(|| format!("{}", path.display()))?;
    Ok(BuiltPlugin { path, binary })
}

/// The shared library among the artifacts that Cargo reported.
fn cdylib(messages: &str, package: &str) -> Option<PathBuf> {
    let library_name = package.replace('-', "_");
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| {
            message["reason"] == "compiler-artifact" && message["target"]["name"] == library_name.as_str()
        })
        .flat_map(|message| message["filenames"].as_array().cloned().unwrap_or_default())
        .filter_map(|name| name.as_str().map(PathBuf::from))
        .find(|path| path.extension().is_some_and(|extension| extension == "so"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shared_library_is_found_among_cargos_messages() {
        let messages = r#"
{"reason":"compiler-artifact","target":{"name":"other"},"filenames":["/t/libother.so"]}
{"reason":"compiler-artifact","target":{"name":"backend_x"},"filenames":["/t/libbackend_x.rlib","/t/libbackend_x.so"]}
{"reason":"build-finished","success":true}"#;
        assert_eq!(cdylib(messages, "backend-x"), Some(PathBuf::from("/t/libbackend_x.so")));
        assert_eq!(cdylib(messages, "backend-y"), None);
    }
}
