//! `cargo xtask bindgen`: keeps `pjrt-sys` in step with its header.
//!
//! Owns the two generated files of that crate: `bindings.rs`, made by libclang from the header, and
//! `table.rs`, made from the annotations of the header. A normal build needs neither this command
//! nor libclang: the part that does is behind the cargo feature `bindgen` of this crate, and the
//! command runs itself again with the feature when it is off.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

#[cfg(feature = "bindgen")]
mod annotations;
#[cfg(feature = "bindgen")]
mod compare;
#[cfg(feature = "bindgen")]
mod generate;
#[cfg(feature = "bindgen")]
mod surface;
#[cfg(feature = "bindgen")]
mod table;

/// Regenerate the PJRT bindings from our header, check them, or compare with an official header.
///
/// Needs libclang; a normal build does not.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Change nothing; fail if the checked-in files differ from what the header gives.
    #[arg(long, conflicts_with = "header")]
    check: bool,
    /// Bind against this official header instead and print what it has that ours has not, what
    /// differs and what it lacks. Changes nothing. Its includes are searched in the directories
    /// above it.
    #[arg(long, value_name = "FILE")]
    header: Option<PathBuf>,
}

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    ///
    /// When libclang is missing or rejects the header, when a file cannot be read or written, and with
    /// `--check` when the checked-in files have drifted.
    #[cfg(feature = "bindgen")]
    pub fn run(self) -> anyhow::Result<()> {
        let sys = workspace_root()?.join("crates/pjrt-sys");
        let include = sys.join("include");
        let bindings = generate::ours(&include.join("pjrt.h"), &include)?;
        let ours = surface::Surface::parse(&bindings);
        if let Some(header) = &self.header {
            let sizes = surface::Surface::parse(&generate::everything(&include.join("pjrt.h"), &include)?);
            let official = surface::Surface::parse(&generate::official(header)?);
            print!("{}", compare::report(&sizes, &official, header));
            return Ok(());
        }
        let annotations = annotations::Annotations::read(&include)?;
        let table = table::render(&annotations, &ours)?;
        let files = [(sys.join("src/bindings.rs"), bindings), (sys.join("src/table.rs"), table)];
        let mut drifted = Vec::new();
        for (path, wanted) in &files {
            let present = std::fs::read_to_string(path).unwrap_or_default();
            if present == *wanted {
                continue;
            }
            if self.check {
                drifted.push(format!("{}:\n{}", path.display(), compare::line_summary(&present, wanted, 40)));
            } else {
                std::fs::write(path, wanted).with_context(|| format!("writing {}", path.display()))?;
                println!("wrote {}", path.display());
            }
        }
        anyhow::ensure!(
            drifted.is_empty(),
            "the checked-in bindings differ from what include/ gives; run `cargo xtask bindgen`\n{}",
            drifted.join("\n")
        );
        println!(
            "{} structs, {} enums, {} functions, {} extensions: up to date",
            ours.structs.len(),
            ours.enums.len(),
            annotations.slots.len(),
            annotations.extensions.len()
        );
        Ok(())
    }

    /// Runs the command again with the feature that brings libclang.
    ///
    /// # Errors
    ///
    /// When cargo cannot be started or the command fails.
    #[cfg(not(feature = "bindgen"))]
    pub fn run(self) -> anyhow::Result<()> {
        let mut command = std::process::Command::new(crate::workspace::cargo());
        command.current_dir(workspace_root()?).args([
            "run",
            "--quiet",
            "--package",
            "xtask",
            "--features",
            "bindgen",
            "--",
            "bindgen",
        ]);
        if self.check {
            command.arg("--check");
        }
        if let Some(header) = &self.header {
            let header = std::path::absolute(header).context("resolving --header")?;
            command.arg("--header").arg(header);
        }
        let status = command.status().context("starting cargo again with the feature `bindgen`")?;
        anyhow::ensure!(status.success(), "bindgen failed ({status})");
        Ok(())
    }
}

/// The directory of the workspace: the parent of this crate's.
fn workspace_root() -> anyhow::Result<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).context("xtask has no parent directory")
}
