//! Virtual environments: made once, with `uv` when it is there, else with `venv` and pip; kept in the target
//! directory and remade when what they should hold changes. Knows nothing of plugins.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::interpreter;

/// Pythons that the packages we install have wheels for.
const OLDEST: (u32, u32) = (3, 11);
const NEWEST: (u32, u32) = (3, 14);

/// A virtual environment.
pub struct PythonEnv {
    directory: PathBuf,
    uv: bool,
}

impl PythonEnv {
    /// The environment in `directory`, with `requirements` (as pip writes them) installed.
    pub fn ensure(directory: &Path, requirements: &[String]) -> Result<Self> {
        Self::ensure_with(directory, requirements, OLDEST, NEWEST)
    }

    /// Like [`PythonEnv::ensure`], with a Python between two versions, both included.
    pub fn ensure_with(
        directory: &Path,
        requirements: &[String],
        oldest: (u32, u32),
        newest: (u32, u32),
    ) -> Result<Self> {
        let env = Self { directory: directory.to_path_buf(), uv: has_uv() };
        let stamp = directory.join("installed-requirements");
        let wanted = requirements.join("\n");
        if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) && env.python().exists() {
            return Ok(env);
        }
        if directory.exists() {
            std::fs::remove_dir_all(directory).with_context(|| format!("cannot remove {}", directory.display()))?;
        }
        eprintln!("making a virtual environment in {} ...", directory.display());
        let found = interpreter::find(oldest, newest);
        if env.uv {
            // The newest Python of this machine; without one, uv fetches its own.
            let python = match found {
                Ok(python) => python.path.display().to_string(),
                Err(_) => format!("{}.{}", newest.0, newest.1),
            };
            run_quietly(Command::new("uv").args(["venv", "--quiet", "--python", &python]).arg(directory))?;
        } else {
            run_quietly(Command::new(found?.path).args(["-m", "venv"]).arg(directory))?;
        }
        eprintln!("installing {} ...", requirements.join(", "));
        env.install(&requirements.iter().map(String::as_str).collect::<Vec<_>>())?;
        std::fs::write(&stamp, wanted)?;
        Ok(env)
    }

    /// The environment's interpreter.
    pub fn python(&self) -> PathBuf {
        self.directory.join("bin/python")
    }

    /// Installs `arguments`, which are handed to pip.
    pub fn install(&self, arguments: &[&str]) -> Result<()> {
        let mut install = if self.uv {
            let mut uv = Command::new("uv");
            uv.args(["pip", "install", "--quiet", "--python"]).arg(self.python());
            uv
        } else {
            let mut pip = Command::new(self.python());
            pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
            pip
        };
        run_quietly(install.args(arguments))
    }

    /// Installs the wheel at `path` in place of an earlier one of the same version; its requirements are there.
    pub fn install_wheel(&self, path: &Path) -> Result<()> {
        let path = path.to_str().context("the wheel's path is not UTF-8")?;
        let replace = if self.uv { "--reinstall" } else { "--force-reinstall" };
        self.install(&[replace, "--no-deps", path])
    }
}

/// The requirements in `python/requirements.txt` of the workspace `root`.
pub fn requirements(root: &Path) -> Result<Vec<String>> {
    read_requirements(&root.join("python/requirements.txt"))
}

/// The requirements in a file, without comments.
pub fn read_requirements(path: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect())
}

/// The environment for a backend: one has one plugin, so that JAX finds no other.
pub fn env_name(backend: &str) -> String {
    backend
        .strip_prefix("backend-")
        .filter(|name| *name != "example")
        .map_or("venv".into(), |name| format!("venv-{name}"))
}

fn has_uv() -> bool {
    Command::new("uv")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Runs a command; its output is shown only when it fails.
fn run_quietly(command: &mut Command) -> Result<()> {
    let shown = format!("{command:?}");
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {shown}"))?;
    if !output.status.success() {
        bail!(
            "{shown} failed ({}):\n{}{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(())
}
