//! Finds a Python interpreter. Knows the search path and pyenv, and nothing of packages.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// A Python that can make virtual environments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interpreter {
    /// The executable.
    pub path: PathBuf,
    /// Its version, as (major, minor).
    pub version: (u32, u32),
}

/// The newest Python between `oldest` and `newest`, both included, on the search path or under pyenv.
///
/// The environment variable `PYTHON` names one to be used instead.
pub fn find(oldest: (u32, u32), newest: (u32, u32)) -> Result<Interpreter> {
    if let Some(chosen) = std::env::var_os("PYTHON") {
        let path = PathBuf::from(chosen);
        return probe(&path).with_context(|| format!("PYTHON={} is no Python with venv", path.display()));
    }
    candidates(oldest, newest)
        .iter()
        .filter_map(|path| probe(path))
        .filter(|found| found.version >= oldest && found.version <= newest)
        .max_by_key(|found| found.version)
        .with_context(|| {
            format!(
                "no Python {}.{} to {}.{} with the venv module found on PATH or under ~/.pyenv/versions; install one \
                 (Debian: apt install python3 python3-venv), install uv, or set PYTHON=/path/to/python",
                oldest.0, oldest.1, newest.0, newest.1
            )
        })
}

fn candidates(oldest: (u32, u32), newest: (u32, u32)) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        (oldest.1..=newest.1).map(|minor| PathBuf::from(format!("python{}.{minor}", oldest.0))).collect();
    found.push(PathBuf::from("python3"));
    let pyenv = std::env::var_os("PYENV_ROOT")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".pyenv")));
    if let Some(versions) = pyenv.and_then(|pyenv| std::fs::read_dir(pyenv.join("versions")).ok()) {
        found.extend(versions.flatten().map(|version| version.path().join("bin/python")));
    }
    found
}

/// Asks an executable who it is; None when it is not there, too broken to answer, or without venv and ensurepip.
fn probe(path: &Path) -> Option<Interpreter> {
    let script = "import sys, venv, ensurepip; print(sys.executable, *sys.version_info[:2], sep='\\n')";
    let output = Command::new(path).args(["-c", script]).output().ok()?;
    if !output.status.success() {
        return None;
    }
    let text = String::from_utf8(output.stdout).ok()?;
    let mut lines = text.lines();
    let path = PathBuf::from(lines.next()?);
    let version = (lines.next()?.parse().ok()?, lines.next()?.parse().ok()?);
    Some(Interpreter { path, version })
}
