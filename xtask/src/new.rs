//! `cargo xtask new`: a backend of one's own, begun as a copy of the example under another name.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::workspace::Workspace;

/// The crate that is copied, and the platform name it uses.
const TEMPLATE: &str = "backend-example";
const TEMPLATE_PLATFORM: &str = "rust_example";

/// Begins a backend crate as a renamed copy of the example
///
/// The copy builds, passes its tests and runs JAX programs as it is; replace it piece by piece.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cargo xtask new my-chip
  cargo xtask new my-chip --platform chip && cargo xtask demo --backend backend-my-chip")]
pub struct Args {
    /// Name of the backend: lower-case letters, digits and `-`. The crate is called `backend-NAME`.
    #[arg(value_name = "NAME")]
    name: String,
    /// What users will write into JAX_PLATFORMS [default: NAME with `_` for `-`].
    #[arg(long, value_name = "NAME")]
    platform: Option<String>,
}

impl Args {
    /// Copies and says what to do next.
    pub fn run(self) -> Result<()> {
        let valid = self.name.starts_with(|c: char| c.is_ascii_lowercase())
            && self.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        ensure!(valid, "{:?}: lower-case letters, digits and `-` only, beginning with a letter", self.name);
        let platform = self.platform.unwrap_or_else(|| self.name.replace('-', "_"));
        let package = format!("backend-{}", self.name);
        let crates = Workspace::load()?.root.join("crates");
        let created = copy(&crates.join(TEMPLATE), &crates.join(&package), &package, &platform)?;
        for path in &created {
            println!("created {}", path.display());
        }
        println!(
            "\nnext:\n  cargo test -p {package}\n  cargo xtask wheel -p {package}\n  cargo xtask demo --backend {package}"
        );
        Ok(())
    }
}

/// Copies the template at `from` to `to` under new names; the paths of the files that were made.
fn copy(from: &Path, to: &Path, package: &str, platform: &str) -> Result<Vec<PathBuf>> {
    if to.exists() {
        bail!("{} exists already", to.display());
    }
    let mut created = Vec::new();
    let mut pending = vec![from.to_path_buf()];
    while let Some(directory) = pending.pop() {
        let entries = std::fs::read_dir(&directory).with_context(|| format!("cannot read {}", directory.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let target = to.join(path.strip_prefix(from)?);
            std::fs::create_dir_all(target.parent().context("a file has a directory")?)?;
            std::fs::write(&target, renamed(&text, package, platform))?;
            created.push(target);
        }
    }
    created.sort();
    Ok(created)
}

fn renamed(text: &str, package: &str, platform: &str) -> String {
    text.replace(TEMPLATE, package)
        .replace(&TEMPLATE.replace('-', "_"), &package.replace('-', "_"))
        .replace(TEMPLATE_PLATFORM, platform)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_change_in_every_spelling() {
        assert_eq!(
            renamed("backend-example backend_example rust_example", "backend-my-chip", "chip"),
            "backend-my-chip backend_my_chip chip"
        );
    }

    #[test]
    fn the_whole_template_is_copied_and_nothing_overwritten() {
        let scratch = std::env::temp_dir().join(format!("xtask-new-{}", std::process::id()));
        let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates").join(TEMPLATE);
        let copied = scratch.join("backend-x");
        let created = copy(&template, &copied, "backend-x", "x").unwrap();
        assert!(created.contains(&copied.join("Cargo.toml")) && created.contains(&copied.join("src/lib.rs")));
        for path in &created {
            let text = std::fs::read_to_string(path).unwrap();
            for old in [TEMPLATE, TEMPLATE_PLATFORM] {
                assert!(!text.contains(old), "{} still says {old}", path.display());
            }
        }
        assert!(copy(&template, &copied, "backend-x", "x").unwrap_err().to_string().contains("exists already"));
        std::fs::remove_dir_all(scratch).unwrap();
    }
}
