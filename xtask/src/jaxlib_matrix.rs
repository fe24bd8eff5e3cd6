//! One wheel in many jaxlib releases: an environment for each, in which a smoke program runs on the plugin.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::python_env::PythonEnv;

/// Releases that are tried, oldest first. The C table was last rearranged at version 0.57 of the API; every release
/// from 0.4.38 on uses a later one.
pub const VERSIONS: [&str; 16] = [
    "0.4.38", "0.5.0", "0.5.3", "0.6.0", "0.6.2", "0.7.0", "0.7.2", "0.8.0", "0.8.3", "0.9.0", "0.9.2", "0.10.0",
    "0.10.2", "0.11.0", "0.11.2", "0.12.0.1",
];

/// Runs `script` in each of `versions` with the unpacked wheel `site` on the module path. Fails when one of them does.
pub fn run(target: &Path, site: &Path, platform: &str, script: &Path, versions: &[&str]) -> Result<()> {
    let mut failures = Vec::new();
    for version in versions {
        let outcome = environment(target, version).and_then(|python| smoke(&python, site, platform, script));
        match outcome {
            Ok(said) => println!("jaxlib {version:9} ok     {said}"),
            Err(error) => {
                println!("jaxlib {version:9} FAILED\n{error:#}");
                failures.push(*version);
            }
        }
    }
    println!("{} of {} jaxlib releases run this plugin", versions.len() - failures.len(), versions.len());
    if !failures.is_empty() {
        bail!("failed in jaxlib {}", failures.join(", "));
    }
    Ok(())
}

/// The interpreter of an environment with this release. One that the user has made already in
/// `~/.cache/jaxlib-matrix/VERSION`, finished off with a file named `ready`, is used as it is.
fn environment(target: &Path, version: &str) -> Result<PathBuf> {
    if let Some(home) = std::env::home_dir() {
        let made = home.join(".cache/jaxlib-matrix").join(version);
        if made.join("ready").exists() {
            return Ok(made.join("bin/python"));
        }
    }
    // The releases before 0.7 were built before NumPy 2.3 and do not import with it.
    let numpy = if ["0.4.", "0.5.", "0.6."].iter().any(|old| version.starts_with(old)) { "numpy<2.3" } else { "numpy" };
    let requirements = [format!("jax=={version}"), format!("jaxlib=={version}"), numpy.to_owned()];
    let directory = target.join("jaxlib-matrix").join(version);
    Ok(PythonEnv::ensure_with(&directory, &requirements, (3, 11), (3, 13))?.python())
}

fn smoke(python: &Path, site: &Path, platform: &str, script: &Path) -> Result<String> {
    let output = Command::new(python)
        .arg(script)
        .env("PYTHONPATH", site)
        .env("JAX_PLATFORMS", platform)
        .env_remove("PJRT_NAMES_AND_LIBRARY_PATHS")
        .output()
        .with_context(|| format!("cannot run {}", python.display()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let last = said.lines().last().unwrap_or_default();
    if !output.status.success() || !last.starts_with("SMOKE OK") {
        bail!("{}\n{said}{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(last.to_owned())
}
