//! `cargo xtask wheel`: a wheel with a backend's plugin and the Python that registers it with JAX.
//!
//! The shared support module goes into the backend's own package, so that two backends installed side by side
//! own no file in common.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::backend_metadata::BackendMetadata;
use crate::build_plugin::{self, BuiltPlugin};
use crate::wheel_archive::Wheel;
use crate::workspace::Workspace;

/// The file name of the plugin inside its package.
const LIBRARY: &str = "pjrt_plugin.so";

/// Packs the plugin of a backend crate into a wheel
///
/// `pip install` of the wheel is all it takes to make the backend visible to JAX.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cargo xtask wheel
  cargo xtask wheel -p backend-my-chip --out dist
  pip install dist/*.whl && JAX_PLATFORMS=rust_example python -c 'import jax; print(jax.devices())'")]
pub struct Args {
    /// The backend crate to pack.
    #[arg(short, long = "package", value_name = "CRATE", default_value = "backend-example")]
    package: String,
    /// Where to put the wheel [default: `wheels` in the target directory].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Pack this plugin instead of building the crate; it is not checked for exported symbols.
    #[arg(long, value_name = "FILE.so")]
    library: Option<PathBuf>,
}

impl Args {
    /// Builds and reports the path.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::load()?;
        let out = self.out.unwrap_or_else(|| directory(&workspace));
        let plugin = match self.library {
            Some(path) => BuiltPlugin { binary: crate::plugin_binary::PluginBinary::read(&path)?, path },
            None => build_plugin::build(&workspace, &self.package)?,
        };
        let path = pack(&workspace, &self.package, &plugin, &out)?;
        println!("{}", path.display());
        Ok(())
    }
}

/// Where wheels are put unless somebody says otherwise.
pub fn directory(workspace: &Workspace) -> PathBuf {
    workspace.target.join("wheels")
}

/// Builds the plugin of the crate `package`, and packs it into a wheel in the usual [`directory`].
pub fn build(workspace: &Workspace, package: &str) -> Result<PathBuf> {
    pack(workspace, package, &build_plugin::build(workspace, package)?, &directory(workspace))
}

/// Packs `plugin`, the product of the crate `package`, into a wheel in `out`.
pub fn pack(workspace: &Workspace, package: &str, plugin: &BuiltPlugin, out: &Path) -> Result<PathBuf> {
    let backend = BackendMetadata::load(workspace, package)?;
    let (platform_tag, remark) = plugin.binary.platform_tag();
    if let Some(remark) = remark {
        eprintln!("note: {remark}");
    }
    let directory = format!("jax_plugins/{}", backend.platform);
    let template = workspace.root.join("python/plugin_template/__init__.py");
    let template = std::fs::read_to_string(&template).with_context(|| format!("cannot read {}", template.display()))?;
    let mut members = vec![(format!("{directory}/__init__.py"), fill(&template, &backend)?.into_bytes())];
    for (name, contents) in python_sources(&workspace.root.join("python/pjrt_plugin_support"))? {
        members.push((format!("{directory}/pjrt_plugin_support/{name}"), contents));
    }
    members.push((format!("{directory}/{LIBRARY}"), std::fs::read(&plugin.path)?));
    let wheel = Wheel {
        distribution: backend.distribution(),
        version: backend.version.clone(),
        tag: format!("py3-none-{platform_tag}"),
        metadata: vec![
            format!("Summary: {}", backend.summary),
            format!("License: {}", backend.license),
            "Requires-Python: >=3.11".into(),
            "Requires-Dist: jax>=0.4.38".into(),
        ],
        entry_points: format!("[jax_plugins]\n{0} = jax_plugins.{0}\n", backend.platform),
        members,
    };
    eprintln!("packing the wheel ...");
    wheel.write(out)
}

/// Puts the backend's facts into the template, as Python literals.
fn fill(template: &str, backend: &BackendMetadata) -> Result<String> {
    let mut filled = template.to_owned();
    for (name, value) in [
        ("@SUMMARY@", backend.summary.replace('\\', "\\\\").replace('"', "\\\"")),
        ("@PLATFORM@", backend.platform.clone()),
        ("@CLIENT_PLATFORM@", backend.client_platform.clone()),
        ("@PRIORITY@", backend.priority.to_string()),
        ("@HOST_CALLBACKS@", backend.host_callbacks.clone()),
        ("@DEVICE_COUNT_OPTION@", backend.device_count_option.clone()),
        ("@LIBRARY@", LIBRARY.to_owned()),
        ("@VERSION@", backend.version.clone()),
    ] {
        ensure!(filled.contains(name), "the package template does not use {name}");
        filled = filled.replace(name, &value);
    }
    Ok(filled)
}

/// Every `.py` file under `directory`, by its path in it, sorted.
fn python_sources(directory: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_path_buf()];
    while let Some(current) = pending.pop() {
        let entries = std::fs::read_dir(&current).with_context(|| format!("cannot read {}", current.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "py") {
                let name = path.strip_prefix(directory)?.to_str().context("a file name that is not UTF-8")?.to_owned();
                found.push((name, std::fs::read(&path)?));
            }
        }
    }
    ensure!(!found.is_empty(), "no Python files in {}", directory.display());
    found.sort();
    Ok(found)
}
